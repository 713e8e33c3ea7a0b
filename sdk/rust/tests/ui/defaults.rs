use hermes_tool::prelude::*;

#[derive(ToolArgs)]
struct Args {
    #[arg(default = "kelvin")]
    units: Units,
}

#[derive(ToolArgs)]
enum Units {
    Metric,
}

fn main() {}
