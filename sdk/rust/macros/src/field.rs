//! `#[arg(…)]`.

use std::ops::Bound;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::parse::ParseStream;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, LitStr, RangeLimits, Result, Token};

use crate::json::{Json, Number};
use crate::node;

/// What an author says about one argument or variant.
#[derive(Default)]
pub(crate) struct Field {
    pub(crate) rename: Option<String>,
    pub(crate) default: Option<DefaultValue>,
    min: Option<Number>,
    max: Option<Number>,
    length: Option<(usize, Option<usize>)>,
    pattern: Option<String>,
    format: Option<String>,
    examples: Option<Json>,
    /// Where a mistake about the limits is shown.
    pub(crate) span: Option<Span>,
}

/// A default: the type's own, or a JSON value.
pub(crate) enum DefaultValue {
    Type,
    Value(Json),
}

const KEYS: &str = "expected `default`, `rename`, `min`, `max`, `length`, `pattern`, `format` or `examples`";

impl Field {
    /// Reads all `#[arg]` of `attributes`, and refuses `#[serde]`.
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut field = Self::default();
        for attribute in attributes {
            if attribute.path().is_ident("serde") {
                return Err(syn::Error::new(
                    attribute.span(),
                    "`#[serde]` has no place here: schema and values both follow `#[arg]`",
                ));
            }
            if !attribute.path().is_ident("arg") {
                continue;
            }
            attribute.parse_nested_meta(|meta| {
                let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                match key.as_str() {
                    "default" if !meta.input.peek(Token![=]) => field.default = Some(DefaultValue::Type),
                    "default" => field.default = Some(DefaultValue::Value(meta.value()?.parse()?)),
                    "rename" => field.rename = Some(meta.value()?.parse::<LitStr>()?.value()),
                    "min" => field.min = Some(meta.value()?.parse()?),
                    "max" => field.max = Some(meta.value()?.parse()?),
                    "length" => field.length = Some(length(meta.value()?)?),
                    "pattern" => field.pattern = Some(meta.value()?.parse::<LitStr>()?.value()),
                    "format" => field.format = Some(meta.value()?.parse::<LitStr>()?.value()),
                    "examples" => {
                        let examples = meta.value()?.parse()?;
                        if !matches!(examples, Json::List(_)) {
                            return Err(meta.error("expected a list, such as `examples = [\"Rome\"]`"));
                        }
                        field.examples = Some(examples);
                    }
                    _ => return Err(meta.error(format!("unknown attribute: {KEYS}"))),
                }
                field.span.get_or_insert(meta.path.span());
                Ok(())
            })?;
        }
        let bounds = field.min.as_ref().or(field.max.as_ref());
        field.span = bounds.map(|bound| bound.span).or(field.span);
        Ok(field)
    }

    /// Whether values have to be checked when they are read.
    pub(crate) fn is_limited(&self) -> bool {
        self.min.is_some() || self.max.is_some() || self.length.is_some()
    }

    /// The limits as the SDK's constant.
    pub(crate) fn limits(&self) -> TokenStream {
        let number = |bound: &Option<Number>| match bound {
            Some(bound) => {
                let bound = bound.tokens();
                quote!(::core::option::Option::Some(#bound))
            }
            None => quote!(::core::option::Option::None),
        };
        let (min, max) = (number(&self.min), number(&self.max));
        let length = match self.length {
            Some((least, Some(most))) => {
                quote!(::core::option::Option::Some((#least, ::core::option::Option::Some(#most))))
            }
            Some((least, None)) => quote!(::core::option::Option::Some((#least, ::core::option::Option::None))),
            None => quote!(::core::option::Option::None),
        };
        let shape = self.pattern.is_some() || self.format.is_some();
        quote!(::hermes_tool::__private::Limits { min: #min, max: #max, length: #length, shape: #shape })
    }

    /// The default as the SDK's constant, for its check.
    pub(crate) fn default_literal(&self) -> Result<TokenStream> {
        Ok(match &self.default {
            None => quote!(::core::option::Option::None),
            Some(DefaultValue::Type) => quote!(::core::option::Option::Some(&::hermes_tool::__private::Literal::Type)),
            Some(DefaultValue::Value(json)) => {
                let literal = json.literal().ok_or_else(|| {
                    syn::Error::new(
                        self.span.unwrap_or_else(Span::call_site),
                        "`default` is a string, a number, a boolean, a list of these, or `{}`; for none use `Option`",
                    )
                })?;
                quote!(::core::option::Option::Some(&#literal))
            }
        })
    }

    /// The members that these limits add to the schema; `kind` is the type's.
    pub(crate) fn members(&self, kind: &TokenStream) -> Vec<TokenStream> {
        let mut members = Vec::new();
        if let Some(min) = &self.min {
            members.push(node::member("minimum", node::raw(&min.text())));
        }
        if let Some(max) = &self.max {
            members.push(node::member("maximum", node::raw(&max.text())));
        }
        if let Some((least, most)) = self.length {
            let mut push = |value: usize, least: bool| {
                let value = node::raw(&value.to_string());
                members.push(quote!(::hermes_tool::__private::Member {
                    key: ::hermes_tool::__private::length_keyword(#kind, #least), value: #value
                }));
            };
            push(least, true);
            if let Some(most) = most {
                push(most, false);
            }
        }
        if let Some(pattern) = &self.pattern {
            members.push(node::member("pattern", node::text(pattern)));
        }
        if let Some(format) = &self.format {
            members.push(node::member("format", node::text(format)));
        }
        match &self.default {
            Some(DefaultValue::Value(json)) => members.push(node::member("default", node::raw(&json.text()))),
            Some(DefaultValue::Type) => members.push(node::member(
                "default",
                quote!(::hermes_tool::__private::Node::Raw(::hermes_tool::__private::zero(#kind))),
            )),
            None => {}
        }
        if let Some(examples) = &self.examples {
            members.push(node::member("examples", node::raw(&examples.text())));
        }
        members
    }
}

/// A range such as `1..=20`, `1..` or `..=20`.
fn length(input: ParseStream<'_>) -> Result<(usize, Option<usize>)> {
    let expression: Expr = input.parse()?;
    let wrong = || syn::Error::new(expression.span(), "expected a range, such as `1..=20`");
    let Expr::Range(range) = &expression else { return Err(wrong()) };
    let number = |bound: Option<&Expr>| match bound {
        None => Ok(Bound::Unbounded),
        Some(Expr::Lit(literal)) => match &literal.lit {
            syn::Lit::Int(number) => Ok(Bound::Included(number.base10_parse::<usize>()?)),
            _ => Err(wrong()),
        },
        Some(_) => Err(wrong()),
    };
    let least = match number(range.start.as_deref())? {
        Bound::Included(least) => least,
        _ => 0,
    };
    let most = match (number(range.end.as_deref())?, &range.limits) {
        (Bound::Included(most), RangeLimits::Closed(_)) => Some(most),
        (Bound::Included(most), RangeLimits::HalfOpen(_)) => Some(most.checked_sub(1).ok_or_else(wrong)?),
        _ => None,
    };
    Ok((least, most))
}
