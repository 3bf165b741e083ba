//! The outcomes of requests in words, read from their runs.

use std::collections::BTreeMap;

use brain_core::{Millis, RunId, RunStatus};
use brain_engine::PipeEvent;
use brain_engine::log::entries;
use brain_nlu::learn::{How, Outcome, SaidSlot, plain, without_slips};
use brain_nlu::{Intent, Stage, Understanding};
use brain_store::{RunRow, Scope, StoreError};
use serde_json::Value;

use super::correct::Correction;
use crate::error::KernelError;
use crate::evidence::restored;
use crate::kernel::Kernel;

/// How far back runs are read: older habits do not count.
const HISTORY: Millis = Millis::from_secs(90 * 24 * 60 * 60);
/// Maximum number of runs read, newest first.
const MAX_RUNS: usize = 20_000;
/// Page size when reading runs.
const PAGE: usize = 200;

/// The message of a run and its reading.
#[derive(Clone, Debug)]
pub struct RunReading {
    /// The message.
    pub message: String,
    /// Its reading.
    pub understanding: Understanding,
    /// The resolved records, with evidence.
    pub links: Value,
}

/// One request in words: a clause of the message.
pub(super) struct Turn {
    /// Its outcome; `None` if it has not ended or was not to be executed.
    ended: Option<Outcome>,
    /// Later corrections.
    corrections: Vec<Outcome>,
    /// Whether it matched a phrase word for word: then its outcome teaches nothing.
    exact: bool,
}

impl Turn {
    /// The outcomes to learn from.
    pub(super) fn lessons(&self) -> Vec<Outcome> {
        match (&self.ended, self.corrections.as_slice()) {
            (Some(ended), []) if !self.exact => vec![ended.clone()],
            (_, corrections) => corrections.to_vec(),
        }
    }

    /// Its outcome, for statistics.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.corrections.first().or(self.ended.as_ref()).cloned()
    }

    /// Its corrections. An answer to a clarifying question counts as one, because it says what was meant.
    pub(super) fn into_corrections(self) -> Vec<Outcome> {
        let corrected = |one: Outcome| match one.how {
            How::Picked => Outcome { how: How::Corrected, meant: one.chosen.clone(), chosen: None, ..one },
            _ => one,
        };
        self.corrections.into_iter().map(corrected).collect()
    }
}

/// A tool called by name together with an earlier message.
struct Named {
    actor: String,
    said: String,
    tools: Vec<String>,
}

impl Kernel {
    /// The message of a run; `None` if it has none or was erased.
    pub fn run_reading(&self, scope: &Scope, run: RunId) -> Result<Option<RunReading>, KernelError> {
        let row = self.store().run(scope, run)?.ok_or(KernelError::NoSuchRun(run))?;
        self.reading_in(scope, &row)
    }

