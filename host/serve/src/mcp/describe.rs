//! A tool's manifest as MCP lists it.

use std::sync::Arc;

use hermes_manifest::{Manifest, Schema};
use rmcp::model::{Icon, JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::Value;

/// How long a result may be before this client cuts it itself.
const MAX_RESULT: &str = "anthropic/maxResultSizeChars";

/// The keyword of a property that a header mirrors.
const MIRRORED: &str = "x-mcp-header";

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
    if let Some(most) = manifest.max_result_size_chars {
        let mut meta = MetaObject::new();
        meta.insert(MAX_RESULT.to_owned(), Value::from(most));
        tool.meta = Some(meta);
    }
    Some(tool)
}

/// Whether some argument is repeated in a header of the request.
pub(super) fn is_mirrored(manifest: &Manifest) -> bool {
    fn mirrors(schema: &Value) -> bool {
        schema.get(MIRRORED).is_some()
            || schema.get("properties").and_then(Value::as_object).is_some_and(|all| all.values().any(mirrors))
    }
    manifest.schema().is_some_and(|schema| mirrors(schema.as_value()))
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
