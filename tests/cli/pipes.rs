//! Readers that have seen enough.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use crate::support::Place;

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let place = Place::new().env("WEATHER_API_KEY", "k3y").file("a.txt", "a\n");
    for args in [
        &["list"] as &[&str],
        &["list", "--json"],
        &["doctor"],
        &["doctor", "--json"],
        &["completions", "bash"],
        &["--help"],
        &["call", "read_file", "--args", r#"{"path":"a.txt"}"#],
        &["call", "read_file", "--args", r#"{"path":"a.txt"}"#, "--json"],
    ] {
        // The pipe has no reader before the first byte is written, so every write fails.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = place.command();
        command.args(args).stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped());
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn a_failed_call_stays_failed_when_nobody_reads() {
    let place = Place::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = place
        .command()
        .args(["call", "read_file", "--args", r#"{"path":"none"}"#, "--json"])
        .stdout(writer)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn what_fits_before_the_reader_leaves_is_whole() {
    let mut child = Place::new()
        .command()
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "#compdef hermes-host\n");
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}
