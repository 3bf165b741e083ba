//! Decimals travel as text, so that no amount is ever rounded by a float on the way.

/// The exact decimal text of a JSON number or of text that is a decimal; `None` for anything else.
///
/// Floats use their shortest text form: `45.1` stays `45.1`.
pub fn decimal_text(value: &serde_json::Value) -> Option<String> {
    let text = match value {
        serde_json::Value::Number(n) => n.to_string(),
        serde_json::Value::String(s) => s.trim().to_owned(),
        _ => return None,
    };
    let unsigned = text.strip_prefix('-').unwrap_or(&text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (digits(whole) && digits(fraction)).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_and_text_become_the_same_decimal() {
        assert_eq!(decimal_text(&json!(45.1)), Some("45.1".into()));
        assert_eq!(decimal_text(&json!("45.10")), Some("45.10".into()));
        assert_eq!(decimal_text(&json!(-3)), Some("-3".into()));
        for bad in [json!("4,5"), json!("x"), json!(""), json!("."), json!("1."), json!(null), json!(1e300)] {
            assert_eq!(decimal_text(&bad), None, "{bad}");
        }
    }
}
