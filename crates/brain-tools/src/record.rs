//! `record`: works on records in Brain's own store. Deciding only reads and returns writes; the engine commits the
//! writes together with the checkpoint.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::{Failure, RecordId};
use brain_engine::{JobContext, MAX_LISTED, RecordView};
use brain_lang::binding::Binding;
use brain_lang::feel::Value as FeelValue;
use brain_registry::model::{Lookup, MergeRule, RecordBehavior, RecordDef, RecordOp};
use brain_registry::{Artifact, ArtifactRole, ToolResult, ValidatedCall};
use brain_store::{RecordFilter, RecordRow, StoreError};
use serde_json::{Map, Value, json};

use crate::Toolbox;
use crate::index_entries::{dedupe_entry, found_by, index_value};
use crate::toolbox::RecordType;
use crate::values::{Evaluation, to_failure};

/// Default limit of `list` and `search`.
const DEFAULT_LIMIT: u32 = 100;

/// The state of one decision.
struct Deciding<'a, 'v> {
    toolbox: &'a Toolbox,
    behavior: &'a RecordBehavior,
    call: &'a ValidatedCall,
    job: &'a JobContext,
    records: &'a mut RecordView<'v>,
    evaluation: Evaluation,
    artifacts: Vec<Artifact>,
    /// Whether there are more records than the list has.
    more: bool,
}

impl Toolbox {
    /// The result, and whether there are more records than its list has.
    pub(crate) fn record(
        &self,
        behavior: &RecordBehavior,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<(ToolResult, bool), Failure> {
        let evaluation = self.evaluation(call, job)?;
        let artifacts = Vec::new();
        let mut deciding = Deciding { toolbox: self, behavior, call, job, records, evaluation, artifacts, more: false };
        deciding.look_up()?;
        deciding.check_preconditions()?;
        let kind = self.record_type(&behavior.record)?;
        let result = match behavior.op {
            RecordOp::Insert => deciding.insert(kind),
            RecordOp::Upsert => deciding.upsert(kind),
            RecordOp::Update => deciding.update(kind, None),
            RecordOp::Transition => deciding.transition(kind),
            RecordOp::Get => deciding.get(kind),
            RecordOp::List => deciding.list(kind),
            RecordOp::Search => deciding.search(kind),
            RecordOp::Delete => deciding.delete(kind),
        };
        Ok((result?, deciding.more))
    }
}

impl Toolbox {
    /// Checks the preconditions of a record tool without deciding the operation.
    pub(crate) fn admit_record(
        &self,
        behavior: &RecordBehavior,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<(), Failure> {
        let evaluation = self.evaluation(call, job)?;
        let artifacts = Vec::new();
        let mut deciding = Deciding { toolbox: self, behavior, call, job, records, evaluation, artifacts, more: false };
        deciding.look_up()?;
        deciding.check_preconditions()
    }
}

impl Deciding<'_, '_> {
    fn look_up(&mut self) -> Result<(), Failure> {
        let writes = !matches!(self.behavior.op, RecordOp::Get | RecordOp::List | RecordOp::Search);
        for (name, lookup) in &self.behavior.with {
            let value = match lookup {
                Lookup::Get { record, id } => {
                    let kind = self.toolbox.record_type(record)?;
                    let id = self.id(id, record)?;
                    let row = self.existing(&kind.def, id)?;
                    feel_record(kind, &row)
                }
                Lookup::List { record, filter } => {
                    let kind = self.toolbox.record_type(record)?;
                    let filter = self.filter(&kind.def, filter)?;
                    let limit = usize::MAX;
                    let rows = if writes {
                        self.records.list_relied(record, &filter, limit)
                    } else {
                        self.records.list(record, &filter, limit)
                    };
                    feel_list(kind, &rows.map_err(store_failed)?)
                }
            };
            self.evaluation.set(name, value);
        }
        Ok(())
    }

    fn check_preconditions(&mut self) -> Result<(), Failure> {
        let named = self.toolbox.check_requires(self.call, self.job, &mut self.evaluation, self.records)?;
        for (record, id) in named {
            let kind = self.toolbox.record_type(&record)?;
            if self.target(&kind.def) != Some(id) {
                self.link(&kind.def, id, ArtifactRole::Input, None);
            }
        }
        Ok(())
    }

    /// The id of the record that the operation works on, if it is of this type and its id can be evaluated.
    fn target(&mut self, def: &RecordDef) -> Option<RecordId> {
        let behavior = self.behavior;
        let id = behavior.id.as_ref().filter(|_| behavior.record == def.name)?;
        self.evaluation.json(id).ok()?.as_str()?.parse().ok()
    }

