//! The powers that a tool asks for, in the grammar of grants.

use proc_macro2::TokenStream;
use syn::meta::ParseNestedMeta;
use syn::{LitStr, Result};

use crate::manifest::{flag, refuse_name, texts};
use crate::node;

/// What is asked for.
#[derive(Clone, Default)]
pub(crate) struct Capabilities {
    fs: Vec<(String, &'static str)>,
    http: Vec<String>,
    env: Vec<String>,
    secrets: Vec<(String, bool)>,
    tools: Vec<String>,
    limits: Vec<(String, TokenStream)>,
}

impl Capabilities {
    /// Reads `key`; false when there is no such capability.
    pub(crate) fn read(&mut self, key: &str, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        match key {
            "fs" => self.fs = texts(meta)?.iter().map(folder).collect::<Result<_>>()?,
            "http" => self.http = texts(meta)?.iter().map(destination).collect::<Result<_>>()?,
            "env" => self.env = texts(meta)?.iter().map(LitStr::value).collect(),
            "secrets" => meta.parse_nested_meta(|secret| {
                let name = secret.path.require_ident()?.to_string();
                let mut expose = false;
                if secret.input.peek(syn::token::Paren) {
                    secret.parse_nested_meta(|term| {
                        if !term.path.is_ident("expose") {
                            return Err(term.error("expected `expose`"));
                        }
                        expose = flag(&term)?;
                        Ok(())
                    })?;
                }
                self.secrets.push((name, expose));
                Ok(())
            })?,
            "tools" => self.tools = texts(meta)?.iter().map(other_tool).collect::<Result<_>>()?,
            "limits" => meta.parse_nested_meta(|limit| {
                let name = limit.path.require_ident()?.to_string();
                let value = limit.value()?;
                let value = if value.peek(LitStr) {
                    node::text(&value.parse::<LitStr>()?.value())
                } else {
                    node::raw(&value.parse::<syn::LitInt>()?.base10_parse::<u64>()?.to_string())
                };
                self.limits.push((name, value));
                Ok(())
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Adds what an entry of `requires_env` asks for by itself: a password is a secret, anything else a variable.
    pub(crate) fn imply(&mut self, name: &str, password: bool) {
        if password && !self.secrets.iter().any(|(secret, _)| secret == name) {
            self.secrets.push((name.to_owned(), false));
        } else if !password && !self.env.iter().any(|variable| variable == name) {
            self.env.push(name.to_owned());
        }
    }

    /// As a node; none when nothing is asked for.
    pub(crate) fn node(&self) -> Option<TokenStream> {
        let mut members = Vec::new();
        if !self.fs.is_empty() {
            let folder = |(path, mode): &(String, &str)| {
                node::object([node::member("path", node::text(path)), node::member("mode", node::text(mode))])
            };
            members.push(node::member("fs", node::list(self.fs.iter().map(folder))));
        }
        if !self.http.is_empty() {
            members.push(node::member("http", node::list(self.http.iter().map(|pattern| node::text(pattern)))));
        }
        if !self.env.is_empty() {
            members.push(node::member("env", node::list(self.env.iter().map(|name| node::text(name)))));
        }
        if !self.secrets.is_empty() {
            let terms = |expose: bool| node::object(expose.then(|| node::member("expose", node::raw("true"))));
            let secrets = self.secrets.iter().map(|(name, expose)| node::member(name, terms(*expose)));
            members.push(node::member("secrets", node::object(secrets)));
        }
        if !self.tools.is_empty() {
            members.push(node::member("tools", node::list(self.tools.iter().map(|name| node::text(name)))));
        }
        if !self.limits.is_empty() {
            let limits = self.limits.iter().map(|(name, value)| node::member(name, value.clone()));
            members.push(node::member("limits", node::object(limits)));
        }
        (!members.is_empty()).then(|| node::object(members))
    }
}

/// `"${workspace}"` or `"/path"`, followed by `ro` (the default) or `rw`.
fn folder(text: &LitStr) -> Result<(String, &'static str)> {
    let value = text.value();
    let (path, mode) = match value.rsplit_once(' ') {
        Some((path, "rw")) => (path, "rw"),
        Some((path, "ro")) => (path, "ro"),
        _ => (value.as_str(), "ro"),
    };
    let path = path.trim();
    if path == "${workspace}" || (path.starts_with('/') && !path.ends_with(' ')) {
        return Ok((path.to_owned(), mode));
    }
    Err(syn::Error::new(text.span(), "expected a folder and `ro` or `rw`, such as `\"${workspace} rw\"`"))
}

/// `"https://host[:port] [METHOD,…]"`; the host checks the rest.
fn destination(text: &LitStr) -> Result<String> {
    let value = text.value();
    if value.starts_with("https://") || value.starts_with("http://") {
        return Ok(value);
    }
    Err(syn::Error::new(text.span(), "expected a destination, such as `\"https://api.example.com GET,POST\"`"))
}

/// The name of a tool.
fn other_tool(text: &LitStr) -> Result<String> {
    let name = text.value();
    refuse_name(&name, text.span())?;
    Ok(name)
}

/// Keys of this module, for messages.
pub(crate) const KEYS: &str = "`fs`, `http`, `env`, `secrets`, `tools`, `limits`";
