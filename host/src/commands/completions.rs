//! `completions`: a script for a shell, from the definition of the command line.

use std::io::{self, Write as _};

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

use crate::cli::Cli;
use crate::failure::Failure;

pub(super) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "hermes-host", &mut script);
    Ok(io::stdout().write_all(&script)?)
}
