//! Resolves scalars by the core schema of YAML 1.2; numbers keep their digits.

use super::{Scalar, Style};

/// The value of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved {
    /// Null.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number of 64 bits.
    Integer(i64),
    /// Any other number, as exact text (no exponent, no leading `+`).
    Decimal(String),
    /// Text.
    Text(String),
}

impl Resolved {
    /// The type of the value, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "true or false",
            Self::Integer(_) => "a whole number",
            Self::Decimal(_) => "a number",
            Self::Text(_) => "text",
        }
    }
}

/// What a scalar means. Only plain scalars can be anything but text.
///
/// `yes`, `no`, `on`, `off` and dates are text, as YAML 1.2 says; so are `.inf`, `.nan` and numbers with an exponent,
/// which no pack needs and no decimal can hold.
pub fn resolve(scalar: &Scalar) -> Resolved {
    if scalar.style != Style::Plain {
        return Resolved::Text(scalar.text.clone());
    }
    match scalar.text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => Resolved::Null,
        "true" | "True" | "TRUE" => Resolved::Bool(true),
        "false" | "False" | "FALSE" => Resolved::Bool(false),
        text => number(text).unwrap_or_else(|| Resolved::Text(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Resolved> {
    if let Some(hex) = text.strip_prefix("0x") {
        return radix(hex, 16);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return radix(octal, 8);
    }
    let (sign, unsigned) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (if text.starts_with('-') { "-" } else { "" }, rest),
        None => ("", text),
    };
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    match unsigned.split_once('.') {
        None if !unsigned.is_empty() && digits(unsigned) => Some(
            format!("{sign}{unsigned}")
                .parse()
                .map_or_else(|_| Resolved::Decimal(format!("{sign}{unsigned}")), Resolved::Integer),
        ),
        Some((whole, fraction)) if !(whole.is_empty() && fraction.is_empty()) && digits(whole) && digits(fraction) => {
            let whole = if whole.is_empty() { "0" } else { whole };
            let fraction = if fraction.is_empty() { "0" } else { fraction };
            Some(Resolved::Decimal(format!("{sign}{whole}.{fraction}")))
        }
        _ => None,
    }
}

fn radix(digits: &str, radix: u32) -> Option<Resolved> {
    let plain = digits.bytes().all(|b| b.is_ascii_alphanumeric());
    i64::from_str_radix(digits, radix).ok().filter(|_| plain).map(Resolved::Integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Resolved {
        resolve(&Scalar { text: text.into(), style: Style::Plain })
    }

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        assert_eq!(plain(""), Resolved::Null);
        assert_eq!(plain("~"), Resolved::Null);
        assert_eq!(plain("True"), Resolved::Bool(true));
        assert_eq!(plain("-12"), Resolved::Integer(-12));
        assert_eq!(plain("+7"), Resolved::Integer(7));
        assert_eq!(plain("0x1F"), Resolved::Integer(31));
        assert_eq!(plain("0o17"), Resolved::Integer(15));
        assert_eq!(plain("007"), Resolved::Integer(7));
    }

    #[test]
    fn numbers_that_are_not_whole_keep_their_digits() {
        assert_eq!(plain("0.10"), Resolved::Decimal("0.10".into()));
        assert_eq!(plain("-.5"), Resolved::Decimal("-0.5".into()));
        assert_eq!(plain("+1."), Resolved::Decimal("1.0".into()));
        assert_eq!(plain("123456789012345678901"), Resolved::Decimal("123456789012345678901".into()));
    }

    #[test]
    fn what_other_yaml_versions_turn_into_something_else_stays_text() {
        for text in
            ["yes", "no", "on", "off", "2026-01-02", "1e3", ".inf", ".nan", "1_000", "12:30", "-", "+", ".", "0x-1"]
        {
            assert_eq!(plain(text), Resolved::Text(text.into()), "{text}");
        }
    }

    #[test]
    fn quoted_scalars_are_always_text() {
        for style in [Style::Single, Style::Double, Style::Literal, Style::Folded] {
            assert_eq!(resolve(&Scalar { text: "1".into(), style }), Resolved::Text("1".into()));
        }
    }
}
