//! Rows beside the log that tell others what a run waits for: dead letters, approvals of single steps, offers to
//! workers. They follow the events and are written in the same commit.

use std::collections::BTreeSet;

use brain_core::{ApprovalId, Digest, JobKey, canonical_digest};
use brain_lang::plan::Place;
use brain_registry::ValidatedCall;
use brain_registry::model::Consent;
use brain_store::{ApprovalRow, DeadLetterRow, OfferRow, Write};
use brain_vm::{Event, JobId, JobStatus};
use serde_json::{Value, json};

use super::Turn;

impl Turn<'_> {
    /// Opens a dead letter when a job is parked, and closes those that nobody can answer any more.
    pub(super) fn follow_letters(&mut self, event: &Event) {
        let program = self.program.clone();
        match event {
            Event::JobParked { job, attempt, failure, in_doubt } => {
                let id = self.key(*job);
                let step = program.step(job.step);
                let earlier = self.letter(id);
                let mut history =
                    earlier.as_ref().and_then(|letter| letter.body["history"].as_array().cloned()).unwrap_or_default();
                history.push(json!({"at": self.now, "attempt": attempt, "failure": failure}));
                let body = json!({
                    "step": step.id,
                    "item": job.item,
                    "undo": job.undo,
                    "attempts": attempt,
                    "in_doubt": in_doubt,
                    "failure": failure,
                    "history": history,
                    "escalated": earlier.as_ref().map_or(Value::Null, |letter| letter.body["escalated"].clone()),
                });
                let tool = match &step.undo {
                    Some(undo) if job.undo => undo.tool.name.clone(),
                    _ => step.tool.name.clone(),
                };
                let opened_at = earlier.map_or(self.now, |letter| letter.opened_at);
                self.writes.push(Write::PutLetter(DeadLetterRow {
                    id,
                    run: self.run,
                    tool,
                    opened_at,
                    open: true,
                    body,
                }));
            }
            Event::StopDecided { .. } | Event::RunEnded { .. } => {
                let parked: Vec<JobId> = self
                    .state
                    .jobs
                    .iter()
                    .filter(|(_, job)| matches!(job.status, JobStatus::Parked { .. }))
                    .map(|(id, _)| *id)
                    .collect();
                for job in parked {
                    self.close_letter(job, "run_ended");
                }
            }
            // A person decided; or the answer came after all, from a node that was given up.
            Event::JobReopened { job }
            | Event::JobDismissed { job }
            | Event::JobDone { job, .. }
            | Event::JobRetrying { job, .. }
            | Event::JobFailed { job, .. }
            | Event::JobChecking { job, .. }
            | Event::JobDelegated { job, .. }
            | Event::ReviewAsked { job, .. }
            | Event::StepsInjected { job, .. }
                if self.state.jobs.get(job).is_some_and(|job| matches!(job.status, JobStatus::Parked { .. })) =>
            {
                self.close_letter(*job, "answered");
            }
            _ => {}
        }
    }

    fn letter(&mut self, id: JobKey) -> Option<DeadLetterRow> {
        self.store.letter(self.scope, id).unwrap_or_else(|error| {
            self.away = Some(error);
            None
        })
    }

    /// Closes the letter of a job. It may have been opened in this turn, or closed by whoever decided about it.
    fn close_letter(&mut self, job: JobId, outcome: &str) {
        let id = self.key(job);
        let resolution = json!({"outcome": outcome, "at": self.now});
        let written = self.writes.iter_mut().rev().find_map(|write| match write {
            Write::PutLetter(row) if row.id == id => Some(row),
            _ => None,
        });
        if let Some(row) = written {
            if row.open {
                row.open = false;
                row.body["resolution"] = resolution;
            }
            return;
        }
        let Some(mut row) = self.letter(id) else { return };
        if row.open {
            row.open = false;
            row.body["resolution"] = resolution;
            self.writes.push(Write::PutLetter(row));
        }
    }

    /// Offers a job to workers when it may be taken, and takes the offer back when it may not.
    pub(super) fn follow_offers(&mut self, event: &Event) {
        match event {
            Event::JobOffered { job } => {
                let program = self.program.clone();
                let Place::Worker { topic, .. } = &program.step(job.step).place else { return };
                let order = self.now.as_millis() - i64::from(self.priority) * crate::core::PRIORITY_STEP;
                let row = OfferRow { key: self.key(*job), run: self.run, topic: topic.clone(), order };
                self.writes.push(Write::Offer(row));
                self.offered = true;
            }
            Event::JobLeased { job, .. } => self.writes.push(Write::Withdraw(self.key(*job))),
            Event::StopDecided { .. } | Event::RunEnded { .. } => {
                let offered: Vec<JobId> = self.jobs_that(|status| *status == JobStatus::Offered);
                for job in offered {
                    self.writes.push(Write::Withdraw(self.key(job)));
                }
            }
            _ => {}
        }
    }

    pub(super) fn jobs_that(&self, fits: impl Fn(&JobStatus) -> bool) -> Vec<JobId> {
        self.state.jobs.iter().filter(|(_, job)| fits(&job.status)).map(|(id, _)| *id).collect()
    }

    /// Puts one call before somebody who may approve it. What is approved is this tool with these arguments.
    pub(super) fn ask_approval(&mut self, job: JobId, call: &ValidatedCall) {
        let id = ApprovalId::generate(self.now, self.random);
        let def = &call.tool().def;
        let consent = if def.consent == Consent::Approver { "approver" } else { "user" };
        let mut body = json!({
            "consent": consent,
            "digest": call_digest(call),
            "step": self.program.step(job.step).id,
            "job": self.key(job),
            "asks": [self.host.describe(call)],
        });
        if let Some(within) = def.acknowledge.as_ref().and_then(|acknowledge| acknowledge.within) {
            body["expires_at"] = json!(self.now.plus(within));
        }
        let row = ApprovalRow { id, run: self.run, status: "pending".into(), asked_at: self.now, body };
        self.writes.push(Write::PutApproval(row));
    }

    /// Approvals of steps that will not start any more are not decided any more.
    pub(super) fn follow_approvals(&mut self, event: &Event) {
        if !matches!(event, Event::StopDecided { .. } | Event::RunEnded { .. }) {
            return;
        }
        let held = self.jobs_that(|status| *status == JobStatus::Held);
        if held.is_empty() {
            return;
        }
        let keys: Vec<Value> = held.into_iter().map(|job| json!(self.key(job))).collect();
        let cancel = |row: &mut ApprovalRow, now| {
            row.status = "cancelled".into();
            row.body["decided_at"] = json!(now);
        };
        let pending = |row: &ApprovalRow| row.status == "pending" && keys.contains(&row.body["job"]);
        // It may have been asked in this very turn.
        let mut known = BTreeSet::new();
        for write in &mut self.writes {
            if let Write::PutApproval(row) = write {
                known.insert(row.id);
                if pending(row) {
                    cancel(row, self.now);
                }
            }
        }
        let rows = self.store.approvals_of(self.scope, self.run).unwrap_or_else(|error| {
            self.away = Some(error);
            Vec::new()
        });
        for mut row in rows {
            if pending(&row) && !known.contains(&row.id) {
                cancel(&mut row, self.now);
                self.writes.push(Write::PutApproval(row));
            }
        }
    }
}

/// What the approval of a single step covers.
pub(crate) fn call_digest(call: &ValidatedCall) -> Digest {
    canonical_digest(&json!({"tool": call.tool().hash, "args": call.args()}))
}
