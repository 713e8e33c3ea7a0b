//! Results as MCP content.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes_core::{Blob, Content, Media, Outcome};
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};
use serde_json::Value;

/// Pieces of a result as MCP writes them: `[{"type": "text", "text": …}, …]`.
pub fn content_json(content: &[Content]) -> Value {
    let blocks: Vec<ContentBlock> = content.iter().map(block).collect();
    serde_json::to_value(blocks).unwrap_or_default()
}

/// A call's outcome as a result. A failure is a result too, so that the model reads it; it has no structured content.
pub(super) fn result(outcome: &Outcome) -> CallToolResult {
    match outcome {
        Outcome::Done(output) => {
            let mut result = CallToolResult::success(output.content.iter().map(block).collect());
            result.structured_content.clone_from(&output.structured);
            result
        }
        failed => {
            let error = failed.error().map(|error| error.to_string()).unwrap_or_default();
            CallToolResult::error(vec![ContentBlock::text(error)])
        }
    }
}

/// One piece.
pub(super) fn block(content: &Content) -> ContentBlock {
    match content {
        Content::Text(text) => ContentBlock::text(text.clone()),
        Content::Image(Media { mime, data }) => ContentBlock::image(STANDARD.encode(data), mime.clone()),
        Content::Audio(Media { mime, data }) => ContentBlock::audio(STANDARD.encode(data), mime.clone()),
        Content::Embedded(blob) => ContentBlock::resource(resource(blob)),
        Content::Link(link) => {
            let resource = Resource::new(link.uri.clone(), link.name.clone());
            ContentBlock::resource_link(match &link.mime {
                Some(mime) => resource.with_mime_type(mime.clone()),
                None => resource,
            })
        }
    }
}

/// A document, whole.
pub(super) fn resource(blob: &Blob) -> ResourceContents {
    let contents = match (&blob.text, &blob.data) {
        (None, Some(data)) => ResourceContents::blob(STANDARD.encode(data), blob.uri.clone()),
        (text, _) => ResourceContents::text(text.clone().unwrap_or_default(), blob.uri.clone()),
    };
    match &blob.mime {
        Some(mime) => contents.with_mime_type(mime.clone()),
        None => contents,
    }
}
