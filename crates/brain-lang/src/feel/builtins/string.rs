//! Functions on texts. Positions count characters from 1; negative ones from the end.

use regex_lite::{Regex, RegexBuilder};

use super::{Builtin, Call, given, sig};
use crate::feel::MAX_TEXT_BYTES;
use crate::feel::error::{FeelError, FeelErrorKind};
use crate::feel::eval::Evaluated;
use crate::feel::value::Value;

/// Maximum size of a compiled pattern.
const MAX_PATTERN_BYTES: usize = 64 * 1024;
/// Fuel for compiling a pattern.
const PATTERN_FUEL: usize = 100;
/// Maximum nesting of groups in a pattern.
const MAX_PATTERN_NESTING: u32 = 20;

pub(super) const FUNCTIONS: &[Builtin] = &[
    Builtin { name: "substring", signatures: &[sig(&["string", "start position", "length"], 2)], run: substring },
    Builtin { name: "string length", signatures: &[sig(&["string"], 1)], run: string_length },
    Builtin { name: "upper case", signatures: &[sig(&["string"], 1)], run: upper_case },
    Builtin { name: "lower case", signatures: &[sig(&["string"], 1)], run: lower_case },
    Builtin { name: "substring before", signatures: &[sig(&["string", "match"], 2)], run: substring_before },
    Builtin { name: "substring after", signatures: &[sig(&["string", "match"], 2)], run: substring_after },
    Builtin { name: "contains", signatures: &[sig(&["string", "match"], 2)], run: contains },
    Builtin { name: "starts with", signatures: &[sig(&["string", "match"], 2)], run: starts_with },
    Builtin { name: "ends with", signatures: &[sig(&["string", "match"], 2)], run: ends_with },
    Builtin { name: "replace", signatures: &[sig(&["input", "pattern", "replacement", "flags"], 3)], run: replace },
    Builtin { name: "matches", signatures: &[sig(&["input", "pattern", "flags"], 2)], run: matches },
    Builtin { name: "split", signatures: &[sig(&["string", "delimiter"], 2)], run: split },
    Builtin { name: "trim", signatures: &[sig(&["string"], 1)], run: trim },
    Builtin {
        name: "string join",
        signatures: &[sig(&["list", "delimiter", "prefix", "suffix"], 1)],
        run: string_join,
    },
    Builtin { name: "is blank", signatures: &[sig(&["string"], 1)], run: is_blank },
];

fn substring(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let text = given!(call.text(0));
    let start = given!(call.whole(1));
    let length = call.whole(2)?;
    let count = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let from = match start {
        0 => return Ok(Value::from("")),
        1.. => start - 1,
        _ => count.saturating_add(start).max(0),
    };
    let take = length.unwrap_or(i64::MAX).max(0);
    let from = usize::try_from(from).unwrap_or(usize::MAX);
    let take = usize::try_from(take).unwrap_or(usize::MAX);
    Ok(Value::from(text.chars().skip(from).take(take).collect::<String>()))
}

fn string_length(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let text = given!(call.text(0));
    Ok(Value::Number(text.chars().count().into()))
}

fn upper_case(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::from(given!(call.text(0)).to_uppercase()))
}

fn lower_case(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::from(given!(call.text(0)).to_lowercase()))
}

fn substring_before(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let (text, part) = (given!(call.text(0)), given!(call.text(1)));
    Ok(Value::from(text.split_once(&*part).map_or("", |(before, _)| before)))
}

fn substring_after(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let (text, part) = (given!(call.text(0)), given!(call.text(1)));
    Ok(Value::from(text.split_once(&*part).map_or("", |(_, after)| after)))
}

fn contains(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let (text, part) = (given!(call.text(0)), given!(call.text(1)));
    Ok(Value::Bool(text.contains(&*part)))
}

fn starts_with(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let (text, part) = (given!(call.text(0)), given!(call.text(1)));
    Ok(Value::Bool(text.starts_with(&*part)))
}

fn ends_with(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let (text, part) = (given!(call.text(0)), given!(call.text(1)));
    Ok(Value::Bool(text.ends_with(&*part)))
}

