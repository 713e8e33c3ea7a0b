//! Asking and answering.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::approval::{Approvals, NoApprovals};
use super::exchange::{AnswerError, AskError, Asked, MAX_ROUNDS, Misfit, Next, Resumed, Waiting};
use super::flight::{Flight, Flights, Ticket};
use super::handle::{Binding, LazyKey, SealKey, Sealed, args_digest};
use super::question::{Askable, Question, QuestionKind, read};
use super::store::{CallKey, MemoryCalls, PendingStore, WaitingCall};
use crate::call::{Answer, Pending, Reply, RequestKind, Resume};
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
    /// the answers that came with the call itself: they count in its first round, when the tool asks for just these, and never
    /// for an approval.
    ///
    /// # Errors
    ///
    /// When the questions break the contract, or the call cannot be kept.
    pub fn ask(&self, waiting: Waiting, askable: Askable, early: &[Answer]) -> Result<Next, AskError> {
        let Waiting { binding, call, args, pending, rounds, wall, cpu } = waiting;
        if rounds >= MAX_ROUNDS {
            return Err(AskError::TooOften);
        }
        if pending.state.len() > self.bounds.state {
            return Err(AskError::State { size: pending.state.len(), most: self.bounds.state });
        }
        let questions = read(&pending.requests, &|token| self.approvals.question(token, &binding))?;
        let nobody = |id: &String| Answer { id: id.clone(), reply: Reply::Nobody };
        let mut answers: Vec<Answer> = questions
            .iter()
            .filter(|(_, question)| !question.as_ref().is_some_and(|question| askable.can(question)))
            .map(|(id, _)| nobody(id))
            .collect();
        let mut misfits = Vec::new();
        if rounds == 0 && is_just(early, &pending) {
            for question in questions.iter().filter_map(|(_, question)| question.as_ref()) {
                let given = early.iter().find(|answer| answer.id == question.id);
                let approval = matches!(question.kind, QuestionKind::Approval { .. });
                let Some(given) = given.filter(|_| !approval) else { continue };
                match question.judge(given.reply.clone()) {
                    Ok(reply) => {
                        answers.retain(|answer| answer.id != question.id);
                        answers.push(Answer { id: question.id.clone(), reply });
                    }
                    Err(issues) => misfits.push(Misfit { id: question.id.clone(), issues }),
                }
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
            return Ok(Next::Resume(Box::new(resume(kept, None))));
        }
        let owner = Owner::of(binding.tenant.as_deref(), binding.session.as_deref());
        let key = CallKey { owner, expires: self.now().saturating_add(expires.as_secs()), id: random()? };
        let sealed = Sealed::new(key.id, key.expires, &binding.code);
        let handle = sealed.seal(self.key.get().map_err(AskError::Key)?, &binding).map_err(|_| AskError::Seal)?;
        self.make_room(owner)?;
        self.store.put(&key, &kept)?;
        Ok(Next::Ask(Asked { handle, expires, questions: open, misfits }))
    }

    /// Takes answers to a call that waits.
    ///
    /// When all is answered, the handle is spent and the call goes on; what did not fit or is missing is asked for once more,
    /// under the same handle. While another answer to the same handle is being worked on, this one waits for it.
    ///
    /// # Errors
    ///
    /// When the handle is not the caller's, or no longer of use.
    pub async fn answer(&self, handle: &str, binding: &Binding, answers: &[Answer]) -> Result<Next, AnswerError> {
        let sealed = Sealed::open(self.key.get().map_err(AnswerError::Key)?, handle, binding)
            .map_err(|_| AnswerError::Foreign)?;
        let digest = digest(answers);
        let landing = {
            let mut flights = self.flights.lock();
            let now = self.now();
            match flights.get(&sealed.id) {
                _ if sealed.expires <= now => return Err(AnswerError::Expired),
                Some(Flight::Landed { answers, outcome, .. }) if *answers == digest => {
                    return Ok(Next::Same(outcome.clone()));
                }
                Some(Flight::Running { answers, landing }) if *answers == digest => landing.clone(),
                Some(_) => return Err(AnswerError::Expired),
                None => {
                    let taken = self.take(&sealed, binding, answers, handle, now)?;
                    return Ok(match taken {
                        Taken::Open(asked) => Next::Ask(asked),
                        Taken::Whole(call) => {
                            let ticket = Ticket::begin(&self.flights, &mut flights, sealed.id, digest, sealed.expires);
                            Next::Resume(Box::new(resume(call, Some(ticket))))
                        }
                    });
                }
            }
        };
        landing.await.map(Next::Same).map_err(|_| AnswerError::Expired)
    }

    /// Keeps what came of a call that was resumed by an answer, for the same answer sent again.
    pub fn completed(&self, ticket: Ticket, outcome: &Outcome) {
        ticket.land(outcome, self.now());
    }

    fn take(
        &self,
        sealed: &Sealed,
        binding: &Binding,
        answers: &[Answer],
        handle: &str,
        now: u64,
    ) -> Result<Taken, AnswerError> {
        let owner = Owner::of(binding.tenant.as_deref(), binding.session.as_deref());
        let key = CallKey { owner, expires: sealed.expires, id: sealed.id };
        if !sealed.is_by(&binding.code) {
            self.store.remove(&key)?;
            return Err(AnswerError::Expired);
        }
        let mut call = self.store.take(&key)?.ok_or(AnswerError::Expired)?;
        let questions = read(&call.requests, &|token| self.approvals.question(token, binding))?;
        let last = call.rounds >= MAX_ROUNDS;
        let mut misfits = Vec::new();
        for (id, question) in &questions {
            if call.answers.iter().any(|answer| answer.id == *id) {
                continue;
            }
            let given = answers.iter().find(|answer| answer.id == *id).map(|answer| answer.reply.clone());
            let reply = match (question, given) {
                // Its token is no longer honoured.
                (None, _) => Reply::Nobody,
                (Some(_), None) if last => Reply::Cancelled,
                (Some(_), None) => continue,
                (Some(question), Some(given)) => match question.judge(given) {
                    Ok(reply) => reply,
                    Err(_) if last || call.misfits.contains(id) => Reply::Cancelled,
                    Err(issues) => {
                        misfits.push(Misfit { id: id.clone(), issues });
                        continue;
                    }
                },
            };
            call.answers.push(Answer { id: id.clone(), reply });
        }
        let open = open(&questions, &call.answers);
        if open.is_empty() {
            self.decide(&call, binding);
            return Ok(Taken::Whole(call));
        }
        call.rounds += 1;
        call.misfits.extend(misfits.iter().map(|misfit| misfit.id.clone()));
        self.store.put(&key, &call)?;
        let expires = Duration::from_secs(sealed.expires.saturating_sub(now));
        Ok(Taken::Open(Asked { handle: handle.to_owned(), expires, questions: open, misfits }))
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

    /// Forgets what has expired, and as many of the owner's own calls as the bounds ask.
    fn make_room(&self, owner: Owner) -> Result<(), AskError> {
        let now = self.now();
        let (expired, live): (Vec<_>, Vec<_>) = self.store.keys()?.into_iter().partition(|key| key.expires <= now);
        for key in &expired {
            self.store.remove(key)?;
        }
        let mut own: Vec<&CallKey> = live.iter().filter(|key| key.owner == owner).collect();
        own.sort_unstable();
        let over = |count: usize, most: usize| (count + 1).saturating_sub(most);
        let surplus = over(own.len(), self.bounds.session).max(over(live.len(), self.bounds.all));
        if surplus > own.len() {
            return Err(AskError::Full);
        }
        for key in own.into_iter().take(surplus) {
            self.store.remove(key)?;
        }
        Ok(())
    }

    fn now(&self) -> u64 {
        (self.clock)().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
    }
}

enum Taken {
    Open(Asked),
    Whole(WaitingCall),
}

/// Whether `early` answers all questions but approvals, and nothing else.
fn is_just(early: &[Answer], pending: &Pending) -> bool {
    let mut asked: Vec<&str> = pending
        .requests
        .iter()
        .filter(|request| !matches!(request.kind, RequestKind::Approval(_)))
        .map(|request| request.id.as_str())
        .collect();
    let approval = |id: &str| pending.requests.iter().any(|request| request.id == id) && !asked.contains(&id);
    let mut given: Vec<&str> = early.iter().map(|answer| answer.id.as_str()).filter(|id| !approval(id)).collect();
    asked.sort_unstable();
    given.sort_unstable();
    !given.is_empty() && asked == given
}

fn open(questions: &[(String, Option<Question>)], answers: &[Answer]) -> Vec<Question> {
    let open = questions.iter().filter(|(id, _)| !answers.iter().any(|answer| answer.id == *id));
    open.filter_map(|(_, question)| question.clone()).collect()
}

/// The answers in the order of the requests.
fn resume(mut call: WaitingCall, ticket: Option<Ticket>) -> Resumed {
    call.answers.sort_by_key(|answer| call.requests.iter().position(|request| request.id == answer.id));
    Resumed {
        call: call.call,
        args: call.args,
        resume: Resume { state: call.state, answers: call.answers },
        rounds: call.rounds,
        wall: call.wall,
        cpu: call.cpu,
        ticket,
    }
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
