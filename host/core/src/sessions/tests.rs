//! Messages, queries, and a store in memory.

use serde_json::{Value, json};

use super::*;

#[test]
fn a_message_has_a_role_and_a_content_that_is_known() {
    for (value, expected) in [
        (json!({"role": "user", "content": "a\nb"}), Ok("a\nb")),
        (json!({"role": "assistant", "content": null, "tool_calls": []}), Ok("")),
        (json!({"role": "assistant"}), Ok("")),
        (
            json!({"role": "tool", "content": [{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}]}),
            Ok("a\nb"),
        ),
        (json!({"role": "user", "content": []}), Ok("")),
        (json!({"role": "someone", "content": "a"}), Err(MessageError::Role)),
        (json!({"content": "a"}), Err(MessageError::Role)),
        (json!({"role": "user", "content": 1}), Err(MessageError::Content)),
        (json!({"role": "user", "content": ["a"]}), Err(MessageError::Content)),
        (json!(["user"]), Err(MessageError::Shape)),
        (Value::Null, Err(MessageError::Shape)),
    ] {
        let message = Message::try_from(value.clone());
        assert_eq!(message.clone().map(|message| message.text()), expected.map(str::to_owned), "{value}");
        if let Ok(message) = message {
            assert_eq!(message.to_json(), value.to_string(), "what came is kept");
        }
    }
}

#[test]
fn words_are_found_in_whatever_order_and_case() {
    for (query, text, found) in [
        ("storm London", "London: the STORM is fine", true),
        ("storm Paris", "London: the storm is fine", false),
        ("天気", "今日の天気は", true),
        ("ÄRGER", "viel ärger", true),
        ("\"a\" OR b*", "say \"a\" or b* now", true),
        ("\"a\" OR b*", "say a or b now", false),
        ("a\0b", "b a", true),
    ] {
        let query: Query = query.parse().unwrap();
        assert_eq!(query.matches(&fold(text)), found, "{query:?} in {text}");
    }
    let long = "x".repeat(1025);
    let many = "x ".repeat(17);
    for (text, why) in [
        ("", QueryError::Empty),
        (" \n\0", QueryError::Empty),
        (&long, QueryError::TooLong),
        (&many, QueryError::TooLong),
    ] {
        assert_eq!(text.parse::<Query>(), Err(why), "{text}");
    }
}

#[test]
fn a_snippet_shows_what_is_around_the_words_on_one_line() {
    let snippet = |query: &str, text: &str| query.parse::<Query>().unwrap().snippet(text);
    assert_eq!(snippet("b", "a\nb\tc"), "a b c");
    assert_eq!(snippet("z", "nothing"), "nothing");
    let (before, after) = ("ä".repeat(100), "é".repeat(200));
    let shown = snippet("word", &format!("{before}WORD{after}"));
    assert_eq!(shown, format!("…{}WORD{}…", "ä".repeat(40), "é".repeat(116)));
    // Of these letters the other case has other bytes.
    assert_eq!(snippet("k", &format!("{}k", "İK".repeat(2))), "İKİKk");
}
