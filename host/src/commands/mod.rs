//! One file a command. Each reads its arguments, lets a library do the work, and prints.

mod approve;
mod call;
mod check;
mod completions;
mod config;
mod difference;
mod doctor;
mod embed;
mod explain;
mod inspect;
mod list;
mod new;
mod run;
mod sample;
mod secret;
mod setup;
mod toolset;

use crate::cli::Command;
use crate::failure::{ExitStatus, Failure};
use crate::printer::Printer;
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
        Command::Run(_) => run::run(settings()?),
        Command::List(args) => list::list(&args, &settings()?, printer),
        Command::Inspect(args) => inspect::inspect(&args, &settings()?, printer),
        Command::Call(args) => return call::call(&args, &settings()?, printer),
        Command::Check(args) => return check::check(&args, &settings()?, printer),
        Command::Explain(args) => explain::explain(&args, &settings()?, printer),
        Command::Approve(args) => return approve::approve(&args, &settings()?, printer),
        Command::Toolset { command } => toolset::toolset(&command, &settings()?, printer),
        Command::Sample(args) => sample::sample(&args, &settings()?, printer),
        Command::New(args) => new::new(&args, printer),
        Command::Embed(args) => embed::embed(&args, printer),
        Command::Setup(args) => setup::setup(&args, &settings()?, printer),
        Command::Secret { action } => secret::secret(action, &settings()?, printer),
        Command::Config { action } => config::config(&action, settings, printer),
        Command::Doctor => return doctor::doctor(&settings()?, printer),
        Command::Completions { shell } => completions::completions(shell, printer),
    };
    done.map(|()| ExitStatus::Done)
}

/// The runtime of protocols and timers. Guests run on the sandbox's own.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::work(format!("cannot start the runtime: {error}")))
}
