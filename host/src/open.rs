//! Builds a host from settings: which components there are, what they are granted, and what runs them.

use std::borrow::Cow;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use hermes_core::ask::{self, FolderCalls, LazyKey, NoApprovals, Questions};
use hermes_core::library::{Prompts, Resources};
use hermes_core::registry::{self, FileTrust, MemoryTrust, ScanError, TrustError, TrustPolicy, TrustStore};
use hermes_core::results::{FolderResults, Quota};
use hermes_core::sessions::Bounds;
use hermes_core::{
    Catalog, Ceilings, DISTRIBUTIONS, Distributions, Host, NoObserver, Observer, Policy, Refresh, Registry,
    SecretStore, Session, Source, Surroundings, Toolsets, Workspace,
};
use hermes_sandbox::{EgressConfig, Sandbox, SandboxConfig, SandboxError};
use hermes_store::{Database, FileSessions};

use crate::embedded;
use crate::failure::Failure;
use crate::input::{self, MAX_TEXT};
use crate::printer::{escape, shown};
use crate::private;
use crate::refresh::{Reloaded, Rescan};
use crate::secrets::Secrets;
use crate::settings::{Compat, Config, Settings, Trust};

/// The record of trust, and the folders of prompts and resources, in `$HERMES_HOME`.
pub(crate) const TRUST: &str = "trust.json";
pub(crate) const PROMPTS: &str = "prompts";
pub(crate) const RESOURCES: &str = "resources";
/// What is remembered besides, in `$HERMES_HOME`.
const STORE: &str = "state.db";

/// A host with the core tools and those of all plugin folders.
pub(crate) fn host(settings: &Settings) -> Result<Host, Failure> {
    Ok(host_with(settings, trust_store(settings), Arc::new(NoObserver), Rescan::of)?.0)
}

/// The same, watched, with what runs its components, whose settings may change while it serves.
pub(crate) fn serving(settings: &Settings, observer: Arc<dyn Observer>) -> Result<(Host, Sandbox), Failure> {
    host_with(settings, trust_store(settings), observer, |registry, _| Arc::new(Reloaded::new(registry)))
}

/// The same, just to look at: it claims no names, and nothing that it decides is remembered.
pub(crate) fn host_to_look_at(settings: &Settings) -> Result<Host, Failure> {
    let record = trust_store(settings).load().map_err(|error| scan_failed(ScanError::Trust(error)))?;
    let store = Arc::new(MemoryTrust::from(record));
    Ok(host_with(settings, store, Arc::new(NoObserver), Rescan::of)?.0)
}

fn trust_store(settings: &Settings) -> Arc<dyn TrustStore> {
    match &settings.home {
        Some(home) => Arc::new(FileTrust::new(home.join(TRUST))),
        None => Arc::new(MemoryTrust::default()),
    }
}

fn host_with(
    settings: &Settings,
    store: Arc<dyn TrustStore>,
    observer: Arc<dyn Observer>,
    refresh: fn(&Arc<Registry>, Vec<Source>) -> Arc<dyn Refresh>,
) -> Result<(Host, Sandbox), Failure> {
    let secrets = secrets(settings)?;
    let sandbox = sandbox(settings, &secrets)?;
    let policy = policy(settings);
    let trust = registry::Trust { policy: policy.trust, store };
    let registry = Arc::new(Registry::new(Sandbox::host_api(), Arc::new(sandbox.clone()), trust));
    registry.set_policy(policy).map_err(|error| scan_failed(ScanError::Trust(error)))?;
    if let Some(home) = &settings.home {
        registry.set_prompts(Prompts::load(&home.join(PROMPTS)));
        registry.set_resources(Resources::load(&home.join(RESOURCES)));
    }
    let sources = sources(settings);
    let catalog = registry.scan(&sources).map_err(scan_failed)?;
    registry.set_toolsets(ToolsetTexts::read(settings)?.build(&catalog)?);
    let refresh = refresh(&registry, sources);
    let surroundings = Surroundings { observer, refresh, ..surroundings(settings, secrets)? };
    let host = Host::new(registry, surroundings);
    host.check_view(&settings.view).map_err(Failure::usage)?;
    Ok((host, sandbox))
}

