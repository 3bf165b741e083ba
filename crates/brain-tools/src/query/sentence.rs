//! The sentence of an answer.

use brain_core::Failure;
use brain_registry::model::{FieldDef, QueryTest};
use brain_store::RecordRow;
use serde_json::Value;

use super::compare::Test;
use super::measure::{self, Measured, Summary, measured};
use super::naming::Naming;
use super::{NAMED, Query};

/// Maximum number of fields in a sentence about one record.
const MAX_FIELDS: usize = 6;
/// Maximum number of items of a list in a sentence.
const MAX_ITEMS: usize = 5;
/// Longer values are prose.
const MAX_VALUE: usize = 80;

/// Answers about all records that match.
pub(super) fn answer(query: &Query<'_>, summary: &Summary<'_>, naming: &mut Naming<'_, '_>) -> Result<String, Failure> {
    let count = summary.count;
    let words = Words::of(query, naming)?;
    if count == 0 {
        return Ok(words.none());
    }
    let of = summary.of.unwrap_or_default();
    let label = query.label("of", of);
    let shown = |value: &Measured| value.shown(measure::is_money(query.def(), of), query);
    let Some(value) = &summary.value else {
        return match summary.measure {
            "list" | "show" => Ok(words.list(count, &names(query, summary, naming, NAMED)?)),
            "count" => Ok(words.count(count)),
            _ => Ok(format!("None of {} has a value for {label}.", words.these(count))),
        };
    };
    let value = shown(value);
    Ok(match summary.measure {
        "highest" | "lowest" => {
            let which = match (summary.measure, measure::is_time(query.def(), of)) {
                ("highest", false) => "highest",
                ("highest", true) => "latest",
                (_, false) => "lowest",
                (_, true) => "earliest",
            };
            let who = names(query, summary, naming, NAMED)?;
            let has = if summary.rows.len() == 1 { "has" } else { "have" };
            let among = if words.is_plain() { String::new() } else { format!(" of the {}", words.described(2)) };
            format!("{who} {has} the {which} {label}{among}: {value}.")
        }
        measure => {
            let total = if measure == "sum" {
                format!("The {label} of {} adds up to", words.these(count))
            } else {
                format!("The average {label} of {} is", words.these(count))
            };
            let without = match summary.without {
                0 => String::new(),
                1 => format!(" 1 has no {label}."),
                several => format!(" {} have no {label}.", grouped(several)),
            };
            format!("{total} {value}.{without}")
        }
    })
}

/// The names of the first records, and how many there are besides.
fn names(
    query: &Query<'_>,
    summary: &Summary<'_>,
    naming: &mut Naming<'_, '_>,
    most: usize,
) -> Result<String, Failure> {
    let mut names = Vec::new();
    let limit = query.args.get("limit").and_then(Value::as_u64).map_or(most, |limit| most.min(limit as usize));
    let of = summary.of.filter(|_| summary.measure == "list");
    for row in summary.rows.iter().take(limit) {
        let name = naming.name(query.kind, row)?;
        // A list in the order of a field says its values.
        let value = of.map(|of| text_of(query, of, row, naming)).transpose()?.flatten();
        names.push(value.map_or_else(|| name.clone(), |value| format!("{name} ({value})")));
    }
    let more = summary.rows.len().saturating_sub(names.len());
    if more > 0 {
        return Ok(format!("{} and {} more", names.join(", "), grouped(more)));
    }
    Ok(joined(&names))
}

fn joined(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The words that describe the records that match.
struct Words<'q> {
    query: &'q Query<'q>,
    /// Before the noun: `open`.
    before: Vec<String>,
    /// After the noun: `with artist Maria`.
    after: Vec<String>,
    /// What became of them and when: `were lost this month`.
    became: Option<(String, String)>,
}

