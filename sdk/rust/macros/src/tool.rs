//! `#[tool]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::Parser as _;
use syn::spanned::Spanned as _;
use syn::{FnArg, GenericArgument, ItemFn, PathArguments, Result, ReturnType, Type};

use crate::capabilities::KEYS as CAPABILITIES;
use crate::manifest::{Manifest, refuse_name, unknown};
use crate::node;

const KEYS: &str = "`name`, `version`, `toolset`, `title`, `description`, `emoji`, `icons`, `read_only`, `destructive`, \
    `idempotent`, `open_world`, `requires_env`, `requires_host`, `requires_client`, `check`, `parallel`, \
    `max_result_size_chars`, `pages_results`, `examples`, `authors`, `license`, `homepage`";

/// Expands the attribute.
pub(crate) fn expand(attribute: TokenStream, function: &ItemFn) -> Result<TokenStream> {
    let mut manifest = Manifest::default();
    syn::meta::parser(|meta| match manifest.read(&meta)? {
        true => Ok(()),
        false => Err(unknown(&meta, &format!("{KEYS}, {CAPABILITIES}"))),
    })
    .parse2(attribute)?;

    let signature = &function.sig;
    if let Some(parameter) = signature.generics.params.first() {
        return Err(syn::Error::new(parameter.span(), "a tool has no type parameters: its schema has to be known"));
    }
    let ident = &signature.ident;
    let name = match &manifest.name {
        Some(name) => name.value(),
        None => {
            let name = syn::ext::IdentExt::unraw(ident).to_string();
            refuse_name(&name, ident.span())?;
            name
        }
    };
    let description = match (&manifest.description, node::docs(&function.attrs)) {
        (Some(expression), _) => quote!(#expression),
        (None, Some(docs)) => docs,
        (None, None) => {
            return Err(syn::Error::new(
                ident.span(),
                "a tool needs a description, by which models choose it: write a doc comment",
            ));
        }
    };

    let inputs = Inputs::read(signature.inputs.iter())?;
    let (arguments, bindings, parameters) = inputs.emit();
    let is_async = signature.asyncness.is_some();
    let call = quote!(#ident(#parameters));
    let answer = if is_async { quote!(::hermes_tool::__private::run(#call)?) } else { call };
    let (returned, output_schema) = match &signature.output {
        ReturnType::Default => {
            return Err(syn::Error::new(
                signature.paren_token.span.close(),
                "a tool returns its result: `-> String`, `-> Json<T>` or `-> Result<…>` of these",
            ));
        }
        ReturnType::Type(_, ty) => (ty.span(), output_schema(ty)),
    };
    // The bound on the result is named once, at the author's type, so that a mistake is reported once.
    let outcome = quote_spanned!(returned=> ::hermes_tool::IntoOutcome::into_outcome(answer));

    let check = manifest.check.as_ref().map(|path| {
        quote_spanned! {path.span()=>
            fn check() -> ::core::result::Result<(), ::hermes_tool::__private::String> {
                #path().map_err(|error| ::std::string::ToString::to_string(&error))
            }
        }
    });
    let mode = if manifest.check.is_some() { "dynamic" } else { "static" };
    let head = [
        node::member("manifest", node::raw("1")),
        node::member("kind", node::text("tool")),
        node::member("name", node::text(&name)),
        node::member("description", quote!(::hermes_tool::__private::Node::Text(DESCRIPTION))),
        node::member("schema", quote!(ARGUMENTS.schema)),
        node::member("output_schema", output_schema),
        node::member("check", node::text(mode)),
        node::member("is_async", node::raw(if is_async { "true" } else { "false" })),
    ];
    let document = node::object(head.into_iter().chain(manifest.members()));
    let face = node::object([
        node::member("name", node::text(&name)),
        node::member("description", quote!(::hermes_tool::__private::Node::Text(DESCRIPTION))),
        node::member("parameters", quote!(ARGUMENTS.schema)),
    ]);

    let visibility = &function.vis;
    let about = format!("The tool `{name}` as a type, for `export!` and `testing::call`.");
    Ok(quote! {
        #function

        #[doc = #about]
        #[allow(non_camel_case_types, reason = "named like its function, so that one path means both")]
        #visibility enum #ident {}

        const _: () = {
            const DESCRIPTION: &str = #description;
            #arguments

            #[automatically_derived]
            impl ::hermes_tool::Tool for #ident {
                const NAME: &'static str = #name;
                const MANIFEST: ::hermes_tool::__private::Node = #document;
                const FACE: ::hermes_tool::__private::Node = #face;

                #check

                fn call(call: &::hermes_tool::Call, args: &str) -> ::hermes_tool::Result<::hermes_tool::Outcome> {
                    #bindings
                    let answer = #answer;
                    #outcome
                }
            }
        };
    })
}

/// What a tool's function takes.
struct Inputs<'a> {
    arguments: Option<&'a Type>,
    call: bool,
}

impl<'a> Inputs<'a> {
    fn read(inputs: impl Iterator<Item = &'a FnArg>) -> Result<Self> {
        let mut found = Self { arguments: None, call: false };
        for input in inputs {
            let FnArg::Typed(input) = input else {
                return Err(syn::Error::new(input.span(), "a tool is a free function"));
            };
            match (&*input.ty, found.call, found.arguments) {
                (Type::Reference(_), false, _) => found.call = true,
                (ty, false, None) => found.arguments = Some(ty),
                (ty, ..) => {
                    return Err(syn::Error::new(
                        ty.span(),
                        "a tool takes one struct with all its arguments, then at most a `&Call`",
                    ));
                }
            }
        }
        Ok(found)
    }

    /// The constant that reads the arguments, the statements that do so, and what the function is called with.
    fn emit(&self) -> (TokenStream, TokenStream, TokenStream) {
        let constant = match self.arguments {
            Some(ty) => {
                let new = quote_spanned!(ty.span()=> ::hermes_tool::__private::Arguments::new());
                quote!(const ARGUMENTS: ::hermes_tool::__private::Arguments<#ty> = #new;)
            }
            None => quote! {
                const ARGUMENTS: ::hermes_tool::__private::Arguments<::hermes_tool::__private::NoArgs> =
                    ::hermes_tool::__private::Arguments::new();
            },
        };
        let (bindings, first) = match self.arguments {
            Some(_) => (quote!(let arguments = (ARGUMENTS.parse)(args)?;), Some(quote!(arguments))),
            None => (quote!((ARGUMENTS.parse)(args)?;), None),
        };
        let second = self.call.then(|| quote!(call));
        let unused = (!self.call).then(|| quote!(let _ = call;));
        let parameters = first.into_iter().chain(second);
        (constant, quote!(#bindings #unused), quote!(#(#parameters),*))
    }
}

/// The schema of the `T` in `Json<T>` or `Result<Json<T>>`, if it has one.
fn output_schema(ty: &Type) -> TokenStream {
    let inner = match argument_of(ty, "Result") {
        Some(inner) => argument_of(inner, "Json"),
        None => argument_of(ty, "Json"),
    };
    match inner {
        Some(inner) => quote!({
            #[allow(unused_imports, reason = "only types without an output schema need it")]
            use ::hermes_tool::__private::NoOutputSchema as _;
            <::hermes_tool::__private::OutputSchema<#inner>>::SCHEMA
        }),
        None => quote!(::hermes_tool::__private::Node::Absent),
    }
}

/// The first type argument of `ty`, if `ty` is spelled `…::name<…>`.
fn argument_of<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}
