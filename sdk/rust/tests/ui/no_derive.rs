use hermes_tool::prelude::*;

struct Args {
    city: String,
}

/// Greets.
#[tool]
fn greet(args: Args) -> String {
    args.city
}

hermes_tool::export!(greet);

fn main() {}
