//! A record type: what is stored.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A record type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordDef {
    /// Its name, unique over all packs.
    pub name: String,
    /// The pack it comes from.
    pub pack: String,
    /// What people call one.
    pub title: String,
    /// The fields, in order of declaration.
    pub fields: Vec<FieldDef>,
    /// Natural keys: lists of fields whose values together are unique.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key: Vec<Vec<String>>,
    /// Fields that make two records the same (for upsert); empty: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dedupe: Vec<String>,
    /// What upsert does to a field of the existing record; default `replace`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub merge: BTreeMap<String, MergeRule>,
    /// The state machine, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<States>,
    /// Fields found by full-text search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<String>,
    /// The field that names a record for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// One field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldDef {
    /// Its name.
    pub name: String,
    /// JSON Schema of its value.
    pub schema: Value,
    /// Whether a record must have it.
    #[serde(default)]
    pub required: bool,
    /// The record type it points to.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Whether the store keeps an index on it (keys, dedupe fields and refs always have one).
    #[serde(default)]
    pub indexed: bool,
    /// Never logged, redacted in receipts.
    #[serde(default)]
    pub personal: bool,
}

/// What upsert does to a field of the existing record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeRule {
    /// The old value stays.
    Keep,
    /// The new value wins, unless it is absent.
    Replace,
    /// Both: lists are joined (without repeats), texts are joined by a line break.
    Append,
    /// The new value is taken only where there was none.
    FillEmpty,
}

/// A state machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct States {
    /// Where a new record starts.
    pub initial: String,
    /// From each state, the states it may go to.
    pub transitions: BTreeMap<String, Vec<String>>,
}

impl RecordDef {
    /// The digest of its canonical form.
    pub fn hash(&self) -> brain_core::Digest {
        brain_core::canonical_digest(self)
    }

    /// A field by name.
    pub fn field(&self, name: &str) -> Option<&FieldDef> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The JSON Schema of a whole record body.
    pub fn schema(&self) -> Value {
        let properties: serde_json::Map<String, Value> =
            self.fields.iter().map(|field| (field.name.clone(), field.schema.clone())).collect();
        serde_json::json!({"type": "object", "properties": properties})
    }
}
