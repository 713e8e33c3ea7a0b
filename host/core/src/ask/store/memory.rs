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

    fn exchange(&self, key: &CallKey, was: &WaitingCall, next: Option<&WaitingCall>) -> Result<bool, StoreError> {
        let mut calls = self.lock();
        let unchanged = calls.get(key) == Some(was);
        if unchanged {
            match next {
                Some(next) => calls.insert(*key, next.clone()),
                None => calls.remove(key),
            };
        }
        Ok(unchanged)
    }

    fn keys(&self) -> Result<Vec<CallKey>, StoreError> {
        Ok(self.lock().keys().copied().collect())
    }

    fn remove(&self, key: &CallKey) -> Result<(), StoreError> {
        self.lock().remove(key);
        Ok(())
    }
}
