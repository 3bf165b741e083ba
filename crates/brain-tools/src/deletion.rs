//! Deletes a record that others may refer to. Each reference's `on_delete` says what happens to its record.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use brain_core::{Failure, RecordId, Timestamp};
use brain_engine::RecordView;
use brain_registry::Registry;
use brain_registry::model::{Behavior, FieldDef, OnDelete, RecordDef, RecordOp};
use brain_store::{IndexValue, RecordFilter, RecordRow};
use serde_json::Value;

use crate::Toolbox;
use crate::index_entries::found_by;
use crate::record::{not_found, parse_id, store_failed};
use crate::values::Evaluation;

/// Maximum number of records that one deletion may change or delete.
const MAX_TOUCHED: usize = 1_000;
/// Maximum number of referring records that an error message names.
const NAMED: usize = 5;

/// A record: its type and its id.
pub type RecordKey = (String, RecordId);

/// A field that refers to a record type.
#[derive(Clone, Debug)]
pub(crate) struct Referrer {
    kind: String,
    field: FieldDef,
}

/// The fields that refer to each record type.
pub(crate) fn referrers(registry: &Registry) -> BTreeMap<String, Vec<Referrer>> {
    let mut all: BTreeMap<String, Vec<Referrer>> = BTreeMap::new();
    for (kind, def) in registry.records() {
        for field in &def.fields {
            if let Some(target) = field.points_to() {
                all.entry(target.to_owned()).or_default().push(Referrer { kind: kind.clone(), field: field.clone() });
            }
        }
    }
    all
}

/// The consequences of deleting a record.
#[derive(Debug, Default)]
pub struct Deletion {
    /// The records to delete; the requested one is first.
    pub deleted: Vec<RecordRow>,
    /// Records that stay, with the references to clear, by field.
    cleared: BTreeMap<RecordKey, (RecordRow, BTreeMap<String, BTreeSet<String>>)>,
}

impl Deletion {
    /// The records whose references are cleared, with their new revisions.
    pub(crate) fn cleared(&self) -> impl Iterator<Item = (&RecordKey, u64)> {
        self.cleared.iter().map(|(key, (row, _))| (key, row.revision + 1))
    }
}

impl Toolbox {
    /// Computes the consequences of deleting a record, or fails with the records that prevent it. References from
    /// `gone` are ignored, because those records are deleted first.
    pub fn deletion(
        &self,
        records: &mut RecordView<'_>,
        kind: &str,
        id: RecordId,
        gone: &BTreeSet<RecordKey>,
    ) -> Result<Deletion, Failure> {
        let def = &self.record_type(kind)?.def;
        let row = records.get(kind, id).map_err(store_failed)?;
        let row = row.ok_or_else(|| not_found(&def.title, &id.to_string()))?;
        let title = def.title.to_lowercase();
        let mut deletion = Deletion::default();
        let mut going: BTreeSet<RecordKey> = gone.clone();
        going.insert(key(&row));
        let mut open = VecDeque::from([row]);
        let mut refusing: Vec<(RecordKey, &Referrer)> = Vec::new();
        while let Some(row) = open.pop_front() {
            for referrer in self.referrers.get(&row.kind).into_iter().flatten() {
                let filter = pointing_to(referrer, row.id);
                match referrer.field.on_delete {
                    OnDelete::Refuse => refusing.push((key(&row), referrer)),
                    OnDelete::Cascade => {
                        let found = self.relied(records, &referrer.kind, &filter, &title)?;
                        open.extend(found.into_iter().filter(|found| going.insert(key(found))));
                    }
                    OnDelete::Clear => {
                        for found in self.relied(records, &referrer.kind, &filter, &title)? {
                            let (_, lost) =
                                deletion.cleared.entry(key(&found)).or_insert_with(|| (found, BTreeMap::new()));
                            lost.entry(referrer.field.name.clone()).or_default().insert(row.id.to_string());
                        }
                    }
                }
                if going.len() - gone.len() + deletion.cleared.len() > MAX_TOUCHED {
                    return Err(too_many(&title));
                }
            }
            deletion.deleted.push(row);
        }
        // Records that are deleted too do not prevent the deletion.
        for ((kind, id), referrer) in refusing {
            let filter = pointing_to(referrer, id);
            let staying = |found: Vec<RecordRow>| -> Vec<RecordRow> {
                found.into_iter().filter(|row| !going.contains(&key(row))).collect()
            };
            let mut found =
                staying(records.list(&referrer.kind, &filter, going.len() + NAMED + 1).map_err(store_failed)?);
            // The commit's precondition is the last read, so read again in case of a concurrent write.
            if found.is_empty() {
                found = staying(self.relied(records, &referrer.kind, &filter, &title)?);
            }
            if !found.is_empty() {
                return Err(self.refused(records, &kind, id, &found));
            }
        }
        deletion.cleared.retain(|key, _| !going.contains(key));
        Ok(deletion)
    }

