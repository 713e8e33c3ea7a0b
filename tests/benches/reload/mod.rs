//! The figures.

mod cancel;
mod latency;
mod memory;
mod soak;

use std::process::ExitCode;
use std::time::Duration;

/// What a figure should be, and above what it is a regression on any machine.
struct Goal {
    goal: f64,
    guard: f64,
}

impl Goal {
    /// Prints whether it is met, and returns whether it is at least near.
    fn meets(&self, what: &str, found: f64) -> bool {
        let Self { goal, guard } = self;
        println!("  {}  {what}: {found:.3}, goal {goal}, guard {guard}", if found <= *goal { "PASS" } else { "FAIL" });
        found <= *guard
    }
}

/// Several times of the same.
struct Times(Vec<Duration>);

impl Times {
    fn new(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    /// That which so many percent do not exceed.
    fn percentile(&self, percent: usize) -> Duration {
        self.0[(self.0.len() * percent).div_ceil(100).clamp(1, self.0.len()) - 1]
    }

    fn row(&self, what: &str) {
        let [p50, p90, p99, max] = [50, 90, 99, 100].map(|percent| self.percentile(percent));
        let times = self.0.len();
        println!("  {what:<44} {times:>4} x  p50 {p50:>8.1?}  p90 {p90:>8.1?}  p99 {p99:>8.1?}  max {max:>8.1?}");
    }
}

/// Measures and prints, and returns whether every figure is near its goal.
type Measure = fn() -> bool;

pub(crate) fn measure(asked: &[String]) -> ExitCode {
    let all: [(&str, Measure); 4] = [
        ("latency", latency::measure),
        ("memory", memory::measure),
        ("cancel", cancel::measure),
        ("soak", soak::measure),
    ];
    let named = |name: &str| asked.iter().any(|asked| asked == name);
    let any = all.iter().any(|(name, _)| named(name));
    let load = std::fs::read_to_string("/proc/loadavg").unwrap();
    println!("load before: {}", load.trim());
    let mut held = true;
    for (name, measure) in all {
        if named(name) || !any {
            println!("{name}");
            held &= measure();
        }
    }
    if held { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
