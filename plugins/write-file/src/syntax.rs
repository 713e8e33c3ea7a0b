//! The gate that keeps broken JSON, TOML and YAML from being written.

use std::path::{Component, Path};

use saphyr_parser::Parser;
use serde::de::IgnoredAny;

/// A format that is checked before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Json,
    Toml,
    Yaml,
}

impl Syntax {
    /// The format that a file's name promises, where it is checked.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "json" if !allows_comments(path) => Some(Self::Json),
            "toml" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }

    /// What is wrong with `content`, and where. It is without a byte order mark.
    pub(crate) fn check(self, content: &str) -> Result<(), String> {
        match self {
            Self::Json => serde_json::from_str::<IgnoredAny>(content).map(drop).map_err(|error| error.to_string()),
            Self::Toml => toml::from_str::<toml::Table>(content).map(drop).map_err(|error| error.to_string()),
            // The braces of a template are read as a flow mapping: what it is can only be known once it is filled in.
            Self::Yaml if content.contains("{{") || content.contains("{%") => Ok(()),
            Self::Yaml => {
                Parser::new_from_str(content).try_for_each(|event| event.map(drop)).map_err(|error| error.to_string())
            }
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Toml => "TOML",
            Self::Yaml => "YAML",
        }
    }
}

/// Files that end in `.json` and whose programs read comments and trailing commas.
fn allows_comments(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("tsconfig")
        || name.starts_with("jsconfig")
        || matches!(name, "devcontainer.json" | ".eslintrc.json" | ".swcrc.json" | "api-extractor.json")
        || path.components().any(|part| part == Component::Normal(".vscode".as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_promises_the_format() {
        for (path, expected) in [
            ("a.json", Some(Syntax::Json)),
            ("A.JSON", Some(Syntax::Json)),
            ("pyproject.toml", Some(Syntax::Toml)),
            ("a/b.yaml", Some(Syntax::Yaml)),
            ("b.yml", Some(Syntax::Yaml)),
            ("tsconfig.base.json", None),
            (".vscode/settings.json", None),
            (".devcontainer/devcontainer.json", None),
            ("a.jsonc", None),
            ("json", None),
            (".json", None),
            ("a.py", None),
        ] {
            assert_eq!(Syntax::of(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn sound_content_passes() {
        for (syntax, content) in [
            (Syntax::Json, "{\"a\": [1, 2]}\n".to_owned()),
            (Syntax::Json, "null".into()),
            (Syntax::Json, format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))),
            (Syntax::Toml, String::new()),
            (Syntax::Toml, "[a]\nb = 1\n".into()),
            (Syntax::Yaml, String::new()),
            (Syntax::Yaml, "a: &x 1\nb: *x\nc: !Ref d\n---\n- second\n".into()),
            (Syntax::Yaml, "name: {{ .Values.name }}\n{{- if .x }}\n".into()),
            (Syntax::Yaml, format!("a: &a [{}]\nb: [*a, *a]\n", "x, ".repeat(1_000))),
        ] {
            assert_eq!(syntax.check(&content), Ok(()), "{}", content.get(..40).unwrap_or(&content));
        }
    }

    #[test]
    fn broken_content_is_told_with_its_place() {
        for (syntax, content, place) in [
            (Syntax::Json, "{\"a\": 1,}", "line 1 column 9"),
            (Syntax::Json, "{\"a\": 1}\nmore", "line 2 column 1"),
            (Syntax::Json, "", "line 1 column 0"),
            (Syntax::Toml, "a = 1\na = 2\n", "line 2"),
            (Syntax::Toml, "a = \n", "line 1"),
            (Syntax::Yaml, "a: [1, 2\nb: 3\n", "line 2"),
            (Syntax::Yaml, "a: 1\n\tb: 2\n", "line 1"),
            (Syntax::Yaml, "a: *unknown\n", "line 1"),
        ] {
            let said = syntax.check(content).unwrap_err();
            assert!(said.contains(place), "{content:?}: {said}");
        }
    }
}
