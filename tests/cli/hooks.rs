//! Hooks around calls: real ones, told by the arguments of a call what to do.

use hermes_manifest::{Existing, embed};
use serde_json::json;

use crate::assert_ran;
use crate::support::{Place, Ran};

/// The time of hooks, so that one that spins is soon over.
const LIMITS: &str = "[grant.limits]\ncpu = \"200ms\"\n";

/// The test's hook under another name and order, doing the steps that are `by` its marker.
pub(crate) fn hook(name: &str, marker: char, order: i32, matches: &[&str]) -> Vec<u8> {
    let manifest = json!({
        "manifest": 1, "kind": "hook", "name": name, "version": "1.0.0", "match": matches, "order": order,
    });
    embed(&guest_artifacts::hook(marker), manifest.to_string().as_bytes(), Existing::Replace).unwrap()
}

/// Two hooks around every tool; `inner` is the later one before a call and after it, though its file comes first.
fn place() -> Place {
    Place::new()
        .plugin("typed.wasm", guest_artifacts::TYPED)
        .plugin("helper.wasm", guest_artifacts::HELPER)
        .plugin("inner.wasm", &hook("inner", 'i', 5, &["*"]))
        .plugin("outer.wasm", &hook("outer", 'o', -5, &["*"]))
        .own("toolsets/guards.toml", format!("hooks = [\"inner\", \"outer\"]\n{LIMITS}"))
}

fn planned(place: &Place, args: serde_json::Value) -> Ran {
    place.run(&["call", "planned", "--args", &args.to_string()])
}

