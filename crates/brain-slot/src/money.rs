//! Amounts of money: `$1,200.50`, `45 AUD`, `1.2 million euros`, `fifty cents`.

use rust_decimal::Decimal;
use serde_json::Value;

use super::currency::{SIGNS, Said, by_code, by_name, dollars_of};
use super::cursor::Cursor;
use super::in_words::in_words;
use super::number::{bare_numbers, percent_end, starts_number};
use super::{Surroundings, ends_word};
use brain_english::currency::{CENT_WORDS, DOLLAR_WORDS, PENCE, RUPEES};
use brain_english::function_words::is_function_word;

/// An amount and its currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) value: Decimal,
    /// `None` if no currency is given.
    pub(super) currency: Option<Said>,
}

impl Sum {
    /// The currency's code.
    pub(super) fn code<'a>(&'a self, around: &'a Surroundings) -> Option<&'a str> {
        self.currency.as_ref().map(|said| said.code(around.usual_currency()))
    }

    /// Whether the currency is the expected one.
    pub(super) fn fits(&self, around: &Surroundings) -> bool {
        around.currency.is_empty() || self.code(around).is_none_or(|code| code == around.currency)
    }
}

/// Amounts at this position, longest first. Amounts in another currency than the expected one are rejected, never
/// converted: nobody must pay dollars for euros.
pub(super) fn money(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
    let found = sums(chars, at, around);
    if found.iter().any(|(_, sum)| !sum.fits(around)) {
        return Vec::new();
    }
    found.into_iter().map(|(end, sum)| (end, Value::from(sum.value.to_string()))).collect()
}

/// Amounts of any currency at this position, longest first.
pub(super) fn sums(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Sum)> {
    if !starts_number(chars, at) {
        return Vec::new();
    }
    let (from, before) = currency_before(chars, at);
    let mut found = Vec::new();
    for (end, value) in counted(chars, from, around, before.is_some()) {
        if percent_end(chars, end).is_some() {
            continue;
        }
        // A currency after the amount is more specific: `$45 AUD`.
        if let Some((end, value, said)) = currency_behind(chars, end, value) {
            found.push((end, Sum { value, currency: Some(said) }));
        } else if let Some((end, said)) = round(chars, end) {
            found.push((end, Sum { value, currency: said.or(before) }));
        }
        if ends_word(chars, end) {
            // `$4 and 50 cents`.
            let (behind, more) = and_cents(Cursor::new(chars, end));
            if behind > end && before.is_some() && value.fract().is_zero() {
                found.push((behind, Sum { value: value + more, currency: before }));
            }
            found.push((end, Sum { value, currency: before }));
        }
    }
    found.sort_by_key(|(end, _)| std::cmp::Reverse(*end));
    found.dedup_by_key(|(end, _)| *end);
    found
}

/// The currency sign or code before an amount, and where the amount begins.
fn currency_before(chars: &[char], at: usize) -> (usize, Option<Said>) {
    let mut cursor = Cursor::new(chars, at);
    let said = sign(&mut cursor).or_else(|| {
        let said = cursor.word().and_then(|word| match word.as_str() {
            RUPEES => by_name(RUPEES),
            word => by_code(word),
        });
        cursor.sign(&['.']);
        said
    });
    if said.is_none() {
        return (at, None);
    }
    cursor.space();
    (cursor.at, said)
}

/// Where the number of an amount begins.
pub(super) fn amount_start(chars: &[char], at: usize) -> usize {
    currency_before(chars, at).0
}

fn sign(cursor: &mut Cursor<'_>) -> Option<Said> {
    let here = &cursor.chars[cursor.at..];
    let there = |sign: &str| here.iter().copied().take(sign.chars().count()).eq(sign.chars());
    let (sign, said) = SIGNS.iter().find(|(sign, _)| there(sign))?;
    cursor.at += sign.chars().count();
    Some(*said)
}

