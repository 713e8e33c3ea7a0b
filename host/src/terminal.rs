//! Answers of the person, or of the program, behind stdin.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use crate::failure::Failure;
use crate::printer::Printer;

/// The longest answer. A key in PEM has a few KiB.
const MAX_ANSWER: u64 = 64 << 10;

/// Whether a person is there.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal()
}

/// One line in answer to a question; nothing when there is none any more. On a terminal, a secret is not shown while it is typed.
pub(crate) fn line(question: &str, secret: bool, printer: Printer) -> Result<Option<String>, Failure> {
    printer.ask(question);
    if secret && is_interactive() {
        return match rpassword::read_password() {
            Ok(line) => Ok(Some(line)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(unreadable(error)),
        };
    }
    let mut line = Vec::new();
    io::stdin().lock().take(MAX_ANSWER + 1).read_until(b'\n', &mut line).map_err(unreadable)?;
    if !line.is_empty() {
        return text(line).map(Some);
    }
    if is_interactive() {
        // No Enter ended the line of the question.
        printer.ask("\n");
    }
    Ok(None)
}

/// All of stdin, without a line break at its end.
pub(crate) fn all() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_ANSWER + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    text(bytes)
}

fn text(bytes: Vec<u8>) -> Result<String, Failure> {
    if bytes.len() as u64 > MAX_ANSWER {
        return Err(Failure::usage("stdin: larger than the 64 KiB that are allowed"));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::usage("stdin: expected UTF-8 text"))?;
    let ended = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n'));
    Ok(ended.map(str::to_owned).unwrap_or(text))
}

fn unreadable(error: io::Error) -> Failure {
    Failure::work(format!("cannot read stdin: {error}"))
}
