//! Compares the output that a page shows with the output of the command.
//!
//! snapbox does the matching: `[..]` matches any characters within a line, a line with only `...` for any lines.
//! What differs from run to run is normalised first: ids ([`Ids`]), times, durations, the port and the folder.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex_lite::{Captures, Regex};
use snapbox::filter::NormalizeToExpected;
use snapbox::report::{Palette, write_diff};
use snapbox::{Data, IntoData};

const UUID: &str = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

/// The ids on the page and the corresponding ids of this session.
#[derive(Debug, Default)]
pub(super) struct Ids {
    /// By the id on the page.
    real: BTreeMap<String, String>,
    /// By the id of this session.
    shown: BTreeMap<String, String>,
    made: u32,
}

impl Ids {
    /// The command with the ids of this session.
    pub(super) fn to_real(&self, command: &str) -> String {
        replace_ids(command, |id| self.real.get(id).cloned())
    }

    /// The output with the ids of the page.
    fn to_shown(&self, output: &str) -> String {
        replace_ids(output, |id| self.shown.get(id).cloned())
    }

    fn bind(&mut self, shown: &str, real: &str) {
        self.real.insert(shown.to_owned(), real.to_owned());
        self.shown.insert(real.to_owned(), shown.to_owned());
    }

    /// Maps the ids of the page to real ones, from the lines that both have.
    fn learn(&mut self, expected: &str, actual: &str) {
        let mut rest: Vec<&str> = actual.lines().collect();
        for line in expected.lines().filter(|line| uuids().is_match(line)) {
            let shown: Vec<&str> = uuids().find_iter(line).map(|id| id.as_str()).collect();
            let pattern = line_pattern(line);
            let fits = |real: &Captures<'_>| {
                shown.iter().zip(1..).all(|(id, group)| {
                    let real = &real[group];
                    self.real.get(*id).map_or_else(|| !self.shown.contains_key(real), |known| known == real)
                })
            };
            let found = rest.iter().enumerate().find_map(|(at, line)| {
                let real = pattern.captures(line).filter(fits)?;
                Some((at, real))
            });
            let Some((at, real)) = found else { continue };
            let pairs: Vec<(&str, String)> =
                shown.iter().zip(1..).map(|(id, group)| (*id, real[group].to_owned())).collect();
            for (shown, real) in pairs {
                self.bind(shown, &real);
            }
            rest.drain(..=at);
        }
    }

    /// Gives an id of the page to every id of the output that has none yet: the one that follows the same word in the old
    /// text, so that later commands stay right when the wording changes, or a new one.
    fn adopt(&mut self, old: &str, output: &str, page: &str) {
        for (word, shown) in ids_after_words(old) {
            let is_free = |(other, real): &(&str, &str)| *other == word && !self.shown.contains_key(*real);
            if !self.real.contains_key(shown)
                && let Some((_, real)) = ids_after_words(output).find(is_free)
            {
                self.bind(shown, real);
            }
        }
        for id in uuids().find_iter(output) {
            let id = id.as_str();
            if is_example(id) || self.shown.contains_key(id) || self.real.contains_key(id) {
                continue;
            }
            let shown = loop {
                self.made += 1;
                let shown = format!("0197f3c2-{:04x}-7c3e-9d55-6b1f0c2a4e{:02x}", 0x8a10 + self.made, self.made & 0xff);
                if !page.contains(&shown) {
                    break shown;
                }
            };
            self.bind(&shown, id);
        }
    }
}

/// What a command printed, compared with what the page shows.
pub(super) struct Comparison {
    /// As shown on the page.
    page: String,
    expected: String,
    actual: String,
}

impl Comparison {
    /// Both texts, normalised. `actual` has the address and the folder of the page already.
    pub(super) fn new(ids: &mut Ids, expected: &str, actual: &str) -> Self {
        let page = trim(expected);
        let (expected, actual) = (steady(&page), trim(&steady(actual)));
        ids.learn(&expected, &actual);
        let shown = ids.to_shown(&actual);
        Self { actual: to_expected(&shown, &expected), expected, page }
    }

    pub(super) fn is_equal(&self) -> bool {
        self.expected == self.actual
    }

