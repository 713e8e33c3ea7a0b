//! Which calls of a batch may run at the same time.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use hermes_manifest::Parallel;
use serde_json::{Map, Value};

/// One call of a batch, as the plan needs it.
#[derive(Debug, Clone, Copy)]
pub struct Planned<'a> {
    /// What its manifest says; of an unknown tool nothing runs, so it is never in the way.
    pub parallel: Option<&'a Parallel>,
    /// Its arguments.
    pub args: &'a Map<String, Value>,
}

/// Cuts a batch into consecutive segments. The calls of one segment may run at the same time; segments run one after another.
///
/// Relative paths in arguments start at `base`, so that a path and its absolute form count as the same.
pub fn plan(batch: &[Planned<'_>], base: Option<&Path>) -> Vec<Range<usize>> {
    let mut segments = Vec::new();
    let mut begin = 0;
    let mut claims = Vec::new();
    for (index, call) in batch.iter().enumerate() {
        let own = Claim::of(call, base);
        if claims.iter().any(|claim| own.meets(claim)) {
            segments.push(begin..index);
            begin = index;
            claims.clear();
        }
        claims.push(own);
    }
    if begin < batch.len() {
        segments.push(begin..batch.len());
    }
    segments
}

/// What a call needs for itself.
enum Claim {
    Nothing,
    Everything,
    Values(Vec<Claimed>),
}

/// The value of an argument that two calls must not share.
enum Claimed {
    /// A text may be a path, and then nothing below it or above it may be shared either.
    Path(PathBuf),
    Other(Value),
}

impl Claim {
    fn of(call: &Planned<'_>, base: Option<&Path>) -> Self {
        let names = match call.parallel {
            None | Some(Parallel::Always) => return Self::Nothing,
            Some(Parallel::Never) => return Self::Everything,
            Some(Parallel::By(names)) => names,
        };
        let mut values = Vec::new();
        for name in names {
            match call.args.get(name) {
                // Whatever the tool takes in its place is not known here.
                None | Some(Value::Null) => return Self::Everything,
                Some(Value::Array(items)) => values.extend(items.iter().map(|item| Claimed::of(item, base))),
                Some(value) => values.push(Claimed::of(value, base)),
            }
        }
        Self::Values(values)
    }

    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nothing, Self::Nothing | Self::Values(_)) | (Self::Values(_), Self::Nothing) => false,
            (Self::Everything, _) | (_, Self::Everything) => true,
            (Self::Values(mine), Self::Values(theirs)) => {
                mine.iter().any(|mine| theirs.iter().any(|theirs| mine.meets(theirs)))
            }
        }
    }
}

impl Claimed {
    fn of(value: &Value, base: Option<&Path>) -> Self {
        match value {
            Value::String(text) => Self::Path(normal(text, base)),
            other => Self::Other(other.clone()),
        }
    }

    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Path(a), Self::Path(b)) => a.starts_with(b) || b.starts_with(a),
            (Self::Other(a), Self::Other(b)) => a == b,
            // A number and its text may mean the same.
            (Self::Path(path), Self::Other(value)) | (Self::Other(value), Self::Path(path)) => {
                path.ends_with(value.to_string())
            }
        }
    }
}

/// The path without `.` and `..`, by its text alone.
fn normal(text: &str, base: Option<&Path>) -> PathBuf {
    let joined = base.map_or_else(|| PathBuf::from(text), |base| base.join(text));
    let mut normal = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a plan may be one segment")]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one segment is meant, not the calls in it")]
    fn calls_run_together_where_their_manifests_allow() {
        let path = Parallel::By(vec!["path".to_owned()]);
        let (always, never) = (Parallel::Always, Parallel::Never);
        let on = |text: &str| json!({ "path": text });
        for (calls, expected) in [
            (vec![], vec![]),
            (vec![(&always, json!({})), (&always, json!({}))], vec![0..2]),
            (vec![(&never, json!({})), (&never, json!({}))], vec![0..1, 1..2]),
            (vec![(&always, json!({})), (&never, json!({})), (&always, json!({}))], vec![0..1, 1..2, 2..3]),
            (vec![(&path, on("a")), (&path, on("b")), (&always, json!({}))], vec![0..3]),
            (vec![(&path, on("a")), (&path, on("b")), (&path, on("./a"))], vec![0..2, 2..3]),
            (vec![(&path, on("a")), (&path, on("/project/a"))], vec![0..1, 1..2]),
            (vec![(&path, on("a/b")), (&path, on("a"))], vec![0..1, 1..2]),
            (vec![(&path, on("ab")), (&path, on("a"))], vec![0..2]),
            (vec![(&path, on("x/../a")), (&path, on("a/c"))], vec![0..1, 1..2]),
            (vec![(&path, json!({})), (&path, on("a"))], vec![0..1, 1..2]),
            (vec![(&path, json!({"path": ["a", "b"]})), (&path, on("b"))], vec![0..1, 1..2]),
            (vec![(&path, json!({"path": 7})), (&path, json!({"path": 8}))], vec![0..2]),
            (vec![(&path, json!({"path": 7})), (&path, json!({"path": "7"}))], vec![0..1, 1..2]),
        ] {
            let batch: Vec<Planned<'_>> = calls
                .iter()
                .map(|(parallel, args)| Planned { parallel: Some(parallel), args: args.as_object().unwrap() })
                .collect();
            assert_eq!(plan(&batch, Some(Path::new("/project"))), expected, "{calls:?}");
        }
    }

    #[test]
    fn a_call_of_no_tool_is_never_in_the_way() {
        let (none, never) = (Map::new(), Parallel::Never);
        let batch = [Planned { parallel: Some(&never), args: &none }, Planned { parallel: None, args: &none }];
        assert_eq!(plan(&batch, None), [0..1, 1..2], "whoever needs everything runs alone");
    }
}
