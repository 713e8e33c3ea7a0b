//! `hermes-host`: runs the tools of LLM agents as sandboxed WebAssembly components.
//!
//! [`cli`] says what may be typed, [`settings`] merges it with environment and configuration, [`open`] builds a host from
//! that, and each command is one file in [`commands`].

mod advisories;
mod approval;
mod cli;
mod commands;
mod embedded;
mod failure;
mod input;

mod log;
mod open;
mod printer;
mod private;
mod refresh;
mod reload;
mod secrets;
mod settings;
mod terminal;

use std::process::ExitCode;

use clap::Parser as _;

use crate::printer::Printer;
use crate::settings::{LogFilter, LogFormat, Settings};

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let printer = Printer::new(cli.session.json);
    let settings = Settings::load(&cli.session);
    match &settings {
        Ok(settings) => log::init(&settings.config.telemetry.log, settings.config.telemetry.log_format),
        Err(_) => log::init(&LogFilter::default(), LogFormat::default()),
    }
    match commands::run(cli.command, settings, printer) {
        Ok(status) => status.code().into(),
        Err(failure) => {
            printer.note(&printer::escape(&failure.to_string(), true));
            failure.status().code().into()
        }
    }
}
