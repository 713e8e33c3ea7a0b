//! What one JSON value holds that another does not.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

/// One difference between two JSON values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueChange {
    /// Where, as a JSON Pointer (RFC 6901); empty for the whole value.
    pub at: String,
    /// What.
    pub kind: ValueChangeKind,
}

/// What differs there. Values are compact JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueChangeKind {
    /// It is there, or in the list there, and was not.
    Added(String),
    /// It was there, or in the list there, and is not.
    Removed(String),
    /// It was another.
    Became {
        /// What it was.
        old: String,
        /// What it is.
        new: String,
    },
    /// The list holds the same in another order or number.
    Rearranged,
}

/// Bytes of the longest value that is told in one piece. A longer one is told part by part: nothing of it is left out.
const ONE_PIECE: usize = 160;

/// All differences between two values; null stands for a whole value that is not there.
pub(super) fn between(old: &Value, new: &Value) -> Vec<ValueChange> {
    let mut changes = Vec::new();
    match (old, new) {
        (Value::Null, Value::Null) => {}
        (Value::Null, new) => tell("", new, ValueChangeKind::Added, &mut changes),
        (old, Value::Null) => tell("", old, ValueChangeKind::Removed, &mut changes),
        (old, new) => compare("", old, new, &mut changes),
    }
    changes
}

fn compare(at: &str, old: &Value, new: &Value, changes: &mut Vec<ValueChange>) {
    match (old, new) {
        (old, new) if old == new => {}
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in new {
                match old.get(key) {
                    Some(had) => compare(&join(at, key), had, value, changes),
                    None => tell(&join(at, key), value, ValueChangeKind::Added, changes),
                }
            }
            for (key, had) in old.iter().filter(|(key, _)| !new.contains_key(*key)) {
                tell(&join(at, key), had, ValueChangeKind::Removed, changes);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() && old.iter().chain(new).all(has_parts) => {
            for (number, (old, new)) in old.iter().zip(new).enumerate() {
                compare(&join(at, &number.to_string()), old, new, changes);
            }
        }
        (Value::Array(old), Value::Array(new)) => compare_lists(at, old, new, changes),
        (old, new) => {
            let (had, has) = (old.to_string(), new.to_string());
            let is_short = |value: &Value, text: &str| !has_parts(value) || text.len() <= ONE_PIECE;
            if is_short(old, &had) && is_short(new, &has) {
                changes.push(ValueChange { at: at.to_owned(), kind: ValueChangeKind::Became { old: had, new: has } });
            } else {
                tell(at, old, ValueChangeKind::Removed, changes);
                tell(at, new, ValueChangeKind::Added, changes);
            }
        }
    }
}

fn compare_lists(at: &str, old: &[Value], new: &[Value], changes: &mut Vec<ValueChange>) {
    let texts = |list: &[Value]| list.iter().map(Value::to_string).collect::<BTreeSet<_>>();
    let (had, has) = (texts(old), texts(new));
    let before = changes.len();
    let mut tell_those = |list: &[Value], known: &BTreeSet<String>, kind: fn(String) -> ValueChangeKind| {
        for (number, value) in list.iter().enumerate().filter(|(_, value)| !known.contains(&value.to_string())) {
            let part = join(at, &number.to_string());
            tell(if has_parts(value) { &part } else { at }, value, kind, changes);
        }
    };
    tell_those(new, &had, ValueChangeKind::Added);
    tell_those(old, &has, ValueChangeKind::Removed);
    if changes.len() == before {
        changes.push(ValueChange { at: at.to_owned(), kind: ValueChangeKind::Rearranged });
    }
}

/// Tells a whole value, or each of its parts.
fn tell(at: &str, value: &Value, kind: fn(String) -> ValueChangeKind, changes: &mut Vec<ValueChange>) {
    let text = value.to_string();
    match value {
        Value::Object(parts) if text.len() > ONE_PIECE => {
            parts.iter().for_each(|(key, part)| tell(&join(at, key), part, kind, changes));
        }
        Value::Array(parts) if text.len() > ONE_PIECE => {
            parts
                .iter()
                .enumerate()
                .for_each(|(number, part)| tell(&join(at, &number.to_string()), part, kind, changes));
        }
        _ => changes.push(ValueChange { at: at.to_owned(), kind: kind(text) }),
    }
}

fn has_parts(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

fn join(at: &str, token: &str) -> String {
    format!("{at}/{}", token.replace('~', "~0").replace('/', "~1"))
}

/// One line: keys are escaped as JSON escapes the values.
impl fmt::Display for ValueChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.at.escape_debug())?;
        match &self.kind {
            ValueChangeKind::Added(new) => write!(f, "added: {new}"),
            ValueChangeKind::Removed(old) => write!(f, "removed: {old}"),
            ValueChangeKind::Became { old, new } => write!(f, "{old} → {new}"),
            ValueChangeKind::Rearranged => f.write_str("rearranged"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(old: Value, new: Value) -> Vec<String> {
        between(&old, &new).iter().map(|change| change.to_string().trim().to_owned()).collect()
    }

    #[test]
    fn each_difference_is_told_where_it_is() {
        let long = "long ".repeat(40);
        for (old, new, expected) in [
            (json!(1), json!(1), &[] as &[&str]),
            (json!(null), json!("x"), &[r#"added: "x""#]),
            (json!("x"), json!(null), &[r#"removed: "x""#]),
            (json!({"a": null}), json!({"a": 1}), &["/a null → 1"]),
            (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), &[]),
            (json!({"a": {"b/c~d": 1}}), json!({"a": {"b/c~d": 1.5}}), &["/a/b~1c~0d 1 → 1.5"]),
            (json!({"a": 1}), json!({"b": 1}), &["/b added: 1", "/a removed: 1"]),
            (json!({}), json!({"a\nb: ok": 1}), &[r"/a\nb: ok added: 1"]),
            (json!({"a": "x\ny"}), json!({"a": "x\nz"}), &[r#"/a "x\ny" → "x\nz""#]),
            (json!(["a", "b"]), json!(["a", "c"]), &[r#"added: "c""#, r#"removed: "b""#]),
            (json!(["a", "b"]), json!(["b", "a"]), &["rearranged"]),
            (json!(["a", "a"]), json!(["a"]), &["rearranged"]),
            (json!([{"a": 1}]), json!([{"a": 2}]), &["/0/a 1 → 2"]),
            (json!([{"a": 1}]), json!([{"b": 1}, {"a": 1}]), &[r#"/0 added: {"b":1}"#]),
            (json!({"a": [1]}), json!({"a": {"b": 1}}), &[r#"/a [1] → {"b":1}"#]),
        ] {
            assert_eq!(told(old.clone(), new.clone()), expected, "{old} {new}");
        }
        let in_parts = told(json!({}), json!({"a": {"b": long, "c": [1]}}));
        assert_eq!(in_parts, [format!("/a/b added: {long:?}"), "/a/c added: [1]".to_owned()]);
        let replaced = told(json!({"a": 1}), json!({"a": [long]}));
        assert_eq!(replaced, ["/a removed: 1".to_owned(), format!("/a/0 added: {long:?}")]);
    }
}
