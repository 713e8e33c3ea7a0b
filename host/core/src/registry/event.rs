//! Tells who wants to know what changed.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::catalog::{Catalog, Key};
use super::family::Family;

/// What one generation changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The generation that is visible now. There may be later ones already.
    pub generation: u64,
    /// Names that serve now and did not.
    pub added: Vec<Key>,
    /// Names of which another version, or another content, serves.
    pub changed: Vec<Key>,
    /// Names that no longer serve.
    pub removed: Vec<Key>,
    /// Names of which something new waits for approval.
    pub held: Vec<Key>,
    /// Files that are refused now and were not, or for another reason; those that are no components are among them.
    pub refused: Vec<PathBuf>,
    /// Whether the toolsets changed.
    pub toolsets: bool,
    /// Whether the operator's policy changed.
    pub policy: bool,
    /// Whether prompts changed.
    pub prompts: bool,
    /// Whether resources changed.
    pub resources: bool,
}

impl Event {
    pub(super) fn between(old: &Catalog, new: &Catalog) -> Self {
        let serves = |family: Option<&Family>| family.is_some_and(|family| family.serving().next().is_some());
        let family = |catalog: &Catalog, key: &Key| catalog.family(&key.scope, key.name.as_str()).cloned();
        let mut event = Self {
            generation: new.generation,
            added: Vec::new(),
            changed: Vec::new(),
            removed: Vec::new(),
            held: Vec::new(),
            refused: Vec::new(),
            toolsets: !Arc::ptr_eq(&old.toolsets, &new.toolsets),
            policy: old.policy != new.policy,
            prompts: !Arc::ptr_eq(&old.prompts, &new.prompts),
            resources: !Arc::ptr_eq(&old.resources, &new.resources),
        };
        for (key, now) in new.keys() {
            let before = family(old, &key);
            let waited = |entry: &Arc<_>| before.iter().flat_map(Family::held).any(|other| Arc::ptr_eq(entry, other));
            if now.held().any(|entry| !waited(entry)) {
                event.held.push(key.clone());
            }
            match (serves(before.as_ref()), serves(Some(now))) {
                (false, true) => event.added.push(key),
                (true, false) => event.removed.push(key),
                (true, true) if before.is_some_and(|before| !before.serves_same(now)) => event.changed.push(key),
                _ => {}
            }
        }
        let gone = old.keys().filter(|(key, before)| serves(Some(before)) && family(new, key).is_none());
        event.removed.extend(gone.map(|(key, _)| key));
        event.removed.sort();
        let refused = new.refused.iter().filter(|now| !old.refused.iter().any(|before| now.is_same(before)));
        let problems = new.problems.iter().filter(|now| !old.problems.contains(now));
        event.refused =
            refused.map(|refused| &refused.file).chain(problems.map(|problem| &problem.file)).cloned().collect();
        event
    }
}

type Listener = Arc<dyn Fn(&Event) + Send + Sync>;

/// Who wants to know, and what they were not told yet.
#[derive(Default)]
pub(super) struct Subscribers(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    next: u64,
    listeners: BTreeMap<u64, Listener>,
    events: VecDeque<Event>,
    delivering: bool,
}

impl Subscribers {
    pub(super) fn add(self: &Arc<Self>, listener: Listener) -> Subscription {
        let mut queue = self.queue();
        let id = queue.next;
        queue.next += 1;
        queue.listeners.insert(id, listener);
        Subscription { subscribers: Arc::downgrade(self), id }
    }

    /// Adds an event behind those of earlier generations.
    pub(super) fn push(&self, event: Event) {
        self.queue().events.push_back(event);
    }

    /// Tells all events in order, one thread at a time: who finds another at it leaves the rest to that one.
    ///
    /// No lock is held meanwhile, so a listener may use the registry as it likes.
    pub(super) fn deliver(&self) {
        if std::mem::replace(&mut self.queue().delivering, true) {
            return;
        }
        let delivering = Delivering(self);
        while let Some((event, listeners)) = self.next() {
            for listener in listeners {
                listener(&event);
            }
        }
        // `next` has ended the delivery, together with finding that there is nothing left.
        std::mem::forget(delivering);
    }

    fn next(&self) -> Option<(Event, Vec<Listener>)> {
        let mut queue = self.queue();
        let event = queue.events.pop_front();
        queue.delivering = event.is_some();
        event.map(|event| (event, queue.listeners.values().cloned().collect()))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the delivery if a listener panics: the next change then tells what is left.
struct Delivering<'a>(&'a Subscribers);

impl Drop for Delivering<'_> {
    fn drop(&mut self) {
        self.0.queue().delivering = false;
    }
}

/// Ends the subscription when it is dropped. An event that is being told at that moment may still arrive.
#[must_use = "dropping it ends the subscription"]
pub struct Subscription {
    subscribers: Weak<Subscribers>,
    id: u64,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(subscribers) = self.subscribers.upgrade() {
            // The listener is dropped outside of the lock: it may own another subscription.
            let _listener = { subscribers.queue().listeners.remove(&self.id) };
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("id", &self.id).finish_non_exhaustive()
    }
}
