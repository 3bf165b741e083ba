//! `requires`: preconditions of a tool, whatever its behavior. Each has its own error message.

use std::collections::BTreeMap;

use brain_core::{DigestBuilder, Failure, FailureClass, RecordId};
use brain_engine::{JobContext, RecordView};
use brain_lang::feel::Value as FeelValue;
use brain_registry::model::{Behavior, Precondition};
use brain_registry::{ToolResult, ValidatedCall};
use brain_store::RecordRow;

use crate::Toolbox;
use crate::record::{feel_record, not_found, parse_id, store_failed};
use crate::values::{Evaluation, to_failure};

impl Toolbox {
    /// Checks whether a call may start now. What it reads becomes a precondition of the commit that starts it.
    pub fn admit(&self, call: &ValidatedCall, job: &JobContext, records: &mut RecordView<'_>) -> Result<(), Failure> {
        if let Behavior::Record(behavior) = &call.tool().def.behavior {
            // Its preconditions may use the records that it looks up.
            return self.admit_record(behavior, call, job, records);
        }
        let mut evaluation = self.evaluation(call, job)?;
        self.check_requires(call, job, &mut evaluation, records).map(drop)
    }

    /// Checks every precondition of a call, in order, and returns the records that they name.
    pub(crate) fn check_requires(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        evaluation: &mut Evaluation,
        records: &mut RecordView<'_>,
    ) -> Result<Vec<(String, RecordId)>, Failure> {
        let mut named = Vec::new();
        for blocker in &call.tool().def.blockers {
            let Some(when) = &blocker.when else { continue };
            let value = evaluation.value(when).map_err(|error| to_failure("blockers", &error))?;
            if value == FeelValue::Bool(true) {
                return Err(Failure::business(&blocker.code, why_not(evaluation, &blocker.otherwise)));
            }
        }
        for precondition in &call.tool().def.requires {
            let checked = self.check_one(precondition, call, job, evaluation, records);
            named.extend(checked.map_err(|failure| match precondition.recheck {
                Some(recheck) if failure.class == FailureClass::Business => Failure::blocked(failure.message, recheck),
                _ => failure,
            })?);
        }
        Ok(named)
    }

    fn check_one(
        &self,
        precondition: &Precondition,
        call: &ValidatedCall,
        job: &JobContext,
        evaluation: &mut Evaluation,
        records: &mut RecordView<'_>,
    ) -> Result<Option<(String, RecordId)>, Failure> {
        if !precondition.any.is_empty() {
            return self.check_any(precondition, call, job, evaluation, records);
        }
        if let Some(tool) = precondition.prior.as_ref().or(precondition.never.as_ref()) {
            let about = precondition.record.as_ref().map(|input| call.args()[input].as_str().unwrap_or_default());
            let done = self.has_done(tool, about, job, records)?;
            if done != precondition.prior.is_some() {
                return Err(Failure::business("not_allowed", why_not(evaluation, &precondition.otherwise)));
            }
            return Ok(None);
        }
        let mut named = None;
        if let (Some(input), Some(record)) = (&precondition.record, &precondition.record_type) {
            let kind = self.record_type(record)?;
            let text = call.args()[input].as_str().unwrap_or_default();
            let id = parse_id(text, record)?;
            let row = match records.get(&kind.def.name, id).map_err(store_failed)? {
                Some(row) => row,
                // A precondition without states only requires that the record exists; the message is the pack's own.
                None if precondition.state.is_empty() && precondition.expr.is_none() => {
                    return Err(Failure::business("record_not_found", why_not(evaluation, &precondition.otherwise)));
                }
                None => return Err(not_found(&kind.def.title, text)),
            };
            let state = row.state.clone().unwrap_or_default();
            evaluation.set("record", feel_record(kind, &row));
            named = Some((kind.def.name.clone(), id));
            if !precondition.state.is_empty() && !precondition.state.contains(&state) {
                return Err(Failure::business("wrong_state", why_not(evaluation, &precondition.otherwise)));
            }
        }
        if let Some(expr) = &precondition.expr {
            let value = evaluation.value(expr).map_err(|error| to_failure("requires", &error))?;
            if value != FeelValue::Bool(true) {
                return Err(Failure::business("not_allowed", why_not(evaluation, &precondition.otherwise)));
            }
        }
        Ok(named)
    }
}

