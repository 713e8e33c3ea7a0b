//! Several processes on one home.

use std::time::Duration;

use crate::support::soak::soak;

/// `cargo bench --bench reload -- soak` does it for a minute.
#[test]
fn eight_hosts_and_a_command_line_share_a_home_and_nothing_is_lost() {
    let report = soak(Duration::from_secs(8));
    // On a machine that has more to do, a file may be replaced faster than it is loaded, for as long as a call waits.
    assert!(report.again.keys().all(|why| *why == "replaced"), "nobody has to call again: {report:?}");
    assert!(report.again.values().sum::<usize>() * 500 < report.calls, "nobody has to call again: {report:?}");
    assert!(report.calls >= 8 && report.commands > 0 && report.approvals > 0 && report.drops > 0, "{report:?}");
    // A process that is killed while it writes leaves what it wrote.
    assert!(report.left.len() <= report.kills, "{report:?}");
}
