//! Resources: files that clients can read by a URI.
//!
//! A file serves as it is, as `hermes://resources/NAME`. What is to be said about it stands in front matter, where it is text, or in
//! a file `NAME.toml` beside it. A URI with `{name}` in it makes it a template: its text is given with the values for `{{name}}`.

mod file;
mod read;
mod uri;

use std::path::Path;

pub use file::{Resource, ResourceTemplate, Variable};
pub use read::ResourceError;
pub use uri::{UriTemplate, UriTemplateError};

use super::folder::Folder;
use crate::document::DocumentError;

/// The ending of a file about the file beside it.
const SIDECAR: &str = ".toml";

/// All resources of a host.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resources {
    resources: Vec<Resource>,
    templates: Vec<ResourceTemplate>,
    refused: Vec<DocumentError>,
}

/// What a file turned out to be.
enum Entry {
    Resource(Resource),
    Template(ResourceTemplate),
}

impl Resources {
    /// Reads the resources of a folder, and of the folders of toolsets below it. A folder that does not exist has none.
    ///
    /// Of two with the same URI the first counts: those of the folder itself before those of toolsets, in the order of paths.
    pub fn load(folder: &Path) -> Self {
        let mut folder = Folder::list(folder);
        let (mut resources, mut templates) = (Vec::<Resource>::new(), Vec::<ResourceTemplate>::new());
        for found in folder.files.clone() {
            let is_sidecar = found.name.strip_suffix(SIDECAR).is_some_and(|name| folder.beside(&found, name).is_some());
            if is_sidecar {
                continue;
            }
            let sidecar = folder.beside(&found, &format!("{}{SIDECAR}", found.name)).cloned();
            let taken = |first: &Path, uri: &str| {
                Err(DocumentError::whole(&found.path, format!("the URI `{uri}` is taken by {}", first.display())))
            };
            let read = file::load(&found, sidecar.as_ref(), &mut folder);
            let read = read.and_then(|entry| match &entry {
                Entry::Resource(Resource { uri, .. }) => match resources.iter().find(|first| first.uri == *uri) {
                    Some(first) => taken(&first.file, uri),
                    None => Ok(entry),
                },
                Entry::Template(ResourceTemplate { uri, .. }) => match templates.iter().find(|first| first.uri == *uri)
                {
                    Some(first) => taken(&first.file, uri.as_str()),
                    None => Ok(entry),
                },
            });
            match read {
                Ok(Entry::Resource(resource)) => resources.push(resource),
                Ok(Entry::Template(template)) => templates.push(template),
                Err(error) => folder.refused.push(error),
            }
        }
        resources.sort_by(|a, b| a.uri.cmp(&b.uri));
        Self { resources, templates, refused: folder.refused }
    }

    /// All resources, in the order of URIs.
    pub fn iter(&self) -> impl Iterator<Item = &Resource> + Clone {
        self.resources.iter()
    }

    /// All templates, in the order in which they are tried.
    pub fn templates(&self) -> impl Iterator<Item = &ResourceTemplate> + Clone {
        self.templates.iter()
    }

    /// What was refused, and why.
    pub fn refused(&self) -> &[DocumentError] {
        &self.refused
    }
}
