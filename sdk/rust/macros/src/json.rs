//! JSON as authors write it in attributes: `"text"`, `-3`, `[1, 2]`, `{"city": "Rome"}`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, Lit, LitStr, Result, Token, braced, bracketed};

/// A JSON value.
pub(crate) enum Json {
    Null,
    Bool(bool),
    Text(String),
    Number(Number),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// A number and where it stands.
pub(crate) struct Number {
    text: String,
    whole: Option<i128>,
    float: f64,
    pub(crate) span: Span,
}

impl Parse for Number {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let minus = input.parse::<Option<Token![-]>>()?;
        let literal: Lit = input.parse()?;
        let span = literal.span();
        let digits = match &literal {
            Lit::Int(number) => number.base10_digits().to_owned(),
            Lit::Float(number) => number.base10_digits().to_owned(),
            _ => return Err(syn::Error::new(span, "expected a number")),
        };
        let text = if minus.is_some() { format!("-{digits}") } else { digits };
        let float = text.parse().map_err(|_| syn::Error::new(span, "expected a number"))?;
        Ok(Self { whole: text.parse().ok(), text, float, span })
    }
}

impl Number {
    /// As JSON text. Rust's `1.` is no JSON.
    pub(crate) fn text(&self) -> String {
        if self.text.ends_with('.') { format!("{}0", self.text) } else { self.text.clone() }
    }

    /// As the SDK's constant.
    pub(crate) fn tokens(&self) -> TokenStream {
        let whole = match self.whole {
            Some(whole) => quote!(::core::option::Option::Some(#whole)),
            None => quote!(::core::option::Option::None),
        };
        let float = self.float;
        quote!(::hermes_tool::__private::Number { whole: #whole, float: #float })
    }
}

impl Parse for Json {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(syn::token::Bracket) {
            let content;
            bracketed!(content in input);
            let items = Punctuated::<Self, Token![,]>::parse_terminated(&content)?;
            return Ok(Self::List(items.into_iter().collect()));
        }
        if input.peek(syn::token::Brace) {
            let content;
            braced!(content in input);
            let members = content.call(Punctuated::<Pair, Token![,]>::parse_terminated)?;
            return Ok(Self::Object(members.into_iter().map(|Pair(key, value)| (key, value)).collect()));
        }
        if input.peek(LitStr) {
            return Ok(Self::Text(input.parse::<LitStr>()?.value()));
        }
        if input.peek(syn::LitBool) {
            return Ok(Self::Bool(input.parse::<syn::LitBool>()?.value));
        }
        if input.peek(Ident::peek_any) {
            let word = input.call(Ident::parse_any)?;
            if word == "null" {
                return Ok(Self::Null);
            }
            return Err(syn::Error::new(
                word.span(),
                "expected JSON: a string, a number, true, false, null, […] or {…}",
            ));
        }
        Ok(Self::Number(input.parse()?))
    }
}

struct Pair(String, Json);

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let key = input.parse::<LitStr>()?.value();
        input.parse::<Token![:]>()?;
        Ok(Self(key, input.parse()?))
    }
}

impl Json {
    /// As JSON text.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Text(text) => quoted(text),
            Self::Number(number) => number.text(),
            Self::List(items) => format!("[{}]", items.iter().map(Self::text).collect::<Vec<_>>().join(",")),
            Self::Object(members) => {
                let member = |(key, value): &(String, Self)| format!("{}:{}", quoted(key), value.text());
                format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
            }
        }
    }

    /// As the constant by which the SDK checks a default; none for what it cannot check.
    pub(crate) fn literal(&self) -> Option<TokenStream> {
        Some(match self {
            Self::Null => return None,
            Self::Object(members) if !members.is_empty() => return None,
            Self::Bool(_) => quote!(::hermes_tool::__private::Literal::Bool),
            Self::Text(text) => quote!(::hermes_tool::__private::Literal::Text(#text)),
            Self::Number(number) => {
                let number = number.tokens();
                quote!(::hermes_tool::__private::Literal::Number(#number))
            }
            Self::List(items) => {
                let items = items.iter().map(Self::literal).collect::<Option<Vec<_>>>()?;
                quote!(::hermes_tool::__private::Literal::List(&[#(#items),*]))
            }
            Self::Object(_) => quote!(::hermes_tool::__private::Literal::Map),
        })
    }
}

/// A string as JSON.
fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            control if control < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => json.push(other),
        }
    }
    json.push('"');
    json
}
