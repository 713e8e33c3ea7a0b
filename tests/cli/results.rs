//! Results that are too long for a model: a preview, and the whole of it by pages.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::assert_ran;
use crate::support::{Place, Ran};

fn place() -> Place {
    Place::new().plugin("sized.wasm", guest_artifacts::SIZED)
}

/// What `big_text` gives: a list of numbers on one line of exactly so many bytes.
fn list(bytes: usize) -> String {
    let (mut text, mut number) = (String::from("[0"), 1);
    while text.len() + 9 < bytes {
        text.push_str(&format!(",{number}"));
        number += 1;
    }
    text.push_str(&" ".repeat(bytes - text.len() - 1));
    text + "]"
}

fn big_text(place: &Place, args: Value, flags: &[&str]) -> Ran {
    place.run(&[&["call", "big_text", "--args", &args.to_string(), "--grant", "limits=output:8MiB"], flags].concat())
}

/// The address in a preview.
fn address(ran: &Ran) -> String {
    let (_, rest) = ran.stdout.split_once("hermes://results/").unwrap_or_else(|| panic!("{ran}"));
    format!("hermes://results/{}", &rest[..32])
}

fn read(place: &Place, args: Value, flags: &[&str]) -> Ran {
    place.run(&[&["call", "read_file", "--args", &args.to_string()], flags].concat())
}

fn files(place: &Place) -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            found.push(path.clone());
            walk(&path, found);
        }
    }
    let mut found = Vec::new();
    walk(&place.home().join(".hermes-host/results"), &mut found);
    found.sort();
    found
}

#[test]
fn a_result_that_fits_is_sent_and_not_kept() {
    let place = place();
    let ran = big_text(&place, json!({"bytes": 100_000}), &[]);
    assert_eq!(ran.stdout.trim_end(), list(100_000));
    assert_eq!(files(&place), [] as [PathBuf; 0]);
}

