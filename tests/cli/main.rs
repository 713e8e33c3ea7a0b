//! The command line, from outside: whole outputs, exit codes, and the real binary.

mod call;
mod embed;
mod inspect;
mod new;
mod stdio;
mod support;
mod upstream;
mod usage;
mod weather;
