//! The observer that makes a span of each call, by the conventions for tools of generative AI
//! (<https://opentelemetry.io/docs/specs/semconv/gen-ai/>, in development in 2026).
//!
//! Nothing that a guest or a caller says is in a span: no arguments, no results, no messages, no name that no tool has.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hermes_core::{Audited, Observed, Observer, Outcome};
use opentelemetry::trace::{Span as _, SpanBuilder, SpanKind, Status, Tracer as _};
use opentelemetry::{Array, KeyValue, StringValue, Value};
use opentelemetry_sdk::trace::{SdkTracer, Span};

use crate::context;

const OPERATION: &str = "execute_tool";

pub(crate) struct Spans {
    tracer: SdkTracer,
    /// Those of the calls that go on, by the id under which each began.
    running: Mutex<HashMap<String, Span>>,
    ended: AtomicU64,
}

impl Spans {
    pub(crate) fn new(tracer: SdkTracer) -> Self {
        Self { tracer, running: Mutex::default(), ended: AtomicU64::new(0) }
    }

    /// How many spans there were to send.
    pub(crate) fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }
}

impl Observer for Spans {
    fn began(&self, call: &Audited<'_>, meta: &[(String, String)]) -> Vec<(String, String)> {
        // It is named when it ends: until then it is not known whether there is such a tool.
        let builder = SpanBuilder::from_name(OPERATION).with_kind(SpanKind::Internal);
        let span = self.tracer.build_with_context(builder, &context::parent(meta));
        let own = context::fields(span.span_context(), meta);
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(call.id.to_owned(), span);
        own
    }

    fn ended(&self, call: &Observed<'_>) {
        let span = self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(call.begun);
        let Some(mut span) = span.filter(opentelemetry::trace::Span::is_recording) else { return };
        if call.call.section.is_some() {
            span.update_name(format!("{OPERATION} {}", call.call.tool));
            span.set_attribute(KeyValue::new("gen_ai.tool.name", call.call.tool.to_owned()));
        }
        span.set_attributes(attributes(call));
        if failed(call.outcome) {
            // A description would have to be the host's or the guest's words.
            span.set_status(Status::error(""));
            span.set_attribute(KeyValue::new("error.type", call.outcome.name()));
        }
        self.ended.fetch_add(1, Ordering::Relaxed);
        span.end();
    }
}

/// Whether a call ended in a way that somebody should look at. Who takes a call back knows why.
fn failed(outcome: &Outcome) -> bool {
    !matches!(outcome, Outcome::Done(_) | Outcome::Pending(_) | Outcome::Cancelled)
}

fn attributes(call: &Observed<'_>) -> impl Iterator<Item = KeyValue> {
    let seconds = |name, time: Duration| (!time.is_zero()).then(|| KeyValue::new(name, time.as_secs_f64()));
    let times = call.times;
    let refused = call.trace.iter().find(|traced| !traced.passed);
    let always = [
        KeyValue::new("gen_ai.operation.name", OPERATION),
        KeyValue::new("gen_ai.tool.type", "function"),
        KeyValue::new("gen_ai.tool.call.id", call.call.id.to_owned()),
        KeyValue::new("hermes.outcome", call.outcome.name()),
        KeyValue::new("hermes.generation", i64::try_from(call.call.generation).unwrap_or(i64::MAX)),
    ];
    let sometimes = [
        refused.map(|traced| KeyValue::new("hermes.refused_at", traced.step.name())),
        seconds("hermes.queue.duration", times.queue),
        seconds("hermes.instantiate.duration", times.instantiate),
        seconds("hermes.handle.duration", times.handle),
        seconds("hermes.cpu.duration", call.cpu),
        names("hermes.limits", call.limits()),
        names("hermes.denials", call.denials()),
    ];
    always.into_iter().chain(sometimes.into_iter().flatten())
}

fn names(name: &'static str, names: impl IntoIterator<Item = &'static str>) -> Option<KeyValue> {
    let names: Vec<StringValue> = names.into_iter().map(StringValue::from).collect();
    (!names.is_empty()).then(|| KeyValue::new(name, Value::Array(Array::String(names))))
}
