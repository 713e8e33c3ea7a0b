use hermes_tool::prelude::*;

/// One.
#[tool(name = "same")]
fn one() -> String {
    String::new()
}

/// Two.
#[tool(name = "same")]
fn two() -> String {
    String::new()
}

hermes_tool::export!(one, two);

fn main() {}
