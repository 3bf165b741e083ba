//! Whole numbers. JSON does not distinguish 5 from 5.0, so both are accepted.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

struct Whole(u64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl Visitor<'_> for Reader {
            type Value = Whole;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Whole, E> {
                Ok(Whole(number))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Whole, E> {
                let wrong = || E::invalid_value(Unexpected::Signed(number), &"a whole number that is not negative");
                u64::try_from(number).map(Whole).map_err(|_| wrong())
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Whole, E> {
                // Above this, a double cannot represent every whole number.
                const EXACT: f64 = 9_007_199_254_740_992.0;
                if number.fract() == 0.0 && (0.0..=EXACT).contains(&number) {
                    return Ok(Whole(number as u64));
                }
                Err(E::invalid_value(Unexpected::Float(number), &self))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

/// For a field that is a whole number or null.
pub(crate) fn optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Option::<Whole>::deserialize(deserializer).map(|given| given.map(|Whole(number)| number))
}

/// For a field that is a whole number.
pub(crate) fn required<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Whole::deserialize(deserializer).map(|Whole(number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_and_five_point_zero_are_the_same() {
        for (text, number) in [("5", Some(5)), ("5.0", Some(5)), ("5e0", Some(5)), ("0", Some(0)), ("null", None)] {
            assert_eq!(optional(&mut serde_json::Deserializer::from_str(text)).unwrap(), number, "{text}");
        }
        for text in ["5.5", "-1", "-1.0", "1e300", "\"5\"", "true", "[]"] {
            assert!(optional(&mut serde_json::Deserializer::from_str(text)).is_err(), "{text}");
        }
    }
}
