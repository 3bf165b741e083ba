//! Source text to tokens. Words are not yet keywords: FEEL names may contain them (`date and time`).

use std::ops::Range;
use std::sync::Arc;

use rust_decimal::Decimal;

use super::error::{FeelError, FeelErrorKind};

/// One token and the bytes it came from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Range<usize>,
}

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Number(Decimal),
    String(Arc<str>),
    /// A name or keyword, as written.
    Word(Arc<str>),
    /// A name in backticks, which is never a keyword.
    Quoted(Arc<str>),
    /// Punctuation, longest match first.
    Punct(&'static str),
    End,
}

impl TokenKind {
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Number(n) => format!("`{n}`"),
            Self::String(_) => "a string".to_owned(),
            Self::Word(w) | Self::Quoted(w) => format!("`{w}`"),
            Self::Punct(p) => format!("`{p}`"),
            Self::End => "the end of the expression".to_owned(),
        }
    }
}

/// Longest first, so that `..` is not two dots and `**` is not two stars.
const PUNCTUATION: [&str; 24] = [
    "..", "**", "<=", ">=", "!=", "->", "+", "-", "*", "/", "=", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".",
    "@", "?",
];

/// Splits a source into tokens, the last of which is [`TokenKind::End`].
pub(super) fn lex(source: &str) -> Result<Vec<Token>, FeelError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at = skip_blanks(source, at)?;
        let rest = &source[at..];
        let Some(first) = rest.chars().next() else {
            tokens.push(Token { kind: TokenKind::End, span: at..at });
            return Ok(tokens);
        };
        let second_is_digit = rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        let (kind, length) = if first.is_ascii_digit() || (first == '.' && second_is_digit) {
            number(rest, at)?
        } else if first == '"' {
            let (text, length) = string(rest, at)?;
            (TokenKind::String(text.into()), length)
        } else if first == '`' {
            let Some(end) = rest[1..].find('`') else {
                return Err(syntax(at..source.len(), "a name in backticks is not closed"));
            };
            (TokenKind::Quoted(rest[1..=end].into()), end + 2)
        } else if is_name_start(first) {
            let length = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
            (TokenKind::Word(rest[..length].into()), length)
        } else if let Some(p) = PUNCTUATION.iter().find(|p| rest.starts_with(**p)) {
            (TokenKind::Punct(p), p.len())
        } else {
            let error = syntax(at..at + first.len_utf8(), format!("unexpected character `{first}`"));
            return Err(if first == '\'' { error.help("strings are in double quotes") } else { error });
        };
        tokens.push(Token { kind, span: at..at + length });
        at += length;
    }
}

fn syntax(span: Range<usize>, message: impl Into<String>) -> FeelError {
    FeelError::new(FeelErrorKind::Syntax, span, message)
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Skips white space, `// …` and `/* … */`.
fn skip_blanks(source: &str, mut at: usize) -> Result<usize, FeelError> {
    loop {
        let rest = &source[at..];
        let trimmed = rest.trim_start_matches(char::is_whitespace);
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if trimmed.starts_with("/*") {
            let Some(end) = trimmed.find("*/") else {
                return Err(syntax(at..source.len(), "a comment is not closed"));
            };
            at += end + 2;
        } else {
            return Ok(at);
        }
    }
}

/// `12`, `1.5`, `.5`, `1e3`; never the first dot of `1..5`.
fn number(rest: &str, at: usize) -> Result<(TokenKind, usize), FeelError> {
    let bytes = rest.as_bytes();
    let digits = |mut i: usize| {
        while bytes.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        i
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    let mantissa = end;
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    let too_large =
        || FeelError::new(FeelErrorKind::Overflow, at..at + end, "this number has more than 28 significant digits");
    let value = if end > mantissa {
        Decimal::from_scientific(&rest[..end])
    } else {
        // A leading zero does no harm, and `.5` needs it.
        Decimal::from_str_exact(&format!("0{}", &rest[..end]))
    };
    Ok((TokenKind::Number(value.map_err(|_| too_large())?), end))
}

/// A text in double quotes. An unknown escape keeps its backslash, so that patterns read naturally (`"\d+"`).
fn string(rest: &str, at: usize) -> Result<(String, usize), FeelError> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return Ok((text, i + 1)),
            '\\' => {
                let Some((_, escaped)) = chars.next() else {
                    break;
                };
                match escaped {
                    'n' => text.push('\n'),
                    'r' => text.push('\r'),
                    't' => text.push('\t'),
                    '"' | '\\' | '\'' => text.push(escaped),
                    'u' | 'U' => {
                        let width = if escaped == 'u' { 4 } else { 6 };
                        let Some((code, taken)) = unicode(&rest[i..], width) else {
                            return Err(syntax(at + i..at + i + 2, "a `\\u` escape needs four hexadecimal digits")
                                .help("write `\\u00e9`, or the character itself"));
                        };
                        text.push(code);
                        // Everything taken is ASCII; the backslash and the `u` are consumed already.
                        for _ in 0..taken - 2 {
                            chars.next();
                        }
                    }
                    other => {
                        text.push('\\');
                        text.push(other);
                    }
                }
            }
            other => text.push(other),
        }
    }
    Err(syntax(at..at + rest.len(), "a string is not closed").help("add a closing `\"`"))
}