/// A pattern with flags `i`, `m`, `s` and `x`. Matching is linear in the text, and charged for it.
fn pattern(call: &mut Call<'_, '_, '_>, i: usize, pattern: &str, flags: &str, text: &str) -> Result<Regex, FeelError> {
    call.charge(PATTERN_FUEL + text.len())?;
    let wrong =
        |call: &Call<'_, '_, '_>, i, message: String| FeelError::new(FeelErrorKind::Pattern, call.arg_span(i), message);
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(MAX_PATTERN_BYTES).nest_limit(MAX_PATTERN_NESTING);
    for flag in flags.chars() {
        match flag {
            'i' => builder.case_insensitive(true),
            'm' => builder.multi_line(true),
            's' => builder.dot_matches_new_line(true),
            'x' => builder.ignore_whitespace(true),
            _ => {
                return Err(wrong(call, i + 1, format!("`{flag}` is not a flag: use i, m, s or x")));
            }
        };
    }
    builder.build().map_err(|error| wrong(call, i, format!("this pattern cannot be used: {error}")))
}

fn flags(call: &Call<'_, '_, '_>, i: usize) -> Result<String, FeelError> {
    Ok(call.text(i)?.map_or_else(String::new, |flags| flags.to_string()))
}

fn matches(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let (text, source) = (given!(call.text(0)), given!(call.text(1)));
    let flags = flags(call, 2)?;
    Ok(Value::Bool(pattern(call, 1, &source, &flags, &text)?.is_match(&text)))
}

fn replace(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let (text, source, by) = (given!(call.text(0)), given!(call.text(1)), given!(call.text(2)));
    let flags = flags(call, 3)?;
    let regex = pattern(call, 1, &source, &flags, &text)?;
    let template = parse_replacement(&by);
    let mut result = String::new();
    let mut done = 0;
    for captures in regex.captures_iter(&text) {
        let Some(whole) = captures.get(0) else {
            continue;
        };
        result.push_str(&text[done..whole.start()]);
        for part in &template {
            result.push_str(match part {
                Part::Text(text) => text,
                Part::Group(group) => captures.get(*group).map_or("", |m| m.as_str()),
            });
        }
        done = whole.end();
        if result.len() > MAX_TEXT_BYTES {
            break;
        }
    }
    result.push_str(&text[done..]);
    Ok(Value::from(result))
}

enum Part {
    Text(String),
    Group(usize),
}

/// `$1` is the first group, `$0` the whole match, `\$` a dollar sign.
fn parse_replacement(template: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut chars = template.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek().copied()) {
            ('\\', Some(next @ ('$' | '\\'))) => {
                literal.push(next);
                chars.next();
            }
            ('$', Some(digit)) if digit.is_ascii_digit() => {
                parts.push(Part::Text(std::mem::take(&mut literal)));
                parts.push(Part::Group(digit.to_digit(10).map_or(0, |d| d as usize)));
                chars.next();
            }
            (c, _) => literal.push(c),
        }
    }
    parts.push(Part::Text(literal));
    parts
}

fn split(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let (text, source) = (given!(call.text(0)), given!(call.text(1)));
    let regex = pattern(call, 1, &source, "", &text)?;
    Ok(Value::list(regex.split(&text).map(Value::from)))
}

fn trim(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::from(given!(call.text(0)).trim()))
}

/// Joins texts; nulls are skipped.
fn string_join(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let list = given!(call.list(0));
    let delimiter = call.text(1)?;
    let (prefix, suffix) = (call.text(2)?, call.text(3)?);
    call.charge(list.len())?;
    let mut result = prefix.map_or_else(String::new, |p| p.to_string());
    let mut first = true;
    for item in list.iter() {
        let text = match item {
            Value::Null => continue,
            Value::String(text) => text,
            _ => return Err(call.wrong(0, "a list of strings")),
        };
        if !first {
            result.push_str(delimiter.as_deref().unwrap_or(""));
        }
        first = false;
        result.push_str(text);
        if result.len() > MAX_TEXT_BYTES {
            break;
        }
    }
    result.push_str(suffix.as_deref().unwrap_or(""));
    Ok(Value::from(result))
}

fn is_blank(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::Bool(given!(call.text(0)).trim().is_empty()))
}
