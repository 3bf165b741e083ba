//! The log of a run as callers see it: numbered, named, without personal values.

use std::borrow::Borrow;

use brain_engine::RunState;
use brain_engine::log::entries;
use brain_kernel::Redaction;
use brain_store::LogRow;
use brain_vm::{Event, StepId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// One event of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunEvent {
    /// Its number within the log, without gaps.
    pub seq: u64,
    /// When it was written.
    #[schema(format = DateTime)]
    pub at: String,
    /// The number of the event type.
    pub number: u16,
    /// The version of the event type.
    pub version: u16,
    /// The name of the event type.
    pub name: String,
    /// The event's fields, without domain values.
    #[schema(value_type = Value)]
    pub data: Value,
    /// Its domain values with personal ones redacted; null if there are none or they were erased.
    #[schema(value_type = Value)]
    pub payload: Value,
    /// The step, or the part of the plan, that it is about; left out if it is about the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The tool of the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Which item of a `foreach` step, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<u32>,
    /// The step that is the reason for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
}

/// The events of a run with the names of steps and tools, and with everything personal hidden.
pub fn run_history(state: &RunState, redaction: &Redaction) -> Vec<RunEvent> {
    let mut events = run_events(&state.log, redaction);
    for (event, entry) in events.iter_mut().zip(entries(&state.log)) {
        let Ok(Some(machine)) = entry.machine() else { continue };
        let at = match machine {
            Event::StepSkipped { at } | Event::EachOpened { at, .. } => at,
            Event::StepBypassed { at, because } => {
                let reason = state.step_at(entry.seq, StepId { step: because, ..at });
                event.because = reason.map(|(path, _)| path);
                at
            }
            Event::ScopeStopped { scope, .. } | Event::StopForced { scope } | Event::ScopeEnded { scope, .. } => {
                event.step = Some(state.scope_path(scope)).filter(|path| scope != 0 && !path.is_empty());
                continue;
            }
            _ => match machine.job() {
                Some(job) => {
                    let Some((_, step)) = state.step_at(entry.seq, job.at()) else { continue };
                    event.tool = Some(step.call(job.undo).tool.name.clone());
                    event.item = step.foreach.is_some().then_some(job.item + 1);
                    job.at()
                }
                None => continue,
            },
        };
        event.step = state.step_at(entry.seq, at).map(|(path, _)| path);
    }
    events
}

/// The events of a log with personal values redacted: by field name, and wherever the same value appears.
pub fn run_events<R: Borrow<LogRow>>(log: &[R], redaction: &Redaction) -> Vec<RunEvent> {
    entries(log)
        .map(|entry| RunEvent {
            seq: entry.seq,
            at: entry.at.to_string(),
            number: entry.number,
            version: entry.version,
            name: entry.name().to_owned(),
            data: redaction.sentences(&entry.value()),
            payload: entry.payload.map_or(Value::Null, |payload| redaction.payload(payload)),
            step: None,
            tool: None,
            item: None,
            because: None,
        })
        .collect()
}
