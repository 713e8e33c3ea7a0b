//! Texts with places for values: `{{name}}`.
//!
//! A text is read once, when its file is; values are put in as they are, so nothing in a value is ever a place itself.

use super::front::Misplaced;
use super::name::{EntryName, shortened};
use crate::nearest::UnknownName;

/// Most bytes of all texts that come of one request.
pub const MAX_RENDERED: usize = 1 << 20;

/// A text with places for values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Value(EntryName),
}

/// What comes of the templates of one request, and how much more may.
pub(super) struct Rendering<V> {
    value: V,
    left: usize,
}

/// The text would be longer than [`MAX_RENDERED`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Template {
    /// Reads a text whose first line is `line`. Its values are among `names`; `\{{` stands for the braces themselves.
    pub(super) fn parse(text: &str, mut line: usize, names: &[EntryName]) -> Result<Self, Misplaced> {
        let mut pieces = Vec::new();
        let mut before = String::new();
        let mut rest = text;
        while let Some((text, after)) = rest.split_once("{{") {
            line += lines(text);
            rest = after;
            match text.strip_suffix('\\') {
                // `\\{{` is a backslash before a value.
                Some(escaped) if escaped.ends_with('\\') => before.push_str(escaped),
                Some(escaped) => {
                    before.push_str(escaped);
                    before.push_str("{{");
                    continue;
                }
                None => before.push_str(text),
            }
            let (name, after) = after.split_once("}}").filter(|(name, _)| !name.contains('\n')).ok_or_else(|| {
                Misplaced::new(line, "`{{` without `}}`: expected a name between them; write `\\{{` for the braces")
            })?;
            let name = known(name.trim(), names).map_err(|message| Misplaced { line, message })?;
            pieces.push(Piece::Text(std::mem::take(&mut before)));
            pieces.push(Piece::Value(name));
            rest = after;
        }
        before.push_str(rest);
        pieces.push(Piece::Text(before));
        pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
        Ok(Self(pieces))
    }

    /// The names of its values.
    pub(super) fn names(&self) -> impl Iterator<Item = &EntryName> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Value(name) => Some(name),
        })
    }
}

impl<'a, V: Fn(&str) -> &'a str> Rendering<V> {
    /// Puts what `value` says in the place of each name.
    pub(super) fn new(value: V) -> Self {
        Self { value, left: MAX_RENDERED }
    }

    /// The text with its values.
    pub(super) fn text(&mut self, template: &Template) -> Result<String, TooLong> {
        let mut text = String::new();
        for piece in &template.0 {
            let piece = match piece {
                Piece::Text(piece) => piece,
                Piece::Value(name) => (self.value)(name.as_str()),
            };
            self.left = self.left.checked_sub(piece.len()).ok_or(TooLong)?;
            text.push_str(piece);
        }
        Ok(text)
    }
}

fn known(name: &str, names: &[EntryName]) -> Result<EntryName, String> {
    let known = names.iter().find(|known| known.as_str() == name).cloned();
    known.ok_or_else(|| {
        let name = shortened(name);
        let unknown = UnknownName::new("argument", &name, names.iter().map(EntryName::as_str));
        format!("`{{{{{name}}}}}`: {unknown}; write `\\{{{{` for the braces themselves")
    })
}

fn lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names() -> Vec<EntryName> {
        ["one", "two"].map(|name| name.to_owned().try_into().unwrap()).to_vec()
    }

    fn render(text: &str, one: &str, two: &str) -> Result<String, TooLong> {
        let template = Template::parse(text, 1, &names()).unwrap();
        Rendering::new(|name| if name == "one" { one } else { two }).text(&template)
    }

    #[test]
    fn values_stand_where_their_names_stood() {
        for (text, expected) in [
            ("", ""),
            ("no value", "no value"),
            ("{{one}}", "1"),
            ("{{ one }}{{two}}", "12"),
            ("a {{one}} b\n{{one}}", "a 1 b\n1"),
            (r"\{{one}}", "{{one}}"),
            (r"C:\\{{one}}", r"C:\1"),
            (r"\n and }}", r"\n and }}"),
            (r#"{"id":{{one}}}"#, r#"{"id":1}"#),
        ] {
            assert_eq!(render(text, "1", "2").as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_value_is_told_by_its_line() {
        for (text, line, told) in [
            ("\n\n{{onee}}", 7, "`{{onee}}`: there is no argument `onee`; did you mean `one`?; write `\\{{`"),
            ("{{}}", 5, "`{{}}`: there is no argument ``"),
            ("{{{one}}}", 5, "`{{{one}}`: there is no argument `{one`; did you mean `one`?"),
            ("\n{{one\n}}", 6, "`{{` without `}}`"),
            ("{{one}}\\{{\n{{", 6, "`{{` without `}}`"),
        ] {
            let wrong = Template::parse(text, 5, &names()).unwrap_err();
            assert_eq!(wrong.line, line, "{text}");
            assert!(wrong.message.starts_with(told), "{text}: {}", wrong.message);
        }
    }

    #[test]
    fn a_text_that_grows_too_long_ends() {
        let half = "x".repeat(MAX_RENDERED / 2);
        assert_eq!(render("{{one}}{{one}}", &half, "").unwrap().len(), MAX_RENDERED);
        assert_eq!(render("{{one}}{{one}}.", &half, ""), Err(TooLong));
    }

    proptest! {
        #[test]
        fn a_value_is_never_read(one in r"(\{\{|\}\}|\\|one|two|\+\+\+ user|.){0,12}", two in ".{0,8}") {
            prop_assert_eq!(render("<{{one}}|{{two}}>", &one, &two), Ok(format!("<{one}|{two}>")));
        }

        #[test]
        fn any_text_is_read_or_refused_at_one_of_its_lines(text in r"(\{\{|\}\}|\\|\n| |one|.){0,24}") {
            if let Err(wrong) = Template::parse(&text, 1, &names()) {
                prop_assert!((1..=1 + lines(&text)).contains(&wrong.line));
            }
        }
    }
}
