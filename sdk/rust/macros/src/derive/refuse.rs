//! What cannot be an argument, in words.

use syn::spanned::Spanned as _;
use syn::visit::Visit;
use syn::{DeriveInput, Result, Type};

/// Refuses borrowed fields.
pub(super) fn refuse_borrowing(input: &DeriveInput) -> Result<()> {
    const OWN: &str = "values own what they hold: use `String` instead of `&str`, `Vec<T>` instead of `&[T]`";
    if let Some(lifetime) = input.generics.lifetimes().next() {
        return Err(syn::Error::new(lifetime.span(), OWN));
    }
    let mut search = Search { found: None, wanted: |ty: &Type| matches!(ty, Type::Reference(_)).then(|| ty.span()) };
    search.visit_data(&input.data);
    search.found.map_or(Ok(()), |span| Err(syn::Error::new(span, OWN)))
}

/// Refuses a type that names itself; a longer cycle is only seen by the compiler.
pub(super) fn refuse_recursion(input: &DeriveInput) -> Result<()> {
    let own = &input.ident;
    let itself = |ty: &Type| match ty {
        Type::Path(path) if path.path.is_ident(own) || path.path.is_ident("Self") => Some(ty.span()),
        _ => None,
    };
    let mut search = Search { found: None, wanted: itself };
    search.visit_data(&input.data);
    let message = format!("`{own}` contains itself, so its schema would have no end: use `serde_json::Value` here");
    search.found.map_or(Ok(()), |span| Err(syn::Error::new(span, message)))
}

/// Looks for a type anywhere within the fields.
struct Search<F> {
    found: Option<proc_macro2::Span>,
    wanted: F,
}

impl<'ast, F: Fn(&Type) -> Option<proc_macro2::Span>> Visit<'ast> for Search<F> {
    fn visit_type(&mut self, ty: &'ast Type) {
        self.found = self.found.or_else(|| (self.wanted)(ty));
        if self.found.is_none() {
            syn::visit::visit_type(self, ty);
        }
    }
}