    /// The record that a call of this tool deletes, if the tool deletes one.
    pub fn deletes(&self, tool: &str, args: &Value, now: Timestamp) -> Option<RecordKey> {
        let tool = self.registry().tool(tool)?;
        let Behavior::Record(behavior) = &tool.def.behavior else { return None };
        if behavior.op != RecordOp::Delete {
            return None;
        }
        let mut evaluation = Evaluation::new(now, self.zone().clone(), b"deletes");
        evaluation.set("settings", self.settings().current().values.clone());
        evaluation.set("input", brain_lang::feel::Value::from_typed_json(args, &tool.def.input));
        let id = evaluation.json(behavior.id.as_ref()?).ok()?;
        Some((behavior.record.clone(), parse_id(id.as_str()?, &behavior.record).ok()?))
    }

    /// Applies a deletion to the view.
    pub(crate) fn delete(
        &self,
        records: &mut RecordView<'_>,
        deletion: &Deletion,
        now: Timestamp,
    ) -> Result<(), Failure> {
        for (row, lost) in deletion.cleared.values() {
            let kind = self.record_type(&row.kind)?;
            // Read by id, so that the commit checks that it has not changed.
            let Some(row) = records.get(&row.kind, row.id).map_err(store_failed)? else { continue };
            let mut fields = row.body.as_object().cloned().unwrap_or_default();
            for (field, ids) in lost {
                match fields.get_mut(field) {
                    Some(Value::Array(list)) => list.retain(|id| id.as_str().is_none_or(|id| !ids.contains(id))),
                    _ => drop(fields.remove(field)),
                }
            }
            let body = kind.checker.check(Value::Object(fields)).map_err(|problems| {
                let list: Vec<String> = problems.iter().map(ToString::to_string).collect();
                let message =
                    format!("The {} {} would not be valid without it: {}", kind.def.title, row.id, list.join("; "));
                Failure::contract("bad_record", message)
            })?;
            let (index, text) = found_by(&kind.def, &body);
            let row = RecordRow { revision: row.revision + 1, updated_at: now, body, ..row };
            records.put(row, index, text);
        }
        for row in &deletion.deleted {
            // As above, for the commit's check.
            records.get(&row.kind, row.id).map_err(store_failed)?;
            records.delete(&row.kind, row.id);
        }
        Ok(())
    }

    /// All matching records, as a precondition of the commit.
    fn relied(
        &self,
        records: &mut RecordView<'_>,
        kind: &str,
        filter: &RecordFilter,
        title: &str,
    ) -> Result<Vec<RecordRow>, Failure> {
        // Listed first, because a list that is too long cannot be a precondition.
        let found = records.list(kind, filter, MAX_TOUCHED + 1).map_err(store_failed)?;
        if found.len() > MAX_TOUCHED {
            return Err(too_many(title));
        }
        records.list_relied(kind, filter, MAX_TOUCHED).map_err(store_failed)
    }

    /// The error that names the referring records.
    fn refused(&self, records: &mut RecordView<'_>, kind: &str, id: RecordId, staying: &[RecordRow]) -> Failure {
        let title =
            |kind: &str| self.record_type(kind).map_or_else(|_| kind.to_owned(), |kind| kind.def.title.to_lowercase());
        let mut named = Vec::new();
        for row in staying.iter().take(NAMED) {
            let name = self.display_name(records, row).map_or_else(String::new, |name| format!(" \"{name}\""));
            named.push(format!("{}{name} ({})", title(&row.kind), row.id));
        }
        let more = if staying.len() > NAMED { " and others" } else { "" };
        let message = format!(
            "The {} {id} is still referred to by {}{more}. Delete or change those first.",
            title(kind),
            named.join(", ")
        );
        Failure::business("still_referred_to", message)
    }

    /// A record's display name, or that of the record that it borrows its name from. `None` if the name is personal.
    fn display_name(&self, records: &mut RecordView<'_>, row: &RecordRow) -> Option<String> {
        let (mut def, mut row): (&RecordDef, RecordRow) = (&self.record_type(&row.kind).ok()?.def, row.clone());
        for _ in 0..3 {
            let field = def.name_field().filter(|field| !field.personal)?;
            let text = row.body[&field.name].as_str()?.to_owned();
            let Some(target) = &field.reference else { return Some(text) };
            def = &self.record_type(target).ok()?.def;
            row = records.get(target, text.parse().ok()?).ok()??;
        }
        None
    }
}

fn key(row: &RecordRow) -> RecordKey {
    (row.kind.clone(), row.id)
}

fn pointing_to(referrer: &Referrer, id: RecordId) -> RecordFilter {
    RecordFilter {
        indexed: vec![(referrer.field.name.clone(), IndexValue::of(&id.to_string()))],
        ..RecordFilter::default()
    }
}

fn too_many(title: &str) -> Failure {
    let message = format!(
        "Deleting this {title} would change or delete more than {MAX_TOUCHED} records that refer to it. Delete those first, in parts."
    );
    Failure::business("too_many_referrers", message)
}
