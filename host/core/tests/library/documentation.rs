//! The files that the documentation shows are what it says they are.

use hermes_core::library::{Prompts, Resources};

use super::{all_refused, folder, uris};

#[test]
fn the_examples_serve() {
    let text = include_str!("../../../../docs/prompts-and-resources.md");
    let blocks = text.split("\n```").skip(1).step_by(2);
    let mut files: Vec<(&str, &[u8])> =
        blocks.map(|block| block.split_once('\n').unwrap()).map(|(name, content)| (name, content.as_bytes())).collect();
    files.extend([
        ("prompts/chart.png", &b"\x89PNG"[..]),
        ("prompts/units.txt", b"m, kg, s"),
        ("resources/logo.png", b""),
    ]);
    let home = folder(&files);
    let prompts = Prompts::load(&home.path().join("prompts"));
    assert_eq!(all_refused(prompts.refused(), home.path()), [""; 0]);
    let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["chart", "letter", "review", "standup"]);
    let resources = Resources::load(&home.path().join("resources"));
    assert_eq!(all_refused(resources.refused(), home.path()), [""; 0]);
    assert_eq!(uris(&resources), ["docs://logo", "docs://style"]);
    assert_eq!(resources.templates().next().unwrap().uri.as_str(), "tickets://{id}/template");
}
