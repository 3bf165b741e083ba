//! The text formats that Brain validates, and the compilation of schemas.

use brain_core::Millis;
use jsonschema::{Draft, Validator};
use rust_decimal::Decimal;
use serde_json::Value;

/// Why a schema does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SchemaProblem {
    /// JSON Pointer into the schema.
    pub(crate) pointer: String,
    /// What is wrong there.
    pub(crate) message: String,
}

/// Compiles a schema with Brain's formats. Nothing is fetched: every `$ref` must be internal.
pub(crate) fn compile(schema: &Value) -> Result<Validator, SchemaProblem> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .with_format("decimal", is_decimal)
        .with_format("money", is_decimal)
        .with_format("phone", is_phone)
        .with_format("duration", is_duration)
        .with_format("time", is_time)
        .build(schema)
        .map_err(|error| {
            let pointer = error.instance_path().to_string();
            let message = match (pointer.rsplit('/').next(), error.instance().as_ref()) {
                (Some("type"), Value::String(word)) => format!("`{word}` is not a type of JSON Schema"),
                (Some("pattern"), Value::String(pattern)) => format!("`{pattern}` is not a regular expression"),
                _ => error.to_string(),
            };
            SchemaProblem { pointer, message }
        })
}

/// An exact decimal of at most 28 digits.
pub(crate) fn decimal(text: &str) -> Option<Decimal> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit());
    if plain { Decimal::from_str_exact(text).ok() } else { None }
}

fn is_decimal(text: &str) -> bool {
    decimal(text).is_some()
}

/// 6 to 15 digits (E.164 allows 15) with the usual separators, and an optional `+` in front.
fn is_phone(text: &str) -> bool {
    let rest = text.strip_prefix('+').unwrap_or(text);
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    (6..=15).contains(&digits)
        && rest.chars().all(|c| c.is_ascii_digit() || " -.()/".contains(c))
        && rest.ends_with(|c: char| c.is_ascii_digit())
}

fn is_duration(text: &str) -> bool {
    text.parse::<Millis>().is_ok()
}

/// `14:30` or `14:30:15`: a time of day, in the time zone of the pack.
fn is_time(text: &str) -> bool {
    let parts: Vec<&str> = text.split(':').collect();
    let within = |part: &str, limit: u8| {
        part.len() == 2
            && part.bytes().all(|b| b.is_ascii_digit())
            && part.parse::<u8>().is_ok_and(|number| number < limit)
    };
    match parts.as_slice() {
        [hours, minutes] => within(hours, 24) && within(minutes, 60),
        [hours, minutes, seconds] => within(hours, 24) && within(minutes, 60) && within(seconds, 60),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact_or_refused() {
        for text in ["0", "-3", "45.10", "0.0000000000000000000000000001"] {
            assert!(is_decimal(text), "{text}");
        }
        for text in
            ["", ".", "1.", ".5", "1e3", "1,5", "+1", "1_000", "99999999999999999999999999999999", "1.2.3", "--1"]
        {
            assert!(!is_decimal(text), "{text}");
        }
    }

    #[test]
    fn phones_may_be_written_as_people_write_them() {
        for text in ["0412 345 678", "+61 2 9374 4000", "(02) 9374-4000", "0412345678"] {
            assert!(is_phone(text), "{text}");
        }
        for text in ["", "12345", "call me", "0412 345 678 ext", "1234567890123456", "+"] {
            assert!(!is_phone(text), "{text}");
        }
    }

    #[test]
    fn times_of_day_have_no_offset() {
        assert!(is_time("09:30") && is_time("23:59:59"));
        for text in ["9:30", "24:00", "12:60", "12", "12:30Z", "ab:cd"] {
            assert!(!is_time(text), "{text}");
        }
    }

    #[test]
    fn a_reference_to_elsewhere_is_not_fetched() {
        assert!(compile(&serde_json::json!({"$ref": "https://example.com/schema.json"})).is_err());
    }
}
