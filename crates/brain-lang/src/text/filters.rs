//! The filters of templates, and the scan for unknown ones.

use std::io::{self, Write as _};
use std::ops::Range;

use minijinja::value::Value;
use minijinja::{Environment, Error, ErrorKind};
use rust_decimal::{Decimal, RoundingStrategy};

use super::{Bounded, MAX_OUTPUT_BYTES};

/// Global names, which are not variables of a template.
pub(super) const GLOBALS: [&str; 3] = ["dict", "plural", "range"];

/// MiniJinja's filters that are kept. Those that can blow up a short text (`indent`, `format`) are not.
const KEPT: [&str; 35] = [
    "abs", "attr", "bool", "capitalize", "count", "d", "default", "dictsort", "first", "float", "groupby", "int",
    "items", "last", "length", "lines", "list", "lower", "map", "max", "min", "reject", "rejectattr", "reverse",
    "round", "select", "selectattr", "sort", "split", "sum", "title", "trim", "unique", "upper", "zip",
];

/// MiniJinja's filters that are removed.
const REMOVED: [&str; 9] = ["batch", "chain", "e", "escape", "format", "indent", "pprint", "safe", "slice"];

/// Our own, or bounded versions of MiniJinja's.
const OWN: [&str; 7] = ["date", "join", "json", "money", "plural", "replace", "string"];

/// The names of all filters.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    KEPT.into_iter().chain(OWN)
}

/// Installs exactly our filters and functions.
pub(super) fn install(env: &mut Environment<'static>) {
    for name in REMOVED {
        env.remove_filter(name);
    }
    // A namespace carries a value through a loop, which can double it each time.
    for name in ["debug", "namespace"] {
        env.remove_global(name);
    }
    env.add_filter("money", money);
    env.add_filter("date", date);
    env.add_filter("json", json);
    env.add_filter("join", join);
    env.add_filter("replace", replace);
    env.add_filter("string", |value: &Value| limited(|out| write!(out, "{value}")));
    env.add_filter("plural", |count: &Value, one: String, many: String| plural(count, one, many));
    env.add_function("plural", |count: Value, one: String, many: String| plural(&count, one, many));
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

fn is_nothing(value: &Value) -> bool {
    value.is_none() || value.is_undefined()
}

fn decimal(value: &Value) -> Option<Decimal> {
    crate::feel::decimal(value.to_string().trim())
}

/// Two decimals, rounded half up, with thousands separators: `1234.5` is `1,234.50`.
fn money(value: &Value) -> Result<String, Error> {
    if is_nothing(value) {
        return Ok(String::new());
    }
    let amount = decimal(value).ok_or_else(|| wrong(format!("`money` needs a number, not `{value}`")))?;
    Ok(money_text(amount))
}

/// An amount of money as the filter `money` writes it.
pub fn money_text(amount: Decimal) -> String {
    let rounded = amount.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    let text = format!("{:.2}", rounded.abs());
    let (whole, cents) = text.split_once('.').unwrap_or((&text, "00"));
    let mut grouped = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if rounded.is_sign_negative() && !rounded.is_zero() { "-" } else { "" };
    format!("{sign}{grouped}.{cents}")
}

/// A date, or a date and time, in a format such as `%d.%m.%Y`; ISO without one.
fn date(value: &Value, format: Option<String>) -> Result<String, Error> {
    if is_nothing(value) {
        return Ok(String::new());
    }
    let text = value.to_string();
    let moment =
        crate::feel::parse_date_time(&text).ok_or_else(|| wrong(format!("`date` needs a date, not `{text}`")))?;
    let format = format.unwrap_or_else(|| "%Y-%m-%d".to_owned());
    jiff::fmt::strtime::format(&format, moment.civil())
        .map_err(|error| wrong(format!("`{format}` is not a valid date format: {error}")))
}

/// The singular for 1, else the plural.
fn plural(count: &Value, one: String, many: String) -> String {
    if decimal(count) == Some(Decimal::ONE) { one } else { many }
}

/// Compact JSON.
fn json(value: &Value) -> Result<String, Error> {
    limited(|out| serde_json::to_writer(out, value).map_err(io::Error::from))
}

/// The output of a function, limited like a whole rendering.
fn limited(write: impl FnOnce(&mut Bounded) -> io::Result<()>) -> Result<String, Error> {
    let mut out = Bounded::default();
    write(&mut out).map_err(|error| if out.full { too_long() } else { wrong(error.to_string()) })?;
    String::from_utf8(out.bytes).map_err(|error| wrong(error.to_string()))
}

fn too_long() -> Error {
    wrong(format!("text can have at most {MAX_OUTPUT_BYTES} bytes"))
}

fn bounded(text: String) -> Result<String, Error> {
    if text.len() > MAX_OUTPUT_BYTES { Err(too_long()) } else { Ok(text) }
}

fn join(value: &Value, separator: Option<String>) -> Result<String, Error> {
    if is_nothing(value) {
        return Ok(String::new());
    }
    let separator = separator.unwrap_or_default();
    let mut joined = String::new();
    for (i, item) in value.try_iter()?.enumerate() {
        if i > 0 {
            joined.push_str(&separator);
        }
        if !is_nothing(&item) {
            joined.push_str(&item.to_string());
        }
        if joined.len() > MAX_OUTPUT_BYTES {
            break;
        }
    }
    bounded(joined)
}

fn replace(value: String, from: String, to: String) -> Result<String, Error> {
    let count = if from.is_empty() { 0 } else { value.matches(&from).count() };
    if value.len().saturating_add(count.saturating_mul(to.len())) > 2 * MAX_OUTPUT_BYTES {
        return Err(too_long());
    }
    bounded(if count == 0 { value } else { value.replace(&from, &to) })
}

/// The result of scanning a template's tags.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Scan {
    /// The first unknown filter and its position.
    pub(super) unknown: Option<(String, Range<usize>)>,
    /// Positions of `~`, `+` and `*`.
    pub(super) joins: Vec<usize>,
}

