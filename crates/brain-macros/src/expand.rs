//! The code that `#[tool]` generates.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, ExprLit, ItemFn, Lit, Meta, Result, parse_quote};

use crate::args::Args;
use crate::signature::{Context, Gives, Shape};

/// Expands the attribute.
pub(crate) fn tool(args: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let args = Args::parse(args)?;
    let Some(name) = &args.name else {
        return Err(Error::new(Span::call_site(), "a tool needs a name: `#[tool(name = \"domain.name\")]`"));
    };
    let function: ItemFn =
        syn::parse2(item).map_err(|error| Error::new(error.span(), format!("a tool is a function: {error}")))?;
    let shape = Shape::of(&function)?;
    let root = args.root.clone().unwrap_or_else(|| parse_quote!(::brain));
    let root = quote!(#root::__native);
    let outside = function.sig.asyncness.is_some();

    let description = doc(&function.attrs);
    let first = description.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
    let title = match &args.title {
        Some(title) => title.value(),
        None if first.is_empty() => name.value(),
        None => first,
    };
    let Args { phrases, no_undo, may_inject, .. } = &args;
    let effect = format_ident!("{}", args.effect.unwrap_or(if outside { "External" } else { "Read" }));
    let consent = choice(args.consent, &quote!(#root::Consent));
    let idempotency = choice(args.idempotency, &quote!(#root::Idempotency));
    let no_undo = match no_undo {
        Some(why) => quote!(::core::option::Option::Some(#why.to_owned())),
        None => quote!(::core::option::Option::None),
    };
    let undo = match &args.undo {
        Some(tool) => {
            let args = args.undo_args.as_ref().map_or_else(|| "{}".to_owned(), syn::LitStr::value);
            quote!(::core::option::Option::Some(#root::undo(#tool, #args)))
        }
        None => quote!(::core::option::Option::None),
    };
    let (input, output) = (shape.input, shape.output);
    let input_schema = quote_spanned!(input.span()=> #root::input_schema::<#input>());
    let output_schema = match shape.gives {
        Gives::Data => quote_spanned!(output.span()=> #root::output_schema::<#output>()),
        Gives::Nothing | Gives::Whole => quote!(::core::option::Option::None),
    };
    let run = run(&function, &shape, &root);
    let way = if outside { quote!(Outside) } else { quote!(Inline) };
    Ok(quote! {
        #function

        const _: () = {
            fn decl() -> #root::NativeDecl {
                #root::NativeDecl {
                    name: #name.to_owned(),
                    title: #title.to_owned(),
                    description: #description.to_owned(),
                    input: #input_schema,
                    output: #output_schema,
                    phrases: ::std::vec![#(#phrases.to_owned()),*],
                    effect: #root::Effect::#effect,
                    consent: #consent,
                    inline: !#outside,
                    idempotency: #idempotency,
                    undo: #undo,
                    no_undo: #no_undo,
                    may_inject: #may_inject,
                }
            }

            #run

            #root::inventory::submit! {
                #root::Native { decl, run: #root::NativeRun::#way(run) }
            }
        };
    })
}

/// Generates the function that deserialises the arguments and calls the original.
fn run(function: &ItemFn, shape: &Shape<'_>, root: &TokenStream) -> TokenStream {
    let (ident, input) = (&function.sig.ident, shape.input);
    let outside = function.sig.asyncness.is_some();
    let read = quote_spanned!(input.span()=> #root::read_input::<#input>(args)?);
    let context = match (shape.context, outside) {
        (Context::Absent, _) => quote!(),
        (Context::Owned, true) | (Context::Borrowed, false) => quote!(, context),
        (Context::Owned, false) => quote!(, ::core::clone::Clone::clone(context)),
        (Context::Borrowed, true) => quote!(, &context),
    };
    let wait = outside.then(|| quote!(.await));
    let unused = (shape.context == Context::Absent).then(|| quote!(let _ = context;));
    let call = quote!(#ident(#read #context) #wait);
    let answer = match shape.gives {
        Gives::Data => quote!(#root::data(&#call?)),
        Gives::Nothing => quote!({ #call?; ::core::result::Result::Ok(#root::nothing()) }),
        Gives::Whole => call,
    };
    let result = quote!(::core::result::Result<#root::ToolResult, #root::Failure>);
    if outside {
        return quote! {
            fn run(context: #root::NativeContext, args: #root::Value) -> #root::HostFuture<#result> {
                ::std::boxed::Box::pin(async move {
                    #unused
                    #answer
                })
            }
        };
    }
    quote! {
        fn run(context: &#root::NativeContext, args: #root::Value) -> #result {
            #unused
            #answer
        }
    }
}

fn choice(variant: Option<&str>, of: &TokenStream) -> TokenStream {
    match variant {
        Some(variant) => {
            let variant = format_ident!("{variant}");
            quote!(::core::option::Option::Some(#of::#variant))
        }
        None => quote!(::core::option::Option::None),
    }
}

/// The documentation of a function, without the leading space of each line.
fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    let lines: Vec<String> = lines.map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned()).collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(args: TokenStream, item: TokenStream) -> String {
        tool(args, item).unwrap().to_string().split_whitespace().collect()
    }

    #[test]
    fn a_plain_function_is_registered_as_inline() {
        let code = made(
            quote!(name = "text.count", phrases = ["count {text}"]),
            quote! {
                /// Counts words.
                ///
                /// All of them.
                fn count(input: Input) -> Result<Output, Failure> {}
            },
        );
        for part in [
            "title:\"Countswords\"",
            "description:\"Countswords.\\n\\nAllofthem.\"",
            "effect:::brain::__native::Effect::Read",
            "inline:!false",
            "NativeRun::Inline(run)",
            "input_schema::<Input>()",
            "output_schema::<Output>()",
            "count(::brain::__native::read_input::<Input>(args)?)?",
        ] {
            assert!(code.contains(part), "{part} is not in {code}");
        }
    }

    #[test]
    fn an_async_function_is_registered_as_outside_and_gets_its_context() {
        let code = made(
            quote!(name = "mail.send", crate = crate, consent = "none", idempotency = "key"),
            quote!(
                async fn send(input: Input, cx: &NativeContext) -> Result<ToolResult, Failure> {}
            ),
        );
        for part in [
            "effect:crate::__native::Effect::External",
            "Some(crate::__native::Consent::None)",
            "Some(crate::__native::Idempotency::Key)",
            "output:::core::option::Option::None",
            "NativeRun::Outside(run)",
            "(args)?,&context).await",
        ] {
            assert!(code.contains(part), "{part} is not in {code}");
        }
    }

    #[test]
    fn a_name_and_a_function_are_required() {
        let function = quote!(
            fn f(input: Input) -> Result<Output, Failure> {}
        );
        let error = tool(quote!(title = "F"), function).unwrap_err();
        assert!(error.to_string().contains("a tool needs a name"), "{error}");
        let error = tool(
            quote!(name = "a.b"),
            quote!(
                struct S;
            ),
        )
        .unwrap_err();
        assert!(error.to_string().contains("a tool is a function"), "{error}");
    }
}
