//! Relative amounts: `twice as many`, `half as much`, `10 more`, `10% off`.

use std::ops::Range;

use rust_decimal::Decimal;

use super::Surroundings;
use super::cursor::Cursor;
use super::extract::{scan, starts};
use super::money::sums;
use super::number::{bare_numbers, percent_end, starts_number};
use brain_english::comparisons::{DECREASES, INCREASES, MEASURES, MINUS, MULTIPLES, PLUS, RELATED, TIMES};
use brain_english::lookup;

/// An amount relative to another: a factor and an offset. The base is not in the text; a caller that does not know it
/// asks: "twice as many as what?"
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relative {
    factor: Decimal,
    offset: Decimal,
}

impl Relative {
    fn times(factor: Decimal) -> Self {
        Self { factor, offset: Decimal::ZERO }
    }

    fn plus(offset: Decimal) -> Self {
        Self { factor: Decimal::ONE, offset }
    }

    /// The amount for a base, as exact decimal text; `None` if the base is not a number or the result is too large.
    pub fn apply(&self, to: &str) -> Option<String> {
        let to = Decimal::from_str_exact(to.trim()).ok()?;
        let result = to.checked_mul(self.factor)?.checked_add(self.offset)?;
        Some(result.normalize().to_string())
    }
}

/// The relative amount at this position.
fn relative_at(chars: &[char], at: usize, around: &Surroundings) -> Option<(usize, Relative)> {
    let start = Cursor::new(chars, at);
    if start.peek()?.is_alphabetic()
        && let Some(found) = multiple(start)
    {
        return Some(found);
    }
    changed(start, around)
}

/// `twice as many`, `double it`, `the same again`.
fn multiple(start: Cursor<'_>) -> Option<(usize, Relative)> {
    let mut cursor = start;
    let factor = match cursor.next_word()?.as_str() {
        "the" if cursor.eat(&["same"]) => {
            cursor.eat(&["number", "amount", "quantity"]);
            let again = cursor.eat(&["again"]);
            return Some((cursor.at, Relative::times(if again { Decimal::TWO } else { Decimal::ONE })));
        }
        word => Decimal::new(lookup(&MULTIPLES, word)?, 1).normalize(),
    };
    compared(cursor).map(|end| (end, Relative::times(factor)))
}

/// The end of a comparison: `as many`, `as much as`, `that`, `the amount`, or the end of the text.
fn compared(cursor: Cursor<'_>) -> Option<usize> {
    let mut next = cursor;
    if next.eat(&["as"]) {
        next.eat(&MEASURES).then_some(())?;
        return Some(next.at);
    }
    if next.eat(&RELATED) {
        next.eat(&["amount", "number", "quantity", "price", "many", "much"]);
        return Some(next.at);
    }
    next.space();
    let ends = next.peek().is_none_or(|c| matches!(c, '.' | '!' | '?' | ','));
    ends.then_some(cursor.at)
}

/// `10 more`, `10% off`, `another 5`, `three times as many`, `plus 10`.
fn changed(start: Cursor<'_>, around: &Surroundings) -> Option<(usize, Relative)> {
    let mut cursor = start;
    let sign = if cursor.eat(&PLUS) {
        Some(Decimal::ONE)
    } else if cursor.eat(&MINUS) {
        Some(Decimal::NEGATIVE_ONE)
    } else {
        None
    };
    cursor.space();
    let (end, value) = amount(cursor, around)?;
    let mut cursor = Cursor::new(start.chars, end);
    if let Some(sign) = sign {
        return Some(match percent_end(start.chars, end) {
            Some(end) => (end, share(value * sign)?),
            None => (end, Relative::plus(value * sign)),
        });
    }
    if cursor.eat(&TIMES) {
        return compared_to(cursor).map(|end| (end, Relative::times(value)));
    }
    let percent = percent_end(start.chars, end);
    cursor.at = percent.unwrap_or(end);
    let sign = match cursor.next_word()?.as_str() {
        word if INCREASES.contains(&word) => Decimal::ONE,
        word if DECREASES.contains(&word) => Decimal::NEGATIVE_ONE,
        "as" if percent.is_some() && cursor.eat(&["much", "many"]) => {
            return value.checked_div(Decimal::ONE_HUNDRED).map(|factor| (cursor.at, Relative::times(factor)));
        }
        _ => return None,
    };
    // `more than 10` is a range.
    let mut than = cursor;
    if than.eat(&["than"]) && than.next_word().is_none() {
        return None;
    }
    match percent {
        Some(_) => Some((cursor.at, share(value * sign)?)),
        None => Some((cursor.at, Relative::plus(value * sign))),
    }
}

