//! Which types of value may begin at a word, in one lookup: most words begin none, and their readers are skipped.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::currency::CODES;
use super::cursor::Cursor;
use brain_english::bounds::{BEFORE, BETWEEN, FROM};
use brain_english::calendar::{DAY_WORDS, MONTHS, WEEKDAYS};
use brain_english::clock::{AT, NAMED_TIMES, NOW, QUARTER};
use brain_english::currency::RUPEES;
use brain_english::numbers::{ARTICLES, CARDINALS, COUPLE, Cardinal, HALF, ORDINALS};
use brain_english::unclear::{EVERY, HEDGES_BEFORE, REPEATEDLY, WEEKDAYS_REPEATED};

/// The types of value that may begin at a position, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hint(u8);

impl Hint {
    pub(super) const NUMBER: Self = Self(1);
    pub(super) const DAY: Self = Self(2);
    pub(super) const TIME: Self = Self(4);
    pub(super) const MOMENT: Self = Self(8);
    pub(super) const CURRENCY: Self = Self(16);
    /// Words before a value that change its meaning: `about 20`, `every Friday`.
    pub(super) const OPENING: Self = Self(32);
    const NOTHING: Self = Self(0);
    const ANYTHING: Self = Self(u8::MAX);

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has(self, any_of: Self) -> bool {
        self.0 & any_of.0 != 0
    }

    /// The hint for a position. Digits and signs may begin anything.
    pub(super) fn at(chars: &[char], at: usize) -> Self {
        let Some(&first) = chars.get(at) else { return Self::NOTHING };
        if !first.is_alphabetic() {
            return Self::ANYTHING;
        }
        // `A$45`, `US$45`; `AUD45`.
        let glued = |i: usize| chars.get(i).is_some_and(|c| *c == '$' || c.is_ascii_digit());
        let sign = glued(at + 1) || glued(at + 2) || glued(at + 3);
        let said = Self::of_word(chars, at, first);
        if sign { said.or(Self::CURRENCY) } else { said }
    }

    fn of_word(chars: &[char], at: usize, first: char) -> Self {
        let second = chars.get(at + 1).copied().filter(|c| c.is_alphabetic());
        let (Some(first), Some(second)) = (letter(first), second.map_or(Some(NO_LETTER), letter)) else {
            return Self::NOTHING;
        };
        let table = &*TABLE;
        if table.beginnings[first] & (1 << second) == 0 {
            return Self::NOTHING;
        }
        let Some(word) = Cursor::new(chars, at).word() else { return Self::NOTHING };
        let found = table.words.binary_search_by(|(known, _)| (*known).cmp(word.as_str()));
        found.map_or(Self::NOTHING, |i| table.words[i].1)
    }
}

/// Placeholder for the missing second letter of a one-letter word.
const NO_LETTER: usize = 26;

fn letter(c: char) -> Option<usize> {
    c.is_ascii_lowercase().then(|| c as usize - 'a' as usize)
}

