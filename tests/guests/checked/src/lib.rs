//! A tool with a check of its own, whose verdict a granted variable says.

use hermes_tool::prelude::*;

/// Says that it ran.
#[tool(toolset = "checked", read_only, env = ["CHECKED"], check = verdict)]
fn checked() -> &'static str {
    "ran"
}

/// `ok`, `spin`, `panic`, or why the tool may not be offered.
#[expect(clippy::disallowed_methods, reason = "a guest's environment is the granted one")]
#[expect(clippy::panic, clippy::panic_in_result_fn, reason = "this is what it is for")]
fn verdict() -> Result<(), String> {
    match std::env::var("CHECKED").as_deref() {
        Ok("ok") => Ok(()),
        Ok("panic") => panic!("the secret of the check"),
        Ok("spin") => loop {
            std::hint::spin_loop();
        },
        Ok(reason) => Err(reason.to_owned()),
        Err(_) => Err("CHECKED is not set".to_owned()),
    }
}

hermes_tool::export!(checked);
