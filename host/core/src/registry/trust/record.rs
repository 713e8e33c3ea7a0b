//! What is remembered of names.

use std::collections::BTreeMap;
use std::fmt;

use hermes_manifest::{Manifest, ToolName};
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::component::{Component, Digest};
use crate::registry::catalog::Key;
use crate::registry::source::{Scope, SourceId};
use crate::registry::stamp::Stamp;
use crate::registry::stem::Stem;

/// What is remembered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrustRecord {
    /// The names that have an owner.
    pub names: BTreeMap<Scope, BTreeMap<ToolName, Owned>>,
    /// Digests of whole files by their paths, so that an unchanged file need not be read again.
    pub files: BTreeMap<String, Hashed>,
}

/// A name that has an owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owned {
    /// Who held it first.
    pub owner: Owner,
    /// What was approved, the latest last.
    #[serde(default)]
    pub approved: Vec<Approved>,
}

/// Who holds a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owner {
    /// The source.
    pub source: SourceId,
    /// The stem of its files there.
    pub stem: Stem,
}

/// Content that may serve under a name. Older records hold parts of it that are not used any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approved {
    /// The digest of what the component says of itself.
    pub section: Digest,
    /// The digest of the whole file, under the policy that asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// The version.
    pub version: Version,
    /// The whole manifest as compact JSON: it is parsed only where something is compared with it. Empty in the oldest records.
    #[serde(default)]
    pub manifest: String,
}

/// The digest of a file as it was at one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hashed {
    /// What the file was recognised by.
    pub stamp: Stamp,
    /// Its digest then.
    pub digest: Digest,
}

/// How many contents are remembered for a name: enough to go back to any version that somebody would keep.
const MAX_APPROVED: usize = 16;

impl TrustRecord {
    /// What is remembered of a name.
    pub fn get(&self, scope: &Scope, name: &str) -> Option<&Owned> {
        self.names.get(scope)?.get(name)
    }

    /// Forgets a name. `false` if it had no owner.
    pub fn release(&mut self, scope: &Scope, name: &str) -> bool {
        self.names.get_mut(scope).is_some_and(|names| names.remove(name).is_some())
    }

    /// Gives a name that is free to `owner`.
    pub(in crate::registry) fn claim(&mut self, key: Key, owner: Owner) {
        let names = self.names.entry(key.scope).or_default();
        names.entry(key.name).or_insert_with(|| Owned { owner, approved: Vec::new() });
    }

    /// Remembers content of a name that `owner` has; the oldest is forgotten when there is too much.
    pub(in crate::registry) fn approve(&mut self, key: &Key, owner: &Owner, approved: Approved) {
        let owned = self.names.get_mut(&key.scope).and_then(|names| names.get_mut(&key.name));
        let Some(owned) = owned.filter(|owned| owned.owner == *owner) else { return };
        owned.approved.retain(|known| *known != approved);
        owned.approved.push(approved);
        let excess = owned.approved.len().saturating_sub(MAX_APPROVED);
        owned.approved.drain(..excess);
    }
}

impl Owned {
    /// The approved content that serves where nothing newer does: new content is compared with it.
    pub(in crate::registry) fn best(&self) -> Option<&Approved> {
        self.approved.iter().max_by(|a, b| a.version.cmp(&b.version))
    }
}

impl Approved {
    /// What a manifest says, in the component that it was found in. `digest` is known where it counts.
    pub(in crate::registry) fn of(manifest: &Manifest, component: &Component, digest: Option<Digest>) -> Self {
        Self {
            section: *component.section(),
            digest,
            version: manifest.version.clone(),
            manifest: serde_json::to_string(manifest).unwrap_or_default(),
        }
    }

    /// What was approved. None if this host cannot read it: then nothing counts as approved, and whatever is asked for is new.
    pub(in crate::registry) fn manifest(&self) -> Option<Manifest> {
        Manifest::parse(&self.manifest).ok()
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in {}", self.stem, self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_owners_content_is_remembered_and_no_more_than_the_latest() {
        let owner = |stem: &str| Owner {
            source: SourceId::Folder("/plugins".to_owned()),
            stem: Stem::of(std::path::Path::new(stem)),
        };
        let key = Key { scope: Scope::Host, name: "orchard".parse().unwrap() };
        let approved = |patch| Approved {
            section: Digest::of(b"section"),
            digest: None,
            version: Version::new(1, 0, patch),
            manifest: String::new(),
        };
        let mut record = TrustRecord::default();
        record.claim(key.clone(), owner("orchard"));
        record.claim(key.clone(), owner("other"));
        for patch in 0..20 {
            record.approve(&key, &owner("orchard"), approved(patch));
            record.approve(&key, &owner("other"), approved(100));
        }
        let patches: Vec<u64> = record
            .get(&Scope::Host, "orchard")
            .unwrap()
            .approved
            .iter()
            .map(|approved| approved.version.patch)
            .collect();
        assert_eq!(patches, (4..20).collect::<Vec<_>>());
    }
}
