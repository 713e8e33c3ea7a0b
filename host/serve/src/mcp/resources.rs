//! Resources: kept results, and those that lie in folders.

use hermes_core::library::{Library, ResourceError, ResourceTemplate as FileTemplate};
use hermes_core::results::{ResultUri, UriError};
use hermes_core::{Host, Session};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceTemplate};
use serde_json::json;

use super::{content, results};

/// The resources of folders, in the order of URIs.
pub(super) fn all<'a>(library: Library<'a>) -> impl Iterator<Item = Resource> + use<'a> {
    library.resources().map(|resource| {
        let mut listed =
            Resource::new(resource.uri.clone(), resource.name.clone()).with_mime_type(resource.mime.clone());
        listed.title.clone_from(&resource.title);
        listed.description.clone_from(&resource.description);
        listed.size = u64::try_from(resource.size()).ok();
        listed
    })
}

/// How clients address kept results, and the templates of folders, in the order of URIs.
pub(super) fn templates(library: Library<'_>) -> Vec<ResourceTemplate> {
    let mut templates: Vec<ResourceTemplate> = library.templates().map(template).collect();
    templates.push(results::template());
    templates.sort_by(|a, b| a.uri_template.cmp(&b.uri_template));
    templates
}

fn template(template: &FileTemplate) -> ResourceTemplate {
    let mut listed = ResourceTemplate::new(template.uri.as_str(), template.name.clone());
    listed.title.clone_from(&template.title);
    listed.description.clone_from(&template.description);
    listed.with_mime_type(template.mime.clone())
}

/// What a session reads at an address.
pub(super) enum Read {
    /// A kept result, which never changes.
    Kept(ReadResourceResult),
    /// A file's content, which changes with the file.
    File(ReadResourceResult),
}

/// Reads what is at an address: a kept result of the session or a part of it, or else what lies in a folder.
///
/// # Errors
///
/// When the session sees nothing there, or it cannot be read.
pub(super) fn read(host: &Host, session: &Session, uri: &str) -> Result<Read, ErrorData> {
    match uri.parse::<ResultUri>() {
        Ok(address) => results::read(host, session, address, uri).map(Read::Kept),
        Err(UriError::Other) => {
            let read = host.registry().catalog().library(&session.view).read(uri);
            let blob = read.map_err(|error| match error {
                ResourceError::Unknown(_) => not_found(uri, &error.to_string()),
                ResourceError::TooLong => ErrorData::invalid_params(error.to_string(), Some(json!({ "uri": uri }))),
            })?;
            Ok(Read::File(ReadResourceResult::new(vec![content::resource(&blob)])))
        }
        Err(error) => Err(not_found(uri, &format!("there is no such resource: {error}"))),
    }
}

/// The error for an address at which there is nothing.
pub(super) fn not_found(uri: &str, why: &str) -> ErrorData {
    ErrorData::resource_not_found(why.to_owned(), Some(json!({ "uri": uri })))
}
