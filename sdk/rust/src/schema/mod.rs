//! JSON Schemas as constants of types.

mod argument;
mod node;
mod output;
mod verify;

pub use argument::{Argument, ToolArgs};
pub use output::{OutputValue, ToolOutput};

#[doc(hidden)]
pub use argument::{NoArgs, checked, default};
#[doc(hidden)]
pub use node::{Member, Node, refuse_twins, render, stream, stream_len, text};
#[doc(hidden)]
pub use output::{NoOutputSchema, OutputSchema};
#[doc(hidden)]
pub use verify::{Kind, Limits, Literal, Number, length_keyword, verify, zero};