/// What the operator decides for all tools and calls.
pub(crate) fn policy(settings: &Settings) -> Policy {
    let Config { plugins, limits, arguments, .. } = &settings.config;
    Policy {
        trust: match plugins.trust {
            Trust::Folder => TrustPolicy::Folder,
            Trust::Pinned => TrustPolicy::Pinned,
        },
        ceilings: Ceilings { operator: limits.clone() },
        compat: match arguments.compat {
            Compat::Exact => hermes_core::Compat::Exact,
            Compat::Hermes => hermes_core::Compat::Hermes,
        },
        own: protected(settings),
    }
}

/// Where components come from.
pub(crate) fn sources(settings: &Settings) -> Vec<Source> {
    let own = settings.home.iter().map(|home| Source::home(home, "plugins"));
    let folders = settings.config.plugins.folders.iter().map(Source::folder);
    [Source::core(embedded::COMPONENTS)].into_iter().chain(own).chain(folders).collect()
}

/// A host with the tools of one file. No toolset grants them anything: a file's word for its name is no reason to trust it.
pub(crate) fn host_of_file(settings: &Settings, file: &Path) -> Result<Host, Failure> {
    let secrets = secrets(settings)?;
    let trust = registry::Trust::in_memory(TrustPolicy::Folder);
    let registry = Arc::new(Registry::new(Sandbox::host_api(), Arc::new(sandbox(settings, &secrets)?), trust));
    registry.set_policy(policy(settings)).map_err(|error| scan_failed(ScanError::Trust(error)))?;
    let sources = vec![Source::file(file)];
    let catalog = registry.scan(&sources).map_err(scan_failed)?;
    if let Some(refused) = catalog.refused().first() {
        return Err(Failure::usage(format!("{}: {}", shown(file), refused.reason)));
    }
    let refresh = Rescan::of(&registry, sources);
    Ok(Host::new(registry, Surroundings { refresh, ..surroundings(settings, secrets)? }))
}

/// A record of trust that is damaged is for its owner to put right.
fn scan_failed(error: ScanError) -> Failure {
    let message = escape(&error.to_string(), false);
    match error {
        ScanError::Trust(TrustError::Malformed { .. }) => Failure::usage(message),
        ScanError::Trust(TrustError::Io { .. }) | ScanError::Unlisted { .. } => Failure::work(message),
    }
}

fn surroundings(settings: &Settings, secrets: Arc<Secrets>) -> Result<Surroundings, Failure> {
    let workspace =
        Workspace::open(&settings.config.workspace.path, settings.user_home.as_deref(), settings.home.as_deref());
    let mut surroundings = Surroundings::new(workspace, secrets).map_err(Failure::work)?;
    if let Some(home) = &settings.home {
        let results = FolderResults::new(home.join("results"), Quota::default(), SystemTime::now);
        surroundings.results = Arc::new(results);
        surroundings.questions = questions(home)?;
        surroundings.sessions = Arc::new(sessions(home));
    }
    Ok(surroundings)
}

/// Conversations are remembered in the home. The file is opened when it is first used.
fn sessions(home: &Path) -> FileSessions {
    FileSessions::new(Arc::new(database(home)), Bounds::default(), SystemTime::now)
}

/// The file of what is remembered.
pub(crate) fn database(home: &Path) -> Database {
    Database::new(home.join(STORE))
}

/// Calls that asked wait in the home, so that a later command can go on with them.
fn questions(home: &Path) -> Result<Questions, Failure> {
    let (folder, file) = (home.join("pending"), home.join("pending.key"));
    let store = Arc::new(FolderCalls::new(folder));
    let key = LazyKey::new(move || private::seal_key(&file));
    Ok(Questions::new(store, Arc::new(NoApprovals), key, ask::Bounds::default(), SystemTime::now))
}

/// The session that the command line speaks for.
pub(crate) fn session(settings: &Settings) -> Session {
    let id = settings.session.clone().unwrap_or_else(|| "default".to_owned());
    Session { view: settings.view.clone(), id: Some(id), ..Session::default() }
}

/// Where values of secrets and variables come from.
pub(crate) fn secrets(settings: &Settings) -> Result<Arc<Secrets>, Failure> {
    Ok(Arc::new(Secrets::open(settings.home.as_deref(), Arc::clone(&settings.environment))?))
}

