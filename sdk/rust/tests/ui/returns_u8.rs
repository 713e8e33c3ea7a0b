use hermes_tool::prelude::*;

/// Counts.
#[tool]
fn count() -> u8 {
    3
}

hermes_tool::export!(count);

fn main() {}
