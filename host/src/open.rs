//! Builds a host from settings: which components there are, what they are granted, and what runs them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_core::{Host, Registry, SecretStore, Toolsets, Workspace};
use hermes_sandbox::{EgressConfig, Sandbox, SandboxConfig};

use crate::embedded;
use crate::failure::Failure;
use crate::input::{self, MAX_TEXT};
use crate::printer::shown;
use crate::secrets::Secrets;
use crate::settings::{Config, Settings};

/// A host with the core tools and those of all plugin folders.
pub(crate) fn host(settings: &Settings) -> Result<Host, Failure> {
    let secrets = secrets(settings)?;
    let sandbox = sandbox(settings, &secrets)?;
    let runner = |component| sandbox.tool(component);
    let mut registry = Registry::new(Sandbox::host_api());
    for (name, bytes) in embedded::COMPONENTS {
        registry.add_core(name, bytes, &runner);
    }
    for folder in settings.plugin_folders() {
        registry.add_folder(&folder, &runner).map_err(|error| Failure::file(&folder, &error))?;
    }
    let host = assemble(settings, registry, toolsets(settings)?, secrets);
    host.check_view(&settings.view).map_err(Failure::usage)?;
    Ok(host)
}

/// A host with the tools of one file. No toolset grants them anything: a file's word for its name is no reason to trust it.
pub(crate) fn host_of_file(settings: &Settings, file: &Path) -> Result<Host, Failure> {
    let secrets = secrets(settings)?;
    let sandbox = sandbox(settings, &secrets)?;
    let mut registry = Registry::new(Sandbox::host_api());
    registry
        .add_file(file, &|component| sandbox.tool(component))
        .map_err(|reason| Failure::usage(format!("{}: {reason}", shown(file))))?;
    Ok(assemble(settings, registry, Toolsets::default(), secrets))
}

fn assemble(settings: &Settings, registry: Registry, toolsets: Toolsets, secrets: Arc<Secrets>) -> Host {
    Host {
        registry,
        toolsets,
        workspace: Workspace::open(
            &settings.config.workspace.path,
            settings.user_home.as_deref(),
            settings.home.as_deref(),
        ),
        environment: secrets.environment(),
        secrets,
    }
}

/// Where values of secrets and variables come from.
pub(crate) fn secrets(settings: &Settings) -> Result<Arc<Secrets>, Failure> {
    Ok(Arc::new(Secrets::open(settings.home.as_deref(), Arc::clone(&settings.environment))?))
}

/// The embedded toolsets, replaced by files of the same name in `$HERMES_HOME/toolsets`.
fn toolsets(settings: &Settings) -> Result<Toolsets, Failure> {
    let mut toolsets = Toolsets::default();
    for (name, text) in embedded::TOOLSETS {
        toolsets.add(PathBuf::from(name), text).map_err(Failure::work)?;
    }
    if let Some(home) = &settings.home {
        for file in toolset_files(&home.join("toolsets"))? {
            let text = input::text(&file).map_err(|error| Failure::file(&file, &error))?;
            toolsets.add(file, &text).map_err(Failure::usage)?;
        }
    }
    Ok(toolsets)
}

/// The toolset files of a folder, in order. Only a folder that does not exist holds none: anything else that hides a grant or its
/// narrowing is an error.
fn toolset_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unlisted = |error| Failure::file(folder, &error);
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unlisted)?,
    };
    let mut files =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(unlisted)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    Ok(files)
}

/// What runs components. The host's own files are out of reach of every grant.
fn sandbox(settings: &Settings, secrets: &Arc<Secrets>) -> Result<Sandbox, Failure> {
    let secrets: Arc<dyn SecretStore> = Arc::<Secrets>::clone(secrets);
    let mut config = SandboxConfig::new(secrets);
    let Config { compile, egress, .. } = &settings.config;
    config.cache.clone_from(&compile.cache);
    config.cache_key.clone_from(&compile.key_file);
    config.protected = protected(settings);
    config.egress = EgressConfig {
        proxy: egress.proxy.as_ref().map(|proxy| proxy.url().clone()),
        ca: match &egress.ca_file {
            Some(file) => input::read(file, MAX_TEXT)?,
            None => Vec::new(),
        },
        allow_private: egress.allow_private.clone(),
    };
    Sandbox::new(config).map_err(Failure::work)
}

fn protected(settings: &Settings) -> Vec<PathBuf> {
    let Config { compile, egress, .. } = &settings.config;
    let named = [&settings.home, &settings.file, &compile.cache, &compile.key_file, &egress.ca_file];
    let named = named.into_iter().flatten().cloned();
    named.chain(settings.plugin_folders()).chain(std::env::current_exe()).collect()
}
