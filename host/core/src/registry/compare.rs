//! What one manifest says that another does not.

mod edit;

use hermes_manifest::{Manifest, NamePattern, Role, Schema};
use serde::Serialize;
use serde_json::Value;

pub use edit::{Edit, How};

use super::covering::asked_more;
use super::difference::Changed;

/// All that is new in `new`, the most important first; `old` is what was approved, if anything was.
///
/// Every field is named here: one that manifests gain does not compile until somebody thought of how it is told.
pub(super) fn changes(old: Option<&Manifest>, new: &Manifest) -> Vec<Changed> {
    let asks = asked_more(new, old).into_iter().map(Changed::Asks);
    let Some(old) = old else {
        let first = Changed::First { version: new.version.clone(), description: new.description.clone() };
        return std::iter::once(first).chain(asks).collect();
    };
    let Manifest {
        role,
        name: _, // what is compared has one name
        version,
        toolset,
        title,
        description,
        emoji,
        icons,
        requires_env,
        requires_host,
        capabilities,
        check,
        is_async,
        parallel,
        max_result_size_chars,
        annotations,
        requires_client,
        pages_results: _, // is asked for
        examples,
        authors,
        license,
        homepage,
    } = new;
    let (role, had) = (Facets::of(role), Facets::of(&old.role));
    let mut changes: Vec<Changed> = asks.collect();
    changes.extend(asked_more(old, Some(new)).into_iter().map(Changed::AsksNoMore));
    if changes.is_empty() {
        // The same power in other words.
        says(&mut changes, "capabilities", &old.capabilities, capabilities);
        says(&mut changes, "match", &had.matches, &role.matches);
    }
    says(&mut changes, "kind", &had.kind, &role.kind);
    says(&mut changes, "annotations", &old.annotations, annotations);
    says(&mut changes, "requires_client", &old.requires_client, requires_client);
    says(&mut changes, "requires_env", &old.requires_env, requires_env);
    says(&mut changes, "check", &old.check, check);
    says(&mut changes, "parallel", &old.parallel, parallel);
    says(&mut changes, "is_async", &old.is_async, is_async);
    says(&mut changes, "max_result_size_chars", &old.max_result_size_chars, max_result_size_chars);
    says(&mut changes, "order", &had.order, &role.order);
    if old.version != *version {
        changes.push(Changed::Version { old: old.version.clone(), new: version.clone() });
    }
    says(&mut changes, "requires_host", &old.requires_host, requires_host);
    says(&mut changes, "toolset", &old.toolset, toolset);
    says(&mut changes, "title", &old.title, title);
    says(&mut changes, "description", &old.description, description);
    says(&mut changes, "schema", &had.schema, &role.schema);
    says(&mut changes, "output_schema", &had.output_schema, &role.output_schema);
    says(&mut changes, "examples", &old.examples, examples);
    says(&mut changes, "emoji", &old.emoji, emoji);
    says(&mut changes, "icons", &old.icons, icons);
    says(&mut changes, "authors", &old.authors, authors);
    says(&mut changes, "license", &old.license, license);
    says(&mut changes, "homepage", &old.homepage, homepage);
    changes
}

/// What a tool and a hook have, side by side: one may become the other.
struct Facets<'a> {
    kind: &'static str,
    schema: Option<&'a Value>,
    output_schema: Option<&'a Value>,
    matches: &'a [NamePattern],
    order: Option<i32>,
}

impl<'a> Facets<'a> {
    fn of(role: &'a Role) -> Self {
        match role {
            Role::Tool { schema, output_schema } => Self {
                kind: "tool",
                schema: Some(schema.as_value()),
                output_schema: output_schema.as_deref().map(Schema::as_value),
                matches: &[],
                order: None,
            },
            Role::Hook { matches, order } => {
                Self { kind: "hook", schema: None, output_schema: None, matches, order: Some(*order) }
            }
        }
    }
}

fn says<T: Serialize + PartialEq>(changes: &mut Vec<Changed>, field: &'static str, old: &T, new: &T) {
    if old == new {
        return;
    }
    // Parts of manifests are JSON: they came from there.
    let json = |part: &T| serde_json::to_value(part).unwrap_or_default();
    let edits = edit::between(&json(old), &json(new));
    changes.extend(edits.into_iter().map(|edit| Changed::Says { field, edit }));
}
