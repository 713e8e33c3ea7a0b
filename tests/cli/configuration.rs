//! Settings and toolsets from files and the environment: what is wrong is named by file and key.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::assert_ran;
use crate::support::{Place, echo};

#[test]
fn a_malformed_toolset_names_file_line_and_key() {
    let place =
        Place::new().own("toolsets/file.toml", "tools = [\"read_file\"]\n\n[grant]\nfs = [{ path = \"relative\" }]\n");
    assert_ran!(place.run(&["list"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets/file.toml:4: `grant.fs[0].path`: `relative` is not a folder: expected `${workspace}` or an absolute path without `.` and `..`
    ");
}

#[test]
fn what_is_wrong_in_the_configuration_is_named_by_file_line_and_key() {
    let file = "[PLACE]/home/.hermes-host/config.toml";
    let network = "is not a range of addresses: expected an address or `address/prefix`, such as `10.0.0.0/8`";
    for (text, expected) in [
        ("[plugins]\nfolder = [\"x\"]\n", "2: unknown key `plugins.folder`; did you mean `plugins.folders`?"),
        ("\n[plugin]\nfolders = []\n", "2: unknown key `plugin`; did you mean `[plugins]`?"),
        ("allow_privat = []\n", "1: unknown key `allow_privat`; did you mean `egress.allow_private`?"),
        ("[egress]\n\ncache = \"x\"\n", "3: unknown key `egress.cache`; did you mean `compile.cache`?"),
        ("[store]\nurl = \"x\"\n", "1: unknown key `store`"),
        ("egress.prox = \"http://user:hunter2@proxy\"\n", "1: unknown key `egress.prox`; did you mean `egress.proxy`?"),
        ("\"a\\u001b\\nb\" = 1\n", "1: unknown key `a\\u{1b}\\u{a}b`"),
        ("egress = \"x\"\n", "1: egress: expected a section: `[egress]` on a line of its own"),
        (
            "[plugins]\ntrust = \"fodler\"\n",
            "2: plugins.trust: `fodler` is not `folder` or `pinned`; did you mean `folder`?",
        ),
        ("[plugins]\ntrust = true\n", "2: plugins.trust: expected `folder` or `pinned`, found a boolean"),
        ("[plugins]\nfolders = \"x\"\n", "2: plugins.folders: expected a list of paths, found a string"),
        ("[plugins]\nfolders = [\n  \"x\",\n  7,\n]\n", "4: plugins.folders: expected a path, found a number"),
        ("[workspace]\npath = \"\"\n", "2: workspace.path: expected a path, found an empty text"),
        (
            "[plugins]\nfolders = [\n  \"a\\u0000b\",\n]\n",
            "3: plugins.folders: expected a path, found a text with a NUL character",
        ),
        (
            "[arguments]\ncompat = \"Hermes\"\n",
            "2: arguments.compat: `Hermes` is not `exact` or `hermes`; did you mean `hermes`?",
        ),
        (
            "[egress]\nallow_private = [\"10.0.0.0/8\",\n\"10.0.0.0/64\"]\n",
            &format!("3: egress.allow_private: `10.0.0.0/64` {network}"),
        ),
        (
            "[limits]\nwall = \"10 years\"\n",
            "2: limits.wall: `10 years` is not a length of time: expected a whole number with `ms`, `s` or `m`, such as `30s`, and at most a day",
        ),
        ("[limits]\nwall = 30\n", "2: limits.wall: expected a length of time, such as `30s`, found a number"),
        (
            "[limits]\nmemory = \"64 MB\"\n",
            "2: limits.memory: `64 MB` is not a size: expected a whole number of bytes, or one with `KiB`, `MiB` or `GiB`, such as `64 KiB`",
        ),
        ("[limits]\ncalls = -1\n", "2: limits.calls: `-1` is not a whole number"),
        ("[limits]\nwal = \"1s\"\n", "2: unknown key `limits.wal`; did you mean `limits.wall`?"),
        (
            "[telemetry]\nlog = \"hermes_host=debgu\"\n",
            "2: telemetry.log: `debgu` is no level: expected a level (`off`, `error`, `warn`, `info`, `debug`, `trace`), or `target=level` with commas between; did you mean `debug`?",
        ),
    ] {
        let ran = Place::new().own("config.toml", text).run(&["list"]);
        assert_eq!(
            ran.to_string(),
            format!("exit 2\n----- stdout\n----- stderr\nerror: {file}:{expected}\n"),
            "{text}"
        );
    }
}

#[test]
fn an_error_of_the_parser_shows_its_line_and_no_text() {
    let place = Place::new().own("config.toml", "[egress]\nproxy = http://user:hunter2@proxy\n");
    assert_ran!(place.run(&["config", "check"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/config.toml:2: string values must be quoted, expected literal string
    ");
    let place = Place::new()
        .own("config.toml", "[egress]\nproxy = \"http://user:hunter2@proxy\"\nproxy = \"http://user:hunter2@proxy\"\n");
    assert_ran!(place.run(&["config", "check"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/config.toml:3: duplicate key
    ");
}

#[test]
fn what_is_wrong_in_the_environment_is_named_by_variable() {
    for (name, value, expected) in [
        ("HERMES_PLUGINS_TRUST", "pined", "`pined` is not `folder` or `pinned`; did you mean `pinned`?"),
        ("HERMES_LIMITS_CALLS", "many", "`many` is not a whole number"),
        ("HERMES_EGRESS_PROXY", "socks5://user:hunter2@proxy", "expected `http://[user:password@]host[:port]`"),
        (
            "HERMES_EGRESS_ALLOW_PRIVATE",
            "10.0.0.0/8, example.com",
            "`example.com` is not a range of addresses: expected an address or `address/prefix`, such as `10.0.0.0/8`",
        ),
    ] {
        let ran = Place::new().env(name, value).run(&["config", "show"]);
        assert_eq!(ran.to_string(), format!("exit 2\n----- stdout\n----- stderr\nerror: {name}: {expected}\n"));
    }
}

#[test]
fn a_proxy_that_cannot_be_used_is_refused_and_not_shown() {
    for proxy in ["user:hunter2@proxy", "https://user:hunter2@proxy", "proxy:3128", "http://"] {
        let place = Place::new().own("config.toml", format!("[egress]\nproxy = \"{proxy}\"\n"));
        assert_eq!(
            place.run(&["list"]).to_string(),
            "exit 2\n----- stdout\n----- stderr\nerror: [PLACE]/home/.hermes-host/config.toml:2: egress.proxy: expected `http://[user:password@]host[:port]`\n"
        );
    }
}

#[test]
fn a_variable_that_is_nearly_ours_is_a_warning_and_one_of_others_is_none() {
    let place = Place::new()
        .env("HERMES_EGRESS_PROXI", "http://user:hunter2@proxy")
        .env("HERMES_WORKSPACE_PATH", "x")
        .env("HERMES_MODEL", "x")
        .env("HERMES_HOST", "x");
    assert_ran!(place.run(&["config", "check"]), @"
    exit 0
    ----- stdout
    ok: no configuration file; flags and the environment set 1 of 37 keys
    ----- stderr
     WARN hermes_host::commands: HERMES_EGRESS_PROXI sets nothing; did you mean HERMES_EGRESS_PROXY?
     WARN hermes_host::commands: HERMES_WORKSPACE_PATH sets nothing; did you mean HERMES_WORKSPACE?
    ");
}

#[test]
fn a_ceiling_under_which_no_call_could_run_is_refused() {
    let expected = "expected more than 0: every call needs some, so none could run";
    for limit in ["memory", "tables", "instances", "host_bytes", "args", "output"] {
        let file = Place::new().own("config.toml", format!("[limits]\nwall = \"1m\"\n{limit} = 0\n"));
        let variable = Place::new().env(&format!("HERMES_LIMITS_{}", limit.to_uppercase()), 0);
        for (place, at) in [
            (file, format!("[PLACE]/home/.hermes-host/config.toml:3: limits.{limit}")),
            (variable, format!("HERMES_LIMITS_{}", limit.to_uppercase())),
        ] {
            for args in [&["config", "check"] as &[&str], &["call", "read_file"], &["run", "--stdio"]] {
                let ran = place.run(args);
                assert_eq!(ran.to_string(), format!("exit 2\n----- stdout\n----- stderr\nerror: {at}: {expected}\n"));
            }
        }
    }
    let closed = "[limits]\nhandles = 0\nresources = 0\nhost_calls = 0\nrandom = 0\nlog = 0\nhttp_requests = 0\nhttp_parallel = 0\nhttp_headers = 0\nhttp_body = 0\negress = 0\ndepth = 0\ncalls = 0\n";
    let place = Place::new().own("config.toml", closed).file("echo.wasm", crate::support::echo(json!({})));
    assert_ran!(place.run(&["call", "echo.wasm", "--args", r#"{"text":"still works"}"#]), @"
    exit 0
    ----- stdout
    still works
    ----- stderr
    ");
}

#[test]
fn certificates_that_cannot_be_used_are_an_error_of_every_start() {
    let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let mut said = String::new();
    for (name, content) in [
        ("none.pem", None),
        ("folder", Some("")),
        ("empty.pem", Some("")),
        ("text.pem", Some("no certificate\n")),
        ("garbage.pem", Some(garbage)),
    ] {
        let text = format!("[egress]\nproxy = \"http://proxy:3128\"\nca_file = \"{name}\"\n");
        let mut place = Place::new().own("config.toml", text);
        if let Some(content) = content {
            place = place.own(&if name == "folder" { "folder/x".to_owned() } else { name.to_owned() }, content);
        }
        let checked = place.run(&["config", "check"]).to_string();
        for args in [&["list"] as &[&str], &["call", "read_file"], &["run", "--stdio"]] {
            assert_eq!(place.run(args).to_string(), checked);
        }
        said.push_str(&checked);
    }
    insta::assert_snapshot!(said, @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/config.toml:3: egress.ca_file: [PLACE]/home/.hermes-host/none.pem: expected a file of certificates (PEM): No such file or directory (os error 2)
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/config.toml:3: egress.ca_file: [PLACE]/home/.hermes-host/folder: expected a file of certificates (PEM): not a regular file
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/config.toml:3: egress.ca_file: [PLACE]/home/.hermes-host/empty.pem: expected a file of certificates (PEM): it is empty
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/config.toml:3: egress.ca_file: [PLACE]/home/.hermes-host/text.pem: expected a file of certificates (PEM): it has no CERTIFICATE block
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/config.toml:3: egress.ca_file: [PLACE]/home/.hermes-host/garbage.pem: expected a file of certificates (PEM): invalid peer certificate: BadEncoding
    ");
    let place = Place::new().env("HERMES_EGRESS_CA_FILE", "none.pem");
    assert_ran!(place.run(&["config", "check"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: HERMES_EGRESS_CA_FILE: [PLACE]/work/none.pem: expected a file of certificates (PEM): No such file or directory (os error 2)
    ");
}

#[test]
fn a_folder_of_plugins_may_come_later_and_a_file_is_none() {
    let place = Place::new().own("config.toml", "[plugins]\nfolders = [\"later\", \"../../work\"]\n");
    assert_ran!(place.run(&["config", "check"]), @"
    exit 0
    ----- stdout
    ok: [PLACE]/home/.hermes-host/config.toml sets 1 of 37 keys, flags and the environment 1
    ----- stderr
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:2: plugins.folders: [PLACE]/home/.hermes-host/later: there is no such folder yet
    ");
    assert_ran!(place.run(&["config", "check", "--json"]), @r#"
    exit 0
    ----- stdout
    {"file":"[PLACE]/home/.hermes-host/config.toml","in_file":1,"elsewhere":1,"warnings":["[PLACE]/home/.hermes-host/config.toml:2: plugins.folders: [PLACE]/home/.hermes-host/later: there is no such folder yet"]}
    ----- stderr
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:2: plugins.folders: [PLACE]/home/.hermes-host/later: there is no such folder yet
    "#);
    assert_ran!(place.run(&["run", "--stdio"]), @"
    exit 0
    ----- stdout
    ----- stderr
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:2: plugins.folders: [PLACE]/home/.hermes-host/later: there is no such folder yet
    ");
    let place = place.env("HERMES_PLUGINS_FOLDERS", "later");
    assert_ran!(place.run(&["config", "check"]), @"
    exit 0
    ----- stdout
    ok: [PLACE]/home/.hermes-host/config.toml sets 0 of 37 keys, flags and the environment 2
    ----- stderr
     WARN hermes_host::commands: HERMES_PLUGINS_FOLDERS: [PLACE]/work/later: there is no such folder yet
    ");
    assert_ran!(place.run(&["config", "check", "--plugins", "later"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: --plugins: [PLACE]/work/later: there is no such folder
    ");
    let place = Place::new().own("config.toml", "[plugins]\nfolders = [\"config.toml\"]\n");
    let checked = place.run(&["config", "check"]);
    for args in [&["call", "read_file"] as &[&str], &["run", "--stdio"]] {
        assert_eq!(place.run(args).to_string(), checked.to_string());
    }
    assert_ran!(checked, @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/config.toml:2: plugins.folders: [PLACE]/home/.hermes-host/config.toml: expected a folder, found a file
    ");
}

#[test]
fn check_lists_what_the_host_does_without() {
    let place = Place::new()
        .env("HERMES_COMPILE_CACHE", "")
        .own("key/x", "")
        .own("config.toml", "[workspace]\npath = \"none\"\n[compile]\ncache = \"config.toml\"\nkey_file = \"key\"\n");
    assert_ran!(place.run(&["config", "check"]), @"
    exit 0
    ----- stdout
    ok: [PLACE]/home/.hermes-host/config.toml sets 3 of 37 keys, flags and the environment 0
    ----- stderr
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:4: compile.cache: [PLACE]/home/.hermes-host/config.toml: expected a folder, found a file; each process compiles for itself
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:5: compile.key_file: [PLACE]/home/.hermes-host/key: expected a file, found a folder; each process compiles for itself
     WARN hermes_host::commands::config: [PLACE]/home/.hermes-host/config.toml:2: workspace.path: [PLACE]/home/.hermes-host/none cannot be the workspace: No such file or directory (os error 2); the host serves without files
    ");
    assert_ran!(place.run(&["config", "check", "--workspace", "../home"]), @"
    exit 0
    ----- stdout
    ok: [PLACE]/home/.hermes-host/config.toml sets 2 of 37 keys, flags and the environment 1
    ----- stderr
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:4: compile.cache: [PLACE]/home/.hermes-host/config.toml: expected a folder, found a file; each process compiles for itself
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:5: compile.key_file: [PLACE]/home/.hermes-host/key: expected a file, found a folder; each process compiles for itself
     WARN hermes_host::commands::config: --workspace: [PLACE]/work/../home cannot be the workspace: it is a home folder, where keys and settings lie; the host serves without files
    ");
    assert_ran!(place.run(&["config", "check", "--workspace", "."]), @"
    exit 0
    ----- stdout
    ok: [PLACE]/home/.hermes-host/config.toml sets 2 of 37 keys, flags and the environment 1
    ----- stderr
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:4: compile.cache: [PLACE]/home/.hermes-host/config.toml: expected a folder, found a file; each process compiles for itself
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:5: compile.key_file: [PLACE]/home/.hermes-host/key: expected a file, found a folder; each process compiles for itself
    ");
}

#[test]
fn check_opens_what_a_start_opens() {
    let place = Place::new().own("toolsets/mine.toml", "tool = []\n");
    let checked = place.run(&["config", "check"]);
    assert_eq!(checked.to_string(), place.run(&["run", "--stdio"]).to_string());
    assert_ran!(checked, @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets/mine.toml:1: `tool`: unknown field `tool`, did you mean `tools`?
    ");
}

/// What `config show --json` says of a key.
fn of_key<'a>(shown: &'a Value, key: &str) -> &'a Value {
    shown.as_array().unwrap().iter().find(|shown| shown["key"] == key).unwrap()
}

/// However the file is named, its paths are whole.
#[test]
fn relative_paths_start_at_the_folder_of_the_file() {
    let place = Place::new()
        .file("sub/config.toml", "[plugins]\nfolders = [\"mine\"]\n")
        .file("config.toml", "[plugins]\nfolders = [\"mine\"]\n");
    for (file, folder) in [("sub/config.toml", "sub/mine"), ("config.toml", "mine")] {
        let ran = place.run(&["config", "show", "--json", "--config", file]);
        assert_eq!(of_key(&ran.json(), "plugins.folders")["value"], json!([place.workspace().join(folder)]));
    }
}

#[test]
fn the_file_is_checked_where_a_variable_overrides_it_too() {
    let place = Place::new().own("config.toml", "[plugins]\ntrust = \"none\"\n").env("HERMES_PLUGINS_TRUST", "folder");
    assert_ran!(place.run(&["config", "check"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/config.toml:2: plugins.trust: `none` is not `folder` or `pinned`
    ");
}

#[test]
fn check_says_what_was_read() {
    let place = Place::new().env("HERMES_COMPILE_CACHE", "");
    assert_ran!(place.run(&["config", "check"]), @"
    exit 0
    ----- stdout
    ok: no configuration file; flags and the environment set 0 of 37 keys
    ----- stderr
    ");
    let place = place
        .own("config.toml", "[plugins]\ntrust = \"pinned\"\n[limits]\nwall = \"1m\"\ntables = 5\n")
        .env("HERMES_LIMITS_WALL", "2m");
    assert_ran!(place.run(&["config", "check"]), @"
    exit 0
    ----- stdout
    ok: [PLACE]/home/.hermes-host/config.toml sets 2 of 37 keys, flags and the environment 1
    ----- stderr
    ");
    assert_ran!(place.run(&["config", "check", "--json"]), @r#"
    exit 0
    ----- stdout
    {"file":"[PLACE]/home/.hermes-host/config.toml","in_file":2,"elsewhere":1,"warnings":[]}
    ----- stderr
    "#);
    assert_ran!(place.run(&["config", "check", "--config", "none.toml"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: none.toml: No such file or directory (os error 2)
    ");
}

#[test]
fn show_tells_every_value_and_where_it_comes_from() {
    let place = Place::new()
        .own(
            "config.toml",
            "[plugins]\nfolders = [\"/mine\", \"/theirs\"]\n\n[egress]\nproxy = \"http://user:hunter2@proxy:3128\"\nallow_private = [\"10.0.0.0/8\"]\n\n[limits]\nwall = \"120s\"\nmemory = 1048576\ncalls = 3\n",
        )
        .env("HERMES_LIMITS_CPU", "500ms")
        .env("HERMES_COMPILE_CACHE", "/var/cache/hermes")
        .env("CLAUDE_PROJECT_DIR", "/project");
    assert_ran!(place.run(&["config", "show", "--origin"]), @"
    exit 0
    ----- stdout
    KEY                    VALUE                                    ORIGIN
    serve.http             -                                        default
    serve.toolsets         -                                        default
    serve.token_file       [PLACE]/home/.hermes-host/token  default
    serve.allowed_hosts    -                                        default
    serve.allowed_origins  -                                        default
    plugins.folders        /mine, /theirs                           [PLACE]/home/.hermes-host/config.toml:2
    plugins.trust          folder                                   default
    workspace.path         /project                                 CLAUDE_PROJECT_DIR
    egress.proxy           http://***@proxy:3128/                   [PLACE]/home/.hermes-host/config.toml:5
    egress.ca_file         -                                        default
    egress.allow_private   10.0.0.0/8                               [PLACE]/home/.hermes-host/config.toml:6
    compile.cache          /var/cache/hermes                        HERMES_COMPILE_CACHE
    compile.key_file       /var/cache/hermes.key                    default
    telemetry.log          warn                                     default
    telemetry.log_format   text                                     default
    telemetry.otlp         -                                        default
    arguments.compat       exact                                    default
    limits.wall            2m                                       [PLACE]/home/.hermes-host/config.toml:9
    limits.cpu             500ms                                    HERMES_LIMITS_CPU
    limits.memory          1 MiB                                    [PLACE]/home/.hermes-host/config.toml:10
    limits.tables          -                                        default
    limits.instances       -                                        default
    limits.handles         -                                        default
    limits.resources       -                                        default
    limits.host_calls      -                                        default
    limits.host_bytes      -                                        default
    limits.random          -                                        default
    limits.args            -                                        default
    limits.output          -                                        default
    limits.log             -                                        default
    limits.http_requests   -                                        default
    limits.http_parallel   -                                        default
    limits.http_headers    -                                        default
    limits.http_body       -                                        default
    limits.egress          -                                        default
    limits.depth           -                                        default
    limits.calls           3                                        [PLACE]/home/.hermes-host/config.toml:11
    ----- stderr
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:2: plugins.folders: /mine: there is no such folder yet
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:2: plugins.folders: /theirs: there is no such folder yet
    ");
    assert_ran!(place.run(&["config", "show", "--workspace", "sub"]), @"
    exit 0
    ----- stdout
    KEY                    VALUE
    serve.http             -
    serve.toolsets         -
    serve.token_file       [PLACE]/home/.hermes-host/token
    serve.allowed_hosts    -
    serve.allowed_origins  -
    plugins.folders        /mine, /theirs
    plugins.trust          folder
    workspace.path         [PLACE]/work/sub
    egress.proxy           http://***@proxy:3128/
    egress.ca_file         -
    egress.allow_private   10.0.0.0/8
    compile.cache          /var/cache/hermes
    compile.key_file       /var/cache/hermes.key
    telemetry.log          warn
    telemetry.log_format   text
    telemetry.otlp         -
    arguments.compat       exact
    limits.wall            2m
    limits.cpu             500ms
    limits.memory          1 MiB
    limits.tables          -
    limits.instances       -
    limits.handles         -
    limits.resources       -
    limits.host_calls      -
    limits.host_bytes      -
    limits.random          -
    limits.args            -
    limits.output          -
    limits.log             -
    limits.http_requests   -
    limits.http_parallel   -
    limits.http_headers    -
    limits.http_body       -
    limits.egress          -
    limits.depth           -
    limits.calls           3
    ----- stderr
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:2: plugins.folders: /mine: there is no such folder yet
     WARN hermes_host::commands: [PLACE]/home/.hermes-host/config.toml:2: plugins.folders: /theirs: there is no such folder yet
    ");
    let json = place.run(&["config", "show", "--json"]).json();
    assert_eq!(
        *of_key(&json, "egress.proxy"),
        json!({
            "key": "egress.proxy", "value": "http://***@proxy:3128/",
            "origin": {"from": "file", "path": place.home().join(".hermes-host/config.toml"), "line": 5},
        })
    );
    assert!(!json.to_string().contains("hunter2"));
}

/// The first source that sets a key holds, and replaces the others whole.
#[test]
fn flags_come_before_the_environment_before_the_file() {
    let place = Place::new().file("a/x", "").file("b/x", "").file("c/x", "");
    let folders = |place: &Place, args: &[&str]| {
        let ran = place.run(&[&["config", "show", "--json"], args].concat()).json();
        (
            of_key(&ran, "plugins.folders")["value"].to_string().replace(&place.workspace().display().to_string(), ""),
            of_key(&ran, "plugins.folders")["origin"]["from"].clone(),
        )
    };
    assert_eq!(folders(&place, &[]), ("[]".to_owned(), json!("default")));
    let place = place.own("config.toml", "[plugins]\nfolders = [\"../../work/a\"]\n");
    assert!(folders(&place, &[]).0.contains("/a\""));
    let place = place.env("HERMES_PLUGINS_FOLDERS", "b:c");
    assert_eq!(folders(&place, &[]), (r#"["/b","/c"]"#.to_owned(), json!("environment")));
    assert_eq!(folders(&place, &["--plugins", "c", "--plugins", "a"]), (r#"["/c","/a"]"#.to_owned(), json!("flag")));
}

#[test]
fn the_reference_page_is_what_the_table_of_keys_gives() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/configuration.md");
    let ran = Place::new().run(&["config", "reference"]);
    assert_eq!(ran.stdout, std::fs::read_to_string(page).unwrap(), "run `.ci/run generated`");
}

#[test]
fn only_a_missing_folder_holds_no_toolsets() {
    let place = Place::new().own("toolsets", "a file where the folder belongs");
    assert_ran!(place.run(&["list"]), @"
    exit 1
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets: Not a directory (os error 20)
    ");
    let place = Place::new().own("toolsets/file.toml", b"tools = [\"\xff\"]");
    assert_ran!(place.run(&["list"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets/file.toml: expected UTF-8 text, found something else at byte 10
    ");
    let place = Place::new().own("toolsets/file.toml", "#".repeat((1 << 20) + 1));
    assert_ran!(place.run(&["list"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets/file.toml: larger than the 1 MiB that are allowed
    ");
}

#[test]
fn a_private_address_is_open_where_the_operator_says_so() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
    // The thread ends with the test's process: it owns nothing that outlives it.
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi");
        }
    });
    let manifest = json!({
        "manifest": 1, "name": "probe", "version": "1.0.0", "description": "Fetches.", "schema": {"type": "object"},
        "capabilities": {"http": [format!("{origin} GET")], "secrets": {"TOKEN": {}}},
    });
    let grant = format!("http={origin} GET");
    let args = json!({"action": "get", "at": format!("{origin}/")}).to_string();
    let place = || {
        let place = Place::new().file("probe.wasm", guest_artifacts::PROBE).file("manifest.json", manifest.to_string());
        place.run(&["embed", "probe.wasm", "--manifest", "manifest.json", "--replace"]);
        place
    };
    let call = |place: Place| {
        place.run(&["call", "probe.wasm", "--args", &args, "--grant", &grant, "--grant", "secrets=TOKEN"])
    };
    for (place, code) in [
        (place(), 3),
        (place().own("config.toml", "[egress]\nallow_private = [\"10.0.0.0/8\"]\n"), 3),
        (place().own("config.toml", "[egress]\nallow_private = [\"10.0.0.0/8\", \"127.0.0.1\"]\n"), 0),
        (place().env("HERMES_EGRESS_ALLOW_PRIVATE", "10.0.0.0/8, 127.0.0.0/8"), 0),
    ] {
        let ran = call(place);
        assert_eq!(ran.code, code, "{ran}");
        assert_eq!(ran.stdout, if code == 0 { "200 2\n" } else { "" }, "{ran}");
    }
}

#[test]
fn the_key_of_the_cache_lies_where_it_is_configured_and_out_of_reach_of_every_tool() {
    let place = Place::new()
        .file("a.txt", "a\n")
        .env("HERMES_COMPILE_CACHE", "")
        .own("config.toml", "[compile]\ncache = \"../../work/compiled\"\nkey_file = \"../../work/key\"\n");
    let read = |path: &str| place.run(&["call", "read_file", "--args", &json!({"path": path}).to_string()]);
    assert_eq!(read("a.txt").code, 0);
    assert_eq!(std::fs::read(place.workspace().join("key")).unwrap().len(), 64);
    assert!(!place.workspace().join("compiled.key").exists());
    let ran = read("key");
    assert_eq!(ran.code, 3, "{ran}");
}

/// Once it claimed the names of what it found, as a start does.
#[test]
fn a_check_claims_no_names() {
    let place = Place::new().plugin("echo.wasm", &echo(json!({})));
    let record = place.home().join(".hermes-host/trust.json");
    assert_eq!(place.run(&["config", "check"]).code, 0);
    assert!(!record.exists());
    assert_eq!(place.run(&["list"]).code, 0);
    assert!(record.exists());
}
