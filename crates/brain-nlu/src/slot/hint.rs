//! What a word may begin, found in one look: most words begin no value, and no reader need try them.

use super::cursor::Cursor;

/// What may begin at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hint(u8);

impl Hint {
    pub(super) const NUMBER: Self = Self(1);
    pub(super) const DAY: Self = Self(2);
    pub(super) const TIME: Self = Self(4);
    pub(super) const MOMENT: Self = Self(8);
    pub(super) const CURRENCY: Self = Self(16);
    const NOTHING: Self = Self(0);
    const ANYTHING: Self = Self(u8::MAX);

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn has(self, any_of: Self) -> bool {
        self.0 & any_of.0 != 0
    }

    /// What the word at a place may begin; digits and signs may begin anything.
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
        if BEGINNINGS[first] & (1 << second) == 0 {
            return Self::NOTHING;
        }
        let Some(word) = Cursor::new(chars, at).word() else { return Self::NOTHING };
        let found = WORDS.binary_search_by(|(known, _)| (*known).cmp(word.as_str()));
        found.map_or(Self::NOTHING, |i| WORDS[i].1)
    }
}

/// Stands for the second letter of a word of one.
const NO_LETTER: usize = 26;

fn letter(c: char) -> Option<usize> {
    c.is_ascii_lowercase().then(|| c as usize - 'a' as usize)
}

/// For each first letter, the second letters that words have: most words are told apart by them.
const BEGINNINGS: [u32; 26] = {
    let mut beginnings = [0; 26];
    let mut i = 0;
    while i < WORDS.len() {
        let word = WORDS[i].0.as_bytes();
        let second = if word.len() > 1 { (word[1] - b'a') as usize } else { NO_LETTER };
        beginnings[(word[0] - b'a') as usize] |= 1 << second;
        i += 1;
    }
    beginnings
};

/// Begins a number, and with it perhaps a day, a time or a moment: `two`, `two weeks ago`, `two o'clock`, `two hours ago`.
const COUNT: Hint = Hint::NUMBER.or(Hint::DAY).or(Hint::TIME).or(Hint::MOMENT);
const DAY: Hint = Hint::DAY.or(Hint::MOMENT);
const TIME: Hint = Hint::TIME.or(Hint::MOMENT);

