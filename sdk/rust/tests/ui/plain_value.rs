use hermes_tool::prelude::*;

/// Greets.
#[tool]
fn greet(city: u8) -> String {
    city.to_string()
}

hermes_tool::export!(greet);

fn main() {}
