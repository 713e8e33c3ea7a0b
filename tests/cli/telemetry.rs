//! Spans of calls, from a request to a collector, and logs for programs. What a span says is tested in `hermes-telemetry`.
#![cfg(unix)]

use std::fs::{self, File};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::receiver::{Answer, Receiver, hex, texts};
use crate::serve::Served;
use crate::stdio::Client;
use crate::support::Place;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// The relay may call `echo`.
fn place(collector: &str) -> Place {
    let toolset = "tools = [\"relay\"]\n[grant]\ntools = [\"relay\", \"echo\", \"ask\", \"spin\", \"crash\", \"probe\", \"planned\", \"typed\", \"checked\", \"big_text\", \"ask_name\", \"missing\"]\n";
    Place::new()
        .plugin("relay.wasm", guest_artifacts::RELAY)
        .plugin("helper.wasm", guest_artifacts::HELPER)
        .own("toolsets/relays.toml", toolset)
        .own("config.toml", format!("[telemetry]\notlp = \"{collector}\"\n"))
}

fn traceparent() -> String {
    format!("00-{TRACE}-{PARENT}-01")
}

/// What is sent of a tool that calls `echo`. It was told `trace`.
fn relayed(receiver: &Receiver, trace: &str) {
    let spans = receiver.spans(2);
    let of = |name: &str| spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("{name}: {spans:#?}"));
    let (relay, echo) = (of("execute_tool relay"), of("execute_tool echo"));
    assert_eq!((hex(&relay.trace_id).as_str(), hex(&relay.parent_span_id).as_str()), (TRACE, PARENT));
    assert_eq!((hex(&echo.trace_id).as_str(), &echo.parent_span_id), (TRACE, &relay.span_id));
    assert!(
        relay.start_time_unix_nano <= echo.start_time_unix_nano && echo.end_time_unix_nano <= relay.end_time_unix_nano
    );
    assert_eq!(
        trace,
        format!("00-{TRACE}-{}-01", hex(&relay.span_id)),
        "what a tool asks others for is part of its span"
    );
    for span in [relay, echo] {
        let said = texts(&span.attributes);
        assert_eq!(said["hermes.outcome"], "done");
        assert!(said["hermes.handle.duration"].parse::<f64>().unwrap() > 0.0);
    }
    receiver.now(|seen| assert!(!seen.bodies.iter().any(|body| body.windows(7).any(|part| part == b"hunter2"))));
}

fn arguments() -> Value {
    json!({"tool": "echo", "args": {"text": "hunter2"}})
}

/// What the host wrote to stderr.
fn log(place: &Place) -> String {
    fs::read_to_string(place.root().join("stderr")).unwrap()
}

fn served(place: &Place) -> Served {
    Served::logging(place, &[], File::create(place.root().join("stderr")).unwrap().into())
}

