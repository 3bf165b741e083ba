//! The filters of a question: what the store compares, and what is compared record by record.

use brain_core::Timestamp;
use brain_registry::model::{FieldDef, QueryBehavior, QueryTest, RecordDef};
use brain_registry::normalise;
use brain_store::{RecordFilter, RecordRow};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::measure::{Measured, measured};
use super::period;
use crate::index_entries::index_value;
use crate::toolbox::RecordType;

/// One filter with its value.
pub(super) struct Test<'a> {
    /// The input that it came from.
    pub(super) input: &'a str,
    /// The field, `state`, `created_at` or `updated_at`.
    pub(super) field: &'a str,
    pub(super) test: QueryTest,
    /// The input's value.
    pub(super) value: &'a Value,
    declared: Option<&'a FieldDef>,
    against: Against,
    zone: TimeZone,
}

/// What a field is compared with.
enum Against {
    /// A number, or a day or moment.
    Measured(Measured),
    /// Days from the first to before the second.
    Days(Date, Date),
    /// A value as it is stored.
    Stored(Value),
    /// A text without regard to case, or the digits of a phone number.
    Text(String, bool),
    /// Nothing: the value cannot be read.
    Nothing,
}

/// The filters that the arguments give.
pub(super) fn tests<'a>(
    behavior: &'a QueryBehavior,
    kind: &'a RecordType,
    args: &'a Map<String, Value>,
    inputs: &Value,
    zone: &TimeZone,
    now: Timestamp,
) -> Vec<Test<'a>> {
    let today = now.to_jiff().to_zoned(zone.clone()).date();
    let given = behavior
        .filters
        .iter()
        .filter_map(|(input, filter)| Some((input, filter, args.get(input).filter(|value| !value.is_null())?)));
    given
        .map(|(input, filter, value)| {
            let declared = kind.def.field(&filter.field);
            let schema = &inputs[input.as_str()];
            let against = against(filter.test, schema, declared, value, today);
            let (input, field) = (input.as_str(), filter.field.as_str());
            Test { input, field, test: filter.test, value, declared, against, zone: zone.clone() }
        })
        .collect()
}

fn against(test: QueryTest, input: &Value, declared: Option<&FieldDef>, value: &Value, today: Date) -> Against {
    let text = value.as_str().unwrap_or_default();
    if test == QueryTest::During {
        return period::days(text, today).map_or(Against::Nothing, |(from, to)| Against::Days(from, to));
    }
    match input["format"].as_str() {
        Some("date") => text.parse().map_or(Against::Nothing, |day| Against::Measured(Measured::Day(day))),
        Some("money" | "decimal") => match measured(value) {
            Some(number) => Against::Measured(number),
            None => Against::Nothing,
        },
        None if input["type"] == "string" && input.get("enum").is_none() => {
            let is_phone = declared.is_some_and(|field| field.schema["format"] == "phone");
            Against::Text(folded(text, is_phone), is_phone)
        }
        _ => Against::Stored(declared.map_or_else(|| value.clone(), |field| normalise(&field.schema, value.clone()))),
    }
}

fn folded(text: &str, is_phone: bool) -> String {
    if is_phone {
        return text.chars().filter(char::is_ascii_digit).collect();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

impl Test<'_> {
    /// Whether the store compares it: by an index, or as it reads.
    fn is_stored(&self) -> bool {
        self.test == QueryTest::Is && matches!(self.against, Against::Stored(_))
    }

    /// Whether a record passes. The store has compared what it can.
    pub(super) fn holds(&self, row: &RecordRow) -> bool {
        let value = &row.body[self.field];
        match &self.against {
            Against::Nothing => false,
            Against::Stored(wanted) if self.field == "state" => row.state.as_deref() == wanted.as_str(),
            Against::Stored(wanted) => match value {
                Value::Array(items) => items.contains(wanted),
                one => one == wanted,
            },
            Against::Text(wanted, is_phone) => {
                let is = |value: &Value| value.as_str().is_some_and(|text| folded(text, *is_phone) == *wanted);
                is(value)
            }
            Against::Days(from, to) => self.day(row).is_some_and(|day| *from <= day && day < *to),
            Against::Measured(Measured::Day(wanted)) => self.day(row).is_some_and(|day| self.compares(&day, wanted)),
            Against::Measured(wanted) => measured(value).is_some_and(|value| self.compares(&value, wanted)),
        }
    }

    fn compares<T: Ord>(&self, value: &T, wanted: &T) -> bool {
        match self.test {
            QueryTest::Is => value == wanted,
            QueryTest::Least => value >= wanted,
            QueryTest::Most => value <= wanted,
            QueryTest::Over => value > wanted,
            QueryTest::Under => value < wanted,
            QueryTest::During => false,
        }
    }

    /// The day of the record that is compared, in the pack's time zone.
    fn day(&self, row: &RecordRow) -> Option<Date> {
        super::measure::time(row, self.field).map(|measured| measured.day(&self.zone))?
    }
}

/// What the store compares.
pub(super) fn store_filter(def: &RecordDef, tests: &[Test<'_>]) -> RecordFilter {
    let mut filter = RecordFilter::default();
    for test in tests.iter().filter(|test| test.is_stored()) {
        let Against::Stored(value) = &test.against else { continue };
        match test.declared {
            None if test.field == "state" => filter.state = value.as_str().map(str::to_owned),
            Some(field) if field.indexed || field.points_to().is_some() => {
                filter.indexed.push((field.name.clone(), index_value(value)));
            }
            // A list is compared here: the store compares whole values.
            Some(field) if def.field(&field.name).is_some_and(|field| field.schema["type"] != "array") => {
                filter.fields.push((field.name.clone(), value.clone()));
            }
            _ => {}
        }
    }
    filter
}
