//! `hermes-host`: runs the tools of LLM agents as sandboxed WebAssembly components.
//!
//! [`cli`] says what may be typed, [`settings`] merges it with environment and configuration, [`open`] builds a host from
//! that, and each command is one file in [`commands`].

mod advisories;
mod cli;
mod commands;
mod embedded;
mod failure;
mod input;
mod log;
mod open;
mod printer;
mod secrets;
mod settings;

use std::process::ExitCode;

use clap::Parser as _;

use crate::printer::Printer;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let printer = Printer::new(cli.session.json);
    log::init(&settings::log_filter());
    match commands::run(cli, printer) {
        Ok(status) => status.code().into(),
        Err(failure) => {
            printer.note(&printer::escape(&failure.to_string(), true));
            failure.status().code().into()
        }
    }
}