#[test]
fn a_preview_says_how_much_there_is_and_how_to_read_it() {
    let place = place();
    let ran = big_text(&place, json!({"bytes": 5_000_000}), &[]);
    assert!(ran.stdout.starts_with(&list(5_000_000)[..1_500]), "{ran}");
    let note = ran.stdout[1_500..].to_owned();
    assert_ran!(note, @"

    ...

    [This is the beginning, 1500 of 5000000 characters. The whole is kept as hermes://results/[ID] (application/json, 5000000 bytes). Read it with read_file at hermes://results/[ID].]
    ");
    let ran = big_text(&place, json!({"bytes": 120_000, "lines": true}), &[]);
    assert_ran!(ran.stdout[ran.stdout.find("\n...").unwrap()..].to_owned(), @"

    ...

    [This is the beginning, 1491 of 120000 characters. The whole is kept as hermes://results/[ID] (text/plain, 120000 bytes). Read it with read_file at hermes://results/[ID].]
    ");
    // Whoever has no tool for it is not told of one.
    let ran = big_text(&place, json!({"bytes": 120_000}), &["--exclude", "read_file"]);
    assert_ran!(ran.stdout[1_500..].to_owned(), @"

    ...

    [This is the beginning, 1500 of 120000 characters. The whole is kept as hermes://results/[ID] (application/json, 120000 bytes).]
    ");
    let ran = big_text(&place, json!({"bytes": 120_000}), &["--toolset", "sized"]);
    assert_ran!(ran.stdout[1_500..].to_owned(), @"

    ...

    [This is the beginning, 1500 of 120000 characters. The whole is kept as hermes://results/[ID] (application/json, 120000 bytes).]
    ");
    // More than what a tool may give is not kept either.
    let ran = place.run(&["call", "big_text", "--args", r#"{"bytes":5000000}"#]);
    assert_ran!(ran, @"
    exit 1
    ----- stdout
    ----- stderr
    limit: The call exceeded its limit `output`: 4 MiB
    ");
}

#[test]
fn five_megabytes_on_one_line_come_back_whole_by_lines() {
    let place = place();
    let address = address(&big_text(&place, json!({"bytes": 5_000_000}), &[]));
    let (mut text, mut offset) = (String::new(), 1);
    loop {
        let page = read(&place, json!({"path": address, "offset": offset, "limit": 2000}), &[]).json();
        let continued = page["continued"].as_array().cloned().unwrap_or_default();
        for line in page["content"].as_str().unwrap().split('\n') {
            let (number, line) = line.split_once('|').unwrap();
            if number != "1" && !continued.contains(&json!(number.parse::<u64>().unwrap())) {
                text.push('\n');
            }
            text.push_str(line);
        }
        match page["next_offset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert!(text == list(5_000_000), "{} bytes", text.len());
}

#[test]
fn five_megabytes_on_one_line_come_back_whole_by_bytes() {
    let place = place();
    let address = address(&big_text(&place, json!({"bytes": 5_000_000}), &[]));
    let (mut text, mut offset) = (String::new(), 0);
    loop {
        let page = read(&place, json!({"path": address, "byte_offset": offset, "byte_limit": 100_000}), &[]).json();
        text.push_str(page["content"].as_str().unwrap());
        match page["next_byte_offset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert!(text == list(5_000_000), "{} bytes", text.len());
}

#[test]
fn a_kept_result_belongs_to_its_session() {
    let place = place();
    let ran = big_text(&place, json!({"bytes": 120_000}), &["--session", "mine"]);
    let page = json!({"path": address(&ran), "byte_offset": 0, "byte_limit": 10});
    assert_ran!(read(&place, page.clone(), &["--session", "mine"]), @r#"
    exit 0
    ----- stdout
    {"content":"[0,1,2,3,4","file_size":120000,"truncated":true,"truncated_by":"bytes","next_byte_offset":10,"hint":"Use byte_offset=10 to continue reading (showing bytes 0-9 of 120000).","is_binary":false,"is_image":false}
    ----- stderr
    "#);
    assert_ran!(read(&place, page.clone(), &["--session", "other"]), @"
    exit 1
    ----- stdout
    ----- stderr
    failed: File not found: hermes://results/[ID]. Results are kept for 7 days, and only for the session that made them.
    ");
    assert_eq!(read(&place, page, &[]).code, 1);
}

#[test]
fn nothing_beside_the_kept_results_of_a_session_is_reached_through_them() {
    let place = place();
    let kept = address(&big_text(&place, json!({"bytes": 120_000}), &["--session", "mine"]));
    let id = kept.strip_prefix("hermes://results/").unwrap().to_owned();
    let file = files(&place).into_iter().find(|path| path.extension().is_some()).unwrap();
    let folder = file.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    // The result of another session, so that there is something to be missed.
    big_text(&place, json!({"bytes": 120_000}), &["--session", "other"]);
    let other = files(&place)
        .into_iter()
        .find(|path| path.extension().is_some() && *path != file && path.parent() != file.parent());
    let other = other.unwrap();
    for path in [
        format!("hermes://results/../{id}"),
        format!("hermes://results/{id}.json"),
        format!("hermes://results/{folder}/{id}"),
        "hermes://results/".to_owned(),
        "hermes://secrets/x".to_owned(),
        "/hermes-results/..".to_owned(),
        "/hermes-results/../trust.json".to_owned(),
        format!(
            "/hermes-results/../{}/{}",
            other.parent().unwrap().file_name().unwrap().display(),
            other.file_name().unwrap().display()
        ),
        format!("/hermes-results/../../../..{}", other.display()),
        file.display().to_string(),
        other.display().to_string(),
        place.home().join(".hermes-host/trust.json").display().to_string(),
    ] {
        let ran = read(&place, json!({"path": path}), &["--session", "mine"]);
        assert!(ran.code != 0 && ran.stdout.is_empty(), "{path}: {ran}");
    }
    // The same from the session's own folder is its own.
    let own = format!("/hermes-results/{id}.json");
    assert_eq!(read(&place, json!({"path": own}), &["--session", "mine"]).code, 0);
}

#[test]
fn kept_results_are_read_and_never_written() {
    let place = place();
    let kept = address(&big_text(&place, json!({"bytes": 120_000}), &[]));
    let before: Vec<_> =
        files(&place).iter().map(|path| std::fs::metadata(path).unwrap().modified().unwrap()).collect();
    let id = kept.strip_prefix("hermes://results/").unwrap();
    let file = files(&place).into_iter().find(|path| path.extension().is_some()).unwrap();
    for path in [format!("/hermes-results/{id}.json"), "/hermes-results/new.txt".to_owned(), file.display().to_string()]
    {
        let args = json!({"path": path, "content": "x"}).to_string();
        let ran = place.run(&["call", "write_file", "--args", &args]);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{path}: {ran}");
    }
    let after: Vec<_> = files(&place).iter().map(|path| std::fs::metadata(path).unwrap().modified().unwrap()).collect();
    assert_eq!(before, after);
}

#[cfg(unix)]
#[test]
fn kept_results_are_private_to_the_user() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = place();
    big_text(&place, json!({"bytes": 120_000}), &[]);
    let found = files(&place);
    assert_eq!(found.len(), 2, "{found:?}");
    for path in found.into_iter().chain([place.home().join(".hermes-host/results")]) {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
}

#[test]
fn structured_results_and_pictures_are_kept_too() {
    let place = place();
    let args = ["call", "big_structured", "--args", r#"{"bytes":1300000}"#];
    let ran = place.run(&args);
    assert!(ran.stdout.starts_with(r#"{"items":[1000000,1000001,"#), "{ran}");
    assert_ran!(ran.stdout[1_500..].to_owned(), @"

    ...

    [This is the beginning, 1500 of 1300011 characters. The whole is kept as hermes://results/[ID] (application/json, 1300011 bytes). Read it with read_file at hermes://results/[ID].]
    ");
    let ran = place.run(&[&args[..], &["--json"]].concat());
    assert_eq!(ran.json()["structured"], Value::Null);
    let kept = address(&ran);
    let page = read(&place, json!({"path": kept, "byte_offset": 0, "byte_limit": 20}), &[]).json();
    assert_eq!(page["content"], r#"{"items":[1000000,10"#);
    assert_ran!(place.run(&["call", "big_image", "--args", r#"{"bytes":3900000}"#, "--json"]), @r#"
    exit 0
    ----- stdout
    {"outcome":"done","content":[{"type":"resource_link","uri":"hermes://results/[ID]","name":"image","mimeType":"image/png"}],"structured":null,"tool":"big_image","version":"0.1.0","digest":"[DIGEST]","generation":2,"ms":[MS]}
    ----- stderr
    "#);
    assert_ran!(place.run(&["call", "big_image", "--args", r#"{"bytes":3900000}"#]), @"
    exit 0
    ----- stdout
    [image](hermes://results/[ID])
    ----- stderr
    ");
}

#[test]
fn a_result_that_breaks_its_promise_is_none() {
    let place = place();
    assert_ran!(place.run(&["call", "bad_output", "--args", r#"{"fits":true}"#]), @r#"
    exit 0
    ----- stdout
    {"count":1}
    ----- stderr
    "#);
    assert_ran!(place.run(&["call", "bad_output", "--args", r#"{"fits":false}"#]), @r#"
    exit 1
    ----- stdout
    ----- stderr
    bad_result: [TOOL_ERROR] Tool execution failed: the result does not fit the tool's `output_schema`: `/count`: expected an integer, got "one"
    "#);
}
