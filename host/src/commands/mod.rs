//! One file a command. Each reads its arguments, lets a library do the work, and prints.

mod approvals;
mod approve;
mod call;
mod check;
mod completions;
mod config;
mod doctor;
mod embed;
mod explain;
mod idle;
mod inspect;
mod list;
mod new;
mod release;
mod run;
mod sample;
mod secret;
mod setup;
mod toolset;

use hermes_core::registry::Family;
use hermes_core::{Hidden, Host, Scope, Seen, Session, UnknownName};

use crate::cli::Command;
use crate::failure::{ExitStatus, Failure};
use crate::printer::{Printer, escape, word};
use crate::settings::Settings;

/// Runs a command. Not all need settings: a file that is broken must not be in the way of those.
pub(crate) fn run(
    command: Command,
    settings: Result<Settings, Failure>,
    printer: Printer,
) -> Result<ExitStatus, Failure> {
    let settings = || {
        let settings = settings?;
        for warning in &settings.warnings {
            tracing::warn!("{warning}");
        }
        Ok::<Settings, Failure>(settings)
    };
    let done = match command {
        Command::Run(args) => run::run(&args, settings()?, printer),
        Command::List(args) => list::list(&args, &settings()?, printer),
        Command::Inspect(args) => inspect::inspect(&args, &settings()?, printer),
        Command::Call(args) => return call::call(&args, &settings()?, printer),
        Command::Check(args) => return check::check(&args, &settings()?, printer),
        Command::Explain(args) => explain::explain(&args, &settings()?, printer),
        Command::Approve(args) => return approve::approve(&args, &settings()?, printer),
        Command::Approvals { action } => return approvals::approvals(&action, settings()?, printer),
        Command::Release(args) => return release::release(&args, &settings()?, printer),
        Command::Toolset { command } => toolset::toolset(&command, &settings()?, printer),
        Command::Sample(args) => sample::sample(&args, &settings()?, printer),
        Command::New(args) => new::new(&args, printer),
        Command::Embed(args) => embed::embed(&args, printer),
        Command::Setup(args) => return setup::setup(&args, &settings()?, printer),
        Command::Secret { action } => secret::secret(action, &settings()?, printer),
        Command::Config { action } => config::config(&action, settings, printer),
        Command::Doctor => return doctor::doctor(&settings()?, printer),
        Command::Completions { shell } => completions::completions(shell, printer),
    };
    done.map(|()| ExitStatus::Done)
}

/// A tool that the session sees.
fn find(host: &Host, session: &Session, name: &str) -> Result<Seen, Failure> {
    host.tool(session, name).ok_or_else(|| {
        if let Some(why) = host.hidden(session, name) {
            return Failure::usage(format!("this session has no tool `{name}`")).hint(hidden(&why));
        }
        if is_hook(host, name) {
            return Failure::usage(format!("`{name}` is a hook, which stands around calls, and no tool"));
        }
        let listing = host.list(session);
        let names = || listing.tools.iter().map(|seen| seen.entry.manifest.name.as_str());
        unknown(&UnknownName::new("tool", name, names()), names())
    })
}

/// A name that is none of those that there are: with the nearest, or else with all of them.
fn unknown<'a>(error: &UnknownName, names: impl Iterator<Item = &'a str>) -> Failure {
    let failure = Failure::usage(escape(&error.to_string(), false));
    if error.nearest.is_some() { failure } else { failure.hint(there(names, error.what)) }
}

/// Whether what has this name is a hook.
fn is_hook(host: &Host, name: &str) -> bool {
    let catalog = host.catalog();
    let mut entries = catalog.family(&Scope::Host, name).into_iter().flat_map(Family::entries);
    entries.any(|entry| entry.hook().is_some())
}

fn hidden(why: &Hidden) -> String {
    format!("there is one: {}", escape(&why.to_string(), false))
}

/// The names that there are, for one that was none of them.
fn there<'a>(names: impl Iterator<Item = &'a str>, what: &str) -> String {
    match names.collect::<Vec<_>>().as_slice() {
        [] => format!("there is no {what}"),
        [one] => format!("there is {}", escape(one, false)),
        all => format!("there are {}", escape(&all.join(", "), false)),
    }
}

/// A command for the same session.
pub(crate) fn command(words: &[&str], settings: &Settings) -> String {
    let words = ["hermes-host"].iter().chain(words).copied();
    let words = words.chain(settings.words.iter().map(String::as_str)).map(word);
    words.collect::<Vec<_>>().join(" ")
}

/// The command that approves a tool as this session sees it.
fn approve_command(tool: &str, settings: &Settings) -> String {
    command(&["approve", tool], settings)
}

/// The runtime of protocols and timers. Guests run on the sandbox's own.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::work(format!("cannot start the runtime: {error}")))
}
