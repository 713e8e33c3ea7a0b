//! The folder that a session works in.

use std::path::{Path, PathBuf};

/// A folder that may be handed to tools: canonical, and none of those that hold the system, a home or the host's own files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace(PathBuf);

/// Why a folder is no workspace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{folder} cannot be the workspace: {reason}", folder = .folder.display())]
pub struct WorkspaceError {
    folder: PathBuf,
    reason: WorkspaceProblem,
}

/// What is wrong with a folder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum WorkspaceProblem {
    #[error("{0}")]
    Unreachable(String),
    #[error("it is not a folder")]
    NotAFolder,
    #[error("it is the root of the file system")]
    Root,
    #[error("it is a home folder, where keys and settings lie")]
    Home,
    #[error("it belongs to the system")]
    System,
    #[error("it holds the host's own files ({0})")]
    Own(PathBuf),
    #[error("it lies within the host's own files ({0})")]
    WithinOwn(PathBuf),
}

/// Folders of the system, with all below them.
const SYSTEM: [&str; 14] = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib64",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/System",
    "/Library",
    "C:\\Windows",
];

/// Folders that hold system files or homes, though folders below them may be workspaces.
const SHARED: [&str; 4] = ["/home", "/Users", "/var", "C:\\Users"];

impl Workspace {
    /// Checks a folder.
    ///
    /// `home` is the user's home folder, `own` the folder of the host's own files; either may not exist.
    ///
    /// # Errors
    ///
    /// When the folder is missing, or is one that must not be handed to tools.
    pub fn open(folder: &Path, home: Option<&Path>, own: Option<&Path>) -> Result<Self, WorkspaceError> {
        let error = |reason| WorkspaceError { folder: folder.to_path_buf(), reason };
        let path = folder.canonicalize().map_err(|cause| error(WorkspaceProblem::Unreachable(cause.to_string())))?;
        if !path.is_dir() {
            return Err(error(WorkspaceProblem::NotAFolder));
        }
        match Self::problem(&path, home, own) {
            Some(problem) => Err(error(problem)),
            None => Ok(Self(path)),
        }
    }

    fn problem(path: &Path, home: Option<&Path>, own: Option<&Path>) -> Option<WorkspaceProblem> {
        if path.parent().is_none() {
            return Some(WorkspaceProblem::Root);
        }
        // On some systems these are links themselves, such as `/etc` to `/private/etc`.
        let real = |folder: &&str| Path::new(folder).canonicalize().unwrap_or_else(|_| PathBuf::from(folder));
        let below = |folders: &[&str], path: &Path| folders.iter().any(|folder| path.starts_with(real(folder)));
        let is = |folders: &[&str], path: &Path| folders.iter().any(|folder| path == real(folder));
        let in_homes = path.parent().is_some_and(|parent| is(&["/home", "/Users", "C:\\Users"], parent));
        let home = home.map(|home| home.canonicalize().unwrap_or_else(|_| home.to_path_buf()));
        if in_homes || home.as_deref() == Some(path) || path == Path::new("/root") {
            return Some(WorkspaceProblem::Home);
        }
        if below(&SYSTEM, path) || is(&SHARED, path) {
            return Some(WorkspaceProblem::System);
        }
        let own = own.map(|own| own.canonicalize().unwrap_or_else(|_| own.to_path_buf()))?;
        if own.starts_with(path) {
            return Some(WorkspaceProblem::Own(own));
        }
        path.starts_with(&own).then_some(WorkspaceProblem::WithinOwn(own))
    }

    /// The folder, canonical.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path, home: &Path, own: &Path) -> String {
        match Workspace::open(folder, Some(home), Some(own)) {
            Ok(workspace) => format!("ok {}", workspace.path().display()),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn folders_that_hold_more_than_a_project_are_refused() {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        let (home, own, project) = (base.join("me"), base.join("me/.hermes-host"), base.join("me/project"));
        std::fs::create_dir_all(&own).unwrap();
        std::fs::create_dir_all(&project).unwrap();
        std::fs::write(project.join("file"), "").unwrap();
        for (folder, expected) in [
            (project.clone(), format!("ok {}", project.display())),
            (project.join("../project/."), format!("ok {}", project.display())),
            ("/".into(), "it is the root of the file system".into()),
            ("/etc".into(), "it belongs to the system".into()),
            ("/usr/lib".into(), "it belongs to the system".into()),
            ("/home".into(), "it belongs to the system".into()),
            (home.clone(), "it is a home folder".into()),
            (base.clone(), format!("it holds the host's own files ({})", own.display())),
            (own.clone(), "own files".into()),
            (project.join("file"), "it is not a folder".into()),
            (project.join("none"), "No such file".into()),
        ] {
            let found = open(&folder, &home, &own);
            assert!(found.contains(&expected), "{}: {found}", folder.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_judged_by_where_it_leads() {
        let temp = tempfile::tempdir().unwrap();
        let link = temp.path().join("innocent");
        std::os::unix::fs::symlink("/etc", &link).unwrap();
        assert!(open(&link, Path::new("/none"), Path::new("/none")).contains("it belongs to the system"));
    }
}
