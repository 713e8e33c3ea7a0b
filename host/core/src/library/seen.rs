//! What a session sees of prompts and resources.

use hermes_manifest::ToolsetName;

use super::prompts::{Prompt, Prompts};
use super::resources::{Resource, ResourceError, ResourceTemplate, Resources};
use crate::call::Blob;
use crate::nearest::UnknownName;
use crate::toolset::{Toolsets, View};

/// The prompts and resources that a view shows: those for every session, and those of the toolsets that it has.
#[derive(Debug, Clone, Copy)]
pub struct Library<'a> {
    pub(crate) prompts: &'a Prompts,
    pub(crate) resources: &'a Resources,
    pub(crate) toolsets: &'a Toolsets,
    pub(crate) view: &'a View,
}

impl<'a> Library<'a> {
    /// The prompts, in the order of names.
    pub fn prompts(self) -> impl Iterator<Item = &'a Prompt> {
        self.prompts.iter().filter(move |prompt| self.shows(prompt.toolset.as_ref()))
    }

    /// One prompt.
    ///
    /// # Errors
    ///
    /// When the session sees none of this name; with the nearest that it does.
    pub fn prompt(self, name: &str) -> Result<&'a Prompt, UnknownName> {
        let names = || self.prompts().map(|prompt| prompt.name.as_str());
        self.prompts()
            .find(|prompt| prompt.name.as_str() == name)
            .ok_or_else(|| UnknownName::new("prompt", name, names()))
    }

    /// The resources, in the order of URIs.
    pub fn resources(self) -> impl Iterator<Item = &'a Resource> {
        self.resources.iter().filter(move |resource| self.shows(resource.toolset.as_ref()))
    }

    /// The templates of resources, in the order in which they are tried.
    pub fn templates(self) -> impl Iterator<Item = &'a ResourceTemplate> {
        self.resources.templates().filter(move |template| self.shows(template.toolset.as_ref()))
    }

    /// One template, by the text of its URI.
    ///
    /// # Errors
    ///
    /// When the session sees no such template; with the nearest that it does.
    pub fn template(self, uri: &str) -> Result<&'a ResourceTemplate, UnknownName> {
        let uris = || self.templates().map(|template| template.uri.as_str());
        self.templates()
            .find(|template| template.uri.as_str() == uri)
            .ok_or_else(|| UnknownName::new("resource template", uri, uris()))
    }

    /// What is at an address: the resource that has it, or else what the first template makes of it.
    ///
    /// # Errors
    ///
    /// When there is nothing, or the text becomes too long.
    pub fn read(self, uri: &str) -> Result<Blob, ResourceError> {
        if let Some(resource) = self.resources().find(|resource| resource.uri == uri) {
            return Ok(resource.read());
        }
        let made = self.templates().find_map(|template| template.read(uri));
        let uris = self.resources().map(|resource| resource.uri.as_str());
        made.unwrap_or_else(|| Err(UnknownName::new("resource", uri, uris).into()))
    }

    fn shows(self, toolset: Option<&ToolsetName>) -> bool {
        toolset.is_none_or(|toolset| self.toolsets.shows(self.view, toolset.as_str()))
    }
}