#[test]
fn rewrites_chain_in_the_order_of_the_manifests() {
    let place = place();
    let rewrites = json!({"plan": [{"do": "rewrite", "by": "i"}, {"do": "rewrite", "by": "o"}]});
    assert_ran!(planned(&place, rewrites), @r#"
    exit 0
    ----- stdout
    {"text":"","plan":[],"after":[],"did":["o","i"]}
    ----- stderr
    "#);
    // The outer one is asked first, so the inner one finds the plan that it left.
    let replaced = json!({"plan": [
        {"by": "o", "rewrite_to": {"text": "by outer", "plan": [{"by": "i", "rewrite_to": {"text": "by inner"}}]}},
        {"by": "i", "refuse": "never reached"},
    ]});
    assert_ran!(planned(&place, replaced), @r#"
    exit 0
    ----- stdout
    {"text":"by inner","plan":[],"after":[],"did":[]}
    ----- stderr
    "#);
}

#[test]
fn a_rewrite_is_coerced_and_must_fit_the_tool() {
    let place = place();
    assert_ran!(planned(&place, json!({"plan": [{"by": "i", "rewrite_to": {"did": "[\"me\"]"}}]})), @r#"
    exit 0
    ----- stdout
    {"text":"","plan":[],"after":[],"did":["me"]}
    ----- stderr
    "#);
    assert_ran!(planned(&place, json!({"plan": [{"by": "i", "rewrite_to": {"text": 7}}]})), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `inner` rewrote the arguments into ones that the tool does not take: Invalid arguments: /text: expected a string, got 7
    ");
    assert_ran!(planned(&place, json!({"plan": [{"by": "o", "rewrite_to": {"txt": "a"}}]})), @r#"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `outer` rewrote the arguments into ones that the tool does not take: Invalid arguments: /txt: there is no property "txt"; did you mean `text`?
    "#);
    assert_ran!(planned(&place, json!({"plan": [{"by": "o", "rewrite_raw": "[]"}]})), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `outer` failed, so the call does not run: what it rewrites the arguments to is no JSON object
    ");
    assert_ran!(planned(&place, json!({"plan": [{"by": "o", "rewrite_raw": "{"}]})), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `outer` failed, so the call does not run: what it rewrites the arguments to is not JSON: EOF while parsing an object at line 1 column 1
    ");
}

#[test]
fn what_refuses_or_fails_before_a_call_keeps_it_from_running() {
    let place = place();
    assert_ran!(planned(&place, json!({"plan": [{"by": "i", "refuse": "not on a Sunday"}]})), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `inner` refused the call: not on a Sunday
    ");
    assert_ran!(planned(&place, json!({"plan": [{"by": "i", "fail": "no connection"}]})), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `inner` failed, so the call does not run: no connection
    ");
    assert_ran!(planned(&place, json!({"plan": [{"by": "i", "do": "panic"}]})), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `inner` failed, so the call does not run: it crashed
    ");
    assert_ran!(planned(&place, json!({"plan": [{"by": "i", "do": "spin"}]})), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `inner` failed, so the call does not run: it exceeded its limit `cpu`: 200ms on a processor
    ");
    let args = json!({"plan": [{"by": "o", "do": "panic"}]}).to_string();
    assert_ran!(place.run(&["call", "planned", "--args", &args, "--json"]), @r#"
    exit 3
    ----- stdout
    {"outcome":"refused","content":[{"type":"text","text":"{\"error\":\"The hook `outer` failed, so the call does not run: it crashed\",\"kind\":\"refused\"}"}],"structured":null,"tool":"planned","version":"0.1.0","digest":"[DIGEST]","generation":2,"ms":[MS]}
    ----- stderr
    "#);
}

#[test]
fn what_fails_after_a_call_withholds_its_result() {
    let place = place();
    let after = |step: serde_json::Value| planned(&place, json!({"text": "the result", "after": [step]}));
    assert_ran!(after(json!({"by": "o", "fail": "no connection"})), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `outer` failed, so the result is withheld: no connection
    ");
    assert_ran!(after(json!({"by": "o", "do": "panic"})), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `outer` failed, so the result is withheld: it crashed
    ");
    assert_ran!(after(json!({"by": "i", "do": "spin"})), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `inner` failed, so the result is withheld: it exceeded its limit `cpu`: 200ms on a processor
    ");
    assert_ran!(after(json!({"by": "i", "do": "ask"})), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `inner` failed, so the result is withheld: it asked a question after the call
    ");
    // What it makes of the result must be what the tool promises.
    assert_ran!(after(json!({"by": "i", "structured": {"text": 7}})), @"
    exit 1
    ----- stdout
    ----- stderr
    bad_result: [TOOL_ERROR] Tool execution failed: the result does not fit the tool's `output_schema`: `/text`: expected a string, got 7
    ");
    assert_ran!(after(json!({"by": "i", "structured": "[1]"})), @"
    exit 1
    ----- stdout
    ----- stderr
    bad_result: [TOOL_ERROR] Tool execution failed: the result does not fit the tool's `output_schema`: expected an object, got an array of 1 item
    ");
}

#[test]
fn hooks_after_a_call_see_how_it_ended_and_what_the_one_before_left() {
    let place = place();
    let notes = json!([{"by": "o", "do": "note"}, {"by": "i", "do": "note"}]);
    let failed = planned(&place, json!({"fail": "no such page", "after": notes.clone()}));
    assert_ran!(failed, @"
    exit 1
    ----- stdout
    ----- stderr
    failed: no such page; saw failed: no such page; saw failed: no such page; saw failed: no such page
    ");
    let replaced = json!([{"by": "o", "to_failure": "too late"}, {"by": "i", "do": "note"}]);
    assert_ran!(planned(&place, json!({"after": replaced})), @"
    exit 1
    ----- stdout
    ----- stderr
    failed: too late; saw failed: too late
    ");
    let saved = json!([{"by": "o", "structured": {"text": "saved", "plan": [], "after": [], "did": []}}]);
    assert_ran!(planned(&place, json!({"fail": "no such page", "after": saved})), @r#"
    exit 0
    ----- stdout
    {"text":"saved","plan":[],"after":[],"did":[]}
    ----- stderr
    "#);
    // Arguments that a tool does not take never reach a hook, and neither does an unknown tool.
    assert_ran!(planned(&place, json!({"txt": "a", "after": notes})), @r#"
    exit 2
    ----- stdout
    ----- stderr
    invalid: Invalid arguments: /txt: there is no property "txt"; did you mean `text`?
    hint: planned takes [text], [fail], [crash], [plan], [after], [did]
    "#);
}

#[test]
fn hooks_after_a_call_see_crashes_and_limits_but_not_what_is_for_authors() {
    let note = json!([{"by": "o", "do": "note"}]);
    let crashes = |after| planned(&place(), json!({"crash": "the secret of the crash", "after": after}));
    assert_ran!(crashes(note.clone()), @"
    exit 1
    ----- stdout
    ----- stderr
    failed: [TOOL_ERROR] Tool execution failed: the tool crashed; saw failed: [TOOL_ERROR] Tool execution failed: the tool crashed
    ");
    assert_ran!(crashes(json!([{"by": "i", "to_failure": "never mind"}])), @"
    exit 1
    ----- stdout
    ----- stderr
    failed: never mind
    ");
    let place = place().own("config.toml", "[limits]\noutput = 300\n");
    assert_ran!(planned(&place, json!({"text": "a".repeat(300), "after": note})), @"
    exit 1
    ----- stdout
    ----- stderr
    failed: The call exceeded its limit `output`: 300; saw failed: The call exceeded its limit `output`: 300
    ");
}

#[test]
fn a_hook_stands_only_where_a_toolset_puts_it_and_its_manifest_matches() {
    let refuses = json!({"plan": [{"refuse": "no"}]});
    let unlisted =
        Place::new().plugin("typed.wasm", guest_artifacts::TYPED).plugin("inner.wasm", &hook("inner", 'i', 0, &["*"]));
    assert_ran!(planned(&unlisted, refuses.clone()), @r#"
    exit 0
    ----- stdout
    {"text":"","plan":[{"refuse":"no"}],"after":[],"did":[]}
    ----- stderr
    "#);
    let elsewhere = Place::new()
        .plugin("typed.wasm", guest_artifacts::TYPED)
        .plugin("inner.wasm", &hook("inner", 'i', 0, &["read_*", "plan"]))
        .own("toolsets/guards.toml", "hooks = [\"inner\"]\n");
    assert_eq!(planned(&elsewhere, refuses).code, 0);
    // A hook is no tool, and no toolset lists it as one.
    assert_ran!(elsewhere.run(&["call", "inner"]), @"
    exit 2
    ----- stdout
    ----- stderr
    unknown_tool: Unknown tool: inner
    hint: there are planned, read_file, search_files, typed, weather, write_file
    ");
}

#[test]
fn a_listed_hook_that_is_missing_lets_nothing_run() {
    let place = Place::new().file("a.txt", "a\n").own("toolsets/guards.toml", "hooks = [\"gard\"]\n");
    let args = ["call", "read_file", "--args", r#"{"path":"a.txt"}"#];
    assert_ran!(place.run(&args), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `gard` is listed by a toolset and missing, so nothing runs
    ");
    // Where the toolset is not in use, its hooks are not either.
    let other: Vec<&str> = args.into_iter().chain(["--toolset", "file"]).collect();
    assert_eq!(place.run(&other).code, 0);
    // A tool of that name is no hook.
    let place = Place::new().file("a.txt", "a\n").own("toolsets/guards.toml", "hooks = [\"write_file\"]\n");
    assert_ran!(place.run(&args), @"
    exit 3
    ----- stdout
    ----- stderr
    refused: The hook `write_file` is listed by a toolset and missing, so nothing runs
    ");
}

#[test]
fn a_trace_shows_the_steps_of_hooks_and_whose_words_are_whose() {
    let place = place();
    let args = json!({"plan": [{"by": "o", "do": "panic"}]}).to_string();
    assert_ran!(place.run(&["call", "planned", "--args", &args, "--trace"]), @"
    exit 3
    ----- stdout
    ----- stderr
        lookup  [TIME]
        permit  [TIME]
        coerce  [TIME]
      validate  [TIME]
        before  [TIME]  ended here
         total  [TIME], [TIME] of it in guest code
        stderr  outer:
        stderr  outer: thread '<unnamed>' (1) panicked at [SOURCE]
        stderr  outer: the secret of the hook
        stderr  outer: note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
    outer: wasm trap: wasm `unreachable` instruction executed
    error while executing at wasm backtrace:
    [FRAMES]
    refused: The hook `outer` failed, so the call does not run: it crashed
    ");
    let args = json!({"after": [{"by": "i", "do": "panic"}]}).to_string();
    assert_ran!(place.run(&["call", "planned", "--args", &args, "--trace"]), @"
    exit 3
    ----- stdout
    ----- stderr
        lookup  [TIME]
        permit  [TIME]
        coerce  [TIME]
      validate  [TIME]
        before  [TIME]
        handle  [TIME]
         scrub  [TIME]
        output  [TIME]
         after  [TIME]  ended here
         total  [TIME], [TIME] of it in guest code
        stderr  inner:
        stderr  inner: thread '<unnamed>' (1) panicked at [SOURCE]
        stderr  inner: the secret of the hook
        stderr  inner: note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
    inner: wasm trap: wasm `unreachable` instruction executed
    error while executing at wasm backtrace:
    [FRAMES]
    refused: The hook `inner` failed, so the result is withheld: it crashed
    ");
    assert_ran!(place.run(&["call", "crash", "--trace"]), @"
    exit 1
    ----- stdout
    ----- stderr
        lookup  [TIME]
        permit  [TIME]
        coerce  [TIME]
      validate  [TIME]
         begin  [TIME]
        before  [TIME]
        handle  [TIME]  ended here
         scrub  [TIME]
         after  [TIME]
         scrub  [TIME]
         total  [TIME], [TIME] of it in guest code
        stderr
        stderr  thread '<unnamed>' (1) panicked at [SOURCE]
        stderr  the secret of the crash
        stderr  note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
    wasm trap: wasm `unreachable` instruction executed
    error while executing at wasm backtrace:
    [FRAMES]
    trap: [TOOL_ERROR] Tool execution failed: the tool crashed
    ");
}
