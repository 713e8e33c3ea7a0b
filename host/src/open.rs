//! Builds a host from settings: which components there are, what they are granted, and what runs them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_core::{Host, Registry, Toolsets, Workspace};
use hermes_sandbox::{EgressConfig, Sandbox, SandboxConfig};

use crate::embedded;
use crate::failure::Failure;
use crate::secrets::EnvironmentSecrets;
use crate::settings::Settings;

/// A host with the core tools and those of all plugin folders.
pub(crate) fn host(settings: &Settings) -> Result<Host, Failure> {
    let sandbox = sandbox(settings)?;
    let runner = |component| sandbox.tool(component);
    let mut registry = Registry::default();
    for (name, bytes) in embedded::COMPONENTS {
        registry.add_core(name, bytes, &runner);
    }
    for folder in &settings.plugins {
        registry.add_folder(folder, &runner).map_err(|error| Failure::file(folder, &error))?;
    }
    let host = assemble(settings, registry, toolsets(settings)?);
    host.check_view(&settings.view).map_err(Failure::usage)?;
    Ok(host)
}

/// A host with the tools of one file. No toolset grants them anything: a file's word for its name is no reason to trust it.
pub(crate) fn host_of_file(settings: &Settings, file: &Path) -> Result<Host, Failure> {
    let sandbox = sandbox(settings)?;
    let mut registry = Registry::default();
    registry
        .add_file(file, &|component| sandbox.tool(component))
        .map_err(|reason| Failure::usage(format!("{}: {reason}", file.display())))?;
    Ok(assemble(settings, registry, Toolsets::default()))
}

fn assemble(settings: &Settings, registry: Registry, toolsets: Toolsets) -> Host {
    Host {
        registry,
        toolsets,
        workspace: Workspace::open(&settings.workspace, settings.user_home.as_deref(), settings.home.as_deref()),
        environment: settings.environment.clone(),
        secrets: Arc::new(EnvironmentSecrets(settings.environment.clone())),
    }
}

/// The embedded toolsets, replaced by files of the same name in `$HERMES_HOME/toolsets`.
fn toolsets(settings: &Settings) -> Result<Toolsets, Failure> {
    let mut toolsets = Toolsets::default();
    for (name, text) in embedded::TOOLSETS {
        toolsets.add(PathBuf::from(name), text).map_err(Failure::work)?;
    }
    let Some(folder) = settings.home.as_ref().map(|home| home.join("toolsets")) else { return Ok(toolsets) };
    let Ok(entries) = std::fs::read_dir(&folder) else { return Ok(toolsets) };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|error| Failure::file(&file, &error))?;
        toolsets.add(file, &text).map_err(Failure::usage)?;
    }
    Ok(toolsets)
}

/// What runs components. The host's own files are out of reach of every grant.
fn sandbox(settings: &Settings) -> Result<Sandbox, Failure> {
    let mut config = SandboxConfig::new(Arc::new(EnvironmentSecrets(settings.environment.clone())));
    config.cache.clone_from(&settings.cache);
    config.protected = protected(settings);
    config.egress = EgressConfig {
        proxy: settings.proxy.as_deref().map(parse_proxy).transpose()?,
        ca: settings.ca_file.as_deref().map(read).transpose()?.unwrap_or_default(),
        allow_private: Vec::new(),
    };
    Sandbox::new(config).map_err(Failure::work)
}

fn parse_proxy(text: &str) -> Result<url::Url, Failure> {
    text.parse().map_err(|error| Failure::usage(format!("egress.proxy `{text}`: {error}; expected http://host:port")))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::file(path, &error))
}

fn protected(settings: &Settings) -> Vec<PathBuf> {
    let home = settings.home.iter().chain(&settings.cache).chain(&settings.config).cloned();
    home.chain(settings.plugins.iter().cloned())
        .chain(settings.ca_file.clone())
        .chain(std::env::current_exe())
        .collect()
}
