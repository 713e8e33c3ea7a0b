//! What a caller is told about what it does not get at once.

use super::pager::Range;
use super::store::Kept;
use super::uri::{ResultId, ResultUri};

/// The ways by which a caller can read a kept result; only these are named to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ways {
    /// It reads resources.
    pub resource: bool,
    /// The tools that it sees and whose manifest says that they page results: they take the address of one as a path.
    pub tools: Vec<String>,
    /// It speaks HTTP with this host.
    pub http: bool,
}

/// The seeds' mark of a text that was cut.
pub(super) const CUT: &str = "\n...[truncated]";
/// What every note about something kept says.
const KEPT: &str = "kept as hermes://results/";
/// What every note about something lost says.
const LOST: &str = "was left out";
/// Most characters of a preview with its note.
const MOST: usize = 3_000;
/// Most bytes of a note that stands alone.
const MOST_NOTE: usize = 4_000;
/// Most such notes in one result.
pub(super) const MOST_NOTES: usize = 2;
/// Most characters after [`CUT`].
const MOST_CUT: usize = 160;
/// Most tools that are named.
const MOST_TOOLS: usize = 4;

/// The end of a preview.
pub(super) fn preview(shown: usize, chars: usize, kept: &Kept, ways: &Ways) -> String {
    format!("\n...\n\n[This is the beginning, {shown} of {chars} characters. The whole is {}", reference(kept, ways))
}

/// Instead of `structured`.
pub(super) fn structured(kept: &Kept, ways: &Ways) -> String {
    format!("[The structured result is too large to be sent along. It is {}", reference(kept, ways))
}

/// Instead of something that cannot be kept either.
pub(super) fn lost(what: &str) -> String {
    format!("[{what} {LOST}: too large to be sent along, and there is no room to keep it]")
}

/// The end of a text that was cut.
pub(super) fn cut(missing: usize) -> String {
    format!("{CUT} {missing} more characters are missing: there is no room to keep them")
}

fn reference(kept: &Kept, ways: &Ways) -> String {
    let Kept { id, kind, size } = *kept;
    let part = |range| ResultUri { id, range };
    let mut read = Vec::new();
    if ways.resource {
        let lines = part(Range::Lines { line: 1, lines: 500 });
        read.push(format!("as a resource, whole or in parts such as {lines} and {}", bytes(id)));
    }
    if !ways.tools.is_empty() {
        let tools: Vec<&str> = ways.tools.iter().map(String::as_str).take(MOST_TOOLS).collect();
        read.push(format!("with {} at {}", tools.join(" or "), ResultUri::whole(id)));
    }
    if ways.http {
        read.push(format!("by GET /v1/results/{id}, with a Range"));
    }
    let read = if read.is_empty() { String::new() } else { format!(" Read it {}.", read.join("; or ")) };
    format!("kept as {} ({}, {size} bytes).{read}]", ResultUri::whole(id), kind.mime())
}

fn bytes(id: ResultId) -> ResultUri {
    ResultUri { id, range: Range::Bytes { offset: 0, limit: Some(65_536) } }
}

/// Whether these texts, of `chars` characters together, are the preview that an earlier fitting left. Who copies our words
/// gains what a preview has, and no more.
pub(super) fn is_preview(texts: &[&str], chars: usize) -> bool {
    chars <= MOST && texts.iter().any(|text| text.contains(KEPT))
}

/// Whether a text is one of our notes that stand alone; they count as no text of the result.
pub(super) fn stands_alone(text: &str) -> bool {
    text.len() <= MOST_NOTE
        && text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'))
            .is_some_and(|note| note.contains(KEPT) || note.contains(LOST))
}

/// The characters of the mark at the end of a text that was cut, if it is ours.
pub(super) fn cut_chars(texts: &[&str]) -> usize {
    let ends = texts.iter().filter_map(|text| text.rfind(CUT).and_then(|at| text.get(at..)));
    ends.map(|end| end.chars().count()).find(|chars| *chars <= MOST_CUT).unwrap_or(0)
}

/// What links may take before they count as text.
pub(super) fn most_links(max: usize) -> usize {
    max.max(MOST)
}