/// Scans the tags of a template.
///
/// MiniJinja resolves filters only at run time, but packs are checked earlier. The text has been parsed before, so a
/// scan that skips comments, raw blocks and quoted strings is enough.
pub(super) fn scan(source: &str) -> Scan {
    let mut scan = Scan::default();
    let mut at = 0;
    let mut raw = false;
    while let Some(open) = source[at..].find('{').map(|open| at + open) {
        let close = match source.as_bytes().get(open + 1) {
            Some(b'{') => "}}",
            Some(b'%') => "%}",
            Some(b'#') => "#}",
            _ => "",
        };
        if close.is_empty() || (raw && close != "%}") {
            at = open + 1;
            continue;
        }
        if close == "#}" {
            let Some(end) = source[open..].find(close) else {
                break;
            };
            at = open + end + close.len();
            continue;
        }
        let mut inside = Scan::default();
        let end = scan_tag(source, open + 2, close, &mut inside);
        let word = source[open + 2..end].trim_matches(|c: char| c.is_whitespace() || c == '-' || c == '+');
        raw = word == "raw" || (raw && word != "endraw");
        if !raw {
            scan.unknown = scan.unknown.or(inside.unknown);
            scan.joins.append(&mut inside.joins);
        }
        at = (end + close.len()).min(source.len());
    }
    scan
}

