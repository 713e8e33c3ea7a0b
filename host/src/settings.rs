//! Settings: flag › `HERMES_*` › `config.toml` › default, merged once. The only place that reads the environment.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use hermes_core::{View, parse_grant, union};
use hermes_manifest::{Capabilities, EnvName};
use hermes_sandbox::Network;
use serde::Deserialize;
use url::Url;

use crate::cli::SessionArgs;
use crate::failure::Failure;
use crate::input;
use crate::printer::{escape, shown};

/// `config.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ConfigFile {
    plugins: PluginsSection,
    workspace: WorkspaceSection,
    egress: EgressSection,
    compile: CompileSection,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PluginsSection {
    /// Folders of components besides `$HERMES_HOME/plugins`.
    folders: Vec<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WorkspaceSection {
    /// The folder that tools work in.
    path: Option<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct EgressSection {
    /// A proxy for all HTTP of tools, such as `http://proxy.example:3128`.
    proxy: Option<String>,
    /// Certificates (PEM) that are trusted besides the public ones.
    ca_file: Option<PathBuf>,
    /// Addresses and ranges that are open although they are not public, such as `10.0.0.0/8`.
    allow_private: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CompileSection {
    /// Where compiled components are kept.
    cache: Option<PathBuf>,
    /// The key that authenticates them; made when absent. Default: beside the cache, `cache.key`.
    key_file: Option<PathBuf>,
}

/// What a command runs with.
#[derive(Debug)]
pub(crate) struct Settings {
    /// `$HERMES_HOME`, where there is one.
    pub(crate) home: Option<PathBuf>,
    /// The user's home folder.
    pub(crate) user_home: Option<PathBuf>,
    /// Folders of components, in the order in which they claim names.
    pub(crate) plugins: Vec<PathBuf>,
    /// The candidate for the workspace.
    pub(crate) workspace: PathBuf,
    /// What the session sees.
    pub(crate) view: View,
    /// The proxy for tools' HTTP.
    pub(crate) proxy: Option<Url>,
    /// More certificates to trust.
    pub(crate) ca_file: Option<PathBuf>,
    /// Addresses that are open to tools although they are not public.
    pub(crate) allow_private: Vec<Network>,
    /// Where compiled components are kept.
    pub(crate) cache: Option<PathBuf>,
    /// The key that authenticates them.
    pub(crate) key_file: Option<PathBuf>,
    /// The configuration file that was read, if any.
    pub(crate) config: Option<PathBuf>,
    /// The environment's variables that a tool could be granted.
    pub(crate) environment: Arc<BTreeMap<EnvName, String>>,
}

impl Settings {
    /// Merges all sources.
    ///
    /// # Errors
    ///
    /// When a file or a grant is malformed; the message names file, line and key.
    pub(crate) fn load(args: &SessionArgs) -> Result<Self, Failure> {
        let here = env::current_dir().map_err(|error| Failure::work(format!("the current folder: {error}")))?;
        let user_home = variable("HOME").or_else(|| variable("USERPROFILE")).map(PathBuf::from);
        let home = variable("HERMES_HOME")
            .map(|home| here.join(home))
            .or_else(|| user_home.as_ref().map(|user| user.join(".hermes-host")));
        let (config, file) = read_config(args.config.as_deref(), home.as_deref())?;
        let base = config.as_deref().and_then(Path::parent).unwrap_or(&here).to_path_buf();
        let mut plugins: Vec<PathBuf> = home.iter().map(|home| home.join("plugins")).collect();
        match variable("HERMES_PLUGINS_FOLDERS") {
            Some(folders) => plugins.extend(env::split_paths(&folders)),
            None => plugins.extend(file.plugins.folders.iter().map(|folder| base.join(folder))),
        }
        plugins.extend(args.plugins.iter().map(|folder| here.join(folder)));
        if let Some(missing) = args.plugins.iter().find(|folder| !folder.is_dir()) {
            return Err(Failure::usage(format!("--plugins {}: there is no such folder", shown(missing))));
        }
        let workspace = args
            .workspace
            .clone()
            .or_else(|| variable("HERMES_WORKSPACE").map(PathBuf::from))
            .or_else(|| file.workspace.path.map(|path| base.join(path)))
            .or_else(|| variable("CLAUDE_PROJECT_DIR").map(PathBuf::from))
            .unwrap_or_else(|| here.clone());
        let cache = path_of("HERMES_COMPILE_CACHE", file.compile.cache, &base)
            .or_else(|| home.as_ref().map(|home| home.join("cache")));
        Ok(Self {
            proxy: proxy(file.egress.proxy, config.as_deref())?,
            ca_file: path_of("HERMES_EGRESS_CA_FILE", file.egress.ca_file, &base),
            allow_private: allow_private(&file.egress.allow_private, config.as_deref())?,
            key_file: path_of("HERMES_COMPILE_KEY_FILE", file.compile.key_file, &base)
                .or_else(|| cache.as_ref().map(|cache| cache.with_extension("key"))),
            cache,
            workspace: here.join(workspace),
            view: view(args, &here)?,
            environment: Arc::new(environment()),
            home,
            user_home,
            plugins,
            config,
        })
    }
}

/// A path from the environment, relative to the current folder, or from the configuration file, relative to its folder.
fn path_of(name: &str, configured: Option<PathBuf>, base: &Path) -> Option<PathBuf> {
    variable(name).map(PathBuf::from).or_else(|| configured.map(|path| base.join(path)))
}

fn proxy(configured: Option<String>, config: Option<&Path>) -> Result<Option<Url>, Failure> {
    let name = "HERMES_EGRESS_PROXY";
    let (text, origin) = match (text_of(name)?, configured) {
        (Some(text), _) => (text, name.to_owned()),
        (None, Some(text)) => (text, key(config, "egress.proxy")),
        (None, None) => return Ok(None),
    };
    // The text itself is not shown: it may hold a password.
    let usable = Url::parse(&text).ok().filter(|url| url.scheme() == "http" && url.has_host());
    let url =
        usable.ok_or_else(|| Failure::usage(format!("{origin}: expected `http://[user:password@]host[:port]`")))?;
    Ok(Some(url))
}

fn allow_private(configured: &[String], config: Option<&Path>) -> Result<Vec<Network>, Failure> {
    let name = "HERMES_EGRESS_ALLOW_PRIVATE";
    let network = |text: &str, origin: &str| {
        Network::from_str(text)
            .map_err(|error| Failure::usage(format!("{origin}: {}", escape(&error.to_string(), false))))
    };
    match text_of(name)? {
        Some(list) => list.split(',').map(|text| network(text.trim(), name)).collect(),
        None => configured.iter().map(|text| network(text, &key(config, "egress.allow_private"))).collect(),
    }
}

/// Where a key stands, for errors.
fn key(config: Option<&Path>, key: &str) -> String {
    config.map_or_else(|| key.to_owned(), |config| format!("{}: {key}", shown(config)))
}

fn view(args: &SessionArgs, here: &Path) -> Result<View, Failure> {
    let mut grant = Capabilities::default();
    for text in &args.grant {
        union(&mut grant, &parse_grant(text, here).map_err(|error| Failure::usage(format!("--grant: {error}")))?);
    }
    Ok(View { toolsets: args.toolset.clone(), exclude: args.exclude.clone(), grant })
}

fn read_config(flag: Option<&Path>, home: Option<&Path>) -> Result<(Option<PathBuf>, ConfigFile), Failure> {
    let named = flag.map(Path::to_path_buf).or_else(|| variable("HERMES_CONFIG").map(PathBuf::from));
    let required = named.is_some();
    let Some(path) = named.or_else(|| home.map(|home| home.join("config.toml"))) else {
        return Ok((None, ConfigFile::default()));
    };
    let text = match input::text(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !required => {
            return Ok((None, ConfigFile::default()));
        }
        Err(error) => return Err(Failure::usage(format!("{}: {error}", shown(&path)))),
    };
    let file = toml::from_str(&text)
        .map_err(|error| Failure::usage(format!("{}: {}", shown(&path), error.to_string().trim())))?;
    Ok((Some(path), file))
}

/// What of the host's own diagnostics is shown, as `HERMES_TELEMETRY_LOG` says. Read by itself, since errors of the other settings
/// are to be logged too.
pub(crate) fn log_filter() -> String {
    variable("HERMES_TELEMETRY_LOG").unwrap_or_default().to_string_lossy().into_owned()
}

fn text_of(name: &str) -> Result<Option<String>, Failure> {
    let text = variable(name).map(OsString::into_string).transpose();
    text.map_err(|_| Failure::usage(format!("{name}: expected UTF-8 text")))
}

/// Empty counts as unset, as shells make it hard to unset for one command.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn environment() -> BTreeMap<EnvName, String> {
    let utf8 = env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    utf8.filter_map(|(name, value)| Some((EnvName::try_from(name).ok()?, value))).collect()
}
