//! Distributions: what is drawn for which numbers, and what is wrong with a file.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests stop at the first surprise")]

use hermes_core::{Distributions, seeded};

fn read(text: &str) -> Distributions {
    Distributions::build([("distributions.toml".into(), text)]).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn each_toolset_is_drawn_by_a_number_of_its_own_in_the_order_of_the_file() {
    let all = read("[some]\ntoolsets = { web = 50, gone = 100, file = 0, browser = 12.5, audio = 50 }");
    for (uniform, drawn) in [
        (&[0.0, 0.0, 0.0, 0.0][..], "web browser audio"),
        (&[0.5, 0.5, 0.125, 0.499], "audio"),
        (&[0.499, 0.0, 0.1249, 0.5], "web browser"),
        (&[0.9, 0.9, 0.9, 0.9], "web"),
    ] {
        let mut numbers = uniform.iter();
        let some = all.get("some").unwrap().draw(|name| name.as_str() != "gone", || *numbers.next().unwrap());
        let names: Vec<&str> = some.toolsets.iter().map(|name| name.as_str()).collect();
        assert_eq!(names.join(" "), drawn, "{uniform:?}");
        assert_eq!(some.skipped.len(), 1, "what does not exist is skipped, and takes no number");
        assert_eq!(numbers.next(), None);
    }
    let nothing = all.get("some").unwrap().draw(|_| false, || 0.0);
    assert_eq!((nothing.toolsets.len(), nothing.skipped.len()), (0, 5));
}

#[test]
fn what_is_wrong_is_told_by_file_line_and_key() {
    for (text, told) in [
        ("[a]\ntoolsets = { web = 101 }", "distributions.toml:2: `a.toolsets.web`: `101` is no percentage"),
        ("[a]\ntoolsets = { web = nan }", "distributions.toml:2: `a.toolsets.web`: `NaN` is no percentage"),
        ("[a.toolsets]\nb = 1\nweb = -1", "distributions.toml:3: `a.toolsets.web`: `-1` is no percentage"),
        ("[a]\ntoolsets = { web = \"x\" }", "distributions.toml:2: `a.toolsets.web`: invalid type"),
        ("[a]\ntoolsets = { a-b = 1 }", "distributions.toml:2: `a.toolsets"),
        ("[a]\ntoolset = {}", "distributions.toml:2: `a.toolset`: unknown field `toolset`, did you mean `toolsets`?"),
        ("[a]\ntoolsets = {}", "distributions.toml:2: `a.toolsets`: expected at least one toolset"),
        ("[a]", "distributions.toml:1: `a`: missing field `toolsets`"),
    ] {
        let error = Distributions::build([("distributions.toml".into(), text)]).unwrap_err().to_string();
        assert!(error.starts_with(told), "expected {told}\n     got {error}");
    }
    let error = read("[research]\ntoolsets = { web = 1 }").get("reserach").unwrap_err().to_string();
    assert_eq!(error, "there is no distribution `reserach`; did you mean `research`?");
}

/// These numbers are a promise: who repeats a run with its seed gets its toolsets again.
#[test]
fn a_seed_gives_the_same_numbers_for_ever() {
    let mut one = seeded(1);
    let first: Vec<String> = (0..3).map(|_| format!("{:.6}", one())).collect();
    assert_eq!(first, ["0.121293", "0.273823", "0.242124"]);
    let mut numbers = seeded(7);
    let mean = (0..10_000).map(|_| numbers()).inspect(|number| assert!((0.0..1.0).contains(number))).sum::<f64>() / 1e4;
    assert!((0.49..0.51).contains(&mean), "{mean}");
    assert_ne!(seeded(1)(), seeded(2)());
}
