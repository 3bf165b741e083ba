//! Record types.

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
    /// Its title for people.
    pub title: String,
    /// The fields, in order of declaration.
    pub fields: Vec<FieldDef>,
    /// Natural keys: lists of fields that are unique together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key: Vec<Vec<String>>,
    /// Fields that identify duplicates for upsert.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dedupe: Vec<String>,
    /// How upsert merges a field; `replace` by default.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub merge: BTreeMap<String, MergeRule>,
    /// The state machine, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<States>,
    /// Fields in full-text search.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<String>,
    /// The field with a record's display name. If it is a reference, the other record's name is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The field with alternative names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aliases: Option<String>,
    /// Fields that identify a record on their own: a number, an address.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub identifiers: Vec<String>,
    /// The members that act for a record of this type, if it is a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupDef>,
    /// Whether questions about its records are answered by a generated tool.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub ask: bool,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_yes(flag: &bool) -> bool {
    *flag
}

/// The members of a group: records that refer to the group, with a role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupDef {
    /// The members' record type.
    pub members: String,
    /// Their field that refers to the group.
    pub of: String,
    /// Their field that refers to the acting record; `None`: they act themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Their field with the role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Their field with the jurisdiction of the role; a member without one acts everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jurisdiction: Option<String>,
}

impl GroupDef {
    /// The type of the acting records; `members` is the definition of the members' type.
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
    /// The record type it refers to.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Whether it is indexed (keys, dedupe fields and references always are).
    #[serde(default)]
    pub indexed: bool,
    /// Personal: never logged, redacted in receipts.
    #[serde(default)]
    pub personal: bool,
    /// Whether generated tools answer questions about it.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub ask: bool,
    /// What happens to the record if the referenced one is deleted.
    #[serde(default, skip_serializing_if = "OnDelete::is_refuse")]
    pub on_delete: OnDelete,
}

/// What happens to a record if one that it refers to is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDelete {
    /// The deletion is refused.
    #[default]
    Refuse,
    /// The field is cleared; in a list, the reference is removed.
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
    /// The record type that the field refers to, as a single reference or a list.
    pub fn points_to(&self) -> Option<&str> {
        self.reference.as_deref().or_else(|| self.schema["items"]["x-entity"].as_str())
    }

    /// The ids in a value of this field.
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

/// How upsert merges a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeRule {
    /// Keeps the old value.
    Keep,
    /// Takes the new value, unless it is absent.
    Replace,
    /// Takes both: lists are joined without duplicates, texts with a line break.
    Append,
    /// Takes the new value only if there was none.
    FillEmpty,
}

/// A state machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct States {
    /// The state of a new record.
    pub initial: String,
    /// The transitions from each state.
    pub transitions: BTreeMap<String, Vec<String>>,
}

impl States {
    /// Every state, in alphabetical order.
    pub fn names(&self) -> Vec<String> {
        let all = self.transitions.iter().flat_map(|(from, to)| std::iter::once(from).chain(to));
        let all: std::collections::BTreeSet<&String> = all.chain(std::iter::once(&self.initial)).collect();
        all.into_iter().cloned().collect()
    }
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

    /// The field with the display name: the label, else a text field called `name` or similar.
    pub fn name_field(&self) -> Option<&FieldDef> {
        match &self.label {
            Some(label) => self.field(label),
            None => {
                ["name", "title", "number"].iter().find_map(|name| self.field(name)).filter(|field| field.is_text())
            }
        }
    }

    /// The identifying fields: those declared, else unique text fields.
    pub fn identifier_fields(&self) -> Vec<&FieldDef> {
        if !self.identifiers.is_empty() {
            return self.identifiers.iter().filter_map(|name| self.field(name)).collect();
        }
        let alone = self.key.iter().filter(|key| key.len() == 1).filter_map(|key| self.field(&key[0]));
        alone.filter(|field| field.is_text() && field.reference.is_none()).collect()
    }

    /// Whether records of this type can be referred to by anything but their id.
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
