//! The documented example against a real HTTPS service.

use crate::assert_ran;
use crate::support::Place;
use crate::upstream::Upstream;

const ARGS: &str = r#"{"location":"London"}"#;

fn place(upstream: &Upstream) -> Place {
    Place::new().env("HERMES_EGRESS_PROXY", &upstream.proxy).env("HERMES_EGRESS_CA_FILE", upstream.ca_file.display())
}

#[test]
fn a_good_answer_is_returned_and_the_key_goes_where_the_author_put_it() {
    let upstream = Upstream::answering("api.weatherapi.com", "200 OK", r#"{"current":{"temp_c":22.0}}"#);
    let ran = place(&upstream).env("WEATHER_API_KEY", "k3y").run(&["call", "weather", "--args", ARGS]);
    assert_ran!(ran, @r#"
    exit 0
    ----- stdout
    {"current":{"temp_c":22.0}}
    ----- stderr
    "#);
    let (authority, request) = upstream.asked.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
    assert_eq!(authority, "api.weatherapi.com:443");
    assert_eq!(request, "GET /v1/current.json?q=London&key=k3y HTTP/1.1");
}

#[test]
fn a_missing_key_is_named() {
    let ran = Place::new().run(&["call", "weather", "--args", ARGS]);
    assert_ran!(ran, @"
    exit 1
    ----- stdout
    ----- stderr
    unavailable: Tool 'weather' is not available in current environment: WEATHER_API_KEY has no value; `hermes-host setup` asks for it, or set it in the host's environment
    ");
}

#[test]
fn a_wrong_argument_is_told_by_its_path() {
    let place = Place::new().env("WEATHER_API_KEY", "k3y");
    assert_ran!(place.run(&["call", "weather", "--args", r#"{"location":"London","units":"kelvin"}"#]), @r#"
    exit 2
    ----- stdout
    ----- stderr
    invalid: Invalid arguments: /units: "kelvin" is not one of metric, imperial
    hint: weather takes location, [units]
    "#);
    assert_ran!(place.run(&["call", "weather", "--args", r#"{"location":7}"#, "--json"]), @r#"
    exit 2
    ----- stdout
    {"outcome":"invalid","content":[{"type":"text","text":"{\"error\":\"Invalid arguments: /location: expected a string, got 7\",\"kind\":\"invalid\",\"issues\":[{\"path\":\"/location\",\"message\":\"expected a string, got 7\"}]}"}],"structured":null,"tool":"weather","version":"0.1.0","digest":"[DIGEST]","generation":2,"ms":[MS]}
    ----- stderr
    "#);
}

#[test]
fn a_server_error_fails_the_call() {
    let upstream = Upstream::answering("api.weatherapi.com", "503 Service Unavailable", r#"{"error":"down"}"#);
    let ran = place(&upstream).env("WEATHER_API_KEY", "k3y").run(&["call", "weather", "--args", ARGS]);
    assert_ran!(ran, @r#"
    exit 1
    ----- stdout
    ----- stderr
    unavailable: GET https://api.weatherapi.com/v1/current.json answered 503: {"error":"down"}
    "#);
}

#[test]
fn an_untrusted_certificate_is_refused() {
    let upstream = Upstream::answering("api.weatherapi.com", "200 OK", "{}");
    let place = Place::new().env("HERMES_EGRESS_PROXY", &upstream.proxy).env("WEATHER_API_KEY", "k3y");
    let ran = place.run(&["call", "weather", "--args", ARGS]);
    assert_eq!(ran.code, 1, "{ran}");
    assert!(upstream.asked.try_recv().is_err(), "the request must not be sent");
}
