//! Takes each key from the first source that sets it: flag › environment › file › default.

use std::path::{Path, PathBuf};

use hermes_core::nearest;
use serde::Serialize;
use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{Key, Section};
use super::places::Places;
use super::value::{Value, Written, Wrong, did_you_mean};
use crate::cli::SessionArgs;
use crate::failure::Failure;
use crate::printer::{escape, shown};

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "lowercase")]
pub(crate) enum Origin {
    /// The command line.
    Flag {
        /// The flag.
        name: &'static str,
    },
    /// The environment.
    Environment {
        /// The variable.
        name: String,
    },
    /// The configuration file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// Nobody sets it.
    Default,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag { name } => f.write_str(name),
            Self::Environment { name } => f.write_str(name),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A key with the value that holds.
#[derive(Debug, Serialize)]
pub(crate) struct Resolved {
    /// As `section.key`.
    pub(crate) key: String,
    /// The value, without what is secret in it.
    pub(crate) value: Json,
    /// Where it comes from.
    pub(crate) origin: Origin,
}

impl Resolved {
    /// Where and what, for a message about the value: a flag and a variable stand for their key.
    pub(super) fn place(&self) -> String {
        let origin = escape(&self.origin.to_string(), false);
        match &self.origin {
            Origin::Flag { .. } | Origin::Environment { .. } => origin,
            Origin::File { .. } => format!("{origin}: {}", self.key),
            Origin::Default => self.key.clone(),
        }
    }
}

/// A configuration file that is well formed and has no unknown key.
pub(super) struct File<'a> {
    path: &'a Path,
    text: &'a str,
    table: DeTable<'a>,
}

impl<'a> File<'a> {
    pub(super) fn parse(path: &'a Path, text: &'a str, sections: &[Section]) -> Result<Self, Failure> {
        let table = DeTable::parse(text).map_err(|error| {
            // Without the line's text, which the parser would add: it may hold a password.
            let start = error.span().map_or(0, |span| span.start);
            Failure::usage(format!("{}: {}", place(path, text, start), escape(error.message(), false)))
        })?;
        let file = Self { path, text, table: table.into_inner() };
        match file.unknown(sections).min_by_key(|(start, _)| *start) {
            Some((start, message)) => Err(Failure::usage(format!("{}: {message}", place(path, text, start)))),
            None => Ok(file),
        }
    }

    fn get(&self, key: &Key) -> Option<(&Spanned<DeValue<'a>>, usize)> {
        let section = self.table.get(key.section)?.get_ref().as_table()?;
        let (name, value) = section.get_key_value(key.name)?;
        Some((value, line(self.text, name.span().start)))
    }

    /// What is no key, and where.
    fn unknown<'s>(&'s self, sections: &'s [Section]) -> impl Iterator<Item = (usize, String)> + 's {
        self.table.iter().flat_map(move |(name, value)| {
            let start = name.span().start;
            let Some(section) = sections.iter().find(|section| section.name == name.get_ref().as_ref()) else {
                return vec![(start, unknown_section(name.get_ref(), sections))];
            };
            let Some(table) = value.get_ref().as_table() else {
                return vec![(start, format!("{0}: expected a section: `[{0}]` on a line of its own", section.name))];
            };
            let keys = table.iter().map(|(name, _)| name);
            let unknown = keys.filter(|name| section.keys.iter().all(|key| key.name != name.get_ref().as_ref()));
            unknown.map(|name| (name.span().start, unknown_key(section.name, name.get_ref(), sections))).collect()
        })
    }
}

fn unknown_section(name: &str, sections: &[Section]) -> String {
    let near = match nearest(name, sections.iter().map(|section| section.name)) {
        Some(section) => Some(format!("[{section}]")),
        None => key_named_like(name, sections),
    };
    format!("unknown key `{}`{}", escape(name, false), did_you_mean(near))
}

