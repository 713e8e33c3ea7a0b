//! What tools give back, ask and fetch.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may stop at a surprise")]

use std::time::Duration;

use hermes_tool::prelude::*;
use hermes_tool::{Content, RequestKind, Resume, testing};
use serde_json::{Value, json};

#[derive(ToolArgs)]
struct Address {
    url: String,
}

/// Reports the status of a page, or of two at once.
#[tool(http = ["https://*.example.com GET"], requires_env(HOST(prompt = "Which?"), TOKEN(password)), secrets(OTHER(expose)))]
async fn fetch(address: Address) -> Result<Json<Value>> {
    let (first, second) = task::join(
        http::get(&address.url).header("accept", "text/html").json::<Value>(),
        http::post(&address.url).json_body(&json!({ "n": 1 })).timeout(Duration::from_secs(5)).send(),
    )
    .await;
    Ok(Json(json!({ "first": first?.0, "second": second?.status })))
}

fn fetch_page() -> Result<Outcome> {
    testing::call::<fetch>(json!({ "url": "https://a.example/page" }))
}

#[test]
fn requests_run_at_once() {
    testing::http(|request| match request.method() {
        "GET" => http::Response::ok_json(request.headers()),
        _ => http::Response::new(if request.bytes() == br#"{"n":1}"# { 201 } else { 400 }, ""),
    });
    let outcome = fetch_page().unwrap();
    assert_eq!(outcome.structured(), Some(&json!({ "first": [["accept", "text/html"]], "second": 201 })));
}

#[test]
fn statuses_become_errors() {
    let cases = [
        (http::Response::new(404, "gone"), Error::failed("GET https://a.example/page answered 404: gone")),
        (http::Response::new(503, ""), Error::unavailable("GET https://a.example/page answered 503")),
        (
            http::Response::new(429, "slow").with_header("Retry-After", "2"),
            Error::unavailable("GET https://a.example/page answered 429: slow").retry_after(Duration::from_secs(2)),
        ),
    ];
    for (response, error) in cases {
        testing::http(move |_| response.clone());
        assert_eq!(fetch_page(), Err(error));
    }
    testing::http(|_| http::Response::new(200, "<html>"));
    assert!(matches!(fetch_page(), Err(Error::Failed(text)) if text.contains("unexpected answer")));
}

#[test]
fn a_manifest_asks_for_what_the_attribute_says() {
    let manifest = testing::manifest::<fetch>();
    assert_eq!(
        manifest["capabilities"],
        json!({
            "http": ["https://*.example.com GET"], "env": ["HOST"], "secrets": { "OTHER": { "expose": true }, "TOKEN": {} },
        })
    );
    assert_eq!(manifest["requires_env"][0], json!({ "name": "HOST", "prompt": "Which?" }));
    assert_eq!(manifest["check"], "static");
}

/// Calls others.
#[tool(tools = ["read_file", "count"])]
fn relay(address: Address) -> Result<Outcome> {
    if address.url.is_empty() {
        return Ok(Output::new()
            .structured(tools::list().into_iter().map(|tool| tool.name).collect::<Vec<_>>())?
            .into());
    }
    Ok(Output::from(tools::call("read_file", json!({ "path": address.url }))?).into())
}

#[test]
fn other_tools_are_called() {
    let read = || testing::call::<relay>(json!({ "url": "a.txt" }));
    assert!(read().is_err_and(|error| error.to_string().contains("`testing::tools`")));
    testing::tools(|request| match request.tool.as_str() {
        "read_file" => Ok(Output::new().text(request.args["path"].as_str().unwrap()).image("image/png", [1])),
        "count" => Output::new().structured(&request.args["n"]),
        _ => Err(Error::failed("no")),
    });
    let Ok(Outcome::Done(output)) = read() else { panic!("not done") };
    assert_eq!(output, Output::new().text("a.txt").image("image/png", [1]));
    let counts = tools::batch([("count", json!({ "n": 1 })), ("fail", json!({})), ("count", json!({ "n": "x" }))]);
    let counts: Vec<Result<u8>> = counts.into_iter().map(|answer| answer?.structured()).collect();
    assert_eq!(counts[..2], [Ok(1), Err(Error::failed("no"))]);
    assert!(matches!(&counts[2], Err(Error::Failed(text)) if text.contains("expected u8")), "{counts:?}");

    assert_eq!(testing::call::<relay>(json!({ "url": "" })).unwrap().structured(), Some(&json!([])));
    testing::listed(["count", "read_file"].map(|name| tools::Listed {
        name: name.into(),
        description: String::new(),
        schema: json!({ "type": "object" }),
        output_schema: None,
        read_only: true,
    }));
    let listed = testing::call::<relay>(json!({ "url": "" })).unwrap();
    assert_eq!(listed.structured(), Some(&json!(["count", "read_file"])));
    assert_eq!(testing::manifest::<relay>()["capabilities"], json!({ "tools": ["read_file", "count"] }));
}

/// What the user has to say.
#[derive(ToolArgs)]
struct Consent {
    /// Really?
    sure: bool,
}

#[derive(ToolArgs)]
struct File {
    path: String,
}

fn ready() -> Result<()> {
    if has_secret("KEY") { Ok(()) } else { Err(Error::unavailable("no KEY")) }
}

/// Deletes a file after asking.
#[tool(
    destructive, check = ready, parallel(by = ["path"]), max_result_size_chars = unlimited, fs = ["${workspace} rw", "/tmp"],
    limits(wall = "60s", http_requests = 3), examples = [{ "path": "a.txt" }], title = "Delete", open_world = false,
)]
fn delete(file: File, call: &Call) -> Result<Outcome> {
    let answer = call.reply::<Consent>("sure")?;
    Ok(match answer {
        None => Ask::new().form::<Consent>("sure", format!("Delete {}?", file.path)).state("asked").into(),
        Some(Reply::Accepted(Consent { sure: true })) => {
            Output::new().text("deleted").image("image/png", [1, 2]).into()
        }
        Some(_) => Output::new().text("kept").structured(json!({ "kept": file.path }))?.into(),
    })
}

