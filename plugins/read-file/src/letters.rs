//! The characters of bytes that should be UTF-8, and where each stands.

use std::char::REPLACEMENT_CHARACTER;

/// One character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Letter {
    /// U+FFFD for bytes that are no UTF-8.
    pub(crate) char: char,
    /// How many bytes it takes where it was read.
    pub(crate) width: usize,
    /// Whether it stands for bytes that are no UTF-8.
    pub(crate) is_lossy: bool,
}

/// The characters of `bytes`, as [`String::from_utf8_lossy`] reads them.
pub(crate) fn letters(bytes: &[u8]) -> impl Iterator<Item = Letter> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().chars().map(|char| Letter { char, width: char.len_utf8(), is_lossy: false });
        let width = chunk.invalid().len();
        valid.chain((width > 0).then_some(Letter { char: REPLACEMENT_CHARACTER, width, is_lossy: true }))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn letters_are_those_of_the_standard_library_and_cover_all_bytes(bytes: Vec<u8>) {
            let text: String = letters(&bytes).map(|letter| letter.char).collect();
            prop_assert_eq!(text, String::from_utf8_lossy(&bytes));
            prop_assert_eq!(letters(&bytes).map(|letter| letter.width).sum::<usize>(), bytes.len());
        }
    }
}
