//! Canonical JSON (RFC 8785): the byte form of a value that Brain hashes.

use serde::Serialize;

use crate::Digest;

/// Serialises a value to canonical JSON.
///
/// Panics on non-string keys and non-finite numbers. Values are JSON trees that Brain built or parsed itself, so
/// they contain neither.
pub fn canonical_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value).expect("JSON values have string keys and finite numbers")
}

/// SHA-256 of the canonical bytes.
pub fn canonical_digest<T: Serialize>(value: &T) -> Digest {
    Digest::of(&canonical_bytes(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_sorted_and_whitespace_is_gone() {
        let bytes = canonical_bytes(&json!({"b": [1, 2.5, "x\n"], "a": null, "é": true}));
        assert_eq!(String::from_utf8(bytes).unwrap(), r#"{"a":null,"b":[1,2.5,"x\n"],"é":true}"#);
    }

    #[test]
    fn the_same_value_in_another_order_has_the_same_digest() {
        let one: serde_json::Value = serde_json::from_str(r#"{"a":1,"b":{"c":2,"d":3}}"#).unwrap();
        let two: serde_json::Value = serde_json::from_str(r#"{"b":{"d":3,"c":2},"a":1}"#).unwrap();
        assert_eq!(canonical_digest(&one), canonical_digest(&two));
    }
}
