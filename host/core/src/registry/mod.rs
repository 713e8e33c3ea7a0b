//! Which tools there are, where each comes from, whether it may serve, and which files were refused and why.
//!
//! A [`Registry`] looks into [`Source`]s and makes [`Catalog`]s: immutable snapshots that readers share. Whatever changes makes one
//! new generation. A name belongs to the source that first held it, and there to a file [`Stem`]; that, and what was approved, is
//! remembered in a [`TrustStore`].

mod admit;
mod catalog;
mod compare;
mod covering;
mod difference;
mod entry;
mod error;
mod event;
mod family;
mod look;
mod problem;
mod refused;
mod reload;
mod runs;
mod snapshot;
mod source;
mod stamp;
mod stem;
mod trust;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use hermes_manifest::HostApi;

pub use catalog::{Catalog, Key};
pub use compare::{ValueChange, ValueChangeKind};
pub use covering::{Ask, more};
pub use difference::{Change, Changed, Difference, NewContent};
pub use entry::{Entry, Runs, Standing};
pub use error::{ApproveError, ReleaseError, ScanError};
pub use event::{Event, Subscription};
pub use family::Family;
pub use problem::Problem;
pub use refused::{Refused, RefusedReason};
pub(crate) use reload::{Look, Others};
pub use runs::Unverified;
pub use source::{Scope, Source, SourceId};
pub use stamp::Stamp;
pub use stem::Stem;
pub use trust::{
    Approved, FileTrust, Hashed, MemoryTrust, Owned, Owner, Trust, TrustError, TrustPolicy, TrustRecord, TrustStore,
};

use crate::component::{Component, Digest};
use crate::library::{Prompts, Resources};
use crate::nearest::{UnknownName, nearest};
use crate::policy::Policy;
use crate::tool::{Runner, Usage};
use crate::toolset::Toolsets;
use admit::plan;
use event::Subscribers;
use look::{FileKey, Glass, Inside, Known, Placed, Settled, look};
use snapshot::{Gate, Held, Snapshot};
use source::Place;

/// All tools of a host. Many threads may share one: readers take snapshots, changes come one after the other.
pub struct Registry {
    api: HostApi,
    runner: Arc<dyn Runner>,
    store: Arc<dyn TrustStore>,
    current: RwLock<Arc<Catalog>>,
    changing: Mutex<Found>,
    subscribers: Arc<Subscribers>,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    /// The files in the order of their sources, which is the order of their claims.
    files: Vec<Placed>,
    /// Folders that could be listed once.
    listed: Vec<Source>,
    /// What each file serves.
    held: HashMap<FileKey, Held>,
    /// Told that something waits to be verified. While there is nobody, nothing needs to be.
    verifier: Option<Waiting>,
}

/// What was found in a file, and what in it nobody has approved.
type HeldBack = (Arc<Inside>, Arc<Difference>);

/// Told that something waits to be verified; must not use the registry.
type Waiting = Box<dyn Fn() + Send + Sync>;

impl Registry {
    /// An empty registry that admits components which import no more than `api` offers and their manifests declare.
    pub fn new(api: HostApi, runner: Arc<dyn Runner>, trust: Trust) -> Self {
        let Trust { policy, store } = trust;
        let policy = Arc::new(Policy { trust: policy, ..Policy::default() });
        let current = RwLock::new(Arc::new(Catalog { policy, ..Catalog::default() }));
        let (changing, subscribers) = Default::default();
        Self { api, runner, store, current, changing, subscribers }
    }

    /// What is there now. Cheap: nothing is copied.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks into all `sources`, which take the place of those of the last scan. The embedded core claims names first, then each
    /// source in the order given. Files that did not change since the last scan are not looked into again.
    ///
    /// Nothing is compiled or run. A folder that could be listed once and cannot be now keeps what it held.
    ///
    /// # Errors
    ///
    /// When a folder cannot be listed for the first time, or trust is not to be had; nothing has changed then.
    pub fn scan(&self, sources: &[Source]) -> Result<Arc<Catalog>, ScanError> {
        let mut found = self.changing();
        let (files, listed) = self.look(&found, sources, &|_, _| true)?;
        let catalog = self.admit(&mut found, files)?;
        found.listed = listed;
        drop(found);
        self.subscribers.deliver();
        Ok(catalog)
    }

