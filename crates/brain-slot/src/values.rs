//! Values in a text, for callers with a text and a slot: an answer to a question, a value to edit.

use std::ops::Range;

use serde_json::Value;

use super::extract::{claims, extract, scan, starts, sums_with_currency};
use super::quantity::measure;
use super::range::{Bounds, ranges as ranges_in};
use super::relative::{Relative, relatives as relatives_in};
use super::{SlotKind, Surroundings};
use crate::normalise::Normal;

/// A value and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<T> {
    /// Its position, in bytes.
    pub span: Range<usize>,
    /// The value.
    pub value: T,
}

/// An amount of money with its currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// The amount, as exact decimal text.
    pub value: String,
    /// ISO 4217 code. An ambiguous sign means the region's currency.
    pub currency: String,
}

/// A number with its unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// The number, as exact decimal text.
    pub value: String,
    /// The unit's symbol: `m`, `m2`, `kg`.
    pub unit: &'static str,
}

fn found<T, U>(normal: &Normal, list: Vec<(Range<usize>, T)>, of: impl Fn(Range<usize>, T) -> U) -> Vec<Found<U>> {
    let shown = |(range, value): (Range<usize>, T)| Found { span: normal.span(range.clone()), value: of(range, value) };
    list.into_iter().map(shown).collect()
}

/// Every value of a type, in order.
pub fn values(kind: &SlotKind, text: &str, around: &Surroundings) -> Vec<Found<Value>> {
    let normal = Normal::new(text);
    found(&normal, extract(kind, &normal.chars, around), |range, value| kind.original(&normal, text, range, value))
}

/// Every range of values of a type, in order. [`super::pairs`] finds the slots they fill.
pub fn ranges(kind: &SlotKind, text: &str, around: &Surroundings) -> Vec<Found<Bounds>> {
    let normal = Normal::new(text);
    found(&normal, ranges_in(kind, &normal.chars, around), |_, bounds| bounds)
}

/// Every relative amount: `twice as many`.
pub fn relatives(text: &str, around: &Surroundings) -> Vec<Found<Relative>> {
    let normal = Normal::new(text);
    found(&normal, relatives_in(&normal.chars, around), |_, relative| relative)
}

/// Every amount with a currency, of any currency.
pub fn amounts(text: &str, around: &Surroundings) -> Vec<Found<Amount>> {
    let normal = Normal::new(text);
    let starts = starts(&normal.chars);
    let claims = claims(&SlotKind::Money, &normal.chars, around, &starts);
    found(&normal, sums_with_currency(&normal.chars, around, &starts, &claims), |_, sum| Amount {
        value: sum.value.to_string(),
        currency: sum.code(around).unwrap_or_default().to_owned(),
    })
}

/// Every measure, in its own unit.
pub fn quantities(text: &str, around: &Surroundings) -> Vec<Found<Quantity>> {
    let normal = Normal::new(text);
    let list = scan(&starts(&normal.chars), |at, _| {
        measure(&normal.chars, at, around).map(|measure| (measure.end, (measure.value, measure.unit.symbol)))
    });
    found(&normal, list, |_, (value, unit)| Quantity { value: value.to_string(), unit })
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;
    use serde_json::json;

    use super::*;

    fn around() -> Surroundings {
        Surroundings::at(Date::constant(2026, 11, 15), "AU")
    }

    #[test]
    fn spans_and_letters_are_those_of_the_text() {
        let text = "Schreib „Ünal“: Bob@Example.COM, 2½ m²";
        let found = values(&SlotKind::Email, text, &around());
        assert_eq!(found[0].value, "Bob@Example.COM");
        assert_eq!(&text[found[0].span.clone()], "Bob@Example.COM");
        let found = values(&SlotKind::Decimal, text, &around());
        assert_eq!((&found[0].value, &text[found[0].span.clone()]), (&json!("2.5"), "2½"));
    }

    #[test]
    fn amounts_have_currencies_and_quantities_have_units() {
        let amount = |value: &str, currency: &str| Amount { value: value.into(), currency: currency.into() };
        let found = amounts("Pay €45 and $20 for 3 tiles", &around()).into_iter().map(|found| found.value);
        assert_eq!(found.collect::<Vec<_>>(), [amount("45", "EUR"), amount("20", "AUD")]);
        let found = quantities("40 square metres, 3 kg, 5 tiles", &around()).into_iter().map(|found| found.value);
        let expected = [Quantity { value: "40".into(), unit: "m2" }, Quantity { value: "3".into(), unit: "kg" }];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn ranges_and_relative_amounts_have_positions() {
        let text = "Between 5 and 10, or Twice as many";
        assert_eq!(ranges(&SlotKind::Integer, text, &around())[0].span, 0..16);
        let relative = &relatives(text, &around())[0];
        assert_eq!((&text[relative.span.clone()], relative.value.apply("4").as_deref()), ("Twice as many", Some("8")));
    }
}
