//! What is odd about a value itself: half of nothing, a notation with two meanings, another unit.

use std::ops::Range;

use super::{UnclearKind, money_text};
use crate::currency::decimals_of;
use crate::cursor::Cursor;
use crate::number::Notation;
use crate::{SlotKind, Surroundings, money, quantity};
use brain_english::currency::CENT_WORDS;
use brain_english::function_words::is_function_word;
use brain_english::lookup;
use brain_english::numbers::FRACTIONS;
use brain_english::unclear::{CONTAINERS, NO_PLURALS};

/// What is odd about a value itself.
pub(super) fn own(
    kind: &SlotKind,
    chars: &[char],
    value: &Range<usize>,
    around: &Surroundings,
) -> Option<(usize, UnclearKind)> {
    match kind {
        SlotKind::Money => amount(chars, value, around),
        SlotKind::Quantity(unit) => {
            half(chars, value).or_else(|| counted(chars, value, around, &format!("an amount in {unit}")))
        }
        SlotKind::Decimal => half(chars, value),
        SlotKind::Integer => grouped(chars, value, around),
        SlotKind::DateTime => {
            let vague = chars[value.clone()]
                .split(|c| !c.is_alphabetic())
                .any(|word| word.iter().copied().eq("around".chars()));
            vague.then_some((value.end, UnclearKind::Approximate))
        }
        _ => None,
    }
}

/// `half` or `a quarter` alone: of what?
fn half(chars: &[char], value: &Range<usize>) -> Option<(usize, UnclearKind)> {
    let text: String = chars[value.clone()].iter().collect();
    let word = text.strip_prefix("a ").unwrap_or(&text);
    lookup(&FRACTIONS, word).map(|_| (value.end, UnclearKind::Part))
}

fn amount(chars: &[char], value: &Range<usize>, around: &Surroundings) -> Option<(usize, UnclearKind)> {
    if let Some(found) = half(chars, value) {
        return Some(found);
    }
    let (_, sum) = money::sums(chars, value.start, around).into_iter().find(|(end, _)| *end == value.end)?;
    if sum.currency.is_none() {
        let text = &chars[value.clone()];
        if text.contains(&'/') || text.contains(&'\u{2044}') {
            return Some((value.end, UnclearKind::Part));
        }
        if let Some(found) = counted(chars, value, around, "an amount of money") {
            return Some(found);
        }
    }
    if let Some(found) = grouped(chars, value, around) {
        return Some(found);
    }
    let code = sum.code(around).unwrap_or_else(|| around.usual_currency());
    let decimals = decimals_of(code);
    let too_many = !code.is_empty() && sum.value.normalize().scale() > decimals;
    too_many.then(|| (value.end, UnclearKind::Decimals(code.to_owned())))
}

/// `1.250` where it may be 1250: digits, one sign, and three digits.
fn grouped(chars: &[char], value: &Range<usize>, around: &Surroundings) -> Option<(usize, UnclearKind)> {
    let text: String = chars[value.clone()].iter().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    let foreign = match around.notation() {
        Notation::Point | Notation::Apostrophe => '.',
        Notation::Comma | Notation::Space => ',',
    };
    let (whole, rest) = text.trim_end_matches(['.', ',']).split_once(foreign)?;
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let fits = (1..=3).contains(&whole.len()) && !whole.starts_with('0') && digits(whole) && rest.len() == 3;
    (fits && digits(rest)).then(|| {
        let small = format!("{whole}.{rest}").parse().map_or_else(|_| String::new(), |value| money_text(value, 2));
        (value.end, UnclearKind::Notation(format!("{whole}{rest}"), small))
    })
}

/// A bare number that counts something else than the slot does: `2 bags`, `3 tiles`, `2 big bags of clay`.
fn counted(chars: &[char], value: &Range<usize>, around: &Surroundings, wanted: &str) -> Option<(usize, UnclearKind)> {
    if let Some(measure) = quantity::measure(chars, value.start, around) {
        let other = measure.end > value.end;
        return other.then(|| (measure.end, UnclearKind::Unit(wanted.to_owned())));
    }
    let last = chars[value.end - 1];
    if !last.is_alphanumeric() {
        return None;
    }
    let mut cursor = Cursor::new(chars, value.end);
    for _ in 0..2 {
        let word = cursor.next_word()?;
        let word = word.as_str();
        // Words that no table can have are empty.
        if is_function_word(word) || NO_PLURALS.contains(&word) || CENT_WORDS.contains(&word) {
            return None;
        }
        let plural = word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
        let mut of = cursor;
        if CONTAINERS.contains(&word) || plural || (of.eat(&["of"]) && !word.is_empty()) {
            return Some((cursor.at, UnclearKind::Unit(wanted.to_owned())));
        }
    }
    None
}
