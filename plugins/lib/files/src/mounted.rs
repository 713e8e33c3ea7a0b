//! Absolute paths, as they were given and as the sandbox opens them.

use std::path::Path;

use hermes_tool::prelude::Call;

use crate::FileError;

/// `path` as it was given, unless it is absolute and leads out of what the call was given.
///
/// The workspace is open under its own path and as the current folder, and to WASI's C library the current folder is also `/`:
/// without this check `/etc/hosts` would be `etc/hosts` of the workspace.
///
/// # Errors
///
/// [`FileError::Denied`].
pub fn mounted<'a>(path: &'a str, call: &Call) -> Result<&'a Path, FileError> {
    let given = Path::new(path);
    match &call.workspace {
        // An address of the host's, such as that of a kept result, names no file.
        _ if path.starts_with("hermes://") => Err(FileError::Denied { path: path.to_owned() }),
        Some(workspace)
            if given.has_root() && !given.starts_with(workspace) && !is_in_other_mount(given, workspace) =>
        {
            Err(FileError::Denied { path: path.to_owned() })
        }
        _ => Ok(given),
    }
}

/// Whether a folder on the way exists that the workspace does not have at the same place. Only below its own path is a file sure to
/// be the workspace's: WASI's C library takes `a` and `./a` for `/a`, and looks there first for a mount.
fn is_in_other_mount(path: &Path, workspace: &Path) -> bool {
    let Ok(below_root) = path.strip_prefix("/") else { return false };
    let mut ancestors = path.ancestors().zip(below_root.ancestors());
    ancestors.any(|(absolute, below_root)| {
        !below_root.as_os_str().is_empty() && absolute.exists() && !workspace.join(below_root).exists()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_must_be_in_a_mount() {
        let other = tempfile::tempdir().unwrap();
        let other = other.path().join("new/file").display().to_string();
        for (workspace, path, passes) in [
            (Some("/some/workspace"), "a/b", true),
            (Some("/some/workspace"), "hermes://results/a", false),
            (None, "hermes://results/a", false),
            (Some("/some/workspace"), "../a", true),
            (Some("/some/workspace"), "/some/workspace/a", true),
            (Some("/some/workspace"), "/some/workspace2/a", false),
            (Some("/some/workspace"), "/absent/a", false),
            (Some("/some/workspace"), &other, true),
            (None, "/absent/a", true),
        ] {
            let mut call = Call::default();
            call.workspace = workspace.map(Into::into);
            assert_eq!(mounted(path, &call).is_ok(), passes, "{path} in {workspace:?}");
        }
    }
}
