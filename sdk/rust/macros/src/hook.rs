//! `#[hook]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser as _;
use syn::{ItemStruct, LitInt, Result};

use crate::capabilities::KEYS as CAPABILITIES;
use crate::derive::snake_case;
use crate::manifest::{Manifest, refuse_name, texts, unknown};
use crate::node;

const KEYS: &str = "`match`, `order`, `name`, `version`, `title`, `description`, `requires_env`";

/// Expands the attribute.
pub(crate) fn expand(attribute: TokenStream, item: &ItemStruct) -> Result<TokenStream> {
    let mut manifest = Manifest::default();
    let mut globs = None;
    let mut order = None;
    syn::meta::parser(|meta| {
        if meta.path.is_ident("match") {
            globs = Some(texts(&meta)?);
            return Ok(());
        }
        if meta.path.is_ident("order") {
            order = Some(meta.value()?.parse::<LitInt>()?.base10_parse::<i32>()?);
            return Ok(());
        }
        match manifest.read(&meta)? {
            true => Ok(()),
            false => Err(unknown(&meta, &format!("{KEYS}, {CAPABILITIES}"))),
        }
    })
    .parse2(attribute)?;

    let ident = &item.ident;
    let Some(globs) = globs.filter(|globs| !globs.is_empty()) else {
        return Err(syn::Error::new(
            ident.span(),
            "which tools? write `#[hook(match = [\"write_*\"])]`, or `\"*\"` for all",
        ));
    };
    let name = match &manifest.name {
        Some(name) => name.value(),
        None => snake_case(&ident.to_string()),
    };
    refuse_name(&name, ident.span())?;
    let description = match (&manifest.description, node::docs(&item.attrs)) {
        (Some(expression), _) => quote!(#expression),
        (None, Some(docs)) => docs,
        (None, None) => return Err(syn::Error::new(ident.span(), "a hook needs a description: write a doc comment")),
    };
    let head = [
        node::member("manifest", node::raw("1")),
        node::member("kind", node::text("hook")),
        node::member("name", node::text(&name)),
        node::member("description", quote!(::hermes_tool::__private::Node::Text(#description))),
        node::member("match", node::list(globs.iter().map(|glob| node::text(&glob.value())))),
    ];
    let order = order.map(|order| node::member("order", node::raw(&order.to_string())));
    let document = node::object(head.into_iter().chain(order).chain(manifest.members()));
    Ok(quote! {
        #item

        #[automatically_derived]
        impl ::hermes_tool::HookManifest for #ident {
            const MANIFEST: ::hermes_tool::__private::Node = #document;
        }
    })
}
