//! Finds the manifests in a component.
//!
//! Whatever the size of the file, this reads section headers, imports, exports and the one section: some tens of kilobytes.

use std::io::{Read, Seek};
use std::ops::Range;

use wasmparser::{
    BinaryReader, ComponentExport, ComponentExternalKind, ComponentImport, ComponentTypeRef, FromReader,
    SectionLimited, TypeBounds,
};

use crate::contract;
use crate::interface::InterfaceName;
use crate::json;
use crate::manifest::Manifest;
use crate::refusal::Refusal;
use crate::sections::{Section, Sections, id};
use crate::validate::features;

/// The custom section that holds the manifests.
pub const SECTION_NAME: &str = "hermes:tool";
/// The most bytes that the section may have.
pub const MAX_SECTION: u64 = 256 << 10;
/// The most documents that the section may hold.
pub const MAX_DOCUMENTS: usize = 64;
/// The most sections that a component and its core modules may have together.
pub(crate) const MAX_SECTIONS: usize = 10_000;
/// The most imports, and the most exports, that a component may have.
pub(crate) const MAX_EXTERNS: usize = 1_000;
/// The most bytes that all sections of imports and exports may have.
pub(crate) const MAX_EXTERN_BYTES: u64 = 256 << 10;

/// What a component says about itself. Its code was neither read nor validated.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// One a tool or hook, in the section's order; never empty, no name twice.
    pub manifests: Vec<Manifest>,
    /// The section as it stands in the file.
    pub section: Vec<u8>,
    /// The interfaces that it imports, in the file's order.
    pub imports: Vec<InterfaceName>,
    /// The names of all its exports, in the file's order.
    pub exports: Vec<String>,
}

/// Reads the manifests, imports and exports of a component.
///
/// This is cheap enough for each start: for the rest, see [`crate::validate`].
///
/// # Errors
/// The first reason why the file is no component of tools.
pub fn scan<R: Read + Seek>(component: R) -> Result<Found, Refusal> {
    let mut walk = Walk::default();
    let mut sections = Sections::open(component)?;
    walk.component(&mut sections)?;
    let section = match walk.metadata.len() {
        0 => return Err(Refusal::NoManifest),
        1 => walk.metadata.swap_remove(0),
        several => return Err(Refusal::SeveralSections(several)),
    };
    let manifests = parse(&section)?;
    contract::check_names(&manifests, &walk.exports)?;
    let exports = walk.exports.into_iter().map(|(name, _)| name).collect();
    Ok(Found { manifests, section, imports: walk.imports, exports })
}

/// Parses the content of a section.
pub(crate) fn parse(section: &[u8]) -> Result<Vec<Manifest>, Refusal> {
    let mut manifests: Vec<Manifest> = Vec::new();
    for (number, document) in json::documents(section) {
        if number > MAX_DOCUMENTS {
            return Err(Refusal::TooManyDocuments);
        }
        let manifest =
            document.and_then(Manifest::from_value).map_err(|problem| Refusal::Document { number, problem })?;
        if let Some(first) = manifests.iter().position(|other| other.name == manifest.name) {
            return Err(Refusal::NameTaken { name: manifest.name, first: first + 1, second: number });
        }
        manifests.push(manifest);
    }
    if manifests.is_empty() { Err(Refusal::NoDocuments) } else { Ok(manifests) }
}

#[derive(Debug, Default)]
struct Walk {
    metadata: Vec<Vec<u8>>,
    imports: Vec<InterfaceName>,
    exports: Vec<(String, ComponentExternalKind)>,
    extern_bytes: u64,
}

impl Walk {
    fn component<R: Read + Seek>(&mut self, sections: &mut Sections<R>) -> Result<(), Refusal> {
        let end = sections.length();
        while let Some(section) = sections.next(end)? {
            match section.id {
                id::CUSTOM => self.custom(sections, &section)?,
                id::CORE_MODULE => self.module(sections, &section)?,
                id::IMPORT => {
                    let bytes = self.externs(sections, &section)?;
                    for import in read::<ComponentImport<'_>>(&bytes, section.content.start)? {
                        self.import(&import)?;
                    }
                }
                id::EXPORT => {
                    let bytes = self.externs(sections, &section)?;
                    for export in read::<ComponentExport<'_>>(&bytes, section.content.start)? {
                        self.exports.push((export.name.name.to_owned(), export.kind));
                    }
                }
                2..=id::LAST => {}
                unknown => {
                    let message = format!("a section of the unknown kind {unknown}");
                    return Err(Refusal::Malformed { offset: section.content.start, message });
                }
            }
            if self.imports.len().max(self.exports.len()) > MAX_EXTERNS {
                return Err(Refusal::TooManyExterns);
            }
            sections.skip_to(section.content.end)?;
        }
        Ok(())
    }

    fn module<R: Read + Seek>(&mut self, sections: &mut Sections<R>, module: &Section) -> Result<(), Refusal> {
        let end = module.content.end;
        sections.module_preamble(end)?;
        while let Some(section) = sections.next(end)? {
            if section.id == id::CUSTOM {
                self.custom(sections, &section)?;
            }
            sections.skip_to(section.content.end)?;
        }
        Ok(())
    }

    fn custom<R: Read + Seek>(&mut self, sections: &mut Sections<R>, section: &Section) -> Result<(), Refusal> {
        let Some(Range { start, end }) = sections.metadata(section)? else { return Ok(()) };
        let length = end.saturating_sub(start);
        if length > MAX_SECTION {
            return Err(Refusal::SectionTooBig(length));
        }
        // Beyond the second they are only counted.
        let content = if self.metadata.len() < 2 { sections.bytes(length, end)? } else { Vec::new() };
        self.metadata.push(content);
        Ok(())
    }

    fn externs<R: Read + Seek>(&mut self, sections: &mut Sections<R>, section: &Section) -> Result<Vec<u8>, Refusal> {
        self.extern_bytes = self.extern_bytes.saturating_add(section.length());
        if self.extern_bytes > MAX_EXTERN_BYTES {
            return Err(Refusal::TooManyExterns);
        }
        sections.bytes(section.length(), section.content.end)
    }

    fn import(&mut self, import: &ComponentImport<'_>) -> Result<(), Refusal> {
        let name = import.name.name;
        match import.ty {
            ComponentTypeRef::Instance(_) if import.name.implements.is_none() => {
                let name = name.parse().map_err(|_| Refusal::ImportForm(name.chars().take(200).collect()))?;
                self.imports.push(name);
                Ok(())
            }
            // A type that only gives another one a name, as worlds with `use` have them, carries no power.
            ComponentTypeRef::Type(TypeBounds::Eq(_)) => Ok(()),
            _ => Err(Refusal::ImportForm(name.chars().take(200).collect())),
        }
    }
}

/// The items of a section whose content begins at `offset` of the file.
fn read<'a, T: FromReader<'a>>(content: &'a [u8], offset: u64) -> Result<Vec<T>, Refusal> {
    let malformed = |error: wasmparser::BinaryReaderError| Refusal::Malformed {
        offset: error.offset() as u64,
        message: error.message().to_owned(),
    };
    let start = usize::try_from(offset).unwrap_or_default();
    let items = SectionLimited::<T>::new(BinaryReader::new_features(content, start, features())).map_err(malformed)?;
    if items.count() as usize > MAX_EXTERNS {
        return Err(Refusal::TooManyExterns);
    }
    items.into_iter().collect::<Result<_, _>>().map_err(malformed)
}
