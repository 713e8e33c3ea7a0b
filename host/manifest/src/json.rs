//! Strict JSON: an object that has a key twice is an error, since readers differ in which of the two counts.

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::manifest::ManifestError;

/// A JSON value in which no object has a key twice.
pub(crate) struct Strict(pub(crate) Value);

impl<'de> serde::Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StrictSeed.deserialize(deserializer).map(Self)
    }
}

struct StrictSeed;

impl<'de> DeserializeSeed<'de> for StrictSeed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictSeed {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(StrictSeed)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if members.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key {key:?} stands twice in one object")));
            }
            let member = access.next_value_seed(StrictSeed)?;
            members.insert(key, member);
        }
        Ok(Value::Object(members))
    }
}

/// Reads one JSON value in which no object has a key twice and nothing nests deeper than 127 levels.
///
/// # Errors
///
/// What is malformed, with line and column; a key that stands twice is named.
pub fn strict_json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Strict>(text).map(|strict| strict.0)
}

/// The documents of a stream, each with its number from 1. Ends after the first error.
pub(crate) fn documents(stream: &[u8]) -> impl Iterator<Item = (usize, Result<Value, ManifestError>)> {
    let mut documents = serde_json::Deserializer::from_slice(stream).into_iter::<Strict>().fuse();
    let mut failed = false;
    std::iter::from_fn(move || {
        if failed {
            return None;
        }
        let document = documents.next()?;
        failed = document.is_err();
        Some(document.map(|strict| strict.0).map_err(ManifestError::from))
    })
    .zip(1..)
    .map(|(document, number)| (number, document))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read_in_order_up_to_the_first_error() {
        let read =
            |text: &str| documents(text.as_bytes()).map(|(n, d)| (n, d.map_err(|e| e.to_string()))).collect::<Vec<_>>();
        assert_eq!(read(""), []);
        let two = read("{\"b\":1,\"a\":[null,true,-1,1.5,\"x\"]}\n{}\n");
        assert_eq!(two.len(), 2);
        assert_eq!(two[0].1.as_ref().unwrap().to_string(), r#"{"b":1,"a":[null,true,-1,1.5,"x"]}"#);
        let bad = read("{}\n{\"a\":1,\"a\":2}\n{}");
        assert_eq!(bad.len(), 2);
        assert!(bad[1].1.as_ref().unwrap_err().starts_with("line 2, column"), "{bad:?}");
        assert!(bad[1].1.as_ref().unwrap_err().contains("the key \"a\" stands twice"), "{bad:?}");
    }

    #[test]
    fn hostile_json_is_an_error() {
        let deep = "[".repeat(100_000);
        for text in [deep.as_str(), "{\"a\":1e400}", "{\"a\"", "\u{1}", "nul", "{'a':1}"] {
            let read = documents(text.as_bytes()).last().unwrap().1;
            assert!(matches!(read, Err(ManifestError::Syntax { .. })), "{:.20}", text);
        }
        assert!(matches!(documents(b"\"\xff\"").last().unwrap().1, Err(ManifestError::Syntax { .. })));
    }
}
