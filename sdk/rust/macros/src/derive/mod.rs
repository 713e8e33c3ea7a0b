//! `#[derive(ToolArgs)]` and `#[derive(ToolOutput)]`: schema and serde's implementation from one source.

mod emit;
mod refuse;
mod spelling;

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput, Fields, Ident, Result, Type};

use emit::emit;
use refuse::{refuse_borrowing, refuse_recursion};
pub(crate) use spelling::snake_case;
use spelling::{Unraw as _, bounded, is_option, named_in};

use crate::field::{DefaultValue, Field};
use crate::node;

/// Which way values go.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Side {
    /// In: arguments.
    Args,
    /// Out: structured results.
    Output,
}

/// One named field, ready to be emitted.
struct Property<'a> {
    ident: &'a Ident,
    name: String,
    ty: &'a Type,
    field: Field,
    docs: Option<TokenStream>,
}

/// What becomes of a struct or enum.
struct Shape {
    /// Its schema.
    schema: TokenStream,
    /// Its kind, for checks of bounds and defaults.
    kind: TokenStream,
    /// Checks that run with the schema.
    checks: Vec<TokenStream>,
    /// The shadow's body: fields or variants with their serde attributes.
    shadow: TokenStream,
    /// Functions that the shadow's attributes name.
    helpers: Vec<TokenStream>,
    /// Whether it is a struct, so that it can be a tool's whole input or output.
    root: bool,
    /// Serde attributes of the shadow.
    attributes: TokenStream,
}

/// Expands the derive.
pub(crate) fn expand(input: &DeriveInput, side: Side) -> Result<TokenStream> {
    refuse_borrowing(input)?;
    refuse_recursion(input)?;
    Field::parse(&input.attrs)?;
    let shape = match &input.data {
        Data::Struct(data) => Emitter { side, input }.structure(&data.fields)?,
        Data::Enum(data) => Emitter { side, input }.enumeration(data)?,
        Data::Union(data) => return Err(syn::Error::new(data.union_token.span, "expected a struct or an enum")),
    };
    Ok(emit(input, side, &shape))
}

struct Emitter<'a> {
    side: Side,
    input: &'a DeriveInput,
}

