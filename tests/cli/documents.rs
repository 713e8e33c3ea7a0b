//! What the documents say to type can be typed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Place;

/// Every text for readers, and every file that `new` writes.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "plugins/weather/README.md"]
            .into_iter()
            .chain(["sdk/python/README.md", "sdk/js/README.md"])
            .map(|file| root.join(file))
            .collect();
    below(&root.join("sdk/templates"), &mut found);
    found
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The arguments of each `hermes-host …` in a line, up to the end of its code span or a comment.
fn commands(line: &str) -> Vec<Vec<String>> {
    line.split("hermes-host ")
        .skip(1)
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '-'))
        .map(words)
        .collect()
}

/// Words as a shell takes them, as far as the documents go: blanks part them, single quotes join.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        match c {
            '\'' => quoted = !quoted,
            '`' if !quoted => break,
            '#' if !quoted && word.is_empty() => break,
            ' ' if !quoted => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            _ => word.push(c),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[test]
fn every_command_in_the_documents_exists() {
    let place = Place::new();
    let mut count = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for command in text.lines().flat_map(commands) {
            // With `--help` the whole line is parsed, and nothing is run or required.
            let args: Vec<&str> =
                command.iter().map(String::as_str).take_while(|word| *word != "&&").chain(["--help"]).collect();
            let ran = place.run(&args);
            assert_eq!(ran.code, 0, "{}: hermes-host {}: {ran}", document.display(), command.join(" "));
            count += 1;
        }
    }
    assert!(count > 10, "only {count} commands were found");
}

#[test]
fn a_command_that_does_not_exist_is_noticed() {
    assert_eq!(
        commands("run `hermes-host dev` or `hermes-host call x --args '{\"a b\": 1}'` # not"),
        [vec!["dev"], vec!["call", "x", "--args", "{\"a b\": 1}"]]
    );
    assert_eq!(commands("hermes-host list    # the tools"), [["list"]]);
    let place = Place::new();
    for args in [["dev", "--help"], ["sdk", "--help"], ["call", "--nope"]] {
        assert_eq!(place.run(&args).code, 2, "{args:?}");
    }
}
