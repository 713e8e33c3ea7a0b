//! Tools that give their arguments back, so that tests see what reached them.

use hermes_tool::prelude::*;
use hermes_tool::serde_json::Value;

/// One argument of each type.
#[derive(ToolArgs, ToolOutput)]
struct Typed {
    /// A text
    name: String,
    /// A number
    #[arg(min = -5, max = 100)]
    count: i64,
    /// A switch
    #[arg(default = true)]
    flag: bool,
    /// Some colours
    #[arg(default = ["red"], length = ..=3)]
    colours: Vec<Colour>,
    /// A place
    place: Option<Place>,
}

/// A colour
#[derive(ToolArgs, ToolOutput)]
enum Colour {
    Red,
    Green,
    Blue,
}

/// A place
#[derive(ToolArgs, ToolOutput)]
struct Place {
    city: String,
    floor: Option<i32>,
    #[arg(default)]
    ratio: f64,
}

/// Gives its arguments back, checked.
#[tool(toolset = "typed", read_only)]
fn typed(typed: Typed) -> Json<Typed> {
    Json(typed)
}

/// What a hook has to do, and what of it was done.
#[derive(ToolArgs, ToolOutput)]
struct Planned {
    /// A text
    #[arg(default = "")]
    text: String,
    /// Fails with this text
    fail: Option<String>,
    /// Crashes with this text
    crash: Option<String>,
    /// Steps of hooks before the call
    #[arg(default)]
    plan: Vec<Value>,
    /// Steps of hooks after the call
    #[arg(default)]
    after: Vec<Value>,
    /// The hooks that rewrote the arguments
    #[arg(default)]
    did: Vec<String>,
}

/// Gives its arguments back, which the test's hook reads as a plan.
#[tool(toolset = "typed", read_only)]
#[expect(clippy::panic, clippy::panic_in_result_fn, reason = "this is what it is for")]
fn planned(planned: Planned) -> Result<Json<Planned>> {
    if let Some(text) = planned.crash {
        panic!("{text}");
    }
    match planned.fail {
        Some(text) => Err(Error::failed(text)),
        None => Ok(Json(planned)),
    }
}

hermes_tool::export!(typed, planned);
