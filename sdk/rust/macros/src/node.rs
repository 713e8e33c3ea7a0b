//! Tokens of the SDK's constant JSON tree.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, Lit, Meta};

/// A string.
pub(crate) fn text(value: &str) -> TokenStream {
    quote!(::hermes_tool::__private::Node::Text(#value))
}

/// JSON, verbatim.
pub(crate) fn raw(json: &str) -> TokenStream {
    quote!(::hermes_tool::__private::Node::Raw(#json))
}

/// An array.
pub(crate) fn list(items: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    let items = items.into_iter();
    quote!(::hermes_tool::__private::Node::List(&[#(#items),*]))
}

/// An object.
pub(crate) fn object(members: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    let members = members.into_iter();
    quote!(::hermes_tool::__private::Node::Object(&[#(#members),*]))
}

/// A member of an object.
pub(crate) fn member(key: &str, value: TokenStream) -> TokenStream {
    quote!(::hermes_tool::__private::Member { key: #key, value: #value })
}

/// The doc comment as one expression of type `&str`; none without one.
pub(crate) fn docs(attributes: &[Attribute]) -> Option<TokenStream> {
    let lines = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let values: Vec<&Expr> = lines
        .filter_map(|line| match &line.meta {
            Meta::NameValue(pair) => Some(&pair.value),
            _ => None,
        })
        .collect();
    let literal = |value: &&Expr| match value {
        Expr::Lit(expression) => match &expression.lit {
            Lit::Str(line) => Some(line.value()),
            _ => None,
        },
        _ => None,
    };
    if let Some(lines) = values.iter().map(literal).collect::<Option<Vec<_>>>() {
        let text = lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end()).collect::<Vec<_>>();
        let text = text.join("\n").trim().to_owned();
        return (!text.is_empty()).then(|| quote!(#text));
    }
    // A line such as `#[doc = include_str!("tool.md")]`: only the compiler knows its text.
    Some(quote!(::core::concat!(#(#values),*)))
}

/// [`docs`] as a node, or one that is left out.
pub(crate) fn docs_node(attributes: &[Attribute]) -> TokenStream {
    match docs(attributes) {
        Some(text) => quote!(::hermes_tool::__private::Node::Text(#text)),
        None => quote!(::hermes_tool::__private::Node::Absent),
    }
}
