//! How names and types are spelled.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{DeriveInput, GenericParam, Ident, Type};

/// `CamelCase` as `camel_case`, `HTTPServer` as `http_server`.
pub(crate) fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut previous = '_';
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        let word_begins = previous.is_lowercase() || previous.is_ascii_digit();
        let acronym_ends = previous.is_uppercase() && chars.peek().is_some_and(|next| next.is_lowercase());
        if char.is_uppercase() && (word_begins || acronym_ends) {
            snake.push('_');
        }
        previous = char;
        snake.extend(char.to_lowercase());
    }
    snake
}

pub(super) trait Unraw {
    /// The identifier without `r#`.
    fn unraw_text(&self) -> String;
}

impl Unraw for Ident {
    fn unraw_text(&self) -> String {
        syn::ext::IdentExt::unraw(self).to_string()
    }
}

/// Whether a type is spelled `Option<…>`, which is how serde decides it too.
pub(super) fn is_option(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Option"))
}

/// The type's generics, each parameter bounded by `value`.
pub(super) fn bounded(input: &DeriveInput, value: &TokenStream) -> syn::Generics {
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(syn::parse_quote!(#value));
        parameter.default = None;
    }
    generics
}

/// Those of `generics` that `ty` names: a function that returns `ty` can infer no others.
pub(super) fn named_in(ty: &Type, mut generics: syn::Generics) -> syn::Generics {
    fn names(tokens: TokenStream, wanted: &Ident) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => ident == *wanted,
            TokenTree::Group(group) => names(group.stream(), wanted),
            _ => false,
        })
    }
    let all = generics.params.len();
    let kept = generics.params.into_iter().filter(|parameter| match parameter {
        GenericParam::Type(parameter) => names(quote!(#ty), &parameter.ident),
        GenericParam::Const(parameter) => names(quote!(#ty), &parameter.ident),
        GenericParam::Lifetime(_) => false,
    });
    generics.params = kept.collect();
    if generics.params.len() < all {
        generics.where_clause = None;
    }
    generics
}