/// The number, longest first. A letter means thousands or millions only if it cannot be a unit.
fn counted(chars: &[char], at: usize, around: &Surroundings, is_money: bool) -> Vec<(usize, Decimal)> {
    let mut found = bare_numbers(chars, at, around);
    let Some(&(end, value)) = found.first() else { return found };
    let mut cursor = Cursor::new(chars, end);
    let Some(word) = cursor.next_word() else { return found };
    let certain = || is_money || currency_behind(chars, cursor.at, value).is_some();
    let by: u64 = match word.as_str() {
        "grand" => 1_000,
        "m" | "mn" | "mio" | "mil" if certain() => 1_000_000,
        "b" if is_money => 1_000_000_000,
        _ => return found,
    };
    if let Some(value) = value.checked_mul(Decimal::from(by)) {
        found.insert(0, (cursor.at, value.normalize()));
    }
    found
}

/// The currency sign, code or name after an amount, and the cents after it.
fn currency_behind(chars: &[char], end: usize, value: Decimal) -> Option<(usize, Decimal, Said)> {
    let mut cursor = Cursor::new(chars, end);
    cursor.space();
    let attached = cursor.at == end;
    if let Some(said) = sign(&mut cursor) {
        if !cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Some((cursor.at, value, said));
        }
        // `4€63` is an amount, `5 $45` is a number and an amount.
        let mut cents = cursor;
        let more = cents.digits(2).filter(|_| attached && cents.at == cursor.at + 2 && cents.ends_word())?;
        return value.fract().is_zero().then(|| (cents.at, value + Decimal::new(more, 2), said));
    }
    let word = cursor.next_word()?;
    let said = match word.as_str() {
        "c" | "p" if attached => return Some((cursor.at, hundredth(value)?, cents(word.as_str()))),
        word if CENT_WORDS.contains(&word) => return Some((cursor.at, hundredth(value)?, cents(word))),
        "new" if cursor.eat(&["zealand"]) && cursor.eat(&DOLLAR_WORDS) => dollars_of("zealand"),
        word if dollars_of(word).is_some() => cursor.eat(&DOLLAR_WORDS).then(|| dollars_of(word)).flatten(),
        word => by_code(word).or_else(|| by_name(word)),
    }?;
    let (end, more) = if value.fract().is_zero() { and_cents(cursor) } else { (cursor.at, Decimal::ZERO) };
    Some((end, value + more, said))
}

fn hundredth(value: Decimal) -> Option<Decimal> {
    value.checked_div(Decimal::ONE_HUNDRED)
}

fn cents(word: &str) -> Said {
    match PENCE.contains(&word) {
        true => Said::One("GBP"),
        false => Said::Among(&["USD", "AUD", "CAD", "NZD", "SGD", "HKD", "EUR", "ZAR"]),
    }
}

/// `and 50 cents` after an amount; `50` alone, if nothing that it could count follows.
fn and_cents(cursor: Cursor<'_>) -> (usize, Decimal) {
    let mut next = cursor;
    let joined = next.eat(&["and"]);
    next.space();
    let from = next.at;
    let count = match next.digits(2) {
        Some(count) => Some((count, next.at == from + 2)),
        None => in_words(next.chars, next.at).and_then(|(end, count)| {
            next.at = end;
            let small = count.fract().is_zero() && count < Decimal::ONE_HUNDRED;
            i64::try_from(count).ok().filter(|_| small).map(|count| (count, count >= 10))
        }),
    };
    let Some((count, tens)) = count else { return (cursor.at, Decimal::ZERO) };
    let said = next.eat(&CENT_WORDS) || next.eat(&["c", "p"]);
    if said || (!joined && tens && next.at > from && ends_clause(next)) {
        return (next.at, Decimal::new(count, 2));
    }
    (cursor.at, Decimal::ZERO)
}

/// Whether nothing follows that a number could count: the end, a punctuation mark, or a function word.
pub(super) fn ends_clause(cursor: Cursor<'_>) -> bool {
    let mut next = cursor;
    if !next.ends_word() {
        return false;
    }
    next.space();
    match next.peek() {
        None => true,
        Some(c) if c.is_alphabetic() => next.next_word().is_some_and(|word| is_function_word(word.as_str())),
        Some(c) => matches!(c, '.' | ',' | ';' | '!' | '?' | ')' | '"'),
    }
}

