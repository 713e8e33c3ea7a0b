mod answers;
mod faults;
mod handles;
mod once;
mod stores;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::FutureExt as _;
use semver::Version;

use super::*;
use crate::call::{Answer, Link, Output, Pending, Reply, Request, RequestKind, Resume};
use crate::component::Digest;
use crate::outcome::Outcome;

const ASKABLE: Askable = Askable { form: true, url: true, approval: true, sampling: true, roots: true };

const SCHEMA: &str = r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#;

/// Knows one token, and remembers what was decided.
#[derive(Default)]
struct OneToken(Mutex<Vec<bool>>);

impl Approvals for OneToken {
    fn question(&self, token: &str, _binding: &Binding) -> Option<String> {
        (token == "known").then(|| "Delete all?".to_owned())
    }

    fn decide(&self, _token: &str, _binding: &Binding, allowed: bool) {
        self.0.lock().unwrap().push(allowed);
    }
}

struct Desk {
    questions: Questions,
    now: Arc<AtomicU64>,
    approvals: Arc<OneToken>,
}

fn desk_with(store: Arc<dyn PendingStore>, bounds: Bounds) -> Desk {
    let (now, approvals) = (Arc::new(AtomicU64::new(1_000)), Arc::new(OneToken::default()));
    let clock = Arc::clone(&now);
    let tell = move || -> SystemTime { UNIX_EPOCH + Duration::from_secs(clock.load(Ordering::Relaxed)) };
    let approving: Arc<dyn Approvals> = approvals.clone();
    Desk { questions: Questions::new(store, approving, SealKey::new([7; 32]), bounds, tell), now, approvals }
}

fn desk() -> Desk {
    desk_with(Arc::new(MemoryCalls::default()), Bounds::default())
}

fn binding() -> Binding {
    Binding {
        tenant: Some("acme".into()),
        session: Some("s".into()),
        tool: "orchard".into(),
        code: Code {
            version: Version::new(1, 0, 0),
            section: Digest::of(b"section"),
            file: Digest::of(b"file"),
            hooks: Digest::of(b"hooks"),
        },
        args: args_digest(r#"{"a": 1, "b": [2]}"#),
    }
}

fn form(id: &str) -> Request {
    Request { id: id.into(), kind: RequestKind::Form { message: "How many?".into(), schema: SCHEMA.into() } }
}

fn url(id: &str) -> Request {
    let link = Link { uri: "https://example.com/login".into(), name: "Log in".into(), mime: None };
    Request { id: id.into(), kind: RequestKind::Url(link) }
}

fn approval(id: &str, token: &str) -> Request {
    Request { id: id.into(), kind: RequestKind::Approval(token.into()) }
}

fn other(id: &str, method: &str) -> Request {
    Request { id: id.into(), kind: RequestKind::Other { method: method.into(), params: String::new() } }
}

fn waiting(requests: Vec<Request>) -> Waiting {
    Waiting {
        binding: binding(),
        call: "call-1".into(),
        args: r#"{"a":1}"#.into(),
        pending: Pending { requests, state: b"secret state".to_vec(), expires: None },
        rounds: 0,
        wall: Duration::from_millis(5),
        cpu: Duration::from_micros(7),
    }
}

fn says(id: &str, reply: Reply) -> Answer {
    Answer { id: id.into(), reply }
}

fn accepts(id: &str, json: &str) -> Answer {
    says(id, Reply::Accepted(json.into()))
}

fn done(text: &str) -> Outcome {
    Outcome::Done(Output { content: vec![crate::Content::Text(text.into())], structured: None })
}

fn posed(posed: Posed) -> Asked {
    match posed {
        Posed::Ask(asked) => asked,
        other @ Posed::Resume { .. } => panic!("{other:?}"),
    }
}

fn at_once(posed: Posed) -> Resume {
    match posed {
        Posed::Resume { resume, .. } => resume,
        other @ Posed::Ask(_) => panic!("{other:?}"),
    }
}

fn asked(next: Next) -> Asked {
    match next {
        Next::Ask(asked) => asked,
        other => panic!("{other:?}"),
    }
}

fn resumed(next: Next) -> Resumed {
    match next {
        Next::Resume(resumed) => *resumed,
        other => panic!("{other:?}"),
    }
}

impl Desk {
    fn ask(&self, requests: Vec<Request>) -> Asked {
        posed(self.questions.ask(waiting(requests), ASKABLE, &[]).unwrap())
    }

    /// An answer that has nothing to wait for.
    fn answer_as(&self, handle: &str, binding: &Binding, answers: &[Answer]) -> Result<Next, AnswerError> {
        self.questions.answer(handle, binding, answers).now_or_never().unwrap()
    }

    fn answer(&self, asked: &Asked, answers: &[Answer]) -> Result<Next, AnswerError> {
        self.answer_as(&asked.handle, &binding(), answers)
    }
}

fn replies(resume: &Resume) -> Vec<(&str, &Reply)> {
    resume.answers.iter().map(|answer| (answer.id.as_str(), &answer.reply)).collect()
}