/// The embedded toolsets, replaced by files of the same name in `$HERMES_HOME/toolsets`.
pub(crate) struct ToolsetTexts(Vec<(PathBuf, Cow<'static, str>)>);

impl ToolsetTexts {
    /// Reads them.
    pub(crate) fn read(settings: &Settings) -> Result<Self, Failure> {
        texts(settings, |stem| stem != DISTRIBUTIONS).map(Self)
    }

    /// What they are with the tools that there are.
    pub(crate) fn build(&self, catalog: &Catalog) -> Result<Toolsets, Failure> {
        let own = catalog.tools().filter_map(|entry| entry.manifest.toolset.clone()).collect();
        let files = self.0.iter().map(|(file, text)| (file.clone(), text.as_ref()));
        Toolsets::build(files, &own).map_err(|error| Failure::usage(escape(&error.to_string(), false)))
    }
}

/// The distributions: the embedded ones, and those of `$HERMES_HOME/toolsets/distributions.toml`.
pub(crate) fn distributions(settings: &Settings) -> Result<Distributions, Failure> {
    let files = texts(settings, |stem| stem == DISTRIBUTIONS)?;
    let files = files.iter().map(|(file, text)| (file.clone(), text.as_ref()));
    Distributions::build(files).map_err(|error| Failure::usage(escape(&error.to_string(), false)))
}

/// The embedded files and then the user's, whose stem is `wanted`.
fn texts(settings: &Settings, wanted: impl Fn(&str) -> bool) -> Result<Vec<(PathBuf, Cow<'static, str>)>, Failure> {
    let wanted = |file: &Path| file.file_stem().and_then(|stem| stem.to_str()).is_none_or(&wanted);
    let mut texts: Vec<(PathBuf, Cow<'static, str>)> =
        embedded::TOOLSETS.iter().map(|(name, text)| (Path::new("core").join(name), Cow::Borrowed(*text))).collect();
    texts.retain(|(file, _)| wanted(file));
    if let Some(home) = &settings.home {
        for file in toolset_files(&home.join("toolsets"))?.into_iter().filter(|file| wanted(file)) {
            let text = input::text(&file).map_err(|error| Failure::file(&file, &error))?;
            texts.push((file, text.into()));
        }
    }
    Ok(texts)
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
    let compile = &settings.config.compile;
    config.cache.clone_from(&compile.cache);
    config.cache_key.clone_from(&compile.key_file);
    config.protected = protected(settings);
    config.egress = egress(settings)?;
    Sandbox::new(config).map_err(|error| wrong_sandbox(settings, &error))
}

/// The way to the network.
pub(crate) fn egress(settings: &Settings) -> Result<EgressConfig, Failure> {
    let (egress, ca) = (&settings.config.egress, certificates(settings)?);
    let proxy = egress.proxy.as_ref().map(|proxy| proxy.url().clone());
    Ok(EgressConfig { proxy, ca, allow_private: egress.allow_private.clone() })
}

/// What is trusted beside the public certificates (PEM).
pub(crate) fn certificates(settings: &Settings) -> Result<Vec<u8>, Failure> {
    match &settings.config.egress.ca_file {
        Some(file) => match input::bytes(file, MAX_TEXT) {
            Ok(ca) if ca.is_empty() => Err(wrong_certificates(settings, &"it is empty")),
            ca => ca.map_err(|error| wrong_certificates(settings, &error)),
        },
        None => Ok(Vec::new()),
    }
}

/// Which setting a sandbox cannot use.
pub(crate) fn wrong_sandbox(settings: &Settings, error: &SandboxError) -> Failure {
    match error {
        SandboxError::Certificates(reason) => wrong_certificates(settings, reason),
        _ => Failure::work(error),
    }
}

/// What is wrong with the file of certificates.
pub(crate) fn wrong_certificates(settings: &Settings, reason: &dyn Display) -> Failure {
    let (place, reason) = (settings.place("egress.ca_file"), escape(&reason.to_string(), false));
    let file = settings.config.egress.ca_file.as_deref().map(shown).unwrap_or_default();
    Failure::usage(format!("{place}: {file}: expected a file of certificates (PEM): {reason}"))
}

/// The host's own files, which no grant reaches.
pub(crate) fn protected(settings: &Settings) -> Vec<PathBuf> {
    let Config { serve, compile, egress, .. } = &settings.config;
    let named =
        [&settings.home, &settings.file_at, &serve.token_file, &compile.cache, &compile.key_file, &egress.ca_file];
    let named = named.into_iter().flatten().cloned();
    named.chain(settings.plugin_folders()).chain(std::env::current_exe()).collect()
}
