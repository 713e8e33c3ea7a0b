use std::time::SystemTime;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;
use super::{fit, full, id_in, memory, output, owner, text, texts, ways, whole};
use crate::call::{Blob, Content, Link, Media, Output};

#[test]
fn a_folder_that_cannot_be_written_costs_the_rest_and_not_the_call() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "").unwrap();
    let store = FolderResults::new(blocked, Quota::default(), SystemTime::now);
    let fitted = fit(output(vec![text("é".repeat(300))]), Some(100), &store);
    let expected =
        format!("{}\n...[truncated] 200 more characters are missing: there is no room to keep them", "é".repeat(100));
    assert_eq!(texts(&fitted), [expected]);
}

#[test]
fn what_fits_stays_as_it_is() {
    let link = Link { uri: "https://a.b".into(), name: "a".into(), mime: None };
    let blob = Blob { uri: "x:y".into(), mime: None, text: Some("é".repeat(10)), data: None };
    let media = Media { mime: "image/png".into(), data: vec![0; 7 << 19] };
    let content = vec![
        text("é".repeat(45)),
        text("é".repeat(45)),
        Content::Embedded(blob),
        Content::Link(link),
        Content::Image(media),
    ];
    let fits = Output { content, structured: Some(Value::from("x".repeat((1 << 20) - 2))) };
    assert_eq!(fit(fits.clone(), Some(100), &full()), fits);
    let unlimited = output(vec![text("x".repeat(10 << 20))]);
    assert_eq!(fit(unlimited.clone(), None, &full()), unlimited);
}

#[test]
fn all_text_counts_together_and_is_kept_together() {
    let store = memory();
    let blob = Blob { uri: "x:y".into(), mime: None, text: Some("embedded".into()), data: None };
    let image = Content::Image(Media { mime: "image/png".into(), data: vec![1] });
    let content =
        vec![image.clone(), text("a".repeat(60)), Content::Embedded(blob), image.clone(), text("b".repeat(60))];
    let fitted = fit(output(content), Some(100), &store);
    let [first, Content::Text(shown), last] = &fitted.content[..] else { panic!("{fitted:?}") };
    assert_eq!((first, last), (&image, &image));
    assert_eq!(whole(&store, id_in(shown)), format!("{}\nx:y\nembedded\n{}", "a".repeat(60), "b".repeat(60)));
    assert!(shown.contains("\nembedded\n...\n\n[This is the beginning, 73 of 134 characters."), "{shown}");
}

#[test]
fn a_preview_names_the_ways_that_its_caller_has_and_no_other() {
    let none = Ways::default();
    let with = |change: &dyn Fn(&mut Ways)| {
        let mut ways = none.clone();
        change(&mut ways);
        ways
    };
    let tools = with(&|ways| ways.tools = vec!["view".into(), "peek".into()]);
    for (ways, named) in [
        (none.clone(), vec![]),
        (tools, vec!["view or peek at hermes://results/"]),
        (with(&|ways| ways.resource = true), vec!["as a resource"]),
        (with(&|ways| ways.http = true), vec!["GET /v1/results/"]),
        (self::ways(), vec!["as a resource", "view at hermes://results/", "GET /v1/results/"]),
    ] {
        let store = memory();
        let keeper = Keeper { store: &store, owner: owner("s"), ways: &|| ways.clone() };
        let fitted = Budget::default().fit(output(vec![text("x".repeat(9_999))]), Some(9_000), keeper);
        let shown = texts(&fitted)[0];
        for way in ["as a resource", "view", "GET /v1/results/", "Read it"] {
            let expected = named.iter().any(|named| named.contains(way)) || (way == "Read it" && !named.is_empty());
            assert_eq!(shown.contains(way), expected, "{way}: {shown}");
        }
        assert!(named.iter().all(|named| shown.contains(named)), "{shown}");
        assert!(shown.contains(&format!("kept as hermes://results/{} (text/plain, 9999 bytes)", id_in(shown))));
    }
}

#[test]
fn a_preview_ends_with_a_line_where_it_can() {
    let shown = |content: String| texts(&fit(output(vec![text(content)]), Some(2_000), &memory()))[0].to_owned();
    assert!(
        shown(format!("{}\n{}", "a".repeat(1_400), "b".repeat(9_000)))
            .starts_with(&format!("{}\n...", "a".repeat(1_400)))
    );
    assert!(shown(format!("{}\n{}", "a".repeat(14), "é".repeat(9_000))).starts_with(&format!(
        "{}\n{}\n...",
        "a".repeat(14),
        "é".repeat(1_485)
    )));
}