    fn reading_in(&self, scope: &Scope, row: &RunRow) -> Result<Option<RunReading>, KernelError> {
        let Some(message) = row.request["message"].as_str().filter(|text| !text.is_empty()) else { return Ok(None) };
        let log = match self.store().log(scope, row.id) {
            Ok(log) => log,
            // One damaged run must not block learning from the others.
            Err(StoreError::Unreadable(_)) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let understood = entries(&log).find(|entry| entry.is(PipeEvent::Understood));
        let Some(evidence) = understood.and_then(|entry| entry.payload?.get("evidence")) else { return Ok(None) };
        let links = evidence.get("links").cloned().unwrap_or_default();
        // Readings that were stored as blobs or written by another version are skipped.
        let Ok(understanding) = serde_json::from_value(restored(evidence.clone(), message)) else { return Ok(None) };
        Ok(Some(RunReading { message: message.to_owned(), understanding, links }))
    }

    /// The requests in words of the last 90 days, newest first.
    pub(super) fn turns(&self, scope: &Scope) -> Result<Vec<Turn>, KernelError> {
        let since = self.clock().now().as_millis().saturating_sub(i64::try_from(HISTORY.0).unwrap_or(i64::MAX));
        let corrections = self.corrections_by_run(scope)?;
        let (mut turns, mut named, mut looked_at, mut cursor) = (Vec::new(), Vec::new(), 0, None);
        loop {
            let page = self.store().runs(scope, None, PAGE, cursor.as_deref())?;
            for row in &page.items {
                if row.created_at.as_millis() < since || looked_at == MAX_RUNS {
                    return Ok(turns);
                }
                looked_at += 1;
                let said = corrections.get(&row.id).map_or(&[][..], Vec::as_slice);
                turns.extend(self.turns_of(scope, row, said, &mut named)?);
            }
            cursor = page.next;
            if cursor.is_none() {
                return Ok(turns);
            }
        }
    }

    /// Corrected requests of any age: they are test cases as long as their runs exist.
    pub(super) fn corrected_turns(&self, scope: &Scope) -> Result<Vec<Turn>, KernelError> {
        let mut turns = Vec::new();
        for (run, said) in self.corrections_by_run(scope)? {
            if let Some(row) = self.store().run(scope, run)? {
                turns.extend(self.turns_of(scope, &row, &said, &mut Vec::new())?);
            }
        }
        Ok(turns)
    }

    /// The requests of a run. `named` holds calls by name from later runs; the run's own are added to it.
    fn turns_of(
        &self,
        scope: &Scope,
        row: &RunRow,
        corrections: &[Correction],
        named: &mut Vec<Named>,
    ) -> Result<Vec<Turn>, KernelError> {
        let text = |name: &str| row.request[name].as_str().unwrap_or_default().to_owned();
        if row.erased || row.request.get("parent").is_some() || row.request.get("undo_of").is_some() {
            return Ok(Vec::new());
        }
        if let Some(calls) = row.request["calls"].as_array() {
            let tools = calls.iter().filter_map(|call| call["tool_name"].as_str().map(str::to_owned)).collect();
            named.push(Named { actor: text("actor"), said: plain(&text("message")), tools });
            return Ok(Vec::new());
        }
        let Some(reading) = self.reading_in(scope, row)? else { return Ok(Vec::new()) };
        let about = About { kernel: self, row, scope, reading: &reading, corrections };
        Ok(match &reading.understanding {
            Understanding::SmallTalk { .. } => Vec::new(),
            Understanding::Clear { intents } => {
                let alone = intents.len() == 1;
                intents.iter().enumerate().map(|(n, intent)| about.clause(n + 1, alone, intent)).collect()
            }
            Understanding::Ask(question) => vec![about.question(&question.options, named)],
            Understanding::Unknown { .. } => vec![about.question(&[], named)],
        })
    }
}

/// A run while its requests are separated.
struct About<'a> {
    kernel: &'a Kernel,
    row: &'a RunRow,
    scope: &'a Scope,
    reading: &'a RunReading,
    corrections: &'a [Correction],
}

