//! TOML files that people write. An error names file, line and key, and the nearest right spelling.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::nearest::nearest;

/// A file that cannot be used, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The key, as a path such as `grant.fs[0].mode`.
    pub key: Option<String>,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(key) = &self.key {
            write!(f, ": `{key}`")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for DocumentError {}

impl DocumentError {
    /// A file that cannot be used at all.
    pub(crate) fn whole(file: &Path, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: None, key: None, message: message.into() }
    }
}

/// Reads the TOML `text` of `file` as a `T`.
///
/// # Errors
///
/// When it is no TOML, or no `T`.
pub fn read_document<T: DeserializeOwned>(file: &Path, text: &str) -> Result<T, DocumentError> {
    let error = |cause: &toml::de::Error, place: &Place| DocumentError {
        file: file.to_owned(),
        line: place.find(text).or(cause.span()).map(|span| line(text, span.start)),
        key: (!place.0.is_empty()).then(|| place.to_string()),
        message: spelled(cause.message().trim()),
    };
    let document = toml::Deserializer::parse(text).map_err(|cause| {
        let unplaced = error(&cause, &Place(Vec::new()));
        // Of all that can be wrong with TOML itself this alone has a key.
        let twice = cause.span().filter(|_| cause.message().starts_with("duplicate key"));
        DocumentError { key: twice.and_then(|key| text.get(key)).map(str::to_owned), ..unplaced }
    })?;
    serde_path_to_error::deserialize(document)
        .map_err(|cause| error(cause.inner(), &Place::of(cause.path(), cause.inner().message())))
}

/// The line, from 1, of a place in a text.
pub(crate) fn line(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

/// A place in a document, as keys and indices from its root.
struct Place(Vec<Segment>);

impl Place {
    /// The place of an error. A key that nobody knows belongs to it.
    fn of(path: &serde_path_to_error::Path, message: &str) -> Self {
        // The wrappers that keep places are no keys of the document.
        let written = |segment: &&Segment| match segment {
            Segment::Map { key } => !key.starts_with("$__"),
            Segment::Seq { .. } => true,
            Segment::Enum { .. } | Segment::Unknown => false,
        };
        let mut segments: Vec<Segment> = path.iter().filter(written).cloned().collect();
        let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
        if let Some((unknown, _)) = unknown
            && !matches!(segments.last(), Some(Segment::Map { key }) if key == unknown)
        {
            segments.push(Segment::Map { key: unknown.to_owned() });
        }
        Self(segments)
    }

    /// Where it is in the text: at its key, or at its element of a list.
    fn find(&self, text: &str) -> Option<Range<usize>> {
        let mut found = None;
        let mut table = Some(DeTable::parse(text).ok()?.into_inner());
        let mut list = None;
        for segment in &self.0 {
            let (span, value) = match segment {
                Segment::Map { key } => {
                    let (name, value) = table.take()?.into_iter().find(|(name, _)| name.get_ref() == key)?;
                    (name.span(), value)
                }
                Segment::Seq { index } => {
                    let value: Spanned<DeValue<'_>> =
                        list.take().and_then(|list: DeArray<'_>| list.into_iter().nth(*index))?;
                    (value.span(), value)
                }
                Segment::Enum { .. } | Segment::Unknown => return found,
            };
            found = Some(span);
            match value.into_inner() {
                DeValue::Table(inner) => table = Some(inner),
                DeValue::Array(inner) => list = Some(inner),
                _ => {}
            }
        }
        found
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Seq { .. } => {}
                _ if index == 0 => {}
                _ => f.write_str(".")?,
            }
            write!(f, "{segment}")?;
        }
        Ok(())
    }
}

/// What serde calls the kinds of values, and what TOML does.
const KINDS: [(&str, &str); 4] =
    [("a sequence", "a list"), ("a map", "a table"), ("f64", "a number"), ("struct ", "a table")];

/// Serde lists all names that it would take; the nearest says more.
pub(crate) fn spelled(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    if let (true, Some(wrong)) = (message.starts_with("unknown "), quoted.next())
        && let Some(near) = nearest(wrong, quoted)
        && let Some((said, _)) = message.split_once(", expected")
    {
        return format!("{said}, did you mean `{near}`?");
    }
    if let Some((found, expected)) = message.rsplit_once(", expected ")
        && let Some((_, kind)) = KINDS.iter().find(|(kind, _)| expected.starts_with(kind))
    {
        return format!("{found}, expected {kind}");
    }
    message.to_owned()
}
