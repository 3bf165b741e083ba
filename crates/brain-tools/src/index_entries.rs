//! The lookup entries of a record: unique keys, indexed fields, names and words. Every writer of records uses this
//! module, so that all records are indexed the same way.

use brain_core::{Digest, canonical_digest};
use brain_registry::model::{FieldDef, RecordDef};
use brain_store::{IndexEntry, IndexValue};
use serde_json::{Value, json};

/// Joins the values of a multi-field key.
const KEY_SEPARATOR: &str = "\u{1f}";
/// The index that `upsert` uses.
const DEDUPE: &str = "dedupe";
/// The version of the index format. Increase it when the same record and declaration give different entries.
const FORM: u32 = 3;

/// The index entries of a record, and its full-text words if its type declares `search`.
pub fn found_by(def: &RecordDef, body: &Value) -> (Vec<IndexEntry>, Option<String>) {
    (index_entries(def, body), (!def.search.is_empty()).then(|| search_text(def, body)))
}

/// The digest of the parts of a declaration that determine index entries. Records written under another digest may lack
/// entries until `brain records reindex` has run.
pub fn found_by_digest(def: &RecordDef) -> Digest {
    let names = |fields: Vec<&FieldDef>| fields.into_iter().map(|field| field.name.clone()).collect::<Vec<_>>();
    let indexed = def.fields.iter().filter(|field| is_indexed(field)).collect();
    canonical_digest(&json!({
        "form": FORM, "key": def.key, "dedupe": def.dedupe, "search": def.search, "indexed": names(indexed),
        "name": names(def.name_field().into_iter().collect()), "aliases": def.aliases,
        "identifiers": names(def.identifier_fields()),
    }))
}

fn is_indexed(field: &FieldDef) -> bool {
    field.indexed || field.points_to().is_some()
}

pub(crate) fn index_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The index value of a field's value.
pub(crate) fn index_value(value: &Value) -> IndexValue {
    IndexValue::of(&index_text(value))
}

/// The combined value of several fields; `None` if one is missing.
fn joined(fields: &[String], body: &Value) -> Option<String> {
    let values: Option<Vec<String>> =
        fields.iter().map(|field| body.get(field).filter(|value| !value.is_null()).map(index_text)).collect();
    values.map(|values| values.join(KEY_SEPARATOR))
}

/// The entry that `upsert` looks up.
pub(crate) fn dedupe_entry(def: &RecordDef, body: &Value) -> Option<IndexEntry> {
    if def.dedupe.is_empty() {
        return None;
    }
    Some(IndexEntry { field: DEDUPE.into(), value: IndexValue::of(&joined(&def.dedupe, body)?), unique: false })
}

fn index_entries(def: &RecordDef, body: &Value) -> Vec<IndexEntry> {
    let mut entries: Vec<IndexEntry> = Vec::new();
    for key in &def.key {
        if let Some(value) = joined(key, body) {
            entries.push(IndexEntry { field: key.join("+"), value: IndexValue::of(&value), unique: true });
        }
    }
    entries.extend(dedupe_entry(def, body));
    for field in def.fields.iter().filter(|field| is_indexed(field)) {
        // A list of references has one entry per reference.
        for id in field.ids(&body[&field.name]).into_iter().filter(|_| field.reference.is_none()) {
            entries.push(IndexEntry { field: field.name.clone(), value: IndexValue::of(id), unique: false });
        }
        let whole = field.indexed || field.reference.is_some();
        if let Some(value) = body.get(&field.name).filter(|value| !value.is_null() && whole) {
            entries.push(IndexEntry { field: field.name.clone(), value: index_value(value), unique: false });
        }
    }
    entries.extend(crate::names::entries(def, body));
    entries.sort();
    entries.dedup();
    entries
}

fn search_text(def: &RecordDef, body: &Value) -> String {
    let texts: Vec<String> = def
        .search
        .iter()
        .filter_map(|field| body.get(field))
        .filter(|value| !value.is_null())
        .map(index_text)
        .collect();
    texts.join(" \n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn def(extra: &Value) -> RecordDef {
        let field = |name: &str| json!({"name": name, "schema": {"type": "string"}});
        let mut def =
            json!({"name": "client", "pack": "p", "title": "Client", "fields": [field("name"), field("also")]});
        def.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        serde_json::from_value(def).unwrap()
    }

    #[test]
    fn the_digest_changes_only_with_the_lookup_fields() {
        let before = found_by_digest(&def(&json!({})));
        for extra in [
            json!({"aliases": "also"}),
            json!({"label": "also"}),
            json!({"identifiers": ["also"]}),
            json!({"key": [["also"]]}),
            json!({"search": ["name"]}),
            json!({"dedupe": ["name"]}),
        ] {
            assert_ne!(found_by_digest(&def(&extra)), before, "{extra}");
        }
        for extra in [json!({"title": "Customer"}), json!({"label": "name"}), json!({"merge": {"name": "keep"}})] {
            assert_eq!(found_by_digest(&def(&extra)), before, "{extra}");
        }
    }

    #[test]
    fn only_a_type_with_search_fields_has_words() {
        let body = json!({"name": "Kim Park"});
        assert_eq!(found_by(&def(&json!({})), &body).1, None);
        assert_eq!(found_by(&def(&json!({"search": ["name", "also"]})), &body).1.as_deref(), Some("Kim Park"));
    }
}
