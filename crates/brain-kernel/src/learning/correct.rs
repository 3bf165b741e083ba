//! Corrections: a person reports a misunderstood request, or picks one of several readings.

use brain_core::{RunId, Timestamp};
use brain_nlu::Understanding;
use brain_nlu::learn::SaidSlot;
use brain_store::{Member, Outcome, Precondition, RecordFilter, Scope, Store, StoreError, Write};
use serde::{Deserialize, Serialize};

use super::records::{Changes, because};
use super::turns::{ByRun, RunReading, said_slots};
use crate::error::KernelError;
use crate::intake::Actor;
use crate::kernel::Kernel;

/// The record type of a correction.
const CORRECTION: &str = "brain.correction";
/// Maximum number of corrections per tenant. They are deleted with their runs.
const MAX_CORRECTIONS: usize = 10_000;
/// Maximum number of corrections per person; a new one replaces the oldest. So nobody can fill the list for everyone.
const MAX_OF_ONE: usize = 1000;

/// A correction of a request. The message and the choice are in the run: when the run is erased, no copy of the message
/// remains here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The run of the request.
    pub run: RunId,
    /// Which request of the run, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<usize>,
    /// The tool or playbook that was meant; `None`: only that the choice was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meant: Option<String>,
    /// The reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Who made the correction.
    pub by: String,
    /// Whether that person is trusted to teach.
    pub trusted: bool,
    /// When.
    pub at: Timestamp,
}

/// The outcome of a correction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Corrected {
    /// The message.
    pub said: String,
    /// The target that was chosen, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// What was meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meant: Option<String>,
    /// Whether it answers a question that Brain asked.
    pub answer: bool,
    /// Whether it counts in the tenant's corpus on its own; otherwise a second person has to agree.
    pub counts: bool,
    /// The phrase to teach: the message with its values as `{slots}`. `None` if a value that the target requires is not
    /// among them, because the phrase could never be understood without asking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phrase: Option<String>,
}

/// Deletes corrections whose runs are deleted or erased: they mean nothing without the message. Returns how many.
pub fn sweep_corrections(store: &dyn Store, scope: &Scope, dry_run: bool) -> Result<u64, StoreError> {
    let page = store.records(scope, CORRECTION, &RecordFilter::default(), MAX_CORRECTIONS, None)?;
    let (mut preconditions, mut writes) = (Vec::new(), Vec::new());
    for row in page.items {
        let run = serde_json::from_value::<Correction>(row.body).ok().map(|one| one.run);
        let run = run.map(|run| store.run(scope, run)).transpose()?.flatten();
        if run.is_some_and(|run| !run.erased) {
            continue;
        }
        let (kind, id) = (row.kind, row.id);
        preconditions.push(Precondition::Record { kind: kind.clone(), id, revision: Some(row.revision) });
        writes.push(Write::DeleteRecord { kind, id });
    }
    let count = writes.len() as u64;
    if count == 0 || dry_run {
        return Ok(count);
    }
    let outcomes = store.commit_now(vec![Member { scope: scope.clone(), preconditions, writes }])?;
    // A concurrent correction won; the next sweep is soon enough.
    Ok(if outcomes == [Outcome::Committed] { count } else { 0 })
}