    fn insert(&mut self, kind: &RecordType) -> Result<ToolResult, Failure> {
        let body = self.body(kind, Map::new())?;
        let id = RecordId::derive(self.job.started, self.job.key, self.job.job.step, self.job.job.item, 0);
        let row = RecordRow {
            kind: kind.def.name.clone(),
            id,
            revision: 1,
            state: kind.def.states.as_ref().map(|states| states.initial.clone()),
            created_at: self.job.now,
            updated_at: self.job.now,
            body,
        };
        self.write(kind, row, ArtifactRole::Created)
    }

    fn upsert(&mut self, kind: &RecordType) -> Result<ToolResult, Failure> {
        let new = self.body(kind, Map::new())?;
        let Some(same) = dedupe_entry(&kind.def, &new) else { return self.insert(kind) };
        let filter = RecordFilter { indexed: vec![(same.field, same.value)], ..RecordFilter::default() };
        let found = self.records.list_relied(&kind.def.name, &filter, 1).map_err(store_failed)?;
        let Some(old) = found.into_iter().next() else { return self.insert(kind) };
        let old = self.existing(&kind.def, old.id)?;
        let body = merge(&kind.def, &old.body, &new);
        let row = RecordRow { revision: old.revision + 1, updated_at: self.job.now, body, ..old };
        self.write(kind, row, ArtifactRole::Updated)
    }

    fn update(&mut self, kind: &RecordType, state: Option<String>) -> Result<ToolResult, Failure> {
        let old = self.subject(kind)?;
        let before = old.body.as_object().cloned().unwrap_or_default();
        let body = self.body(kind, before)?;
        let row = RecordRow {
            revision: old.revision + 1,
            updated_at: self.job.now,
            state: state.or_else(|| old.state.clone()),
            body,
            ..old
        };
        self.write(kind, row, ArtifactRole::Updated)
    }

    fn transition(&mut self, kind: &RecordType) -> Result<ToolResult, Failure> {
        let old = self.subject(kind)?;
        let Some(to) = &self.behavior.to else {
            return Err(Failure::contract("no_target_state", "The transition has no target state."));
        };
        let to = self.evaluation.json(to).map_err(|error| to_failure("to", &error))?;
        let to = to.as_str().unwrap_or_default().to_owned();
        let from = old.state.clone().unwrap_or_default();
        let allowed = kind.def.states.as_ref().and_then(|states| states.transitions.get(&from));
        if !allowed.is_some_and(|list| list.contains(&to)) {
            let title = kind.def.title.to_lowercase();
            let message = if from == to {
                format!("This {title} is already `{to}`.")
            } else {
                format!("This {title} is `{from}` and cannot become `{to}`.")
            };
            return Err(Failure::business("wrong_state", message));
        }
        self.update(kind, Some(to))
    }

    fn get(&mut self, kind: &RecordType) -> Result<ToolResult, Failure> {
        let row = self.subject(kind)?;
        self.link(&kind.def, row.id, ArtifactRole::Input, None);
        self.evaluation.set("record", feel_record(kind, &row));
        self.answer(record_json(&row))
    }

    fn list(&mut self, kind: &RecordType) -> Result<ToolResult, Failure> {
        let filter = self.filter(&kind.def, &self.behavior.filter)?;
        let rows = self.records.list(&kind.def.name, &filter, self.one_more()).map_err(store_failed)?;
        self.answer_rows(kind, rows)
    }

    fn search(&mut self, kind: &RecordType) -> Result<ToolResult, Failure> {
        let query = match &self.behavior.query {
            Some(query) => self.evaluation.json(query).map_err(|error| to_failure("query", &error))?,
            None => Value::Null,
        };
        let query = query.as_str().unwrap_or_default().to_owned();
        let rows = self.records.search(&kind.def.name, &query, self.one_more()).map_err(store_failed)?;
        self.answer_rows(kind, rows)
    }

    fn delete(&mut self, kind: &RecordType) -> Result<ToolResult, Failure> {
        let row = self.subject(kind)?;
        let deletion = self.toolbox.deletion(self.records, &kind.def.name, row.id, &BTreeSet::new())?;
        self.toolbox.delete(self.records, &deletion, self.job.now)?;
        // A deleted record has no revision.
        for gone in &deletion.deleted {
            self.link(&self.toolbox.record_type(&gone.kind)?.def, gone.id, ArtifactRole::Updated, None);
        }
        for (record, revision) in deletion.cleared() {
            self.link(&self.toolbox.record_type(&record.0)?.def, record.1, ArtifactRole::Updated, Some(revision));
        }
        self.evaluation.set("record", feel_record(kind, &row));
        self.answer(json!({format!("{}_id", kind.def.name): row.id}))
    }

