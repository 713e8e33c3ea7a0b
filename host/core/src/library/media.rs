//! What a file is, by the ending of its name.

use std::fmt;

use serde::Deserialize;

/// Endings and their types. A file may say another type itself.
const TYPES: [(&str, &str); 36] = [
    ("txt", "text/plain"),
    ("md", "text/markdown"),
    ("csv", "text/csv"),
    ("tsv", "text/tab-separated-values"),
    ("html", "text/html"),
    ("htm", "text/html"),
    ("css", "text/css"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("jsonl", "application/x-ndjson"),
    ("xml", "application/xml"),
    ("toml", "application/toml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("sql", "application/sql"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("wav", "audio/wav"),
    ("mp3", "audio/mpeg"),
    ("ogg", "audio/ogg"),
    ("flac", "audio/flac"),
    ("m4a", "audio/mp4"),
    ("weba", "audio/webm"),
    ("mp4", "video/mp4"),
    ("webm", "video/webm"),
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("gz", "application/gzip"),
    ("wasm", "application/wasm"),
    ("ics", "text/calendar"),
];

/// Most bytes of a type.
const MOST: usize = 128;

/// A MIME type.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Mime(String);

/// A text that is no [`Mime`].
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a type: expected one such as `text/plain`")]
pub(super) struct MimeError(String);

impl Mime {
    /// The type of a file with this name and content; what has no known ending is text if it can be read as text.
    pub(super) fn of(name: &str, bytes: &[u8]) -> Self {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
        let known = TYPES.into_iter().find(|(known, _)| *known == ending).map(|(_, mime)| mime);
        let other = if std::str::from_utf8(bytes).is_ok() { "text/plain" } else { "application/octet-stream" };
        Self(known.unwrap_or(other).to_owned())
    }

    pub(super) fn is_image(&self) -> bool {
        self.0.starts_with("image/")
    }

    pub(super) fn is_audio(&self) -> bool {
        self.0.starts_with("audio/")
    }

    /// Whether values in its text are written as in JSON strings.
    pub(super) fn is_json(&self) -> bool {
        let essence = self.essence();
        essence == "application/json" || essence == "application/x-ndjson" || essence.ends_with("+json")
    }

    /// Whether its content is text.
    fn is_text(&self) -> bool {
        const TEXTS: [&str; 5] =
            ["application/xml", "application/toml", "application/yaml", "application/sql", "application/javascript"];
        let essence = self.essence();
        essence.starts_with("text/") || essence.ends_with("+xml") || TEXTS.contains(&essence) || self.is_json()
    }

    /// The content as text, if it is meant to be and can be read so; the bytes otherwise.
    pub(super) fn text(&self, bytes: Vec<u8>) -> Result<String, Vec<u8>> {
        if self.is_text() { String::from_utf8(bytes).map_err(|error| error.into_bytes()) } else { Err(bytes) }
    }

    /// The type without its parameters.
    fn essence(&self) -> &str {
        self.0.split(';').next().unwrap_or_default().trim()
    }
}

impl TryFrom<String> for Mime {
    type Error = MimeError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let token = |part: &str| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
        };
        let written = text.len() <= MOST && text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        let essence = text.split(';').next().and_then(|essence| essence.split_once('/'));
        if written && essence.is_some_and(|(kind, sub)| token(kind) && token(sub)) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(MimeError(text.chars().take(MOST).collect()))
        }
    }
}

impl fmt::Display for Mime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
