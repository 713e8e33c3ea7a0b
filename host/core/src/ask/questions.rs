//! Asking and answering.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::approval::{Approvals, NoApprovals};
use super::early;
use super::exchange::{AnswerError, AskError, Asked, MAX_ROUNDS, Next, Posed, Resumed, Waiting};
use super::flight::{Flights, Ticket, Turn};
use super::handle::{Binding, LazyKey, SealKey, Sealed, args_digest};
use super::question::{Askable, read, strays};
use super::settle::{open, resume, settle};
use super::store::{CallKey, MemoryCalls, PendingStore, WaitingCall};
use crate::call::{Answer, Reply, RequestKind};
use crate::component::Digest;
use crate::outcome::Outcome;
use crate::results::{Owner, RandomError, random};

/// How long an answer is of use when the tool does not say.
const EXPIRES: Duration = Duration::from_mins(10);
/// The longest that a tool may say.
const MAX_EXPIRES: Duration = Duration::from_hours(24);

/// How much may wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Calls of one session. One more, and the one that expires first goes.
    pub session: usize,
    /// Calls in all. One more is refused, unless one of its own session can go: no session displaces another's.
    pub all: usize,
    /// Bytes of one call's state.
    pub state: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { session: 16, all: 1_024, state: 4 << 20 }
    }
}

/// Tells the time.
type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// The calls that asked and wait.
pub struct Questions {
    store: Arc<dyn PendingStore>,
    approvals: Arc<dyn Approvals>,
    key: LazyKey,
    bounds: Bounds,
    clock: Clock,
    flights: Arc<Flights>,
}

