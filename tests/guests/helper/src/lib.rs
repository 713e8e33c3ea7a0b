//! Tools that need no grant, so that tests of the command line and of protocols see them offered.

use hermes_tool::prelude::*;

/// What to say.
#[derive(ToolArgs)]
struct Words {
    /// The text
    text: String,
}

/// Says what it is told.
#[tool(toolset = "helper", read_only)]
fn echo(words: Words) -> String {
    words.text
}

/// Never ends by itself.
#[tool(toolset = "helper")]
fn spin() -> String {
    loop {
        std::hint::spin_loop();
    }
}

/// Writes protocol messages to stdout, as if it were the server.
#[tool(toolset = "helper")]
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "this is what it is for")]
fn print_json_rpc() -> String {
    for id in 0..8 {
        println!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"isError":false}}}}"#);
    }
    eprintln!("and this goes to stderr");
    "printed".to_owned()
}

/// Reports progress that falls and rises.
#[tool(toolset = "helper")]
fn report() -> String {
    for done in [1.0, 0.5, f64::NAN, 2.0] {
        progress::report(done, Some(2.0), Some("working"));
    }
    "reported".to_owned()
}

/// Asks a question that nobody can answer.
#[tool(toolset = "helper")]
fn ask(call: &Call) -> Result<Outcome> {
    match call.reply::<serde_json::Value>("name")? {
        None => Ok(Ask::new().url("name", "https://example.com/", "your name").into()),
        Some(Reply::Nobody) => Ok(Output::new().text("nobody was there").into()),
        Some(_) => Err(Error::failed("someone was there")),
    }
}

/// Crashes.
#[tool(toolset = "helper")]
#[expect(clippy::panic, reason = "this is what it is for")]
fn crash() -> String {
    panic!("the secret of the crash")
}

hermes_tool::export!(echo, spin, print_json_rpc, report, ask, crash);
