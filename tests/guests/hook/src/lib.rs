//! One hook for all tests: it does what the call's arguments say. It speaks the contract's own types, since the SDK does not allow
//! all that it does.
//!
//! Before a call it does the first step of `args.plan` that is for it, after the call that of `args.after`: one without `by`, or one
//! whose `by` is the hook's marker. A step is an object, or just the name of a deed, such as `"panic"`. A step that it does not
//! know makes it fail.
#![cfg(target_family = "wasm")]

use std::hint::{black_box, spin_loop};

use hermes_tool::HookManifest;
use hermes_tool::bindings::hook::__export_hook;
use hermes_tool::bindings::hook::exports::hermes::hook::hook::{Decision, Guest};
use hermes_tool::bindings::tool::hermes::tool::types::{
    Call, Content, Failure, Form, Outcome, Output, Pending, Request, RequestKind,
};
use hermes_tool::prelude::hook;
use hermes_tool::serde_json::{self, Value, json};

/// Whose last letter a test may change in the built component, to tell several of these hooks apart.
static MARKER: &str = "hook-marker-0";

/// Does what the arguments say.
#[hook(match = ["*"], name = "scripted")]
struct Scripted;

#[expect(dead_code, reason = "what reads it is the section")]
const MANIFESTS: &[hermes_tool::__private::Node] = &[Scripted::MANIFEST];
hermes_tool::__section!(MANIFESTS);

type Ended = Result<Outcome, Failure>;

impl Guest for Scripted {
    fn before(_: Call, args: String) -> Result<Decision, String> {
        let mut args = parse(&args)?;
        let Some((index, step)) = due(&args, "plan") else { return Ok(Decision::Proceed) };
        match Deed::of(&step)? {
            Deed("proceed", _) => Ok(Decision::Proceed),
            Deed("rewrite", _) => {
                if let Some(plan) = args.get_mut("plan").and_then(Value::as_array_mut) {
                    plan.remove(index);
                }
                match args.get_mut("did").and_then(Value::as_array_mut) {
                    Some(did) => did.push(marker().into()),
                    None => {
                        args.as_object_mut().map(|args| args.insert("did".into(), json!([marker()])));
                    }
                }
                Ok(Decision::Rewrite(args.to_string()))
            }
            Deed("rewrite_to", args) => Ok(Decision::Rewrite(args.to_string())),
            Deed("rewrite_raw", text) => Ok(Decision::Rewrite(plain(text))),
            Deed("refuse", text) => Ok(Decision::Refuse(plain(text))),
            deed => Err(deed.end()),
        }
    }

    fn after(_: Call, args: String, ended: Ended, _elapsed_ms: u32) -> Result<Option<Ended>, String> {
        let Some((_, step)) = due(&parse(&args)?, "after") else { return Ok(None) };
        Ok(Some(match Deed::of(&step)? {
            Deed("append", text) => append(ended, plain(text)),
            Deed("note", _) => {
                let saw = format!("saw {}", describe(&ended));
                append(ended, saw)
            }
            Deed("replace", text) => match ended {
                Ok(_) => done(plain(text)),
                Err(_) => Err(Failure::Failed(plain(text))),
            },
            Deed("to_success", text) => done(plain(text)),
            Deed("to_failure", text) => Err(Failure::Failed(plain(text))),
            Deed("structured", text) => {
                Ok(Outcome::Done(Output { content: Vec::new(), structured: Some(plain(text)) }))
            }
            Deed("ask", _) => {
                let form = Form { message: "May I?".into(), schema: r#"{"type":"object","properties":{}}"#.into() };
                let request = Request { id: "hook".into(), kind: RequestKind::Form(form) };
                Ok(Outcome::Ask(Pending { requests: vec![request], state: Vec::new(), expires_s: None }))
            }
            deed => return Err(deed.end()),
        }))
    }
}

/// What a step says: the deed, and what it is done with.
struct Deed<'a>(&'a str, &'a Value);

impl<'a> Deed<'a> {
    fn of(step: &'a Value) -> Result<Self, String> {
        let object = step.as_object().into_iter().flatten();
        let named = step.as_str().map(|name| Self(name, step));
        let deed = named.or_else(|| object.map(|(key, value)| Self(key, value)).find(|Self(key, _)| *key != "by"));
        match deed {
            Some(Self("do" | "bad", name)) => Ok(Self(name.as_str().unwrap_or_default(), name)),
            Some(deed) => Ok(deed),
            None => Err(format!("no step: {step}")),
        }
    }

    /// Deeds after which there is no answer.
    #[expect(clippy::panic, reason = "this is what it is for")]
    fn end(self) -> String {
        match self {
            Self("panic", _) => panic!("the secret of the hook"),
            Self("spin", _) => loop {
                spin_loop();
            },
            Self("fail", text) => plain(text),
            Self(name, value) => format!("no deed: {name} {value}"),
        }
    }
}

/// The first step of the list `key` that is for this hook, and its index.
fn due(args: &Value, key: &str) -> Option<(usize, Value)> {
    let mine = |step: &Value| step.get("by").is_none_or(|by| *by == marker());
    let steps = args.get(key).and_then(Value::as_array)?;
    steps.iter().cloned().enumerate().find(|(_, step)| mine(step))
}

fn marker() -> &'static str {
    black_box(MARKER).rsplit('-').next().unwrap_or_default()
}

fn parse(json: &str) -> Result<Value, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// A string's text, any other value's JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn done(text: String) -> Ended {
    Ok(Outcome::Done(Output { content: vec![Content::Text(text)], structured: None }))
}

/// What ended, with a text more.
fn append(ended: Ended, text: String) -> Ended {
    match ended {
        Ok(Outcome::Done(mut output)) => {
            output.content.push(Content::Text(text));
            Ok(Outcome::Done(output))
        }
        Ok(Outcome::Ask(_)) => done(text),
        Err(Failure::Failed(why)) => Err(Failure::Failed(format!("{why}; {text}"))),
        Err(_) => Err(Failure::Failed(text)),
    }
}

/// `done`, `ask`, or the failure's name and what it says.
fn describe(ended: &Ended) -> String {
    match ended {
        Ok(Outcome::Done(_)) => "done".to_owned(),
        Ok(Outcome::Ask(_)) => "ask".to_owned(),
        Err(Failure::Failed(text)) => format!("failed: {text}"),
        Err(Failure::Unavailable(absence)) => format!("unavailable: {}", absence.message),
        Err(Failure::Denied(denial)) => format!("denied: {} {}", denial.capability, denial.target),
        Err(Failure::Invalid(issues)) => {
            let issues: Vec<_> = issues.iter().map(|issue| format!("{} {}", issue.path, issue.message)).collect();
            format!("invalid: {}", issues.join("; "))
        }
    }
}

__export_hook!(Scripted with_types_in hermes_tool::bindings::hook);
