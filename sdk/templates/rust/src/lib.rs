//! The tool `{{tool}}`.

use hermes_tool::prelude::*;

/// Arguments of `{{tool}}`.
#[derive(ToolArgs)]
struct Args {
    /// Whom to greet
    #[arg(length = 1..=100, examples = ["Ada"])]
    name: String,
    /// How often
    #[arg(default = 1, min = 1, max = 10)]
    times: u8,
}

/// Greet someone.
#[tool(emoji = "👋", read_only)]
fn {{tool}}(args: Args) -> Result<String> {
    let greeting = format!("Hello, {}!", args.name.trim());
    Ok(vec![greeting; usize::from(args.times)].join(" "))
}

hermes_tool::export!({{tool}});

#[cfg(test)]
mod tests {
    use hermes_tool::testing;
    use serde_json::json;

    use super::*;

    #[test]
    fn greets_as_often_as_asked() {
        let outcome = testing::call::<{{tool}}>(json!({ "name": "Ada", "times": 2 })).unwrap();
        assert_eq!(outcome.text(), "Hello, Ada! Hello, Ada!");
    }

    #[test]
    fn refuses_wrong_arguments() {
        let error = testing::call::<{{tool}}>(json!({ "name": "Ada", "times": 11 })).unwrap_err();
        assert_eq!(error, Error::invalid("/times", "11 is greater than 10"));
    }
}
