//! References within a schema: local, acyclic, and bounded when they are inlined.

use std::collections::BTreeMap;

use super::keywords::Subschema;
use crate::manifest::ManifestError;
use crate::pointer::Pointer;

/// How many subschemas there may be once every reference is replaced by what it refers to.
const MAX_INLINED: usize = 10_000;

/// Checks every `$ref`. `at` is where the schema stands in its document.
pub(super) fn check(subschemas: &[Subschema<'_>], at: &Pointer) -> Result<(), ManifestError> {
    let places = subschemas.iter().enumerate().map(|(index, subschema)| (subschema.place.as_str(), index)).collect();
    let mut inline = Inline { at, subschemas, places, sizes: vec![Size::Unknown; subschemas.len()] };
    (0..subschemas.len()).try_for_each(|index| inline.size(index).map(drop))
}

#[derive(Debug, Clone, Copy)]
enum Size {
    Unknown,
    Open,
    Known(usize),
}

struct Inline<'a> {
    at: &'a Pointer,
    subschemas: &'a [Subschema<'a>],
    places: BTreeMap<&'a str, usize>,
    sizes: Vec<Size>,
}

impl Inline<'_> {
    /// The number of subschemas in subschema `index`, itself and all references included.
    ///
    /// Recursion is as deep as the subschemas that are open at one time, each once: at most the number of subschemas.
    fn size(&mut self, index: usize) -> Result<usize, ManifestError> {
        let Some(subschema) = self.subschemas.get(index) else { return Ok(0) };
        match self.sizes.get(index) {
            Some(Size::Known(size)) => return Ok(*size),
            Some(Size::Open) => {
                return Err(self.error(subschema, "it is part of itself by reference: schemas must end"));
            }
            Some(Size::Unknown) | None => self.set(index, Size::Open),
        }
        let mut size = 1_usize;
        for part in &subschema.parts {
            size = size.saturating_add(self.size(*part)?);
        }
        if let Some(reference) = subschema.reference {
            let target = self.target(subschema, reference)?;
            size = size.saturating_add(self.size(target)?);
        }
        if size > MAX_INLINED {
            return Err(
                self.error(subschema, format!("with references inlined it has more than {MAX_INLINED} subschemas"))
            );
        }
        self.set(index, Size::Known(size));
        Ok(size)
    }

    fn target(&self, subschema: &Subschema<'_>, reference: &str) -> Result<usize, ManifestError> {
        let Some(place) = reference.strip_prefix('#') else {
            return Err(
                self.error(subschema, format!("`$ref` is {reference:?}: expected a local one, such as `#/$defs/name`"))
            );
        };
        self.places.get(place).copied().ok_or_else(|| {
            self.error(
                subschema,
                format!("`$ref` is {reference:?}, where no schema stands: expected one such as `#/$defs/name`"),
            )
        })
    }

    fn set(&mut self, index: usize, size: Size) {
        if let Some(slot) = self.sizes.get_mut(index) {
            *slot = size;
        }
    }

    fn error(&self, subschema: &Subschema<'_>, message: impl Into<String>) -> ManifestError {
        ManifestError::Field {
            path: format!("{}{}", self.at.as_str(), subschema.place.as_str()),
            message: message.into(),
        }
    }
}
