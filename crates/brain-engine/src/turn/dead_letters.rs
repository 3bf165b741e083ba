//! Rows outside the log that show what a run waits for: dead letters, approvals of single steps, offers to workers.
//! They follow from the events and are written in the same commit.

use std::collections::BTreeSet;

use brain_core::{ApprovalId, ApprovalStatus, Digest, Failure, FailureClass, JobKey, canonical_digest};
use brain_lang::plan::{OnFailure, Place};
use brain_registry::ValidatedCall;
use brain_registry::model::Consent;
use brain_store::blob::offload;
use brain_store::{ApprovalRow, DeadLetterRow, OfferRow, Write};
use brain_vm::{Event, Happened, Input, JobId, JobStatus, Phase};
use serde_json::{Value, json};

use super::{Turn, guarded};
use crate::log::{NewEvent, PipeEvent};

impl Turn<'_> {
    /// Opens a dead letter when a job is stuck, and closes letters that need no decision any more. A letter about a job
    /// that may have happened, or about an undo that is still due, stays open when its run ends.
    pub(super) fn follow_letters(&mut self, event: &Event) {
        match event {
            Event::JobStuck { job, attempt, failure, happened } => self.open_letter(*job, *attempt, failure, *happened),
            Event::JobDoneBadly { job, attempt, failure } if self.becomes_dead_letter(*job, failure) => {
                self.open_letter(*job, *attempt, failure, Happened::Yes);
            }
            Event::ScopeStopped { .. } | Event::RunEnded { .. } => {
                let over = self.state.jobs.iter().filter(|(id, job)| {
                    let outlives = id.undo || job.status == (JobStatus::Stuck { happened: Happened::Maybe });
                    job.status.is_stuck() && !outlives && self.ends_with(event, **id)
                });
                let over: Vec<JobId> = over.map(|(id, _)| *id).collect();
                for job in over {
                    self.close_letter(job, "run_ended");
                }
            }
            // A person decided, or a late answer arrived from a node whose run was taken over.
            Event::JobReopened { job }
            | Event::JobDismissed { job }
            | Event::JobDone { job, .. }
            | Event::JobDoneBadly { job, .. }
            | Event::JobRetrying { job, .. }
            | Event::JobFailed { job, .. }
            | Event::JobChecking { job, .. }
            | Event::CheckDenied { job, .. }
            | Event::JobDelegated { job, .. }
            | Event::ReviewAsked { job, .. }
            | Event::ScopeOpened { job, .. }
                if self.state.job(*job).is_some_and(|job| job.status.is_stuck()) =>
            {
                self.close_letter(*job, "answered");
            }
            _ => {}
        }
    }

    /// Whether a job with an unusable answer becomes a dead letter: an undo does, and a step whose `on_failure` is
    /// `stop` or `letter`.
    fn becomes_dead_letter(&self, job: JobId, failure: &Failure) -> bool {
        let running = self.state.phase_of(job) == Phase::Running;
        let mendable = failure.class != FailureClass::Business;
        let wanted = match self.state.step(self.code, job.at()).on_failure {
            OnFailure::Stop => mendable,
            OnFailure::Letter => true,
            OnFailure::Continue | OnFailure::Undo => false,
        };
        job.undo || (wanted && running)
    }

    /// Whether an event that ends a scope also ends this job.
    fn ends_with(&self, event: &Event, job: JobId) -> bool {
        match event {
            Event::ScopeStopped { scope, .. } => self.state.contains(*scope, job.scope),
            _ => true,
        }
    }

    fn open_letter(&mut self, job: JobId, attempt: u32, failure: &Failure, happened: Happened) {
        let id = self.key(job);
        let code = self.code.clone();
        let step = self.state.step(&code, job.at());
        let earlier = self.letter(id);
        let mut history: Vec<Value> =
            self.data.attempts.get(&job).into_iter().flatten().map(|one| json!(one)).collect();
        history.push(json!({"at": self.now, "attempt": attempt, "failure": failure}));
        let mut input = self.data.args.get(&job).cloned().unwrap_or_default();
        offload(&mut input, 1, &mut Vec::new());
        // A decided letter that is opened again is reported again.
        let notified = match &earlier {
            Some(letter) if letter.open => letter.body["notified"].clone(),
            _ => self.notify(id, job, intervention(failure, happened)),
        };
        let body = json!({
            "step": self.state.step_path(&code, job.at()),
            "number": self.state.jobs.get(&job).map(|job| job.number),
            "item": job.item,
            "undo": job.undo,
            "attempts": attempt,
            "happened": happened,
            "failure": failure,
            "history": history,
            "input": input,
            "intervention": intervention(failure, happened),
            "escalated": earlier.as_ref().map_or(Value::Null, |letter| letter.body["escalated"].clone()),
            "notified": notified,
        });
        let tool = step.call(job.undo).tool.name.clone();
        let opened_at = earlier.map_or(self.now, |letter| letter.opened_at);
        let row = DeadLetterRow { id, run: self.run, tool, opened_at, open: true, body };
        self.writes.retain(|write| !matches!(write, Write::PutLetter(row) if row.id == id));
        self.writes.push(Write::PutLetter(row));
    }

    /// Notifies the requester, on the feed, that a step of the run waits for a person.
    fn notify(&mut self, letter: JobKey, job: JobId, intervention: &str) -> Value {
        let asked_by = &self.data.input.asked_by;
        let to = if asked_by.is_empty() { Value::Null } else { json!(asked_by) };
        let step = self.state.step(self.code, job.at());
        let data = json!({
            "letter": letter, "step": self.state.step_path(self.code, job.at()),
            "tool": step.call(job.undo).tool.name, "intervention": intervention, "to": to,
        });
        self.events.push(NewEvent::pipe(PipeEvent::LetterOpened, data, None));
        if to.is_null() { Value::Null } else { json!({"to": to, "at": self.now}) }
    }

    pub(super) fn letter(&mut self, id: JobKey) -> Option<DeadLetterRow> {
        self.records.reader.letter(id).unwrap_or_else(|error| {
            self.away = Some(error);
            None
        })
    }

    /// Closes the letter of a job. It may have been opened in this turn, or already closed by the person who decided.
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

    /// Offers a job to workers while it may be leased, and withdraws the offer otherwise.
    pub(super) fn follow_offers(&mut self, event: &Event) {
        match event {
            Event::JobOffered { job } => {
                let code = self.code.clone();
                let call = self.state.step(&code, job.at()).call(job.undo);
                let Place::Worker { topic, .. } = call.place else { return };
                let order = self.now.as_millis() - i64::from(self.priority) * crate::core::PRIORITY_STEP;
                let row = OfferRow { key: self.key(*job), run: self.run, topic: topic.clone(), order };
                self.writes.push(Write::Offer(row));
                self.offered = true;
            }
            Event::JobLeased { job, .. } => self.writes.push(Write::Withdraw(self.key(*job))),
            Event::ScopeStopped { .. } | Event::StopForced { .. } | Event::RunEnded { .. } => {
                let mut offered = self.jobs_that(|status| *status == JobStatus::Offered);
                offered.retain(|job| self.ends_with(event, *job));
                for job in offered {
                    self.writes.push(Write::Withdraw(self.key(job)));
                }
            }
            Event::JobStuck { job, .. } if self.is(*job, |status| *status == JobStatus::Offered) => {
                self.writes.push(Write::Withdraw(self.key(*job)));
            }
            _ => {}
        }
    }

    fn is(&self, job: JobId, fits: impl Fn(&JobStatus) -> bool) -> bool {
        self.state.jobs.get(&job).is_some_and(|job| fits(&job.status))
    }

    pub(super) fn jobs_that(&self, fits: impl Fn(&JobStatus) -> bool) -> Vec<JobId> {
        self.state.jobs.iter().filter(|(_, job)| fits(&job.status)).map(|(id, _)| *id).collect()
    }

    /// Requests approval of one call. The approval covers this tool with these arguments. A scope whose end was forced
    /// requests nothing.
    pub(super) fn ask_approval(&mut self, job: JobId, call: &ValidatedCall) {
        let def = &call.tool().def;
        let within = def.acknowledge.as_ref().and_then(|acknowledge| acknowledge.within);
        let within = within.or_else(|| guarded(|| Ok(self.host.approval_lasts())).ok().flatten());
        let until = within.map(|within| self.now.plus(within));
        self.input(Input::Hold(job, until), Some(json!({"args": call.args()})));
        if !self.is(job, |status| matches!(status, JobStatus::Held { .. })) {
            return;
        }
        let id = ApprovalId::generate(self.now, self.random);
        let consent = if def.consent == Consent::Approver { "approver" } else { "user" };
        let mut body = json!({
            "consent": consent,
            "digest": call_digest(call),
            "step": self.state.step_path(self.code, job.at()),
            "job": self.key(job),
            "undo": job.undo,
            "asks": [guarded(|| Ok(self.host.describe(call))).unwrap_or_else(|_| def.name.clone())],
        });
        if let Some(until) = until {
            body["expires_at"] = json!(until);
        }
        let row = ApprovalRow { id, run: self.run, status: ApprovalStatus::Pending, asked_at: self.now, body };
        self.writes.push(Write::PutApproval(row));
    }

    /// Closes the approvals of steps that will not start any more.
    pub(super) fn follow_approvals(&mut self, event: &Event) {
        let mut held = self.jobs_that(|status| matches!(status, JobStatus::Held { .. }));
        // The approval of the whole plan is pending only until the run starts.
        let mut plan = false;
        let status = match event {
            Event::ScopeStopped { .. } | Event::RunEnded { .. } => {
                held.retain(|job| self.ends_with(event, *job));
                plan = self.state.phase() == Phase::New;
                let expired = self.events.iter().any(|event| event.number == PipeEvent::Expired as u16);
                if expired { ApprovalStatus::Expired } else { ApprovalStatus::Cancelled }
            }
            // The request expired.
            Event::JobFailed { job, failure, .. } if failure.code == "approval_expired" => {
                held.retain(|one| one == job);
                ApprovalStatus::Expired
            }
            // An undo that was not approved in time, or is no longer awaited, becomes a dead letter.
            Event::JobStuck { job, failure, .. } if failure.code != "rejected" => {
                held.retain(|one| one == job);
                if failure.code == "approval_expired" { ApprovalStatus::Expired } else { ApprovalStatus::Cancelled }
            }
            _ => return,
        };
        if held.is_empty() && !plan {
            return;
        }
        let keys: Vec<Value> = held.into_iter().map(|job| json!(self.key(job))).collect();
        let cancel = |row: &mut ApprovalRow, now| {
            row.status = status;
            row.body["decided_at"] = json!(now);
        };
        let meant = |job: &Value| if job.is_null() { plan } else { keys.contains(job) };
        let pending = |row: &ApprovalRow| row.status == ApprovalStatus::Pending && meant(&row.body["job"]);
        // It may have been requested in this very turn.
        let mut known = BTreeSet::new();
        for write in &mut self.writes {
            if let Write::PutApproval(row) = write {
                known.insert(row.id);
                if pending(row) {
                    cancel(row, self.now);
                }
            }
        }
        let rows = self.records.reader.approvals().unwrap_or_else(|error| {
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

/// The digest that the approval of a single step covers.
pub(crate) fn call_digest(call: &ValidatedCall) -> Digest {
    canonical_digest(&json!({"tool": call.tool().hash, "args": call.args()}))
}

/// Who can help: operators (`support`), maintainers (`engineering`) or the business.
fn intervention(failure: &Failure, happened: Happened) -> &'static str {
    match failure.class {
        FailureClass::Contract => "engineering",
        FailureClass::Business if happened == Happened::No => "business",
        _ => "support",
    }
}