impl<'q> Words<'q> {
    fn of(query: &'q Query<'q>, naming: &mut Naming<'_, '_>) -> Result<Self, Failure> {
        let mut words = Self { query, before: Vec::new(), after: Vec::new(), became: None };
        let when = query.tests.iter().find(|test| test.test == QueryTest::During && is_stamp(test.field));
        let state = query.tests.iter().find(|test| test.field == "state");
        let became = match (when, state) {
            (Some(when), Some(state)) if when.field == "updated_at" => {
                Some((when, query.label("state", state.value.as_str().unwrap_or_default())))
            }
            (Some(when), _) if when.field == "created_at" => Some((when, "created".to_owned())),
            _ => None,
        };
        for test in &query.tests {
            let is_told = became
                .as_ref()
                .is_some_and(|(when, what)| std::ptr::eq(*when, test) || (test.field == "state" && what != "created"));
            if !is_told {
                words.add(test, naming)?;
            }
        }
        words.became =
            became.map(|(when, what)| (what, query.label(when.input, when.value.as_str().unwrap_or_default())));
        Ok(words)
    }

    fn add(&mut self, test: &Test<'_>, naming: &mut Naming<'_, '_>) -> Result<(), Failure> {
        let query = self.query;
        let text = test.value.as_str().unwrap_or_default();
        let declared = query.def().field(test.field);
        let name = called(query, test.field);
        let schema = &query.inputs[test.input];
        if let Some(record) = declared.and_then(FieldDef::points_to) {
            self.after.push(format!("with {name} {}", naming.reference(record, text)?));
        } else if test.test == QueryTest::During {
            self.after.push(format!("{} {}", happens(test.field), query.label(test.input, text)));
        } else if schema["enum"].is_array() {
            self.before.push(query.label(test.input, text).to_lowercase());
        } else if let Value::Bool(flag) = test.value {
            self.after.push(format!("{} {name}", if *flag { "with" } else { "without" }));
        } else if schema["format"] == "date" {
            let side = match test.test {
                QueryTest::Least => "since",
                QueryTest::Most => "until",
                QueryTest::Over => "after",
                QueryTest::Under => "before",
                QueryTest::Is | QueryTest::During => "on",
            };
            self.after.push(format!("{} {side} {text}", happens(test.field)));
        } else {
            let value = match measured(test.value) {
                Some(number) if !schema["format"].is_null() => {
                    number.shown(measure::is_money(query.def(), test.field), query)
                }
                _ => text.to_owned(),
            };
            let side = match test.test {
                QueryTest::Least => " of at least",
                QueryTest::Most => " of at most",
                QueryTest::Over => " over",
                QueryTest::Under => " under",
                QueryTest::Is | QueryTest::During => "",
            };
            self.after.push(format!("with {name}{side} {value}"));
        }
        Ok(())
    }

    fn is_plain(&self) -> bool {
        self.before.is_empty() && self.after.is_empty() && self.became.is_none()
    }

    fn noun(&self, count: usize) -> &str {
        if count == 1 { &self.query.behavior.one } else { &self.query.behavior.many }
    }

    /// `open tasks of Maria`.
    fn described(&self, count: usize) -> String {
        let became = self.became.as_ref().map(|(what, when)| format!("{what} {when}"));
        self.phrase(count, became)
    }

    fn phrase(&self, count: usize, last: Option<String>) -> String {
        let noun = self.noun(count).to_owned();
        let all = self.before.iter().cloned().chain([noun]).chain(self.after.iter().cloned()).chain(last);
        all.collect::<Vec<_>>().join(" ")
    }

    /// `12 open tasks`.
    fn these(&self, count: usize) -> String {
        format!("{} {}", grouped(count), self.described(count))
    }

    fn none(&self) -> String {
        match &self.became {
            Some((what, when)) => format!("No {} was {what} {when}.", self.phrase(1, None)),
            None => format!("There are no {}.", self.described(0)),
        }
    }

    fn count(&self, count: usize) -> String {
        match &self.became {
            Some((what, when)) => {
                let were = if count == 1 { "was" } else { "were" };
                format!("{} {} {were} {what} {when}.", grouped(count), self.phrase(count, None))
            }
            None if count == 1 => format!("There is {}.", self.these(1)),
            None => format!("There are {}.", self.these(count)),
        }
    }

    fn list(&self, count: usize, names: &str) -> String {
        let counted = self.count(count);
        format!("{}: {names}.", counted.trim_end_matches('.'))
    }
}

fn is_stamp(field: &str) -> bool {
    matches!(field, "created_at" | "updated_at")
}

