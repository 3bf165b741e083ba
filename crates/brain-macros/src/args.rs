//! Parses the arguments of `#[tool(…)]`.

use proc_macro2::TokenStream;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Error, LitBool, LitStr, Path, Result, Token, bracketed};

/// The keys of the attribute, as written.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) name: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    pub(crate) phrases: Vec<LitStr>,
    pub(crate) effect: Option<&'static str>,
    pub(crate) consent: Option<&'static str>,
    pub(crate) idempotency: Option<&'static str>,
    pub(crate) undo: Option<LitStr>,
    pub(crate) undo_args: Option<LitStr>,
    pub(crate) no_undo: Option<LitStr>,
    pub(crate) may_inject: bool,
    pub(crate) root: Option<Path>,
}

/// Words of packs and the corresponding variants.
type Words = &'static [(&'static str, &'static str)];

const EFFECTS: Words =
    &[("read", "Read"), ("write", "Write"), ("external", "External"), ("irreversible", "Irreversible")];
const CONSENTS: Words = &[("none", "None"), ("user", "User"), ("approver", "Approver")];
const IDEMPOTENCIES: Words = &[("key", "Key"), ("none", "None")];
const KEYS: &str = "`name`, `title`, `phrases`, `effect`, `consent`, `idempotency`, `undo`, `undo_args`, `no_undo`, \
                    `may_inject` and `crate`";

impl Args {
    /// Parses the attribute. Each key may appear once.
    pub(crate) fn parse(tokens: TokenStream) -> Result<Self> {
        let mut args = Self::default();
        let mut seen: Vec<String> = Vec::new();
        let parser = syn::meta::parser(|meta| {
            let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            if seen.contains(&key) {
                return Err(meta.error(format!("`{key}` is given twice")));
            }
            args.key(&key, &meta)?;
            seen.push(key);
            Ok(())
        });
        parser.parse2(tokens)?;
        Ok(args)
    }

    fn key(&mut self, key: &str, meta: &ParseNestedMeta<'_>) -> Result<()> {
        match key {
            "name" => self.name = Some(name(meta.value()?.parse()?)?),
            "title" => self.title = Some(meta.value()?.parse()?),
            "phrases" => {
                let value = meta.value()?;
                let list;
                bracketed!(list in value);
                self.phrases = Punctuated::<LitStr, Token![,]>::parse_terminated(&list)?.into_iter().collect();
            }
            "effect" => self.effect = Some(word(meta, key, EFFECTS)?),
            "consent" => self.consent = Some(word(meta, key, CONSENTS)?),
            "idempotency" => self.idempotency = Some(word(meta, key, IDEMPOTENCIES)?),
            "undo" => self.undo = Some(name(meta.value()?.parse()?)?),
            "undo_args" => self.undo_args = Some(meta.value()?.parse()?),
            "no_undo" => self.no_undo = Some(meta.value()?.parse()?),
            "may_inject" => {
                let says = meta.input.peek(Token![=]);
                self.may_inject = !says || meta.value()?.parse::<LitBool>()?.value;
            }
            "crate" => self.root = Some(meta.value()?.call(Path::parse_mod_style)?),
            _ => return Err(meta.error(format!("unknown key; the keys are {KEYS}"))),
        }
        Ok(())
    }
}

/// Checks a name: `domain.name`, each of lower-case letters, digits and `_`, beginning with a letter.
fn name(text: LitStr) -> Result<LitStr> {
    let good = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase())
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    let value = text.value();
    match value.split_once('.') {
        None => Err(Error::new(text.span(), format!("`{value}` has no domain: write `domain.name`"))),
        Some((domain, name)) if good(domain) && good(name) => Ok(text),
        Some(_) => {
            let message = format!(
                "`{value}` is not a tool name: write `domain.name` with lower-case letters, digits and `_`, and one dot"
            );
            Err(Error::new(text.span(), message))
        }
    }
}

fn word(meta: &ParseNestedMeta<'_>, key: &str, words: Words) -> Result<&'static str> {
    let text: LitStr = meta.value()?.parse()?;
    let value = text.value();
    words.iter().find(|(word, _)| *word == value).map(|(_, variant)| *variant).ok_or_else(|| {
        let known: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        Error::new(text.span(), format!("`{key}` is one of {}", known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn every_key_is_read() {
        let args = Args::parse(quote!(
            name = "text.word_count",
            title = "Count words",
            phrases = ["count the words of {text}", "how long is {text}",],
            effect = "write",
            consent = "approver",
            idempotency = "key",
            undo = "text.uncount",
            undo_args = r#"{"text": "= input.text"}"#,
            no_undo = "It is sent.",
            may_inject,
            crate = crate::inner
        ));
        let args = args.unwrap();
        assert_eq!(args.name.unwrap().value(), "text.word_count");
        assert_eq!(args.title.unwrap().value(), "Count words");
        assert_eq!(args.phrases.len(), 2);
        assert_eq!((args.effect, args.consent, args.idempotency), (Some("Write"), Some("Approver"), Some("Key")));
        assert_eq!(args.undo.unwrap().value(), "text.uncount");
        assert_eq!(args.undo_args.unwrap().value(), r#"{"text": "= input.text"}"#);
        assert_eq!(args.no_undo.unwrap().value(), "It is sent.");
        assert!(args.may_inject && args.root.is_some());
        assert!(!Args::parse(quote!(may_inject = false)).unwrap().may_inject);
    }

    #[test]
    fn errors_name_the_valid_forms() {
        for (tokens, expected) in [
            (quote!(name = "word_count"), "`word_count` has no domain: write `domain.name`"),
            (quote!(name = "Text.count"), "`Text.count` is not a tool name"),
            (quote!(name = "a.b.c"), "and one dot"),
            (quote!(effect = "reads"), "`effect` is one of \"read\", \"write\", \"external\", \"irreversible\""),
            (quote!(consent = "all"), "`consent` is one of \"none\", \"user\", \"approver\""),
            (quote!(idempotency = "yes"), "`idempotency` is one of \"key\", \"none\""),
            (quote!(undo = "uncount"), "`uncount` has no domain"),
            (quote!(nam = "a.b"), "unknown key; the keys are `name`, `title`"),
            (quote!(title = "a", title = "b"), "`title` is given twice"),
            (quote!(title = 1), "expected string literal"),
        ] {
            let Err(error) = Args::parse(tokens.clone()) else { panic!("{tokens} is accepted") };
            assert!(error.to_string().contains(expected), "{tokens}: {error}");
        }
    }
}
