//! Calls that run, for as long as somebody waits for what comes of them.

use std::collections::VecDeque;
use std::future::{Future, pending};
use std::sync::Arc;

use axum::body::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use hermes_core::Progress;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::reply::event;

/// What the calls of a run reported last, in their order.
type Reports = Vec<Reported>;
type Done = BoxFuture<'static, Bytes>;

#[derive(Clone, Default)]
struct Reported {
    /// How often the call has reported.
    count: u64,
    done: f64,
    total: Option<f64>,
    message: Option<String>,
}

/// A run that its holder waits for. When nobody does any more, its calls are cancelled.
#[derive(Clone)]
pub(super) struct Run {
    /// Comes to the body of the answer.
    pub(super) done: Shared<Done>,
    reports: watch::Receiver<Reports>,
    ids: Arc<[String]>,
    /// What this holder has been told of each call.
    told: Vec<u64>,
    untold: VecDeque<Bytes>,
}

/// A run that somebody else may be waiting for.
pub(super) struct Watched {
    done: WeakShared<Done>,
    reports: watch::Receiver<Reports>,
    ids: Arc<[String]>,
}

/// Where one call of a run reports.
pub(super) struct Reporter {
    reports: watch::Sender<Reports>,
    place: usize,
}

impl Progress for Reporter {
    fn report(&self, done: f64, total: Option<f64>, message: Option<String>) {
        self.reports.send_modify(|reports| {
            if let Some(reported) = reports.get_mut(self.place) {
                *reported = Reported { count: reported.count + 1, done, total, message };
            }
        });
    }
}

impl Run {
    /// A run of calls that clients know by `ids`. `begin` gets where each of them reports.
    pub(super) fn new<F>(ids: Vec<String>, begin: impl FnOnce(Vec<Reporter>) -> F) -> Self
    where
        F: Future<Output = Bytes> + Send + 'static,
    {
        let reports = watch::Sender::new(vec![Reported::default(); ids.len()]);
        let seen = reports.subscribe();
        let reporters = (0..ids.len()).map(|place| Reporter { reports: reports.clone(), place }).collect();
        Self::of(begin(reporters).boxed(), seen, ids.into())
    }

    /// A run that came to this.
    pub(super) fn ended(body: Bytes) -> Self {
        let (_, reports) = watch::channel(Vec::new());
        Self::of(std::future::ready(body).boxed(), reports, Arc::default())
    }

    fn of(done: Done, reports: watch::Receiver<Reports>, ids: Arc<[String]>) -> Self {
        Self { done: done.shared(), reports, told: vec![0; ids.len()], ids, untold: VecDeque::new() }
    }

    /// The same run, with something to do at its end.
    pub(super) fn then(self, end: impl FnOnce(&Bytes) + Send + 'static) -> Self {
        let done = self.done.inspect(end).boxed();
        Self::of(done, self.reports, self.ids)
    }

    /// Lets others join it; `None` when it has ended.
    pub(super) fn watched(&self) -> Option<Watched> {
        Some(Watched { done: self.done.downgrade()?, reports: self.reports.clone(), ids: Arc::clone(&self.ids) })
    }

    /// The next event of progress: the newest of a call that this holder has not been told of. Never comes when there is no more.
    pub(super) async fn told(&mut self) -> Bytes {
        loop {
            if let Some(event) = self.untold.pop_front() {
                return event;
            }
            if self.reports.changed().await.is_err() {
                return pending().await;
            }
            let reports = self.reports.borrow_and_update();
            for ((told, id), reported) in self.told.iter_mut().zip(&*self.ids).zip(&*reports) {
                if *told < reported.count {
                    *told = reported.count;
                    self.untold.push_back(event("progress", &reported.json(id)));
                }
            }
        }
    }
}

impl Watched {
    /// Joins the run; `None` when nobody waited for it any more, so that it was cancelled.
    pub(super) fn join(&self) -> Option<Run> {
        let (reports, ids) = (self.reports.clone(), Arc::clone(&self.ids));
        let told = vec![0; ids.len()];
        Some(Run { done: self.done.upgrade()?, reports, ids, told, untold: VecDeque::new() })
    }
}

impl Reported {
    fn json(&self, id: &str) -> Vec<u8> {
        let mut members = Map::new();
        members.insert("id".to_owned(), id.into());
        // JSON has no other numbers.
        let finite = |number: f64| if number.is_finite() { json!(number) } else { Value::Null };
        members.insert("progress".to_owned(), finite(self.done));
        if let Some(total) = self.total {
            members.insert("total".to_owned(), finite(total));
        }
        if let Some(message) = &self.message {
            members.insert("message".to_owned(), message.as_str().into());
        }
        Value::Object(members).to_string().into_bytes()
    }
}