    /// How many records to read, to know whether there are more than the limit. The largest limit is also the most that
    /// a view lists.
    fn one_more(&self) -> usize {
        (self.limit() + 1).min(MAX_LISTED)
    }

    fn limit(&self) -> usize {
        self.behavior.limit.unwrap_or(DEFAULT_LIMIT) as usize
    }

    /// The record that the operation works on.
    fn subject(&mut self, kind: &RecordType) -> Result<RecordRow, Failure> {
        let behavior = self.behavior;
        let Some(id) = &behavior.id else {
            return Err(Failure::contract("no_record", "The tool names no record to work on."));
        };
        let id = self.id(id, &kind.def.name)?;
        self.existing(&kind.def, id)
    }

    fn id(&mut self, binding: &Binding, record: &str) -> Result<RecordId, Failure> {
        let value = self.evaluation.json(binding).map_err(|error| to_failure("id", &error))?;
        parse_id(value.as_str().unwrap_or_default(), record)
    }

    fn existing(&mut self, def: &RecordDef, id: RecordId) -> Result<RecordRow, Failure> {
        self.records.get(&def.name, id).map_err(store_failed)?.ok_or_else(|| not_found(&def.title, &id.to_string()))
    }

    /// The new fields: those that `set` names over the existing ones.
    fn body(&mut self, kind: &RecordType, mut fields: Map<String, Value>) -> Result<Value, Failure> {
        let behavior = self.behavior;
        for (field, binding) in &behavior.set {
            let value = self.evaluation.json(binding).map_err(|error| to_failure(&format!("set.{field}"), &error))?;
            if value.is_null() {
                fields.remove(field);
            } else {
                fields.insert(field.clone(), value);
            }
        }
        let body = kind.checker.check(Value::Object(fields)).map_err(|problems| {
            let list: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Failure::contract("bad_record", format!("The {} would not be valid: {}", kind.def.title, list.join("; ")))
        })?;
        self.check_references(&kind.def, &body)?;
        Ok(body)
    }

