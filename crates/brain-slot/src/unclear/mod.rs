//! Expressions that hold a value and more than that: ranges, alternatives, approximations, other currencies, days that
//! do not exist. Half of such an expression is never a value.

mod beside;
mod front;
mod itself;
mod joined;
#[cfg(test)]
mod tests;
mod unread;

use std::fmt;
use std::ops::Range;

use jiff::civil::{Date, Weekday};
use rust_decimal::Decimal;
use serde_json::Value;

use super::extract::{extract_any, starts, starts_value};
use super::{SlotKind, Surroundings};

/// An expression from which no single value of a type can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclear {
    /// Its position, in folded characters.
    pub range: Range<usize>,
    /// What is unclear.
    pub kind: UnclearKind,
    /// The expression, folded. A caller with the original text may put that here.
    pub text: String,
}

/// Why an expression is not one value of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnclearKind {
    /// `2-3 kg`, `between 90 and 100`.
    Range,
    /// `5 or 6 euro`, `Friday or Saturday`; the values, worded.
    Alternative(Vec<String>),
    /// `about 20`, `5ish`.
    Approximate,
    /// `at least 5`, `under 200`, `before Friday`; whether it is the upper bound.
    Limit {
        /// Whether no more than this is allowed.
        upper: bool,
    },
    /// A notation with two meanings: `1.250` is 1250 or 1.250.
    Notation(String, String),
    /// Another currency than the expected one.
    Currency {
        /// The currency in the text.
        found: String,
        /// The expected one.
        wanted: String,
    },
    /// Something that is not measured so: `2 bags` for a weight. What was wanted, worded.
    Unit(String),
    /// A day that no calendar has, worded: `31 November`.
    NoSuchDate(String),
    /// A date that is another weekday than the text says.
    WeekdayContradicts {
        /// The date.
        date: Date,
        /// The weekday in the text.
        said: Weekday,
    },
    /// `every Friday`, `on Fridays`, `weekly`.
    Recurring,
    /// `half`, `first Friday of December`: the value is a part of something else.
    Part,
    /// `5 and 6 kilos`.
    Several,
    /// More decimals than the currency has.
    Decimals(String),
    /// A fraction where only a whole number fits.
    NotWhole,
    /// Not the number of digits that a phone number has.
    PhoneNumber,
}

impl Unclear {
    fn new(chars: &[char], range: Range<usize>, kind: UnclearKind) -> Self {
        let text = chars[range.clone()].iter().collect();
        Self { range, kind, text }
    }

    /// Why no value was taken, in a sentence for people.
    pub fn reason(&self) -> String {
        self.to_string()
    }

    /// Whether a slot of this name holds such a value: `max_price` is “under 200”, `due` may be “before Friday”.
    pub fn suits(&self, slot: &str) -> bool {
        let UnclearKind::Limit { upper } = self.kind else { return false };
        let (least, most) = super::range::bounds_named(slot);
        if upper { most } else { least }
    }

    /// The value that a limit names: 200 of “under 200”.
    pub fn bound(&self, kind: &SlotKind, chars: &[char], around: &Surroundings) -> Option<(Range<usize>, Value)> {
        let starts = self.range.clone().filter(|at| starts_value(chars, *at));
        starts.into_iter().find_map(|at| {
            let (end, value) = kind.readings(chars, at, around).into_iter().next()?;
            (end <= self.range.end).then_some((at..end, value))
        })
    }

    /// The same expression of a text that begins at `by` of a longer one.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Self {
        self.range = self.range.start + by..self.range.end + by;
        self
    }
}

