//! What one manifest compare that another does not.

mod value;

use hermes_manifest::{Manifest, NamePattern, Role, Schema};
use serde::Serialize;
use serde_json::Value;

pub use value::{ValueChange, ValueChangeKind};

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
        pages_results,
        examples,
        authors,
        license,
        homepage,
    } = new;
    let (role, had) = (Facets::of(role), Facets::of(&old.role));
    let mut changes: Vec<Changed> = asks.collect();
    // What is asked for is told again as it is written: less, or the same in other words, may come with more.
    compare(&mut changes, "capabilities", &old.capabilities, capabilities);
    compare(&mut changes, "match", &had.matches, &role.matches);
    compare(&mut changes, "pages_results", &old.pages_results, pages_results);
    compare(&mut changes, "kind", &had.kind, &role.kind);
    compare(&mut changes, "annotations", &old.annotations, annotations);
    compare(&mut changes, "requires_client", &old.requires_client, requires_client);
    compare(&mut changes, "requires_env", &old.requires_env, requires_env);
    compare(&mut changes, "check", &old.check, check);
    compare(&mut changes, "parallel", &old.parallel, parallel);
    compare(&mut changes, "is_async", &old.is_async, is_async);
    compare(&mut changes, "max_result_size_chars", &old.max_result_size_chars, max_result_size_chars);
    compare(&mut changes, "order", &had.order, &role.order);
    if old.version != *version {
        changes.push(Changed::Version { old: old.version.clone(), new: version.clone() });
    }
    compare(&mut changes, "requires_host", &old.requires_host, requires_host);
    compare(&mut changes, "toolset", &old.toolset, toolset);
    compare(&mut changes, "title", &old.title, title);
    compare(&mut changes, "description", &old.description, description);
    compare(&mut changes, "schema", &had.schema, &role.schema);
    compare(&mut changes, "output_schema", &had.output_schema, &role.output_schema);
    compare(&mut changes, "examples", &old.examples, examples);
    compare(&mut changes, "emoji", &old.emoji, emoji);
    compare(&mut changes, "icons", &old.icons, icons);
    compare(&mut changes, "authors", &old.authors, authors);
    compare(&mut changes, "license", &old.license, license);
    compare(&mut changes, "homepage", &old.homepage, homepage);
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

fn compare<T: Serialize + PartialEq>(changes: &mut Vec<Changed>, field: &'static str, old: &T, new: &T) {
    if old == new {
        return;
    }
    // Parts of manifests are JSON: they came from there.
    let json = |part: &T| serde_json::to_value(part).unwrap_or_default();
    let parts = value::between(&json(old), &json(new));
    changes.extend(parts.into_iter().map(|change| Changed::Field { field, change }));
}
