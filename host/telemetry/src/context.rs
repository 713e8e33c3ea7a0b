//! How a trace comes in and goes on: W3C Trace Context in the fields that a request brings along.

use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator as _};
use opentelemetry::trace::{SpanContext, TraceContextExt as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;

const STATE: &str = "tracestate";

struct Fields<'a>(&'a [(String, String)]);

impl Extractor for Fields<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }
}

#[derive(Default)]
struct Own(Vec<(String, String)>);

impl Injector for Own {
    fn set(&mut self, key: &str, value: String) {
        self.0.push((key.to_owned(), value));
    }
}

/// What a request is part of: the span that its fields name, or nothing, where they name none or are malformed.
pub(crate) fn parent(meta: &[(String, String)]) -> Context {
    TraceContextPropagator::new().extract_with_context(&Context::new(), &Fields(meta))
}

/// The fields for what `span` makes. They take the place of those that the request brought; a state without a span that it belongs to is
/// taken away.
pub(crate) fn fields(span: &SpanContext, meta: &[(String, String)]) -> Vec<(String, String)> {
    let mut own = Own::default();
    let context = Context::new().with_remote_span_context(span.clone());
    TraceContextPropagator::new().inject_context(&context, &mut own);
    own.0.retain(|(name, value)| name != STATE || !value.is_empty() || Fields(meta).get(STATE).is_some());
    own.0
}
