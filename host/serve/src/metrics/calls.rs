//! What calls came to.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_core::Observed;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// Names of tools that get series of their own, in the life of a process. Others share one: components that come and go under ever
/// new names must not fill the memory.
const MAX_TOOLS: usize = 1_000;
/// The label of those that share one, and of calls for which no tool was found. No tool can have this name.
const OTHER: &str = "-";

/// Bounds of buckets, in seconds: from a warm call of a small tool to the longest that calls may take.
const BUCKETS: [f64; 14] =
    [0.000_05, 0.000_1, 0.000_25, 0.001, 0.002_5, 0.01, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 30.0, 120.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    tool: Arc<str>,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfTool {
    tool: Arc<str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Hit {
    tool: Arc<str>,
    limit: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Denied {
    tool: Arc<str>,
    capability: &'static str,
}

type Times = Family<OfTool, Histogram, fn() -> Histogram>;

pub(super) struct Calls {
    tools: Mutex<BTreeSet<Arc<str>>>,
    running: Gauge,
    ended: Family<Ended, Counter>,
    took: Times,
    queue: Times,
    instantiate: Times,
    handle: Times,
    cpu: Family<OfTool, Counter<f64, std::sync::atomic::AtomicU64>>,
    limits: Family<Hit, Counter>,
    denials: Family<Denied, Counter>,
}

fn histogram() -> Histogram {
    Histogram::new(BUCKETS)
}

impl Calls {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let times = || Times::new_with_constructor(histogram);
        let calls = Self {
            tools: Mutex::default(),
            running: Gauge::default(),
            ended: Family::default(),
            took: times(),
            queue: times(),
            instantiate: times(),
            handle: times(),
            cpu: Family::default(),
            limits: Family::default(),
            denials: Family::default(),
        };
        registry.register("calls_running", "Calls that run or wait for a place", calls.running.clone());
        registry.register("calls", "Calls that ended, by tool and outcome", calls.ended.clone());
        let mut time =
            |name, help, family: &Times| registry.register_with_unit(name, help, Unit::Seconds, family.clone());
        time("call_duration", "From a call's beginning to its end", &calls.took);
        time("queue", "What runs of tools waited for a place among the guests", &calls.queue);
        time("instantiate", "Until a run had a fresh instance", &calls.instantiate);
        time("handle", "In a tool's own code and what it called", &calls.handle);
        let cpu = "Time on a processor, of tools and the hooks around them";
        registry.register_with_unit("cpu", cpu, Unit::Seconds, calls.cpu.clone());
        registry.register("limit_hits", "Calls in which a limit fired, by limit", calls.limits.clone());
        registry.register("denials", "Calls in which something was denied, by capability", calls.denials.clone());
        calls
    }

    pub(super) fn began(&self) {
        self.running.inc();
    }

    pub(super) fn ended(&self, observed: &Observed<'_>) {
        let tool = self.tool(observed);
        self.running.dec();
        self.ended.get_or_create(&Ended { tool: Arc::clone(&tool), outcome: observed.outcome.name() }).inc();
        let of_tool = OfTool { tool: Arc::clone(&tool) };
        let time = |family: &Times, time: Duration| family.get_or_create(&of_tool).observe(time.as_secs_f64());
        time(&self.took, observed.took);
        let times = observed.times;
        // A call that was refused before it came so far says nothing of how long that takes.
        for (family, spent) in
            [(&self.queue, times.queue), (&self.instantiate, times.instantiate), (&self.handle, times.handle)]
        {
            if !spent.is_zero() {
                time(family, spent);
            }
        }
        self.cpu.get_or_create(&of_tool).inc_by(observed.cpu.as_secs_f64());
        for limit in observed.limits() {
            self.limits.get_or_create(&Hit { tool: Arc::clone(&tool), limit }).inc();
        }
        for capability in observed.denials() {
            self.denials.get_or_create(&Denied { tool: Arc::clone(&tool), capability }).inc();
        }
    }

    /// The label of the tool that was called.
    fn tool(&self, observed: &Observed<'_>) -> Arc<str> {
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let found = observed.call.section.is_some();
        match tools.get(observed.call.tool) {
            Some(known) if found => Arc::clone(known),
            None if found && tools.len() < MAX_TOOLS => {
                let tool: Arc<str> = observed.call.tool.into();
                tools.insert(Arc::clone(&tool));
                tool
            }
            _ => OTHER.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use hermes_core::{Audited, Digest, Outcome, RunTimes};
    use prometheus_client::encoding::prometheus_text;

    use super::*;

    #[test]
    fn tools_under_ever_new_names_share_one_series_in_the_end() {
        let mut registry = Registry::default();
        let calls = Calls::new(&mut registry);
        let section = Digest::of(b"a manifest");
        for number in 0..MAX_TOOLS * 2 {
            let tool = format!("tool_{number}");
            let (parent, tenant, session) = (None, None, None);
            let section = Some(&section);
            let call = Audited { id: "1", parent, tenant, session, tool: &tool, section, generation: 1 };
            let (outcome, times) = (&Outcome::Busy, RunTimes::default());
            let (took, cpu) = (Duration::ZERO, Duration::ZERO);
            calls.ended(&Observed { call, begun: "1", outcome, took, trace: &[], times, cpu, refusals: &[] });
        }
        let mut text = String::new();
        prometheus_text::encode(&mut text, &registry).expect("text");
        let series = text.lines().filter(|line| line.starts_with("calls_total{"));
        assert_eq!(series.count(), MAX_TOOLS + 1);
        assert!(text.contains(&format!("calls_total{{tool=\"-\",outcome=\"busy\"}} {MAX_TOOLS}")));
    }
}
