//! What a kept result is: text, JSON, a picture or a sound.

/// The kind of a kept result: its type, and the ending of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    mime: &'static str,
    ending: &'static str,
}

const KINDS: [Kind; 14] = [
    Kind::TEXT,
    Kind::JSON,
    Kind::new("image/png", "png"),
    Kind::new("image/jpeg", "jpg"),
    Kind::new("image/gif", "gif"),
    Kind::new("image/webp", "webp"),
    Kind::new("image/svg+xml", "svg"),
    Kind::new("audio/mpeg", "mp3"),
    Kind::new("audio/wav", "wav"),
    Kind::new("audio/ogg", "ogg"),
    Kind::new("audio/flac", "flac"),
    Kind::new("audio/webm", "weba"),
    Kind::new("application/pdf", "pdf"),
    Kind::BYTES,
];

impl Kind {
    /// Plain text.
    pub const TEXT: Self = Self::new("text/plain", "txt");
    /// JSON.
    pub const JSON: Self = Self::new("application/json", "json");
    /// Bytes of some other type.
    pub const BYTES: Self = Self::new("application/octet-stream", "bin");

    const fn new(mime: &'static str, ending: &'static str) -> Self {
        Self { mime, ending }
    }

    /// The kind with this MIME type, which may have parameters; what is not known is bytes.
    pub fn of(mime: &str) -> Self {
        let mime = mime.split(';').next().unwrap_or_default().trim();
        KINDS.into_iter().find(|kind| kind.mime.eq_ignore_ascii_case(mime)).unwrap_or(Self::BYTES)
    }

    pub(super) fn all() -> impl Iterator<Item = Self> {
        KINDS.into_iter()
    }

    /// The MIME type.
    pub fn mime(self) -> &'static str {
        self.mime
    }

    /// The ending of a file of this kind.
    pub fn ending(self) -> &'static str {
        self.ending
    }

    /// Whether its bytes are UTF-8.
    pub fn is_text(self) -> bool {
        self == Self::TEXT || self == Self::JSON
    }
}
