//! Names of records in answers: labels instead of ids.

use brain_core::{Failure, RecordId};
use brain_engine::RecordView;
use brain_registry::model::FieldDef;
use brain_store::RecordRow;
use serde_json::{Value, json};

use crate::Toolbox;
use crate::index_entries::index_text;
use crate::record::store_failed;
use crate::toolbox::RecordType;

/// Maximum number of references that a name is borrowed through.
const MAX_BORROWED: usize = 3;
/// Length of a name, in characters, from which it is cut.
const MAX_NAME: usize = 60;

/// Finds the names of records, and notes those of records that are referred to: an answer contains them as values, so
/// that personal ones are redacted wherever the answer is shown.
pub(super) struct Naming<'n, 'v> {
    toolbox: &'n Toolbox,
    pub(super) records: &'n mut RecordView<'v>,
    /// `{record, id, FIELD: name}` for each record that was referred to.
    pub(super) named: Vec<Value>,
}

impl<'n, 'v> Naming<'n, 'v> {
    pub(super) fn new(toolbox: &'n Toolbox, records: &'n mut RecordView<'v>) -> Self {
        Self { toolbox, records, named: Vec::new() }
    }

    pub(super) fn get(&mut self, record: &str, id: RecordId) -> Result<Option<RecordRow>, Failure> {
        self.records.get(record, id).map_err(store_failed)
    }

    /// The name of a record: its label, else what identifies it, else a part of its id.
    pub(super) fn name(&mut self, kind: &RecordType, row: &RecordRow) -> Result<String, Failure> {
        self.borrowed(kind, row, MAX_BORROWED)
    }

    fn borrowed(&mut self, kind: &RecordType, row: &RecordRow, depth: usize) -> Result<String, Failure> {
        let def = &kind.def;
        let text = |field: &FieldDef| {
            let value = row.body.get(&field.name).filter(|value| !value.is_null())?;
            Some(index_text(value)).filter(|text| !text.trim().is_empty())
        };
        let field = def.name_field().filter(|field| field.ask);
        if let Some((field, other)) = field.and_then(|field| Some((field, field.reference.as_deref()?)))
            && depth > 0
            && let Some(name) = row.body[&field.name].as_str().map(|id| self.of_id(other, id, depth - 1)).transpose()?
        {
            return Ok(name);
        }
        let own = field.filter(|field| field.reference.is_none());
        let named = own.into_iter().chain(def.identifier_fields().into_iter().filter(|field| field.ask)).find_map(text);
        let name = named.unwrap_or_else(|| {
            let id = row.id.to_string();
            // Ids of one moment begin alike.
            format!("{} …{}", def.title.to_lowercase(), &id[id.len() - 6..])
        });
        Ok(cut(&name))
    }

    /// The name of a record that is referred to.
    pub(super) fn reference(&mut self, record: &str, id: &str) -> Result<String, Failure> {
        self.of_id(record, id, MAX_BORROWED)
    }

    fn of_id(&mut self, record: &str, id: &str, depth: usize) -> Result<String, Failure> {
        let toolbox = self.toolbox;
        let (Ok(kind), Ok(key)) = (toolbox.record_type(record), id.parse()) else { return Ok(id.to_owned()) };
        let Some(row) = self.get(record, key)? else { return Ok(id.to_owned()) };
        let name = self.borrowed(kind, &row, depth)?;
        let called = kind.def.name_field().filter(|field| field.reference.is_none() && field.ask);
        if let Some(field) = called.or_else(|| kind.def.identifier_fields().first().copied()) {
            let entry = json!({"record": record, "id": id, field.name.as_str(): row.body[&field.name]});
            if !self.named.contains(&entry) {
                self.named.push(entry);
            }
        }
        Ok(name)
    }
}

fn cut(name: &str) -> String {
    let line = name.lines().next().unwrap_or_default().trim();
    if line.chars().count() <= MAX_NAME {
        return line.to_owned();
    }
    let start: String = line.chars().take(MAX_NAME).collect();
    format!("{}…", start.trim_end())
}
