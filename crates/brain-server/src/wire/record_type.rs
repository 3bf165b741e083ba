//! Types of records as callers see them, and records that are taken in from elsewhere.

use brain_registry::model::RecordDef;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A type of record.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RecordType {
    /// Its name.
    pub name: String,
    /// The pack it comes from.
    pub pack: String,
    /// What people call it.
    pub title: String,
    /// The field that names a record: the declared label, else a text field called `name`, `title` or `number`; null
    /// if there is none.
    #[schema(required)]
    pub label: Option<String>,
    /// The fields, in the order in which the pack declares them.
    pub fields: Vec<RecordField>,
    /// Fields that are unique together.
    pub keys: Vec<Vec<String>>,
    /// The states; empty if it has none.
    pub states: Vec<String>,
    /// The state of a new record; null if it has none.
    #[schema(required)]
    pub initial_state: Option<String>,
}

/// A field of a record.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RecordField {
    /// Its name.
    pub name: String,
    /// JSON Schema of its value.
    #[schema(value_type = Object)]
    pub schema: Value,
    /// Whether a record must have it.
    pub required: bool,
    /// The type of record that it refers to; null if it is no reference.
    #[schema(required)]
    pub reference: Option<String>,
    /// Whether it is personal.
    pub personal: bool,
}

impl From<&RecordDef> for RecordType {
    fn from(def: &RecordDef) -> Self {
        let field = |field: &brain_registry::model::FieldDef| RecordField {
            name: field.name.clone(),
            schema: field.schema.clone(),
            required: field.required,
            reference: field.points_to().map(str::to_owned),
            personal: field.personal,
        };
        Self {
            name: def.name.clone(),
            pack: def.pack.clone(),
            title: def.title.clone(),
            label: def.name_field().map(|field| field.name.clone()),
            fields: def.fields.iter().map(field).collect(),
            keys: def.key.clone(),
            states: def.states.as_ref().map(brain_registry::model::States::names).unwrap_or_default(),
            initial_state: def.states.as_ref().map(|states| states.initial.clone()),
        }
    }
}

/// Records to take in.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportRecords {
    /// The records, each with its fields and, if it is to have one, its `id` and `state`. At most 1,000; in a dry run
    /// 20,000.
    #[schema(value_type = Vec<Object>, max_items = 20_000)]
    pub items: Vec<Map<String, Value>>,
    /// The field that says which record is updated: `id`, or a field that is unique. Without it, all are new.
    #[serde(default)]
    pub key: Option<String>,
    /// Only check, and report what would be done.
    #[serde(default)]
    pub dry_run: Option<bool>,
}

/// The result for each record, in the same order.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ImportedRecords {
    /// How many were made, or would be.
    pub created: usize,
    /// How many were updated, or would be.
    pub updated: usize,
    /// How many were already the same.
    pub unchanged: usize,
    /// Those that were refused.
    pub refused: Vec<RefusedRecord>,
}

/// A record that was refused.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RefusedRecord {
    /// Its place in the list, from 0.
    pub item: usize,
    /// Why.
    pub message: String,
}
