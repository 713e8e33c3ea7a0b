use hermes_tool::prelude::*;

#[derive(ToolArgs)]
struct TooGreat {
    #[arg(max = 300)]
    count: u8,
}

#[derive(ToolArgs)]
struct NoNumber {
    #[arg(min = 1)]
    city: String,
}

fn main() {}
