//! A tool's manifest as MCP lists it.

use std::sync::Arc;

use hermes_manifest::{Manifest, Schema};
use rmcp::model::{Icon, JsonObject, Tool, ToolAnnotations};

/// The entry of `tools/list`; `None` for a hook, which models do not call.
pub(super) fn describe(manifest: &Manifest) -> Option<Tool> {
    let input = object(manifest.schema()?)?;
    let hints = &manifest.annotations;
    let annotations = ToolAnnotations::from_raw(
        manifest.title.clone(),
        Some(hints.read_only),
        // What only reads destroys nothing, whatever the manifest leaves at its default.
        Some(hints.destructive && !hints.read_only),
        Some(hints.idempotent),
        Some(hints.open_world),
    );
    let mut tool = Tool::new(manifest.name.to_string(), manifest.description.clone(), input);
    tool.title.clone_from(&manifest.title);
    tool.annotations = Some(annotations);
    tool.output_schema = manifest.output_schema().and_then(object);
    if !manifest.icons.is_empty() {
        tool.icons = Some(manifest.icons.iter().map(icon).collect());
    }
    Some(tool)
}

fn object(schema: &Schema) -> Option<Arc<JsonObject>> {
    schema.as_value().as_object().cloned().map(Arc::new)
}

fn icon(icon: &hermes_manifest::Icon) -> Icon {
    let mut described = Icon::new(String::from(icon.src.clone()));
    described.mime_type.clone_from(&icon.mime_type);
    described.sizes = (!icon.sizes.is_empty()).then(|| icon.sizes.clone());
    described
}
