//! Batches of spans on their way to the collector, and what is told of those that do not arrive.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use prost::Message as _;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout_at};

use crate::client::{Client, SendError};

/// How long a batch is tried to be sent; those behind it wait meanwhile.
const LONGEST: Duration = Duration::from_secs(10);
/// The pause before a batch is sent again; twice as long each time.
const PAUSE: Duration = Duration::from_millis(500);

/// What became of the spans that were sent.
pub(crate) struct Delivery {
    collector: String,
    arrived: AtomicU64,
    /// Whether the last batch did not arrive, which is told once until one does.
    fails: AtomicBool,
}

impl Delivery {
    pub(crate) fn new(collector: String) -> Self {
        Self { collector, arrived: AtomicU64::new(0), fails: AtomicBool::new(false) }
    }

    fn arrived(&self, spans: u64) {
        self.arrived.fetch_add(spans, Ordering::Relaxed);
        if self.fails.swap(false, Ordering::Relaxed) {
            tracing::info!("spans reach the collector {} again", self.collector);
        }
    }

    fn failed(&self, error: &dyn fmt::Display) {
        if !self.fails.swap(true, Ordering::Relaxed) {
            tracing::warn!("spans are lost, calls go on: the collector {}: {error}", self.collector);
        }
    }

    /// Tells how many of all spans did not arrive.
    pub(crate) fn end(&self, all: u64) {
        let lost = all.saturating_sub(self.arrived.load(Ordering::Relaxed));
        if lost > 0 {
            tracing::warn!("{lost} of {all} spans did not reach the collector {}", self.collector);
        }
    }
}

pub(crate) struct Exporter {
    client: Arc<Client>,
    runtime: Handle,
    delivery: Arc<Delivery>,
    resource: ResourceAttributesWithSchema,
}

impl Exporter {
    pub(crate) fn new(client: Client, runtime: Handle, delivery: Arc<Delivery>) -> Self {
        Self { client: Arc::new(client), runtime, delivery, resource: ResourceAttributesWithSchema::default() }
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").finish_non_exhaustive()
    }
}

impl SpanExporter for Exporter {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let all = u64::try_from(batch.len()).unwrap_or(u64::MAX);
        let resource_spans = group_spans_by_resource_and_scope(batch, &self.resource);
        let message = Bytes::from(ExportTraceServiceRequest { resource_spans }.encode_to_vec());
        // This is a thread without a runtime.
        let client = Arc::clone(&self.client);
        let sent = self.runtime.spawn(async move { send(&client, message).await }).await;
        let failed = |error: &dyn fmt::Display| {
            self.delivery.failed(error);
            Err(OTelSdkError::InternalFailure(error.to_string()))
        };
        match sent {
            Ok(Ok(0)) => {
                self.delivery.arrived(all);
                Ok(())
            }
            Ok(Ok(refused)) => {
                self.delivery.arrived(all.saturating_sub(refused));
                failed(&format_args!("it refused {refused} of {all}"))
            }
            Ok(Err(error)) => failed(&error),
            // The runtime ends with the process.
            Err(error) => failed(&error),
        }
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.resource = resource.into();
    }
}

/// Sends a message, again where that may help, and returns how many of its spans were refused.
async fn send(client: &Client, message: Bytes) -> Result<u64, SendError> {
    let late = Instant::now() + LONGEST;
    let mut pause = PAUSE;
    loop {
        let sent = timeout_at(late, client.send(message.clone())).await;
        let error = match sent.unwrap_or(Err(SendError::Late)) {
            Ok(answer) => return refused(answer),
            Err(error) => error,
        };
        let wait = pause.max(error.retry_after());
        if !error.is_passing() || late.saturating_duration_since(Instant::now()) <= wait {
            return Err(error);
        }
        sleep(wait).await;
        pause *= 2;
    }
}

fn refused(answer: Bytes) -> Result<u64, SendError> {
    let answer = ExportTraceServiceResponse::decode(answer).map_err(|_| SendError::Answer)?;
    let refused = answer.partial_success.map_or(0, |partial| partial.rejected_spans);
    Ok(u64::try_from(refused).unwrap_or(0))
}
