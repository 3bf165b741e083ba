//! Typed slots: how the value of each kind is recognised at a place in an utterance.

mod date;
mod number;
mod text;

use serde_json::Value;

/// What a slot holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A UUID.
    Uuid,
    /// A whole number.
    Integer,
    /// An exact number.
    Decimal,
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
    /// Yes or no.
    Boolean,
    /// One of a few: the token that the tool gets, and what people call it.
    Enum(Vec<(String, Vec<String>)>),
    /// Anything.
    Text,
}

/// What an utterance is read against: nothing here is looked up, all is given.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The day it is, for "tomorrow" and "next Tuesday".
    pub today: jiff::civil::Date,
    /// Whether `3/4` is the third of April (most of the world) or the fourth of March (US).
    pub month_first: bool,
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
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Text)
    }

    pub(crate) fn reach(&self) -> Reach {
        match self {
            Self::Integer | Self::Decimal | Self::Money | Self::Enum(_) | Self::Boolean => Reach::Last,
            _ => Reach::First,
        }
    }

    /// Ways in which a value of this kind can stand at `at`, longest first: where it ends, and what it is.
    pub(crate) fn read(&self, chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
        match self {
            Self::Uuid => text::uuid(chars, at).into_iter().collect(),
            Self::Integer => number::integer(chars, at).into_iter().collect(),
            Self::Decimal => number::decimal(chars, at).into_iter().collect(),
            Self::Money => number::money(chars, at).into_iter().collect(),
            Self::Phone => number::phone(chars, at),
            Self::Email => text::email(chars, at).into_iter().collect(),
            Self::Url => text::url(chars, at).into_iter().collect(),
            Self::Date => date::date(chars, at, around),
            Self::Boolean => text::boolean(chars, at).into_iter().collect(),
            Self::Enum(values) => text::one_of(chars, at, values),
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
}

/// Whether a word could end at `end`: nothing that belongs to the same word follows.
pub(crate) fn ends_word(chars: &[char], end: usize) -> bool {
    chars.get(end).is_none_or(|c| !c.is_alphanumeric() && *c != '_')
}