impl Emitter<'_> {
    fn structure(&self, fields: &Fields) -> Result<Shape> {
        let Fields::Named(_) = fields else {
            return Err(syn::Error::new(
                self.input.ident.span(),
                "expected named fields: each is one property of a JSON object",
            ));
        };
        let properties = properties(fields)?;
        let mut helpers = Vec::new();
        let fields = self.shadow_fields(&properties, "", &mut helpers)?;
        Ok(Shape {
            schema: self.object(&properties, None),
            kind: quote!(::hermes_tool::__private::Kind::Other),
            checks: self.checks(&properties)?,
            shadow: quote!({ #fields }),
            helpers,
            root: true,
            attributes: TokenStream::new(),
        })
    }

    fn enumeration(&self, data: &syn::DataEnum) -> Result<Shape> {
        let mut names = Vec::new();
        for variant in &data.variants {
            if let Fields::Unnamed(fields) = &variant.fields {
                return Err(syn::Error::new(
                    fields.span(),
                    "expected a variant without fields, or with named fields, as in `Circle { radius: f64 }`",
                ));
            }
            let field = Field::parse(&variant.attrs)?;
            names.push(field.rename.unwrap_or_else(|| snake_case(&variant.ident.to_string())));
        }
        if names.is_empty() {
            return Err(syn::Error::new(self.input.ident.span(), "expected at least one variant"));
        }
        if data.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit)) {
            return Ok(choice(data, &names));
        }
        let (mut schemas, mut checks, mut variants, mut helpers) = (vec![], vec![], vec![], vec![]);
        for (variant, name) in data.variants.iter().zip(&names) {
            let properties = properties(&variant.fields)?;
            if let Some(clash) = properties.iter().find(|property| property.name == "type") {
                return Err(syn::Error::new(
                    clash.ident.span(),
                    "`type` is the field that names the variant: rename this one",
                ));
            }
            schemas.push(self.object(&properties, Some((name, node::docs_node(&variant.attrs)))));
            checks.extend(self.checks(&properties)?);
            let ident = &variant.ident;
            let fields = self.shadow_fields(&properties, name, &mut helpers)?;
            let fields = if matches!(variant.fields, Fields::Unit) { quote!() } else { quote!({ #fields }) };
            variants.push(quote!(#[serde(rename = #name)] #ident #fields,));
        }
        Ok(Shape {
            schema: node::object([node::member("oneOf", node::list(schemas))]),
            kind: quote!(::hermes_tool::__private::Kind::Other),
            checks,
            shadow: quote!({ #(#variants)* }),
            helpers,
            root: false,
            attributes: quote!(#[serde(tag = "type")]),
        })
    }

    /// The schema of an object with these properties; `variant` adds the field that names it.
    fn object(&self, properties: &[Property<'_>], variant: Option<(&str, TokenStream)>) -> TokenStream {
        let mut members = vec![node::member("type", node::text("object"))];
        let mut entries = Vec::new();
        let mut required = Vec::new();
        if let Some((name, docs)) = variant {
            members.push(node::member("description", docs));
            entries.push(node::member("type", node::object([node::member("const", node::text(name))])));
            required.push(node::text("type"));
        }
        for property in properties {
            entries.push(node::member(&property.name, self.property(property)));
            if property.field.default.is_none() && !is_option(property.ty) {
                required.push(node::text(&property.name));
            }
        }
        members.push(node::member("properties", node::object(entries)));
        members.push(node::member("required", node::list(required)));
        members.push(node::member("additionalProperties", node::raw("false")));
        node::object(members)
    }

    fn property(&self, property: &Property<'_>) -> TokenStream {
        let ty = property.ty;
        let value = self.value_trait();
        let description = match &property.docs {
            Some(text) => quote!(::hermes_tool::__private::Node::Text(#text)),
            None => quote_spanned!(ty.span()=> <#ty as #value>::ABOUT),
        };
        let mut own = vec![node::member("description", description)];
        if self.side == Side::Args {
            own.extend(property.field.members(&quote_spanned!(ty.span()=> <#ty as #value>::KIND)));
        }
        let base = quote_spanned!(ty.span()=> <#ty as #value>::SCHEMA);
        quote!(::hermes_tool::__private::Node::Merge { own: &[#(#own),*], base: &#base })
    }

    /// Holds limits and defaults against the types.
    fn checks(&self, properties: &[Property<'_>]) -> Result<Vec<TokenStream>> {
        let mut checks = Vec::new();
        for property in properties {
            let field = &property.field;
            let (Side::Args, Some(span)) = (self.side, field.span) else { continue };
            let (ty, limits, default) = (property.ty, field.limits(), field.default_literal()?);
            checks.push(quote_spanned! {span=>
                ::hermes_tool::__private::verify(<#ty as ::hermes_tool::Argument>::KIND, &#limits, #default);
            });
        }
        Ok(checks)
    }

    fn shadow_fields(
        &self,
        properties: &[Property<'_>],
        variant: &str,
        helpers: &mut Vec<TokenStream>,
    ) -> Result<TokenStream> {
        let mut fields = TokenStream::new();
        for Property { ident, name, ty, field, .. } in properties {
            let mut attributes = quote!(#[serde(rename = #name)]);
            let helper =
                |prefix: &str| format_ident!("__{prefix}_{}_{}", variant.replace('-', "_"), ident.unraw_text());
            if self.side == Side::Output {
                if is_option(ty) {
                    attributes.extend(quote!(#[serde(skip_serializing_if = "::core::option::Option::is_none")]));
                }
                fields.extend(quote!(#attributes #ident: #ty,));
                continue;
            }
            let generics = named_in(ty, bounded(self.input, &self.value_trait()));
            let (parameters, _, bounds) = generics.split_for_impl();
            match &field.default {
                Some(DefaultValue::Type) => attributes.extend(quote!(#[serde(default)])),
                Some(DefaultValue::Value(json)) => {
                    let function = helper("default");
                    let (path, json) = (function.to_string(), json.text());
                    attributes.extend(quote!(#[serde(default = #path)]));
                    helpers.push(quote! {
                        fn #function #parameters() -> #ty #bounds {
                            ::hermes_tool::__private::default(#json)
                        }
                    });
                }
                None if field.is_limited() && is_option(ty) => attributes.extend(quote!(#[serde(default)])),
                None => {}
            }
            if field.is_limited() {
                let function = helper("read");
                let (path, limits) = (function.to_string(), field.limits());
                let mut generics = generics.clone();
                generics.params.insert(0, syn::parse_quote!('de));
                generics.params.push(syn::parse_quote!(D: ::hermes_tool::serde::Deserializer<'de>));
                let (parameters, _, bounds) = generics.split_for_impl();
                attributes.extend(quote!(#[serde(deserialize_with = #path)]));
                helpers.push(quote! {
                    fn #function #parameters(from: D) -> ::core::result::Result<#ty, D::Error> #bounds {
                        ::hermes_tool::__private::checked(from, &#limits)
                    }
                });
            }
            fields.extend(quote!(#attributes #ident: #ty,));
        }
        Ok(fields)
    }

    fn value_trait(&self) -> TokenStream {
        match self.side {
            Side::Args => quote!(::hermes_tool::Argument),
            Side::Output => quote!(::hermes_tool::OutputValue),
        }
    }
}

/// An enum without fields: one of some texts. Docs of its variants go into its description.
fn choice(data: &syn::DataEnum, names: &[String]) -> Shape {
    let variants = data.variants.iter().zip(names).map(|(variant, name)| {
        let ident = &variant.ident;
        quote!(#[serde(rename = #name)] #ident,)
    });
    Shape {
        schema: node::object([
            node::member("type", node::text("string")),
            node::member("enum", node::list(names.iter().map(|name| node::text(name)))),
        ]),
        kind: quote!(::hermes_tool::__private::Kind::Choice(&[#(#names),*])),
        checks: Vec::new(),
        shadow: quote!({ #(#variants)* }),
        helpers: Vec::new(),
        root: false,
        attributes: TokenStream::new(),
    }
}

fn properties(fields: &Fields) -> Result<Vec<Property<'_>>> {
    let mut properties = Vec::new();
    for field in fields {
        let Some(ident) = &field.ident else { continue };
        let parsed = Field::parse(&field.attrs)?;
        let name = parsed.rename.clone().unwrap_or_else(|| ident.unraw_text());
        properties.push(Property { ident, name, ty: &field.ty, field: parsed, docs: node::docs(&field.attrs) });
    }
    Ok(properties)
}
