//! What may stand behind a key: one value, one that may be absent, or a list.

use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::path::Path;

use serde_json::Value as Json;
use toml::Spanned;
use toml::de::DeValue;

/// A value as its source writes it.
pub(super) enum Written<'a> {
    /// By a flag, once for each time that it was given.
    Flags(Vec<OsString>),
    /// By the environment: a list is one text.
    Variable(OsString),
    /// By the configuration file.
    Toml(&'a Spanned<DeValue<'a>>),
}

/// Why a value cannot be used.
pub(super) struct Wrong {
    pub(super) message: String,
    /// Where it stands in the configuration file, when it comes from there.
    pub(super) span: Option<Range<usize>>,
}

/// The value of a key.
pub(super) trait Value: Sized {
    /// What is expected, for errors and for the reference page.
    const FORM: &'static str;

    /// Reads it. A relative path starts at `base`.
    fn read(written: &Written<'_>, base: &Path) -> Result<Self, Wrong>;

    /// The value as people may see it: without what is secret in it.
    fn shown(&self) -> Json;
}

/// A value that one text says.
pub(super) trait Scalar: Sized {
    const FORM: &'static str;
    /// The form of a list of these.
    const LIST: &'static str = "";
    /// Whether the file may write it as a string.
    const STRING: bool = true;
    /// Whether the file may write it as a number.
    const NUMBER: bool = false;

    fn parse(text: &OsStr, base: &Path) -> Result<Self, String>;

    /// Splits the text of a variable that holds a list.
    fn split(text: &OsStr) -> Vec<OsString> {
        text.to_string_lossy().split(',').map(|item| item.trim().into()).collect()
    }

    fn shown(&self) -> Json;
}

impl<T: Scalar> Value for T {
    const FORM: &'static str = T::FORM;

    fn read(written: &Written<'_>, base: &Path) -> Result<Self, Wrong> {
        match written {
            Written::Flags(texts) => parse(&texts.last().cloned().unwrap_or_default(), base),
            Written::Variable(text) => parse(text, base),
            Written::Toml(value) => one(value, base),
        }
    }

    fn shown(&self) -> Json {
        Scalar::shown(self)
    }
}

impl<T: Scalar> Value for Option<T> {
    const FORM: &'static str = T::FORM;

    fn read(written: &Written<'_>, base: &Path) -> Result<Self, Wrong> {
        T::read(written, base).map(Some)
    }

    fn shown(&self) -> Json {
        self.as_ref().map_or(Json::Null, Scalar::shown)
    }
}

impl<T: Scalar> Value for Vec<T> {
    const FORM: &'static str = T::LIST;

    fn read(written: &Written<'_>, base: &Path) -> Result<Self, Wrong> {
        match written {
            Written::Flags(texts) => texts.iter().map(|text| parse(text, base)).collect(),
            Written::Variable(text) => T::split(text).iter().map(|text| parse(text, base)).collect(),
            Written::Toml(value) => match value.get_ref().as_array() {
                Some(items) => items.iter().map(|item| one(item, base)).collect(),
                None => Err(mistyped(value, T::LIST)),
            },
        }
    }

    fn shown(&self) -> Json {
        self.iter().map(Scalar::shown).collect()
    }
}

fn parse<T: Scalar>(text: &OsStr, base: &Path) -> Result<T, Wrong> {
    T::parse(text, base).map_err(|message| Wrong { message, span: None })
}

fn one<T: Scalar>(value: &Spanned<DeValue<'_>>, base: &Path) -> Result<T, Wrong> {
    let text = match value.get_ref() {
        DeValue::String(text) if T::STRING => text.as_ref(),
        DeValue::Integer(number) if T::NUMBER => number.as_str(),
        _ => return Err(mistyped(value, T::FORM)),
    };
    T::parse(OsStr::new(text), base).map_err(|message| Wrong { message, span: Some(value.span()) })
}

/// Names the types alone: the value itself may be a secret.
fn mistyped(value: &Spanned<DeValue<'_>>, expected: &str) -> Wrong {
    let found = match value.get_ref() {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    Wrong { message: format!("expected {expected}, found {found}"), span: Some(value.span()) }
}

/// The end of an error about a name, if a right one is near.
pub(super) fn did_you_mean(near: Option<String>) -> String {
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}