#[test]
fn a_tool_asks_and_goes_on() {
    let file = json!({ "path": "a.txt" });
    let asked = testing::call::<delete>(&file).unwrap();
    let ask = asked.ask().unwrap();
    assert_eq!(ask.state, b"asked");
    let RequestKind::Form { message, schema } = &ask.requests[0].kind else { panic!("{ask:?}") };
    assert_eq!(message, "Delete a.txt?");
    let schema: Value = serde_json::from_str(schema).unwrap();
    assert_eq!(schema["properties"]["sure"], json!({ "type": "boolean", "description": "Really?" }));

    let resumed = |reply| {
        let mut call = Call::default();
        call.resume = Some(Resume { state: ask.state.clone(), answers: vec![("sure".to_owned(), reply)] });
        testing::call_with::<delete>(&call, &file)
    };
    let Ok(Outcome::Done(output)) = resumed(Reply::Accepted(r#"{"sure":true}"#.to_owned())) else { panic!("not done") };
    assert_eq!(output.content[1], Content::Image { mime: "image/png".into(), data: vec![1, 2] });
    let kept = resumed(Reply::Declined).unwrap();
    assert_eq!((kept.text().as_str(), kept.structured()), ("kept", Some(&json!({ "kept": "a.txt" }))));
    assert!(matches!(resumed(Reply::Accepted("{}".to_owned())), Err(Error::Failed(_))));
}

#[test]
fn a_check_of_its_own_is_dynamic() {
    use hermes_tool::Tool as _;
    assert_eq!(delete::check(), Err("no KEY".to_owned()));
    testing::secrets([("KEY", "k")]);
    assert_eq!(delete::check(), Ok(()));

    let manifest = testing::manifest::<delete>();
    assert_eq!(manifest["check"], "dynamic");
    assert_eq!(manifest["parallel"], json!({ "by": ["path"] }));
    assert_eq!(manifest["max_result_size_chars"], Value::Null);
    assert!(manifest.as_object().unwrap().contains_key("max_result_size_chars"));
    assert_eq!(manifest["annotations"], json!({ "destructive": true, "open_world": false }));
    assert_eq!(manifest["examples"], json!([{ "args": { "path": "a.txt" } }]));
    assert_eq!(
        manifest["capabilities"],
        json!({
            "fs": [{ "path": "${workspace}", "mode": "rw" }, { "path": "/tmp", "mode": "ro" }],
            "limits": { "wall": "60s", "http_requests": 3 },
        })
    );
}

/// Fails with the error of a library.
#[tool(description = concat!("Reads ", "a number."))]
fn number(file: File) -> Result<String> {
    let number: u8 = file.path.parse()?;
    progress::report(f64::from(number), 10.0, "read");
    log!("{number}");
    log!(warn, "that was {number}");
    Ok(number.to_string())
}

#[test]
fn errors_of_libraries_are_failures() {
    assert_eq!(testing::manifest::<number>()["description"], "Reads a number.");
    assert_eq!(testing::call::<number>(json!({ "path": "7" })).unwrap().text(), "7");
    let error = testing::call::<number>(json!({ "path": "x" })).unwrap_err();
    assert_eq!(error, Error::failed("invalid digit found in string"));
}

/// A wide result.
#[derive(ToolOutput)]
struct Report<T> {
    /// Rows
    rows: Vec<T>,
    #[arg(rename = "next-page")]
    next: Option<u32>,
    kind: Kind,
}

#[derive(ToolOutput)]
enum Kind {
    Short,
    Long { lines: u8 },
}

/// Reports.
#[tool]
fn report() -> Json<Report<String>> {
    Json(Report { rows: vec!["a".into()], next: None, kind: Kind::Long { lines: 3 } })
}

#[test]
fn a_structured_result_fits_its_schema() {
    let outcome = testing::call::<report>(json!({})).unwrap();
    assert_eq!(outcome.structured(), Some(&json!({ "rows": ["a"], "kind": { "type": "long", "lines": 3 } })));
    let schema = &testing::manifest::<report>()["output_schema"];
    assert_eq!(schema["required"], json!(["rows", "kind"]));
    assert_eq!(schema["properties"]["next-page"], json!({ "type": "integer" }));
    assert_eq!(schema["properties"]["rows"]["description"], "Rows");
    assert_eq!(schema["properties"]["kind"]["oneOf"][0]["properties"]["type"], json!({ "const": "short" }));
    let _ = Kind::Short;
}

/// Uses every attribute that the others leave out.
#[tool(
    name = "all_of_it", version = "2.0.0-rc.1", toolset = "web", emoji = "🌤", icons = ["https://a.example/i.png"], idempotent,
    env = ["LANG"], parallel = never, max_result_size_chars = 5_000, requires_client = ["elicitation.url", "roots"],
    requires_host = ">=0.1", pages_results, authors = ["Ada"], license = "MIT", homepage = "https://a.example",
)]
fn every_attribute() -> String {
    String::new()
}

