//! `completions`: a script for a shell, from the definition of the command line.

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

use crate::cli::Cli;
use crate::failure::Failure;
use crate::printer::Printer;

pub(super) fn completions(shell: Shell, printer: Printer) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "hermes-host", &mut script);
    Ok(printer.text(&String::from_utf8_lossy(&script))?)
}
