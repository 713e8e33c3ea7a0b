//! The ways in which a file comes to have other bytes.

use std::fs;
use std::path::Path;

/// How a file is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Emptied and written to, as `cp` does.
    Overwrite,
    /// Written beside it and renamed, as package managers do.
    RenameOver,
    /// Removed and made again, as some editors do.
    DeleteAndCreate,
}

impl Way {
    pub(crate) const ALL: [Self; 3] = [Self::Overwrite, Self::RenameOver, Self::DeleteAndCreate];

    pub(crate) fn replace(self, file: &Path, bytes: &[u8]) {
        match self {
            Self::Overwrite => fs::write(file, bytes).unwrap(),
            Self::RenameOver => {
                let aside = file.with_extension("new");
                fs::write(&aside, bytes).unwrap();
                fs::rename(aside, file).unwrap();
            }
            Self::DeleteAndCreate => {
                fs::remove_file(file).unwrap();
                fs::write(file, bytes).unwrap();
            }
        }
    }
}
