//! Checks the signature of a tool function.

use syn::{Error, FnArg, GenericArgument, ItemFn, PathArguments, Result, ReturnType, Type};

/// How a function takes the context of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// It does not take it.
    Absent,
    /// `NativeContext`.
    Owned,
    /// `&NativeContext`.
    Borrowed,
}

/// What a function returns on success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    /// The data of the result.
    Data,
    /// `()`.
    Nothing,
    /// A whole `ToolResult`.
    Whole,
}

/// The parts of a valid signature.
pub(crate) struct Shape<'f> {
    pub(crate) input: &'f Type,
    pub(crate) context: Context,
    pub(crate) output: &'f Type,
    pub(crate) gives: Gives,
}

impl<'f> Shape<'f> {
    /// Checks a function.
    pub(crate) fn of(function: &'f ItemFn) -> Result<Self> {
        let signature = &function.sig;
        if let Some(FnArg::Receiver(receiver)) = signature.inputs.first() {
            return Err(Error::new_spanned(receiver, "a tool is a free function: it has no `self`"));
        }
        if !signature.generics.params.is_empty() {
            return Err(Error::new_spanned(&signature.generics, "a tool is one function: it cannot be generic"));
        }
        let typed = |argument: &'f FnArg| match argument {
            FnArg::Typed(typed) => Some(typed.ty.as_ref()),
            FnArg::Receiver(_) => None,
        };
        let types: Vec<&Type> = signature.inputs.iter().filter_map(typed).collect();
        let (input, context) = match types.as_slice() {
            [input] => (*input, Context::Absent),
            [input, context] => (*input, passed(context)?),
            _ => {
                let message = format!(
                    "a tool takes its input and, optionally, a `NativeContext`; this one takes {} arguments",
                    types.len()
                );
                return Err(Error::new_spanned(&signature.ident, message));
            }
        };
        if let Type::Reference(reference) = input {
            return Err(Error::new_spanned(reference, "a tool takes its input by value: a struct of its own"));
        }
        let output = answer(&signature.output)
            .ok_or_else(|| Error::new_spanned(&signature.ident, "a tool returns `Result<T, Failure>`"))?;
        Ok(Self { input, context, output, gives: gives(output) })
    }
}

fn passed(context: &Type) -> Result<Context> {
    let (inner, how) = match context {
        Type::Reference(reference) if reference.mutability.is_none() => (reference.elem.as_ref(), Context::Borrowed),
        other => (other, Context::Owned),
    };
    if last_name(inner).is_some_and(|name| name == "NativeContext") {
        return Ok(how);
    }
    Err(Error::new_spanned(context, "the second argument of a tool is a `NativeContext` or `&NativeContext`"))
}

/// `T` of `Result<T, …>`, with any path to `Result`.
fn answer(output: &ReturnType) -> Option<&Type> {
    let ReturnType::Type(_, output) = output else { return None };
    let Type::Path(path) = output.as_ref() else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(answer) => Some(answer),
        _ => None,
    }
}

fn gives(output: &Type) -> Gives {
    match output {
        Type::Tuple(tuple) if tuple.elems.is_empty() => Gives::Nothing,
        other if last_name(other).is_some_and(|name| name == "ToolResult") => Gives::Whole,
        _ => Gives::Data,
    }
}

fn last_name(path: &Type) -> Option<String> {
    let Type::Path(path) = path else { return None };
    path.path.segments.last().map(|last| last.ident.to_string())
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn valid_signatures_are_accepted() {
        for (function, context, gives) in [
            (
                quote!(
                    fn f(input: Input) -> Result<Output, Failure> {}
                ),
                Context::Absent,
                Gives::Data,
            ),
            (
                quote!(
                    fn f(input: Input, cx: &NativeContext) -> Result<(), Failure> {}
                ),
                Context::Borrowed,
                Gives::Nothing,
            ),
            (
                quote!(
                    async fn f(
                        Input { a }: Input,
                        cx: brain::NativeContext,
                    ) -> std::result::Result<brain::ToolResult, Failure> {
                    }
                ),
                Context::Owned,
                Gives::Whole,
            ),
        ] {
            let function: ItemFn = syn::parse2(function).unwrap();
            let shape = Shape::of(&function).unwrap();
            assert_eq!((shape.context, shape.gives), (context, gives));
        }
    }

    #[test]
    fn invalid_signatures_are_rejected_with_the_reason() {
        for (function, expected) in [
            (
                quote!(
                    fn f(&self, input: Input) -> Result<Output, Failure> {}
                ),
                "it has no `self`",
            ),
            (
                quote!(
                    fn f() -> Result<Output, Failure> {}
                ),
                "this one takes 0 arguments",
            ),
            (
                quote!(
                    fn f(a: A, b: NativeContext, c: C) -> Result<Output, Failure> {}
                ),
                "this one takes 3 arguments",
            ),
            (
                quote!(
                    fn f(a: A, b: B) -> Result<Output, Failure> {}
                ),
                "the second argument of a tool is",
            ),
            (
                quote!(
                    fn f<T>(a: T) -> Result<Output, Failure> {}
                ),
                "it cannot be generic",
            ),
            (
                quote!(
                    fn f(a: &A) -> Result<Output, Failure> {}
                ),
                "takes its input by value",
            ),
            (
                quote!(
                    fn f(a: A) -> Output {}
                ),
                "a tool returns `Result<T, Failure>`",
            ),
            (
                quote!(
                    fn f(a: A) {}
                ),
                "a tool returns `Result<T, Failure>`",
            ),
        ] {
            let function: ItemFn = syn::parse2(function).unwrap();
            let Err(error) = Shape::of(&function) else { panic!("accepted, instead of: {expected}") };
            assert!(error.to_string().contains(expected), "{error}");
        }
    }
}
