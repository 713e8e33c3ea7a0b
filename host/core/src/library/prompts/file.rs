//! The file of a prompt.

use serde::Deserialize;
use serde_json::json;
use toml::Spanned;

use super::super::completion::Values;
use super::super::folder::Found;
use super::super::front::{Front, Misplaced};
use super::super::name::EntryName;
use super::ENDING;
use super::body::{self, Attach};
use super::prompt::{Argument, Prompt};
use crate::ask::Form;
use crate::document::DocumentError;

/// Most arguments of a prompt.
const MAX_ARGUMENTS: usize = 32;

/// The keys of the front matter.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Keys {
    name: Option<EntryName>,
    title: Option<String>,
    description: Option<String>,
    arguments: Vec<Entry>,
    ask: Option<Ask>,
}

/// An argument, or a field of the form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Spanned<EntryName>,
    title: Option<String>,
    description: Option<String>,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    values: Values,
}

/// What the prompt asks before it says anything.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    message: Spanned<String>,
    fields: Vec<Entry>,
}

/// Reads the text of a file.
pub(super) fn parse(found: &Found, text: &str, attach: &mut Attach<'_>) -> Result<Prompt, DocumentError> {
    let file = &found.path;
    let front = Front::split(text).map_err(|wrong| wrong.of(file))?;
    let Keys { name, title, description, arguments, ask } = front.keys(file)?;
    let name = match name {
        Some(name) => name,
        None => {
            let stem = found.name.strip_suffix(ENDING).unwrap_or(&found.name);
            EntryName::try_from(stem.to_owned()).map_err(|error| {
                DocumentError::whole(file, format!("{error}; give the file such a name, or its front matter a `name`"))
            })?
        }
    };
    let fields = ask.as_ref().map(|ask| ask.fields.as_slice()).unwrap_or_default();
    let names = names(&front, &arguments, fields).map_err(|(key, wrong)| keyed(wrong, key, found))?;
    let form = ask.map(|ask| form(&front, ask)).transpose().map_err(|wrong| keyed(wrong, "ask", found))?;
    let parts = body::parse(front.body, front.line, &names, attach).map_err(|wrong| wrong.of(file))?;
    Ok(Prompt {
        name,
        title,
        description,
        arguments: arguments.into_iter().map(argument).collect(),
        toolset: found.toolset.clone(),
        file: file.clone(),
        form,
        parts,
    })
}

fn keyed(wrong: Misplaced, key: &str, found: &Found) -> DocumentError {
    DocumentError { key: Some(key.to_owned()), ..wrong.of(&found.path) }
}

fn argument(entry: Entry) -> Argument {
    let Entry { name, title, description, required, values } = entry;
    Argument { name: name.into_inner(), title, description, required, values: values.0 }
}

/// The names of arguments and fields, each once; or the key and what is wrong.
fn names(
    front: &Front<'_>,
    arguments: &[Entry],
    fields: &[Entry],
) -> Result<Vec<EntryName>, (&'static str, Misplaced)> {
    let arguments = arguments.iter().map(|entry| ("arguments", entry));
    let entries = arguments.chain(fields.iter().map(|entry| ("ask.fields", entry)));
    let mut names = Vec::<EntryName>::new();
    for (key, Entry { name, .. }) in entries {
        let wrong = |message| (key, Misplaced::new(front.line_of(name.span().start), message));
        if names.contains(name.get_ref()) {
            return Err(wrong(format!("`{}` is there twice", name.get_ref())));
        }
        if names.len() == MAX_ARGUMENTS {
            return Err(wrong(format!("more than {MAX_ARGUMENTS} arguments and fields")));
        }
        names.push(name.get_ref().clone());
    }
    Ok(names)
}

/// The form of texts and choices.
fn form(front: &Front<'_>, ask: Ask) -> Result<Form, Misplaced> {
    let required: Vec<&str> =
        ask.fields.iter().filter(|field| field.required).map(|field| field.name.get_ref().as_str()).collect();
    let property = |field: &Entry| {
        let mut property = json!({ "type": "string" });
        let values = Some(&field.values.0).filter(|values| !values.is_empty());
        for (key, value) in [
            ("title", field.title.as_ref().map(|title| json!(title))),
            ("description", field.description.as_ref().map(|description| json!(description))),
            ("enum", values.map(|values| json!(values))),
        ] {
            if let (Some(value), Some(property)) = (value, property.as_object_mut()) {
                property.insert(key.to_owned(), value);
            }
        }
        (field.name.get_ref().to_string(), property)
    };
    let properties: serde_json::Map<_, _> = ask.fields.iter().map(property).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let line = front.line_of(ask.message.span().start);
    Form::parse(ask.message.get_ref(), &schema.to_string()).map_err(|error| Misplaced::new(line, error.message))
}
