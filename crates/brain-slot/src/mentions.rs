//! Where a text mentions a value of any type.

use std::ops::Range;

use super::extract::{identifier_end, is_number, scan, starts};
use super::hint::Hint;
use super::{SlotKind, Surroundings, date, duration, ends_word, money, number, phone, quantity, text, time};

/// The ranges of everything that is a number, an amount, a date, a time, a length of time, a quantity, a phone number,
/// an e-mail or a web address, whatever the slot; in order, without overlaps. Where several types fit, the longest
/// counts. The text is folded.
pub fn mentions_value(chars: &[char], around: &Surroundings) -> Vec<Range<usize>> {
    let addresses = chars.contains(&'@');
    let links = chars.windows(3).any(|signs| signs == [':', '/', '/']);
    let found = scan(&starts(chars), |at, hint| {
        // The digits of an identifier are no number.
        if let Some(end) = identifier_end(chars, at) {
            let address = if addresses { text::email(chars, at).map(|(end, _)| end) } else { None };
            return Some(address.map_or((end, false), |end| (end, true)));
        }
        let mut end = None;
        let mut take = |other: Option<usize>| end = end.max(other.filter(|end| ends_word(chars, *end)));
        if addresses {
            take(text::email(chars, at).map(|(end, _)| end));
        }
        if links {
            take(text::url(chars, at).map(|(end, _)| end));
        }
        if hint.has(Hint::NUMBER) {
            let numbers = number::numbers(chars, at, around).into_iter();
            take(numbers.map(|(end, _)| end).find(|end| is_number(chars, at, *end)));
            take(quantity::measure(chars, at, around).map(|measure| measure.end));
            take(duration::millis(chars, at, around).map(|(end, _)| end));
        }
        if hint.has(Hint::NUMBER.or(Hint::CURRENCY)) {
            take(money::sums(chars, at, around).first().map(|(end, _)| *end));
        }
        if hint.has(Hint::DAY) && !super::extract::is_word_for_other_things(chars, at) {
            take(date::days(chars, at, around).first().map(|(end, _)| *end));
        }
        if hint.has(Hint::TIME) {
            take(time::clock(chars, at, around, false).map(|(end, _)| end));
        }
        if hint.has(Hint::MOMENT) && chars[at].is_alphanumeric() {
            take(SlotKind::DateTime.readings(chars, at, around).first().map(|(end, _)| *end));
        }
        if chars[at].is_ascii_digit() || matches!(chars[at], '+' | '(') {
            take(phone::certain(chars, at, around).map(|(end, _)| end));
        }
        end.filter(|end| *end > at).map(|end| (end, true))
    });
    found.into_iter().filter(|(_, is_value)| *is_value).map(|(range, _)| range).collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    #[test]
    fn every_value_of_a_text_is_mentioned_once() {
        let around = Surroundings::at(Date::constant(2026, 11, 15), "AU");
        for (text, values) in [
            ("add 3 tiles at $7.25 on friday", &["3", "$7.25", "friday"][..]),
            ("call bob on 0412 345 678 at half past three", &["0412 345 678", "at half past three"]),
            ("pay 10 euro 50 for 2.5 kg within two hours", &["10 euro 50", "2.5 kg", "two hours"]),
            ("see https://a.b/c and bob@example.com", &["https://a.b/c", "bob@example.com"]),
            ("invoice inv-2041 for the cat that sat", &[]),
            ("tomorrow at 9 or on 20 november", &["tomorrow at 9", "20 november"]),
            ("half of them, 10% off, twenty-five", &["half", "10%", "twenty-five"]),
            ("nothing here", &[]),
        ] {
            let chars: Vec<char> = text.chars().collect();
            let found =
                mentions_value(&chars, &around).into_iter().map(|range| chars[range].iter().collect::<String>());
            let found: Vec<String> = found.map(|text| text.trim_start_matches("on ").to_owned()).collect();
            assert_eq!(found, values, "{text}");
        }
    }
}
