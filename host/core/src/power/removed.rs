//! What a cut took, and what it left of that.

use std::fmt;
use std::path::Path;

use hermes_manifest::{Capabilities, FsGrant, for_each_limit};
use serde::Serialize;

use super::algebra::intersect;
use super::difference::difference;
use super::parts::parts;
use super::{GrantLine, Narrow};
use crate::limits::Limits;

/// A grant that was cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// The grant; of a destination, just the methods that are gone.
    #[serde(flatten)]
    pub grant: GrantLine,
    /// What is left of it; nothing where all of it is gone. A folder's line ends with its quota where that is what was cut.
    pub left: Vec<GrantLine>,
}

impl fmt::Display for Removed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.grant)?;
        for (at, left) in self.left.iter().enumerate() {
            write!(f, "{}{left}", if at == 0 { ", leaving " } else { " and " })?;
        }
        Ok(())
    }
}

impl Removed {
    /// What `narrow` takes from `granted`, in whose folders links were followed and whose limits have all values; and what it leaves.
    pub(crate) fn by(narrow: &Narrow, granted: &Capabilities, workspace: Option<&Path>) -> (Vec<Self>, Capabilities) {
        let cut = narrow.cut(granted, workspace);
        let mut removed = Vec::new();
        for part in parts(granted) {
            let left = intersect(&part, &cut, workspace);
            let gone = difference(&part, &cut, workspace);
            removed.extend(gone.into_iter().map(|grant| Self { grant, left: lines(&left, &part) }));
        }
        let limits = |all: &Capabilities| Limits::default().with(&all.limits);
        removed.extend(Self::lowered(&limits(granted), &limits(&cut)));
        (removed, cut)
    }
}

/// What is left of one part of a grant. A secret whose value is not handed out is not worth a line.
fn lines(left: &Capabilities, part: &Capabilities) -> Vec<GrantLine> {
    let quota = |one: &FsGrant| one.quota.filter(|_| part.fs.iter().all(|whole| whole.quota != one.quota));
    let folder = |one: &FsGrant| match quota(one) {
        Some(quota) => GrantLine::new("fs", format_args!("{}:{}, at most {quota}", one.path, one.mode)),
        None => GrantLine::folder(one),
    };
    let mut others = Capabilities { fs: Vec::new(), ..left.clone() };
    others.secrets.retain(|_, terms| terms.expose);
    left.fs.iter().map(folder).chain(GrantLine::all(&others)).collect()
}

macro_rules! lowered {
    ($($(#[$doc:meta])* $name:ident: $kind:ident($type:ty),)*) => {
        impl Removed {
            /// The limits of `before` that are lower in `after`.
            pub(crate) fn lowered(before: &Limits, after: &Limits) -> Vec<Self> {
                let (before_written, after_written) = (before.written(), after.written());
                let line = |name: &str, value: &dyn fmt::Display| GrantLine::new("limits", format_args!("{name}:{value}"));
                let mut removed = Vec::new();
                $(if let (true, Some(most), Some(left)) =
                    (after.$name < before.$name, before_written.$name, after_written.$name)
                {
                    let name = stringify!($name);
                    removed.push(Self { grant: line(name, &most), left: vec![line(name, &left)] });
                })*
                removed
            }
        }
    };
}

for_each_limit!(lowered);
