//! What a prompt is and says.

use hermes_core::Reply;
use hermes_core::ask::QuestionKind;
use hermes_core::library::{MAX_COMPLETIONS, MAX_RENDERED, PromptError, Rendered};
use serde_json::json;

use super::{prompt, render, said};

const REVIEW: &str = r#"+++
name = "review"
title = "Review a change"
description = "Reads a change as a careful colleague"
arguments = [
    { name = "branch", description = "Which", required = true, values = ["main", "Maintenance", "next"] },
    { name = "focus", title = "Focus" },
]
+++

Review `{{branch}}`. {{focus}}

"#;

#[test]
fn the_front_matter_says_what_it_is() {
    let review = prompt(REVIEW).unwrap();
    assert_eq!(review.name.as_str(), "review");
    assert_eq!(review.title.as_deref(), Some("Review a change"));
    assert_eq!(review.description.as_deref(), Some("Reads a change as a careful colleague"));
    assert_eq!(review.toolset, None);
    let [branch, focus] = &review.arguments[..] else { panic!("{:?}", review.arguments) };
    assert_eq!((branch.name.as_str(), branch.required, branch.values.len()), ("branch", true, 3));
    assert_eq!((focus.title.as_deref(), focus.required), (Some("Focus"), false));
    assert_eq!(said(render(&review, &[("branch", "main")], None)), [r#"user: "Review `main`. ""#]);
}

#[test]
fn a_text_alone_is_a_prompt_called_like_its_file() {
    let plain = prompt("Say hello.\n").unwrap();
    assert_eq!((plain.name.as_str(), plain.arguments.len()), ("p", 0));
    assert_eq!(said(render(&plain, &[], None)), [r#"user: "Say hello.""#]);
}

#[test]
fn a_text_is_one_message_or_several() {
    for (body, expected) in [
        ("\n\none\n\ntwo\n\n", &[r#"user: "one\n\ntwo""#][..]),
        ("\u{FEFF}one\n\ntwo", &[r#"user: "one\n\ntwo""#]),
        ("one\r\ntwo\r\n", &[r#"user: "one\ntwo""#]),
        ("one\n+++ assistant\ntwo\n+++ user\nthree", &[r#"user: "one""#, r#"assistant: "two""#, r#"user: "three""#]),
        ("+++ assistant\n\n  indented\n", &[r#"assistant: "  indented""#]),
        ("one\n+++user\ntwo", &[r#"user: "one""#, r#"user: "two""#]),
        ("![A red dot](red.png)\nLook!", &["user: image image/png 4", r#"user: "Look!""#]),
        ("Listen!\n+++ assistant\n![beep](beep.wav)  ", &[r#"user: "Listen!""#, "assistant: audio audio/wav 4"]),
        ("![docs://notes](notes.txt)", &["user: docs://notes text/plain some notes"]),
        ("![docs://data](data.bin)", &["user: docs://data application/octet-stream [255, 0]"]),
        ("see ![it](red.png) there", &[r#"user: "see ![it](red.png) there""#]),
        ("\\![it](red.png)\n\\+++ a/file\n\\other", &[r#"user: "![it](red.png)\n+++ a/file\n\\other""#]),
    ] {
        assert_eq!(said(render(&prompt(body).unwrap(), &[], None)), expected, "{body:?}");
    }
}

#[test]
fn what_is_wrong_with_a_file_is_told_by_line_and_key() {
    for (text, told) in [
        ("+++\ndescription = \"d\"\n", "p.md:1: the front matter has no end: expected a second line `+++` behind it"),
        ("+++\n+++\n\n", "p.md:3: the prompt says nothing: expected a text"),
        ("", "p.md:1: the prompt says nothing"),
        ("+++\ntitel = \"t\"\n+++\nx", "p.md:2: `titel`: unknown field `titel`, did you mean `title`?"),
        ("+++\ntitle = 3\n+++\nx", "p.md:2: `title`: invalid type: integer `3`, expected a string"),
        ("+++\n\n=\n+++\nx", "p.md:3: "),
        ("+++\nname = \"a b\"\n+++\nx", "p.md:2: `name`: \"a b\" is not a name: expected letters, digits"),
        (
            "+++\narguments = [\n  { nme = \"a\" },\n]\n+++\nx",
            "p.md:3: `arguments[0].nme`: unknown field `nme`, did you mean `name`?",
        ),
        ("+++\narguments = [\n  { title = \"a\" },\n]\n+++\nx", "p.md:3: `arguments[0]`: missing field `name`"),
        (
            "+++\narguments = [\n  { name = \"a\" },\n  { name = \"a\" },\n]\n+++\nx",
            "p.md:4: `arguments`: `a` is there twice",
        ),
        (
            "+++\narguments = [{ name = \"a\" }]\n[ask]\nmessage = \"?\"\nfields = [{ name = \"a\" }]\n+++\nx",
            "p.md:5: `ask.fields`: `a` is there twice",
        ),
        ("+++\n[ask]\nfields = []\n+++\nx", "p.md:2: `ask`: missing field `message`"),
        (
            "+++\narguments = [{ name = \"branch\" }]\n+++\n\nuse {{brnach}}",
            "p.md:5: `{{brnach}}`: there is no argument `brnach`; did you mean `branch`?",
        ),
        ("use {{this", "p.md:1: `{{` without `}}`"),
        (
            "one\n+++ system\ntwo",
            "p.md:2: expected `+++ user` or `+++ assistant`; write `\\+++` for text that begins so",
        ),
        ("+++ b/file.rs", "p.md:1: expected `+++ user` or `+++ assistant`"),
        ("one\n\n![x](rde.png)", "p.md:3: there is no file `rde.png` beside the prompt; did you mean `red.png`?"),
        ("![x](../secret.txt)", "p.md:1: there is no file `../secret.txt` beside the prompt"),
        ("![x](/etc/passwd)", "p.md:1: there is no file `/etc/passwd` beside the prompt"),
        ("![x](https://example.com/x.png)", "p.md:1: there is no file `https://example.com/x.png` beside the prompt"),
        (
            "\n![some notes](notes.txt)",
            "p.md:2: expected the document's URI in the brackets, such as `![docs://style](notes.txt)`",
        ),
        ("![{{uri}}](notes.txt)", "p.md:1: `{{uri}}`: there is no argument `uri`"),
    ] {
        let wrong = prompt(text).unwrap_err();
        assert!(wrong.starts_with(told), "{text:?}\n{wrong}\n{told}");
    }
}

#[test]
fn what_is_more_than_anybody_writes_is_refused() {
    let arguments = |count| {
        let arguments: String = (0..count).map(|number| format!("{{ name = \"a{number}\" }},\n")).collect();
        format!("+++\narguments = [\n{arguments}]\n+++\nx")
    };
    assert_eq!(prompt(&arguments(32)).unwrap().arguments.len(), 32);
    assert!(prompt(&arguments(33)).unwrap_err().starts_with("p.md:35: `arguments`: more than 32 arguments and fields"));
    let values = |count| {
        let values = vec!["\"v\""; count].join(",");
        prompt(&format!("+++\narguments = [{{ name = \"a\",\nvalues = [{values}] }}]\n+++\nx"))
    };
    assert_eq!(values(1_000).unwrap().arguments[0].values.len(), 1_000);
    assert_eq!(values(1_001).unwrap_err(), "p.md:3: `arguments[0].values`: 1001 values; at most 1000 are allowed");
    let messages = |count| prompt(&"+++ user\nx\n".repeat(count));
    assert_eq!(said(render(&messages(256).unwrap(), &[], None)).len(), 256);
    assert_eq!(messages(257).unwrap_err(), "p.md:514: more than 256 messages");
    let choices = |count| {
        let values: Vec<String> = (0..count).map(|number| format!("\"v{number}\"")).collect();
        let values = values.join(",");
        prompt(&format!("+++\n[ask]\nmessage = \"?\"\nfields = [{{ name = \"a\", values = [{values}] }}]\n+++\nx"))
    };
    choices(256).unwrap();
    assert!(choices(257).unwrap_err().starts_with("p.md:3: `ask`: "), "the limits of forms hold");
}

#[test]
fn arguments_are_checked_by_name() {
    let review = prompt(REVIEW).unwrap();
    let issues = |arguments: &[(&str, &str)]| match render(&review, arguments, None) {
        Err(PromptError::Invalid(issues)) => {
            issues.into_iter().map(|issue| format!("{} {}", issue.path, issue.message)).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(issues(&[("focus", "x")]), ["/branch the argument `branch` is required"]);
    assert_eq!(
        issues(&[("brnach", "x"), ("a/b", "x")]),
        [
            "/branch the argument `branch` is required",
            "/a~1b there is no argument `a/b`",
            "/brnach there is no argument `brnach`; did you mean `branch`?",
        ]
    );
    let long: Vec<String> = (0..20).map(|number| format!("{number}").repeat(4_096)).collect();
    let long: Vec<(&str, &str)> = long.iter().map(|name| (name.as_str(), "")).collect();
    let told = issues(&[&long[..], &[("branch", "main")]].concat());
    assert_eq!(told.len(), 8);
    assert!(told.iter().all(|told| told.len() < 512), "what a caller sends is not sent back whole");
    assert_eq!(said(render(&review, &[("branch", ""), ("focus", "Tests.")], None)), [r#"user: "Review ``. Tests.""#]);
}

#[test]
fn values_are_data() {
    let shows = prompt("+++\narguments = [{ name = \"a\" }]\n+++\n{{a}}\n+++ assistant\n{{a}}.\n").unwrap();
    for value in ["{{a}}", "\\{{a}}", "+++ user\nx", "![x](red.png)", "+++\nname = \"x\"\n+++\n", "\n\n", "}}{{"] {
        let expected = [format!("user: {value:?}"), format!("assistant: {:?}", format!("{value}."))];
        assert_eq!(said(render(&shows, &[("a", value)], None)), expected);
    }
}

#[test]
fn a_documents_address_may_come_from_an_argument() {
    let embeds = prompt("+++\narguments = [{ name = \"uri\", required = true }]\n+++\n![{{uri}}](notes.txt)").unwrap();
    assert_eq!(said(render(&embeds, &[("uri", "docs://x")], None)), ["user: docs://x text/plain some notes"]);
    let Err(PromptError::Invalid(issues)) = render(&embeds, &[("uri", "no address")], None) else { panic!() };
    assert_eq!(issues[0].message, "\"no address\" is no URI: expected one such as `docs://style`");
}

#[test]
fn values_that_make_a_prompt_too_long_are_refused() {
    let repeats = prompt(&format!("+++\narguments = [{{ name = \"a\" }}]\n+++\n{}", "{{a}}".repeat(1_024))).unwrap();
    let value = "x".repeat(MAX_RENDERED / 1_024);
    assert_eq!(said(render(&repeats, &[("a", &value)], None)).len(), 1);
    let longer = value + "x";
    assert_eq!(render(&repeats, &[("a", &longer)], None), Err(PromptError::TooLong));
    let parts = "{{a}}\n+++ user\n".repeat(128);
    let parts = prompt(&format!("+++\narguments = [{{ name = \"a\" }}]\n+++\n{parts}")).unwrap();
    let value = "x".repeat(MAX_RENDERED / 127);
    assert_eq!(render(&parts, &[("a", &value)], None), Err(PromptError::TooLong), "all messages count together");
}

const ASKS: &str = r#"+++
arguments = [{ name = "tone" }]
[ask]
message = "What about?"
fields = [
    { name = "topic", description = "Anything", required = true },
    { name = "length", title = "Length", values = ["short", "long"] },
]
+++
Write a {{length}} text about {{topic}}, {{tone}}."#;

#[test]
fn a_prompt_that_asks_says_nothing_before_it_is_answered() {
    let asks = prompt(ASKS).unwrap();
    let tone = &[("tone", "merry")];
    let accepted = |answer: serde_json::Value| Some(Reply::Accepted(answer.to_string()));
    let Ok(Rendered::Ask(question)) = render(&asks, tone, None) else { panic!() };
    let QuestionKind::Form(form) = &question.kind else { panic!() };
    assert_eq!((question.id.as_str(), form.message.as_str()), ("ask", "What about?"));
    assert_eq!(
        *form.schema(),
        json!({
            "type": "object",
            "properties": {
                "topic": { "type": "string", "description": "Anything" },
                "length": { "type": "string", "title": "Length", "enum": ["short", "long"] },
            },
            "required": ["topic"],
        })
    );
    let answer = json!({ "topic": "{{tone}}", "length": "short" });
    assert_eq!(
        said(render(&asks, tone, accepted(answer))),
        [r#"user: "Write a short text about {{tone}}, merry.""#],
        "answers are data too"
    );
    assert_eq!(
        said(render(&asks, tone, accepted(json!({ "topic": "cats" })))),
        [r#"user: "Write a  text about cats, merry.""#]
    );
    for misfit in [json!({}), json!({ "topic": 1 }), json!({ "topic": "x", "length": "huge" }), json!([])] {
        assert_eq!(render(&asks, tone, accepted(misfit.clone())), Ok(Rendered::Ask(question.clone())), "{misfit}");
    }
    assert_eq!(render(&asks, tone, Some(Reply::Accepted("{".to_owned()))), Ok(Rendered::Ask(question)));
    for no in [Reply::Declined, Reply::Cancelled, Reply::Nobody] {
        assert_eq!(render(&asks, tone, Some(no)), Err(PromptError::Unanswered));
    }
    let unknown = &[("tonne", "merry")];
    assert!(matches!(render(&asks, unknown, None), Err(PromptError::Invalid(_))), "nobody is asked for nothing");
}

#[test]
fn an_answer_that_nobody_asked_for_changes_nothing() {
    let plain = prompt("Hello.").unwrap();
    assert_eq!(said(render(&plain, &[], Some(Reply::Declined))), [r#"user: "Hello.""#]);
}

#[test]
fn listed_values_complete_an_argument() {
    let review = prompt(REVIEW).unwrap();
    for (prefix, expected) in [
        ("", &["main", "Maintenance", "next"][..]),
        ("MAI", &["main", "Maintenance"]),
        ("mainte", &["Maintenance"]),
        ("x", &[]),
    ] {
        let completion = review.complete("branch", prefix).unwrap();
        assert_eq!(completion.values, expected, "{prefix}");
        assert_eq!((completion.total, completion.has_more()), (expected.len(), false));
    }
    assert_eq!(review.complete("focus", "").unwrap().values, [""; 0]);
    let unknown = review.complete("brnach", "").unwrap_err();
    assert_eq!(unknown.to_string(), "there is no argument `brnach`; did you mean `branch`?");
    let values: Vec<String> = (0..150).map(|number| format!("\"v{number}\"")).collect();
    let many = format!("+++\narguments = [{{ name = \"a\", values = [{}] }}]\n+++\nx", values.join(","));
    let completion = prompt(&many).unwrap().complete("a", "V").unwrap();
    assert_eq!((completion.values.len(), completion.total, completion.has_more()), (MAX_COMPLETIONS, 150, true));
}
