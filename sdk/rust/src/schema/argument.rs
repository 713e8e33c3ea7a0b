//! Types that arguments have.

use std::collections::{BTreeMap, HashMap};

use serde::de::{DeserializeOwned, Deserializer, Error as _};

use super::{Kind, Limits, Member, Node};

/// A type that an argument can have.
///
/// Strings, integers to 64 bits (`usize` counts as 32, since a tool runs on a 32-bit machine), floats, `bool`, `Option`,
/// `Vec`, maps with string keys, `serde_json::Value`, and structs and enums that derive [`ToolArgs`](macro@crate::ToolArgs).
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an argument of a tool",
    label = "this type has no JSON Schema",
    note = "use String, an integer, a float, bool, Option, Vec, a map with String keys, serde_json::Value, or a type with `#[derive(ToolArgs)]`"
)]
pub trait Argument: DeserializeOwned {
    #[doc(hidden)]
    const SCHEMA: Node;
    #[doc(hidden)]
    const KIND: Kind;
    /// The type's own description, for places that have none.
    #[doc(hidden)]
    const ABOUT: Node = Node::Absent;

    #[doc(hidden)]
    fn check(&self, limits: &Limits) -> Result<(), String> {
        let _ = limits;
        Ok(())
    }
}

/// All arguments of a tool: a struct with named fields that derives [`ToolArgs`](macro@crate::ToolArgs).
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the arguments of a tool",
    label = "not a struct with `#[derive(ToolArgs)]`",
    note = "a tool takes one struct: `#[derive(ToolArgs)] struct Args {{ city: String }}` and `fn weather(args: Args)`"
)]
pub trait ToolArgs: Argument {}

/// Deserialises a value and holds it against its limits.
#[doc(hidden)]
pub fn checked<'de, T: Argument, D: Deserializer<'de>>(from: D, limits: &Limits) -> Result<T, D::Error> {
    let value = T::deserialize(from)?;
    value.check(limits).map_err(D::Error::custom)?;
    Ok(value)
}

macro_rules! integers {
    ($($integer:ty as $range:ty: $min:literal to $max:literal;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl Argument for $integer {
            const SCHEMA: Node = Node::Object(&[
                Member::new("type", Node::Text("integer")),
                Member::new("minimum", Node::Raw(stringify!($min))),
                Member::new("maximum", Node::Raw(stringify!($max))),
            ]);
            const KIND: Kind = Kind::Integer { min: <$range>::MIN as i128, max: <$range>::MAX as i128 };

            fn check(&self, limits: &Limits) -> Result<(), String> {
                let value = *self as i128;
                match (limits.min.and_then(|min| min.whole), limits.max.and_then(|max| max.whole)) {
                    (Some(min), _) if value < min => Err(format!("{value} is less than {min}")),
                    (_, Some(max)) if value > max => Err(format!("{value} is greater than {max}")),
                    _ => Ok(()),
                }
            }
        }
    )*};
}

integers! {
    i8 as i8: -128 to 127;
    i16 as i16: -32768 to 32767;
    i32 as i32: -2147483648 to 2147483647;
    i64 as i64: -9223372036854775808 to 9223372036854775807;
    isize as i32: -2147483648 to 2147483647;
    u8 as u8: 0 to 255;
    u16 as u16: 0 to 65535;
    u32 as u32: 0 to 4294967295;
    u64 as u64: 0 to 18446744073709551615;
    usize as u32: 0 to 4294967295;
}

macro_rules! floats {
    ($($float:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl Argument for $float {
            const SCHEMA: Node = Node::Object(&[Member::new("type", Node::Text("number"))]);
            const KIND: Kind = Kind::Number;

            fn check(&self, limits: &Limits) -> Result<(), String> {
                let value = f64::from(*self);
                match (limits.min, limits.max) {
                    (Some(min), _) if value < min.float => Err(format!("{value} is less than {}", min.float)),
                    (_, Some(max)) if value > max.float => Err(format!("{value} is greater than {}", max.float)),
                    _ => Ok(()),
                }
            }
        }
    )*};
}

floats!(f32, f64);

