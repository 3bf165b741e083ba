//! Personal and secret values are replaced before a value is logged, shown in a receipt or hashed for the audit.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Digest, canonical_digest};

/// Replaces a redacted value.
pub const REDACTED: &str = "[REDACTED]";

/// Whether values under this key are always redacted, whatever a pack declares.
pub fn is_sensitive_key(key: &str) -> bool {
    const PARTS: [&str; 10] =
        ["password", "secret", "token", "apikey", "credential", "email", "phone", "address", "ssn", "creditcard"];
    let lower = key.to_ascii_lowercase();
    if lower.ends_with("_key") {
        return true;
    }
    let squeezed: String = lower.chars().filter(|c| *c != '_' && *c != '-').collect();
    PARTS.iter().any(|part| squeezed.contains(part))
}

/// Replaces values by key: built-in key patterns, and the fields that a pack declares as personal.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    personal: BTreeSet<String>,
}

impl Redactor {
    /// Makes a redactor that also replaces these fields.
    pub fn new(personal: impl IntoIterator<Item = String>) -> Self {
        Self { personal: personal.into_iter().collect() }
    }

    /// Returns a redactor that replaces these fields too.
    pub fn with(&self, more: impl IntoIterator<Item = String>) -> Self {
        Self { personal: self.personal.iter().cloned().chain(more).collect() }
    }

    /// Returns a redactor that leaves these fields, unless their names are always redacted.
    pub fn without(&self, fields: &BTreeSet<String>) -> Self {
        Self { personal: self.personal.difference(fields).cloned().collect() }
    }

    /// Whether values under this key are replaced.
    pub fn hides(&self, key: &str) -> bool {
        is_sensitive_key(key) || self.personal.contains(key)
    }

    /// A copy with every hidden value replaced, at any depth.
    pub fn redact(&self, value: &Value) -> Value {
        match value {
            Value::Object(map) => map
                .iter()
                .map(|(key, inner)| {
                    let shown = if self.hides(key) { Value::from(REDACTED) } else { self.redact(inner) };
                    (key.clone(), shown)
                })
                .collect(),
            Value::Array(items) => items.iter().map(|item| self.redact(item)).collect(),
            other => other.clone(),
        }
    }
}

/// The audit hash: SHA-256 over canonical JSON with sensitive fields replaced.
pub fn audit_hash(value: &Value) -> Digest {
    canonical_digest(&Redactor::default().redact(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::canonical_bytes;

    #[test]
    fn the_example_of_the_audit_standard_hashes_as_written() {
        let input = json!({"query": "weather in Kigali", "userEmail": "user@example.com", "count": 5});
        let shown = Redactor::default().redact(&input);
        let canonical = r#"{"count":5,"query":"weather in Kigali","userEmail":"[REDACTED]"}"#;
        assert_eq!(canonical_bytes(&shown), canonical.as_bytes());
        assert_eq!(audit_hash(&input), Digest::of(canonical.as_bytes()));
        assert_eq!(audit_hash(&input).to_string(), "0f07ad881d1364c6cfa2727dd0595b0f506bf884079bf95c25ebe8a0dfe1064e");
    }

    #[test]
    fn every_pattern_of_the_standard_is_hidden() {
        for key in [
            "password", "clientSecret", "accessToken", "api_key", "api-key", "apiKey", "credentials", "email", "phone",
            "homeAddress", "ssn", "credit_card", "x_secret", "x_token", "primary_key",
        ] {
            assert!(is_sensitive_key(key), "{key}");
        }
        for key in ["title", "count", "monkey", "keyboard"] {
            assert!(!is_sensitive_key(key), "{key}");
        }
    }

    #[test]
    fn personal_fields_are_hidden_at_any_depth() {
        let redactor = Redactor::new(["name".to_owned()]);
        let shown = redactor.redact(&json!({"lead": [{"name": "Bob", "stage": "new"}]}));
        assert_eq!(shown, json!({"lead": [{"name": REDACTED, "stage": "new"}]}));
    }
}