impl fmt::Display for Unclear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        match &self.kind {
            UnclearKind::Range => write!(f, "“{text}” is a range, not one value."),
            UnclearKind::Alternative(values) => match values.as_slice() {
                [first @ .., last] if !first.is_empty() => {
                    write!(f, "“{text}” could be {} or {last}.", first.join(", "))
                }
                _ => write!(f, "“{text}” could be one or the other."),
            },
            UnclearKind::Approximate => write!(f, "“{text}” is not exact."),
            UnclearKind::Limit { upper: true } => write!(f, "“{text}” is an upper limit, not a value."),
            UnclearKind::Limit { upper: false } => write!(f, "“{text}” is a lower limit, not a value."),
            UnclearKind::Notation(one, other) => write!(f, "“{text}” could be {one} or {other}."),
            UnclearKind::Currency { wanted, .. } => {
                write!(f, "“{text}” is in another currency; this pack uses {wanted}.")
            }
            UnclearKind::Unit(wanted) => write!(f, "“{text}” is not {wanted}."),
            UnclearKind::NoSuchDate(day) => write!(f, "There is no {day}."),
            UnclearKind::WeekdayContradicts { date, said } => {
                let day = date.strftime("%-d %B");
                write!(f, "{day} is a {}, not a {}.", weekday_name(date.weekday()), weekday_name(*said))
            }
            UnclearKind::Recurring => write!(f, "“{text}” happens more than once; this needs one time."),
            UnclearKind::Part => write!(f, "“{text}” is not one complete value."),
            UnclearKind::Several => write!(f, "“{text}” is more than one value."),
            UnclearKind::Decimals(currency) => write!(f, "“{text}” has more decimals than {currency} has."),
            UnclearKind::NotWhole => write!(f, "“{text}” is not a whole number."),
            UnclearKind::PhoneNumber => write!(f, "“{text}” does not have as many digits as a phone number."),
        }
    }
}

fn weekday_name(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

impl SlotKind {
    /// The unclear expression of this type at `at`: the one that the value there is part of, or one that begins there
    /// and has no value. Its range may begin before `at`.
    pub fn unclear(&self, chars: &[char], at: usize, around: &Surroundings) -> Option<Unclear> {
        if !is_checked(self) || at >= chars.len() {
            return None;
        }
        match self.readings(chars, at, around).first() {
            Some((end, _)) => beside::beside(self, chars, at..*end, around),
            None => unread::unread(self, chars, at, around),
        }
    }

    /// The unclear expression that a value is part of. The value is one of [`SlotKind::readings`].
    pub fn unclear_around(&self, chars: &[char], value: Range<usize>, around: &Surroundings) -> Option<Unclear> {
        if is_checked(self) { beside::beside(self, chars, value, around) } else { None }
    }
}

/// Whether values of a type can be parts of wider expressions.
fn is_checked(kind: &SlotKind) -> bool {
    kind.is_number()
        || matches!(
            kind,
            SlotKind::Money
                | SlotKind::Date
                | SlotKind::Time
                | SlotKind::DateTime
                | SlotKind::Duration
                | SlotKind::Phone
        )
}

/// Every unclear expression of a type, in order, without overlaps.
pub fn unclear_in(kind: &SlotKind, chars: &[char], around: &Surroundings) -> Vec<Unclear> {
    if !is_checked(kind) {
        return Vec::new();
    }
    let read = extract_any(kind, chars, around);
    let of_values = read.iter().filter_map(|(range, _)| beside::beside(kind, chars, range.clone(), around));
    let mut found: Vec<Unclear> = of_values.collect();
    for (at, hint) in starts(chars) {
        let taken =
            read.iter().any(|(range, _)| range.contains(&at)) || found.iter().any(|one| one.range.contains(&at));
        if !taken && let Some(one) = unread::unread_anywhere(kind, chars, at, hint, around) {
            found.push(one);
        }
    }
    // A text that reads as a value is not unclear.
    let overlaps = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
    let clear = read.iter().map(|(range, _)| range);
    let clear: Vec<_> = clear.filter(|range| beside::beside(kind, chars, (*range).clone(), around).is_none()).collect();
    found.retain(|one| !clear.iter().any(|range| overlaps(range, &one.range)));
    found.sort_by_key(|one| (one.range.start, std::cmp::Reverse(one.range.end)));
    let mut end = 0;
    found.retain(|one| {
        let apart = one.range.start >= end;
        end = end.max(one.range.end);
        apart
    });
    found
}

/// An amount as its currency writes it.
fn money_text(value: Decimal, decimals: u32) -> String {
    let mut value = value.normalize();
    if value.scale() < decimals {
        value.rescale(decimals);
    }
    value.to_string()
}
