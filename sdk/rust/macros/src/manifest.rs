//! What `#[tool(…)]` and `#[hook(…)]` say, as members of the manifest.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned as _;
use syn::{Expr, Ident, LitInt, LitStr, Path, Result, Token, bracketed, parenthesized};

use crate::capabilities::Capabilities;
use crate::json::Json;
use crate::node;

/// The attribute's content.
#[derive(Default)]
pub(crate) struct Manifest {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<Expr>,
    pub(crate) check: Option<Path>,
    version: Option<LitStr>,
    /// Members whose values are written as they are.
    plain: Vec<(&'static str, TokenStream)>,
    annotations: Vec<(&'static str, bool)>,
    requires_env: Vec<EnvVar>,
    capabilities: Capabilities,
}

/// One entry of `requires_env`.
struct EnvVar {
    name: Ident,
    texts: Vec<(String, LitStr)>,
    password: bool,
}

const RESERVED: [&str; 3] = ["tool_search", "tool_describe", "tool_call"];

impl Manifest {
    /// Reads one key of `#[tool(…)]`; false when there is no such key.
    pub(crate) fn read(&mut self, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match key.as_str() {
            "name" => self.name = Some(checked_name(meta.value()?.parse()?)?),
            "version" => self.version = Some(meta.value()?.parse()?),
            "description" => self.description = Some(meta.value()?.parse()?),
            "toolset" => self.plain("toolset", toolset(meta.value()?.parse()?)?),
            "title" => self.text("title", meta)?,
            "emoji" => self.text("emoji", meta)?,
            "license" => self.text("license", meta)?,
            "homepage" => self.text("homepage", meta)?,
            "requires_host" => self.text("requires_host", meta)?,
            "authors" => self.texts("authors", meta)?,
            "requires_client" => self.texts("requires_client", meta)?,
            "icons" => {
                let icons = texts(meta)?.into_iter();
                let icons = icons.map(|icon| node::object([node::member("src", node::text(&icon.value()))]));
                self.plain("icons", node::list(icons));
            }
            "read_only" => self.annotate("read_only", meta)?,
            "destructive" => self.annotate("destructive", meta)?,
            "idempotent" => self.annotate("idempotent", meta)?,
            "open_world" => self.annotate("open_world", meta)?,
            "pages_results" => {
                let value = flag(meta)?;
                self.plain("pages_results", node::raw(&value.to_string()));
            }
            "requires_env" => self.requires_env = env_vars(meta)?,
            "check" => self.check = Some(meta.value()?.parse()?),
            "parallel" => {
                let value = parallel(meta)?;
                self.plain("parallel", value);
            }
            "max_result_size_chars" => {
                let value = size(meta)?;
                self.plain("max_result_size_chars", node::raw(&value));
            }
            "examples" => {
                let examples: Json = meta.value()?.parse()?;
                let wrong = || meta.error("expected a list of arguments, such as `examples = [{\"city\": \"Rome\"}]`");
                let Json::List(items) = &examples else { return Err(wrong()) };
                if !items.iter().all(|item| matches!(item, Json::Object(_))) {
                    return Err(wrong());
                }
                let items = items.iter().map(|item| node::object([node::member("args", node::raw(&item.text()))]));
                self.plain("examples", node::list(items));
            }
            _ => return self.capabilities.read(&key, meta),
        }
        Ok(true)
    }

    /// All members that come from the attribute, but for name and description.
    pub(crate) fn members(&self) -> Vec<TokenStream> {
        let version = match &self.version {
            Some(version) => quote!(#version),
            None => quote!(::core::env!("CARGO_PKG_VERSION")),
        };
        let mut members = vec![node::member("version", quote!(::hermes_tool::__private::Node::Text(#version)))];
        members.extend(self.plain.iter().map(|(key, value)| node::member(key, value.clone())));
        if !self.annotations.is_empty() {
            let annotations =
                self.annotations.iter().map(|(key, value)| node::member(key, node::raw(&value.to_string())));
            members.push(node::member("annotations", node::object(annotations)));
        }
        if !self.requires_env.is_empty() {
            members.push(node::member("requires_env", node::list(self.requires_env.iter().map(EnvVar::node))));
        }
        let mut capabilities = self.capabilities.clone();
        for variable in &self.requires_env {
            capabilities.imply(&variable.name.to_string(), variable.password);
        }
        members.extend(capabilities.node().map(|node| node::member("capabilities", node)));
        members
    }

    /// Adds a member.
    pub(crate) fn plain(&mut self, key: &'static str, value: TokenStream) {
        self.plain.push((key, value));
    }

    fn text(&mut self, key: &'static str, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let value: Expr = meta.value()?.parse()?;
        self.plain(key, quote!(::hermes_tool::__private::Node::Text(#value)));
        Ok(())
    }

    fn texts(&mut self, key: &'static str, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let values = texts(meta)?;
        self.plain(key, node::list(values.iter().map(|value| node::text(&value.value()))));
        Ok(())
    }

    fn annotate(&mut self, key: &'static str, meta: &ParseNestedMeta<'_>) -> Result<()> {
        self.annotations.push((key, flag(meta)?));
        Ok(())
    }
}

impl EnvVar {
    fn node(&self) -> TokenStream {
        let mut members = vec![node::member("name", node::text(&self.name.to_string()))];
        members.extend(self.texts.iter().map(|(key, value)| node::member(key, node::text(&value.value()))));
        if self.password {
            members.push(node::member("password", node::raw("true")));
        }
        node::object(members)
    }
}

/// `name(key = "…", flag)`, several of them.
fn env_vars(meta: &ParseNestedMeta<'_>) -> Result<Vec<EnvVar>> {
    let mut variables = Vec::new();
    meta.parse_nested_meta(|variable| {
        let name = variable.path.require_ident()?.clone();
        let mut entry = EnvVar { name, texts: Vec::new(), password: false };
        if variable.input.peek(syn::token::Paren) {
            variable.parse_nested_meta(|property| {
                let key = property.path.get_ident().map(ToString::to_string).unwrap_or_default();
                match key.as_str() {
                    "password" => entry.password = flag(&property)?,
                    "description" | "prompt" | "url" => entry.texts.push((key, property.value()?.parse()?)),
                    _ => return Err(property.error("expected `description`, `prompt`, `url` or `password`")),
                }
                Ok(())
            })?;
        }
        variables.push(entry);
        Ok(())
    })?;
    Ok(variables)
}

/// `key` or `key = true`.
pub(crate) fn flag(meta: &ParseNestedMeta<'_>) -> Result<bool> {
    if meta.input.peek(Token![=]) { Ok(meta.value()?.parse::<syn::LitBool>()?.value) } else { Ok(true) }
}

/// `key = ["…", "…"]`.
pub(crate) fn texts(meta: &ParseNestedMeta<'_>) -> Result<Vec<LitStr>> {
    let content;
    let value = meta.value()?;
    bracketed!(content in value);
    let items = content.parse_terminated(<LitStr as syn::parse::Parse>::parse, Token![,])?;
    Ok(items.into_iter().collect())
}

/// `parallel = always`, `parallel = never` or `parallel(by = ["path"])`.
fn parallel(meta: &ParseNestedMeta<'_>) -> Result<TokenStream> {
    const EXPECTED: &str = "expected `parallel = always`, `parallel = never` or `parallel(by = [\"path\"])`";
    if meta.input.peek(Token![=]) {
        let word = meta.value()?.call(Ident::parse_any)?;
        return match word.to_string().as_str() {
            mode @ ("always" | "never") => Ok(node::text(mode)),
            _ => Err(syn::Error::new(word.span(), EXPECTED)),
        };
    }
    let content;
    parenthesized!(content in meta.input);
    let word: Ident = content.parse()?;
    if word != "by" {
        return Err(syn::Error::new(word.span(), EXPECTED));
    }
    content.parse::<Token![=]>()?;
    let list;
    bracketed!(list in content);
    let names = list.parse_terminated(<LitStr as syn::parse::Parse>::parse, Token![,])?;
    let names = node::list(names.iter().map(|name| node::text(&name.value())));
    Ok(node::object([node::member("by", names)]))
}

/// `max_result_size_chars = 100_000` or `= unlimited`.
fn size(meta: &ParseNestedMeta<'_>) -> Result<String> {
    let value = meta.value()?;
    if value.peek(LitInt) {
        return Ok(value.parse::<LitInt>()?.base10_parse::<u64>()?.to_string());
    }
    let word: Ident = value.parse()?;
    if word == "unlimited" {
        return Ok("null".to_owned());
    }
    Err(syn::Error::new(word.span(), "expected a number of characters or `unlimited`"))
}

/// A name that the manifest allows.
fn checked_name(name: LitStr) -> Result<LitStr> {
    refuse_name(&name.value(), name.span())?;
    Ok(name)
}

/// Refuses names that the manifest does not allow.
pub(crate) fn refuse_name(name: &str, span: Span) -> Result<()> {
    if RESERVED.contains(&name) {
        return Err(syn::Error::new(span, format!("`{name}` is a name that the host keeps for itself")));
    }
    if is_name(name) && name.len() <= 48 {
        return Ok(());
    }
    Err(syn::Error::new(
        span,
        format!(
            "`{name}` is no name of a tool: expected a lower-case letter, then lower-case letters, digits or `_`, at most 48"
        ),
    ))
}

fn toolset(name: LitStr) -> Result<TokenStream> {
    if is_name(&name.value()) {
        return Ok(node::text(&name.value()));
    }
    Err(syn::Error::new(name.span(), "expected a lower-case letter, then lower-case letters, digits or `_`"))
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
}

/// What an unknown key is answered with.
pub(crate) fn unknown(meta: &ParseNestedMeta<'_>, keys: &str) -> syn::Error {
    syn::Error::new(meta.path.span(), format!("unknown attribute: expected {keys}"))
}
