//! How busy a host is, looked at when somebody asks.

use hermes_core::{Host, Usage};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

pub(super) struct Gauges {
    generation: Gauge,
    tools: Gauge,
    refused: Gauge,
    problems: Gauge,
    places: Gauge,
    running: Gauge,
    queued: Gauge,
    stuck: Gauge,
    loaded: Gauge,
}

impl Gauges {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let mut gauge = |name: &str, help: &str| {
            let gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        Self {
            generation: gauge("generation", "How often what is there has changed since the start"),
            tools: gauge("tools", "Tools that are there, offered or not"),
            refused: gauge("files_refused", "Files of plugin folders that do not serve"),
            problems: gauge("files_unusable", "Other files of which an older content holds"),
            places: gauge("guest_places", "Calls that may run at one time"),
            running: gauge("guests_running", "Guests that have a place: calls, hooks and checks"),
            queued: gauge("guests_queued", "Guests that wait for a place"),
            stuck: gauge(
                "guests_stuck",
                "Guests that nobody waits for any more and that the system holds, with their threads",
            ),
            loaded: gauge(
                "components_loaded",
                "Components whose code is in memory, replaced ones that calls still run included",
            ),
        }
    }

    pub(super) fn set(&self, host: &Host) {
        let catalog = host.catalog();
        let Usage { places, taken, queued, stuck, loaded } = host.registry().usage();
        for (gauge, number) in [
            (&self.tools, catalog.tools().count()),
            (&self.refused, catalog.refused().len()),
            (&self.problems, catalog.problems().len()),
            (&self.places, places),
            (&self.running, taken),
            (&self.queued, queued),
            (&self.stuck, stuck),
            (&self.loaded, loaded),
        ] {
            gauge.set(i64::try_from(number).unwrap_or(i64::MAX));
        }
        self.generation.set(i64::try_from(catalog.generation()).unwrap_or(i64::MAX));
    }
}