impl Kernel {
    /// Records what was meant by a request, or that the choice was wrong. Nothing is executed or taught: corrections
    /// count when candidates and corpora are judged. A repeated correction replaces the earlier one.
    pub fn correct(
        &self,
        scope: &Scope,
        actor: &Actor,
        run: RunId,
        request: Option<usize>,
        meant: Option<&str>,
        why: &str,
    ) -> Result<Corrected, KernelError> {
        let reading = self.run_reading(scope, run)?.ok_or_else(|| {
            KernelError::Conflict(format!(
                "run {run} has no message to correct: it was a direct tool call, or its payloads were erased"
            ))
        })?;
        if let Some(meant) = meant {
            self.known_target(meant)?;
        }
        let (said, chosen, answer) = match &reading.understanding {
            Understanding::Clear { intents } => {
                let (number, several) = (request.unwrap_or(1), intents.len() > 1);
                if several && request.is_none() {
                    let list: Vec<String> = intents
                        .iter()
                        .enumerate()
                        .map(|(n, intent)| format!("{} is {}", n + 1, intent.target))
                        .collect();
                    let list = list.join(", ");
                    return Err(KernelError::Refused(format!("run {run} has several requests; choose one: {list}")));
                }
                let intent = number.checked_sub(1).and_then(|at| intents.get(at)).ok_or_else(|| {
                    KernelError::Refused(format!("run {run} has no request {number}; it has {}", intents.len()))
                })?;
                let said = reading.message.get(intent.span.clone()).unwrap_or_default().trim();
                (said.to_owned(), Some(intent.target.clone()), false)
            }
            Understanding::Ask(_) | Understanding::Unknown { .. } if meant.is_none() => {
                return Err(KernelError::Refused(format!(
                    "nothing was chosen for “{}”; name the tool or playbook that was meant",
                    reading.message
                )));
            }
            Understanding::Ask(_) | Understanding::Unknown { .. } => {
                let answer = matches!(reading.understanding, Understanding::Ask(_));
                (reading.message.trim().to_owned(), None, answer)
            }
            Understanding::SmallTalk { .. } => {
                let message = format!("“{}” is small talk; teach it if it should mean something here", reading.message);
                return Err(KernelError::Refused(message));
            }
        };
        if meant.is_some() && meant == chosen.as_deref() {
            let status = self.store().run(scope, run)?.map_or("gone", |row| row.status.as_str());
            return Err(KernelError::Refused(format!(
                "“{said}” was already understood as {}, so there is nothing to correct; its run is {status}",
                meant.unwrap_or_default()
            )));
        }
        let row = Correction {
            run,
            request: request.filter(|number| *number > 1),
            meant: meant.map(str::to_owned),
            why: why.trim().to_owned(),
            by: actor.name.clone(),
            trusted: actor.approver,
            at: self.clock().now(),
        };
        self.keep_correction(scope, &row)?;
        let not = chosen.as_ref().map(|chosen| format!("not {chosen}"));
        let parts: Vec<String> = not.into_iter().chain(meant.map(|meant| format!("meant {meant}"))).collect();
        let detail = format!("run {run}, {}{}", parts.join(", "), because(why));
        self.note_learning(scope, &actor.name, "correct", &detail)?;
        let phrase = meant.and_then(|meant| self.phrase_for(&reading, request, meant));
        Ok(Corrected { said, chosen, meant: row.meant, answer, counts: row.trusted, phrase })
    }

    /// The message as a phrase of a target, with the values that were read as `{slots}`.
    fn phrase_for(&self, reading: &RunReading, request: Option<usize>, meant: &str) -> Option<String> {
        let (said, from, intent) = match &reading.understanding {
            Understanding::Clear { intents } => {
                let intent = intents.get(request.unwrap_or(1).checked_sub(1)?)?;
                (reading.message.get(intent.span.clone())?, intent.span.start, Some(intent))
            }
            Understanding::Ask(question) => {
                (reading.message.as_str(), 0, question.options.iter().find(|option| option.target == meant))
            }
            _ => (reading.message.as_str(), 0, None),
        };
        let schema = self.schema_of(meant);
        let has = |slot: &SaidSlot| schema["properties"].get(&slot.name).is_some();
        let mut slots = intent.map(|intent| said_slots(intent, from)).unwrap_or_default();
        slots.retain(has);
        slots.sort_by_key(|slot| slot.span.start);
        let required = schema["required"].as_array().into_iter().flatten().filter_map(|name| name.as_str());
        if !required.into_iter().all(|name| slots.iter().any(|slot| slot.name == name)) {
            return None;
        }
        let mut phrase = said.to_owned();
        for slot in slots.iter().rev() {
            phrase.get(slot.span.clone())?;
            phrase.replace_range(slot.span.clone(), &format!("{{{}}}", slot.name));
        }
        Some(phrase.trim().to_owned())
    }

    /// A tool or playbook of this name.
    pub(super) fn known_target(&self, name: &str) -> Result<(), KernelError> {
        let known = self.vocabulary().targets().iter().any(|target| target.name == name);
        known.then_some(()).ok_or_else(|| KernelError::Refused(format!("there is no tool or playbook `{name}`")))
    }

    fn keep_correction(&self, scope: &Scope, row: &Correction) -> Result<(), KernelError> {
        let known = self.stored_rows::<Correction>(scope, CORRECTION, MAX_CORRECTIONS)?;
        let mut changes = Changes::default();
        let same = |one: &Correction| one.run == row.run && one.request == row.request && one.by == row.by;
        let own = || known.iter().filter(|one| one.value.by == row.by);
        if let Some(again) = own().find(|one| same(&one.value)) {
            changes.delete(CORRECTION, again);
        } else if own().count() >= MAX_OF_ONE
            && let Some(oldest) = own().next()
        {
            changes.delete(CORRECTION, oldest);
        } else if known.len() >= MAX_CORRECTIONS {
            let message =
                format!("there are already {MAX_CORRECTIONS} corrections; retention deletes those whose run is gone");
            return Err(KernelError::Refused(message));
        }
        self.add(&mut changes, CORRECTION, row, ("run", &row.run.to_string()));
        self.commit_learning(scope, changes)
    }

    /// All corrections of a tenant.
    pub(super) fn corrections_by_run(&self, scope: &Scope) -> Result<ByRun, KernelError> {
        let mut by_run = ByRun::new();
        for one in self.stored_rows::<Correction>(scope, CORRECTION, MAX_CORRECTIONS)? {
            by_run.entry(one.value.run).or_default().push(one.value);
        }
        Ok(by_run)
    }
}
