//! Settings: flag › `HERMES_*` › `config.toml` › default, merged once.
//!
//! [`keys`] is the table of all keys, [`value`] and [`kinds`] what may stand behind one, [`reader`] which source holds, [`folders`]
//! whether the folders are there, and [`page`] the reference page. [`places`] is what the host finds where it was started.

mod folders;
mod keys;
mod kinds;
mod page;
mod places;
mod reader;
mod value;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use hermes_core::{View, parse_grant, union};
use hermes_manifest::{Capabilities, EnvName};

use self::keys::Section;
use self::places::Places;
use self::reader::{File, Reader};
use crate::cli::SessionArgs;
use crate::failure::Failure;
use crate::input;
use crate::printer::{escape, shown};

pub(crate) use self::keys::Config;
pub(crate) use self::kinds::{Compat, LogFilter, LogFormat, Trust};
pub(crate) use self::page::reference;
pub(crate) use self::reader::{Origin, Resolved};

/// What a command runs with.
pub(crate) struct Settings {
    /// Every key, with the value that holds.
    pub(crate) config: Config,
    /// The same for people, with where each value comes from.
    pub(crate) resolved: Vec<Resolved>,
    /// The configuration file that was read, if any.
    pub(crate) file: Option<PathBuf>,
    /// Where a configuration file would be read from, if one were there.
    pub(crate) file_at: Option<PathBuf>,
    /// `$HERMES_HOME`, where there is one.
    pub(crate) home: Option<PathBuf>,
    /// The user's home folder.
    pub(crate) user_home: Option<PathBuf>,
    /// What the session sees.
    pub(crate) view: View,
    /// The session's name, if it was given one.
    pub(crate) session: Option<String>,
    /// The words with which another command gets the same session.
    pub(crate) words: Vec<String>,
    /// The environment's variables that a tool could be granted.
    pub(crate) environment: Arc<BTreeMap<EnvName, String>>,
    /// What is probably a slip, and does not stop the host.
    pub(crate) warnings: Vec<String>,
    args: SessionArgs,
}

/// The settings that hold now, of a host whose configuration may change.
#[derive(Clone)]
pub(crate) struct Current(Arc<RwLock<Arc<Settings>>>);

impl Current {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        Self(Arc::new(RwLock::new(settings)))
    }

    pub(crate) fn get(&self) -> Arc<Settings> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set(&self, settings: Arc<Settings>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = settings;
    }
}

impl Settings {
    /// Merges all sources: there are whole settings, or none.
    ///
    /// # Errors
    ///
    /// When a file, a variable or a grant is malformed; the message names it, with line and key.
    pub(crate) fn load(args: &SessionArgs) -> Result<Self, Failure> {
        let places = Places::look()?;
        let sections = keys::sections();
        let (file_at, text) = config_text(args.config.as_deref(), &places)?;
        let text = file_at.clone().zip(text);
        let file = text.as_ref().map(|(path, text)| File::parse(path, text, &sections)).transpose()?;
        let mut reader = Reader::new(args, &places, file.as_ref());
        let config = keys::read(&mut reader)?;
        let resolved = reader.into_resolved();
        let mut warnings = slips(&places, &sections);
        warnings.extend(folders::look(&config, &resolved)?);
        Ok(Self {
            config,
            resolved,
            view: view(args, &places.here)?,
            session: args.session.clone(),
            words: args.words(),
            environment: Arc::new(places.grantable()),
            warnings,
            file: text.map(|(path, _)| path),
            file_at,
            args: args.clone(),
            home: places.home,
            user_home: places.user_home,
        })
    }

    /// Merges all sources anew: of these, files may have changed.
    ///
    /// # Errors
    ///
    /// As [`Settings::load`].
    pub(crate) fn anew(&self) -> Result<Self, Failure> {
        Self::load(&self.args)
    }

    /// The keys whose values differ and that are read at the start alone, in the order of the table.
    pub(crate) fn late(&self, next: &Self) -> Vec<String> {
        let keys = keys::sections().into_iter().flat_map(|section| section.keys).filter(|key| key.at_start);
        let value = |settings: &Self, key: &str| {
            settings.resolved.iter().find(|resolved| resolved.key == key).map(|resolved| resolved.value.clone())
        };
        keys.map(|key| key.dotted()).filter(|key| value(self, key) != value(next, key)).collect()
    }

    /// Where the value of a key was said and what it is called there, for a message about it.
    pub(crate) fn place(&self, key: &str) -> String {
        place(&self.resolved, key)
    }

    /// What is served: the session's own view, or the toolsets that the configuration names.
    pub(crate) fn served(&self) -> View {
        let mut view = self.view.clone();
        if view.toolsets.is_none() && !self.config.serve.toolsets.is_empty() {
            view.toolsets = Some(self.config.serve.toolsets.iter().map(|name| name.0.clone()).collect());
        }
        view
    }

    /// Folders of components, in the order in which they claim names.
    pub(crate) fn plugin_folders(&self) -> Vec<PathBuf> {
        let own = self.home.iter().map(|home| home.join("plugins"));
        own.chain(self.config.plugins.folders.iter().cloned()).collect()
    }
}

fn place(resolved: &[Resolved], key: &str) -> String {
    resolved.iter().find(|resolved| resolved.key == key).map_or_else(|| key.to_owned(), Resolved::place)
}

/// Where the configuration file is, and its text. Only one that was not named may be absent.
fn config_text(flag: Option<&Path>, places: &Places) -> Result<(Option<PathBuf>, Option<String>), Failure> {
    let named = flag.map(Path::to_path_buf).or_else(|| places.variable("HERMES_CONFIG").map(PathBuf::from));
    let required = named.is_some();
    let Some(path) = named.or_else(|| places.own("config.toml")) else {
        return Ok((None, None));
    };
    match input::text(&path) {
        Ok(text) => Ok((Some(path), Some(text))),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !required => Ok((Some(path), None)),
        Err(error) => Err(Failure::usage(format!("{}: {error}", shown(&path)))),
    }
}

fn view(args: &SessionArgs, here: &Path) -> Result<View, Failure> {
    let mut grant = Capabilities::default();
    for text in &args.grant {
        union(&mut grant, &parse_grant(text, here).map_err(|error| Failure::usage(format!("--grant: {error}")))?);
    }
    Ok(View { toolsets: args.toolset.clone(), exclude: args.exclude.clone(), grant, ..View::default() })
}

/// Variables that are nearly ours. Others may have `HERMES_*` variables of their own, so that is no error.
fn slips(places: &Places, sections: &[Section]) -> Vec<String> {
    let keys = || sections.iter().flat_map(|section| &section.keys);
    let others = ["HERMES_HOME", "HERMES_CONFIG", "HERMES_PLUGINS_PREBUILT"];
    let known: Vec<String> = keys().map(|key| key.variable()).chain(others.map(str::to_owned)).collect();
    let ours = places.names().filter(|name| name.starts_with("HERMES_") && !known.iter().any(|known| known == name));
    let slips = ours.filter_map(|name| {
        let regular = keys().find(|key| key.regular_variable() == name).map(|key| key.variable());
        let near = known.iter().map(|known| (strsim::damerau_levenshtein(name, known), known));
        // Nearer than names elsewhere must be: all of these begin alike.
        let near = near.filter(|(distance, known)| *distance <= known.len() / 10).min().map(|(_, known)| known.clone());
        let near = regular.or(near)?;
        Some(format!("{} sets nothing; did you mean {near}?", escape(name, false)))
    });
    slips.collect()
}