#[test]
fn the_host_reads_what_the_sdk_writes() {
    let documents = [
        testing::manifest::<fetch>(),
        testing::manifest::<delete>(),
        testing::manifest::<number>(),
        testing::manifest::<report>(),
        testing::manifest::<relay>(),
        testing::manifest::<every_attribute>(),
    ];
    for document in documents {
        let manifest = hermes_manifest::Manifest::parse(&document.to_string()).unwrap();
        assert_eq!(manifest.name.to_string(), document["name"]);
    }
}

/// Guards.
#[hook(match = ["*"], name = "guardian", tools = ["lookup"])]
struct Guard;

impl Hook for Guard {
    fn after(_: &Call, _: &Value, ended: &Result<Outcome>, _: Duration) -> Result<Option<Result<Outcome>>> {
        Ok(ended.is_err().then(|| Err(Error::failed("hidden"))))
    }
}

#[test]
fn a_hook_lets_pass_what_it_does_not_mind() {
    let (call, none) = (Call::default(), Duration::ZERO);
    assert_eq!(Guard::before(&call, &json!({})), Ok(Decision::Proceed));
    assert_eq!(Guard::after(&call, &json!({}), &Ok(Output::new().into()), none), Ok(None));
    let hidden = Guard::after(&call, &json!({}), &Err(Error::failed("why")), none);
    assert_eq!(hidden, Ok(Some(Err(Error::failed("hidden")))));
}
