//! Settings: flag › `HERMES_*` › `config.toml` › default, merged once. The only place that reads the environment.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hermes_core::{View, parse_grant, union};
use hermes_manifest::{Capabilities, EnvName};
use serde::Deserialize;

use crate::cli::SessionArgs;
use crate::failure::Failure;

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
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CompileSection {
    /// Where compiled components are kept.
    cache: Option<PathBuf>,
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
    pub(crate) proxy: Option<String>,
    /// More certificates to trust.
    pub(crate) ca_file: Option<PathBuf>,
    /// Where compiled components are kept.
    pub(crate) cache: Option<PathBuf>,
    /// The configuration file that was read, if any.
    pub(crate) config: Option<PathBuf>,
    /// The environment's variables that a tool could be granted.
    pub(crate) environment: BTreeMap<EnvName, String>,
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
            return Err(Failure::usage(format!("--plugins {}: there is no such folder", missing.display())));
        }
        let workspace = args
            .workspace
            .clone()
            .or_else(|| variable("HERMES_WORKSPACE").map(PathBuf::from))
            .or_else(|| file.workspace.path.map(|path| base.join(path)))
            .or_else(|| variable("CLAUDE_PROJECT_DIR").map(PathBuf::from))
            .unwrap_or_else(|| here.clone());
        let text = |name: &str| variable(name).map(|value| value.to_string_lossy().into_owned());
        Ok(Self {
            proxy: text("HERMES_EGRESS_PROXY").or(file.egress.proxy),
            ca_file: variable("HERMES_EGRESS_CA_FILE")
                .map(PathBuf::from)
                .or_else(|| file.egress.ca_file.map(|path| base.join(path))),
            cache: variable("HERMES_COMPILE_CACHE")
                .map(PathBuf::from)
                .or_else(|| file.compile.cache.map(|path| base.join(path)))
                .or_else(|| home.as_ref().map(|home| home.join("cache"))),
            workspace: here.join(workspace),
            view: view(args, &here)?,
            environment: environment(),
            home,
            user_home,
            plugins,
            config,
        })
    }
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
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !required => {
            return Ok((None, ConfigFile::default()));
        }
        Err(error) => return Err(Failure::usage(format!("{}: {error}", path.display()))),
    };
    let file = toml::from_str(&text)
        .map_err(|error| Failure::usage(format!("{}: {}", path.display(), error.to_string().trim())))?;
    Ok((Some(path), file))
}

/// Empty counts as unset, as shells make it hard to unset for one command.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

fn environment() -> BTreeMap<EnvName, String> {
    let utf8 = env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    utf8.filter_map(|(name, value)| Some((EnvName::try_from(name).ok()?, value))).collect()
}