impl Toolbox {
    /// Checks alternatives, of which one is enough. The message is that of the whole.
    fn check_any(
        &self,
        precondition: &Precondition,
        call: &ValidatedCall,
        job: &JobContext,
        evaluation: &mut Evaluation,
        records: &mut RecordView<'_>,
    ) -> Result<Option<(String, RecordId)>, Failure> {
        for one in &precondition.any {
            match self.check_one(one, call, job, evaluation, records) {
                Ok(named) => return Ok(named),
                Err(failure) if failure.class == FailureClass::Business => {}
                Err(failure) => return Err(failure),
            }
        }
        Err(Failure::business("not_allowed", why_not(evaluation, &precondition.otherwise)))
    }

    /// Whether a tool has succeeded: ever on that record, or else in this run or its conversation.
    fn has_done(
        &self,
        tool: &str,
        about: Option<&str>,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<bool, Failure> {
        let subjects = match about {
            Some(record) => vec![record.to_owned()],
            None => subjects_of(job),
        };
        for subject in subjects {
            if records.get(DONE, done_id(tool, &subject)).map_err(store_failed)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Records that a tool succeeded, if any precondition asks about it: for its run, its conversation, and the records
    /// it touched.
    pub fn remember(&self, call: &ValidatedCall, job: &JobContext, result: &ToolResult, records: &mut RecordView<'_>) {
        let name = &call.tool().def.name;
        if !self.registry().is_remembered(name) || job.job.undo {
            return;
        }
        let mut subjects: BTreeMap<String, Option<String>> =
            subjects_of(job).into_iter().map(|subject| (subject, None)).collect();
        for artifact in &result.artifacts {
            subjects.insert(artifact.id.clone(), Some(artifact.record_type.clone()));
        }
        let named = call.tool().def.input["properties"].as_object().into_iter().flatten();
        for (input, property) in named {
            if let (Some(kind), Some(id)) = (property["x-entity"].as_str(), call.args()[input].as_str()) {
                subjects.insert(id.to_owned(), Some(kind.to_owned()));
            }
        }
        for (subject, kind) in subjects {
            let id = done_id(name, &subject);
            if records.get(DONE, id).is_ok_and(|row| row.is_none()) {
                let body = serde_json::json!({"tool": name, "about": subject, "type": kind, "run": job.run});
                let row = RecordRow {
                    kind: DONE.into(),
                    id,
                    revision: 1,
                    state: None,
                    created_at: job.now,
                    updated_at: job.now,
                    body,
                };
                records.put(row, Vec::new(), None);
            }
        }
    }
}

/// The internal record type for succeeded tools. The dot prevents a clash with the types of packs.
pub const DONE: &str = "core.done";

/// The subject of a record of type [`DONE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The run that did it.
    Run,
    /// The conversation of that run.
    Conversation,
    /// A record: its type and id.
    Record(String, String),
}

impl Subject {
    /// Parses the body of a [`DONE`] record; `None` if it is malformed.
    pub fn of(body: &serde_json::Value) -> Option<Self> {
        let about = body["about"].as_str()?;
        if let Some(kind) = body["type"].as_str() {
            return Some(Self::Record(kind.to_owned(), about.to_owned()));
        }
        if about.starts_with("run ") {
            return Some(Self::Run);
        }
        about.starts_with("conversation ").then_some(Self::Conversation)
    }
}

fn subjects_of(job: &JobContext) -> Vec<String> {
    let conversation = job.conversation.as_ref().map(|id| format!("conversation {id}"));
    std::iter::once(format!("run {}", job.run)).chain(conversation).collect()
}

fn done_id(tool: &str, subject: &str) -> RecordId {
    let digest = DigestBuilder::new("done").part(tool.as_bytes()).part(subject.as_bytes()).finish();
    RecordId::from_digest(digest)
}

/// Renders the pack's error message.
fn why_not(evaluation: &mut Evaluation, otherwise: &str) -> String {
    brain_lang::Text::parse(otherwise)
        .ok()
        .and_then(|text| evaluation.text(&text).ok())
        .unwrap_or_else(|| otherwise.to_owned())
}
