//! Decides for each file that was found whether it may serve.
//!
//! This is a function of the files, in the order of their sources, and of what is remembered; it changes neither.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use hermes_manifest::Manifest;
use semver::Version;

use super::HeldBack;
use super::catalog::Key;
use super::compare::changes;
use super::covering::asked_more;
use super::difference::{Change, Difference, NewContent};
use super::entry::Standing;
use super::look::{Content, Placed};
use super::refused::RefusedReason;
use super::source::{Scope, SourceId};
use super::trust::{Approved, Hashed, Owned, Owner, TrustPolicy, TrustRecord};
use crate::component::Digest;

/// What was decided.
pub(super) struct Plan {
    /// One a file, in the order of the files.
    pub(super) verdicts: Vec<Verdict>,
    claims: HashMap<Key, Claim>,
    news: Vec<News>,
    hashed: Vec<(String, Hashed)>,
    forgotten: Vec<String>,
}

/// What was decided of one file.
pub(super) type Verdict = Result<Standing, Arc<RefusedReason>>;

/// Who holds a name.
struct Claim {
    owner: Owner,
    /// The file that claimed it.
    holder: String,
}

/// What is to be remembered of a name.
struct News {
    key: Key,
    owner: Owner,
    approved: Option<Approved>,
}

/// Decides on all files.
pub(super) fn plan(files: &[Placed], record: &TrustRecord, trust: TrustPolicy) -> Plan {
    let mut admission = Admission { record, trust, claims: HashMap::new(), versions: HashMap::new(), news: Vec::new() };
    let (hashed, forgotten) = admission.digests(files);
    let mut decided: Vec<(usize, Verdict)> = Vec::with_capacity(files.len());
    let mut numbered: Vec<(usize, &Placed)> = files.iter().enumerate().collect();
    for source in numbered.chunk_by_mut(|(_, a), (_, b)| a.source == b.source && a.scope == b.scope) {
        // What serves already goes first, so that no newcomer takes its version.
        source.sort_by_cached_key(|(_, file)| (!admission.is_approved(file), !file.is_called_like_its_tool()));
        decided.extend(source.iter().map(|(number, file)| (*number, admission.decide(file))));
    }
    decided.sort_by_key(|(number, _)| *number);
    let verdicts = decided.into_iter().map(|(_, verdict)| verdict).collect();
    Plan { verdicts, claims: admission.claims, news: admission.news, hashed, forgotten }
}

impl Plan {
    /// Whether there is anything to be remembered.
    pub(super) fn is_news(&self) -> bool {
        !(self.news.is_empty() && self.hashed.is_empty() && self.forgotten.is_empty())
    }

    /// Enters what is to be remembered.
    pub(super) fn enter(&self, record: &mut TrustRecord) {
        for News { key, owner, approved } in &self.news {
            record.claim(key.clone(), owner.clone());
            if let Some(approved) = approved {
                record.approve(key, owner, approved.clone());
            }
        }
        record.files.extend(self.hashed.iter().cloned());
        record.files.retain(|file, _| !self.forgotten.contains(file));
    }

    /// Lets what was `held` when somebody last looked wait for longer.
    pub(super) fn hold_back(&mut self, files: &[Placed], held: &[HeldBack]) {
        for (file, verdict) in files.iter().zip(&mut self.verdicts) {
            let held = held.iter().find(|(inside, _)| Arc::ptr_eq(inside, &file.looked.inside));
            if let (Ok(standing @ Standing::Admitted), Some((_, difference))) = (verdict, held) {
                *standing = Standing::Held(Arc::clone(difference));
            }
        }
    }

    /// Whether nobody else claimed the name.
    pub(super) fn leaves(&self, key: &Key, owner: &Owner) -> bool {
        self.claims.get(key).is_none_or(|claim| claim.owner == *owner)
    }
}

struct Admission<'a> {
    record: &'a TrustRecord,
    trust: TrustPolicy,
    claims: HashMap<Key, Claim>,
    /// The file of each version.
    versions: HashMap<(Key, Version), String>,
    news: Vec<News>,
}

