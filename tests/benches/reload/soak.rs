//! Eight hosts over stdio and a command line on one home, for a minute.

use std::time::Duration;

use super::Goal;
use crate::support::soak::soak;

const END_S: Goal = Goal { goal: 1.0, guard: 5.0 };

pub(super) fn measure() -> bool {
    let report = soak(Duration::from_secs(60));
    println!("  {report:#?}");
    let again: usize = report.again.values().sum();
    END_S.meets("slowest end after stdin's end, in s", report.slowest_end.as_secs_f64())
        & (Goal { goal: 0.0, guard: 0.0 }).meets("calls that had to be made again", again as f64)
        & (Goal { goal: 0.0, guard: report.kills as f64 }).meets("files left behind", report.left.len() as f64)
}
