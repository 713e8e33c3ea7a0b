//! `inspect`: what is in a component, without running it unless asked to.

use std::path::Path;

use hermes_core::{Digest, Location, Scope, nearest};
use hermes_manifest::{Access, Audit, Manifest, Validated, validate};
use hermes_sandbox::Sandbox;
use serde_json::{Value, json};

use crate::cli::InspectArgs;
use crate::failure::Failure;
use crate::input::{MAX_COMPONENT, read};
use crate::open;
use crate::printer::{Printer, escape, shown, word};
use crate::settings::Settings;

pub(super) fn inspect(args: &InspectArgs, settings: &Settings, printer: Printer) -> Result<(), Failure> {
    let bytes = read(&args.file, MAX_COMPONENT).map_err(|failure| match elsewhere(&args.file, settings) {
        Some(hint) => failure.hint(hint),
        None => failure,
    })?;
    let validated = validate(&bytes, &Sandbox::host_api())
        .map_err(|refusal| Failure::usage(format!("{}: {refusal}", shown(&args.file))))?;
    if args.verify {
        verify(&args.file, settings)?;
    }
    let facts = Facts {
        file: &args.file,
        size: bytes.len(),
        digest: Digest::of(&bytes),
        verified: args.verify,
        validated: &validated,
    };
    if printer.json() {
        return Ok(printer.value(&facts.json())?);
    }
    Ok(printer.text(&escape(&facts.text(), true))?)
}

/// Where the tool is that somebody named instead of its file.
fn elsewhere(file: &Path, settings: &Settings) -> Option<String> {
    let name = file.to_str().filter(|name| !name.contains(std::path::is_separator) && !file.exists())?;
    let name = name.strip_suffix(".wasm").unwrap_or(name);
    let catalog = open::host(settings).ok()?.catalog();
    let near = nearest(name, catalog.families(&Scope::Host).map(|(name, _)| name.as_str()))?;
    let family = catalog.family(&Scope::Host, &near)?;
    let entry = family.serving().chain(family.held()).next()?;
    let what = if entry.tool().is_some() { "tool" } else { "hook" };
    let there = format!("there is a {what} `{near}`");
    Some(match entry.component.location() {
        Location::File(file) => format!("{there}: hermes-host inspect {}", word(&shown(file))),
        Location::Core(..) => {
            format!(
                "{there} in the host's own binary: hermes-host list --json and hermes-host explain {near} tell of it"
            )
        }
    })
}

/// Runs each tool's own `schema`: name, description and parameters must be those of its manifest.
fn verify(file: &Path, settings: &Settings) -> Result<(), Failure> {
    let host = open::host_of_file(settings, file)?;
    let runtime = super::runtime()?;
    let catalog = host.catalog();
    for entry in catalog.tools() {
        let (name, Some(tool)) = (entry.manifest.name.as_str(), entry.tool()) else { continue };
        let wrong = |what: String| Failure::work(format!("{}: `schema` of {name} {what}", shown(file)));
        let said = runtime.block_on(tool.schema(name)).map_err(|fault| wrong(format!("fails: {fault}")))?;
        let said: Value = serde_json::from_str(&said).map_err(|error| wrong(format!("is not JSON: {error}")))?;
        let manifest = &entry.manifest;
        let expected = json!({
            "name": manifest.name,
            "description": manifest.description,
            "parameters": manifest.schema().map(hermes_manifest::Schema::as_value),
        });
        if said != expected {
            return Err(wrong(format!("differs from the manifest: expected {expected}, found {said}")));
        }
    }
    Ok(())
}

struct Facts<'a> {
    file: &'a Path,
    size: usize,
    digest: Digest,
    verified: bool,
    validated: &'a Validated,
}

impl Facts<'_> {
    fn json(&self) -> Value {
        let Validated { found, audit, concurrent } = self.validated;
        let imports: Vec<Value> = audit
            .imports
            .iter()
            .map(|import| json!({"name": import.name.to_string(), "access": access(import.access)}))
            .collect();
        json!({
            "file": self.file.display().to_string(),
            "size": self.size,
            "digest": self.digest.to_string(),
            "verified": self.verified,
            "concurrent": concurrent,
            "tools": found.manifests,
            "asks": found.manifests.iter().map(Manifest::asks).collect::<Vec<_>>(),
            "imports": imports,
            "exports": found.exports,
            "linked_denied": audit.linked_denied().map(ToString::to_string).collect::<Vec<_>>(),
            "over_asking": over_asking(audit),
        })
    }

    fn text(&self) -> String {
        let Validated { found, audit, .. } = self.validated;
        let mut text = format!("{} ({} KB, {})\n", shown(self.file), self.size.div_ceil(1024), self.digest);
        for manifest in &found.manifests {
            text.push_str(&describe(manifest));
        }
        let denied: Vec<String> = audit.linked_denied().map(ToString::to_string).collect();
        if !denied.is_empty() {
            text.push_str(&format!("\nlinked, denied: {}\n", denied.join(", ")));
        }
        for over in over_asking(audit) {
            text.push_str(&format!("\nasks for more than it can use: {over}\n"));
        }
        if self.verified {
            text.push_str("\nverified: `schema` says what the manifest says\n");
        }
        text
    }
}

fn over_asking(audit: &Audit) -> Vec<String> {
    audit.over_asking.iter().map(|(tool, kind)| format!("{tool}: {}", kind.as_str())).collect()
}

fn access(access: Access) -> &'static str {
    match access {
        Access::Free => "free",
        Access::Declared(_) => "declared",
        Access::LinkedDenied(_) => "denied",
    }
}

fn describe(manifest: &Manifest) -> String {
    let toolset = manifest.toolset.as_ref().map(|toolset| format!(", toolset {toolset}")).unwrap_or_default();
    let mut text = format!(
        "\n{} {} {}{toolset}\n  {}\n",
        manifest.emoji,
        manifest.name,
        manifest.version,
        manifest.description.replace('\n', "\n  ")
    );
    let asks = asked(manifest);
    text.push_str(&format!("  asks for: {}\n", if asks.is_empty() { "nothing".to_owned() } else { asks.join(", ") }));
    for (field, value) in others(manifest) {
        let pretty = serde_json::to_string_pretty(&value).unwrap_or_default();
        text.push_str(&format!("  {field}: {}\n", pretty.replace('\n', "\n  ")));
    }
    text
}

/// What else the manifest says, and what holds for calls where it says nothing.
fn others(manifest: &Manifest) -> Vec<(String, Value)> {
    const SHOWN: [&str; 7] = ["manifest", "name", "version", "toolset", "description", "emoji", "capabilities"];
    let mut document = match json!(manifest) {
        Value::Object(document) => document,
        _ => return Vec::new(),
    };
    document.insert("annotations".to_owned(), json!(manifest.annotations));
    let schema = document.remove("schema").map(|schema| ("arguments".to_owned(), schema));
    let others = document.into_iter().filter(|(field, _)| !SHOWN.contains(&field.as_str()));
    schema.into_iter().chain(others).collect()
}

fn asked(manifest: &Manifest) -> Vec<String> {
    let asks = manifest.asks();
    let fs = asks.fs.iter().map(|fs| format!("fs {} {}", fs.path, fs.mode));
    let http = asks.http.iter().map(|pattern| format!("http {pattern}"));
    let env = asks.env.iter().map(|name| format!("env {name}"));
    let secrets = asks.secrets.keys().map(|name| format!("secret {name}"));
    fs.chain(http).chain(env).chain(secrets).collect()
}
