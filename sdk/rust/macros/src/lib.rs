//! The macros of `hermes-tool`, which re-exports and documents them.

mod capabilities;
mod crate_type;
mod derive;
mod field;
mod hook;
mod json;
mod manifest;
mod node;
mod tool;

use proc_macro::TokenStream;
use quote::quote;
use syn::parse_macro_input;

use derive::Side;

/// Makes a tool of a function.
///
/// The function takes one struct that derives `ToolArgs` (or nothing), then, if it wants, a `&Call`. It returns `String`,
/// `&'static str`, `Json<T>`, `Output`, `Ask`, `Outcome` or a `Result` of one of them, and may be `async`. Its doc comment
/// is the description by which models choose it.
///
/// | attribute | meaning |
/// |---|---|
/// | `name = "…"` | default: the function's name |
/// | `version = "…"` | default: the crate's |
/// | `description = …` | any constant text instead of the doc comment, such as `include_str!("weather.md")` |
/// | `toolset = "…"`, `title = "…"`, `emoji = "…"`, `icons = ["https://…"]` | how it is listed |
/// | `read_only`, `destructive`, `idempotent`, `open_world` | what it does to the world; also `destructive = false` |
/// | `requires_env(NAME(description = "…", prompt = "…", url = "…", password), …)` | what the operator has to set; asks for the secret (`password`) or the variable of that name too |
/// | `http = ["https://api.example.com GET,POST"]` | destinations |
/// | `fs = ["${workspace} rw"]` | folders, `ro` by default |
/// | `env = ["LANG"]` | environment variables |
/// | `secrets(NAME, OTHER(expose))` | secrets; `expose` asks for the value itself |
/// | `tools = ["read_file"]` | other tools that it calls |
/// | `limits(wall = "60s", memory = "128 MiB", http_requests = 100)` | other limits than the defaults |
/// | `check = path::to::function` | `fn() -> Result<(), E>` with a printable `E`: whether it may be offered now |
/// | `parallel = always`, `parallel = never`, `parallel(by = ["path"])` | which calls may run at once |
/// | `max_result_size_chars = 50_000` or `= unlimited` | default 100,000 |
/// | `requires_client = ["elicitation"]`, `requires_host = ">=0.1"` | who can use it |
/// | `pages_results` | it can read kept results page by page |
/// | `examples = [{"location": "London"}]` | arguments, as JSON |
/// | `authors = ["…"]`, `license = "…"`, `homepage = "…"` | |
///
/// It makes a type with the function's name too, which `export!` and `testing::call` take.
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as syn::ItemFn);
    let original = quote!(#function);
    tool::expand(attribute.into(), &function).unwrap_or_else(|error| beside(original, &error)).into()
}

/// Makes the manifest of a hook: `#[hook(match = ["write_*"], order = 10)]` above a type that implements `Hook`.
///
/// `match` has globs of tool names; hooks of lower `order` come first. Capabilities are asked for as with `#[tool]`.
#[proc_macro_attribute]
pub fn hook(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as syn::ItemStruct);
    let original = quote!(#item);
    hook::expand(attribute.into(), &item).unwrap_or_else(|error| beside(original, &error)).into()
}

/// Makes a struct or enum an argument: its JSON Schema and serde's `Deserialize`, from the same source.
///
/// Doc comments become descriptions. A struct has named fields; `Option` and defaults make them optional, unknown ones are
/// refused. An enum without fields is one of some texts, in `snake_case`; one with named fields in its variants is an object
/// whose `type` names the variant.
///
/// | `#[arg(…)]` | meaning |
/// |---|---|
/// | `default = "metric"` | JSON: a string, a number, a boolean, a list of these, `{}`; `default` alone is the type's own |
/// | `rename = "…"` | the name in JSON, of a field or a variant |
/// | `min = 1`, `max = 14` | bounds of a number |
/// | `length = 1..=20` | characters of a string, items of a list, members of a map |
/// | `pattern = "^[a-z]+$"`, `format = "date"` | of a string; for the schema only |
/// | `examples = ["London"]` | JSON |
#[proc_macro_derive(ToolArgs, attributes(arg, serde))]
pub fn tool_args(item: TokenStream) -> TokenStream {
    derived(item, Side::Args)
}

/// Makes a struct or enum a structured result: its JSON Schema and serde's `Serialize`, from the same source.
///
/// It follows the rules of `ToolArgs`; an `Option` without value is left out. Of `#[arg(…)]` only `rename` matters here.
#[proc_macro_derive(ToolOutput, attributes(arg, serde))]
pub fn tool_output(item: TokenStream) -> TokenStream {
    derived(item, Side::Output)
}

/// Refuses crate types beside cdylib; `export!` expands to it.
#[doc(hidden)]
#[proc_macro]
pub fn require_cdylib(_: TokenStream) -> TokenStream {
    match crate_type::mistake(std::env::args()) {
        Some(text) => quote!(::core::compile_error!(#text);).into(),
        None => TokenStream::new(),
    }
}

fn derived(item: TokenStream, side: Side) -> TokenStream {
    let input = parse_macro_input!(item as syn::DeriveInput);
    derive::expand(&input, side).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// The item as it was and the error, so that one mistake brings no others about missing names.
fn beside(item: proc_macro2::TokenStream, error: &syn::Error) -> proc_macro2::TokenStream {
    let error = error.to_compile_error();
    quote!(#item #error)
}