fn unknown_key(section: &str, name: &str, sections: &[Section]) -> String {
    let own = sections.iter().filter(|candidate| candidate.name == section).flat_map(|section| &section.keys);
    let near = nearest(name, own.map(|key| key.name)).map(|near| format!("{section}.{near}"));
    let near = near.or_else(|| key_named_like(name, sections));
    format!("unknown key `{section}.{}`{}", escape(name, false), did_you_mean(near))
}

/// A key of any section that is called so or nearly so.
fn key_named_like(name: &str, sections: &[Section]) -> Option<String> {
    let keys = || sections.iter().flat_map(|section| &section.keys);
    let near = nearest(name, keys().map(|key| key.name))?;
    keys().find(|key| key.name == near).map(Key::dotted)
}

fn line(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

fn place(path: &Path, text: &str, offset: usize) -> String {
    format!("{}:{}", shown(path), line(text, offset))
}

fn refusal(place: &str, wrong: &Wrong) -> Failure {
    Failure::usage(format!("{place}: {}", escape(&wrong.message, false)))
}

/// All sources, and what came of them so far.
pub(super) struct Reader<'a> {
    args: &'a SessionArgs,
    places: &'a Places,
    file: Option<&'a File<'a>>,
    resolved: Vec<Resolved>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(args: &'a SessionArgs, places: &'a Places, file: Option<&'a File<'a>>) -> Self {
        Self { args, places, file, resolved: Vec::new() }
    }

    /// The value of a key that holds.
    ///
    /// # Errors
    ///
    /// When the file or the source that holds says something else than what is expected; the message names the source and the key.
    pub(super) fn take<T: Value>(&mut self, key: &Key, default: impl FnOnce(&Places) -> T) -> Result<T, Failure> {
        // Read even where it does not hold: what is wrong in the file must not come up when a variable is gone.
        let in_file = self.in_file::<T>(key)?;
        let (value, origin) = match (self.above_file(key), in_file, self.below_file(key)) {
            (Some((written, origin)), ..) | (None, None, Some((written, origin))) => {
                let read = T::read(&written, &self.places.here);
                (read.map_err(|wrong| refusal(&origin.to_string(), &wrong))?, origin)
            }
            (None, Some(found), _) => found,
            (None, None, None) => (default(self.places), Origin::Default),
        };
        self.resolved.push(Resolved { key: key.dotted(), value: value.shown(), origin });
        Ok(value)
    }

    fn above_file(&self, key: &Key) -> Option<(Written<'a>, Origin)> {
        let flag = key.flag.map(|flag| (flag.name, (flag.given)(self.args)));
        match flag.filter(|(_, given)| !given.is_empty()) {
            Some((name, given)) => Some((Written::Flags(given), Origin::Flag { name })),
            None => self.variable(key.variable()),
        }
    }

    fn below_file(&self, key: &Key) -> Option<(Written<'a>, Origin)> {
        self.variable(key.fallback?.to_owned())
    }

    fn variable(&self, name: String) -> Option<(Written<'a>, Origin)> {
        let text = self.places.variable(&name)?.to_owned();
        Some((Written::Variable(text), Origin::Environment { name }))
    }

    fn in_file<T: Value>(&self, key: &Key) -> Result<Option<(T, Origin)>, Failure> {
        let Some((file, (value, line))) = self.file.and_then(|file| Some((file, file.get(key)?))) else {
            return Ok(None);
        };
        let base = self.places.here.join(file.path.parent().unwrap_or(file.path));
        let value = T::read(&Written::Toml(value), &base).map_err(|wrong| {
            let start = wrong.span.as_ref().map_or_else(|| value.span().start, |span| span.start);
            refusal(&format!("{}: {}", place(file.path, file.text, start), key.dotted()), &wrong)
        })?;
        Ok(Some((value, Origin::File { path: file.path.to_path_buf(), line })))
    }

    pub(super) fn into_resolved(self) -> Vec<Resolved> {
        self.resolved
    }
}
