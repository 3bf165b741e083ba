//! `#[data]`: adds the derives of an input or output type.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Item, Result};

/// Expands the attribute.
pub(crate) fn data(args: TokenStream, item: TokenStream) -> Result<TokenStream> {
    if let Some(first) = args.into_iter().next() {
        return Err(syn::Error::new(first.span(), "`data` takes no arguments"));
    }
    let item: Item = syn::parse2(item)?;
    if !matches!(item, Item::Struct(_) | Item::Enum(_)) {
        return Err(syn::Error::new_spanned(item, "`data` is for a struct or an enum"));
    }
    let item = item.into_token_stream();
    Ok(quote! {
        #[derive(
            ::core::fmt::Debug,
            ::brain::serde::Serialize,
            ::brain::serde::Deserialize,
            ::brain::schemars::JsonSchema
        )]
        #[serde(crate = "::brain::serde")]
        #[schemars(crate = "::brain::schemars")]
        #item
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_requires_a_struct_or_enum() {
        let made = data(
            quote!(),
            quote!(
                struct A {
                    b: u8,
                }
            ),
        )
        .unwrap()
        .to_string();
        assert!(made.contains("JsonSchema") && made.contains("struct A { b : u8"), "{made}");
        assert!(
            data(
                quote!(),
                quote!(
                    fn f() {}
                )
            )
            .unwrap_err()
            .to_string()
            .contains("for a struct")
        );
        assert!(
            data(
                quote!(x),
                quote!(
                    struct A;
                )
            )
            .unwrap_err()
            .to_string()
            .contains("no arguments")
        );
    }
}
