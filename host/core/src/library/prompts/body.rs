//! The text of a prompt: messages, and what they show.

use super::super::folder::{Folder, Found, MAX_FILE};
use super::super::front::{Misplaced, without_mark};
use super::super::media::Mime;
use super::super::name::{EntryName, shortened};
use super::super::template::Template;
use super::prompt::Role;
use crate::call::{Blob, Content, Media};
use crate::nearest::nearest;

/// Most messages of a prompt.
const MAX_MESSAGES: usize = 256;

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) role: Role,
    pub(super) shown: Shown,
}

/// What a message shows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shown {
    /// A text.
    Text(Template),
    /// A picture or a sound.
    Media(Content),
    /// A document, whole.
    Document {
        /// Its address.
        uri: Template,
        /// The rest of it.
        document: Blob,
    },
}

/// Reads a file beside a prompt, by its name.
pub(super) type Attach<'a> = dyn FnMut(&str) -> Result<(Mime, Vec<u8>), String> + 'a;

impl Folder {
    /// Reads a file that lies beside another.
    pub(super) fn attachment(&mut self, beside: &Found, name: &str) -> Result<(Mime, Vec<u8>), String> {
        let Some(found) = self.beside(beside, name).cloned() else {
            let files = self.files.iter().filter(|file| file.toolset == beside.toolset);
            let near = nearest(name, files.map(|file| file.name.as_str()));
            let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(format!("there is no file `{}` beside the prompt{meant}", shortened(name)));
        };
        let bytes = self.read(&found, MAX_FILE).map_err(|error| format!("`{name}`: {error}"))?;
        Ok((Mime::of(name, &bytes), bytes))
    }
}

/// Reads the text of a prompt, whose first line is `first`. `names` are those that may stand in it.
pub(super) fn parse(
    body: &str,
    first: usize,
    names: &[EntryName],
    attach: &mut Attach<'_>,
) -> Result<Vec<Part>, Misplaced> {
    let mut reading = Reading { names, role: Role::User, text: String::new(), begins: first, parts: Vec::new() };
    let mut line = first;
    for (number, text) in (first..).zip(without_mark(body).lines()) {
        line = number;
        let word = text.trim_end();
        if let Some(role) = word.strip_prefix("+++") {
            reading.end_text()?;
            reading.role = role_of(role).ok_or_else(|| {
                Misplaced::new(number, "expected `+++ user` or `+++ assistant`; write `\\+++` for text that begins so")
            })?;
        } else if let Some((what, file)) = shown(word) {
            reading.end_text()?;
            let shown = show(what, file, number, names, attach)?;
            reading.add(shown, number)?;
        } else {
            let escaped = text.strip_prefix('\\').filter(|rest| rest.starts_with("+++") || rest.starts_with("!["));
            reading.line(escaped.unwrap_or(text), number);
        }
    }
    reading.end_text()?;
    if reading.parts.is_empty() {
        return Err(Misplaced::new(line, "the prompt says nothing: expected a text"));
    }
    Ok(reading.parts)
}

/// What was read so far.
struct Reading<'a> {
    names: &'a [EntryName],
    role: Role,
    /// The text since the last message.
    text: String,
    /// Its first line.
    begins: usize,
    parts: Vec<Part>,
}

impl Reading<'_> {
    fn line(&mut self, line: &str, number: usize) {
        // Empty lines around a text belong to the file, not to the message.
        if self.text.is_empty() {
            if line.trim().is_empty() {
                return;
            }
            self.begins = number;
        } else {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }

    fn end_text(&mut self) -> Result<(), Misplaced> {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() {
            return Ok(());
        }
        let text = Template::parse(text.trim_end(), self.begins, self.names)?;
        self.add(Shown::Text(text), self.begins)
    }

    fn add(&mut self, shown: Shown, line: usize) -> Result<(), Misplaced> {
        if self.parts.len() == MAX_MESSAGES {
            return Err(Misplaced::new(line, format!("more than {MAX_MESSAGES} messages")));
        }
        self.parts.push(Part { role: self.role, shown });
        Ok(())
    }
}

fn role_of(word: &str) -> Option<Role> {
    match word.trim() {
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    }
}

/// What a line shows, and the file: `![what](file)`, alone on its line.
fn shown(line: &str) -> Option<(&str, &str)> {
    let (what, file) = line.strip_prefix("![")?.split_once("](")?;
    Some((what, file.strip_suffix(')')?))
}

fn show(what: &str, file: &str, line: usize, names: &[EntryName], attach: &mut Attach<'_>) -> Result<Shown, Misplaced> {
    let (mime, bytes) = attach(file)
        .map_err(|message| Misplaced::new(line, format!("{message}; write `\\![` for text that begins so")))?;
    let media = |data| Media { mime: mime.to_string(), data };
    if mime.is_image() {
        return Ok(Shown::Media(Content::Image(media(bytes))));
    }
    if mime.is_audio() {
        return Ok(Shown::Media(Content::Audio(media(bytes))));
    }
    let uri = Template::parse(what, line, names)?;
    if uri.names().next().is_none() && url::Url::parse(what).is_err() {
        let message = format!("expected the document's URI in the brackets, such as `![docs://style]({file})`");
        return Err(Misplaced::new(line, message));
    }
    let (text, data) = match mime.text(bytes) {
        Ok(text) => (Some(text), None),
        Err(data) => (None, Some(data)),
    };
    let document = Blob { uri: String::new(), mime: Some(mime.to_string()), text, data };
    Ok(Shown::Document { uri, document })
}
