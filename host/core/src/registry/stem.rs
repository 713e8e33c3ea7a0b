//! The part of a file's name that owns the names of its tools.

use std::fmt;
use std::path::Path;

use semver::Version;
use serde::{Deserialize, Serialize};

/// A file's name without `.wasm` and without a version at its end; `-` and `_` are the same, as are upper and lower case.
///
/// `orchard.wasm`, `orchard-1.3.0.wasm` and `orchard_1.3.0-rc.1.wasm` have the stem `orchard`. The version in a name only tells
/// that these are versions of one tool; which version a file holds is what its manifest says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stem(String);

impl Stem {
    /// The stem of a file.
    pub fn of(file: &Path) -> Self {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().to_lowercase().replace('-', "_");
        let versioned = name.match_indices('_').find_map(|(at, _)| {
            let (stem, rest) = name.split_at_checked(at)?;
            let version = rest.strip_prefix('_')?.replace('_', "-");
            (!stem.is_empty() && Version::parse(&version).is_ok()).then(|| stem.to_owned())
        });
        Self(versioned.unwrap_or(name))
    }

    /// The stem as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Stem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_at_the_end_is_no_part_of_a_stem() {
        for (file, stem) in [
            ("orchard.wasm", "orchard"),
            ("orchard-1.3.0.wasm", "orchard"),
            ("orchard_1.3.0.wasm", "orchard"),
            ("Orchard-1.3.0.WASM", "orchard"),
            ("orchard-1.3.0-rc.1.wasm", "orchard"),
            ("orchard_1.3.0_rc.1.wasm", "orchard"),
            ("orchard-1.3.0-rc-1.wasm", "orchard"),
            ("orchard-1.3.0+build.5.wasm", "orchard"),
            ("orchard-1.3.0-2.0.0.wasm", "orchard"),
            ("my-orchard-1.3.0.wasm", "my_orchard"),
            ("tool_2_1.0.0.wasm", "tool_2"),
            ("orchard-2.wasm", "orchard_2"),
            ("orchard-1.3.wasm", "orchard_1.3"),
            ("orchard-1.3.0.old.wasm", "orchard_1.3.0.old"),
            ("orchard-er.wasm", "orchard_er"),
            ("-1.3.0.wasm", "_1.3.0"),
            ("1.3.0.wasm", "1.3.0"),
            (".wasm", ".wasm"),
        ] {
            assert_eq!(Stem::of(Path::new(file)).as_str(), stem, "{file}");
        }
    }
}
