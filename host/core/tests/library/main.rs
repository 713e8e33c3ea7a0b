//! Prompts and resources from folders.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests stop at the first surprise")]

#[path = "../common/mod.rs"]
mod common;
mod documentation;
mod fixtures;
mod folders;
mod parser;
mod prompts;
mod resources;
mod views;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hermes_core::library::{Message, Prompt, PromptError, Prompts, Rendered, Resources, Role};
use hermes_core::{Blob, Content, Media, Reply};
use tempfile::TempDir;

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let temp = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = temp.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    temp
}

/// The prompt that a file of this text holds, with the attachments `red.png`, `beep.wav`, `notes.txt` and `data.bin` beside it.
fn prompt(text: &str) -> Result<Prompt, String> {
    let temp = folder(&[
        ("p.md", text.as_bytes()),
        ("red.png", b"\x89PNG"),
        ("beep.wav", b"RIFF"),
        ("notes.txt", b"some notes"),
        ("data.bin", b"\xff\x00"),
    ]);
    let prompts = Prompts::load(temp.path());
    let refused = prompts.refused().first().map(|refused| shown(refused, temp.path()));
    prompts.iter().next().cloned().ok_or_else(|| refused.unwrap())
}

/// An error without the folder in which the file lies.
fn shown(refused: &hermes_core::DocumentError, folder: &Path) -> String {
    refused.to_string().replace(&format!("{}/", folder.display()), "")
}

fn all_refused(refused: &[hermes_core::DocumentError], folder: &Path) -> Vec<String> {
    refused.iter().map(|refused| shown(refused, folder)).collect()
}

fn render(prompt: &Prompt, arguments: &[(&str, &str)], answer: Option<Reply>) -> Result<Rendered, PromptError> {
    let arguments: BTreeMap<String, String> =
        arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    prompt.render(&arguments, answer)
}

/// What a prompt says, one line a message.
fn said(rendered: Result<Rendered, PromptError>) -> Vec<String> {
    match rendered {
        Ok(Rendered::Messages(messages)) => messages.iter().map(line).collect(),
        other => panic!("{other:?}"),
    }
}

fn line(Message { role, content }: &Message) -> String {
    let role = if *role == Role::User { "user" } else { "assistant" };
    let content = match content {
        Content::Text(text) => format!("{text:?}"),
        Content::Image(Media { mime, data }) => format!("image {mime} {}", data.len()),
        Content::Audio(Media { mime, data }) => format!("audio {mime} {}", data.len()),
        Content::Embedded(blob) => held(blob),
        Content::Link(_) => panic!("no prompt links"),
    };
    format!("{role}: {content}")
}

fn held(Blob { uri, mime, text, data }: &Blob) -> String {
    format!(
        "{uri} {} {}",
        mime.as_deref().unwrap(),
        text.clone().unwrap_or_else(|| format!("{:?}", data.as_ref().unwrap()))
    )
}

fn uris(resources: &Resources) -> Vec<&str> {
    resources.iter().map(|resource| resource.uri.as_str()).collect()
}
