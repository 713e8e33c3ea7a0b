//! The file of a resource.

use std::path::{Path, PathBuf};

use hermes_manifest::ToolsetName;
use serde::Deserialize;
use toml::Spanned;

use super::super::completion::Values;
use super::super::folder::{Folder, Found, MAX_FILE};
use super::super::front::{Front, MAX_TEXT_FILE, Misplaced};
use super::super::media::Mime;
use super::super::name::EntryName;
use super::super::template::Template;
use super::Entry;
use super::uri::{Address, UriTemplate};
use crate::document::{DocumentError, line, read_document};
use crate::nearest::UnknownName;

/// A file that clients can read.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// Its address.
    pub uri: String,
    /// Its name; the file's where it says none.
    pub name: String,
    /// What people read in place of the name.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// MIME type.
    pub mime: String,
    /// The toolset to whose sessions it is shown; `None` for every session.
    pub toolset: Option<ToolsetName>,
    /// The file.
    pub file: PathBuf,
    pub(super) content: Content,
}

/// What a resource holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

/// A text of which there is one for each value of the variables in its URI.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceTemplate {
    /// Its addresses.
    pub uri: UriTemplate,
    /// Its name; the file's where it says none.
    pub name: String,
    /// What people read in place of the name.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// MIME type.
    pub mime: String,
    /// What it says of the variables, in the order of the file.
    pub variables: Vec<Variable>,
    /// The toolset to whose sessions it is shown; `None` for every session.
    pub toolset: Option<ToolsetName>,
    /// The file.
    pub file: PathBuf,
    pub(super) text: Template,
    pub(super) is_json: bool,
}

/// A variable in the URI of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: EntryName,
    /// Values to choose from when someone types. Others are taken too.
    pub values: Vec<String>,
}

/// The keys of the front matter, or of the file beside.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Keys {
    uri: Option<Address>,
    name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    mime: Option<Mime>,
    arguments: Vec<ArgumentKeys>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArgumentKeys {
    name: Spanned<EntryName>,
    #[serde(default)]
    values: Values,
}

/// What is said about a file.
struct About {
    keys: Keys,
    /// The file that says it.
    file: PathBuf,
    /// The lines at which the arguments stand.
    lines: Vec<usize>,
}

impl About {
    fn new(keys: Keys, file: &Path, line: impl Fn(usize) -> usize) -> Self {
        let lines = keys.arguments.iter().map(|argument| line(argument.name.span().start)).collect();
        Self { keys, file: file.to_owned(), lines }
    }

    fn wrong(&self, line: usize, message: impl Into<String>) -> DocumentError {
        DocumentError { key: Some("arguments".to_owned()), ..Misplaced::new(line, message).of(&self.file) }
    }
}

/// Reads a file, and what `sidecar` says about it.
pub(super) fn load(found: &Found, sidecar: Option<&Found>, folder: &mut Folder) -> Result<Entry, DocumentError> {
    let whole = |file: &Found, message| DocumentError::whole(&file.path, message);
    let bytes = folder.read(found, MAX_FILE).map_err(|message| whole(found, message))?;
    if let Some(sidecar) = sidecar {
        let keys = folder.read_text(sidecar, MAX_TEXT_FILE).map_err(|message| whole(sidecar, message))?;
        let about = About::new(read_document(&sidecar.path, &keys)?, &sidecar.path, |at| line(&keys, at));
        return entry(found, about, bytes, 1);
    }
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return entry(found, About::new(Keys::default(), &found.path, |_| 1), bytes, 1);
    };
    let front = Front::split(text).map_err(|wrong| wrong.of(&found.path))?;
    let about = About::new(front.keys(&found.path)?, &found.path, |at| front.line_of(at));
    entry(found, about, front.body.as_bytes().to_vec(), front.line)
}

/// `first` is the line at which the content begins.
fn entry(found: &Found, mut about: About, bytes: Vec<u8>, first: usize) -> Result<Entry, DocumentError> {
    let address = about.keys.uri.take();
    let names: Vec<EntryName> = match &address {
        Some(Address::Many(uri)) => uri.names().cloned().collect(),
        _ => Vec::new(),
    };
    let variables = variables(&about, &names)?;
    let Keys { name, title, description, mime, .. } = about.keys;
    let name = name.unwrap_or_else(|| found.name.clone());
    let mime = mime.unwrap_or_else(|| Mime::of(&found.name, &bytes));
    let (toolset, file) = (found.toolset.clone(), found.path.clone());
    let uri = match address {
        Some(Address::Many(uri)) => {
            let text = String::from_utf8(bytes).map_err(|_| {
                DocumentError::whole(&file, format!("it is no text in UTF-8, as the URI `{uri}` needs for its values"))
            })?;
            let text = Template::parse(&text, first, &names).map_err(|wrong| wrong.of(&file))?;
            let (is_json, mime) = (mime.is_json(), mime.to_string());
            let template =
                ResourceTemplate { uri, name, title, description, mime, variables, toolset, file, text, is_json };
            return Ok(Entry::Template(template));
        }
        Some(Address::One(uri)) => uri,
        None => own_address(found),
    };
    let content = mime.text(bytes).map_or_else(Content::Bytes, Content::Text);
    let mime = mime.to_string();
    Ok(Entry::Resource(Resource { uri, name, title, description, mime, toolset, file, content }))
}

fn variables(about: &About, names: &[EntryName]) -> Result<Vec<Variable>, DocumentError> {
    let mut variables = Vec::<Variable>::new();
    for (ArgumentKeys { name, values }, line) in about.keys.arguments.iter().zip(&about.lines) {
        let name = name.get_ref();
        let wrong = |message| Err(about.wrong(*line, message));
        if names.is_empty() {
            return wrong("there is no `{…}` in the URI that they could stand for".to_owned());
        }
        if !names.contains(name) {
            let unknown = UnknownName::new("variable", name.as_str(), names.iter().map(EntryName::as_str));
            return wrong(format!("{unknown} in the URI"));
        }
        if variables.iter().any(|known| known.name == *name) {
            return wrong(format!("`{name}` is there twice"));
        }
        variables.push(Variable { name: name.clone(), values: values.0.clone() });
    }
    Ok(variables)
}

/// The address of a file that says none: its place in the folder.
fn own_address(found: &Found) -> String {
    let mut path = String::from("hermes://resources");
    for part in found.toolset.iter().map(ToolsetName::as_str).chain([found.name.as_str()]) {
        path.push('/');
        path.extend(percent_encoding::utf8_percent_encode(part, super::uri::OUTSIDE));
    }
    path
}
