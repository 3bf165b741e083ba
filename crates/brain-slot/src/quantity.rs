//! Quantities: `12.5 m`, `40 square metres`, `half a tonne`.

use rust_decimal::Decimal;
use serde_json::Value;

use super::Surroundings;
use super::cursor::Cursor;
use super::number::{bare_numbers, numbers, percent_end, starts_number};
use super::unit::{Unit, unit_at, unit_of};

/// A number and its unit.
pub(super) struct Measure {
    pub(super) value: Decimal,
    pub(super) unit: &'static Unit,
    /// The end of the quantity.
    pub(super) end: usize,
}

/// The quantity at this position.
pub(super) fn measure(chars: &[char], at: usize, around: &Surroundings) -> Option<Measure> {
    if !starts_number(chars, at) {
        return None;
    }
    bare_numbers(chars, at, around).into_iter().find_map(|(number_end, value)| {
        let mut cursor = Cursor::new(chars, number_end);
        if value.fract() != Decimal::ZERO {
            // Half a metre, a quarter of an acre.
            cursor.eat(&["of"]);
            cursor.eat(&["a", "an"]);
        }
        cursor.space();
        unit_at(chars, cursor.at).map(|(end, unit)| Measure { value, unit, end })
    })
}

/// Whether a text names a known unit.
pub(super) fn is_unit(text: &str) -> bool {
    unit_of(text).is_some()
}

/// A quantity in the given unit: converted from any compatible unit, or a bare number. Incompatible units are
/// rejected.
pub(super) fn quantity(chars: &[char], at: usize, unit: &str, around: &Surroundings) -> Vec<(usize, Value)> {
    let Some(wanted) = unit_of(unit) else { return Vec::new() };
    let text = |value: Decimal| Value::from(value.to_string());
    let Some(measure) = measure(chars, at, around) else {
        let bare = numbers(chars, at, around).into_iter();
        if bare_numbers(chars, at, around).first().is_some_and(|(end, _)| percent_end(chars, *end).is_some()) {
            return Vec::new();
        }
        return bare.map(|(end, value)| (end, text(value))).collect();
    };
    let converted = measure.unit.convert(measure.value, wanted);
    converted.map(|value| (measure.end, text(value))).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    fn read(text: &str, unit: &str) -> Option<(usize, String)> {
        let chars: Vec<char> = text.chars().collect();
        let around = Surroundings::on(Date::constant(2026, 11, 15));
        let found = quantity(&chars, 0, unit, &around).into_iter().next();
        found.map(|(end, value)| (end, value.as_str().unwrap().to_owned()))
    }

    #[test]
    fn a_measure_is_converted_to_the_unit_of_its_slot() {
        for (text, unit, value) in [
            ("12.5 m", "m", "12.5"),
            ("12.5m", "m", "12.5"),
            ("2400 mm", "metres", "2.4"),
            ("40 square metres", "m2", "40"),
            ("half a tonne", "kg", "500"),
            ("90 minutes", "hours", "1.5"),
            ("two and a half hours", "h", "2.5"),
            ("3", "kg", "3"),
        ] {
            assert_eq!(read(text, unit), Some((text.chars().count(), value.to_owned())), "{text}");
        }
        assert_eq!(read("3 kg", "m"), None, "a weight is no length");
        assert_eq!(read("3 in ryde", "m"), Some((1, "3".to_owned())));
    }

    #[test]
    fn a_quantity_knows_its_unit() {
        let chars: Vec<char> = "5 ft wide".chars().collect();
        let measure = measure(&chars, 0, &Surroundings::on(Date::constant(2026, 11, 15))).unwrap();
        assert_eq!((measure.value, measure.unit.symbol, measure.end), (Decimal::from(5), "ft", 4));
    }
}
