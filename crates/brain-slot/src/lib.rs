//! Typed values: recognised at a position of an utterance or anywhere in it.

mod choice;
mod currency;
mod cursor;
mod date;
mod dial;
mod duration;
mod extract;
mod hint;
mod in_words;
mod list;
mod mentions;
mod moment;
mod money;
mod normalise;
mod number;
mod phone;
mod quantity;
mod range;
mod relative;
mod surroundings;
mod text;
mod time;
mod unclear;
mod unit;
mod values;

use std::ops::Range;

use serde_json::Value;

pub use date::last_such;
pub use dial::e164;
pub use range::{Bound, Bounds, Pair, pairs};
pub use relative::Relative;
pub use surroundings::Surroundings;
pub use values::{Amount, Found, Quantity, amounts, quantities, ranges, relatives, values};

pub use self::extract::extract;
pub use self::mentions::mentions_value;
pub use self::normalise::{Normal, folded};
pub use self::range::ranges as ranges_in;
pub use self::relative::relatives as relatives_in;
pub use self::unclear::{Unclear, UnclearKind, unclear_in};
use hint::Hint;

/// The type of a slot.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum SlotKind {
    /// A UUID.
    Uuid,
    /// A whole number.
    Integer,
    /// An exact decimal number.
    Decimal,
    /// An exact number of a unit. Compatible units are converted.
    Quantity(String),
    /// An amount of money, with or without currency.
    Money,
    /// A phone number.
    Phone,
    /// An e-mail address.
    Email,
    /// A web address.
    Url,
    /// A calendar date.
    Date,
    /// A time of day.
    Time,
    /// A date and time, in the speaker's time zone.
    DateTime,
    /// A duration.
    Duration,
    /// True or false.
    Boolean,
    /// One of several values: its token, and its labels.
    Enum(Vec<(String, Vec<String>)>),
    /// Several values of one type.
    List(Box<SlotKind>),
    /// Free text.
    Text,
}

/// Where a typed value after a free text begins, if there are several possibilities.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// At the first possible value: the text is as short as possible.
    First,
    /// At the last possible value: the text is as long as possible.
    Last,
}

impl SlotKind {
    /// A quantity of this unit; a plain decimal if the unit is unknown.
    pub fn quantity(unit: &str) -> Self {
        if quantity::is_unit(unit) { Self::Quantity(unit.to_owned()) } else { Self::Decimal }
    }

    /// Whether it is free text.
    pub fn is_text(&self) -> bool {
        matches!(self, Self::Text)
    }

    /// Whether its values are plain numbers.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Integer | Self::Decimal | Self::Quantity(_))
    }

    /// Whether its values are numbers, with or without a unit or a currency.
    fn is_number_like(&self) -> bool {
        self.is_number() || self == &Self::Money
    }

    /// Whether a value may also be read shorter, because the words after it may be a phrase's: `3` of `3 dozen`, the
    /// first items of a list. An amount, a day or a time is never shortened to another one.
    pub fn may_shorten(&self) -> bool {
        !matches!(self, Self::Money | Self::Date | Self::Time | Self::DateTime | Self::Duration)
    }

    /// Where its value begins after a free text.
    pub fn reach(&self) -> Reach {
        match self {
            Self::Integer
            | Self::Decimal
            | Self::Quantity(_)
            | Self::Money
            | Self::Duration
            | Self::Enum(_)
            | Self::Boolean => Reach::Last,
            _ => Reach::First,
        }
    }

    /// Whether a value may begin with this character: a cheap test before reading.
    fn may_begin(&self, c: char, hint: Hint) -> bool {
        match self {
            Self::Uuid => c.is_ascii_hexdigit(),
            Self::Integer | Self::Decimal | Self::Quantity(_) | Self::Duration => hint.has(Hint::NUMBER),
            Self::Money => hint.has(Hint::NUMBER.or(Hint::CURRENCY)),
            Self::Date => hint.has(Hint::DAY),
            Self::Time => hint.has(Hint::TIME),
            Self::DateTime => hint.has(Hint::MOMENT),
            Self::Phone => c.is_ascii_digit() || matches!(c, '+' | '('),
            Self::Url => c == 'h',
            Self::Boolean => matches!(c, 'y' | 'n' | 't' | 'f' | 'o'),
            Self::Email => c.is_alphanumeric(),
            Self::Enum(_) => true,
            Self::List(item) => item.is_text() || item.may_begin(c, hint),
            Self::Text => false,
        }
    }

    /// Values of this type at `at`, longest first: the end and the value. None if the value there is only part of a
    /// wider expression, as in `5 or 6`; [`SlotKind::unclear`] says why.
    pub fn read(&self, chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
        let found = self.readings(chars, at, around);
        let part = found.first().is_some_and(|(end, _)| self.unclear_around(chars, at..*end, around).is_some());
        if part { Vec::new() } else { found }
    }

    /// Values of this type at `at`, longest first, whatever surrounds them: for callers who know the words around
    /// them, such as a phrase with “between {least} and {most}”.
    pub fn readings(&self, chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
        if !chars.get(at).is_some_and(|c| self.may_begin(*c, Hint::at(chars, at))) {
            return Vec::new();
        }
        match self {
            Self::Uuid => text::uuid(chars, at).into_iter().collect(),
            Self::Integer => number::integer(chars, at, around),
            Self::Decimal => number::decimal(chars, at, around),
            Self::Quantity(unit) => quantity::quantity(chars, at, unit, around),
            Self::Money => money::money(chars, at, around),
            Self::Phone => phone::phone(chars, at, around),
            Self::Email => text::email(chars, at).into_iter().collect(),
            Self::Url => text::url(chars, at).into_iter().collect(),
            Self::Date => date::date(chars, at, around),
            Self::Time => time::time(chars, at, around),
            Self::DateTime => moment::moment(chars, at, around),
            Self::Duration => duration::duration(chars, at, around),
            Self::Boolean => text::boolean(chars, at).into_iter().collect(),
            Self::Enum(values) => choice::one_of(chars, at, values),
            Self::List(item) => list::list(item, chars, at, around),
            Self::Text => Vec::new(),
        }
    }

    /// The end of a text that was probably meant as a value but does not fit: up to the next space or separator.
    pub fn read_broken(&self, chars: &[char], at: usize) -> Option<usize> {
        if self.is_text() {
            return None;
        }
        let end = chars[at..].iter().position(|c| c.is_whitespace() || matches!(c, ':' | ',' | ';' | '"'));
        let end = end.map_or(chars.len(), |n| at + n);
        (end > at).then_some(end)
    }

    /// A value with its original letters where they matter: addresses, phone numbers, texts in a list.
    pub fn original(&self, normal: &Normal, text: &str, range: Range<usize>, value: Value) -> Value {
        match self {
            Self::Email | Self::Url | Self::Phone => Value::from(&text[normal.span(range)]),
            Self::List(item) if item.is_text() => {
                let items = list::item_ranges(&normal.chars, range).into_iter();
                items.map(|item| Value::from(text[normal.span(item)].trim())).collect()
            }
            _ => value,
        }
    }
}

/// Whether a word can end at `end`.
pub fn ends_word(chars: &[char], end: usize) -> bool {
    chars.get(end).is_none_or(|c| !c.is_alphanumeric() && *c != '_')
}