/// Scans one tag after its opening; returns its end.
fn scan_tag(source: &str, start: usize, close: &str, scan: &mut Scan) -> usize {
    let mut quote = None;
    let mut chars = source[start..].char_indices();
    while let Some((i, c)) = chars.next() {
        let at = start + i;
        match (quote, c) {
            (Some(_), '\\') => {
                chars.next();
            }
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '~' | '+' | '*') => scan.joins.push(at),
            (None, '|') if scan.unknown.is_none() => {
                let rest = &source[at + 1..];
                let name = rest.trim_start();
                let from = at + 1 + rest.len() - name.len();
                let length = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
                let name = &name[..length];
                if !name.is_empty() && !names().any(|known| known == name) {
                    scan.unknown = Some((name.to_owned(), from..from + length));
                }
            }
            (None, _) if source[at..].starts_with(close) => return at,
            _ => {}
        }
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::text::Text;

    fn render(source: &str) -> String {
        Text::parse(source).unwrap().render(&json!({"n": 1, "rows": [1, 2], "none": null})).unwrap()
    }

    #[test]
    fn every_kept_filter_exists_and_no_other() {
        let mut env = Environment::new();
        install(&mut env);
        for name in names() {
            let error = env.render_str(&format!("{{{{ 1|{name}(1,2,3,4,5,6,7) }}}}"), ()).err();
            assert!(error.is_none_or(|e| e.kind() != ErrorKind::UnknownFilter), "{name}");
        }
        for name in REMOVED {
            let error = env.render_str(&format!("{{{{ 1|{name} }}}}"), ()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnknownFilter, "{name}");
        }
    }

    #[test]
    fn money_has_two_decimals_and_separators() {
        for (value, text) in [
            ("1234.5", "1,234.50"),
            ("'1234567.005'", "1,234,567.01"),
            ("-1000", "-1,000.00"),
            ("0", "0.00"),
            ("-0.001", "0.00"),
            ("999.995", "1,000.00"),
            ("none", ""),
        ] {
            assert_eq!(render(&format!("{{{{ {value}|money }}}}")), text, "{value}");
        }
        assert!(Text::parse("{{ 'x'|money }}").unwrap().render(&json!({})).is_err());
    }

    #[test]
    fn dates_are_formatted() {
        assert_eq!(render("{{ '2024-01-05'|date }}"), "2024-01-05");
        assert_eq!(render("{{ '2024-01-05T10:30:00Z'|date('%d.%m.%Y %H:%M') }}"), "05.01.2024 10:30");
        assert!(Text::parse("{{ 'soon'|date }}").unwrap().render(&json!({})).is_err());
        assert!(Text::parse("{{ '2024-01-05'|date('%!') }}").unwrap().render(&json!({})).is_err());
    }

    #[test]
    fn plural_picks_the_form_for_the_count() {
        assert_eq!(render("{{ n|plural('file', 'files') }} {{ plural(2, 'file', 'files') }}"), "file files");
    }

    #[test]
    fn json_is_compact() {
        assert_eq!(render("{{ rows|json }}"), "[1,2]");
    }

    #[test]
    fn no_filter_blows_up_a_short_text() {
        for source in
            ["{{ ([rows] * 1000000)|json }}", "{{ ([rows] * 1000000)|string }}", "{{ ([rows] * 1000000)|join }}"]
        {
            let error = Text::parse(source).unwrap().render(&json!({"rows": "x"})).unwrap_err();
            assert!(error.message.contains("bytes"), "{source}: {error}");
        }
        let source = format!("{{{{ 'a'{} }}}}", "|replace('a', 'aaaaaaaaaa')".repeat(20));
        assert!(Text::parse(&source).unwrap().render(&json!({})).is_err());
    }

    #[test]
    fn unknown_filters_are_found_only_where_they_are_filters() {
        for source in
            ["{{ 'a|nope' }}", "a|nope", "{# a|nope #}", "{% raw %}{{ a|nope }}{% endraw %}", "{{ a | upper }}"]
        {
            assert_eq!(scan(source), Scan::default(), "{source}");
        }
        assert_eq!(scan("{% if a | nope %}{% endif %}").unknown.unwrap(), ("nope".into(), 10..14));
        assert_eq!(scan("a + {{ b + c ~ '+' }}").joins, [9, 13]);
    }
}