impl Questions {
    /// Keeps calls in `store` and seals their handles with `key`.
    pub fn new(
        store: Arc<dyn PendingStore>,
        approvals: Arc<dyn Approvals>,
        key: impl Into<LazyKey>,
        bounds: Bounds,
        clock: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> Self {
        Self { store, approvals, key: key.into(), bounds, clock: Arc::new(clock), flights: Arc::default() }
    }

    /// Keeps calls in memory, for as long as this process lives.
    ///
    /// # Errors
    ///
    /// When the system gives no randomness for a key.
    pub fn in_memory() -> Result<Self, RandomError> {
        let key = SealKey::random()?;
        Ok(Self::new(Arc::<MemoryCalls>::default(), Arc::new(NoApprovals), key, Bounds::default(), SystemTime::now))
    }

    /// Takes the questions of a call.
    ///
    /// What the caller cannot be asked is answered `nobody`; when nothing is left to ask, the call goes on at once. `early` are
    /// the answers that came with the call itself: they count in its first round, when they answer all that the tool asks, and never
    /// for an approval.
    ///
    /// # Errors
    ///
    /// When the questions break the contract, or the call cannot be kept.
    pub fn ask(&self, waiting: Waiting, askable: Askable, early: &[Answer]) -> Result<Posed, AskError> {
        let Waiting { binding, call, args, pending, rounds, wall, cpu } = waiting;
        if rounds >= MAX_ROUNDS {
            return Err(AskError::TooOften);
        }
        if pending.state.len() > self.bounds.state {
            return Err(AskError::State { size: pending.state.len(), most: self.bounds.state });
        }
        let questions = read(&pending.requests, &|token| self.approvals.question(token, &binding))?;
        let (mut answers, misfits) =
            if rounds == 0 { early::take(early, &pending.requests, &questions) } else { Default::default() };
        for (id, question) in &questions {
            let can = question.as_ref().is_some_and(|question| askable.can(question));
            if !can && !answers.iter().any(|answer| answer.id == *id) {
                answers.push(Answer { id: id.clone(), reply: Reply::Nobody });
            }
        }
        let expires = pending.expires.unwrap_or(EXPIRES).clamp(Duration::from_secs(1), MAX_EXPIRES);
        let kept = WaitingCall {
            call,
            args,
            state: pending.state,
            requests: pending.requests,
            answers,
            misfits: Vec::new(),
            rounds: rounds + 1,
            wall,
            cpu,
        };
        let open = open(&questions, &kept.answers);
        if open.is_empty() {
            let resume = resume(&kept.requests, kept.state, kept.answers);
            return Ok(Posed::Resume { resume, rounds: kept.rounds });
        }
        let owner = Owner::of(binding.tenant.as_deref(), binding.session.as_deref());
        let now = self.now();
        let until = now.saturating_add(expires);
        // Rounded up: it is of use for as long as it says, and not a moment less.
        let until = until.as_secs().saturating_add(u64::from(until.subsec_nanos() > 0));
        let key = CallKey { owner, expires: until, id: random()? };
        let sealed = Sealed::new(key.id, key.expires, &binding.code);
        let handle = sealed.seal(self.key.get().map_err(AskError::Key)?, &binding).map_err(|_| AskError::Seal)?;
        let surplus = self.surplus(owner)?;
        self.store.put(&key, &kept)?;
        surplus.iter().for_each(|key| self.forget(key));
        // Who waits for an answer waits for as long as it would count.
        let expires = Duration::from_secs(until).saturating_sub(now);
        Ok(Posed::Ask(Asked { handle, expires, questions: open, misfits }))
    }

    /// Takes answers to a call that waits.
    ///
    /// When all is answered, the handle is spent and the call goes on. What did not fit or is missing is asked for once more under
    /// the same handle, and answers to questions that nobody asked are told of. While another answer to the same handle is being
    /// worked on, this one waits for it; what other processes took of it before counts too. After an error the call waits as
    /// before, unless it has expired.
    ///
    /// # Errors
    ///
    /// When the handle is not the caller's, or no longer of use.
    pub async fn answer(&self, handle: &str, binding: &Binding, answers: &[Answer]) -> Result<Next, AnswerError> {
        let sealed = Sealed::open(self.key.get().map_err(AnswerError::Key)?, handle, binding)
            .map_err(|_| AnswerError::Foreign)?;
        let digest = digest(answers);
        let claim = loop {
            if sealed.expires <= self.now().as_secs() {
                return Err(AnswerError::Expired);
            }
            match self.flights.claim(sealed.id, &digest) {
                Turn::Own(claim) => break claim,
                Turn::Behind(released) => {
                    // However it ended, the next turn shows what became of the handle.
                    let _ = released.await;
                }
                Turn::Same(landing) => return landing.await.map(Next::Same).map_err(|_| AnswerError::Expired),
                Turn::Landed(outcome) => return Ok(Next::Same(outcome)),
                Turn::Spent => return Err(AnswerError::Expired),
            }
        };
        Ok(match self.take(&sealed, binding, answers, handle)? {
            Taken::Open(asked) => Next::Ask(asked),
            Taken::Whole(call) => {
                let ticket = claim.begin(digest, sealed.expires);
                let resume = resume(&call.requests, call.state, call.answers);
                let WaitingCall { call, args, rounds, wall, cpu, .. } = call;
                Next::Resume(Box::new(Resumed { call, args, resume, rounds, wall, cpu, ticket }))
            }
        })
    }

    /// Keeps what came of a call that was resumed by an answer, for the same answer sent again.
    pub fn completed(&self, ticket: Ticket, outcome: &Outcome) {
        ticket.land(outcome, self.now().as_secs());
    }

    /// Everything that can go wrong is done while the call still waits.
    fn take(&self, sealed: &Sealed, binding: &Binding, answers: &[Answer], handle: &str) -> Result<Taken, AnswerError> {
        let owner = Owner::of(binding.tenant.as_deref(), binding.session.as_deref());
        let key = CallKey { owner, expires: sealed.expires, id: sealed.id };
        if !sealed.is_by(&binding.code) {
            self.forget(&key);
            return Err(AnswerError::Expired);
        }
        loop {
            let was = self.store.get(&key)?.ok_or(AnswerError::Expired)?;
            let questions = read(&was.requests, &|token| self.approvals.question(token, binding))?;
            let mut call = was.clone();
            let mut misfits = settle(&mut call, &questions, answers);
            let open = open(&questions, &call.answers);
            if open.is_empty() {
                if self.store.exchange(&key, &was, None)? {
                    self.decide(&call, binding);
                    return Ok(Taken::Whole(call));
                }
            } else {
                call.rounds += 1;
                call.misfits.extend(misfits.iter().map(|misfit| misfit.id.clone()));
                if self.store.exchange(&key, &was, Some(&call))? {
                    misfits.extend(strays(answers, &questions));
                    let expires = Duration::from_secs(sealed.expires).saturating_sub(self.now());
                    return Ok(Taken::Open(Asked { handle: handle.to_owned(), expires, questions: open, misfits }));
                }
            }
            // Another process was faster. Each that is adds a round, so this ends.
        }
    }

    /// Tells the record of approvals what was answered, once the call goes on.
    fn decide(&self, call: &WaitingCall, binding: &Binding) {
        for request in &call.requests {
            let RequestKind::Approval(token) = &request.kind else { continue };
            match call.answers.iter().find(|answer| answer.id == request.id).map(|answer| &answer.reply) {
                Some(Reply::Accepted(_)) => self.approvals.decide(token, binding, true),
                Some(Reply::Declined) => self.approvals.decide(token, binding, false),
                _ => {}
            }
        }
    }

    /// Forgets what has expired. As many of the owner's own calls as the bounds ask are to go when one more is kept.
    fn surplus(&self, owner: Owner) -> Result<Vec<CallKey>, AskError> {
        let now = self.now().as_secs();
        let (expired, live): (Vec<_>, Vec<_>) = self.store.keys()?.into_iter().partition(|key| key.expires <= now);
        expired.iter().for_each(|key| self.forget(key));
        let all = live.len();
        let mut own: Vec<CallKey> = live.into_iter().filter(|key| key.owner == owner).collect();
        own.sort_unstable();
        let over = |count: usize, most: usize| (count + 1).saturating_sub(most);
        let surplus = over(own.len(), self.bounds.session).max(over(all, self.bounds.all));
        if surplus > own.len() {
            return Err(AskError::Full);
        }
        own.truncate(surplus);
        Ok(own)
    }

    /// One that cannot be removed is no reason to keep another from asking.
    fn forget(&self, key: &CallKey) {
        if let Err(error) = self.store.remove(key) {
            tracing::warn!(%error, "a call that is no longer to wait cannot be removed");
        }
    }

    /// Since 1970.
    fn now(&self) -> Duration {
        (self.clock)().duration_since(UNIX_EPOCH).unwrap_or_default()
    }
}

enum Taken {
    Open(Asked),
    Whole(WaitingCall),
}

/// The same for the same answers, in whatever order they come.
fn digest(answers: &[Answer]) -> Digest {
    let mut said: Vec<_> = answers
        .iter()
        .map(|answer| match &answer.reply {
            Reply::Accepted(text) => (&answer.id, "accepted", args_digest(text).hex()),
            Reply::Declined => (&answer.id, "declined", String::new()),
            Reply::Cancelled => (&answer.id, "cancelled", String::new()),
            Reply::Nobody => (&answer.id, "nobody", String::new()),
        })
        .collect();
    said.sort_unstable();
    Digest::of(serde_json::json!(said).to_string().as_bytes())
}
