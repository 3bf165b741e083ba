//! Takes in records from elsewhere, without running tools. Each is checked like one that a tool writes.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::{RecordId, Timestamp};
use brain_registry::model::RecordDef;
use brain_store::{
    AuditRow, Conflict, IndexEntry, IndexValue, Member, Outcome, Precondition, RecordFilter, RecordRow, Scope, Write,
};
use brain_tools::found_by;
use serde_json::{Map, Value};

use crate::{Kernel, KernelError};

/// Fields that an export has and that Brain sets itself.
const OWN: [&str; 3] = ["revision", "created_at", "updated_at"];

/// How records are taken in.
#[derive(Clone, Copy, Debug)]
pub struct Import<'a> {
    /// The field that finds the record to update: `id`, or an indexed field. `None`: every record is new.
    pub key: Option<&'a str>,
    /// Only check.
    pub dry_run: bool,
    /// Who does it, for the audit.
    pub by: &'a str,
}

/// The result for each record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Number of new records.
    pub created: usize,
    /// Number of updated records.
    pub updated: usize,
    /// Number of records that already had the same values.
    pub unchanged: usize,
    /// Refused records: index in the list, and why.
    pub refused: Vec<(usize, String)>,
}

/// What a dry run would have written so far.
#[derive(Default)]
struct Imagined {
    rows: BTreeMap<RecordId, (RecordRow, Vec<IndexEntry>)>,
    by_value: BTreeMap<(String, IndexValue), BTreeSet<RecordId>>,
}

impl Imagined {
    fn put(&mut self, row: RecordRow, index: Vec<IndexEntry>) {
        let slot = |entry: &IndexEntry| (entry.field.clone(), entry.value.clone());
        if let Some((_, old)) = self.rows.remove(&row.id) {
            for entry in &old {
                self.by_value.entry(slot(entry)).or_default().remove(&row.id);
            }
        }
        for entry in &index {
            self.by_value.entry(slot(entry)).or_default().insert(row.id);
        }
        self.rows.insert(row.id, (row, index));
    }

    fn with(&self, field: &str, value: &IndexValue) -> impl Iterator<Item = &RecordRow> {
        let ids = self.by_value.get(&(field.to_owned(), value.clone()));
        ids.into_iter().flatten().filter_map(|id| self.rows.get(id).map(|(row, _)| row))
    }
}

/// A record to write.
struct Ready {
    item: usize,
    is_new: bool,
    member: Member,
}

impl Kernel {
    /// Takes in records of a type. A record that is refused does not stop the others. An error means that some may have
    /// been written; with a key, the same records can be given again.
    pub fn import_records(
        &self,
        scope: &Scope,
        def: &RecordDef,
        items: Vec<Map<String, Value>>,
        how: &Import<'_>,
    ) -> Result<Imported, KernelError> {
        if let Some(key) = how.key.filter(|key| !is_key(def, key)) {
            let keys: Vec<&str> =
                def.fields.iter().map(|field| field.name.as_str()).filter(|name| is_key(def, name)).collect();
            let list = std::iter::once("id").chain(keys).collect::<Vec<_>>().join(", ");
            return Err(KernelError::Conflict(format!(
                "`{key}` is neither a key nor an indexed field of `{}`; use one of: {list}",
                def.name
            )));
        }
        let mut importing = Importing {
            kernel: self,
            scope,
            def,
            how,
            now: self.clock().now(),
            ready: Vec::new(),
            seen: BTreeSet::new(),
            imagined: Imagined::default(),
            done: Imported::default(),
        };
        let count = items.len();
        for (item, fields) in items.into_iter().enumerate() {
            match importing.decide(item, fields)? {
                Ok(()) => {}
                Err(why) => importing.done.refused.push((item, why)),
            }
        }
        importing.write()?;
        importing.done.refused.sort();
        let done = importing.done;
        if !how.dry_run && done.created + done.updated > 0 {
            self.store().note(&AuditRow {
                at: self.clock().now(),
                who: how.by.to_owned(),
                what: "records import".into(),
                tenant: Some(scope.tenant().clone()),
                detail: format!("{}: {} new, {} updated of {count}", def.name, done.created, done.updated),
            })?;
        }
        Ok(done)
    }
}

/// Whether a field can find the record to update.
fn is_key(def: &RecordDef, name: &str) -> bool {
    let indexed = def.field(name).is_some_and(|field| field.indexed || field.points_to().is_some());
    name == "id" || indexed || def.key.iter().any(|key| key.as_slice() == [name])
}

/// Why a new record cannot have its id.
const TAKEN: &str = "id: there is already a record with this id";

