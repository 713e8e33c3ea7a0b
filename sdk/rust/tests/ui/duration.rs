use hermes_tool::prelude::*;

#[derive(ToolArgs)]
struct Args {
    when: std::time::Duration,
}

/// Waits.
#[tool]
fn wait(args: Args) -> String {
    format!("{:?}", args.when)
}

fn main() {}
