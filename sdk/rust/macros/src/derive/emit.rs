//! From a shape to the code.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields, LitStr};

use super::spelling::{bounded, snake_case};
use super::{Shape, Side};
use crate::field::Field;
use crate::node;

/// The description of a type: its docs, and those of the variants of a plain enum.
fn about(input: &DeriveInput) -> TokenStream {
    let mut parts: Vec<TokenStream> = node::docs(&input.attrs).into_iter().collect();
    if let Data::Enum(data) = &input.data
        && data.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit))
    {
        for variant in &data.variants {
            let Some(text) = node::docs(&variant.attrs) else { continue };
            let rename = Field::parse(&variant.attrs).ok().and_then(|field| field.rename);
            let name = rename.unwrap_or_else(|| snake_case(&variant.ident.to_string()));
            let label = format!("{}`{name}`: ", if parts.is_empty() { "" } else { "\n" });
            parts.push(quote!(#label, #text));
        }
    }
    if parts.is_empty() {
        return quote!(::hermes_tool::__private::Node::Absent);
    }
    quote!(::hermes_tool::__private::Node::Text(::core::concat!(#(#parts),*)))
}

/// The implementations of the traits of `side` for the type.
pub(super) fn emit(input: &DeriveInput, side: Side, shape: &Shape) -> TokenStream {
    let Shape { schema, kind, checks, shadow, helpers, root, attributes } = shape;
    let ident = &input.ident;
    let about = about(input);
    let value = match side {
        Side::Args => quote!(::hermes_tool::Argument),
        Side::Output => quote!(::hermes_tool::OutputValue),
    };
    let generics = bounded(input, &value);
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let keyword = if matches!(input.data, Data::Struct(_)) { quote!(struct) } else { quote!(enum) };
    let shadow_name = format_ident!("__{ident}");
    let remote = LitStr::new(&ident.to_string(), ident.span());
    let serde_bound = input.generics.type_params().map(|parameter| {
        let name = &parameter.ident;
        quote!(#name: #value).to_string()
    });
    let serde_bound = serde_bound.collect::<Vec<_>>().join(", ");
    let shadow_generics = &input.generics;
    let shadow_where = &input.generics.where_clause;
    let turbofish = arguments.as_turbofish();

    let (serde_attributes, serde_impl, constants, root_trait) = match side {
        Side::Args => {
            let mut with_de = generics.clone();
            with_de.params.insert(0, syn::parse_quote!('de));
            let (de_parameters, _, de_bounds) = with_de.split_for_impl();
            (
                quote! {
                    #[derive(::hermes_tool::serde::Deserialize)]
                    #[serde(crate = "::hermes_tool::serde", remote = #remote, deny_unknown_fields)]
                    #[serde(bound(deserialize = #serde_bound))]
                },
                quote! {
                    #[automatically_derived]
                    impl #de_parameters ::hermes_tool::serde::Deserialize<'de> for #ident #arguments #de_bounds {
                        fn deserialize<D: ::hermes_tool::serde::Deserializer<'de>>(
                            from: D,
                        ) -> ::core::result::Result<Self, D::Error> {
                            #shadow_name #turbofish::deserialize(from)
                        }
                    }
                },
                quote!(const KIND: ::hermes_tool::__private::Kind = #kind;),
                quote!(::hermes_tool::ToolArgs),
            )
        }
        Side::Output => (
            quote! {
                #[derive(::hermes_tool::serde::Serialize)]
                #[serde(crate = "::hermes_tool::serde", remote = #remote)]
                #[serde(bound(serialize = #serde_bound))]
            },
            quote! {
                #[automatically_derived]
                impl #parameters ::hermes_tool::serde::Serialize for #ident #arguments #bounds {
                    fn serialize<S: ::hermes_tool::serde::Serializer>(
                        &self,
                        to: S,
                    ) -> ::core::result::Result<S::Ok, S::Error> {
                        #shadow_name #turbofish::serialize(self, to)
                    }
                }
            },
            TokenStream::new(),
            quote!(::hermes_tool::ToolOutput),
        ),
    };
    let root = root.then(|| {
        quote! {
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #parameters #root_trait for #ident #arguments #bounds {}
        }
    });
    // The schema of a generic type is known only where it is used.
    let now = input
        .generics
        .params
        .is_empty()
        .then(|| quote!(const _: ::hermes_tool::__private::Node = <#ident as #value>::SCHEMA;));
    quote! {
        const _: () = {
            #serde_attributes
            #attributes
            #[allow(dead_code, non_camel_case_types, reason = "stands for the author's type towards serde")]
            #keyword #shadow_name #shadow_generics #shadow_where #shadow

            #(#helpers)*

            #serde_impl

            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #parameters #value for #ident #arguments #bounds {
                const SCHEMA: ::hermes_tool::__private::Node = {
                    #(#checks)*
                    #schema
                };
                const ABOUT: ::hermes_tool::__private::Node = #about;
                #constants
            }

            #root
            #now
        };
    }
}
