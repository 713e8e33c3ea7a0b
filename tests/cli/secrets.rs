//! Secrets: kept for their owner alone, and never printed.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::assert_ran;
use crate::support::{Place, Ran};
use crate::upstream::Upstream;

/// Runs with a text on stdin.
pub(crate) fn run_with(place: &Place, args: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
    let mut child =
        place.command().args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Who asks nothing may be gone already.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_ref());
    place.ran(&child.wait_with_output().unwrap())
}

fn secrets(place: &Place) -> std::path::PathBuf {
    place.home().join(".hermes-host/secrets")
}

#[test]
fn a_secret_is_kept_listed_and_forgotten_and_never_shown() {
    let place = Place::new();
    assert_ran!(place.run(&["secret", "list"]), @"
    exit 0
    ----- stdout
    ----- stderr
    nothing is kept; `hermes-host setup` asks for what tools need
    ");
    assert_ran!(run_with(&place, &["secret", "set", "WEATHER_API_KEY"], "hunter2\n"), @"
    exit 0
    ----- stdout
    ----- stderr
    WEATHER_API_KEY is kept in [PLACE]/home/.hermes-host/secrets
    ");
    assert_ran!(run_with(&place, &["secret", "set", "OTHER"], "hunter2"), @"
    exit 0
    ----- stdout
    ----- stderr
    OTHER is kept in [PLACE]/home/.hermes-host/secrets
    ");
    assert_eq!(
        fs::read_to_string(secrets(&place)).unwrap(),
        "# Written by `hermes-host setup` and `hermes-host secret`. Comments are not kept.\nOTHER = \"hunter2\"\nWEATHER_API_KEY = \"hunter2\"\n"
    );
    let place = place.env("OTHER", "hunter2").env("UNRELATED", "x");
    assert_ran!(place.run(&["secret", "list"]), @"
    exit 0
    ----- stdout
    NAME             FROM
    OTHER            environment
    WEATHER_API_KEY  file
    ----- stderr
    ");
    assert_ran!(place.run(&["secret", "list", "--json"]), @r#"
    exit 0
    ----- stdout
    [{"name":"OTHER","from":"environment"},{"name":"WEATHER_API_KEY","from":"file"}]
    ----- stderr
    "#);
    assert_ran!(run_with(&place, &["secret", "set", "OTHER"], "hunter3"), @"
    exit 0
    ----- stdout
    ----- stderr
    OTHER is kept in [PLACE]/home/.hermes-host/secrets
    the variable OTHER in this environment comes first
    ");
    assert_ran!(place.run(&["secret", "delete", "WETHER_API_KEY"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/secrets has no `WETHER_API_KEY`; did you mean `WEATHER_API_KEY`?
    ");
    assert_ran!(place.run(&["secret", "delete", "WEATHER_API_KEY"]), @"
    exit 0
    ----- stdout
    ----- stderr
    WEATHER_API_KEY is forgotten
    ");
    assert_ran!(place.run(&["list", "--toolset", "weather", "--why"]), @"
    exit 0
    ----- stdout
    NAME     VERSION  TOOLSET  STATE        DESCRIPTION
    weather  0.1.0    weather  unavailable  🌤 WEATHER_API_KEY has no value; `hermes-host setup` asks for it, or set it in the host's environment
    ----- stderr
    left out read_file 0.1.0, search_files 0.1.0, write_file 0.1.0: in the toolset `file`; this session uses `weather` alone
    ");
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_what_is_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    fs::remove_dir_all(place.home()).unwrap();
    assert_eq!(run_with(&place, &["secret", "set", "A"], "1").code, 0);
    let mode = |path: std::path::PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(place.home().join(".hermes-host")), mode(secrets(&place))), (0o700, 0o600));
    fs::set_permissions(secrets(&place), fs::Permissions::from_mode(0o644)).unwrap();
    assert_ran!(place.run(&["secret", "list"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/secrets is open to other users: its mode is 644, expected 600
    hint: if you trust what is in it: chmod 600 [PLACE]/home/.hermes-host/secrets
    ");
    assert_ran!(run_with(&place, &["secret", "set", "B"], "2"), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/secrets is open to other users: its mode is 644, expected 600
    hint: if you trust what is in it: chmod 600 [PLACE]/home/.hermes-host/secrets
    ");
    assert_ran!(place.run(&["call", "weather"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/secrets is open to other users: its mode is 644, expected 600
    hint: if you trust what is in it: chmod 600 [PLACE]/home/.hermes-host/secrets
    ");
    assert_eq!(mode(secrets(&place)), 0o644, "a mode that somebody set is not changed in silence");
}

#[test]
fn what_cannot_be_a_value_is_refused() {
    let large = "x".repeat((64 << 10) + 1);
    let place = Place::new();
    for (name, value, expected) in [
        ("A", b"" as &[u8], "A: expected a value, found an empty text"),
        ("A", b"\n", "A: expected a value, found an empty text"),
        ("A", b"a\0b", "A: a value cannot have NUL characters"),
        ("A", b"\xff", "stdin: expected UTF-8 text"),
        ("A", large.as_bytes(), "stdin: larger than the 64 KiB that are allowed"),
        (
            "A=1",
            b"x",
            "`A=1` is not a variable name: expected a letter or `_`, then letters, digits or `_`, at most 128 characters",
        ),
    ] {
        let ran = run_with(&place, &["secret", "set", name], value);
        assert_eq!(ran.to_string(), format!("exit 2\n----- stdout\n----- stderr\nerror: {expected}\n"));
    }
    assert!(!secrets(&place).exists());
    let ran = place.run(&["secret", "set", "A", "hunter2"]);
    assert!(ran.code == 2 && !secrets(&place).exists(), "a value is no argument: {ran}");
}

#[cfg(unix)]
#[test]
fn a_malformed_file_is_named_by_line_without_its_values() {
    use std::os::unix::fs::PermissionsExt as _;
    for (text, expected) in [
        ("A = \"1\"\nB = hunter2\n", "2: expected lines of `NAME = \"value\"`"),
        ("A = \"1\"\nA = \"hunter2\"\n", "2: expected lines of `NAME = \"value\"`"),
        ("A = 7\n", "1: A: expected a text in quotes"),
        ("[section]\nA = \"hunter2\"\n", "1: section: expected a text in quotes"),
        ("\"a b\" = \"hunter2\"\n", "1: expected lines of `NAME = \"value\"`"),
        ("A = \"\"\n", "1: A: expected a value, found an empty text"),
    ] {
        let place = Place::new().own("secrets", text);
        fs::set_permissions(secrets(&place), fs::Permissions::from_mode(0o600)).unwrap();
        for args in [&["list"] as &[&str], &["secret", "list"], &["secret", "set", "A"]] {
            assert_eq!(
                run_with(&place, args, "x").to_string(),
                format!("exit 2\n----- stdout\n----- stderr\nerror: [PLACE]/home/.hermes-host/secrets:{expected}\n")
            );
        }
        assert_eq!(fs::read_to_string(secrets(&place)).unwrap(), text);
    }
}

#[test]
fn processes_that_keep_secrets_at_one_time_lose_none() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let place = &place;
            scope.spawn(move || assert_eq!(run_with(place, &["secret", "set", &format!("N{number}")], "x").code, 0));
        }
    });
    assert_eq!(place.run(&["secret", "list", "--json"]).json().as_array().unwrap().len(), 8);
}

#[test]
fn no_tool_reads_the_file() {
    let place = Place::new();
    run_with(&place, &["secret", "set", "A"], "hunter2");
    let path = secrets(&place);
    let args = json!({"path": path}).to_string();
    let grant = format!("fs={}", path.parent().unwrap().display());
    let ran = place.run(&["call", "read_file", "--args", &args, "--grant", &grant]);
    assert!(ran.code != 0 && !ran.to_string().contains("hunter2"), "{ran}");
}

/// A granted variable was once what it was when the host started.
#[test]
fn a_host_that_runs_sees_variables_change() {
    // A host that runs asks a component what it is: only what does not show in that is changed here.
    let own = hermes_manifest::scan(std::io::Cursor::new(guest_artifacts::PROBE)).unwrap().section;
    let mut manifest: Value = serde_json::from_slice(&own).unwrap();
    manifest["toolset"] = json!("mine");
    manifest["check"] = json!("static");
    manifest["requires_env"] = json!([{"name": "GREETING"}]);
    manifest["capabilities"] = json!({"env": ["GREETING"], "secrets": {"TOKEN": {}}});
    let replace = hermes_manifest::Existing::Replace;
    let probe = hermes_manifest::embed(guest_artifacts::PROBE, manifest.to_string().as_bytes(), replace).unwrap();
    let place = Place::new().plugin("probe.wasm", &probe).own(
        "toolsets/mine.toml",
        "tools = [\"probe\"]\n[grant]\nenv = [\"GREETING\"]\n[grant.secrets.TOKEN]\nexpose = true\n",
    );
    let mut client = crate::stdio::Client::legacy(&place, &["--toolset", "mine"]);
    let mut environment = || client.call("probe", json!({"action": "environment"})).to_string();
    let absent = "GREETING has no value";
    assert!(environment().contains(absent));
    for value in ["hello", "good evening"] {
        run_with(&place, &["secret", "set", "GREETING"], value);
        let done = environment();
        assert!(done.contains(&format!("GREETING={value}")), "{done}");
    }
    place.run(&["secret", "delete", "GREETING"]);
    assert!(environment().contains(absent));
}

#[test]
fn a_host_that_runs_sees_what_changes() {
    let upstream = Upstream::answering("api.weatherapi.com", "200 OK", r#"{"current":{"temp_c":22.0}}"#);
    let place = Place::new()
        .env("HERMES_EGRESS_PROXY", &upstream.proxy)
        .env("HERMES_EGRESS_CA_FILE", upstream.ca_file.display());
    let mut client = crate::stdio::Client::legacy(&place, &[]);
    let mut weather = || client.call("weather", json!({"location": "London"})).to_string();
    let absent = "WEATHER_API_KEY has no value";
    assert!(weather().contains(absent));
    run_with(&place, &["secret", "set", "WEATHER_API_KEY"], "k3y");
    let done = weather();
    assert!(done.contains("temp_c"), "{done}");
    place.run(&["secret", "delete", "WEATHER_API_KEY"]);
    assert!(weather().contains(absent));
}
