//! `setup`: asks for what tools need, and makes them ready.

use serde_json::json;

use crate::assert_ran;
use crate::secrets::run_with;
use crate::support::Place;
use crate::upstream::Upstream;

/// Two tools that share a variable, with words of their own.
fn several() -> Place {
    let manifest = |name: &str, requires: serde_json::Value, secrets: serde_json::Value, env: &[&str]| {
        json!({
            "manifest": 1, "name": name, "version": "1.0.0", "description": "Says it again.\nAnd more.",
            "schema": {"type": "object"}, "toolset": "mine", "requires_env": requires,
            "capabilities": {"secrets": secrets, "env": env},
        })
        .to_string()
    };
    let place = Place::new().file("helper.wasm", guest_artifacts::HELPER);
    let mut place = place.own(
        "toolsets/mine.toml",
        "tools = [\"echo\", \"report\"]\n[grant]\nenv = [\"REGION\"]\n[grant.secrets.TOKEN]\nexpose = true\n",
    );
    for (name, text) in [
        (
            "echo",
            manifest(
                "echo",
                json!([
                    {"name": "TOKEN", "prompt": "Paste the token", "password": true},
                    {"name": "REGION", "description": "Where it runs"},
                ]),
                json!({"TOKEN": {"expose": true}}),
                &["REGION"],
            ),
        ),
        ("report", manifest("report", json!([{"name": "REGION"}]), json!({}), &["REGION"])),
    ] {
        place = place.file(&format!("{name}.json"), text);
        let ran = place.run(&[
            "embed",
            "helper.wasm",
            "--manifest",
            &format!("{name}.json"),
            "--replace",
            "--output",
            &format!("{name}.wasm"),
        ]);
        assert_eq!(ran.code, 0, "{ran}");
        let component = std::fs::read(place.workspace().join(format!("{name}.wasm"))).unwrap();
        place = place.plugin(&format!("{name}.wasm"), &component);
    }
    place
}

#[test]
fn an_answer_makes_the_tool_ready() {
    let upstream = Upstream::answering("api.weatherapi.com", "200 OK", r#"{"current":{"temp_c":22.0}}"#);
    let place = Place::new()
        .env("HERMES_EGRESS_PROXY", &upstream.proxy)
        .env("HERMES_EGRESS_CA_FILE", upstream.ca_file.display());
    assert_ran!(place.run(&["setup", "--json"]), @r#"
    exit 0
    ----- stdout
    [{"tool":"weather","name":"WEATHER_API_KEY","description":"Weather API key","prompt":null,"url":"https://weatherapi.com/","password":true}]
    ----- stderr
    "#);
    assert_ran!(run_with(&place, &["setup", "weather"], "k3y\n"), @"
    exit 0
    ----- stdout
    NAME     STATE  REASON
    weather  ready
    ----- stderr
    🌤 weather: Get current weather for a location.
      Weather API key
      https://weatherapi.com/
      WEATHER_API_KEY (not shown, Enter skips): 
      WEATHER_API_KEY is kept in [PLACE]/home/.hermes-host/secrets
    set: WEATHER_API_KEY; no value is missing
    ");
    assert_ran!(place.run(&["setup"]), @"
    exit 0
    ----- stdout
    ----- stderr
    no value is missing
    ");
    assert_ran!(place.run(&["setup", "--json"]), @"
    exit 0
    ----- stdout
    []
    ----- stderr
    ");
    assert_ran!(place.run(&["call", "weather", "--args", r#"{"location":"London"}"#]), @r#"
    exit 0
    ----- stdout
    {"current":{"temp_c":22.0}}
    ----- stderr
    "#);
    let (_, request) = upstream.asked.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
    assert_eq!(request, "GET /v1/current.json?q=London&key=k3y HTTP/1.1");
}

#[test]
fn each_value_is_asked_for_once_and_an_empty_answer_skips() {
    let place = several();
    assert_ran!(run_with(&place, &["setup", "--toolset", "mine"], "\neu-west\r\n"), @"
    exit 0
    ----- stdout
    NAME    STATE        REASON
    echo    unavailable  TOKEN has no value; `hermes-host setup` asks for it, or set it in the host's environment
    report  ready
    ----- stderr
    ⚡ echo: Says it again.
      TOKEN (Paste the token, not shown, Enter skips): 
      Where it runs
      REGION (Enter skips): 
      REGION is kept in [PLACE]/home/.hermes-host/secrets
    set: REGION; still without a value: TOKEN
    ");
    assert_ran!(run_with(&place, &["setup", "--toolset", "mine"], "\n"), @"
    exit 4
    ----- stdout
    NAME  STATE        REASON
    echo  unavailable  TOKEN has no value; `hermes-host setup` asks for it, or set it in the host's environment
    ----- stderr
    ⚡ echo: Says it again.
      TOKEN (Paste the token, not shown, Enter skips): 
    nothing was set; still without a value: TOKEN
    hint: answer on a terminal, with one line on stdin for each question, or by `hermes-host secret set NAME`
    ");
    assert_ran!(run_with(&place, &["setup", "--toolset", "mine"], "hunter2"), @"
    exit 0
    ----- stdout
    NAME  STATE  REASON
    echo  ready
    ----- stderr
    ⚡ echo: Says it again.
      TOKEN (Paste the token, not shown, Enter skips): 
      TOKEN is kept in [PLACE]/home/.hermes-host/secrets
    set: TOKEN; no value is missing
    ");
    assert_ran!(place.run(&["list", "--toolset", "mine", "--why"]), @"
    exit 0
    ----- stdout
    NAME    VERSION  TOOLSET  STATE  DESCRIPTION
    echo    1.0.0    mine     ready  ⚡ Says it again.
    report  1.0.0    mine     ready  ⚡ Says it again.
    ----- stderr
    left out read_file 0.1.0, search_files 0.1.0, write_file 0.1.0: in the toolset `file`; this session uses `mine` alone
    left out weather 0.1.0: in the toolset `weather`; this session uses `mine` alone
    ");
}

#[test]
fn nobody_there_leaves_all_as_it_was_and_is_no_success() {
    let place = Place::new();
    assert_ran!(place.run(&["setup"]), @"
    exit 4
    ----- stdout
    NAME     STATE        REASON
    weather  unavailable  WEATHER_API_KEY has no value; `hermes-host setup` asks for it, or set it in the host's environment
    ----- stderr
    🌤 weather: Get current weather for a location.
      Weather API key
      https://weatherapi.com/
      WEATHER_API_KEY (not shown, Enter skips): 
    nothing was set; still without a value: WEATHER_API_KEY
    hint: answer on a terminal, with one line on stdin for each question, or by `hermes-host secret set NAME`
    ");
    assert!(!place.home().join(".hermes-host/secrets").exists());
    assert_ran!(place.run(&["setup", "wether"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: there is no tool `wether`; did you mean `weather`?
    ");
}
