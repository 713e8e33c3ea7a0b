//! Who watches calls.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use hermes_core::{Answer, Audited, CallRequest, Observed, Observer, Observers, Outcome, Reply, ToolRequest};

use crate::world::{World, ask, done, said, session};

/// Writes down what it sees, and gives each call a trace of its own.
#[derive(Default)]
struct Watcher(Mutex<Vec<String>>);

impl Observer for Watcher {
    fn began(&self, call: &Audited<'_>, meta: &[(String, String)]) -> Vec<(String, String)> {
        let brought: Vec<String> = meta.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let below = if call.parent.is_some() { " below" } else { "" };
        self.0.lock().unwrap().push(format!("{}{below} began with {}", call.tool, brought.join(" ")));
        vec![("traceparent".to_owned(), format!("of-{}", call.tool))]
    }

    fn ended(&self, call: &Observed<'_>) {
        let Observed { call, outcome, trace, .. } = call;
        let last = trace.last().map(|traced| format!("{:?}", traced.step)).unwrap_or_default();
        self.0.lock().unwrap().push(format!("{} ended {} at {last}", call.tool, outcome.name()));
    }
}

fn traced(tool: &str) -> CallRequest {
    let meta = vec![("traceparent".to_owned(), "client".to_owned()), ("locale".to_owned(), "de".to_owned())];
    CallRequest { meta, ..CallRequest::new(tool, "{}") }
}

#[tokio::test]
async fn each_call_begins_and_ends_once_and_hands_on_the_trace_that_it_was_given() {
    let watcher = Arc::<Watcher>::default();
    let observer = Arc::<Watcher>::clone(&watcher);
    let world = World::with(|surroundings| surroundings.observer = observer);
    let world = world
        .answers("inner", "", |ran| done(format!("{:?}", ran.call.meta)))
        .tool("outer", r#", "capabilities": {"tools": ["inner"]}"#, |ran| {
            async move {
                let request = ToolRequest { tool: "inner".to_owned(), args: "{}".to_owned() };
                let inner = said(&ran.caller.call(vec![request]).await.remove(0));
                done(format!("{:?} {inner}", ran.call.meta))
            }
            .boxed()
        })
        .toolset("x", "tools = [\"outer\"]\n[grant]\ntools = [\"inner\"]")
        .toolset("y", "tools = [\"inner\"]");
    let report = world.send(&session(), traced("outer")).await;
    let own = |tool: &str| format!(r#"[("locale", "de"), ("traceparent", "of-{tool}")]"#);
    assert_eq!(said(&report.outcome), format!("{} {}", own("outer"), own("inner")));
    world.send(&session(), traced("none")).await;
    assert_eq!(
        *watcher.0.lock().unwrap(),
        [
            "outer began with traceparent=client locale=de",
            "inner below began with locale=de traceparent=of-outer",
            "inner ended done at Audit",
            "outer ended done at Audit",
            "none began with traceparent=client locale=de",
            "none ended unknown_tool at Lookup",
        ]
    );
}

#[tokio::test]
async fn a_call_that_is_taken_back_ends_too() {
    let watcher = Arc::<Watcher>::default();
    let observer = Arc::<Watcher>::clone(&watcher);
    let world = World::with(|surroundings| surroundings.observer = observer);
    let world = world.tool("endless", "", |_| std::future::pending().boxed());
    let session = session();
    let mut call = Box::pin(world.send(&session, traced("endless")));
    assert!((&mut call).now_or_never().is_none());
    assert_eq!(watcher.0.lock().unwrap().len(), 1);
    drop(call);
    assert_eq!(watcher.0.lock().unwrap()[1..], ["endless ended cancelled at Begin"]);
}

/// Writes down the ids under which calls begin and end.
#[derive(Default)]
struct Pairs(Mutex<Vec<[String; 2]>>);

impl Observer for Pairs {
    fn began(&self, call: &Audited<'_>, _: &[(String, String)]) -> Vec<(String, String)> {
        self.0.lock().unwrap().push([call.id.to_owned(), String::new()]);
        vec![("tracestate".to_owned(), String::new())]
    }

    fn ended(&self, call: &Observed<'_>) {
        let mut pairs = self.0.lock().unwrap();
        call.call.id.clone_into(&mut pairs.iter_mut().find(|[began, _]| began == call.begun).unwrap()[1]);
    }
}

#[tokio::test]
async fn a_call_that_an_answer_sets_going_ends_under_the_id_under_which_it_began() {
    let pairs = Arc::<Pairs>::default();
    let observers = Observers(vec![Arc::<Pairs>::clone(&pairs), Arc::<Watcher>::default()]);
    let world = World::with(|surroundings| surroundings.observer = Arc::new(observers));
    let world = world.answers("t", "", |ran| match ran.call.resume {
        None => ask(&["q"], ""),
        Some(_) => done(format!("{:?}", ran.call.meta)),
    });
    let Outcome::Pending(asked) = world.send(&session(), CallRequest::new("t", "{}")).await.outcome else { panic!() };
    let answers = vec![Answer { id: "q".to_owned(), reply: Reply::Declined }];
    let meta = vec![("tracestate".to_owned(), "a=b".to_owned())];
    let request = CallRequest { handle: Some(asked.handle), answers, meta, ..CallRequest::new("t", "{}") };
    let report = world.send(&session(), request).await;
    assert_eq!(said(&report.outcome), r#"[("traceparent", "of-t")]"#, "an empty value takes a field away");
    let pairs = pairs.0.lock().unwrap();
    let [[first, asked], [second, answered]] = pairs.as_slice() else { panic!("{pairs:?}") };
    assert_eq!((first, answered), (asked, asked), "one call in the books");
    assert_ne!(first, second, "two to who watches");
}
