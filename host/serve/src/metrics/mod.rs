//! Metrics in the text format of Prometheus: what calls came to and took, what stood in their way, and how busy the host is.
//!
//! Nothing that a guest or a caller says becomes a label: a tool counts by its name once it was found, a capability or a limit by the
//! name that the contract has for it.

mod calls;
mod gauges;

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use hermes_core::{Audited, Host, Observed, Observer};
use http::header::CONTENT_TYPE;
use http::{HeaderName, StatusCode};
use prometheus_client::encoding::prometheus_text;
use prometheus_client::registry::Registry;

use calls::Calls;
use gauges::Gauges;

/// Counts the calls of a host.
pub struct Metrics {
    registry: Registry,
    calls: Calls,
    gauges: Gauges,
}

impl Metrics {
    /// Nothing was counted yet.
    #[must_use]
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("hermes");
        let (calls, gauges) = (Calls::new(&mut registry), Gauges::new(&mut registry));
        Self { registry, calls, gauges }
    }

    /// The route `/metrics`, for [`crate::http::serve`]: it needs its guard. `host` is the one whose calls are counted here.
    pub fn router(self: Arc<Self>, host: Arc<Host>) -> Router {
        Router::new().route("/metrics", get(scrape)).with_state((self, host))
    }

    fn text(&self, host: &Host) -> Result<String, fmt::Error> {
        self.gauges.set(host);
        let mut text = String::new();
        prometheus_text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Observer for Metrics {
    fn began(&self, _call: &Audited<'_>, _meta: &[(String, String)]) -> Vec<(String, String)> {
        self.calls.began();
        Vec::new()
    }

    fn ended(&self, call: &Observed<'_>) {
        self.calls.ended(call);
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

type Answer = Result<([(HeaderName, &'static str); 1], String), StatusCode>;

async fn scrape(State((metrics, host)): State<(Arc<Metrics>, Arc<Host>)>) -> Answer {
    let text = metrics.text(&host).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(([(CONTENT_TYPE, prometheus_text::CONTENT_TYPE)], text))
}
