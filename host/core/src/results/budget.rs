//! Fits a result to what its caller can take at once. What does not fit is kept, and a preview stands in its place.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::kind::Kind;
use super::note;
use super::note::Ways;
use super::owner::Owner;
use super::store::{Kept, ResultStore};
use super::uri::ResultUri;
use crate::call::{Blob, Content, Link, Media, Output};

/// How much of a result is sent at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Characters of a preview.
    pub preview: usize,
    /// Bytes of `structured`, as compact JSON.
    pub structured: usize,
    /// Bytes of each picture, sound or other binary part.
    pub media: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { preview: 1_500, structured: 1 << 20, media: 7 << 19 }
    }
}

/// Where what does not fit goes, and how its owner gets at it.
#[derive(Clone, Copy)]
pub struct Keeper<'a> {
    /// What keeps it.
    pub store: &'a dyn ResultStore,
    /// Whose it is.
    pub owner: Owner,
    /// How the caller reads it; asked for only where something is kept.
    pub ways: &'a dyn Fn() -> Ways,
}

impl Keeper<'_> {
    fn keep(&self, bytes: &[u8], kind: Kind) -> Option<Kept> {
        let kept = self.store.keep(self.owner, bytes, kind);
        kept.inspect_err(|error| tracing::warn!(%error, "a result cannot be kept")).ok()
    }
}

impl Budget {
    /// Fits `output`, of whose text at most `max` characters are sent; `None` is no limit of text.
    ///
    /// What fits already comes back as it is, and so does what was fitted before.
    pub fn fit(&self, mut output: Output, max: Option<u64>, keeper: Keeper<'_>) -> Output {
        let mut notes = Vec::new();
        self.fit_media(&mut output.content, &mut notes, keeper);
        self.fit_structured(&mut output, &mut notes, keeper);
        if let Some(max) = max {
            let max = usize::try_from(max).unwrap_or(usize::MAX);
            output.content = self.fit_text(output.content, max, keeper);
        }
        output.content.extend(notes.into_iter().map(Content::Text));
        output
    }

    fn fit_media(&self, content: &mut Vec<Content>, notes: &mut Vec<String>, keeper: Keeper<'_>) {
        let mut lost = 0;
        content.retain_mut(|part| {
            let (name, mime, data) = match part {
                Content::Image(Media { mime, data }) => ("image".to_owned(), mime.clone(), data),
                Content::Audio(Media { mime, data }) => ("sound".to_owned(), mime.clone(), data),
                Content::Embedded(Blob { uri, mime, text: None, data: Some(data) }) => {
                    (uri.clone(), mime.clone().unwrap_or_default(), data)
                }
                _ => return true,
            };
            if data.len() <= self.media {
                return true;
            }
            let Some(kept) = keeper.keep(data, Kind::of(&mime)) else {
                lost += 1;
                return false;
            };
            let mime = Some(mime).filter(|mime| !mime.is_empty());
            *part = Content::Link(Link { uri: ResultUri::whole(kept.id).to_string(), name, mime });
            true
        });
        match lost {
            0 => {}
            1 => notes.push(note::lost("One part of the result")),
            _ => notes.push(note::lost(&format!("Each of {lost} parts of the result"))),
        }
    }

    fn fit_structured(&self, output: &mut Output, notes: &mut Vec<String>, keeper: Keeper<'_>) {
        let Some(json) = output.structured.as_ref().map(Value::to_string).filter(|json| json.len() > self.structured)
        else {
            return;
        };
        output.structured = None;
        // The text says the same, and is kept whole if it does not fit.
        if output.content.iter().any(|part| matches!(part, Content::Text(text) if *text == json)) {
            return;
        }
        notes.push(match keeper.keep(json.as_bytes(), Kind::JSON) {
            Some(kept) => note::structured(&kept, &(keeper.ways)()),
            None => note::lost("The structured result"),
        });
    }

    fn fit_text(&self, content: Vec<Content>, max: usize, keeper: Keeper<'_>) -> Vec<Content> {
        let mut own = note::MOST_NOTES;
        let (notes, content): (Vec<_>, Vec<_>) = content.into_iter().enumerate().partition(|(_, part)| {
            let note = matches!(part, Content::Text(text) if own > 0 && note::stands_alone(text));
            own -= usize::from(note);
            note
        });
        let mut fitted = self.fit_result(content, max, keeper);
        fitted.extend(notes);
        fitted.sort_by_key(|(at, _)| *at);
        fitted.into_iter().map(|(_, part)| part).collect()
    }

    fn fit_result(&self, content: Vec<(usize, Content)>, max: usize, keeper: Keeper<'_>) -> Vec<(usize, Content)> {
        let chars = |text: &str| text.chars().count();
        let link_chars = |(_, part): &(usize, Content)| match part {
            Content::Link(link) => chars(&link.uri) + chars(&link.name),
            _ => 0,
        };
        let too_many_links = content.iter().map(link_chars).sum::<usize>() > note::most_links(max);
        let texts: Vec<&str> = content.iter().filter_map(|(_, part)| text_of(part)).collect();
        let total: usize = texts.iter().map(|text| chars(text)).sum();
        let fits = total <= max || note::is_preview(&texts, total) || total - note::cut_chars(&texts) <= max;
        if fits && !too_many_links {
            return content;
        }
        let goes = |part: &Content| text_of(part).is_some() || (too_many_links && matches!(part, Content::Link(_)));
        let whole = join(content.iter().map(|(_, part)| part).filter(|part| goes(part)));
        let mut short = Some(Content::Text(self.shorten(&whole, max, keeper)));
        let fitted = content.into_iter().filter_map(|(at, part)| {
            let part = if goes(&part) { short.take() } else { Some(part) };
            Some((at, part?))
        });
        fitted.collect()
    }

    fn shorten(&self, whole: &str, max: usize, keeper: Keeper<'_>) -> String {
        let total = whole.chars().count();
        let is_json = whole.starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(whole).is_ok();
        let kind = if is_json { Kind::JSON } else { Kind::TEXT };
        match keeper.keep(whole.as_bytes(), kind) {
            Some(kept) => {
                let shown = beginning(whole, self.preview.min(max));
                format!("{shown}{}", note::preview(shown.chars().count(), total, &kept, &(keeper.ways)()))
            }
            None => {
                let shown = first(whole, max);
                format!("{shown}{}", note::cut(total - shown.chars().count()))
            }
        }
    }
}

/// The text in a part, if there is text in it.
fn text_of(part: &Content) -> Option<&str> {
    match part {
        Content::Text(text) => Some(text),
        Content::Embedded(blob) => blob.text.as_deref(),
        Content::Image(_) | Content::Audio(_) | Content::Link(_) => None,
    }
}

/// One text of several parts. One alone stays exactly as it is.
fn join<'a>(parts: impl Iterator<Item = &'a Content>) -> String {
    let texts: Vec<String> = parts
        .map(|part| match part {
            Content::Embedded(blob) => format!("{}\n{}", blob.uri, blob.text.as_deref().unwrap_or_default()),
            Content::Link(link) => format!("{} {}", link.name, link.uri),
            part => text_of(part).unwrap_or_default().to_owned(),
        })
        .collect();
    texts.join("\n")
}

/// The first `chars` characters.
fn first(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// The first `chars` characters, or fewer if a line ends in their second half.
fn beginning(text: &str, chars: usize) -> &str {
    let shown = first(text, chars);
    match shown.rfind('\n').and_then(|end| shown.get(..end)) {
        Some(lines) if shown.len() < text.len() && lines.len() >= shown.len() / 2 => lines,
        _ => shown,
    }
}
