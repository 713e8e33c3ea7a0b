//! What someone may be typing: values of the arguments of prompts, and of the variables of resource templates.

use hermes_core::UnknownName;
use hermes_core::library::{Completion, Library};
use hermes_core::results::ResultUri;
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};

/// Completes what was typed from the values that the files of `library` list.
///
/// # Errors
///
/// When the session sees no such prompt or template, or it has no such argument.
pub(super) fn complete(library: Library<'_>, params: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let found = find(library, params).map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
    let (total, has_more) = (u32::try_from(found.total).ok(), found.has_more());
    let found = CompletionInfo::with_pagination(found.values, total, has_more);
    found.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None))
}

fn find(library: Library<'_>, params: &CompleteRequestParams) -> Result<Completion, UnknownName> {
    let (name, typed) = (params.argument.name.as_str(), params.argument.value.as_str());
    match &params.r#ref {
        Reference::Prompt(prompt) => library.prompt(&prompt.name)?.complete(name, typed),
        // Ids of kept results are secret, and where to begin is free.
        Reference::Resource(template) if template.uri == ResultUri::TEMPLATE => {
            Ok(Completion { values: Vec::new(), total: 0 })
        }
        Reference::Resource(template) => library.template(&template.uri)?.complete(name, typed),
        _ => Err(UnknownName::new("kind of reference", "", ["ref/prompt", "ref/resource"].into_iter())),
    }
}