/// `times` needs a comparison: `three times as many`, `three times that`; not `three times a day`.
fn compared_to(cursor: Cursor<'_>) -> Option<usize> {
    let mut next = cursor;
    next.eat(&RELATED).then(|| compared(cursor)).flatten()
}

/// An increase by a percentage.
fn share(percent: Decimal) -> Option<Relative> {
    let more = percent.checked_div(Decimal::ONE_HUNDRED)?;
    Decimal::ONE.checked_add(more).map(Relative::times)
}

/// A number, or an amount with its currency.
fn amount(cursor: Cursor<'_>, around: &Surroundings) -> Option<(usize, Decimal)> {
    if !starts_number(cursor.chars, cursor.at) {
        return None;
    }
    let number = bare_numbers(cursor.chars, cursor.at, around).into_iter().next();
    let sum = || sums(cursor.chars, cursor.at, around).into_iter().next().map(|(end, sum)| (end, sum.value));
    let signed = cursor.peek().is_some_and(|c| !c.is_alphanumeric() && c != '-');
    if signed { sum() } else { number }
}

/// Relative amounts anywhere in a text, in order.
pub fn relatives(chars: &[char], around: &Surroundings) -> Vec<(Range<usize>, Relative)> {
    scan(&starts(chars), |at, _| relative_at(chars, at, around).filter(|(end, _)| super::ends_word(chars, *end)))
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    fn applied(text: &str, to: &str) -> Vec<(String, String)> {
        let chars: Vec<char> = text.chars().collect();
        let around = Surroundings::on(Date::constant(2026, 11, 15));
        let found = relatives(&chars, &around).into_iter();
        found.map(|(range, relative)| (chars[range].iter().collect(), relative.apply(to).unwrap())).collect()
    }

    #[test]
    fn an_amount_relates_to_another() {
        for (text, said, result) in [
            ("twice as many tiles", "twice as many", "80"),
            ("make it double", "double", "80"),
            ("double the amount", "double the amount", "80"),
            ("half as much please", "half as much", "20"),
            ("three times as many", "three times as many", "120"),
            ("3 times that", "3 times that", "120"),
            ("10 more", "10 more", "50"),
            ("another 5 sheets", "another 5", "45"),
            ("ten fewer", "ten fewer", "30"),
            ("give them 10% off", "10% off", "36"),
            ("ten percent more", "ten percent more", "44"),
            ("plus 10%", "plus 10%", "44"),
            ("$5 less", "$5 less", "35"),
            ("the same again", "the same again", "80"),
            ("50% as much", "50% as much", "20"),
        ] {
            assert_eq!(applied(text, "40"), [(said.to_owned(), result.to_owned())], "{text}");
        }
    }

    #[test]
    fn text_without_a_comparison_is_not_a_relative_amount() {
        for text in
            ["double glazing", "half past three", "three times a day", "10 tiles", "more than 10", "half a dozen"]
        {
            assert!(applied(text, "40").is_empty(), "{text}");
        }
        assert_eq!(Relative::times(Decimal::TWO).apply("many"), None);
        assert_eq!(Relative::times(Decimal::MAX).apply("40"), None);
    }
}