/// Every word that begins a value, in the order of the alphabet.
const WORDS: &[(&str, Hint)] = &[
    ("a", COUNT),
    ("aed", Hint::CURRENCY),
    ("an", COUNT),
    ("apr", DAY),
    ("april", DAY),
    ("at", Hint::MOMENT),
    ("aud", Hint::CURRENCY),
    ("aug", DAY),
    ("august", DAY),
    ("beginning", DAY),
    ("brl", Hint::CURRENCY),
    ("cad", Hint::CURRENCY),
    ("chf", Hint::CURRENCY),
    ("cny", Hint::CURRENCY),
    ("coming", DAY),
    ("couple", COUNT),
    ("czk", Hint::CURRENCY),
    ("day", DAY),
    ("dec", DAY),
    ("december", DAY),
    ("dkk", Hint::CURRENCY),
    ("dozen", COUNT),
    ("eight", COUNT),
    ("eighteen", COUNT),
    ("eighteenth", DAY),
    ("eighth", DAY),
    ("eighty", COUNT),
    ("eleven", COUNT),
    ("eleventh", DAY),
    ("end", DAY),
    ("eod", DAY),
    ("eom", DAY),
    ("eoq", DAY),
    ("eow", DAY),
    ("eoy", DAY),
    ("eur", Hint::CURRENCY),
    ("feb", DAY),
    ("february", DAY),
    ("fifteen", COUNT),
    ("fifteenth", DAY),
    ("fifth", DAY),
    ("fifty", COUNT),
    ("first", DAY),
    ("five", COUNT),
    ("forty", COUNT),
    ("four", COUNT),
    ("fourteen", COUNT),
    ("fourteenth", DAY),
    ("fourth", DAY),
    ("fourty", COUNT),
    ("fri", DAY),
    ("friday", DAY),
    ("gbp", Hint::CURRENCY),
    ("half", COUNT),
    ("hkd", Hint::CURRENCY),
    ("huf", Hint::CURRENCY),
    ("ils", Hint::CURRENCY),
    ("in", DAY),
    ("inr", Hint::CURRENCY),
    ("jan", DAY),
    ("january", DAY),
    ("jpy", Hint::CURRENCY),
    ("jul", DAY),
    ("july", DAY),
    ("jun", DAY),
    ("june", DAY),
    ("krw", Hint::CURRENCY),
    ("last", DAY),
    ("mar", DAY),
    ("march", DAY),
    ("may", DAY),
    ("midday", TIME),
    ("midnight", TIME),
    ("mon", DAY),
    ("monday", DAY),
    ("month", DAY),
    ("mxn", Hint::CURRENCY),
    ("myr", Hint::CURRENCY),
    ("next", DAY),
    ("nine", COUNT),
    ("nineteen", COUNT),
    ("nineteenth", DAY),
    ("ninety", COUNT),
    ("ninth", DAY),
    ("nok", Hint::CURRENCY),
    ("noon", TIME),
    ("nov", DAY),
    ("november", DAY),
    ("now", Hint::MOMENT),
    ("nzd", Hint::CURRENCY),
    ("oct", DAY),
    ("october", DAY),
    ("on", DAY),
    ("one", COUNT),
    ("past", DAY),
    ("pln", Hint::CURRENCY),
    ("quarter", TIME),
    ("right", Hint::MOMENT),
    ("rmb", Hint::CURRENCY),
    ("rs", Hint::CURRENCY),
    ("sat", DAY),
    ("saturday", DAY),
    ("second", DAY),
    ("sek", Hint::CURRENCY),
    ("sep", DAY),
    ("sept", DAY),
    ("september", DAY),
    ("seven", COUNT),
    ("seventeen", COUNT),
    ("seventeenth", DAY),
    ("seventh", DAY),
    ("seventy", COUNT),
    ("sgd", Hint::CURRENCY),
    ("six", COUNT),
    ("sixteen", COUNT),
    ("sixteenth", DAY),
    ("sixth", DAY),
    ("sixty", COUNT),
    ("start", DAY),
    ("sun", DAY),
    ("sunday", DAY),
    ("ten", COUNT),
    ("tenth", DAY),
    ("thb", Hint::CURRENCY),
    ("the", DAY),
    ("third", DAY),
    ("thirteen", COUNT),
    ("thirteenth", DAY),
    ("thirtieth", DAY),
    ("thirty", COUNT),
    ("this", DAY),
    ("three", COUNT),
    ("thu", DAY),
    ("thur", DAY),
    ("thurs", DAY),
    ("thursday", DAY),
    ("tmrw", DAY),
    ("today", DAY),
    ("tomorow", DAY),
    ("tomorrow", DAY),
    ("tonight", DAY),
    ("tue", DAY),
    ("tues", DAY),
    ("tuesday", DAY),
    ("twelfth", DAY),
    ("twelve", COUNT),
    ("twentieth", DAY),
    ("twenty", COUNT),
    ("two", COUNT),
    ("usd", Hint::CURRENCY),
    ("wed", DAY),
    ("wednesday", DAY),
    ("weds", DAY),
    ("yesterday", DAY),
    ("zar", Hint::CURRENCY),
    ("zero", COUNT),
];

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;
    use crate::Surroundings;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn the_words_are_in_order() {
        assert!(WORDS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn no_reader_knows_a_beginning_that_is_not_here() {
        use super::super::{currency, date, moment, money, number, time};
        let around = Surroundings::at(Date::constant(2026, 11, 15), "AU");
        let behind = [
            "", " of", " hundred", " pm", " o'clock", " past 3", " to five", " weeks ago", " hours ago", " 20",
            " 20th", " of may", " week", " friday", " the month", " of the month", " end", " after tomorrow",
            " 3 days", " now", " an hour", " dozen",
        ];
        let mut unknown: Vec<String> = Vec::new();
        let mut words: Vec<String> = Vec::new();
        // All that any reader could know: the words that stand in the readers.
        let sources = [
            include_str!("spoken.rs"),
            include_str!("time.rs"),
            include_str!("moment.rs"),
            include_str!("money.rs"),
            include_str!("currency.rs"),
            include_str!("date/calendar.rs"),
            include_str!("date/month.rs"),
            include_str!("date/spoken.rs"),
        ];
        for source in sources {
            words.extend(source.split(|c: char| !c.is_ascii_lowercase()).map(str::to_owned));
        }
        words.sort();
        words.dedup();
        words.retain(|word| !word.is_empty());
        for word in &words {
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