/// What happens at a date: `due_date` is when something is due.
fn happens(field: &str) -> String {
    let stem = ["_date", "_at", "_on", "_day", "_time"].iter().find_map(|ending| field.strip_suffix(ending));
    let stem = stem.unwrap_or(field);
    if field == "updated_at" { "changed".to_owned() } else { stem.replace('_', " ") }
}

/// What people call a field.
fn called(query: &Query<'_>, field: &str) -> String {
    query.label("field", field)
}

/// The value of a field as people read it; `None` if there is none.
fn text_of(
    query: &Query<'_>,
    field: &str,
    row: &RecordRow,
    naming: &mut Naming<'_, '_>,
) -> Result<Option<String>, Failure> {
    if field == "state" {
        return Ok(row.state.as_ref().map(|state| query.label("state", state)));
    }
    let Some(declared) = query.def().field(field) else { return Ok(None) };
    let value = &row.body[field];
    if measure::is_time(query.def(), field) {
        return Ok(measure::time(row, field).map(|time| time.shown(false, query)));
    }
    let is_number = !value.is_string() || matches!(declared.schema["format"].as_str(), Some("money" | "decimal"));
    if let Some(number) = measured(value).filter(|_| is_number) {
        return Ok(Some(number.shown(measure::is_money(query.def(), field), query)));
    }
    let items: Vec<&Value> = match value {
        Value::Array(items) => items.iter().take(MAX_ITEMS).collect(),
        Value::Null => return Ok(None),
        one => vec![one],
    };
    let mut texts = Vec::new();
    for item in items {
        texts.push(match (declared.points_to(), item) {
            (Some(record), Value::String(id)) => naming.reference(record, id)?,
            (_, Value::String(text)) => {
                declared.schema["x-labels"][text.as_str()].as_str().unwrap_or(text).trim().to_owned()
            }
            (_, Value::Bool(flag)) => if *flag { "yes" } else { "no" }.to_owned(),
            (_, other) => other.to_string(),
        });
    }
    Ok(Some(joined(&texts)).filter(|text| !text.is_empty()))
}

/// `Tom Walsh's phone is 0412 345 678.`
pub(super) fn field(
    query: &Query<'_>,
    row: &RecordRow,
    name: &str,
    field: &str,
    naming: &mut Naming<'_, '_>,
) -> Result<String, Failure> {
    let label = called(query, field);
    Ok(match text_of(query, field, row, naming)? {
        Some(value) => format!("The {label} of {name} is {}.", value.trim_end_matches('.')),
        None => format!("{name} has no {label}."),
    })
}

/// Whether a record is what was asked; if it is not, the state that it is in.
pub(super) fn is_it(query: &Query<'_>, row: &RecordRow, name: &str, matches: bool) -> String {
    let asked = query.tests.iter().find(|test| test.field == "state").and_then(|test| test.value.as_str());
    match (matches, asked, &row.state) {
        (true, Some(asked), _) => format!("Yes, {name} is {}.", query.label("state", asked)),
        (false, Some(asked), Some(state)) if state != asked => {
            format!("No, {name} is {}.", query.label("state", state))
        }
        (true, ..) => format!("Yes, that is true of {name}."),
        (false, ..) => format!("No, that is not true of {name}."),
    }
}

/// A record with its fields.
pub(super) fn whole(
    query: &Query<'_>,
    row: &RecordRow,
    name: &str,
    naming: &mut Naming<'_, '_>,
) -> Result<String, Failure> {
    let def = query.def();
    let named = def.name_field().map(|field| field.name.as_str());
    let state = row.state.as_ref().map(|state| format!("{} {}", called(query, "state"), query.label("state", state)));
    let mut parts: Vec<String> = state.into_iter().collect();
    for field in def.fields.iter().filter(|field| field.ask && Some(field.name.as_str()) != named) {
        if parts.len() == MAX_FIELDS {
            break;
        }
        let value = text_of(query, &field.name, row, naming)?.filter(|text| text.chars().count() <= MAX_VALUE);
        parts.extend(value.map(|value| format!("{} {value}", called(query, &field.name))));
    }
    Ok(if parts.is_empty() { format!("{name}.") } else { format!("{name}: {}.", parts.join(", ")) })
}

/// A count with separators: `10,000`.
pub(super) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
