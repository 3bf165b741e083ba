//! Attributes that make Rust functions tools. They write what a person would write by hand: a declaration, a function
//! that reads the arguments and calls the original, and the registration of both.

mod args;
mod data;
mod expand;
mod signature;

use proc_macro::TokenStream;

/// Makes a function a tool.
///
/// A plain function is decided in process and must touch nothing but its arguments; an `async` one is done outside. It
/// takes its input by value, then, if it wants, a `NativeContext` or a reference to one, and returns
/// `Result<T, Failure>`. `T` becomes the data of the result; a `ToolResult` is taken as it is. The documentation of the
/// function is the description of the tool, that of the fields of its input the descriptions of the inputs.
///
/// | key | meaning | without it |
/// |---|---|---|
/// | `name` | `domain.name` | an error |
/// | `title` | what people read | the first line of the documentation |
/// | `phrases` | how people ask for it: `["count the words of {text}"]` | nobody can ask for it in words |
/// | `effect` | `"read"`, `"write"`, `"external"`, `"irreversible"` | `read`; of an `async` function `external` |
/// | `consent` | `"none"`, `"user"`, `"approver"` | what the effect needs |
/// | `idempotency` | `"key"`: another attempt is harmless; `"none"`: a person decides | `key`; of an `async` function `none` |
/// | `no_undo` | why it cannot be undone | "It cannot be undone." |
/// | `may_inject` | its result may bring steps along | it may not |
/// | `crate` | where the `brain` crate is | `::brain` |
#[proc_macro_attribute]
pub fn tool(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(args.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Derives what the input and the output of a tool need: `Debug`, `Serialize`, `Deserialize` and `JsonSchema`, from
/// the `brain` crate, so that no other dependency is needed.
#[proc_macro_attribute]
pub fn data(args: TokenStream, item: TokenStream) -> TokenStream {
    data::data(args.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
