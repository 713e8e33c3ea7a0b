//! Calls of tools by tools: the same path, within what the first caller was granted and has left.

use serde_json::{Value, json};

use crate::assert_ran;
use crate::support::{Place, Ran};

/// All that the relay asks for.
const TOOLSET: &str = r#"
tools = ["relay"]
[grant]
tools = ["relay", "echo", "ask", "spin", "crash", "probe", "planned", "typed", "checked", "big_text", "ask_name", "missing"]
"#;

fn place() -> Place {
    Place::new()
        .plugin("relay.wasm", guest_artifacts::RELAY)
        .plugin("helper.wasm", guest_artifacts::HELPER)
        .plugin("asker.wasm", guest_artifacts::ASKER)
        .plugin("typed.wasm", guest_artifacts::TYPED)
        .own("toolsets/relays.toml", TOOLSET)
}

fn relay(place: &Place, args: &Value) -> Ran {
    place.run(&["call", "relay", "--args", &args.to_string()])
}

/// The arguments with which the relay calls itself so often, and then says something.
fn nested(depth: usize) -> Value {
    let echo = json!({"tool": "echo", "args": {"text": "deep"}});
    (1..depth).fold(echo, |inner, _| json!({"tool": "relay", "args": inner}))
}

/// The innermost answer: each is the only one in the text of the one around it.
fn innermost(text: &str) -> Value {
    let answer = serde_json::from_str::<Value>(text).unwrap()["answers"][0].clone();
    match answer["text"].as_str().filter(|text| text.starts_with('{')) {
        Some(inner) => innermost(inner),
        None => answer,
    }
}