/// Every word that may begin a value, from the tables of the readers.
struct Table {
    /// Sorted.
    words: Vec<(&'static str, Hint)>,
    /// For each first letter, the second letters of words: this tells most words apart without reading them.
    beginnings: [u32; 26],
}

/// Begins a number, and with it perhaps a day, a time or a moment: `two`, `two weeks ago`, `two o'clock`, `two hours ago`.
const COUNT: Hint = Hint::NUMBER.or(Hint::DAY).or(Hint::TIME).or(Hint::MOMENT);
const DAY: Hint = Hint::DAY.or(Hint::MOMENT);
const TIME: Hint = Hint::TIME.or(Hint::MOMENT);

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let starts_number = |(_, part): &&(&str, Cardinal)| !matches!(part, Cardinal::Hundred | Cardinal::Scale(_));
    let numbers = CARDINALS.iter().filter(starts_number).map(|(word, _)| *word).chain(ARTICLES).chain([HALF, COUPLE]);
    let dates = WEEKDAYS.iter().chain(&MONTHS).copied().flatten().copied();
    let days = dates.chain(DAY_WORDS.map(|(word, _)| word)).chain(ORDINALS.map(|(word, _)| word));
    let times = NAMED_TIMES.map(|(word, _)| word).into_iter().chain([QUARTER]);
    let moments = NOW.map(|words| words[0]).into_iter().chain([AT]);
    let currencies = CODES.map(|(word, _)| word).into_iter().chain([RUPEES]);
    let mut found: BTreeMap<&'static str, Hint> = BTreeMap::new();
    let mut add = |word: &'static str, hint: Hint| {
        let known = found.entry(word).or_insert(Hint::NOTHING);
        *known = known.or(hint);
    };
    numbers.for_each(|word| add(word, COUNT));
    days.for_each(|word| add(word, DAY));
    times.for_each(|word| add(word, TIME));
    moments.for_each(|word| add(word, Hint::MOMENT));
    currencies.for_each(|word| add(word, Hint::CURRENCY));
    let opening = HEDGES_BEFORE.iter().map(|words| words[0]).chain(BEFORE.iter().map(|(words, _)| words[0]));
    let repeated = EVERY.into_iter().chain(REPEATEDLY).chain(WEEKDAYS_REPEATED).chain(["on"]);
    opening.chain(BETWEEN).chain(FROM).chain(repeated).for_each(|word| add(word, Hint::OPENING));
    let mut beginnings = [0; 26];
    for word in found.keys() {
        let mut letters = word.chars().map(letter);
        if let Some(Some(first)) = letters.next() {
            beginnings[first] |= 1 << letters.next().flatten().unwrap_or(NO_LETTER);
        }
    }
    Table { words: found.into_iter().collect(), beginnings }
});

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;
    use crate::Surroundings;
    use brain_english::calendar::{PERIODS, WORKING};
    use brain_english::clock::{AFTER_NOON, DURATIONS, MORNING};
    use brain_english::currency::{CENT_WORDS, NAMES};
    use brain_english::function_words::WORDS as FUNCTION_WORDS;
    use brain_english::numbers::FRACTIONS;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn every_word_that_a_reader_starts_at_has_its_hint() {
        use super::super::{currency, date, moment, money, number, time};
        let around = Surroundings::at(Date::constant(2026, 11, 15), "AU");
        let behind = [
            "", " of", " hundred", " pm", " o'clock", " past 3", " to five", " weeks ago", " hours ago", " 20",
            " 20th", " of may", " week", " friday", " the month", " of the month", " end", " after tomorrow",
            " 3 days", " now", " an hour", " dozen",
        ];
        let mut unknown: Vec<String> = Vec::new();
        let of_tables = CARDINALS.iter().map(|(word, _)| *word).chain(FRACTIONS.iter().map(|(word, _)| *word));
        let of_days = PERIODS.iter().map(|(word, _)| *word).chain(WORKING).chain(MORNING).chain(AFTER_NOON);
        let of_money = NAMES.iter().flat_map(|(words, _)| words.iter().copied()).chain(CENT_WORDS);
        let of_lengths = DURATIONS.iter().flat_map(|(words, _)| words.iter().copied());
        let known = TABLE.words.iter().map(|(word, _)| *word).chain(FUNCTION_WORDS);
        for word in known.chain(of_tables).chain(of_days).chain(of_money).chain(of_lengths) {
            let hint = Hint::at(&chars(word), 0);
            let mut missing = |kind: Hint, there: bool| {
                if there && !hint.has(kind) {
                    unknown.push(format!("{word} {kind:?}"));
                }
            };
            missing(Hint::CURRENCY, currency::by_code(word).is_some());
            for rest in behind {
                let text = chars(&format!("{word}{rest}"));
                missing(Hint::NUMBER, !number::numbers(&text, 0, &around).is_empty());
                missing(Hint::DAY, !date::days(&text, 0, &around).is_empty());
                missing(Hint::TIME, time::clock(&text, 0, &around, true).is_some());
                missing(Hint::MOMENT, !moment::moment(&text, 0, &around).is_empty());
                let money_hint = Hint::NUMBER.or(Hint::CURRENCY);
                missing(money_hint, !money::sums(&text, 0, &around).is_empty());
            }
        }
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