/// Holds a number of `things` against the limits.
fn check_length(length: usize, things: &str, limits: &Limits) -> Result<(), String> {
    match limits.length {
        Some((min, _)) if length < min => Err(format!("{length} {things}, expected at least {min}")),
        Some((_, Some(max))) if length > max => Err(format!("{length} {things}, expected at most {max}")),
        _ => Ok(()),
    }
}

#[diagnostic::do_not_recommend]
impl Argument for String {
    const SCHEMA: Node = Node::Object(&[Member::new("type", Node::Text("string"))]);
    const KIND: Kind = Kind::Text;

    fn check(&self, limits: &Limits) -> Result<(), String> {
        // JSON Schema counts characters, not bytes.
        check_length(self.chars().count(), "characters", limits)
    }
}

#[diagnostic::do_not_recommend]
impl Argument for bool {
    const SCHEMA: Node = Node::Object(&[Member::new("type", Node::Text("boolean"))]);
    const KIND: Kind = Kind::Bool;
}

#[diagnostic::do_not_recommend]
impl<T: Argument> Argument for Option<T> {
    const SCHEMA: Node = T::SCHEMA;
    const KIND: Kind = T::KIND;
    const ABOUT: Node = T::ABOUT;

    fn check(&self, limits: &Limits) -> Result<(), String> {
        self.as_ref().map_or(Ok(()), |value| value.check(limits))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Argument> Argument for Box<T> {
    const SCHEMA: Node = T::SCHEMA;
    const KIND: Kind = T::KIND;
    const ABOUT: Node = T::ABOUT;

    fn check(&self, limits: &Limits) -> Result<(), String> {
        T::check(self, limits)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Argument> Argument for Vec<T> {
    const SCHEMA: Node = Node::Object(&[
        Member::new("type", Node::Text("array")),
        Member::new("items", Node::Merge { own: &[Member { key: "description", value: T::ABOUT }], base: &T::SCHEMA }),
    ]);
    const KIND: Kind = Kind::List(&T::KIND);

    fn check(&self, limits: &Limits) -> Result<(), String> {
        check_length(self.len(), "items", limits)
    }
}

macro_rules! maps {
    ($($map:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: Argument> Argument for $map<String, T> {
            const SCHEMA: Node = Node::Object(&[
                Member::new("type", Node::Text("object")),
                Member::new(
                    "additionalProperties",
                    Node::Merge { own: &[Member { key: "description", value: T::ABOUT }], base: &T::SCHEMA },
                ),
            ]);
            const KIND: Kind = Kind::Map;

            fn check(&self, limits: &Limits) -> Result<(), String> {
                check_length(self.len(), "members", limits)
            }
        }
    )*};
}

maps!(BTreeMap, HashMap);

#[diagnostic::do_not_recommend]
impl Argument for serde_json::Value {
    const SCHEMA: Node = Node::Object(&[]);
    const KIND: Kind = Kind::Other;
}

#[diagnostic::do_not_recommend]
impl Argument for serde_json::Map<String, serde_json::Value> {
    const SCHEMA: Node = Node::Object(&[Member::new("type", Node::Text("object"))]);
    const KIND: Kind = Kind::Map;

    fn check(&self, limits: &Limits) -> Result<(), String> {
        check_length(self.len(), "members", limits)
    }
}

/// No arguments.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
#[doc(hidden)]
pub struct NoArgs {}

#[diagnostic::do_not_recommend]
impl Argument for NoArgs {
    const SCHEMA: Node = Node::Object(&[
        Member::new("type", Node::Text("object")),
        Member::new("properties", Node::Object(&[])),
        Member::new("required", Node::List(&[])),
        Member::new("additionalProperties", Node::Raw("false")),
    ]);
    const KIND: Kind = Kind::Other;
}

#[diagnostic::do_not_recommend]
impl ToolArgs for NoArgs {}

/// A default, whose JSON was held against the type when the author's crate was compiled.
#[doc(hidden)]
#[allow(clippy::panic, reason = "cannot happen after `verify`; a trap is the honest answer if it does")]
pub fn default<T: Argument>(json: &str) -> T {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("the default {json} does not fit its type: {error}"))
}
