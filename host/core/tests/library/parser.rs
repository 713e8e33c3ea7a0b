//! Any text is a prompt and a resource, or is refused at one of its lines.

use std::fs;

use hermes_core::DocumentError;
use hermes_core::library::{Prompts, Resources};
use proptest::prelude::*;

use super::folder;

/// Pieces of which such files are made, and anything else.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("+++\n".to_owned()),
        Just("+++ user\n".to_owned()),
        Just("+++ assistant\n".to_owned()),
        Just("![a:b](notes.txt)\n".to_owned()),
        Just("name = \"a\"\n".to_owned()),
        Just("uri = \"a:{b}\"\n".to_owned()),
        Just("arguments = [{ name = \"b\", values = [\"c\"] }]\n".to_owned()),
        Just("[ask]\nmessage = \"m\"\nfields = [{ name = \"f\" }]\n".to_owned()),
        Just("{{b}}".to_owned()),
        Just("{{f}}\n".to_owned()),
        Just("\\".to_owned()),
        Just("\r\n".to_owned()),
        ".{0,6}",
        "\\PC{0,6}\n",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn names_a_line(refused: &[DocumentError], text: &str) -> bool {
    let lines = 1 + text.bytes().filter(|byte| *byte == b'\n').count();
    refused.iter().all(|refused| refused.line.is_some_and(|line| (1..=lines).contains(&line)))
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_at_one_of_its_lines(text in text()) {
        let temp = folder(&[("a.md", text.as_bytes()), ("notes.txt", b"")]);
        let prompts = Prompts::load(temp.path());
        prop_assert_eq!(prompts.iter().count() + prompts.refused().len(), 1);
        prop_assert!(names_a_line(prompts.refused(), &text), "{:?}", prompts.refused());
        for prompt in prompts.iter() {
            let arguments = prompt.arguments.iter().map(|argument| (argument.name.to_string(), text.clone())).collect();
            prop_assert!(prompt.render(&arguments, None).is_ok());
        }
        fs::remove_file(temp.path().join("notes.txt")).unwrap();
        let resources = Resources::load(temp.path());
        prop_assert_eq!(resources.iter().count() + resources.templates().count() + resources.refused().len(), 1);
        prop_assert!(names_a_line(resources.refused(), &text), "{:?}", resources.refused());
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let temp = folder(&[("a.md", &bytes), ("b", &bytes), ("b.toml", &bytes)]);
        let prompts = Prompts::load(temp.path());
        prop_assert_eq!(prompts.iter().count() + prompts.refused().len(), 1);
        let resources = Resources::load(temp.path());
        prop_assert_eq!(resources.iter().count() + resources.templates().count() + resources.refused().len(), 2);
    }
}
