//! `sample`: draws toolsets from a distribution, as runs that make training data do.

use hermes_core::seeded;
use hermes_manifest::ToolsetName;
use serde_json::json;

use crate::cli::SampleArgs;
use crate::failure::Failure;
use crate::open;
use crate::printer::{Printer, escape, table};
use crate::settings::Settings;

pub(super) fn sample(args: &SampleArgs, settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let distributions = open::distributions(settings)?;
    let Some(name) = &args.distribution else {
        let mut rows = vec![["NAME", "TOOLSETS, EACH WITH ITS CHANCE"].map(str::to_owned).to_vec()];
        for (name, distribution) in distributions.iter() {
            let chances = distribution.toolsets.iter().map(|(toolset, percent)| format!("{toolset} {percent} %"));
            rows.push(vec![escape(name, false), chances.collect::<Vec<_>>().join(", ")]);
        }
        if printer.json() {
            let names: Vec<&str> = distributions.iter().map(|(name, _)| name).collect();
            return Ok(printer.value(&names)?);
        }
        return Ok(printer.text(&table(&rows))?);
    };
    let distribution = distributions.get(name).map_err(|unknown| {
        let there = || super::there(distributions.iter().map(|(name, _)| name), "distribution");
        let failure = Failure::usage(escape(&unknown.to_string(), false));
        if unknown.nearest.is_some() { failure } else { failure.hint(there()) }
    })?;
    let host = open::host(settings)?;
    let catalog = host.catalog();
    let drawn = distribution.draw(|toolset| catalog.toolsets().get(toolset.as_str()).is_some(), seeded(args.seed));
    for skipped in &drawn.skipped {
        printer.note(&format!("left out: there is no toolset `{skipped}`"));
    }
    let names: Vec<&str> = drawn.toolsets.iter().map(ToolsetName::as_str).collect();
    if printer.json() {
        return Ok(printer.value(&json!({ "distribution": name, "seed": args.seed, "toolsets": names }))?);
    }
    Ok(printer.text(&names.join(","))?)
}