    /// Checks that every referenced record exists.
    fn check_references(&mut self, def: &RecordDef, body: &Value) -> Result<(), Failure> {
        for field in &def.fields {
            let Some(target) = field.points_to() else { continue };
            for text in field.ids(&body[&field.name]) {
                let kind = self.toolbox.record_type(target)?;
                let id = parse_id(text, target)?;
                self.existing(&kind.def, id)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, kind: &RecordType, row: RecordRow, role: ArtifactRole) -> Result<ToolResult, Failure> {
        let (index, text) = found_by(&kind.def, &row.body);
        for entry in index.iter().filter(|entry| entry.unique) {
            let filter =
                RecordFilter { indexed: vec![(entry.field.clone(), entry.value.clone())], ..RecordFilter::default() };
            let holders = self.records.list(&kind.def.name, &filter, 2).map_err(store_failed)?;
            if let Some(holder) = holders.iter().find(|holder| holder.id != row.id) {
                let message = format!(
                    "There is already a {} with the same {}: {}.",
                    kind.def.title.to_lowercase(),
                    entry.field.replace('+', " and "),
                    holder.id
                );
                return Err(Failure::business("duplicate", message));
            }
        }
        let (id, revision) = (row.id, row.revision);
        self.evaluation.set("record", feel_record(kind, &row));
        self.records.put(row, index, text);
        self.link(&kind.def, id, role, Some(revision));
        self.answer(json!({format!("{}_id", kind.def.name): id}))
    }

    fn filter(&mut self, def: &RecordDef, filter: &BTreeMap<String, Binding>) -> Result<RecordFilter, Failure> {
        let mut result = RecordFilter::default();
        for (field, binding) in filter {
            let value = self.evaluation.json(binding).map_err(|error| to_failure(&format!("where.{field}"), &error))?;
            if value.is_null() {
                continue;
            }
            match def.field(field) {
                Some(declared) if declared.indexed || declared.reference.is_some() => {
                    result.indexed.push((field.clone(), index_value(&value)));
                }
                Some(declared) => {
                    result.fields.push((field.clone(), brain_registry::normalise(&declared.schema, value)));
                }
                None if field == "state" => result.state = value.as_str().map(str::to_owned),
                None => result.fields.push((field.clone(), value)),
            }
        }
        Ok(result)
    }

    fn link(&mut self, def: &RecordDef, id: RecordId, role: ArtifactRole, revision: Option<u64>) {
        let artifact = Artifact { record_type: def.name.clone(), id: id.to_string(), role, revision };
        if !self.artifacts.contains(&artifact) {
            self.artifacts.push(artifact);
        }
    }

    /// Answers with a list, of which one row more than the limit was read.
    fn answer_rows(&mut self, kind: &RecordType, mut rows: Vec<RecordRow>) -> Result<ToolResult, Failure> {
        self.more = rows.len() > self.limit();
        rows.truncate(self.limit());
        self.evaluation.set("records", feel_list(kind, &rows));
        let list: Vec<Value> = rows.iter().map(record_json).collect();
        let data = json!({format!("{}s", kind.def.name): list, "count": rows.len()});
        self.answer(data)
    }

    fn answer(&mut self, otherwise: Value) -> Result<ToolResult, Failure> {
        let data = match &self.behavior.result {
            Some(binding) => self.evaluation.json(binding).map_err(|error| to_failure("result", &error))?,
            None => otherwise,
        };
        let mut result = ToolResult::ok(data);
        result.artifacts = std::mem::take(&mut self.artifacts);
        Ok(result)
    }
}

pub(crate) fn parse_id(text: &str, record: &str) -> Result<RecordId, Failure> {
    text.parse().map_err(|_| not_found(record, text))
}

/// The failure for an id without a record.
pub fn not_found(title: &str, id: &str) -> Failure {
    Failure::business("record_not_found", format!("There is no {} with the id {id}.", title.to_lowercase()))
}

pub(crate) fn store_failed(error: StoreError) -> Failure {
    match error {
        StoreError::TooMany { kind, limit } => {
            let message = format!("There are more than {limit} `{kind}` records in this list. Narrow its `where`.");
            Failure::contract("too_many_records", message)
        }
        error => Failure::transient("store", error.to_string()),
    }
}

/// A record as callers see it: its fields with `id`, `state` and timestamps.
pub fn record_json(row: &RecordRow) -> Value {
    let mut fields = row.body.as_object().cloned().unwrap_or_default();
    fields.insert("id".into(), json!(row.id));
    if let Some(state) = &row.state {
        fields.insert("state".into(), json!(state));
    }
    fields.insert("created_at".into(), json!(row.created_at));
    fields.insert("updated_at".into(), json!(row.updated_at));
    Value::Object(fields)
}

/// A record as expressions see it: typed values such as numbers and dates instead of text.
pub(crate) fn feel_record(kind: &RecordType, row: &RecordRow) -> FeelValue {
    let mut json = record_json(row);
    json["revision"] = json!(row.revision);
    FeelValue::from_typed_json(&json, kind.checker.schema())
}

fn feel_list(kind: &RecordType, rows: &[RecordRow]) -> FeelValue {
    let list: Vec<FeelValue> = rows.iter().map(|row| feel_record(kind, row)).collect();
    FeelValue::List(list.into())
}

/// Merges a new record into an existing one with the same key.
fn merge(def: &RecordDef, old: &Value, new: &Value) -> Value {
    let mut merged = old.as_object().cloned().unwrap_or_default();
    for (field, value) in new.as_object().into_iter().flatten() {
        let before = merged.get(field).cloned().unwrap_or(Value::Null);
        let rule = def.merge.get(field).copied().unwrap_or(MergeRule::Replace);
        let after = match rule {
            MergeRule::Keep if !before.is_null() => before,
            MergeRule::FillEmpty if !before.is_null() && before != "" => before,
            MergeRule::Append => append(before, value.clone()),
            _ => value.clone(),
        };
        merged.insert(field.clone(), after);
    }
    Value::Object(merged)
}

fn append(before: Value, after: Value) -> Value {
    match (before, after) {
        (Value::Null, after) => after,
        (before, Value::Null) => before,
        (Value::Array(mut list), Value::Array(more)) => {
            for item in more {
                if !list.contains(&item) {
                    list.push(item);
                }
            }
            Value::Array(list)
        }
        (Value::String(before), Value::String(after)) if before.lines().any(|line| line == after) => before.into(),
        (Value::String(before), Value::String(after)) => format!("{before}\n{after}").into(),
        (_, after) => after,
    }
}
