use hermes_tool::prelude::*;

#[derive(ToolArgs)]
struct Args {
    #[serde(default)]
    count: u8,
}

fn main() {}
