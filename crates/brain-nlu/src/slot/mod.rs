//! Typed slots: how the value of each kind is recognised, at a place in an utterance or anywhere in it.

mod choice;
mod currency;
mod cursor;
mod date;
mod dial;
mod duration;
mod extract;
mod hint;
mod list;
mod moment;
mod money;
mod number;
mod phone;
mod quantity;
mod range;
mod relative;
mod spoken;
mod surroundings;
mod text;
mod time;
mod unit;
mod values;

use std::ops::Range;

use serde_json::Value;

pub use dial::e164;
pub use range::{Bound, Bounds, Pair, pairs};
pub use relative::Relative;
pub use surroundings::Surroundings;
pub use values::{Amount, Found, Quantity, amounts, quantities, ranges, relatives, values};

pub(crate) use self::extract::extract;
pub(crate) use self::range::ranges as ranges_in;
pub(crate) use self::relative::relatives as relatives_in;
use crate::text::normalise::Normal;
use hint::Hint;

/// What a slot holds.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum SlotKind {
    /// A UUID.
    Uuid,
    /// A whole number.
    Integer,
    /// An exact number.
    Decimal,
    /// An exact number of a unit: what is said in another unit of the same kind is converted.
    Quantity(String),
    /// An amount, with or without its currency sign.
    Money,
    /// A phone number.
    Phone,
    /// An e-mail address.
    Email,
    /// A web address.
    Url,
    /// A day.
    Date,
    /// A time of day.
    Time,
    /// A day and a time, in the time zone of the people who speak.
    DateTime,
    /// A length of time.
    Duration,
    /// Yes or no.
    Boolean,
    /// One of a few: the token that the tool gets, and what people call it.
    Enum(Vec<(String, Vec<String>)>),
    /// Several of a kind.
    List(Box<SlotKind>),
    /// Anything.
    Text,
}

/// How a slot looks for the end of a free text before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The text before it is as short as can be: the first such value counts.
    First,
    /// The text before it is as long as can be: the last such value counts.
    Last,
}

impl SlotKind {
    /// An exact number of a unit; where nobody knows the unit, an exact number.
    pub fn quantity(unit: &str) -> Self {
        if quantity::is_unit(unit) { Self::Quantity(unit.to_owned()) } else { Self::Decimal }
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Text)
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Self::Integer | Self::Decimal | Self::Quantity(_))
    }

    pub(crate) fn reach(&self) -> Reach {
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

    /// Whether a value may begin with a character that begins this: a quick look before a long one.
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

    /// Ways in which a value of this kind can stand at `at`, longest first: where it ends, and what it is.
    pub(crate) fn read(&self, chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
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

    /// What stands there if someone meant a value of this kind but did not get it right: one run of characters.
    pub(crate) fn read_broken(&self, chars: &[char], at: usize) -> Option<usize> {
        if self.is_text() {
            return None;
        }
        let end = chars[at..].iter().position(|c| c.is_whitespace() || matches!(c, ':' | ',' | ';' | '"'));
        let end = end.map_or(chars.len(), |n| at + n);
        (end > at).then_some(end)
    }

    /// A value with the letters that were written, where they matter: addresses, phone numbers, texts in a list.
    pub(crate) fn original(&self, normal: &Normal, text: &str, range: Range<usize>, value: Value) -> Value {
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

/// Whether a word could end at `end`: nothing that belongs to the same word follows.
pub(crate) fn ends_word(chars: &[char], end: usize) -> bool {
    chars.get(end).is_none_or(|c| !c.is_alphanumeric() && *c != '_')
}
