use hermes_tool::prelude::*;

/// Greets.
#[tool]
fn greet(city: String) -> String {
    city
}

hermes_tool::export!(greet);

fn main() {}
