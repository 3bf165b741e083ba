//! Index entries for the names of records, so that a record is found by name without scanning others.

use brain_core::Timestamp;
use brain_nlu::entity::{Card, keys, normal_identifier, normal_name, words};
use brain_registry::model::{FieldDef, RecordDef};
use brain_store::{IndexEntry, IndexValue, RecordRow};
use serde_json::Value;

use crate::index_entries::index_text;

/// The index of names and aliases. Field names cannot contain `~`.
pub const NAME: &str = "~name";
/// The index of identifiers.
pub const IDENTIFIER: &str = "~id";
/// The index of the words of names.
pub const WORD: &str = "~word";
/// The index for misspelt names.
pub const ALIKE: &str = "~alike";

/// Maximum length of a name; longer values are prose and are not indexed as names.
const MAX_NAME: usize = 120;
/// Maximum number of words in a name that is indexed word by word.
const MAX_WORDS: usize = 6;
/// Maximum number of words in a name that is indexed for misspellings.
const MAX_ALIKE: usize = 4;
/// Maximum length of a hint; longer ones do not help to tell records apart.
const MAX_HINT: usize = 40;

/// The index entries for a record's names.
pub fn entries(def: &RecordDef, body: &Value) -> Vec<IndexEntry> {
    let mut list = Vec::new();
    let mut add = |field: &str, value: String| {
        if !value.is_empty() {
            list.push(IndexEntry { field: field.to_owned(), value: IndexValue::of(&value), unique: false });
        }
    };
    // A record that borrows its name is found through the record that it refers to.
    let name = def.name_field().filter(|field| field.reference.is_none()).and_then(|field| text(field, body));
    for called in name.iter().chain(&aliases(def, body)).filter(|called| called.chars().count() <= MAX_NAME) {
        add(NAME, normal_name(called));
        let words = words(called);
        let count = words.len();
        if count <= MAX_WORDS {
            words.into_iter().for_each(|word| add(WORD, word));
        }
        if count <= MAX_ALIKE {
            keys(called).into_iter().for_each(|key| add(ALIKE, key));
        }
    }
    for field in def.identifier_fields() {
        if let Some(value) = text(field, body) {
            add(IDENTIFIER, normal_identifier(&value));
        }
    }
    list
}

fn text(field: &FieldDef, body: &Value) -> Option<String> {
    let value = body.get(&field.name).filter(|value| !value.is_null())?;
    Some(index_text(value)).filter(|text| !text.trim().is_empty())
}

fn aliases(def: &RecordDef, body: &Value) -> Vec<String> {
    let value = def.aliases.as_ref().and_then(|field| body.get(field));
    let listed: Vec<String> = match value {
        Some(Value::Array(items)) => items.iter().map(index_text).collect(),
        Some(Value::String(text)) => text.split([',', ';', '\n']).map(|alias| alias.trim().to_owned()).collect(),
        _ => Vec::new(),
    };
    listed.into_iter().filter(|alias| !alias.is_empty()).collect()
}

/// The names and identifiers of a record, for name resolution. A record that borrows its name has no name yet.
pub fn card(def: &RecordDef, row: &RecordRow) -> Card {
    let name = def.name_field().filter(|field| field.reference.is_none()).and_then(|field| text(field, &row.body));
    let identifiers = def.identifier_fields().into_iter().filter_map(|field| text(field, &row.body));
    let is_name = |field: &FieldDef| def.name_field().is_some_and(|name| name.name == field.name);
    let hints = def
        .fields
        .iter()
        .filter(|field| !is_name(field) && field.reference.is_none() && !field.personal)
        .filter_map(|field| text(field, &row.body))
        .filter(|hint| hint.chars().count() <= MAX_HINT);
    let pointers = def.fields.iter().filter(|field| field.reference.is_some());
    let belongs_to = pointers.filter_map(|field| Some(row.body[&field.name].as_str()?.to_owned()));
    Card {
        kind: def.name.clone(),
        id: row.id.to_string(),
        name: name.unwrap_or_default(),
        aliases: aliases(def, &row.body),
        identifiers: identifiers.collect(),
        group: None,
        role: None,
        jurisdiction: None,
        belongs_to: belongs_to.collect(),
        last_used: Some(row.updated_at).filter(|at| *at > Timestamp::default()),
        hints: hints.chain(row.state.clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn def(extra: Value) -> RecordDef {
        let field = |name: &str, schema: Value| json!({"name": name, "schema": schema});
        let text = json!({"type": "string"});
        let mut def = json!({
            "name": "client", "pack": "p", "title": "Client",
            "fields": [
                field("name", text.clone()), field("also", text.clone()), field("number", text.clone()),
                field("suburb", text), field("size", json!({"type": "string", "enum": ["small", "big"]})),
            ],
        });
        def.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        serde_json::from_value(def).unwrap()
    }

    fn values(def: &RecordDef, body: &Value, field: &str) -> Vec<IndexValue> {
        entries(def, body).into_iter().filter(|one| one.field == field).map(|one| one.value).collect()
    }

    fn of<const N: usize>(texts: [&str; N]) -> [IndexValue; N] {
        texts.map(IndexValue::of)
    }

    #[test]
    fn a_record_is_indexed_by_its_names_aliases_and_identifiers() {
        let def = def(json!({"aliases": "also", "identifiers": ["number"]}));
        let body = json!({"name": "Acme Pty Ltd", "also": "The Roofers; AR", "number": "Q-1042", "suburb": "Ryde"});
        assert_eq!(values(&def, &body, NAME), of(["acme", "roofers", "ar"]));
        assert_eq!(values(&def, &body, IDENTIFIER), of(["q1042"]));
        assert_eq!(values(&def, &body, WORD), of(["acme", "ltd", "pty", "roofers", "the", "ar"]));
        assert!(!values(&def, &body, ALIKE).is_empty());
        assert!(entries(&def, &json!({"name": "", "also": null})).is_empty());
    }

    #[test]
    fn prose_is_not_indexed_and_long_names_have_few_entries() {
        let def = def(json!({}));
        assert!(entries(&def, &json!({"name": "word ".repeat(40)})).is_empty());
        assert_eq!(entries(&def, &json!({"name": "ring Bob about the roof of the shed"})).len(), 1);
        assert!(entries(&def, &json!({"name": "Kim Park"})).len() <= 12);
    }

    #[test]
    fn a_unique_key_of_one_text_field_is_an_identifier() {
        let def = def(json!({"key": [["number"], ["name", "suburb"]]}));
        assert_eq!(values(&def, &json!({"number": "T-7"}), IDENTIFIER), of(["t7"]));
    }
}
