//! Sends the calls of a host to an OpenTelemetry collector: each call is a span in the trace of its request, and a call that a tool
//! makes is one below that of the tool.
//!
//! Spans leave in batches, on a thread and in a runtime that no call waits for. What a collector does not take in time is lost, and
//! told once: neither a call nor the end of the process depends on it. The settings are those that the host gives: unlike elsewhere, the
//! variables `OTEL_*` say nothing here, since a host inherits the environment of whatever starts it.
//!
//! [`Collector`] is where spans go, `spans.rs` the observer that makes them, `context.rs` how a trace comes in and goes on, `export.rs`
//! and `client.rs` the way to the collector.

mod client;
mod collector;
mod context;
mod export;
mod spans;
mod tls;

use std::sync::Arc;
use std::time::Duration;

use hermes_core::Observer;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::TelemetryResourceDetector;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider, SpanLimits};
use tokio::runtime::Handle;

use client::Client;
use export::{Delivery, Exporter};
use spans::Spans;

pub use collector::{Collector, CollectorError};
pub use tls::CertificateError;

const SERVICE: &str = "hermes-host";

/// Spans that wait to be sent. More than these are lost: a collector that is slow must not fill the memory.
const QUEUE: usize = 2_048;
/// Spans of one request.
const BATCH: usize = 512;
/// How long a span waits for others, so that there are few requests.
const PACE: Duration = Duration::from_secs(2);

/// Sends spans of calls, until it is ended.
pub struct Telemetry {
    provider: SdkTracerProvider,
    spans: Arc<Spans>,
    delivery: Arc<Delivery>,
}

impl Telemetry {
    /// Sends to `collector`, in `runtime`. Certificates in `ca` (PEM) are trusted beside the public ones. `version` is the host's.
    ///
    /// # Errors
    ///
    /// When `ca` holds anything but certificates.
    pub fn start(
        collector: Collector,
        ca: &[u8],
        version: &'static str,
        runtime: Handle,
    ) -> Result<Self, CertificateError> {
        let delivery = Arc::new(Delivery::new(collector.to_string()));
        let client = Client::new(collector, tls::settings(ca)?, version);
        let exporter = Exporter::new(client, runtime, Arc::clone(&delivery));
        // Whatever is not set here would be taken from the environment.
        let batches = BatchConfigBuilder::default()
            .with_max_queue_size(QUEUE)
            .with_max_export_batch_size(BATCH)
            .with_scheduled_delay(PACE)
            .build();
        let provider = SdkTracerProvider::builder()
            .with_span_processor(BatchSpanProcessor::builder(exporter).with_batch_config(batches).build())
            .with_sampler(Sampler::ParentBased(Box::new(Sampler::AlwaysOn)))
            .with_span_limits(SpanLimits::default())
            .with_resource(resource(version))
            .build();
        let scope = InstrumentationScope::builder(SERVICE).with_version(version).build();
        let spans = Arc::new(Spans::new(provider.tracer_with_scope(scope)));
        Ok(Self { provider, spans, delivery })
    }

    /// What makes spans of the calls that it sees.
    pub fn observer(&self) -> Arc<dyn Observer> {
        Arc::<Spans>::clone(&self.spans)
    }

    /// Sends what is left, and waits at most `limit` for that. It blocks, and needs the runtime.
    pub fn end(self, limit: Duration) {
        // What could not be sent is counted, whatever the reason.
        let _ = self.provider.shutdown_with_timeout(limit);
        self.delivery.end(self.spans.ended());
    }
}

fn resource(version: &'static str) -> Resource {
    let process = i64::from(std::process::id());
    Resource::builder_empty()
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_service_name(SERVICE)
        .with_attributes([KeyValue::new("service.version", version), KeyValue::new("process.pid", process)])
        .build()
}
