//! A record as callers see it.

use brain_store::RecordRow;
use serde_json::{Value, json};

/// A record as one object: its fields with `id`, `state`, `revision`, `created_at` and `updated_at`.
pub fn record_json(row: &RecordRow) -> Value {
    let mut fields = row.body.as_object().cloned().unwrap_or_default();
    fields.insert("id".into(), json!(row.id));
    if let Some(state) = &row.state {
        fields.insert("state".into(), json!(state));
    }
    fields.insert("revision".into(), json!(row.revision));
    fields.insert("created_at".into(), json!(row.created_at));
    fields.insert("updated_at".into(), json!(row.updated_at));
    Value::Object(fields)
}