/// The fields of a key.
fn fields_of(key: &str) -> String {
    key.replace('+', " and ")
}

/// Why a record cannot have its value of a key.
fn held(key: &str, holder: RecordId) -> String {
    format!("record {holder} has the same {}", fields_of(key))
}

struct Importing<'a> {
    kernel: &'a Kernel,
    scope: &'a Scope,
    def: &'a RecordDef,
    how: &'a Import<'a>,
    now: Timestamp,
    ready: Vec<Ready>,
    /// Values of the key, and ids, among those that are ready.
    seen: BTreeSet<String>,
    imagined: Imagined,
    done: Imported,
}

impl Importing<'_> {
    /// Decides what to do with one record. The inner error says why it is refused.
    fn decide(&mut self, item: usize, mut fields: Map<String, Value>) -> Result<Result<(), String>, KernelError> {
        OWN.iter().for_each(|name| drop(fields.remove(*name)));
        let id = match fields.remove("id").filter(|id| !id.is_null()) {
            None => None,
            Some(Value::String(text)) => match text.parse::<RecordId>() {
                Ok(id) => Some(id),
                Err(error) => return Ok(Err(format!("id: {error}"))),
            },
            Some(_) => return Ok(Err("id: this is not text".into())),
        };
        let state = match fields.remove("state").filter(|state| !state.is_null()) {
            None => None,
            Some(value) => match self.state(&value) {
                Ok(state) => Some(state),
                Err(why) => return Ok(Err(why)),
            },
        };
        if let Some(unknown) = fields.keys().find(|name| self.def.field(name).is_none()) {
            let known = self.def.fields.iter().map(|field| field.name.as_str());
            let better = brain_registry::nearest(unknown, known).map(|better| format!("; did you mean `{better}`?"));
            return Ok(Err(format!("there is no field `{unknown}`{}", better.unwrap_or_default())));
        }
        let old = match self.old(id, &fields)? {
            Ok(old) => old,
            Err(why) => return Ok(Err(why)),
        };
        let mut body = old.as_ref().and_then(|row| row.body.as_object().cloned()).unwrap_or_default();
        for (name, value) in fields {
            if value.is_null() {
                body.remove(&name);
            } else {
                body.insert(name, value);
            }
        }
        let body = match self.kernel.toolbox.check_record(&self.def.name, Value::Object(body)) {
            Ok(body) => body,
            Err(why) => return Ok(Err(why)),
        };
        if let Some(missing) = self.missing(&body)? {
            return Ok(Err(missing));
        }
        let row = match old {
            Some(old) if old.body == body && (state.is_none() || state == old.state) => {
                self.done.unchanged += 1;
                return Ok(Ok(()));
            }
            Some(old) => RecordRow {
                revision: old.revision + 1,
                state: state.or_else(|| old.state.clone()),
                updated_at: self.now,
                body,
                ..old
            },
            None => RecordRow {
                kind: self.def.name.clone(),
                id: id.unwrap_or_else(|| self.kernel.draw(|random| RecordId::generate(self.now, random))),
                revision: 1,
                state: state.or_else(|| self.def.states.as_ref().map(|states| states.initial.clone())),
                created_at: self.now,
                updated_at: self.now,
                body,
            },
        };
        self.seen.insert(row.id.to_string());
        let is_new = row.revision == 1;
        let revision = (!is_new).then(|| row.revision - 1);
        let preconditions = vec![Precondition::Record { kind: row.kind.clone(), id: row.id, revision }];
        let (index, text) = found_by(self.def, &row.body);
        if self.how.dry_run {
            return self.imagine(row, index, is_new);
        }
        let member =
            Member { scope: self.scope.clone(), preconditions, writes: vec![Write::PutRecord { row, index, text }] };
        self.ready.push(Ready { item, is_new, member });
        Ok(Ok(()))
    }

    fn state(&self, value: &Value) -> Result<String, String> {
        let states = self.def.states.as_ref().map(brain_registry::model::States::names).unwrap_or_default();
        let given = value.as_str().unwrap_or_default();
        match states.iter().any(|state| state == given) {
            true => Ok(given.to_owned()),
            false if states.is_empty() => Err("state: records of this type have no states".into()),
            false => Err(format!("state: `{given}` is not one of {}", states.join(", "))),
        }
    }

    /// The record to update.
    fn old(
        &mut self,
        id: Option<RecordId>,
        fields: &Map<String, Value>,
    ) -> Result<Result<Option<RecordRow>, String>, KernelError> {
        let Some(key) = self.how.key else { return Ok(Ok(None)) };
        if key == "id" {
            let Some(id) = id else { return Ok(Err("id: missing, but it is the key that finds records".into())) };
            if self.seen.contains(&id.to_string()) {
                self.write()?;
            }
            return Ok(Ok(self.record(id)?));
        }
        // The value as it is stored: a phone number is written in many ways.
        let Some(value) = fields.get(key).filter(|value| !value.is_null()) else {
            return Ok(Err(format!("{key}: missing, but it is the key that finds records")));
        };
        let value = match self.kernel.toolbox.check_field(&self.def.name, key, value.clone()) {
            Ok(value) => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
            Err(why) => return Ok(Err(why)),
        };
        if !self.seen.insert(format!("{key}={value}")) {
            self.write()?;
        }
        let mut found = self.records(key, &IndexValue::of(&value))?;
        if found.len() > 1 {
            return Ok(Err(format!("{key}: several records have this value")));
        }
        Ok(Ok(found.pop()))
    }

    /// A reference to a record that does not exist.
    fn missing(&mut self, body: &Value) -> Result<Option<String>, KernelError> {
        for field in &self.def.fields {
            let Some(target) = field.points_to() else { continue };
            for text in field.ids(&body[&field.name]) {
                let here = target == self.def.name && self.seen.contains(text);
                let there = match text.parse::<RecordId>() {
                    Ok(id) => self.kernel.store().record(self.scope, target, id)?.is_some(),
                    Err(_) => false,
                };
                if !here && !there {
                    return Ok(Some(format!("{}: there is no {target} {text}", field.name)));
                }
            }
        }
        Ok(None)
    }

    /// A record, as it is or as a dry run would have left it.
    fn record(&self, id: RecordId) -> Result<Option<RecordRow>, KernelError> {
        match self.imagined.rows.get(&id) {
            Some((row, _)) => Ok(Some(row.clone())),
            None => Ok(self.kernel.store().record(self.scope, &self.def.name, id)?),
        }
    }

    /// Up to two records with this value of an indexed field or key, as they are or as a dry run would have left them.
    fn records(&self, field: &str, value: &IndexValue) -> Result<Vec<RecordRow>, KernelError> {
        let mut found: Vec<RecordRow> = self.imagined.with(field, value).take(2).cloned().collect();
        let filter = RecordFilter { indexed: vec![(field.to_owned(), value.clone())], ..RecordFilter::default() };
        let mut cursor = None;
        while found.len() < 2 {
            let page = self.kernel.store().records(self.scope, &self.def.name, &filter, 2, cursor.as_deref())?;
            found.extend(page.items.into_iter().filter(|row| !self.imagined.rows.contains_key(&row.id)));
            match page.next {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        Ok(found)
    }

    /// Decides what a commit would decide about one record, and takes it as written.
    fn imagine(
        &mut self,
        row: RecordRow,
        index: Vec<IndexEntry>,
        is_new: bool,
    ) -> Result<Result<(), String>, KernelError> {
        if is_new && self.record(row.id)?.is_some() {
            return Ok(Err(TAKEN.into()));
        }
        for entry in index.iter().filter(|entry| entry.unique) {
            let holder = self.records(&entry.field, &entry.value)?.into_iter().find(|other| other.id != row.id);
            if let Some(holder) = holder {
                return Ok(Err(match self.imagined.rows.contains_key(&holder.id) {
                    true => format!("an earlier line has the same {}", fields_of(&entry.field)),
                    false => held(&entry.field, holder.id),
                }));
            }
        }
        let count = if is_new { &mut self.done.created } else { &mut self.done.updated };
        *count += 1;
        self.imagined.put(row, index);
        Ok(Ok(()))
    }

    /// Writes what is ready, each record by itself.
    fn write(&mut self) -> Result<(), KernelError> {
        let ready = std::mem::take(&mut self.ready);
        if ready.is_empty() {
            return Ok(());
        }
        let outcomes = self.kernel.store().commit_now(ready.iter().map(|one| one.member.clone()).collect())?;
        for (one, outcome) in ready.into_iter().zip(outcomes) {
            let why = match outcome {
                Outcome::Committed if one.is_new => {
                    self.done.created += 1;
                    continue;
                }
                Outcome::Committed => {
                    self.done.updated += 1;
                    continue;
                }
                Outcome::Conflict(Conflict::Unique { field, holder, .. }) => held(&field, holder),
                Outcome::Conflict(_) if one.is_new => TAKEN.into(),
                Outcome::Conflict(_) => "somebody changed the record at the same time; import it again".into(),
                Outcome::Refused(why) | Outcome::Blocked(why) => why,
            };
            self.done.refused.push((one.item, why));
        }
        Ok(())
    }
}
