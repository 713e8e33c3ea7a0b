use hermes_tool::prelude::*;

/// Greets.
#[tool(readonly)]
fn greet() -> String {
    String::new()
}

/// Writes.
#[tool(fs = ["workspace rw"])]
fn write() -> String {
    String::new()
}

/// Reads.
#[tool(tools = ["read_file", "Read-File"])]
fn read() -> String {
    String::new()
}

#[tool]
fn silent() -> String {
    String::new()
}

/// Has no proper name.
#[tool]
fn Loud() -> String {
    String::new()
}

fn main() {}