#[test]
fn a_tool_calls_another_by_the_path_of_every_call() {
    let place = place();
    assert_ran!(relay(&place, &json!({"tool": "echo", "args": {"text": "hi"}})), @r#"
    exit 0
    ----- stdout
    {"answers":[{"text":"hi","structured":null,"content":1}]}
    ----- stderr
    "#);
    assert_ran!(relay(&place, &json!({"tool": "echo", "args": {"txt": "hi"}})), @r#"
    exit 0
    ----- stdout
    {"answers":[{"error":"the arguments: the required property `text` is missing; /txt: there is no property \"txt\"; did you mean `text`?","kind":"invalid"}]}
    ----- stderr
    "#);
    assert_ran!(relay(&place, &json!({"tool": "typed", "args": {"name": "a", "count": "7"}})), @r#"
    exit 0
    ----- stdout
    {"answers":[{"text":"{\"name\":\"a\",\"count\":7,\"flag\":true,\"colours\":[\"red\"]}","structured":{"name":"a","count":7,"flag":true,"colours":["red"]},"content":1}]}
    ----- stderr
    "#);
    assert_ran!(relay(&place, &json!({"tool": "planned", "args": {"fail": "on purpose"}})), @r#"
    exit 0
    ----- stdout
    {"answers":[{"error":"on purpose","kind":"failed"}]}
    ----- stderr
    "#);
    assert_ran!(relay(&place, &json!({"tool": "crash"})), @r#"
    exit 0
    ----- stdout
    {"answers":[{"error":"[TOOL_ERROR] Tool execution failed: the tool crashed","kind":"failed"}]}
    ----- stderr
    "#);
}

#[test]
fn a_tool_calls_only_what_it_was_granted_and_the_session_sees() {
    let place = place();
    assert_ran!(relay(&place, &json!({"tool": "read_file", "args": {"path": "a"}})), @r#"
    exit 0
    ----- stdout
    {"answers":[{"error":"not allowed: `tools` does not cover read_file","kind":"denied"}]}
    ----- stderr
    "#);
    assert_ran!(relay(&place, &json!({"tool": "missing"})), @r#"
    exit 0
    ----- stdout
    {"answers":[{"error":"Unknown tool: missing","kind":"failed"}]}
    ----- stderr
    "#);
    let args = json!({"tool": "echo", "args": {"text": "hi"}}).to_string();
    let call = |flags: &[&str]| place.run(&[&["call", "relay", "--args", &args], flags].concat());
    assert_ran!(call(&["--exclude", "echo"]), @r#"
    exit 0
    ----- stdout
    {"answers":[{"error":"Unknown tool: echo","kind":"failed"}]}
    ----- stderr
    "#);
    assert_ran!(call(&["--toolset", "relays"]), @r#"
    exit 0
    ----- stdout
    {"answers":[{"error":"Unknown tool: echo","kind":"failed"}]}
    ----- stderr
    "#);
    assert_ran!(call(&["--toolset", "relay"]), @"
    exit 3
    ----- stdout
    ----- stderr
    denied: Not allowed: `tools` does not cover ask
    hint: allow it for one run with --grant 'tools=ask' --grant 'tools=ask_name' --grant 'tools=big_text' --grant 'tools=checked' --grant 'tools=crash' --grant 'tools=echo' --grant 'tools=missing' --grant 'tools=planned' --grant 'tools=probe' --grant 'tools=relay' --grant 'tools=spin' --grant 'tools=typed', or for good with hermes-host approve relay --toolset relay and then --toolset relay,approved_relay
    ");
}

#[test]
fn nobody_is_asked_by_a_tool_that_a_tool_called() {
    assert_ran!(relay(&place(), &json!({"tool": "ask_name"})), @r#"
    exit 0
    ----- stdout
    {"answers":[{"text":"{\"person\":\"nobody\"}","structured":{"person":"nobody"},"content":1}]}
    ----- stderr
    "#);
}

#[test]
fn calls_nest_so_deep_and_no_deeper() {
    let place = place();
    let deep = relay(&place, &nested(8));
    assert_eq!(innermost(&deep.stdout), json!({"text": "deep", "structured": null, "content": 1}));
    // Each level quotes the one below it, so what the last one says is in the middle of much text, which is kept.
    let deeper = relay(&place, &nested(9));
    assert!(deeper.stdout.contains("kept as hermes://results/"), "{deeper}");
    let folder = std::fs::read_dir(place.home().join(".hermes-host/results")).unwrap().next().unwrap().unwrap();
    let kept = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap();
    let limit = "The call exceeded its limit `depth`: calls of tools by tools may not nest deeper";
    let kept = std::fs::read_to_string(kept.path()).unwrap();
    assert_eq!(innermost(&kept), json!({"error": limit, "kind": "failed"}));
}

#[test]
fn one_call_makes_so_many_others_and_no_more() {
    let place = place();
    let many = |times: u32, together: bool| json!({"tool": "echo", "args": {"text": "hi"}, "times": times, "together": together});
    let ran = relay(&place, &many(65, false));
    let answers = ran.json()["answers"].clone();
    let answers = answers.as_array().unwrap();
    assert!(answers[..64].iter().all(|answer| answer["text"] == "hi"), "{ran}");
    assert_eq!(
        answers[64],
        json!({"error": "The call exceeded its limit `calls`: 64 calls of other tools", "kind": "failed"})
    );
    assert_eq!(relay(&place, &many(64, true)).json()["answers"].as_array().unwrap().len(), 64);
    assert_ran!(relay(&place, &many(65, true)), @"
    exit 1
    ----- stdout
    ----- stderr
    limit: The call exceeded its limit `calls`: 64 calls of other tools
    ");
}

#[test]
fn the_whole_tree_of_calls_shares_what_is_left() {
    // Each of the two relays below makes ten calls, which with themselves are twenty-two.
    let place = place();
    let inner = json!({"tool": "echo", "args": {"text": "hi"}, "times": 10});
    let args = json!({"tool": "relay", "args": inner, "times": 2}).to_string();
    let ran = place.run(&["call", "relay", "--args", &args, "--grant", "limits=calls:22"]);
    assert!(!ran.stdout.contains("limit"), "{ran}");
    let place = place.own("config.toml", "[limits]\ncalls = 21\n");
    let ran = place.run(&["call", "relay", "--args", &args]);
    let inner = &ran.json()["answers"][1]["structured"]["answers"];
    assert_eq!((&inner[8]["text"], &inner[9]["kind"]), (&json!("hi"), &json!("failed")), "{ran}");
}

#[test]
fn a_callee_that_never_ends_ends_with_its_callers_time() {
    let place = place().own("config.toml", "[limits]\nwall = \"1s\"\ncpu = \"20s\"\n");
    let ran = relay(&place, &json!({"tool": "spin"}));
    // Whichever of the two is told first: both have the same deadline.
    assert!(format!("{ran}").contains("The call took longer than its limit of"), "{ran}");
    let place = Place::new()
        .plugin("relay.wasm", guest_artifacts::RELAY)
        .plugin("helper.wasm", guest_artifacts::HELPER)
        .own("toolsets/relays.toml", TOOLSET)
        .own("config.toml", "[limits]\ncpu = \"100ms\"\n");
    let ran = relay(&place, &json!({"tool": "spin", "times": 2}));
    assert!(format!("{ran}").contains("exceeded its limit `cpu`"), "{ran}");
}

#[test]
fn a_batch_answers_each_of_its_calls() {
    let place = place();
    let batch = json!({"tool": "planned", "args": {"text": "a"}, "times": 3, "together": true});
    assert_ran!(relay(&place, &batch), @r#"
    exit 0
    ----- stdout
    {"answers":[{"text":"{\"text\":\"a\",\"plan\":[],\"after\":[],\"did\":[]}","structured":{"text":"a","plan":[],"after":[],"did":[]},"content":1},{"text":"{\"text\":\"a\",\"plan\":[],\"after\":[],\"did\":[]}","structured":{"text":"a","plan":[],"after":[],"did":[]},"content":1},{"text":"{\"text\":\"a\",\"plan\":[],\"after\":[],\"did\":[]}","structured":{"text":"a","plan":[],"after":[],"did":[]},"content":1}]}
    ----- stderr
    "#);
    assert_ran!(relay(&place, &json!({"tool": "missing", "times": 2, "together": true})), @r#"
    exit 0
    ----- stdout
    {"answers":[{"error":"Unknown tool: missing","kind":"failed"},{"error":"Unknown tool: missing","kind":"failed"}]}
    ----- stderr
    "#);
}

#[test]
fn a_tool_lists_what_it_may_call_now() {
    let place = place();
    let listed = relay(&place, &json!({})).json();
    let names: Vec<&str> =
        listed["listed"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["ask", "ask_name", "crash", "echo", "planned", "relay", "spin", "typed"]);
    let ran = place.run(&["call", "relay", "--toolset", "relays,typed", "--exclude", "planned"]);
    assert_ran!(ran, @r#"
    exit 0
    ----- stdout
    {"listed":[{"name":"relay","description":"Calls a tool and gives back how each call ended; `{\"answers\": […]}` or `{\"listed\": […]}`.","schema":{"type":"object","properties":{"tool":{"type":"string","description":"Its name; without one the tools that can be called are listed","default":""},"args":{"description":"Its arguments, an empty object by default"},"times":{"type":"integer","minimum":0,"maximum":4294967295,"description":"How often","default":1},"together":{"type":"boolean","description":"Whether in one batch","default":false}},"required":[],"additionalProperties":false},"output_schema":null,"read_only":false},{"name":"typed","description":"Gives its arguments back, checked.","schema":{"type":"object","properties":{"name":{"type":"string","description":"A text"},"count":{"type":"integer","description":"A number","minimum":-5,"maximum":100},"flag":{"type":"boolean","description":"A switch","default":true},"colours":{"type":"array","items":{"type":"string","enum":["red","green","blue"],"description":"A colour"},"description":"Some colours","minItems":0,"maxItems":3,"default":["red"]},"place":{"type":"object","properties":{"city":{"type":"string"},"floor":{"type":"integer","minimum":-2147483648,"maximum":2147483647},"ratio":{"type":"number","default":0.0}},"required":["city"],"additionalProperties":false,"description":"A place"}},"required":["name","count"],"additionalProperties":false},"output_schema":{"type":"object","properties":{"name":{"type":"string","description":"A text"},"count":{"type":"integer","description":"A number"},"flag":{"type":"boolean","description":"A switch"},"colours":{"type":"array","items":{"type":"string","enum":["red","green","blue"],"description":"A colour"},"description":"Some colours"},"place":{"type":"object","properties":{"city":{"type":"string"},"floor":{"type":"integer"},"ratio":{"type":"number"}},"required":["city"],"additionalProperties":false,"description":"A place"}},"required":["name","count"],"additionalProperties":false},"read_only":true}]}
    ----- stderr
    "#);
}
