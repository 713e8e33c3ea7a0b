//! The grants that a tool lacks, in a toolset of its own.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hermes_core::{Explanation, GrantLine, Listed, Seen, Toolset, parse_grant, union};
use hermes_manifest::{Capabilities, ToolName};

use super::{approved_toolset, use_approved};
use crate::failure::Failure;
use crate::input;
use crate::printer::shown;
use crate::settings::Settings;

/// What is to be granted: all that a tool lacks, in the toolset of its own.
pub(super) struct Grant {
    tool: ToolName,
    /// What it lacks.
    pub(super) lines: Vec<GrantLine>,
    file: PathBuf,
    /// What the file is to say, with what it says already.
    whole: Capabilities,
}

impl Grant {
    /// Nothing where nothing is lacking.
    ///
    /// # Errors
    ///
    /// When it cannot be written there, or stands there already and this session does not use it.
    pub(super) fn new(explanation: &Explanation, seen: &Seen, settings: &Settings) -> Result<Option<Self>, Failure> {
        let lacks = explanation.lacks();
        if lacks.is_empty() {
            return Ok(None);
        }
        let tool = seen.entry.manifest.name.clone();
        let home =
            settings.home.as_ref().ok_or_else(|| Failure::usage("there is no $HERMES_HOME to write the grant to"))?;
        let file = home.join("toolsets").join(format!("{}.toml", approved_toolset(tool.as_str())));
        let so_far = match input::text(&file) {
            Ok(text) => granted_so_far(&file, &text, seen)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Capabilities::default(),
            Err(error) => return Err(Failure::file(&file, &error)),
        };
        let mut whole = so_far.clone();
        for line in &lacks {
            union(&mut whole, &parse_grant(&line.to_string(), Path::new("/")).map_err(Failure::work)?);
        }
        if let Some(flag) = use_approved(tool.as_str(), settings)
            && whole == so_far
            && seen.entry.held().is_none()
        {
            return Err(Failure::usage(format!("{} grants `{tool}` all that it lacks already", shown(&file)))
                .hint(format!("this session does not use that toolset: {flag} does")));
        }
        // A file that names no limits would count with the defaults, and lift those that hold now.
        let whole = explanation.with_limits_in_force(whole);
        Ok(Some(Self { tool, lines: lacks, file, whole }))
    }

    /// For whoever agrees to it, or has agreed.
    pub(super) fn told(&self, agreed: bool, settings: &Settings) -> Vec<String> {
        let Self { tool, file, .. } = self;
        let line = |line: &GrantLine| match line.capability {
            "secrets" => format!("  {line}: it gets the value itself"),
            _ => format!("  {line}"),
        };
        let mut told = vec![format!("{tool} asks for what no toolset grants it:")];
        told.extend(self.lines.iter().map(line));
        let written = if agreed { "It is written to" } else { "It would be written to" };
        told.push(format!("{written} {}.", shown(file)));
        if let Some(flag) = use_approved(tool.as_str(), settings) {
            let own = approved_toolset(tool.as_str());
            told.push(format!("That is the toolset {own}, which this session does not use: {flag} does."));
        }
        told
    }

    pub(super) fn write(&self) -> Result<(), Failure> {
        let Self { tool, file, whole, .. } = self;
        let mut toolset = BTreeMap::from([
            ("description", toml::Value::from(format!("What was approved for {tool}"))),
            ("tools", toml::Value::from(vec![tool.to_string()])),
        ]);
        toolset.insert("grant", toml::Value::try_from(whole).map_err(Failure::work)?);
        let text = toml::to_string(&toolset).map_err(Failure::work)?;
        let text = format!("# Written by `hermes-host approve {tool}`.\n{text}");
        let folder = file.parent().unwrap_or(Path::new("."));
        let failed = |error: &std::io::Error| Failure::file(file, error);
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        let mut new = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
        new.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
        new.persist(file).map_err(|error| failed(&error.error))?;
        Ok(())
    }
}

/// The grant of a file as this command writes it. One that somebody made more of is left to them: its grant would reach other tools,
/// and what else it says would be lost.
fn granted_so_far(file: &Path, text: &str, seen: &Seen) -> Result<Capabilities, Failure> {
    let Toolset { tools, includes, hooks, grant, narrow, .. } = Toolset::parse(file, text).map_err(Failure::usage)?;
    let own = |listed: &Listed| listed.name == seen.entry.manifest.name && listed.pin.is_none();
    if tools.iter().all(own) && includes.is_empty() && hooks.is_empty() && narrow.is_empty() {
        return Ok(grant);
    }
    Err(Failure::usage(format!("{} holds more than what was approved: add the grants to it by hand", shown(file))))
}
