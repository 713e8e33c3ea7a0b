use hermes_tool::prelude::*;

#[derive(ToolArgs)]
struct WithLifetime<'a> {
    city: &'a str,
}

#[derive(ToolArgs)]
struct Static {
    city: Option<&'static str>,
}

fn main() {}