/// Whether a currency's sign, code or name begins here.
pub(super) fn is_currency(mut cursor: Cursor<'_>) -> bool {
    if sign(&mut cursor).is_some() {
        return true;
    }
    cursor.next_word().is_some_and(|word| {
        let word = word.as_str();
        by_code(word).or_else(|| by_name(word)).is_some() || CENT_WORDS.contains(&word)
    })
}

/// `45,-` is a whole amount; a currency sign may follow.
fn round(chars: &[char], end: usize) -> Option<(usize, Option<Said>)> {
    let mut cursor = Cursor::new(chars, end);
    if !cursor.sign(&[',', '.']) || !cursor.sign(&['-']) {
        return None;
    }
    cursor.sign(&['-']);
    let end = cursor.at;
    cursor.space();
    match sign(&mut cursor) {
        Some(said) => Some((cursor.at, Some(said))),
        None => Some((end, None)),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    fn around(region: &str, currency: &str) -> Surroundings {
        Surroundings { currency: currency.to_owned(), ..Surroundings::at(Date::constant(2026, 11, 15), region) }
    }

    fn read(text: &str, around: &Surroundings) -> Option<(usize, String, Option<String>)> {
        let chars: Vec<char> = text.chars().collect();
        let (end, sum) = sums(&chars, 0, around).into_iter().next()?;
        Some((end, sum.value.to_string(), sum.code(around).map(str::to_owned)))
    }

    #[test]
    fn amounts_are_read_in_the_ways_people_write_them() {
        let here = around("AU", "AUD");
        for (text, value, currency) in [
            ("$45.50", "45.50", "AUD"),
            ("$1,200.50", "1200.50", "AUD"),
            ("1200 dollars", "1200", "AUD"),
            ("aud 45", "45", "AUD"),
            ("aud45", "45", "AUD"),
            ("45 aud", "45", "AUD"),
            ("$45 usd", "45", "USD"),
            ("us$45", "45", "USD"),
            ("a$45", "45", "AUD"),
            ("45 us dollars", "45", "USD"),
            ("45 new zealand dollars", "45", "NZD"),
            ("€1.200,50", "1200.50", "EUR"),
            ("1.200,50 €", "1200.50", "EUR"),
            ("45€", "45", "EUR"),
            ("£3k", "3000", "GBP"),
            ("12 bucks", "12", "AUD"),
            ("99c", "0.99", "AUD"),
            ("fifty cents", "0.50", "AUD"),
            ("50p", "0.50", "GBP"),
            ("1.2 million euros", "1200000", "EUR"),
            ("$1.5m", "1500000", "AUD"),
            ("2m euros", "2000000", "EUR"),
            ("€45,-", "45", "EUR"),
            ("two hundred and fifty dollars", "250", "AUD"),
            ("5 dollars and 50 cents", "5.50", "AUD"),
            ("rs. 500", "500", "INR"),
            ("chf 20", "20", "CHF"),
        ] {
            let (end, got, code) = read(text, &here).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((end, got.as_str(), code.as_deref()), (text.chars().count(), value, Some(currency)), "{text}");
        }
    }

    #[test]
    fn an_amount_may_come_without_its_currency() {
        for (text, value) in [("45", "45"), ("45,-", "45"), ("1.5k", "1500"), ("2 grand", "2000"), ("a hundred", "100")]
        {
            assert_eq!(read(text, &around("AU", "AUD")), Some((text.chars().count(), value.into(), None)), "{text}");
        }
    }

    #[test]
    fn quantities_and_percentages_are_not_amounts_of_money() {
        for text in ["45mm", "2m", "10%", "ten percent", "$", "aud", "x"] {
            assert_eq!(read(text, &around("AU", "AUD")), None, "{text}");
        }
    }

    #[test]
    fn an_amount_in_another_currency_is_rejected() {
        let values = |text: &str, around: &Surroundings| {
            let chars: Vec<char> = text.chars().collect();
            money(&chars, 0, around)
        };
        let here = around("AU", "AUD");
        assert_eq!(values("$45", &here), [(3, Value::from("45"))]);
        assert!(values("€45", &here).is_empty() && values("45 eur", &here).is_empty());
        assert!(values("$45", &around("DE", "EUR")).is_empty());
        assert_eq!(values("45 eur", &around("AU", ""))[0], (6, Value::from("45")), "nothing says which one counts");
    }
}