    /// What the page should show, if it shows something else: the whole output, except where the page leaves something out.
    pub(super) fn updated(&self, ids: &mut Ids, page: &str) -> Option<String> {
        ids.adopt(&self.expected, &self.actual, page);
        let text = ids.to_shown(&self.actual);
        (text != self.page).then_some(text)
    }

    /// The difference, for people.
    pub(super) fn diff(&self) -> String {
        let mut text = String::new();
        let (expected, actual) = (text_of(&self.expected), text_of(&self.actual));
        let names: [&dyn std::fmt::Display; 2] = [&"the page", &"the output"];
        // Writing into a string does not fail.
        let _ = write_diff(&mut text, &expected, &actual, Some(names[0]), Some(names[1]), Palette::plain());
        text
    }
}

fn text_of(text: &str) -> Data {
    text.to_owned().into_data()
}

/// The output with `[..]` and `...` where the page has them and they fit.
fn to_expected(actual: &str, expected: &str) -> String {
    let normalised = NormalizeToExpected::new().redact().normalize(text_of(actual), &text_of(expected));
    normalised.render().unwrap_or_else(|| actual.to_owned())
}

/// Without space at the ends of lines and empty lines at the end; a page cannot show them.
fn trim(text: &str) -> String {
    let text = text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let text = text.trim_end();
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

/// A pattern for a line with groups for its ids.
fn line_pattern(line: &str) -> Regex {
    let mut pattern = String::from("^");
    let mut rest = line;
    while let Some(id) = uuids().find(rest) {
        pattern.push_str(&literal(&rest[..id.start()]));
        pattern.push_str(&format!("({UUID})"));
        rest = &rest[id.end()..];
    }
    pattern.push_str(&literal(rest));
    pattern.push('$');
    Regex::new(&pattern).expect("an escaped line is a pattern")
}

/// A pattern for text in which `[..]` matches anything.
fn literal(text: &str) -> String {
    regex_lite::escape(text).replace(r"\[\.\.\]", ".*?")
}

/// The ids of a text, each with the word before it.
fn ids_after_words(text: &str) -> impl Iterator<Item = (&str, &str)> {
    uuids().find_iter(text).map(|id| {
        let before = text[..id.start()].trim_end_matches(|c: char| !c.is_alphanumeric());
        let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        (word, id.as_str())
    })
}

fn uuids() -> &'static Regex {
    static IDS: LazyLock<Regex> = LazyLock::new(|| Regex::new(UUID).expect("a constant pattern"));
    &IDS
}

fn replace_ids(text: &str, with: impl Fn(&str) -> Option<String>) -> String {
    uuids().replace_all(text, |id: &Captures<'_>| with(&id[0]).unwrap_or_else(|| id[0].to_owned())).into_owned()
}

/// The text with the same times, durations and digests in every session.
fn steady(text: &str) -> String {
    static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let rules = [
            (r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "2026-03-02T09:00:00.000Z"),
            (r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", "2026-03-02T09:00:00.000000Z"),
            (r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-03-02T09:00:00Z"),
            (r"\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\b", "2026-03-02 09:00:00"),
            (r"\b20\d\d-\d\d-\d\d \d\d:\d\d\b", "2026-03-02 09:00"),
            (r"\b20\d\d-W\d\d\b", "2026-W10"),
            (r#""(duration_ms|elapsed_ms)":( ?)\d+"#, r#""${1}":${2}1"#),
            (r#""trace_id":( ?)"[0-9a-f]{32}""#, r#""trace_id":${1}"0197f3c28a117c3e9d556b1f0c2a4e11""#),
            (r"\bbrn_[0-9a-f]{32}_[0-9a-f]{64}\b", "brn_0197f3c28a117c3e9d556b1f0c2a4e11_5ec2e7"),
            (r"\b(program|state|digest) [0-9a-f]{12}\b", "${1} 9d556b1f0c2a"),
        ];
        let compile = |(rule, with)| (Regex::new(rule).expect("a constant pattern"), with);
        rules.map(compile).into()
    });
    static DURATION: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"( {3,})?(\+?)\b\d+(\.\d+)? (ms|µs|s ago)\b").expect("a constant pattern"));
    let text = RULES.iter().fold(text.to_owned(), |text, (rule, with)| rule.replace_all(&text, *with).into_owned());
    let duration = |found: &Captures<'_>| {
        let new = format!("{}1 ms{}", &found[2], found[4].strip_prefix('s').unwrap_or_default());
        // A column keeps its width.
        if found.get(1).is_some() { format!("{new:>width$}", width = found[0].chars().count()) } else { new }
    };
    DURATION.replace_all(&text, duration).into_owned()
}

