//! The words that go with a page.

use crate::bytes::{Passage, Span};
use crate::lines::MAX_CHARS;
use crate::window::{Range, Window};

/// How many cut lines are named with the place of their rest.
const NAMED: usize = 3;

const LOSSY: &str = "U+FFFD stands for what could not be read, so do not write it back.";

/// What to know about `window`, which was asked for as `range`; nothing when it is the whole file as it is.
pub(crate) fn window(window: &Window, range: Range) -> Option<String> {
    let total = if window.is_total { window.counted.to_string() } else { format!("more than {}", window.counted) };
    let mut sentences = Vec::new();
    if window.shown == 0 {
        sentences.push(match window.counted {
            0 => "The file is empty.".to_owned(),
            _ => format!("The file has {total} lines; offset={} is past its end.", range.offset),
        });
    }
    if window.stop.is_some() {
        let (first, next) = (range.offset, range.offset + window.shown);
        sentences
            .push(format!("Use offset={next} to continue reading (showing {first}-{} of {total} lines).", next - 1));
    }
    if !window.cuts.is_empty() {
        let named = window.cuts.iter().take(NAMED);
        let rests: Vec<String> =
            named.map(|cut| format!("line {} goes on at byte_offset={}", cut.line, cut.rest)).collect();
        sentences.push(format!(
            "{} of these lines are longer than {MAX_CHARS} characters and cut: {}.",
            window.cuts.len(),
            rests.join(", ")
        ));
    }
    if !window.continued.is_empty() {
        sentences.push(format!(
            "Lines longer than {MAX_CHARS} characters go on under the numbers in `continued`: join those without a line break."
        ));
    }
    if window.lossy > 0 {
        sentences.push(format!("{} of these lines are not valid UTF-8; {LOSSY}", window.lossy));
    }
    joined(&sentences)
}

/// What to know about `passage`, which was asked for as `span` of a file of `size` bytes.
pub(crate) fn passage(passage: &Passage, span: Span, size: u64) -> Option<String> {
    let Passage { start, end, .. } = *passage;
    let mut sentences = Vec::new();
    if start == end {
        sentences.push(match size {
            0 => "The file is empty.".to_owned(),
            _ => format!("The file has {size} bytes; byte_offset={} is past its end.", span.offset),
        });
    }
    if passage.stop.is_some() {
        sentences.push(format!(
            "Use byte_offset={end} to continue reading (showing bytes {start}-{} of {size}).",
            end.saturating_sub(1)
        ));
    }
    if start < span.offset {
        sentences.push(format!("Shown from byte {start}, where the character at byte_offset={} begins.", span.offset));
    }
    if passage.is_lossy {
        sentences.push(format!("Some of these bytes are not valid UTF-8; {LOSSY}"));
    }
    joined(&sentences)
}

fn joined(sentences: &[String]) -> Option<String> {
    (!sentences.is_empty()).then(|| sentences.join(" "))
}
