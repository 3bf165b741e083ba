//! Converts FEEL from DMN: names with spaces are put in backticks, and inputs become members of `input`.

use brain_lang::feel::{self, Expr, FeelError};

/// The grammar of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Expression,
    Tests,
}

/// A free name in an expression: whether it may be a property inside a filter, and the path that follows it.
pub(super) struct Read<'e> {
    pub(super) name: &'e str,
    pub(super) next: Option<&'e str>,
    pub(super) maybe_item: bool,
}

/// The replacement of a name and its path; `None` keeps it.
#[derive(Default)]
pub(super) struct Instead {
    pub(super) name: Option<String>,
    pub(super) next: Option<String>,
}

/// Rewrites a text. `odd` are names that are not plain words; `replace` maps free names.
pub(super) fn rewrite(
    text: &str,
    form: Form,
    odd: &[String],
    mut replace: impl FnMut(&Read<'_>) -> Instead,
) -> Result<String, FeelError> {
    let source = quoted(text, odd);
    let expr = parse(&source, form)?;
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    for path in expr.paths_with_spans() {
        let Some(name) = path.segments.first() else { continue };
        let next = path.segments.get(1).map(String::as_str);
        let instead = replace(&Read { name, next, maybe_item: path.maybe_item });
        let start = path.span.start;
        let end = start + name_length(&source[start..]);
        if let Some(text) = instead.name {
            edits.push((start, end, text));
        }
        if let (Some(text), Some(start)) = (instead.next, after_dot(&source, end)) {
            edits.push((start, start + name_length(&source[start..]), text));
        }
    }
    edits.sort();
    edits.dedup();
    let mut result = String::new();
    let mut at = 0;
    for (start, end, text) in edits {
        result.push_str(&source[at..start]);
        result.push_str(&text);
        at = end;
    }
    result.push_str(&source[at..]);
    parse(&result, form).map(|_| result)
}

fn parse(source: &str, form: Form) -> Result<Expr, FeelError> {
    match form {
        Form::Expression => feel::parse(source),
        Form::Tests => feel::parse_unary_tests(source),
    }
}

/// Whether a name needs backticks.
pub(super) fn is_odd(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$') || !name.chars().all(is_part)
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Length of the name at the start of a text.
fn name_length(text: &str) -> usize {
    match text.strip_prefix('`') {
        Some(rest) => rest.find('`').map_or(text.len(), |end| end + 2),
        None => text.find(|c| !is_part(c)).unwrap_or(text.len()),
    }
}

fn after_dot(source: &str, at: usize) -> Option<usize> {
    let rest = source[at..].trim_start().strip_prefix('.')?.trim_start();
    Some(source.len() - rest.len())
}

/// Puts names with spaces and signs in backticks, the longest first; skips string literals and quoted names.
fn quoted(text: &str, odd: &[String]) -> String {
    let mut result = String::new();
    let mut rest = text;
    let mut inside = false;
    while let Some(c) = rest.chars().next() {
        if c == '"' || c == '`' {
            let length = closed(rest, c);
            result.push_str(&rest[..length]);
            rest = &rest[length..];
            inside = false;
            continue;
        }
        let found = odd.iter().filter(|_| !inside).find_map(|name| Some((name, matched(rest, name)?)));
        if let Some((name, length)) = found {
            result.push_str(&format!("`{name}`"));
            rest = &rest[length..];
            continue;
        }
        inside = is_part(c);
        result.push(c);
        rest = &rest[c.len_utf8()..];
    }
    result
}

/// The end of a quotation.
fn closed(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped && quote == '"';
    }
    text.len()
}

/// Length of this name at the start of a text. A space in the name matches any white space.
fn matched(text: &str, name: &str) -> Option<usize> {
    let mut rest = text;
    for (index, word) in name.split(' ').enumerate() {
        if index > 0 {
            let trimmed = rest.trim_start();
            if trimmed.len() == rest.len() {
                return None;
            }
            rest = trimmed;
        }
        rest = rest.strip_prefix(word)?;
    }
    let ends = name.ends_with(is_part) && rest.starts_with(is_part);
    (!ends).then(|| text.len() - rest.len())
}

/// The literals of `"a", "b"`, if the text is only that.
pub(super) fn texts(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    loop {
        let length = closed(rest, '"');
        found.push(plain_text(rest.get(..length)?)?);
        rest = rest[length..].trim_start();
        if rest.is_empty() {
            return Some(found);
        }
        rest = rest.strip_prefix(',')?.trim_start();
    }
}

/// The text inside quotes, if it has no escapes.
pub(super) fn plain_text(text: &str) -> Option<String> {
    let inside = text.trim().strip_prefix('"')?.strip_suffix('"')?;
    (!inside.contains(['"', '\\'])).then(|| inside.to_owned())
}

/// Whether a text is a number or boolean that YAML writes in the same way.
pub(super) fn is_plain(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let all = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    matches!(text, "true" | "false") || (all(whole) && all(part) && (whole == "0" || !whole.starts_with('0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(text: &str, form: Form, odd: &[&str]) -> Result<String, FeelError> {
        let odd: Vec<String> = odd.iter().map(|name| (*name).to_owned()).collect();
        rewrite(text, form, &odd, |read| Instead {
            name: (!read.maybe_item).then(|| format!("input.{}", read.name.to_lowercase().replace(' ', "_"))),
            next: None,
        })
    }

    #[test]
    fn names_with_blanks_become_inputs_and_texts_stay() {
        let odd = ["Monthly Income", "Income"];
        for (theirs, expected) in [
            ("Monthly  Income * 12", "input.monthly_income * 12"),
            (
                "if Age > 3 then \"Age\" else Income.Monthly Income",
                "if input.age > 3 then \"Age\" else input.income.`Monthly Income`",
            ),
            ("for Age in Ages return Age + 1", "for Age in input.ages return Age + 1"),
            ("Ages[item > 3]", "input.ages[item > 3]"),
        ] {
            assert_eq!(ours(theirs, Form::Expression, &odd).unwrap(), expected);
        }
        assert_eq!(ours("> Monthly Income, \"x\"", Form::Tests, &odd).unwrap(), "> input.monthly_income, \"x\"");
        assert!(ours("Monthly Salary", Form::Expression, &odd).is_err());
    }

    #[test]
    fn literals_are_told_apart() {
        assert_eq!(texts("\"a\" , \"b, c\"").unwrap(), ["a", "b, c"]);
        assert!(texts("\"a\", b").is_none() && texts("1, 2").is_none() && texts("").is_none());
        assert!(is_plain("-1.50") && is_plain("0") && is_plain("true"));
        assert!(!is_plain("007") && !is_plain("1e3") && !is_plain("") && !is_plain("."));
    }
}
