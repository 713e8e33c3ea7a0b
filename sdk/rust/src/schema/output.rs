//! Types that structured results have.

use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;

use serde::Serialize;

use super::{Argument, Member, Node};

/// A type that a field of a structured result can have: those of [`Argument`], and structs and enums that derive
/// [`ToolOutput`](macro@crate::ToolOutput).
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be part of a tool's structured result",
    label = "this type has no JSON Schema",
    note = "use String, an integer, a float, bool, Option, Vec, a map with String keys, serde_json::Value, or a type with `#[derive(ToolOutput)]`"
)]
pub trait OutputValue: Serialize {
    #[doc(hidden)]
    const SCHEMA: Node;
    /// The type's own description, for places that have none.
    #[doc(hidden)]
    const ABOUT: Node = Node::Absent;
}

/// A structured result with an `output_schema`: a struct that derives [`ToolOutput`](macro@crate::ToolOutput).
pub trait ToolOutput: OutputValue {}

macro_rules! same_as_argument {
    ($($plain:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl OutputValue for $plain {
            const SCHEMA: Node = <$plain as Argument>::SCHEMA;
        }
    )*};
}

same_as_argument!(String, bool, f32, f64, serde_json::Value, serde_json::Map<String, serde_json::Value>);

macro_rules! integers {
    ($($integer:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl OutputValue for $integer {
            const SCHEMA: Node = Node::Object(&[Member::new("type", Node::Text("integer"))]);
        }
    )*};
}

integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

#[diagnostic::do_not_recommend]
impl<T: OutputValue> OutputValue for Option<T> {
    const SCHEMA: Node = T::SCHEMA;
    const ABOUT: Node = T::ABOUT;
}

#[diagnostic::do_not_recommend]
impl<T: OutputValue> OutputValue for Box<T> {
    const SCHEMA: Node = T::SCHEMA;
    const ABOUT: Node = T::ABOUT;
}

#[diagnostic::do_not_recommend]
impl<T: OutputValue> OutputValue for Vec<T> {
    const SCHEMA: Node = Node::Object(&[
        Member::new("type", Node::Text("array")),
        Member::new("items", Node::Merge { own: &[Member { key: "description", value: T::ABOUT }], base: &T::SCHEMA }),
    ]);
}

macro_rules! maps {
    ($($map:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: OutputValue> OutputValue for $map<String, T> {
            const SCHEMA: Node = Node::Object(&[
                Member::new("type", Node::Text("object")),
                Member::new(
                    "additionalProperties",
                    Node::Merge { own: &[Member { key: "description", value: T::ABOUT }], base: &T::SCHEMA },
                ),
            ]);
        }
    )*};
}

maps!(BTreeMap, HashMap);

/// The output schema of `Json<T>`: that of a [`ToolOutput`], else none. An inherent constant wins over a trait's, which
/// makes the choice without specialisation.
#[doc(hidden)]
pub struct OutputSchema<T>(PhantomData<T>);

impl<T: ToolOutput> OutputSchema<T> {
    /// The schema.
    pub const SCHEMA: Node = T::SCHEMA;
}

/// What [`OutputSchema`] falls back to.
#[doc(hidden)]
pub trait NoOutputSchema {
    /// No schema.
    const SCHEMA: Node = Node::Absent;
}

impl<T> NoOutputSchema for OutputSchema<T> {}
