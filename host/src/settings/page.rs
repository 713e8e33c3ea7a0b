//! The reference page of the configuration, from the table of keys.

use super::keys::{Key, Section, sections};

const INTRODUCTION: &str = "\
<!-- Made by `hermes-host config reference`; change the table in host/src/settings/keys.rs instead. -->

# Configuration

Nothing has to be configured. Each key is taken from the first of these that sets it:

1. its flag, such as `--workspace DIR`;
2. its environment variable, `HERMES_` and the key in capitals: `HERMES_EGRESS_PROXY` sets `egress.proxy`. An empty one counts as unset;
3. the configuration file: the one of `--config FILE`, or of the variable `HERMES_CONFIG`, or `config.toml` in `$HERMES_HOME`;
4. the default.

A source that sets a key replaces the ones below it whole; lists are not added up. `hermes-host config show --origin` prints which
value holds and where it comes from. An unknown key or a value that cannot be used is an error, and the host does not start.
`hermes-host config check` opens what a start opens: it ends with the error that a start would end with, or lists as warnings what the
host does without. It claims no names of tools: a start does.

A host that serves takes in what changes in the file, all of it or, where something in it cannot be used, nothing. Calls that run keep
what held when they began. Keys that say \"at the start\" below need another start; the host names those that changed.

```toml
[workspace]
path = \"projects/site\"

[egress]
allow_private = [\"127.0.0.1\", \"10.0.0.0/8\"]

[limits]
wall = \"2m\"
memory = \"256 MiB\"
```

Relative paths start at the folder of the configuration file, or at the current folder when a flag or a variable gives them. In a
variable, paths of a list are separated as in `PATH`, everything else by commas. Lengths of time are whole numbers with `ms`, `s` or
`m`; sizes are whole numbers of bytes, or have `KiB`, `MiB` or `GiB`.
";

const FILES: &str = "
## `$HERMES_HOME`

The host's own folder, `~/.hermes-host` unless the variable `HERMES_HOME` names another. No grant lets a tool reach it.

| file | what |
|---|---|
| `config.toml` | this configuration |
| `plugins/` | components |
| `toolsets/` | toolsets, one file each; one that is called like a built-in toolset replaces it |
| `secrets` | values that tools need |
| `cache/`, `cache.key` | compiled components, and the key that authenticates them |

## `$HERMES_HOME/secrets`

Keys, tokens and other values that tools name in `requires_env`: `NAME = \"value\"` lines in TOML. `hermes-host setup` asks for what is
missing, and `hermes-host secret set|list|delete` changes single values; both replace the file in one step and keep no comments.
`secret set` reads the value from a pipe, less one line break at its end, or asks for it on a terminal; a value of several lines
needs a pipe. A variable of the same name in the host's environment comes before the file.

Only its owner may read the file (mode 0600); any other mode or owner is refused. A tool gets a value only where a toolset or
`--grant` gives it. A host that runs sees a new value with its next call, whether it is granted as a secret or as an
environment variable.
";

/// The whole page, as Markdown.
pub(crate) fn reference() -> String {
    let mut page = INTRODUCTION.to_owned();
    for section in sections() {
        page.push_str(&describe(&section));
    }
    page.push_str(FILES);
    page
}

fn describe(section: &Section) -> String {
    let mut text = format!("\n## `[{}]`\n\n{}\n\n", section.name, prose(section.about));
    // Keys that need a line each fit a table; others get a heading.
    if section.keys.iter().all(|key| key.about.len() == 1 && key.flag.is_none() && key.default == "none") {
        text.push_str("| key | what it limits | value | set by |\n|---|---|---|---|\n");
        for key in &section.keys {
            let about = prose(key.about);
            text.push_str(&format!("| `{}` | {about} | {} | {} |\n", key.dotted(), key.form, sources(key)));
        }
        return text;
    }
    for key in &section.keys {
        text.push_str(&format!("### `{}`\n\n{}\n\n", key.dotted(), prose(key.about)));
        text.push_str(&format!("- value: {}\n- default: {}\n- set by: {}\n", key.form, default(key), sources(key)));
        text.push_str(if key.at_start { "- taken in: at the start\n\n" } else { "\n" });
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn default(key: &Key) -> String {
    let fallback = key.fallback.map(|name| format!("the variable `{name}`, else ")).unwrap_or_default();
    format!("{fallback}{}", key.default)
}

fn sources(key: &Key) -> String {
    let flag = key.flag.map(|flag| format!("`{}`, ", flag.name)).unwrap_or_default();
    format!("{flag}`{}`", key.variable())
}

/// The lines of a doc comment as one paragraph.
fn prose(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}