/// The character of `\uXXXX` (or a surrogate pair of them) or `\UXXXXXX`, and how many bytes it takes.
fn unicode(rest: &str, width: usize) -> Option<(char, usize)> {
    let unit = |from: usize| {
        let digits = rest.get(from..from + width)?;
        digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    };
    let first = unit(2)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 2 + width));
    }
    let paired = rest.get(2 + width..4 + width).is_some_and(|p| p == "\\u");
    let second = unit(4 + width).filter(|low| paired && (0xDC00..0xE000).contains(low))?;
    if !(0xD800..0xDC00).contains(&first) {
        return None;
    }
    let code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    char::from_u32(code).map(|c| (c, 4 + 2 * width))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<TokenKind> {
        lex(source).unwrap().into_iter().map(|t| t.kind).collect()
    }

    #[test]
    fn a_range_is_not_two_decimals() {
        assert_eq!(
            kinds("1..5"),
            [
                TokenKind::Number(Decimal::ONE),
                TokenKind::Punct(".."),
                TokenKind::Number(Decimal::from(5)),
                TokenKind::End
            ]
        );
    }

    #[test]
    fn numbers_are_exact() {
        for (source, text) in [("0.10", "0.10"), (".5", "0.5"), ("1e3", "1000"), ("12.5e-1", "1.25")] {
            assert_eq!(kinds(source)[0], TokenKind::Number(text.parse().unwrap()), "{source}");
        }
        for source in ["123456789012345678901234567890.5", "9.2345678901234567890123456789", "1e99"] {
            assert_eq!(lex(source).unwrap_err().kind, FeelErrorKind::Overflow, "{source}");
        }
    }

    #[test]
    fn escapes_become_characters_and_unknown_ones_stay() {
        let text = |source: &str| match &kinds(source)[0] {
            TokenKind::String(s) => s.to_string(),
            other => panic!("{other:?}"),
        };
        assert_eq!(text(r#""a\n\"b\" \u00e9 \uD83D\uDC4D \d""#), "a\n\"b\" é 👍 \\d");
        assert!(lex(r#""\uZZZZ""#).is_err());
        assert!(lex(r#""\uD83D""#).is_err());
        assert!(lex("\"open").is_err());
    }

    #[test]
    fn comments_and_blanks_are_skipped() {
        assert_eq!(kinds("1 // one\n /* two */ "), [TokenKind::Number(Decimal::ONE), TokenKind::End]);
        assert!(lex("/* open").is_err());
    }

    #[test]
    fn a_single_quote_is_refused_with_help() {
        assert_eq!(lex("'a'").unwrap_err().help.unwrap(), "strings are in double quotes");
    }
}
