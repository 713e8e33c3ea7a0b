//! `doctor`: whether this installation can do its work, and what is known against it.

use std::path::Path;

use hermes_core::Host;
use hermes_sandbox::Sandbox;
use serde_json::json;

use crate::advisories::ADVISORIES;
use crate::failure::{ExitStatus, Failure};
use crate::open;
use crate::printer::{Printer, escape, shown};
use crate::settings::Settings;

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    ok: bool,
    said: String,
}

pub(super) fn doctor(settings: &Settings, printer: Printer) -> Result<ExitStatus, Failure> {
    let findings = findings(settings);
    let healthy = findings.iter().all(|finding| finding.ok);
    if printer.json() {
        let findings: Vec<_> = findings
            .iter()
            .map(|finding| json!({"what": finding.what, "ok": finding.ok, "said": finding.said}))
            .collect();
        let advisories: Vec<_> = ADVISORIES
            .iter()
            .map(|advisory| json!({"id": advisory.id, "effect": advisory.effect, "fixed_in": advisory.fixed_in, "answer": advisory.answer}))
            .collect();
        printer.value(&json!({"healthy": healthy, "findings": findings, "advisories": advisories}))?;
    } else {
        printer.text(&escape(&describe(&findings), true))?;
    }
    Ok(if healthy { ExitStatus::Done } else { ExitStatus::Failed })
}

fn findings(settings: &Settings) -> Vec<Finding> {
    let mut findings = vec![
        Finding { what: "version", ok: true, said: format!("hermes-host {}", env!("CARGO_PKG_VERSION")) },
        Finding { what: "runtime", ok: true, said: format!("wasmtime {}", Sandbox::wasmtime_version()) },
        home(settings.home.as_deref()),
    ];
    findings.extend(settings.home.as_deref().and_then(store));
    match open::host(settings) {
        Ok(host) => {
            let catalog = host.catalog();
            let (tools, refused) = (catalog.tools().count(), catalog.refused().len());
            let said = format!("{tools} tools, {refused} refused files in {} folders", settings.plugin_folders().len());
            findings.push(Finding { what: "plugins", ok: refused == 0, said });
            findings.push(match &host.surroundings().workspace {
                Ok(workspace) => Finding { what: "workspace", ok: true, said: shown(workspace.path()) },
                // The host serves without files then, which is no fault.
                Err(error) => {
                    Finding { what: "workspace", ok: true, said: format!("none: {error}; --workspace DIR sets one") }
                }
            });
            let slips: Vec<String> = catalog.slips().iter().map(ToString::to_string).collect();
            if !slips.is_empty() {
                findings.push(Finding { what: "toolsets", ok: false, said: slips.join("\n                ") });
            }
            findings.push(sandbox(&host));
        }
        Err(failure) => findings.push(Finding { what: "host", ok: false, said: failure.to_string() }),
    }
    findings
}

/// Compiles and runs one component for real.
fn sandbox(host: &Host) -> Finding {
    let catalog = host.catalog();
    let any = catalog.tools().find_map(|entry| Some((entry.manifest.name.as_str(), entry.tool()?)));
    let ran = match any {
        Some((name, tool)) => {
            super::runtime().and_then(|runtime| runtime.block_on(tool.schema(name)).map_err(Failure::work))
        }
        None => Err(Failure::work("there is no tool to try it with")),
    };
    match ran {
        Ok(_) => Finding { what: "sandbox", ok: true, said: "compiles and runs a component".to_owned() },
        Err(failure) => Finding { what: "sandbox", ok: false, said: failure.to_string() },
    }
}

fn home(home: Option<&Path>) -> Finding {
    let said = match home {
        Some(home) if home.is_dir() => shown(home),
        Some(home) => format!("{} (made when something is kept)", shown(home)),
        None => "none: set HERMES_HOME, or nothing is kept".to_owned(),
    };
    Finding { what: "home", ok: home.is_some(), said }
}

/// The file that conversations are remembered in, where there is one. Looking at it makes none.
fn store(home: &Path) -> Option<Finding> {
    let database = open::database(home);
    if !database.file().exists() {
        return None;
    }
    let said = match database.check() {
        Ok(()) => return Some(Finding { what: "store", ok: true, said: shown(database.file()) }),
        Err(error) => error.to_string(),
    };
    Some(Finding { what: "store", ok: false, said })
}

fn describe(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let mark = if finding.ok { "ok " } else { "BAD" };
        text.push_str(&format!("{mark}  {:<10} {}\n", finding.what, finding.said));
    }
    text.push_str("\nKnown against this wasmtime, and what stands in the way here:\n");
    for advisory in ADVISORIES {
        text.push_str(&format!(
            "     {} (fixed in {}): {}. {}\n",
            advisory.id, advisory.fixed_in, advisory.effect, advisory.answer
        ));
    }
    text
}
