//! What people are told of a tool beyond what a model reads: where it comes from, and what it may do.

use std::collections::BTreeSet;

use hermes_core::{GrantLine, Host, Origin, Seen, Session, State};
use hermes_manifest::{Capabilities, ToolsetName};
use serde_json::{Map, Value, json};

/// The further members of a tool's entry.
pub(super) fn members(host: &Host, session: &Session, seen: &Seen) -> Map<String, Value> {
    let (manifest, component, state) = (&seen.entry.manifest, &seen.entry.component, &seen.state);
    let name = manifest.name.as_str();
    let Power { asks, granted, lacks } = Power::of(host, seen);
    // What is not for callers without a token no grant gives them.
    let grantable = !lacks.is_empty() && !matches!(state, State::Withheld(_));
    let command = (grantable || matches!(state, State::Held(_))).then(|| format!("hermes-host approve {name}"));
    let mut members = Map::new();
    let mut insert = |name: &str, value: Value| members.insert(name.to_owned(), value);
    insert("state", state.name().into());
    insert("reason", state.reason().into());
    insert("title", manifest.title.clone().into());
    insert("version", manifest.version.to_string().into());
    insert("emoji", manifest.emoji.clone().into());
    insert("toolsets", toolsets(seen).into_iter().collect());
    insert("annotations", json!(manifest.annotations));
    insert("asks", asks.into());
    insert("granted", granted.into());
    insert("lacks", lacks.into());
    insert("command", command.into());
    insert("size", component.size().into());
    insert("digest", component.digest().ok().map(|digest| digest.to_string()).into());
    // Where files of the host are is the operator's to know.
    let operator = session.tenant.is_none() && !session.anonymous;
    insert("source", operator.then(|| component.source()).into());
    members
}

/// The toolsets that list it; without one, the one that it names itself.
fn toolsets(seen: &Seen) -> BTreeSet<&str> {
    let listing = seen.paths.iter().filter_map(|path| match &path.origin {
        Origin::Toolsets { toolsets, .. } => toolsets.last(),
        Origin::Flag => None,
    });
    let listed: BTreeSet<&str> = listing.map(ToolsetName::as_str).collect();
    if listed.is_empty() { seen.entry.toolset().into_iter().collect() } else { listed }
}

/// What a tool asks for, gets of it, and does not get: each as the lines that `--grant` takes.
struct Power {
    asks: Vec<String>,
    granted: Vec<String>,
    lacks: Vec<String>,
}

impl Power {
    fn of(host: &Host, seen: &Seen) -> Self {
        let explanation = host.explain(seen);
        let mut lacks = explanation.lacks();
        if let State::Withheld(withheld) = &seen.state {
            lacks.extend(withheld.iter().filter(|line| !lacks.contains(line)).cloned().collect::<Vec<_>>());
        }
        let mut power = Capabilities { limits: explanation.notable_limits(), ..explanation.power.clone() };
        power.secrets.retain(|_, terms| terms.expose);
        let mut granted = GrantLine::all(&power);
        granted.retain(|line| !lacks.contains(line));
        let text = |lines: &[GrantLine]| lines.iter().map(ToString::to_string).collect();
        Self { asks: text(&GrantLine::all(&explanation.asked)), granted: text(&granted), lacks: text(&lacks) }
    }
}
