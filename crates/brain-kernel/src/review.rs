//! Review: a person checks a result before the run continues, and may correct it.

use brain_core::{Failure, RunId};
use brain_engine::core::{Command, ToJob, TurnInput};
use brain_engine::{NewEvent, PipeEvent};
use brain_store::Scope;
use brain_vm::JobStatus;
use serde_json::{Map, Value, json};

use crate::error::KernelError;
use crate::intake::Actor;
use crate::kernel::Kernel;
use crate::narrate::Report;

/// A reviewer's decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Continue, with these fields of the result replaced.
    Accept(Value),
    /// Reject the result: `on_failure` applies.
    Reject,
}

/// A result that waits for review.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingReview {
    /// The step, with its item if it has a list.
    pub step: String,
    /// The tool.
    pub tool: String,
    /// The question to the reviewer.
    pub ask: String,
    /// The result.
    pub result: Value,
}

/// Refuses corrections of fields that neither the result nor its schema has: they are most likely misspelt.
fn only_known_fields(corrections: &Value, result: &Value, schema: Option<&Value>) -> Result<(), KernelError> {
    let properties = schema.map(|schema| &schema["properties"]);
    let mut fields: Vec<&String> =
        [Some(result), properties].into_iter().flatten().filter_map(Value::as_object).flat_map(Map::keys).collect();
    fields.sort();
    fields.dedup();
    let corrected = corrections.as_object().into_iter().flat_map(Map::keys);
    match corrected.into_iter().find(|field| !fields.contains(field)) {
        Some(field) => Err(KernelError::Refused(format!(
            "the result has no field `{field}`; nothing was changed. Its fields: {}",
            fields.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ")
        ))),
        None => Ok(()),
    }
}

impl Kernel {
    /// The results of a run that wait for review.
    pub fn waiting_reviews(&self, scope: &Scope, run: RunId) -> Result<Vec<WaitingReview>, KernelError> {
        let state = self.engine().run_state(scope, run)?;
        let Some(machine) = &state.state else {
            return Err(KernelError::Conflict(format!("run {run} was never planned")));
        };
        let jobs = machine.jobs.iter().filter(|(_, job)| job.status == JobStatus::Reviewing);
        let waiting = jobs.map(|(id, _)| {
            let mut result = state.data.pending.get(id).cloned().unwrap_or_default();
            WaitingReview {
                step: state.job_name(*id),
                tool: state.step(*id).map(|step| step.tool.name.clone()).unwrap_or_default(),
                ask: result["review"]["ask"].as_str().unwrap_or_default().to_owned(),
                result: result.get_mut("data").map(Value::take).unwrap_or_default(),
            }
        });
        Ok(waiting.collect())
    }

    /// Decides about a result that waits for review. `step` names one of several: `STEP`, or `STEP[ITEM]` for one item
    /// of a list, counted from 1.
    pub async fn review(
        &self,
        scope: &Scope,
        run: RunId,
        step: Option<&str>,
        verdict: Verdict,
        actor: &Actor,
        note: &str,
    ) -> Result<Report, KernelError> {
        let state = self.engine().run_state(scope, run)?;
        let none = || KernelError::Conflict(format!("run {run} is not waiting for review"));
        let machine = state.state.as_ref().ok_or_else(none)?;
        let waiting: Vec<_> = machine
            .jobs
            .iter()
            .filter(|(_, job)| job.status == JobStatus::Reviewing)
            .map(|(id, _)| *id)
            .filter(|id| step.is_none_or(|step| state.step_id(*id) == step || state.job_name(*id) == step))
            .collect();
        let job = match waiting.as_slice() {
            [] => return Err(none()),
            [one] => *one,
            several => {
                let names: Vec<String> = several.iter().map(|id| state.job_name(*id)).collect();
                let list = names.join(", ");
                let message = format!("several steps are waiting for review: {list}; name one of them");
                return Err(KernelError::Conflict(message));
            }
        };
        let key = state.job_key(job).ok_or_else(none)?;
        let (prelude, message) = match verdict {
            Verdict::Accept(corrections) => {
                let result = &state.data.pending.get(&job).cloned().unwrap_or_default()["data"];
                let tool = state.step(job).and_then(|step| self.registry().tool(&step.tool.name));
                only_known_fields(&corrections, result, tool.and_then(|tool| tool.def.output.as_ref()))?;
                let (by, note) = (actor.name.clone(), note.to_owned());
                (Vec::new(), ToJob::Accept { corrections, by, note })
            }
            Verdict::Reject => {
                let data = json!({"outcome": "rejected", "by": actor.name, "step": state.step_id(job)});
                let event = NewEvent::pipe(PipeEvent::Reviewed, data, Some(json!({"note": note})));
                let why = if note.is_empty() { String::new() } else { format!(": {note}") };
                let failure = Failure::business("review_rejected", format!("{} rejected it{why}.", actor.name));
                (vec![event], ToJob::Deny(failure))
            }
        };
        let inputs = vec![TurnInput::Job(key, message)];
        let (preconditions, writes) = (Vec::new(), Vec::new());
        let command = Command { prelude, preconditions, writes, inputs, status: None, program: None };
        let news = self.engine().command(scope, run, command).await?;
        if let Some(why) = news.answer["refused"].as_str() {
            return Err(KernelError::Refused(why.to_owned()));
        }
        self.report(scope, run)
    }
}
