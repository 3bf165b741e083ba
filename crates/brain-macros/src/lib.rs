//! Attributes that turn Rust functions into tools. They generate a declaration, a function that deserialises the
//! arguments and calls the original, and the registration of both.

mod args;
mod data;
mod expand;
mod signature;

use proc_macro::TokenStream;

/// Turns a function into a tool.
///
/// A plain function runs in process and must depend only on its arguments; an `async` function runs outside. The first
/// parameter is the input, by value; an optional second one is a `NativeContext` or a reference to one. It returns
/// `Result<T, Failure>`. `T` becomes the data of the result; a `ToolResult` is passed on unchanged. The function's
/// documentation is the description of the tool, and that of the input's fields describes the inputs.
///
/// | key | meaning | without it |
/// |---|---|---|
/// | `name` | `domain.name` | an error |
/// | `title` | the display name | the first line of the documentation |
/// | `phrases` | example requests: `["count the words of {text}"]` | the tool is called by name only |
/// | `effect` | `"read"`, `"write"`, `"external"`, `"irreversible"` | `read`; of an `async` function `external` |
/// | `consent` | `"none"`, `"user"`, `"approver"` | what the effect needs |
/// | `idempotency` | `"key"`: a repeated attempt is harmless; `"none"`: a person decides | `key`; of an `async` function `none` |
/// | `undo` | the tool that undoes it | it has no undo |
/// | `undo_args` | the arguments of that tool as JSON, with expressions over `input` and `result` | none |
/// | `no_undo` | why it cannot be undone | "It cannot be undone." |
/// | `may_inject` | its result may inject steps | it may not |
/// | `crate` | the path of the `brain` crate | `::brain` |
#[proc_macro_attribute]
pub fn tool(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(args.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Derives `Debug`, `Serialize`, `Deserialize` and `JsonSchema` for the input or output of a tool, through the `brain`
/// crate, so that no other dependency is needed.
#[proc_macro_attribute]
pub fn data(args: TokenStream, item: TokenStream) -> TokenStream {
    data::data(args.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
