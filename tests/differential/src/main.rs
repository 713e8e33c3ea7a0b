//! Reads cases as JSON lines from stdin and writes what this host makes of each, one line a case: see `run` beside this crate.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead as _, Write as _};
use std::path::PathBuf;

use hermes_core::arguments::Arguments;
use hermes_core::{Compat, Distributions, Toolsets};
use hermes_manifest::{Schema, ToolsetName};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(tag = "area", rename_all = "snake_case")]
enum Case {
    Coercion {
        schema: Value,
        args: Map<String, Value>,
    },
    Toolsets {
        /// Toolset files by name.
        toolsets: BTreeMap<String, Lists>,
        /// Tools that only their manifests put into a toolset.
        registered: BTreeMap<String, BTreeSet<String>>,
        name: String,
    },
    Distributions {
        /// Toolset and percentage, in order.
        toolsets: Vec<(String, f64)>,
        exist: BTreeSet<String>,
        /// Uniform over `0.0..1.0`, used from the first.
        draws: Vec<f64>,
    },
}

#[derive(Deserialize)]
struct Lists {
    tools: Vec<String>,
    includes: Vec<String>,
}

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let answer = serde_json::from_str(&line?)
            .map_err(|error| format!("no case: {error}"))
            .and_then(answer)
            .map_or_else(|error| json!({ "error": error }), |value| json!({ "value": value }));
        writeln!(out, "{answer}")?;
    }
    out.flush()
}

fn answer(case: Case) -> Result<Value, String> {
    match case {
        Case::Coercion { schema, args } => {
            let schema = Schema::arguments(schema).map_err(|error| error.to_string())?;
            let coerced = Arguments::new(&schema).coerce(args, Compat::Hermes);
            coerced.map(Value::Object).map_err(|issues| json!(issues).to_string())
        }
        Case::Toolsets { toolsets, registered, name } => resolve(&toolsets, &registered, &name),
        Case::Distributions { toolsets, exist, draws } => draw(&toolsets, &exist, draws),
    }
}

fn resolve(
    toolsets: &BTreeMap<String, Lists>,
    registered: &BTreeMap<String, BTreeSet<String>>,
    name: &str,
) -> Result<Value, String> {
    let texts: Vec<_> = toolsets
        .iter()
        .map(|(name, lists)| {
            // An array of strings is the same in JSON and in TOML.
            let text = format!("tools = {}\nincludes = {}\n", json!(lists.tools), json!(lists.includes));
            (PathBuf::from(format!("{name}.toml")), text)
        })
        .collect();
    let manifests = registered
        .keys()
        .map(|name| ToolsetName::try_from(name.clone()))
        .collect::<Result<BTreeSet<_>, _>>()
        .map_err(|error| error.to_string())?;
    let files = texts.iter().map(|(file, text)| (file.clone(), text.as_str()));
    let toolsets = Toolsets::build(files, &manifests).map_err(|error| error.to_string())?;
    toolsets.resolve(name, registered).map(|tools| json!(tools)).map_err(|error| error.to_string())
}

fn draw(toolsets: &[(String, f64)], exist: &BTreeSet<String>, draws: Vec<f64>) -> Result<Value, String> {
    let percentages: String = toolsets.iter().map(|(name, percent)| format!("{name} = {percent:?}\n")).collect();
    let text = format!("[d]\ndescription = \"\"\n[d.toolsets]\n{percentages}");
    let distributions = Distributions::build([(PathBuf::from("distributions.toml"), text.as_str())])
        .map_err(|error| error.to_string())?;
    let distribution = distributions.get("d").map_err(|error| error.to_string())?;
    let mut draws = draws.into_iter();
    // One draw too many is 1, by which nothing is drawn: the driver counts that as a difference.
    let drawn = distribution.draw(|name| exist.contains(name.as_str()), || draws.next().unwrap_or(1.0));
    Ok(json!(drawn.toolsets.iter().map(ToolsetName::as_str).collect::<Vec<_>>()))
}
