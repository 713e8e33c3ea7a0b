//! Which call a handle belongs to. The host keeps what the call goes on with, and wants tool and arguments again to know it by.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_core::Session;
use hermes_core::ask::Asked;
use hermes_core::results::Owner;
use tokio::time::Instant;

use super::calls::Identified;

/// Calls of one token. One more, and the one that asked first goes.
const MAX_CALLS: usize = 256;
/// Bytes of the arguments of all of them.
const MAX_ARGS: usize = 16 << 20;
/// How long a handle that has expired is known: the host then says so.
const LEEWAY: Duration = Duration::from_secs(60);

/// The calls that asked, by whose they are.
#[derive(Default)]
pub(super) struct Waiting(Mutex<HashMap<Owner, VecDeque<Asking>>>);

struct Asking {
    handle: String,
    id: String,
    call: WaitingCall,
    until: Instant,
}

/// A call that waits for an answer.
#[derive(Clone)]
pub(super) struct WaitingCall {
    pub(super) tool: String,
    pub(super) args: String,
    pub(super) session: Session,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, HashMap<Owner, VecDeque<Asking>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a call that asked.
    pub(super) fn remember(&self, owner: Owner, call: &Identified, session: &Session, asked: &Asked) {
        let now = Instant::now();
        let Identified { id, request } = call;
        let call = WaitingCall { tool: request.tool.clone(), args: request.args.clone(), session: session.clone() };
        let until = now + asked.expires + LEEWAY;
        let mut known = self.lock();
        let calls = known.entry(owner).or_default();
        calls.retain(|asking| asking.until > now && asking.handle != asked.handle);
        calls.push_back(Asking { handle: asked.handle.clone(), id: id.clone(), call, until });
        let mut bytes: usize = calls.iter().map(|asking| asking.call.args.len()).sum();
        while calls.len() > MAX_CALLS || bytes > MAX_ARGS {
            let Some(oldest) = calls.pop_front() else { break };
            bytes = bytes.saturating_sub(oldest.call.args.len());
        }
    }

    /// The call of `owner` with this id that asked under this handle.
    pub(super) fn find(&self, owner: Owner, id: &str, handle: &str) -> Option<WaitingCall> {
        let known = self.lock();
        let asking = known.get(&owner)?.iter().find(|asking| asking.handle == handle && asking.id == id)?;
        Some(asking.call.clone())
    }
}