#[test]
fn a_call_over_http_is_a_span_in_the_trace_of_its_request_and_a_tools_call_one_below() {
    let receiver = Receiver::start(&[]);
    let place = place(&format!("http://{}", receiver.address));
    let served = served(&place);
    let function = json!({"name": "relay", "arguments": arguments().to_string()});
    let body = json!({"tool_calls": [{"id": "1", "type": "function", "function": function}]}).to_string();
    let head = served.head("POST /v1/calls");
    let head = format!("{head}\r\nContent-Type: application/json\r\nTraceparent: {}", traceparent());
    let (status, answer) = served.send(&head, &body);
    assert_eq!(status, 200, "{answer}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let told: Value = serde_json::from_str(answer["messages"][0]["content"].as_str().unwrap()).unwrap();
    assert_eq!(told["answers"][0]["text"], "hunter2", "{answer}");
    // Before the host ends.
    relayed(&receiver, told["traceparent"].as_str().unwrap());
    assert_eq!(served.end(), Some(0));
    assert_eq!(log(&place), "");
}

#[test]
fn over_stdio_the_trace_is_in_the_metadata_and_what_is_left_is_sent_at_the_end() {
    let receiver = Receiver::start(&[]);
    // None of these is for this program.
    let place = place(&format!("http://{}", receiver.address))
        .env("OTEL_TRACES_SAMPLER", "always_off")
        .env("OTEL_SDK_DISABLED", "true")
        .env("OTEL_RESOURCE_ATTRIBUTES", "from=elsewhere")
        .env("OTEL_SERVICE_NAME", "elsewhere")
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
        .env("OTEL_EXPORTER_OTLP_HEADERS", "authorization=elsewhere");
    let mut client = Client::legacy(&place, &[]);
    let meta = json!({"traceparent": traceparent(), "tracestate": "a=b"});
    let called = client.ask("tools/call", json!({"name": "relay", "arguments": arguments(), "_meta": meta}));
    let told = &called["result"]["structuredContent"];
    assert_eq!(told["answers"][0]["text"], "hunter2", "{called}");
    client.close();
    relayed(&receiver, told["traceparent"].as_str().unwrap());
    receiver.now(|seen| {
        assert!(seen.spans.iter().all(|span| span.trace_state == "a=b"));
        assert!(!seen.heads.iter().any(|head| head.contains("elsewhere")), "{:?}", seen.heads);
        assert_eq!(seen.resource["service.name"], "hermes-host");
        assert!(!seen.resource.contains_key("from"));
    });
}

#[test]
fn a_collector_that_is_down_hangs_or_refuses_is_told_once_and_no_call_or_end_waits_for_it() {
    let down = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let hanging = Receiver::start(&vec![Answer::Never; 100]);
    let refusing = Receiver::start(&vec![Answer::Status("404 Not Found".to_owned()); 100]);
    for (address, told) in
        [(down, None), (hanging.address, None), (refusing.address, Some("it answered 404 Not Found"))]
    {
        let place = place(&format!("http://user:hunter2@{address}"));
        let served = served(&place);
        let call = || served.call("echo", &json!({"text": "hello"}));
        assert_eq!(call()["messages"][0]["content"], "hello");
        if address == refusing.address {
            refusing.until(|seen| !seen.heads.is_empty(), |_| ());
        }
        if address == hanging.address {
            hanging.until(|seen| !seen.heads.is_empty(), |_| ());
        }
        assert_eq!(call()["messages"][0]["content"], "hello");
        assert_eq!(served.end(), Some(0));
        let log = log(&place);
        assert!(log.contains(&format!("2 of 2 spans did not reach the collector http://***@{address}/")), "{log}");
        assert!(!log.contains("hunter2"), "{log}");
        assert!(log.matches("spans are lost").count() <= 1, "{log}");
        if let Some(told) = told {
            let warning = format!("spans are lost, calls go on: the collector http://***@{address}/: {told}");
            assert_eq!(log.matches(&warning).count(), 1, "{log}");
        }
    }
}

#[test]
fn a_collector_that_is_none_is_told_with_its_place() {
    for (written, told) in [
        ("otlp = \"127.0.0.1:4318\"", "expected the address of a collector, such as `http://127.0.0.1:4318`"),
        ("otlp = \"http://127.0.0.1:4318/v1/traces\"", "expected the collector's own address, without `/v1/traces`"),
        ("log_format = \"jsn\"", "`jsn` is not `text` or `json`; did you mean `json`?"),
    ] {
        let place = Place::new().own("config.toml", format!("[telemetry]\n{written}\n"));
        let ran = place.run(&["config", "check"]);
        let key = written.split(' ').next().unwrap();
        assert_eq!(ran.code, 2, "{ran}");
        assert!(ran.stderr.contains(&format!("config.toml:2: telemetry.{key}: {told}")), "{ran}");
    }
    let place = Place::new().env("HERMES_TELEMETRY_OTLP", "https://user:hunter2@collector.example/otlp");
    let shown = place.run(&["config", "show"]);
    assert!(
        shown.stdout.contains("https://***@collector.example/otlp") && !shown.stdout.contains("hunter2"),
        "{shown}"
    );
}

#[test]
fn logs_for_programs_are_an_object_a_line() {
    let place = Place::new()
        .env("HERMES_TELEMETRY_LOG_FORMAT", "json")
        .own("config.toml", "[plugins]\nfolders = [\"/mine\", \"/theirs\"]\n");
    let ran = place.run(&["list", "--json"]);
    let lines: Vec<Value> = ran.stderr.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert_eq!(lines.len(), 2, "{ran}");
    for (line, folder) in lines.iter().zip(["/mine", "/theirs"]) {
        assert_eq!(line["level"], "WARN");
        assert!(line["fields"]["message"].as_str().unwrap().contains(folder), "{line}");
        assert!(line["timestamp"].is_string(), "{line}");
    }
}
