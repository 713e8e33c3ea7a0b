//! What a span says, and of which trace it is part.

use std::time::Duration;

use hermes_core::{Digest, LimitKind, Outcome, Output, Refusal, Step};
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;

use crate::receiver::{Receiver, hex, texts};
use crate::world::{World, field};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

fn traceparent(flags: &str) -> String {
    format!("00-{TRACE}-{PARENT}-{flags}")
}

fn world() -> (World, Receiver) {
    let receiver = Receiver::start(&[]);
    (World::new(&format!("http://{}", receiver.address)), receiver)
}

#[test]
fn a_call_is_a_span_below_that_of_its_request_and_hands_on_its_own() {
    let (world, receiver) = world();
    let own = world.began("1", "echo", &[("traceparent", &traceparent("01")), ("tracestate", "a=b"), ("locale", "de")]);
    let own = own.as_slice();
    assert_eq!(field(own, "tracestate"), Some("a=b"));
    let handed_on = field(own, "traceparent").unwrap();
    let below = world.began("2", "inner", &[("traceparent", handed_on)]);
    assert_eq!(below.len(), 1, "no state where none came");
    world.ended("2", "inner", &Outcome::Done(Output::default()));
    world.ended("1", "echo", &Outcome::Done(Output::default()));
    world.end();
    let spans = receiver.spans(2);
    let [inner, outer] = spans.as_slice() else { panic!("{spans:#?}") };
    assert_eq!((hex(&outer.trace_id).as_str(), hex(&outer.parent_span_id).as_str()), (TRACE, PARENT));
    assert_eq!((hex(&inner.trace_id).as_str(), &inner.parent_span_id), (TRACE, &outer.span_id));
    assert_eq!(handed_on, format!("00-{TRACE}-{}-01", hex(&outer.span_id)));
    assert_eq!((outer.name.as_str(), outer.kind()), ("execute_tool echo", SpanKind::Internal));
    assert_eq!(outer.trace_state, "a=b");
    assert!(outer.start_time_unix_nano < outer.end_time_unix_nano);
    assert_eq!(outer.status.as_ref().unwrap().code(), StatusCode::Unset);
    let said = texts(&outer.attributes);
    for (name, value) in [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "echo"),
        ("gen_ai.tool.type", "function"),
        ("gen_ai.tool.call.id", "1"),
        ("hermes.outcome", "done"),
        ("hermes.generation", "3"),
        ("hermes.queue.duration", "0.005"),
        ("hermes.handle.duration", "0.005"),
        ("hermes.cpu.duration", "0.005"),
    ] {
        assert_eq!(said[name], value, "{name}");
    }
    assert_eq!(said.len(), 9, "what did not happen is not said: {said:?}");
    let sender = receiver.now(|seen| seen.resource.clone());
    assert_eq!((sender["service.name"].as_str(), sender["service.version"].as_str()), ("hermes-host", "1.2.3"));
}

#[test]
fn what_nobody_traces_is_not_sent_and_handed_on_so() {
    let (world, receiver) = world();
    let own = world.began("1", "echo", &[("traceparent", &traceparent("00"))]);
    let own = field(&own, "traceparent").unwrap();
    assert!(own.starts_with(&format!("00-{TRACE}-")) && own.ends_with("-00") && !own.contains(PARENT), "{own}");
    world.ended("1", "echo", &Outcome::Busy);
    world.call("2");
    world.end();
    let spans = receiver.spans(1);
    assert_eq!(spans.len(), 1);
    assert_eq!(texts(&spans[0].attributes)["gen_ai.tool.call.id"], "2");
}

#[test]
fn a_malformed_trace_is_none_and_takes_its_state_along() {
    for malformed in [
        "",
        "00",
        "client",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ] {
        let (world, receiver) = world();
        let own = world.began("1", "echo", &[("traceparent", malformed), ("tracestate", "a=b")]);
        assert_eq!(field(&own, "tracestate"), Some(""), "{malformed}");
        world.ended("1", "echo", &Outcome::Busy);
        world.end();
        let span = receiver.spans(1).remove(0);
        assert_eq!(span.parent_span_id, b"", "{malformed}");
        let handed_on = format!("00-{}-{}-01", hex(&span.trace_id), hex(&span.span_id));
        assert_eq!(field(&own, "traceparent"), Some(handed_on.as_str()));
    }
}

#[test]
fn an_outcome_shows_as_an_error_unless_it_is_none() {
    let (world, receiver) = world();
    let outcomes = [
        (Outcome::Done(Output::default()), StatusCode::Unset),
        (Outcome::Cancelled, StatusCode::Unset),
        (Outcome::Failed("hunter2".to_owned()), StatusCode::Error),
        (Outcome::Timeout(Duration::from_secs(1)), StatusCode::Error),
        (Outcome::Trap { detail: "hunter2".to_owned() }, StatusCode::Error),
        (Outcome::Denied { capability: "hunter2".to_owned(), target: "hunter2".to_owned() }, StatusCode::Error),
    ];
    for (number, (outcome, _)) in outcomes.iter().enumerate() {
        world.began(&number.to_string(), "echo", &[]);
        world.ended(&number.to_string(), "echo", outcome);
    }
    world.end();
    let spans = receiver.spans(outcomes.len());
    for (span, (outcome, status)) in spans.iter().zip(&outcomes) {
        let said = texts(&span.attributes);
        assert_eq!(span.status.as_ref().unwrap().code(), *status, "{outcome:?}");
        assert_eq!(said["hermes.outcome"], outcome.name());
        let error = (*status == StatusCode::Error).then(|| outcome.name());
        assert_eq!(said.get("error.type").map(String::as_str), error, "{outcome:?}");
        let capability = matches!(outcome, Outcome::Denied { .. });
        assert_eq!(said.get("hermes.denials").is_some_and(|denials| denials.contains("other")), capability);
    }
    receiver.now(|seen| assert!(!seen.bodies.iter().any(|body| contains(body, "hunter2"))));
}

#[test]
fn nothing_that_callers_and_guests_say_is_sent() {
    let (world, receiver) = world();
    let section = Digest::of(b"a manifest");
    let refusals = [
        Refusal::Denied { capability: "http", target: "https://hunter2.example".to_owned() },
        Refusal::Limit(LimitKind::Egress),
        Refusal::Limit(LimitKind::Egress),
    ];
    let steps = [(Step::Lookup, true), (Step::Permit, false)];
    world.began("1", "echo", &[("baggage", "hunter2=1")]);
    world.ended_with("1", "echo", Some(&section), &Outcome::Held, &refusals, &steps);
    world.began("2", "hunter2", &[]);
    world.ended_with("2", "hunter2", None, &Outcome::UnknownTool("hunter2".to_owned()), &[], &[]);
    world.end();
    let spans = receiver.spans(2);
    let [known, unknown] = [texts(&spans[0].attributes), texts(&spans[1].attributes)];
    assert_eq!(known["hermes.refused_at"], "permit");
    assert_eq!(known["hermes.limits"].matches("egress").count(), 1, "{known:?}");
    assert_eq!(known["hermes.denials"].matches("http").count(), 1, "{known:?}");
    assert_eq!((spans[1].name.as_str(), unknown.get("gen_ai.tool.name")), ("execute_tool", None));
    assert_eq!(unknown["error.type"], "unknown_tool");
    receiver.now(|seen| {
        for hidden in ["hunter2", "s3ssion"] {
            assert!(!seen.bodies.iter().any(|body| contains(body, hidden)), "{hidden}");
        }
    });
}

fn contains(body: &[u8], text: &str) -> bool {
    body.windows(text.len()).any(|window| window == text.as_bytes())
}
