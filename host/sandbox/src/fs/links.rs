//! The links that a path leads through. Whoever can replace one of them decides where the path leads.

use std::path::{Component, Path, PathBuf};

/// As many links as Linux follows in one path.
pub(super) const MAX_LINKS: usize = 40;

/// Where a path leads, and through which links, each by a path that has no other link in it.
#[derive(Debug, PartialEq)]
pub(super) struct Way {
    pub(super) links: Vec<PathBuf>,
    pub(super) end: PathBuf,
}

/// Follows `path`, whose end need not exist.
pub(super) fn follow(path: &Path) -> Way {
    let mut rest = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut way = Way { links: Vec::new(), end: PathBuf::new() };
    loop {
        let mut parts = rest.components();
        let Some(part) = parts.next() else { return way };
        let after = parts.as_path();
        rest = match part {
            Component::ParentDir => {
                way.end.pop();
                after.to_owned()
            }
            Component::CurDir => after.to_owned(),
            Component::Normal(name) => {
                let next = way.end.join(name);
                match std::fs::read_link(&next) {
                    Ok(target) if way.links.len() < MAX_LINKS => {
                        way.links.push(next);
                        target.join(after)
                    }
                    _ => {
                        way.end = next;
                        after.to_owned()
                    }
                }
            }
            Component::Prefix(_) | Component::RootDir => {
                way.end.push(part);
                after.to_owned()
            }
        };
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_link_of_a_way_is_named() {
        let temp = tempfile::tempdir().expect("a folder");
        let base = temp.path().canonicalize().expect("a path");
        std::fs::create_dir_all(base.join("real/deep")).expect("folders");
        for (link, target) in [("a", "real"), ("real/b", "../a/deep"), ("loop", "loop")] {
            symlink(target, base.join(link)).expect("a link");
        }
        symlink(base.join("real/b"), base.join("real/deep/c")).expect("a link");
        let way = |links: &[&str], end: &str| Way {
            links: links.iter().map(|link| base.join(link)).collect(),
            end: base.join(end),
        };
        for (path, expected) in [
            ("real/deep/../x", way(&[], "real/x")),
            ("a/x", way(&["a"], "real/x")),
            ("a/b/none/x", way(&["a", "real/b", "a"], "real/deep/none/x")),
            ("real/deep/c", way(&["real/deep/c", "real/b", "a"], "real/deep")),
        ] {
            assert_eq!(follow(&base.join(path)), expected, "{path}");
        }
        assert_eq!(follow(&base.join("loop")).links.len(), MAX_LINKS);
    }
}
