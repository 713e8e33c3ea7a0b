//! The document as it is written, and how it becomes a [`Manifest`].

use std::collections::BTreeSet;

use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Manifest;
use super::error::ManifestError;
use super::parts::{
    Annotations, Check, ClientFeature, EnvRequirement, Example, Icon, NamePattern, Parallel, Role, WebUrl,
};
use crate::capability::Capabilities;
use crate::name::{ToolName, ToolsetName};
use crate::pointer::Pointer;
use crate::schema::Schema;
use crate::text;

/// The revision of the format that this crate reads.
const REVISION: u64 = 1;
const MAX_DESCRIPTION: usize = 16 << 10;
const MAX_TITLE: usize = 128;
/// One emoji can have many code points: a family of four with skin tones has 11.
const MAX_EMOJI: usize = 16;
const DEFAULT_EMOJI: &str = "⚡";
const DEFAULT_RESULT_SIZE: u64 = 100_000;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    manifest: u64,
    #[serde(default)]
    kind: Kind,
    name: ToolName,
    version: Version,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    toolset: Option<ToolsetName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(default = "default_emoji")]
    emoji: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    icons: Vec<Icon>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    matches: Option<Vec<NamePattern>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<i32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    requires_env: Vec<EnvRequirement>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    requires_host: Option<VersionReq>,
    #[serde(default, skip_serializing_if = "Capabilities::is_empty")]
    capabilities: Capabilities,
    #[serde(default, skip_serializing_if = "is_default")]
    check: Check,
    #[serde(default, skip_serializing_if = "is_default")]
    is_async: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    parallel: Parallel,
    #[serde(default = "default_result_size", skip_serializing_if = "is_default_result_size")]
    max_result_size_chars: Option<u64>,
    #[serde(default, skip_serializing_if = "is_default")]
    annotations: Annotations,
    #[serde(default, skip_serializing_if = "is_default")]
    requires_client: BTreeSet<ClientFeature>,
    #[serde(default, skip_serializing_if = "is_default")]
    pages_results: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    examples: Vec<Example>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    authors: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    license: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    homepage: Option<WebUrl>,
}

#[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Tool,
    Hook,
}

fn default_emoji() -> String {
    DEFAULT_EMOJI.to_owned()
}

#[expect(clippy::unnecessary_wraps, reason = "serde wants the field's type")]
fn default_result_size() -> Option<u64> {
    Some(DEFAULT_RESULT_SIZE)
}

