//! The log of a run as callers see it: numbered, named, without personal values.

use std::borrow::Borrow;

use std::collections::BTreeSet;

use brain_core::{REDACTED, Redactor};
use brain_engine::RunState;
use brain_engine::log::entries;
use brain_store::LogRow;
use brain_vm::{Event, StepId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// Minimum length of a value that is also redacted within other texts; shorter ones would match everywhere.
const MIN_SCRUBBED: usize = 3;

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
pub fn run_history(state: &RunState, redactor: &Redactor) -> Vec<RunEvent> {
    let mut events = run_events(&state.log, redactor);
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
pub fn run_events<R: Borrow<LogRow>>(log: &[R], redactor: &Redactor) -> Vec<RunEvent> {
    let scrubber = Scrubber::over(redactor, log.iter().flat_map(|row| &row.borrow().payloads));
    entries(log)
        .map(|entry| RunEvent {
            seq: entry.seq,
            at: entry.at.to_string(),
            number: entry.number,
            version: entry.version,
            name: entry.name().to_owned(),
            data: scrubber.scrub(&entry.value()),
            payload: entry.payload.map_or(Value::Null, |payload| scrubber.scrub(payload)),
            step: None,
            tool: None,
            item: None,
            because: None,
        })
        .collect()
}

/// A stored request with personal values redacted, even where its text quotes them.
pub fn shown_request<R: Borrow<LogRow>>(request: &Value, log: &[R], redactor: &Redactor) -> Value {
    Scrubber::over(redactor, log.iter().flat_map(|row| &row.borrow().payloads)).scrub(request)
}

/// Redacts fields by name, and their values in other texts: in sentences, and in slots, where the field's name is
/// itself a value.
struct Scrubber<'a> {
    redactor: &'a Redactor,
    hidden: BTreeSet<String>,
}

impl<'a> Scrubber<'a> {
    fn over<'v>(redactor: &'a Redactor, payloads: impl Iterator<Item = &'v Value>) -> Self {
        let mut scrubber = Self { redactor, hidden: BTreeSet::new() };
        for payload in payloads {
            scrubber.collect(payload);
        }
        scrubber
    }

    fn collect(&mut self, value: &Value) {
        match value {
            Value::Object(map) => {
                let slot = slot_name(map);
                for (key, inner) in map {
                    let hide = match slot {
                        Some(name) => key != "name" && self.redactor.hides(name),
                        None => self.redactor.hides(key),
                    };
                    if hide { self.collect_all(inner) } else { self.collect(inner) }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            _ => {}
        }
    }

    fn collect_all(&mut self, value: &Value) {
        match value {
            Value::Object(map) => map.values().for_each(|inner| self.collect_all(inner)),
            Value::Array(items) => items.iter().for_each(|item| self.collect_all(item)),
            Value::String(text) if text.len() >= MIN_SCRUBBED => {
                self.hidden.insert(text.clone());
            }
            _ => {}
        }
    }

    fn scrub(&self, value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let slot = slot_name(map);
                let field = |(key, inner): (&String, &Value)| {
                    let hide = match slot {
                        Some(name) => matches!(key.as_str(), "value" | "text") && self.redactor.hides(name),
                        None => self.redactor.hides(key),
                    };
                    let keep = slot.is_some() && key == "name";
                    let shown = match (hide, keep) {
                        (true, _) => Value::from(REDACTED),
                        (_, true) => inner.clone(),
                        _ => self.scrub(inner),
                    };
                    (key.clone(), shown)
                };
                Value::Object(map.iter().map(field).collect())
            }
            Value::Array(items) => items.iter().map(|item| self.scrub(item)).collect(),
            Value::String(text) => Value::from(self.scrub_text(text)),
            other => other.clone(),
        }
    }

    fn scrub_text(&self, text: &str) -> String {
        // Longer values first, so that a value that contains another is redacted as a whole.
        let mut found: Vec<&String> = self.hidden.iter().filter(|hidden| text.contains(hidden.as_str())).collect();
        found.sort_by_key(|hidden| std::cmp::Reverse(hidden.len()));
        found.into_iter().fold(text.to_owned(), |text, hidden| text.replace(hidden.as_str(), REDACTED))
    }
}

/// The name of a slot, if this object is one: `{name, span}`, with or without its value, or `{name, text}`.
fn slot_name(map: &Map<String, Value>) -> Option<&str> {
    let is_slot = map.contains_key("span") || (map.len() == 2 && map.contains_key("text"));
    map.get("name").filter(|_| is_slot).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scrub(value: &Value) -> Value {
        let redactor = Redactor::new(["name".to_owned(), "phone".to_owned()]);
        Scrubber::over(&redactor, std::iter::once(value)).scrub(value)
    }

    #[test]
    fn a_personal_value_is_redacted_in_fields_slots_and_sentences() {
        let shown = scrub(&json!({
            "calls": [{"tool": "leads.create", "input": {"name": "Bob", "phone": "+61412", "suburb": "Ryde"}}],
            "slots": [{"name": "phone", "value": "0412 000", "span": {"start": 1, "end": 4}}],
            "invalid": [{"name": "phone", "text": "zero"}],
            "message": "Take down a lead: name: Bob, phone: +61412 (0412 000), suburb: Ryde",
        }));
        let expected = json!({
            "calls": [{"tool": "leads.create", "input": {"name": REDACTED, "phone": REDACTED, "suburb": "Ryde"}}],
            "slots": [{"name": "phone", "value": REDACTED, "span": {"start": 1, "end": 4}}],
            "invalid": [{"name": "phone", "text": REDACTED}],
            "message": format!("Take down a lead: name: {REDACTED}, phone: {REDACTED} ({REDACTED}), suburb: Ryde"),
        });
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_name_of_a_slot_is_not_personal() {
        let shown = scrub(&json!({"slots": [{"name": "suburb", "value": "Ryde", "span": {}}], "say": "the suburb"}));
        assert_eq!(shown, json!({"slots": [{"name": "suburb", "value": "Ryde", "span": {}}], "say": "the suburb"}));
        let understood = json!({"slots": [{"name": "title", "span": {}}], "phrase": "create task: {title}"});
        assert_eq!(scrub(&understood), understood, "the value of a slot is left to the plan");
    }
}