impl About<'_> {
    /// An outcome with the fields that all requests of the run share.
    fn outcome(&self, turn: String, said: &str, how: How) -> Outcome {
        Outcome {
            turn,
            said: said.to_owned(),
            slots: Vec::new(),
            chosen: None,
            meant: None,
            offered: Vec::new(),
            how,
            tenant: self.scope.tenant().clone(),
            actor: self.row.request["actor"].as_str().unwrap_or_default().to_owned(),
            trusted: self.row.request["trusted"] == true,
            at: self.row.created_at,
        }
    }

    /// Whether it was to be executed, and not only shown.
    fn is_meant(&self) -> bool {
        self.row.request["mode"] != "answer"
    }

    /// A request that was understood.
    fn clause(&self, number: usize, alone: bool, intent: &Intent) -> Turn {
        let turn = if alone { self.row.id.to_string() } else { format!("{}/{number}", self.row.id) };
        let said = self.reading.message.get(intent.span.clone()).unwrap_or_default();
        let how = match self.row.status {
            RunStatus::Completed => Some(How::Succeeded),
            RunStatus::Failed | RunStatus::Compensated => Some(How::Failed),
            // A cancelled or waiting run says nothing about what was meant.
            _ => None,
        };
        let base = Outcome {
            chosen: Some(intent.target.clone()),
            slots: said_slots(intent, intent.span.start),
            ..self.outcome(turn, said, How::Succeeded)
        };
        let corrections = self.corrections.iter().filter(|one| one.request.unwrap_or(1) == number);
        let (said, slots) = without_slips(said, &base.slots, &intent.evidence.taken_for);
        Turn {
            ended: how.filter(|_| self.is_meant()).map(|how| Outcome { how, said, slots, ..base.clone() }),
            corrections: corrections.map(|one| self.corrected(one, &base)).collect(),
            exact: intent.evidence.tier == Stage::Exact,
        }
    }

    /// A request that was ambiguous or not understood.
    fn question(&self, options: &[Intent], named: &[Named]) -> Turn {
        let message = self.reading.message.as_str();
        let offered: Vec<String> = options.iter().map(|option| option.target.clone()).collect();
        let slots_of = |target: &str| {
            let option = options.iter().find(|option| option.target == target);
            option.map(|option| said_slots(option, 0)).unwrap_or_default()
        };
        let base = Outcome { offered, ..self.outcome(self.row.id.to_string(), message, How::Abandoned) };
        // A later call by name of one of the options, with the same message, is the answer.
        let words = plain(message);
        let chosen = named
            .iter()
            .filter(|later| later.said == words && later.actor == base.actor)
            .find_map(|later| later.tools.iter().find(|tool| base.offered.contains(tool)));
        let ended = match chosen {
            Some(tool) => {
                Outcome { how: How::Picked, chosen: Some(tool.clone()), slots: slots_of(tool), ..base.clone() }
            }
            None => base.clone(),
        };
        let correction = |one: &Correction| {
            let mut outcome = self.corrected(one, &base);
            if let Some(meant) = outcome.meant.clone().filter(|meant| base.offered.contains(meant)) {
                outcome.slots = slots_of(&meant);
                outcome = Outcome { how: How::Picked, chosen: outcome.meant.take(), ..outcome };
            }
            outcome
        };
        Turn {
            ended: Some(ended).filter(|_| self.is_meant()),
            corrections: self.corrections.iter().map(correction).collect(),
            exact: false,
        }
    }

    /// A correction as an outcome, by its author and at its time.
    fn corrected(&self, correction: &Correction, base: &Outcome) -> Outcome {
        let slots = match &correction.meant {
            // Values stay slots where the other tool has an input of the same name; elsewhere they become plain words.
            Some(meant) => {
                let target = self.kernel.vocabulary().targets().iter().find(|target| target.name == *meant);
                let has = |slot: &&SaidSlot| target.is_some_and(|target| target.slots.contains_key(&slot.name));
                base.slots.iter().filter(has).cloned().collect()
            }
            None => base.slots.clone(),
        };
        Outcome {
            // Several people may correct one turn; each correction has its own key.
            turn: format!("{} {}", base.turn, correction.by),
            slots,
            meant: correction.meant.clone(),
            how: How::Corrected,
            actor: correction.by.clone(),
            trusted: correction.trusted,
            at: correction.at,
            ..base.clone()
        }
    }
}

/// The positions of slot values, relative to the clause. Inferred values have none.
pub(super) fn said_slots(intent: &Intent, from: usize) -> Vec<SaidSlot> {
    let said = intent.slots.iter().filter(|slot| !slot.span.is_empty());
    let place = said.filter_map(|slot| {
        let span = slot.span.start.checked_sub(from)?..slot.span.end.checked_sub(from)?;
        Some(SaidSlot { name: slot.name.clone(), span })
    });
    place.collect()
}

/// Corrections by the run that they are about.
pub(super) type ByRun = BTreeMap<RunId, Vec<Correction>>;
