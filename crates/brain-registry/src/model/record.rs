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
    /// The field that names a record for people. If it points to another record, this one is called by the other's
    /// name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The field with other names of a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aliases: Option<String>,
    /// Fields that each mean one record: a number, an address.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identifiers: Vec<String>,
    /// Who acts for a record of this type, if it stands for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupDef>,
}

/// Who acts for a group: records that each name the group, and in what they act for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupDef {
    /// Their type.
    pub members: String,
    /// Their field that points to the group.
    pub of: String,
    /// Their field that points to the record that acts; `None`: they act themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Their field with the role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Their field with the place where the role holds; a member without one acts everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jurisdiction: Option<String>,
}

impl GroupDef {
    /// The type of the records that act for such a group; `members` is the definition of their type.
    pub fn acting<'a>(&'a self, members: &'a RecordDef) -> Option<&'a str> {
        match &self.entity {
            Some(field) => members.field(field)?.reference.as_deref(),
            None => Some(&self.members),
        }
    }
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
    /// What becomes of the record when the one that this field points to is deleted.
    #[serde(default, skip_serializing_if = "OnDelete::is_refuse")]
    pub on_delete: OnDelete,
}

/// What becomes of a record when one that it points to is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDelete {
    /// The other record is not deleted while this one points to it.
    #[default]
    Refuse,
    /// The field is emptied; from a list, the reference is taken out.
    Clear,
    /// This record is deleted too.
    Cascade,
}

impl OnDelete {
    fn is_refuse(&self) -> bool {
        *self == Self::Refuse
    }
}

impl FieldDef {
    /// The record type that the field points to, with one reference or with a list of them.
    pub fn points_to(&self) -> Option<&str> {
        self.reference.as_deref().or_else(|| self.schema["items"]["x-entity"].as_str())
    }

    /// The ids that a value of this field holds: one, several in a list, or none.
    pub fn ids<'v>(&self, value: &'v Value) -> Vec<&'v str> {
        match (self.points_to(), value) {
            (Some(_), Value::String(id)) => vec![id],
            (Some(_), Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    fn is_text(&self) -> bool {
        self.schema["type"] == "string" && self.schema.get("enum").is_none() && self.schema["format"] != "uuid"
    }
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

    /// The field that people call a record by: its label, else a text that is called so.
    pub fn name_field(&self) -> Option<&FieldDef> {
        match &self.label {
            Some(label) => self.field(label),
            None => {
                ["name", "title", "number"].iter().find_map(|name| self.field(name)).filter(|field| field.is_text())
            }
        }
    }

    /// The fields that each mean one record: those declared, else texts that are unique by themselves.
    pub fn identifier_fields(&self) -> Vec<&FieldDef> {
        if !self.identifiers.is_empty() {
            return self.identifiers.iter().filter_map(|name| self.field(name)).collect();
        }
        let alone = self.key.iter().filter(|key| key.len() == 1).filter_map(|key| self.field(&key[0]));
        alone.filter(|field| field.is_text() && field.reference.is_none()).collect()
    }

    /// Whether people can call a record of this type by anything but its id.
    pub fn is_named(&self) -> bool {
        self.name_field().is_some() || self.aliases.is_some() || !self.identifier_fields().is_empty()
    }

    /// The JSON Schema of a whole record body.
    pub fn schema(&self) -> Value {
        let properties: serde_json::Map<String, Value> =
            self.fields.iter().map(|field| (field.name.clone(), field.schema.clone())).collect();
        serde_json::json!({"type": "object", "properties": properties})
    }
}
