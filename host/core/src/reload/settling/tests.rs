//! What is seen, as a list of moments, and when it is due.

#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

use std::fs;
use std::time::Duration;

use super::*;

const MS: Duration = Duration::from_millis(1);
const NOTHING: [(&str, Touch); 0] = [];

fn pace() -> Pace {
    let (quiet, stalled, gone, batch) = (100 * MS, 2000 * MS, 500 * MS, 2000 * MS);
    Pace { quiet, stalled, gone, batch, tick: 25 * MS, rescan: 5000 * MS, poll: 1000 * MS }
}

/// Stamps are of real files, whose sizes differ.
struct Bench {
    folder: tempfile::TempDir,
    start: Instant,
    settling: Settling,
    there: Stamps,
    told: bool,
}

impl Bench {
    fn new() -> Self {
        let (folder, start) = (tempfile::tempdir().unwrap(), Instant::now());
        Self { folder, start, settling: Settling::new(pace()), there: Stamps::new(), told: true }
    }

    fn put(&mut self, file: &str, size: usize) {
        let real = self.folder.path().join(file);
        fs::write(&real, vec![0; size]).unwrap();
        self.there.insert(file.into(), Stamp::at(&real).unwrap());
    }

    fn remove(&mut self, file: &str) {
        self.there.remove(Path::new(file));
    }

    /// What is due at a millisecond after the start.
    fn at<const N: usize>(&mut self, ms: u32, touched: [(&str, Touch); N]) -> bool {
        let touched = touched.into_iter().map(|(file, touch)| (file.into(), touch)).collect();
        let now = self.start + MS * ms;
        self.settling.observe(&[self.there.clone(), Stamps::new()], touched, self.told, now);
        self.settling.is_due(now)
    }

    fn settled(&self, ms: u32, file: &str) -> bool {
        let stamp = self.there.get(Path::new(file)).copied();
        self.settling.is_settled(Group::COMPONENTS, Path::new(file), stamp, self.start + MS * ms)
    }

    fn take(&mut self, ms: u32) {
        self.settling.take(self.start + MS * ms);
    }
}

#[test]
fn a_closed_file_is_due_when_it_was_quiet() {
    let mut bench = Bench::new();
    bench.put("a", 1);
    assert!(!bench.at(0, [("a", Touch::Written)]));
    assert!(!bench.at(500, [("a", Touch::Ended)]), "it was closed only now");
    assert!(!bench.at(599, NOTHING));
    assert!(bench.at(600, NOTHING));
    bench.take(600);
    assert!(bench.settling.is_calm() && !bench.at(700, NOTHING));
}

#[test]
fn a_file_that_is_being_written_is_not_due_however_long_it_takes() {
    let mut bench = Bench::new();
    for step in 0..30 {
        bench.put("a", step + 1);
        let ms = u32::try_from(step).unwrap() * 1000;
        assert!(!bench.at(ms, [("a", Touch::Written)]));
        assert!(!bench.at(ms + 900, NOTHING), "it is open, so a pause says nothing");
    }
    assert!(!bench.at(30_900, NOTHING));
    assert!(bench.at(31_000, NOTHING), "its writer may have died");
}

#[test]
fn a_file_at_rest_waits_for_others_and_not_for_ever() {
    let mut bench = Bench::new();
    bench.put("closed", 1);
    assert!(!bench.at(0, [("closed", Touch::Ended)]));
    let mut due = None;
    for step in 0..40 {
        bench.put("slow", step + 1);
        let ms = 50 + u32::try_from(step).unwrap() * 100;
        if bench.at(ms, [("slow", Touch::Written)]) {
            due = due.or(Some(ms));
            assert!(bench.settled(ms, "closed") && !bench.settled(ms, "slow"));
        }
    }
    assert_eq!(due, Some(2050));
}

#[test]
fn a_file_that_comes_back_was_never_gone() {
    let mut bench = Bench::new();
    bench.put("a", 1);
    bench.at(0, NOTHING);
    bench.at(100, NOTHING);
    bench.take(100);
    bench.remove("a");
    assert!(!bench.at(1000, [("a", Touch::Ended)]));
    assert!(!bench.at(1400, NOTHING) && !bench.settled(1400, "a"), "what was known stays");
    bench.put("a", 2);
    assert!(!bench.at(1450, [("a", Touch::Ended)]) && bench.at(1550, NOTHING));
    bench.take(1550);
    bench.remove("a");
    assert!(!bench.at(3000, [("a", Touch::Ended)]));
    assert!(bench.at(3500, NOTHING) && bench.settled(3500, "a"));
    bench.take(3500);
    assert!(bench.settling.is_calm());
}

#[test]
fn what_happens_during_a_reload_leads_to_another() {
    let mut bench = Bench::new();
    bench.put("a", 1);
    bench.at(0, NOTHING);
    assert!(bench.at(100, NOTHING));
    let looked_at = bench.there[Path::new("a")];
    bench.put("a", 2);
    let (group, file, now) = (Group::COMPONENTS, Path::new("a"), bench.start + MS * 100);
    assert!(bench.settling.is_settled(group, file, Some(looked_at), now));
    assert!(!bench.settled(100, "a"), "another stamp than the one that was seen");
    bench.take(100);
    assert!(!bench.at(200, NOTHING) && bench.at(300, NOTHING));
}

#[test]
fn where_nobody_tells_of_changes_quiet_is_as_long_as_a_poll() {
    let mut bench = Bench::new();
    bench.told = false;
    bench.put("a", 1);
    assert!(!bench.at(0, NOTHING) && !bench.at(999, NOTHING));
    assert!(bench.at(1000, NOTHING));
}

#[test]
fn files_that_belong_together_are_taken_in_together() {
    let mut settling = Settling::new(pace());
    let folder = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let mut stamps = Stamps::new();
    for (number, file) in ["a.toml", "b.toml"].into_iter().enumerate() {
        let file = folder.path().join(file);
        fs::write(&file, vec![0; number]).unwrap();
        stamps.insert(file.clone(), Stamp::at(&file).unwrap());
        settling.observe(
            &[Stamps::new(), stamps.clone()],
            HashMap::new(),
            true,
            start + 80 * MS * u32::try_from(number).unwrap(),
        );
    }
    let at = start + 120 * MS;
    assert!(!settling.is_steady(Group::TOOLSETS, at), "only one of them is at rest");
    assert!(!settling.is_due(at), "nothing could be taken in");
    settling.take(at);
    let at = start + 180 * MS;
    assert!(settling.is_ready(Group::TOOLSETS, at) && settling.is_same(Group::TOOLSETS, &stamps));
    settling.take(at);
    assert!(!settling.is_ready(Group::TOOLSETS, at) && settling.is_calm());
}