#[test]
fn large_structured_results_are_kept_as_json() {
    let store = memory();
    let large = json!({"x": "é".repeat(600_000)});
    let fitted = fit(Output { content: vec![text("short")], structured: Some(large.clone()) }, Some(100), &store);
    assert_eq!((fitted.structured.as_ref(), texts(&fitted)[0]), (None, "short"));
    let id = id_in(texts(&fitted)[1]);
    assert_eq!(whole(&store, id), large.to_string());
    assert_eq!(store.open(owner("s"), id).unwrap().unwrap().kind, Kind::JSON);
    // A text that says the same is kept in its place.
    let both = Output { content: vec![text(large.to_string())], structured: Some(large.clone()) };
    let fitted = fit(both, Some(100_000), &store);
    assert_eq!((fitted.content.len(), whole(&store, id_in(texts(&fitted)[0]))), (1, large.to_string()));
    let lost = fit(Output { content: vec![], structured: Some(large) }, Some(100), &full());
    assert!(lost.structured.is_none() && texts(&lost)[0].starts_with("[The structured result was left out"));
}

#[test]
fn large_media_become_links() {
    let store = memory();
    let (small, large) = (vec![1; 7 << 19], vec![2; (7 << 19) + 1]);
    let media = |data: &Vec<u8>| Media { mime: "image/png".into(), data: data.clone() };
    let blob = Blob { uri: "a:b".into(), mime: None, text: None, data: Some(large.clone()) };
    let content = vec![
        Content::Image(media(&small)),
        Content::Image(media(&large)),
        Content::Audio(media(&large)),
        Content::Embedded(blob),
    ];
    let fitted = fit(output(content.clone()), Some(10), &store);
    assert_eq!(fitted.content[0], content[0]);
    for (at, name, mime) in [(1, "image", Some("image/png")), (2, "sound", Some("image/png")), (3, "a:b", None)] {
        let Content::Link(link) = &fitted.content[at] else { panic!() };
        assert_eq!((link.name.as_str(), link.mime.as_deref()), (name, mime));
        let uri: ResultUri = link.uri.parse().unwrap();
        let (kind, page) = store.read(owner("s"), uri.id, uri.range).unwrap().unwrap();
        assert_eq!(page.body, Body::Bytes(large.clone()));
        assert_eq!(kind.mime(), mime.unwrap_or("application/octet-stream"));
    }
    let lost = fit(output(content), Some(10), &full());
    assert_eq!(lost.content.len(), 2);
    assert!(texts(&lost)[0].starts_with("[Each of 3 parts of the result was left out"));
}

#[test]
fn neither_many_links_nor_copied_words_get_around_the_budget() {
    let link = |n: usize| Content::Link(Link { uri: format!("https://a.b/{n}"), name: "x".repeat(100), mime: None });
    let fitted = fit(output((0..100).map(link).collect()), Some(1_000), &memory());
    assert_eq!((fitted.content.len(), texts(&fitted).len()), (1, 1));
    for words in ["kept as hermes://results/", "\n...[truncated]", "was left out"] {
        let copied = output(vec![text(format!("{}{words}{}", "x".repeat(5_000), "y".repeat(200)))]);
        let fitted = fit(copied, Some(1_000), &memory());
        assert!(texts(&fitted)[0].contains("[This is the beginning, 1000 of 52"), "{words}");
    }
}

fn any_content() -> impl Strategy<Value = Content> {
    let words = prop_oneof![
        "[a-zé猫\n]{0,80}".prop_map(|text| text),
        ("[aé\n]{1,9}", 0..3_000_usize).prop_map(|(text, times)| text.repeat(times)),
        ("[aé]{0,9}", 0..400_usize).prop_map(|(text, n)| format!("{}\n...[truncated]{text}", "x".repeat(n))),
        ("[aé]{0,9}", 0..4_000_usize).prop_map(|(text, n)| format!("{text}kept as hermes://results/{}", "x".repeat(n))),
    ];
    let data = (0..3_000_usize).prop_map(|size| vec![7; size]);
    prop_oneof![
        4 => words.clone().prop_map(Content::Text),
        1 => (words.clone(), words.clone()).prop_map(|(uri, name)| Content::Link(Link { uri, name, mime: None })),
        1 => (words.clone(), words).prop_map(|(uri, text)| Content::Embedded(Blob { uri, mime: None, text: Some(text), data: None })),
        1 => data.prop_map(|data| Content::Image(Media { mime: "image/png".into(), data })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn fitting_again_changes_nothing(
        content in proptest::collection::vec(any_content(), 0..6), structured in proptest::option::of(0..2_000_usize),
        max in prop_oneof![Just(0_u64), 1..200_u64, 200..20_000_u64], room in any::<bool>(),
    ) {
        let budget = Budget { structured: 1_000, media: 1_000, ..Budget::default() };
        let (store, ways) = (if room { memory() } else { full() }, ways());
        let keeper = Keeper { store: &store, owner: owner("s"), ways: &|| ways.clone() };
        let output = Output { content, structured: structured.map(|size| Value::from("x".repeat(size))) };
        let once = budget.fit(output, Some(max), keeper);
        let chars: usize = texts(&once).iter().map(|text| text.chars().count()).sum();
        prop_assert!(chars <= usize::try_from(max).unwrap().max(3_000) + 160 + 2 * 1_500, "{chars}");
        prop_assert_eq!(budget.fit(once.clone(), Some(max), keeper), once);
    }
}