#[expect(clippy::ref_option, reason = "serde wants a reference to the field")]
fn is_default_result_size(size: &Option<u64>) -> bool {
    *size == default_result_size()
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Makes `$to` of the fields that document and manifest share, moved or cloned out of `$from`.
macro_rules! with_shared {
    ($to:ident { $($own:ident $(: $value:expr)?),* $(,)? }, $from:expr) => {
        $to {
            $($own $(: $value)?,)*
            name: $from.name, version: $from.version, toolset: $from.toolset, title: $from.title,
            description: $from.description, emoji: $from.emoji, icons: $from.icons, requires_env: $from.requires_env,
            requires_host: $from.requires_host, capabilities: $from.capabilities, check: $from.check,
            is_async: $from.is_async, parallel: $from.parallel, max_result_size_chars: $from.max_result_size_chars,
            annotations: $from.annotations, requires_client: $from.requires_client, pages_results: $from.pages_results,
            examples: $from.examples, authors: $from.authors, license: $from.license, homepage: $from.homepage,
        }
    };
}

/// Reads a document whose objects have no key twice.
pub(super) fn read(value: Value) -> Result<Manifest, ManifestError> {
    let root = Pointer::root();
    if !value.is_object() {
        return Err(root.error("expected an object"));
    }
    match value.get("manifest") {
        Some(revision) if revision.as_u64() == Some(REVISION) => {}
        Some(revision) => {
            let message = format!("it is {revision}: this host reads revision {REVISION}");
            return Err(root.join("manifest").error(message));
        }
        None => return Err(root.error(format!("`manifest` is missing: expected `\"manifest\": {REVISION}`"))),
    }
    text::check(&value, &root)?;
    let document: Document = serde_path_to_error::deserialize(value).map_err(|error| {
        let at = Pointer::from(error.path());
        at.error(error.into_inner().to_string())
    })?;
    document.into_manifest()
}

impl Document {
    fn into_manifest(mut self) -> Result<Manifest, ManifestError> {
        let root = Pointer::root();
        if self.description.len() > MAX_DESCRIPTION {
            let message = format!("it has {} bytes: expected at most {MAX_DESCRIPTION}", self.description.len());
            return Err(root.join("description").error(message));
        }
        if let Some(title) = &self.title {
            line(title, MAX_TITLE, &root.join("title"))?;
        }
        line(&self.emoji, MAX_EMOJI, &root.join("emoji"))?;
        if let Parallel::By(arguments) = &self.parallel {
            let at = root.join("parallel").join("by");
            if arguments.is_empty() {
                return Err(at.error("expected at least one argument"));
            }
            lines(arguments, &at)?;
        }
        lines(&self.authors, &root.join("authors"))?;
        lines(&self.license, &root.join("license"))?;
        for (index, icon) in self.icons.iter().enumerate() {
            let at = root.join("icons").join(index);
            lines(&icon.mime_type, &at.join("mime_type"))?;
            lines(&icon.sizes, &at.join("sizes"))?;
        }
        for (index, required) in self.requires_env.iter().enumerate() {
            let at = root.join("requires_env").join(index);
            lines(&required.description, &at.join("description"))?;
            lines(&required.prompt, &at.join("prompt"))?;
        }
        let role = self.role(&root)?;
        Ok(with_shared!(Manifest { role }, self))
    }

    fn role(&mut self, root: &Pointer) -> Result<Role, ManifestError> {
        let foreign = |present: bool, field: &str, kind: &str| {
            if present { Err(root.join(field).error(format!("only a {kind} has this field"))) } else { Ok(()) }
        };
        let missing = |field: &str| root.error(format!("`{field}` is missing"));
        match self.kind {
            Kind::Tool => {
                foreign(self.matches.is_some(), "match", "hook")?;
                foreign(self.order.is_some(), "order", "hook")?;
                if self.description.trim().is_empty() {
                    return Err(missing("description"));
                }
                let schema = self.schema.take().ok_or_else(|| missing("schema"))?;
                let output = self.output_schema.take();
                let output = output.map(|schema| Schema::output_at(schema, &root.join("output_schema"))).transpose()?;
                Ok(Role::Tool {
                    schema: Box::new(Schema::arguments_at(schema, &root.join("schema"))?),
                    output_schema: output.map(Box::new),
                })
            }
            Kind::Hook => {
                foreign(self.schema.is_some(), "schema", "tool")?;
                foreign(self.output_schema.is_some(), "output_schema", "tool")?;
                let matches =
                    self.matches.take().filter(|matches| !matches.is_empty()).ok_or_else(|| missing("match"))?;
                Ok(Role::Hook { matches, order: self.order.unwrap_or_default() })
            }
        }
    }
}

fn line(text: &str, max: usize, at: &Pointer) -> Result<(), ManifestError> {
    let length = text.chars().count();
    if length == 0 || length > max || text.contains(['\n', '\t']) {
        return Err(at.error(format!("expected one line of 1 to {max} characters")));
    }
    Ok(())
}

/// Short texts, of which none may pass for more than one.
fn lines<'a>(texts: impl IntoIterator<Item = &'a String>, at: &Pointer) -> Result<(), ManifestError> {
    texts.into_iter().try_for_each(|each| text::check_line(each, at))
}

impl From<&Manifest> for Document {
    fn from(manifest: &Manifest) -> Self {
        let Manifest { role, .. } = manifest;
        let (kind, schema, output_schema, matches, order) = match role {
            Role::Tool { schema, output_schema } => {
                let output = output_schema.as_ref().map(|schema| schema.as_value().clone());
                (Kind::Tool, Some(schema.as_value().clone()), output, None, None)
            }
            Role::Hook { matches, order } => (Kind::Hook, None, None, Some(matches.clone()), Some(*order)),
        };
        let own = manifest.clone();
        with_shared!(Document { manifest: REVISION, kind, schema, output_schema, matches, order }, own)
    }
}