    /// Looks into sources, and changes nothing.
    fn look(
        &self,
        found: &Found,
        sources: &[Source],
        settled: Settled<'_>,
    ) -> Result<(Vec<Placed>, Vec<Source>), ScanError> {
        let known: Known = found.files.iter().map(|file| (file.key(), file.looked.clone())).collect();
        let mut sources: Vec<&Source> = sources.iter().collect();
        sources.sort_by_key(|source| !matches!(source.place, Place::Core(_)));
        let (mut files, mut listed) = (Vec::new(), Vec::<Source>::new());
        for source in sources {
            if listed.contains(source) {
                continue;
            }
            match look(source, &known, Glass { api: &self.api, settled }) {
                Ok(looked) => files.extend(looked),
                Err(error) if found.listed.contains(source) => {
                    let id = source.id();
                    tracing::warn!(folder = %id, %error, "the folder cannot be listed: what it held before stays");
                    let before = found.files.iter().filter(|file| file.source == id && file.scope == source.scope);
                    files.extend(before.cloned());
                }
                Err(error) => {
                    return Err(ScanError::Unlisted { folder: source.path().to_owned(), error });
                }
            }
            listed.push(source.clone());
        }
        Ok((files, listed))
    }

    /// Takes other toolsets. Before the first scan that is no generation of its own.
    pub fn set_toolsets(&self, toolsets: Toolsets) -> Arc<Catalog> {
        self.set(|catalog| Some(Catalog { toolsets: Arc::new(toolsets), ..catalog }))
    }

    /// Takes other prompts. The same ones are no generation of their own, and before the first scan none are.
    pub fn set_prompts(&self, prompts: Prompts) -> Arc<Catalog> {
        self.set(|catalog| (*catalog.prompts != prompts).then(|| Catalog { prompts: Arc::new(prompts), ..catalog }))
    }

    /// Takes other resources. The same ones are no generation of their own, and before the first scan none are.
    pub fn set_resources(&self, resources: Resources) -> Arc<Catalog> {
        self.set(|catalog| {
            (*catalog.resources != resources).then(|| Catalog { resources: Arc::new(resources), ..catalog })
        })
    }

    /// Takes another policy, under which all that was found is decided on anew. The same one is no generation of its own, and before
    /// the first scan none is.
    ///
    /// # Errors
    ///
    /// When trust is not to be had; nothing has changed then.
    pub fn set_policy(&self, policy: Policy) -> Result<Arc<Catalog>, TrustError> {
        let policy = Arc::new(policy);
        let mut found = self.changing();
        let current = self.catalog();
        if current.generation == 0 {
            return Ok(self.replace(Catalog { policy, ..Catalog::clone(&current) }));
        }
        let files = found.files.clone();
        let catalog = self.admit_with(&mut found, files, policy, &[], |_| {})?;
        drop(found);
        self.subscribers.deliver();
        Ok(catalog)
    }

    /// Lets what waits under a name serve, with all other tools of the same component, and remembers that. Of several versions that
    /// wait it is the highest. Returns what was new.
    ///
    /// `shown` is the digest of the file that was looked at: nothing else is approved then.
    ///
    /// # Errors
    ///
    /// When nothing of this name waits, something else than `shown` does, or trust is not to be had.
    pub fn approve(&self, scope: &Scope, name: &str, shown: Option<&Digest>) -> Result<Difference, ApproveError> {
        let mut found = self.changing();
        let catalog = self.catalog();
        let family = catalog.family(scope, name).ok_or_else(|| {
            let names = catalog.families(scope).map(|(name, _)| name.as_str());
            UnknownName { what: "tool", name: name.to_owned(), nearest: nearest(name, names) }
        })?;
        let (component, difference) = held(family, name, shown)?;
        let digest = component.digest();
        let digest = digest.map_err(|error| ApproveError::Unreadable { component: component.to_string(), error })?;
        self.store.update(&mut |record| {
            let held = found.files.iter().filter_map(|file| Some((file, Result::as_ref(&file.looked.inside).ok()?)));
            for (file, content) in held.filter(|(_, content)| Arc::ptr_eq(&content.component, &component)) {
                let pinned = catalog.policy.trust.within(&file.scope) == TrustPolicy::Pinned;
                let digest = pinned.then_some(digest);
                for manifest in &content.manifests {
                    let key = Key { scope: file.scope.clone(), name: manifest.name.clone() };
                    let owner = admit::owner(file);
                    record.claim(key.clone(), owner.clone());
                    record.approve(&key, &owner, Approved::of(manifest, &component, digest));
                }
            }
        })?;
        let files = found.files.clone();
        self.admit(&mut found, files)?;
        drop(found);
        self.subscribers.deliver();
        Ok(Difference::clone(&difference))
    }

