//! Waiting calls of one process.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{CallKey, PendingStore, StoreError, WaitingCall};

/// Keeps calls in memory.
#[derive(Debug, Default)]
pub struct MemoryCalls(Mutex<BTreeMap<CallKey, WaitingCall>>);

impl MemoryCalls {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<CallKey, WaitingCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingStore for MemoryCalls {
    fn put(&self, key: &CallKey, call: &WaitingCall) -> Result<(), StoreError> {
        self.lock().insert(*key, call.clone());
        Ok(())
    }

    fn get(&self, key: &CallKey) -> Result<Option<WaitingCall>, StoreError> {
        Ok(self.lock().get(key).cloned())
    }

    fn replace(&self, key: &CallKey, call: &WaitingCall) -> Result<bool, StoreError> {
        Ok(self.lock().get_mut(key).map(|waiting| call.clone_into(waiting)).is_some())
    }

    fn keys(&self) -> Result<Vec<CallKey>, StoreError> {
        Ok(self.lock().keys().copied().collect())
    }

    fn remove(&self, key: &CallKey) -> Result<bool, StoreError> {
        Ok(self.lock().remove(key).is_some())
    }
}
