//! Puts manifests into a component that was built without.

use std::borrow::Cow;
use std::io::Cursor;

use wasm_encoder::{Component, CustomSection, Module, RawSection};

use crate::find::{MAX_SECTION, SECTION_NAME, scan};
use crate::json;
use crate::refusal::Refusal;
use crate::sections::{Section, Sections, id};

/// What to do with manifests that a component has already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Refuse.
    Keep,
    /// Remove them.
    Replace,
}

/// Embeds a stream of JSON documents, one a tool, into a component and returns the new component.
///
/// To restore the manifests of a component that lost them, pass the `section` that [`scan`] finds in the original.
///
/// # Errors
/// Whatever makes [`scan`] refuse the result, and [`Refusal::AlreadyEmbedded`] if there are manifests to keep.
pub fn embed(component: &[u8], documents: &[u8], existing: Existing) -> Result<Vec<u8>, Refusal> {
    let length = documents.len() as u64;
    if length > MAX_SECTION {
        return Err(Refusal::SectionTooBig(length));
    }
    let mut section = String::new();
    for (number, document) in json::documents(documents) {
        let document = document.map_err(|problem| Refusal::Document { number, problem })?;
        section.push_str(&document.to_string());
        section.push('\n');
    }
    let mut rebuilt = Rebuilt::of(component)?;
    if rebuilt.removed && existing == Existing::Keep {
        return Err(Refusal::AlreadyEmbedded);
    }
    rebuilt
        .component
        .section(&CustomSection { name: Cow::Borrowed(SECTION_NAME), data: Cow::Borrowed(section.as_bytes()) });
    let embedded = rebuilt.component.finish();
    scan(Cursor::new(&embedded))?;
    Ok(embedded)
}

/// A component without its manifests.
struct Rebuilt<'a> {
    original: &'a [u8],
    component: Component,
    removed: bool,
}

impl<'a> Rebuilt<'a> {
    fn of(original: &'a [u8]) -> Result<Self, Refusal> {
        let mut rebuilt = Self { original, component: Component::new(), removed: false };
        let mut sections = Sections::open(Cursor::new(original))?;
        let end = sections.length();
        while let Some(section) = sections.next(end)? {
            if section.id == id::CUSTOM && sections.metadata(&section)?.is_some() {
                rebuilt.removed = true;
            } else if section.id == id::CORE_MODULE {
                let module = rebuilt.module(&mut sections, section.content.end)?;
                rebuilt.component.section(&RawSection { id: section.id, data: &module });
            } else {
                rebuilt.component.section(&RawSection { id: section.id, data: rebuilt.content(&section) });
            }
            sections.skip_to(section.content.end)?;
        }
        Ok(rebuilt)
    }

    fn module(&mut self, sections: &mut Sections<Cursor<&[u8]>>, end: u64) -> Result<Vec<u8>, Refusal> {
        let mut module = Module::new();
        sections.module_preamble(end)?;
        while let Some(section) = sections.next(end)? {
            if section.id == id::CUSTOM && sections.metadata(&section)?.is_some() {
                self.removed = true;
            } else {
                module.section(&RawSection { id: section.id, data: self.content(&section) });
            }
            sections.skip_to(section.content.end)?;
        }
        Ok(module.finish())
    }

    fn content(&self, section: &Section) -> &'a [u8] {
        let range = usize::try_from(section.content.start).ok().zip(usize::try_from(section.content.end).ok());
        range.and_then(|(start, end)| self.original.get(start..end)).unwrap_or_default()
    }
}