    /// Forgets who a name belongs to and what was approved of it. It is free then: the first file that claims it holds it, as at
    /// first sight.
    ///
    /// # Errors
    ///
    /// When nobody is remembered for the name, or trust is not to be had.
    pub fn release(&self, scope: &Scope, name: &str) -> Result<(), ReleaseError> {
        let mut found = self.changing();
        let mut unknown = None;
        self.store.update(&mut |record| {
            if !record.release(scope, name) {
                let names = record.names.get(scope).into_iter().flatten().map(|(name, _)| name.as_str());
                let nearest = nearest(name, names);
                unknown = Some(UnknownName { what: "remembered tool", name: name.to_owned(), nearest });
            }
        })?;
        if let Some(unknown) = unknown {
            return Err(unknown.into());
        }
        let files = found.files.clone();
        self.admit(&mut found, files)?;
        drop(found);
        self.subscribers.deliver();
        Ok(())
    }

    /// How busy what runs the tools is.
    pub fn usage(&self) -> Usage {
        self.runner.usage()
    }

    /// Tells `listener` what each new generation changed, in order and after it is visible. No lock is held then, so it may use the
    /// registry. It is called in the thread that made some change, not always that one.
    pub fn subscribe(&self, listener: Box<dyn Fn(&Event) + Send + Sync>) -> Subscription {
        self.subscribers.add(Arc::from(listener))
    }

    fn changing(&self) -> MutexGuard<'_, Found> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes what `change` makes of the catalog, if anything.
    fn set(&self, change: impl FnOnce(Catalog) -> Option<Catalog>) -> Arc<Catalog> {
        let found = self.changing();
        let current = self.catalog();
        let catalog = match change(Catalog::clone(&current)) {
            None => current,
            Some(next) if current.generation == 0 => self.replace(next),
            Some(next) => self.publish(&current, next),
        };
        drop(found);
        self.subscribers.deliver();
        catalog
    }

    /// Decides on `files` and publishes what comes of it.
    fn admit(&self, found: &mut Found, files: Vec<Placed>) -> Result<Arc<Catalog>, TrustError> {
        let policy = Arc::clone(&self.catalog().policy);
        self.admit_with(found, files, policy, &[], |_| {})
    }

    /// The same under a policy. What was `held` back stays so, and what `finish` changes belongs to the same generation.
    fn admit_with(
        &self,
        found: &mut Found,
        files: Vec<Placed>,
        policy: Arc<Policy>,
        held: &[HeldBack],
        finish: impl FnOnce(&mut Catalog),
    ) -> Result<Arc<Catalog>, TrustError> {
        let mut plan = plan(&files, &self.store.load()?, policy.trust);
        if plan.is_news() {
            // Another process may have remembered something meanwhile. What is decided in the end follows from what is
            // remembered in the end, so that the next scan comes to the same.
            self.store.update(&mut |record| {
                admit::plan(&files, record, policy.trust).enter(record);
                plan = admit::plan(&files, record, policy.trust);
            })?;
        }
        plan.hold_back(&files, held);
        let gate = Gate { runner: self.runner.as_ref(), closed: found.verifier.is_some() };
        let Snapshot { families, refused, held, waits } = Snapshot::new(&files, &plan, &found.held, &gate);
        found.files = files;
        found.held = held;
        if let Some(verifier) = found.verifier.as_ref().filter(|_| waits) {
            verifier();
        }
        let current = self.catalog();
        let mut next = Catalog { families, refused, policy, ..Catalog::clone(&current) };
        finish(&mut next);
        if current.generation > 0 && next.is_same(&current) {
            return Ok(current);
        }
        Ok(self.publish(&current, next))
    }

    fn publish(&self, current: &Catalog, next: Catalog) -> Arc<Catalog> {
        let next = Catalog { generation: current.generation + 1, ..next };
        let event = Event::between(current, &next);
        let next = self.replace(next);
        self.subscribers.push(event);
        next
    }

    fn replace(&self, next: Catalog) -> Arc<Catalog> {
        let next = Arc::new(next);
        let before = {
            let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *current, Arc::clone(&next))
        };
        // Freed outside of the lock: it may be the last to hold loaded code.
        drop(before);
        next
    }
}

/// The component that waits, and what is new in it.
fn held(
    family: &Family,
    name: &str,
    shown: Option<&Digest>,
) -> Result<(Arc<Component>, Arc<Difference>), ApproveError> {
    let mut first = None;
    for (entry, difference) in family.held().filter_map(|entry| Some((entry, entry.held()?))) {
        let component = &entry.component;
        let Some(shown) = shown else { return Ok((Arc::clone(component), Arc::clone(difference))) };
        let unreadable = |error| ApproveError::Unreadable { component: component.to_string(), error };
        let held = component.digest().map_err(unreadable)?;
        if held == *shown {
            return Ok((Arc::clone(component), Arc::clone(difference)));
        }
        first.get_or_insert(ApproveError::Changed { name: name.to_owned(), shown: *shown, held });
    }
    Err(first.unwrap_or_else(|| ApproveError::NothingHeld(name.to_owned())))
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("catalog", &self.catalog()).finish_non_exhaustive()
    }
}