/// Whether an id is an example that the packs and pages name, the same in every session.
fn is_example(id: &str) -> bool {
    id.starts_with("01890a5d-") || id.starts_with("00000000-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: &str = "0197f3c2-8a11-7c3e-9d55-6b1f0c2a4e11";
    const REAL: &str = "01a1ed13-ac96-774b-bcce-b302099a8057";
    const OTHER: &str = "01a1ed13-ac96-774b-bcce-b302099a8058";

    fn equal(expected: &str, actual: &str) -> bool {
        Comparison::new(&mut Ids::default(), expected, actual).is_equal()
    }

    #[test]
    fn the_whole_output_is_compared() {
        assert!(equal("a\nb", "a\nb\n\n"));
        assert!(!equal("a", "a\nb\n"));
        assert!(!equal("b", "a\nb\n"));
        assert!(!equal("", "a\n"));
        assert!(!equal("a\n\nb", "a\nb\n"));
    }

    #[test]
    fn what_a_page_leaves_out_is_marked() {
        assert!(equal("a [..] c\n...\nz", "a b b c\nd\ne\nz\n"));
        assert!(equal("a\n...", "a\nb\nc\n"));
        assert!(!equal("a\n...\nz", "a\nb\n"));
    }

    #[test]
    fn times_and_durations_do_not_matter() {
        assert!(equal("at 2026-03-02T09:00:00.000Z in 1 ms", "at 2026-11-18T05:07:33.123Z in 12.5 ms\n"));
        assert!(!equal("at 2026-03-02T09:00:00.000Z", "at 2026-11-18T05:07:33Z\n"));
        assert!(equal("completed       1 ms ago", "completed     113 ms ago\n"));
        assert!(equal("t  1 ms", "t  12.5 µs\n"));
    }

    #[test]
    fn an_id_is_replaced_by_the_real_one_from_then_on() {
        let mut ids = Ids::default();
        let first =
            Comparison::new(&mut ids, &format!("...\n run {SHOWN} [..]"), &format!("x {OTHER}\n run {REAL} y\n"));
        assert!(first.is_equal(), "{}", first.diff());
        assert_eq!(ids.to_real(&format!("brain runs show {SHOWN}")), format!("brain runs show {REAL}"));
        assert!(Comparison::new(&mut ids, SHOWN, REAL).is_equal());
        assert!(!Comparison::new(&mut ids, SHOWN, OTHER).is_equal());
    }

    #[test]
    fn an_update_writes_the_output_and_keeps_elisions() {
        let mut ids = Ids::default();
        let comparison = Comparison::new(&mut ids, "old\n...\nz [..]", &format!("new {REAL}\nz 1\n"));
        let updated = comparison.updated(&mut ids, "").unwrap();
        assert_eq!(updated, "new 0197f3c2-8a11-7c3e-9d55-6b1f0c2a4e01\n...\nz [..]\n");
        assert_eq!(ids.to_real("0197f3c2-8a11-7c3e-9d55-6b1f0c2a4e01"), REAL);
    }

    #[test]
    fn an_update_normalises_the_page_itself() {
        let mut ids = Ids::default();
        let same = Comparison::new(&mut ids, "in 7 ms", "in 9 ms\n");
        assert!(same.is_equal());
        assert_eq!(same.updated(&mut ids, "").as_deref(), Some("in 1 ms\n"));
        assert_eq!(Comparison::new(&mut ids, "in 1 ms", "in 9 ms\n").updated(&mut ids, ""), None);
    }

    #[test]
    fn an_update_keeps_an_id_when_the_wording_changes() {
        let mut ids = Ids::default();
        let (old, new) = (format!("done: run {SHOWN}"), format!("lead {OTHER}\nfinished run {REAL}\n"));
        let updated = Comparison::new(&mut ids, &old, &new).updated(&mut ids, &old).unwrap();
        assert!(updated.ends_with(&format!("finished run {SHOWN}\n")), "{updated}");
    }
}
