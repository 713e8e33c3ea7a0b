//! Grants as one line of text: the `KIND=VALUE` of `--grant`.

use std::path::Path;
use std::str::FromStr;

use hermes_manifest::{
    Capabilities, EnvName, FsGrant, FsMode, GuestRoot, HttpPattern, LimitSet, SecretGrant, ToolName,
};

use crate::document::spelled;
use crate::nearest::nearest;

/// A text that is no grant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a grant: {reason}")]
pub struct FlagError {
    text: String,
    reason: String,
}

const KINDS: &str = "fs, http, env, secrets, tools, limits";

/// Reads one grant:
/// `fs=PATH[:ro|:rw]`, `http=https://host[:port] [METHODS]`, `env=NAME`, `secrets=NAME`, `tools=NAME` or `limits=NAME:VALUE`.
/// A relative path starts at `folder`.
///
/// # Errors
///
/// When the kind is unknown or the value does not fit it.
pub fn parse_grant(text: &str, folder: &Path) -> Result<Capabilities, FlagError> {
    let error = |reason: String| FlagError { text: text.to_owned(), reason };
    let (kind, value) =
        text.split_once('=').ok_or_else(|| error(format!("expected KIND=VALUE, with a kind of {KINDS}")))?;
    let mut grant = Capabilities::default();
    match kind {
        "fs" => grant.fs.push(parse_folder(value, folder).map_err(error)?),
        "http" => grant.http.push(HttpPattern::from_str(value).map_err(|cause| error(cause.to_string()))?),
        "env" => grant.env.push(EnvName::from_str(value).map_err(|cause| error(cause.to_string()))?),
        "secrets" => {
            let name = EnvName::from_str(value).map_err(|cause| error(cause.to_string()))?;
            grant.secrets.insert(name, SecretGrant { expose: true });
        }
        "tools" => {
            grant.tools.insert(ToolName::from_str(value).map_err(|cause| error(cause.to_string()))?);
        }
        "limits" => grant.limits = parse_limit(value).map_err(error)?,
        _ => {
            let near = nearest(kind, KINDS.split(", ")).map(|near| format!("; did you mean `{near}`?"));
            return Err(error(format!("unknown kind `{kind}`, expected one of {KINDS}{}", near.unwrap_or_default())));
        }
    }
    Ok(grant)
}

fn parse_folder(value: &str, folder: &Path) -> Result<FsGrant, String> {
    let (path, mode) = match value.rsplit_once(':') {
        Some((path, "ro")) => (path, FsMode::Read),
        Some((path, "rw")) => (path, FsMode::ReadWrite),
        _ => (value, FsMode::Read),
    };
    let path = if path == "${workspace}" {
        GuestRoot::Workspace
    } else if path.is_empty() {
        return Err("expected a folder, such as `fs=.`".to_owned());
    } else {
        let resolved = folder.join(path).canonicalize().map_err(|cause| format!("{path}: {cause}"))?;
        if !resolved.is_dir() {
            return Err(format!("{path} is not a folder"));
        }
        GuestRoot::host(resolved)?
    };
    Ok(FsGrant { path, mode, quota: None })
}

/// The limits' own grammar is that of TOML, so the flag is read as one line of it.
fn parse_limit(value: &str) -> Result<LimitSet, String> {
    let (name, limit) = value.split_once(':').ok_or("expected NAME:VALUE, such as `wall:60s`")?;
    let mut table = toml::Table::new();
    let limit = limit.trim();
    let written = limit.parse::<i64>().map_or_else(|_| toml::Value::String(limit.to_owned()), toml::Value::Integer);
    table.insert(name.trim().to_owned(), written);
    table.try_into::<LimitSet>().map_err(|cause| spelled(cause.message().trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_are_read_and_written_alike() {
        let here = std::env::temp_dir().canonicalize().unwrap();
        for (text, json) in [
            ("fs=${workspace}", r#"{"fs":[{"path":"${workspace}","mode":"ro"}]}"#.to_owned()),
            ("fs=${workspace}:rw", r#"{"fs":[{"path":"${workspace}","mode":"rw"}]}"#.to_owned()),
            ("fs=.", format!(r#"{{"fs":[{{"path":"{}","mode":"ro"}}]}}"#, here.display())),
            ("http=https://*.example.com:8443 GET,POST", r#"{"http":["https://*.example.com:8443 GET,POST"]}"#.into()),
            ("env=LANG", r#"{"env":["LANG"]}"#.into()),
            ("secrets=KEY", r#"{"secrets":{"KEY":{"expose":true}}}"#.into()),
            ("tools=lookup", r#"{"tools":["lookup"]}"#.into()),
            ("limits=wall:60s", r#"{"limits":{"wall":"1m"}}"#.into()),
            ("limits=memory:128 MiB", r#"{"limits":{"memory":"128 MiB"}}"#.into()),
            ("limits=handles:12", r#"{"limits":{"handles":12}}"#.into()),
        ] {
            let grant = parse_grant(text, &here).unwrap();
            assert_eq!(serde_json::to_string(&grant).unwrap(), json, "{text}");
        }
    }

    #[test]
    fn what_is_no_grant_says_what_was_expected() {
        for (text, expected) in [
            ("nothing", "expected KIND=VALUE, with a kind of fs, http, env, secrets, tools, limits"),
            ("disk=/tmp", "unknown kind `disk`, expected one of fs"),
            ("fs=/no/such/folder", "/no/such/folder: "),
            ("fs=", "expected a folder"),
            ("fs=:rw", "expected a folder"),
            ("fs=/", "cannot be granted"),
            ("fs=/proc/self", "cannot be granted"),
            ("http=example.com", "the scheme is missing"),
            ("http=https://a.b.c FETCH", "an unknown method"),
            ("env=1A", "`1A` is not a variable name"),
            ("tools=Read", "is not a name"),
            ("limits=wall", "expected NAME:VALUE"),
            ("limits=wall:soon", "`soon` is not a length of time"),
            ("limits=speed:1", "unknown field `speed`"),
        ] {
            let error = parse_grant(text, Path::new("/")).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
