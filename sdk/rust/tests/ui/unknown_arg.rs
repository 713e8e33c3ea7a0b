use hermes_tool::prelude::*;

#[derive(ToolArgs)]
struct Args {
    #[arg(maxx = 3)]
    count: u8,
}

fn main() {}
