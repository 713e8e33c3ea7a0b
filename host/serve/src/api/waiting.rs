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

#[cfg(test)]
mod tests {
    use hermes_core::CallRequest;

    use super::*;

    fn remember(waiting: &Waiting, handle: usize, args: usize) {
        let asked = Asked {
            handle: handle.to_string(),
            expires: Duration::from_secs(1),
            questions: Vec::new(),
            misfits: Vec::new(),
        };
        let call = Identified { id: "a".to_owned(), request: CallRequest::new("t", "x".repeat(args)) };
        waiting.remember(Owner::of(None, Some("me")), &call, &Session::default(), &asked);
    }

    #[test]
    fn the_oldest_go_where_calls_or_their_arguments_are_too_many() {
        for (args, kept) in [(0, MAX_CALLS), (MAX_ARGS / 4, 4)] {
            let waiting = Waiting::default();
            for handle in 0..=kept {
                remember(&waiting, handle, args);
            }
            let knows = |handle: usize| waiting.find(Owner::of(None, Some("me")), "a", &handle.to_string()).is_some();
            assert!(!knows(0) && knows(1) && knows(kept), "{args}");
        }
    }
}