impl Admission<'_> {
    /// Takes digests of pinned files from the record, and returns those that were read because it lacks them, and the files that
    /// are gone.
    fn digests(&self, files: &[Placed]) -> (Vec<(String, Hashed)>, Vec<String>) {
        let pinned: Vec<&Placed> = files.iter().filter(|file| self.is_pinned(file)).collect();
        let mut hashed = Vec::new();
        for file in &pinned {
            let Ok(Content { component, .. }) = &*file.looked.inside else { continue };
            let (Some(path), Some(stamp)) = (file.file.to_str(), file.looked.settled_stamp()) else { continue };
            match self.record.files.get(path).filter(|hashed| hashed.stamp == stamp) {
                Some(known) => component.remember_digest(known.digest),
                None => {
                    let digest = component.digest().ok();
                    hashed.extend(digest.map(|digest| (path.to_owned(), Hashed { stamp, digest })));
                }
            }
        }
        let folders: BTreeSet<&Path> = pinned.iter().filter_map(|file| file.file.parent()).collect();
        let present: BTreeSet<&Path> = pinned.iter().map(|file| file.file.as_path()).collect();
        let gone = self.record.files.keys().filter(|file| {
            let file = Path::new(file.as_str());
            !present.contains(file) && file.parent().is_some_and(|folder| folders.contains(folder))
        });
        (hashed, gone.cloned().collect())
    }

    fn is_pinned(&self, file: &Placed) -> bool {
        file.source.is_remembered() && self.trust.within(&file.scope) == TrustPolicy::Pinned
    }

    /// The digest of the whole file, where it counts.
    fn digest(&self, file: &Placed, content: &Content) -> Result<Option<Digest>, RefusedReason> {
        let digest = self.is_pinned(file).then(|| content.component.digest()).transpose();
        digest.map_err(|error| RefusedReason::Unreadable(error.to_string()))
    }

    fn owned(&self, file: &Placed, manifest: &Manifest) -> Option<&Owned> {
        let owned = self.record.get(&file.scope, manifest.name.as_str());
        owned.filter(|_| file.source.is_remembered())
    }

    /// Whether this very content was approved under all of its names.
    fn is_approved(&self, file: &Placed) -> bool {
        let Ok(content) = &*file.looked.inside else { return false };
        let Ok(digest) = self.digest(file, content) else { return false };
        content.manifests.iter().all(|manifest| {
            let owned = self.owned(file, manifest).filter(|owned| owned.owner == owner(file));
            owned.is_some_and(|owned| {
                owned.approved.iter().any(|approved| {
                    approved.section == *content.component.section() && (digest.is_none() || approved.digest == digest)
                })
            })
        })
    }

    fn decide(&mut self, file: &Placed) -> Verdict {
        let content = Result::as_ref(&file.looked.inside).map_err(Arc::clone)?;
        for manifest in &content.manifests {
            self.check_name(file, manifest)?;
        }
        let standing = self.standing(file, content)?;
        for manifest in &content.manifests {
            let (key, holder) = (key(&file.scope, manifest), content.component.to_string());
            self.versions.insert((key.clone(), manifest.version.clone()), holder.clone());
            self.claims.entry(key).or_insert_with(|| Claim { owner: owner(file), holder });
        }
        Ok(standing)
    }

    /// A name belongs to who held it first, ever; those of the core are taken in every scope.
    fn check_name(&self, file: &Placed, manifest: &Manifest) -> Result<(), RefusedReason> {
        let (key, owner, name) = (key(&file.scope, manifest), owner(file), manifest.name.clone());
        let core =
            self.claims.get(&self::key(&Scope::Host, manifest)).filter(|claim| claim.owner.source == SourceId::Core);
        match core.or_else(|| self.claims.get(&key)) {
            Some(claim) if claim.owner != owner => {
                return Err(RefusedReason::NameTaken { name, holder: claim.holder.clone() });
            }
            Some(_) => {}
            None => {
                if let Some(owned) = self.owned(file, manifest).filter(|owned| owned.owner != owner) {
                    return Err(RefusedReason::NameRemembered { name, holder: owned.owner.to_string() });
                }
            }
        }
        match self.versions.get(&(key, manifest.version.clone())) {
            Some(holder) => {
                Err(RefusedReason::SameVersion { name, version: manifest.version.clone(), holder: holder.clone() })
            }
            None => Ok(()),
        }
    }

    fn standing(&mut self, file: &Placed, content: &Content) -> Result<Standing, RefusedReason> {
        if !file.source.is_remembered() || self.is_approved(file) {
            return Ok(Standing::Admitted);
        }
        let digest = self.digest(file, content)?;
        let mut held = false;
        let (mut told, mut before) = (Vec::new(), BTreeSet::new());
        let mut news = Vec::with_capacity(content.manifests.len());
        for manifest in &content.manifests {
            let owned = self.owned(file, manifest);
            let covers = |had: &Approved| asked_more(manifest, had.manifest().as_ref()).is_empty();
            let covered = owned.is_none_or(|owned| owned.approved.is_empty() || owned.approved.iter().any(covers));
            held |= digest.is_some() || !covered;
            let best = owned.and_then(Owned::best);
            let changed = changes(best.and_then(Approved::manifest).as_ref(), manifest);
            told.extend(changed.into_iter().map(|what| Change { name: manifest.name.clone(), what }));
            before.insert(best.and_then(|best| best.digest));
            let approved = Some(Approved::of(manifest, &content.component, digest));
            news.push(News { key: key(&file.scope, manifest), owner: owner(file), approved });
        }
        if !held {
            self.news.extend(news);
            return Ok(Standing::Admitted);
        }
        // Who waits for approval holds its names already.
        let unowned =
            news.into_iter().filter(|news| self.record.get(&news.key.scope, news.key.name.as_str()).is_none());
        let claims: Vec<News> = unowned.map(|news| News { approved: None, ..news }).collect();
        self.news.extend(claims);
        // Tools that were approved in several files have no one content to compare with.
        let old = before.pop_first().flatten().filter(|_| before.is_empty());
        let content = digest.map(|new| NewContent { old, new });
        Ok(Standing::Held(Arc::new(Difference { changes: told, content })))
    }
}

fn key(scope: &Scope, manifest: &Manifest) -> Key {
    Key { scope: scope.clone(), name: manifest.name.clone() }
}

pub(super) fn owner(file: &Placed) -> Owner {
    Owner { source: file.source.clone(), stem: file.stem.clone() }
}
