//! Messages to a run from outside, and their effect on its jobs.

use brain_core::{Failure, FailureClass, JobKey};
use brain_lang::plan::OnFailure;
use brain_registry::ToolResult;
use brain_store::blob::offload;
use brain_store::{Precondition, SignalRow, Write};
use brain_vm::{Happened, Input, JobId, JobStatus, Machine, Stray};
use serde_json::{Value, json};

use super::{Turn, failure_of, guarded};
use crate::core::{ToJob, TurnInput};
use crate::engine::EngineError;
use crate::host::{CheckAnswer, JobOutcome};
use crate::log::{NewEvent, PipeEvent};

impl Turn<'_> {
    /// Processes one input.
    pub(crate) fn process(&mut self, input: TurnInput) {
        match input {
            TurnInput::Input(input, payload) => self.input(input, payload),
            TurnInput::Outcome(job, attempt, ref outcome)
                if !self.is_called(job, attempt, !matches!(outcome, JobOutcome::Unknown(_))) =>
            {
                self.input(Input::Stray(Stray::LateAnswer), None);
            }
            TurnInput::Check(job, attempt, ref answer, _)
                if !self.is_called(job, attempt, !matches!(answer, CheckAnswer::Unclear(_))) =>
            {
                self.input(Input::Stray(Stray::LateAnswer), None);
            }
            TurnInput::Outcome(job, attempt, outcome) => self.outcome(job, attempt, outcome),
            TurnInput::Check(job, attempt, CheckAnswer::Happened(result), _) => {
                self.outcome(job, attempt, JobOutcome::Done(result));
            }
            TurnInput::Check(job, attempt, CheckAnswer::DidNot, asked) => {
                self.input(Input::DidNotHappen(job, attempt, asked), None);
            }
            TurnInput::Check(job, attempt, CheckAnswer::Unclear(failure), _) => {
                self.input(Input::Unknown(job, attempt, failure), None);
            }
            TurnInput::Letter(job, attempt, seen, decided) => self.letter_decided(job, attempt, &seen, decided),
            TurnInput::Job(key, message) => match self.find(key) {
                Some(job) => {
                    self.answered = Some(job);
                    self.tell(job, message);
                    self.answered = None;
                }
                None => self.tell_nobody(&message),
            },
            TurnInput::Signals => self.signals(|_| true),
            TurnInput::Stops => self.signals(is_stop),
        }
    }

    /// Whether the answer to a call of this attempt is still expected. An answer is repeated if it was uncertain
    /// whether its commit was written; by then a reviewer, another engine or injected steps may be continuing the job.
    /// A stuck job takes an answer only if it `is_clear`.
    fn is_called(&self, job: JobId, attempt: u32, is_clear: bool) -> bool {
        self.state.job(job).is_some_and(|open| match open.status {
            JobStatus::Running | JobStatus::Checking { .. } => open.attempt == attempt,
            JobStatus::Stuck { .. } => open.attempt == attempt && is_clear,
            _ => false,
        })
    }

    /// Processes a decision about a dead letter. The letter may be about an earlier attempt than the person has seen,
    /// or the run may be ending. The letter is written in the same commit, so in that case the whole request is
    /// rejected.
    fn letter_decided(&mut self, job: JobId, attempt: u32, seen: &Value, decided: Option<(Input, Option<Value>)>) {
        let stuck = |open: &&brain_vm::Job| open.attempt == attempt && open.status.is_stuck();
        let Some(status) = self.state.job(job).filter(stuck).map(|open| open.status.clone()) else {
            self.refused = Some(EngineError::AlreadyDecided);
            return;
        };
        // The same attempt may have got stuck twice: retried, offered, and stopped before a worker leased it.
        let letter = self.letter(self.key(job));
        if letter.is_some_and(|letter| letter.body != *seen) {
            self.refused = Some(EngineError::AlreadyDecided);
            return;
        }
        if matches!(decided, Some((Input::Retry(_), _))) {
            let happened = status == (JobStatus::Stuck { happened: Happened::Yes });
            let machine = Machine::new(self.code);
            if !machine.may_retry(self.state, job) {
                self.refused = Some(match machine.doubt_within(self.state, job) {
                    Some(step) => EngineError::InDoubt(self.run, self.state.step_path(self.code, step.at())),
                    None if happened => EngineError::Happened(self.run),
                    None => EngineError::Stopping(self.run),
                });
                return;
            }
        }
        if let Some((input, payload)) = decided {
            self.input(input, payload);
        }
    }

    fn outcome(&mut self, job: JobId, attempt: u32, outcome: JobOutcome) {
        match outcome {
            JobOutcome::Done(result) if result.success => self.succeed(job, attempt, None, result, None),
            JobOutcome::Done(result) => self.input(Input::Failed(job, attempt, failure_of(result)), None),
            JobOutcome::DoneBadly(result, failure) => {
                self.input(Input::DoneBadly(job, attempt, failure), Some(json!({"result": result})));
            }
            JobOutcome::Failed(failure) => self.input(Input::Failed(job, attempt, failure), None),
            JobOutcome::Unknown(failure) => self.input(Input::Unknown(job, attempt, failure), None),
        }
    }

    /// The open job with this key.
    fn find(&self, key: JobKey) -> Option<JobId> {
        let known = self.state.jobs.keys().chain(self.state.left.keys());
        known.copied().find(|job| self.key(*job) == key)
    }

    fn tell(&mut self, id: JobId, message: ToJob) {
        let Some(job) = self.state.job(id).cloned() else { return };
        match message {
            ToJob::Lease { until, worker } => {
                // Workers compete for offers all the time, so losing one leaves no event.
                if job.status != JobStatus::Offered {
                    return;
                }
                let until = until.unwrap_or_else(|| self.now.plus(self.lease(id)));
                self.input(Input::Lease(id, until), Some(json!({"worker": worker})));
                // Large values are references, whether the run was loaded or is in memory; their blobs are stored.
                let mut args = self.data.args.get(&id).cloned().unwrap_or_default();
                offload(&mut args, 1, &mut Vec::new());
                self.answer = json!({
                    "attempt": job.attempt + 1,
                    "until": until,
                    "step": self.state.step_path(self.code, id.at()),
                    "tool": self.state.step(self.code, id.at()).call(id.undo).tool.name,
                    "args": args,
                });
            }
            ToJob::Extend { attempt, until } => {
                if job.attempt == attempt && matches!(job.status, JobStatus::Leased { .. }) {
                    let until = until.unwrap_or_else(|| self.now.plus(self.lease(id)));
                    self.input(Input::Extend(id, attempt, until), None);
                    self.answer = json!({"until": until});
                }
            }
            ToJob::Answer { attempt, outcome } => {
                // A callback may be faster than the acknowledgement of its call.
                let is_early =
                    attempt.is_none() && matches!(job.status, JobStatus::Running | JobStatus::Checking { .. });
                let attempt = attempt.unwrap_or(job.attempt);
                // A clear answer settles a call in doubt, whenever it arrives.
                let doubt = job.status == (JobStatus::Stuck { happened: Happened::Maybe }) && settles(&outcome);
                let waits = is_early || matches!(job.status, JobStatus::Leased { .. } | JobStatus::Delegated { .. });
                if !(waits || doubt) || job.attempt != attempt {
                    return self.input(Input::Done(id, 0), None);
                }
                self.answer = json!({"taken": true});
                let outcome = match outcome {
                    JobOutcome::Done(result) if result.success => self.accepted(id, result, &Value::Null),
                    // The answer covers every attempt of the job, because all attempts share its key.
                    JobOutcome::Failed(failure) if failure.class != FailureClass::Transient => {
                        JobOutcome::Failed(failure.settled())
                    }
                    other => other,
                };
                self.outcome(id, attempt, outcome);
                // An answer that leads to another attempt, or leaves the outcome open, is not the last one.
                let open = |status: &JobStatus| {
                    matches!(status, JobStatus::Retrying { .. } | JobStatus::Ready | JobStatus::Offered)
                        || *status == JobStatus::Stuck { happened: Happened::Maybe }
                };
                self.answer["final"] = json!(!self.state.job(id).is_some_and(|job| open(&job.status)));
            }
            ToJob::Accept { corrections, by, note } => {
                if job.status != JobStatus::Reviewing {
                    return self.input(Input::Done(id, 0), None);
                }
                let pending = self.data.pending.get(&id).cloned().unwrap_or(Value::Null);
                let result = serde_json::from_value(pending).unwrap_or_else(|_| ToolResult::ok(Value::Null));
                match self.accepted(id, ToolResult { review: None, ..result }, &corrections) {
                    JobOutcome::Done(result) => {
                        self.answer = json!({"taken": true});
                        let data =
                            json!({"outcome": "accepted", "by": by, "step": self.state.step_path(self.code, id.at())});
                        let payload = json!({"corrections": corrections, "note": note});
                        self.events.push(NewEvent::pipe(PipeEvent::Reviewed, data, Some(payload)));
                        self.succeed(id, job.attempt, None, ToolResult { review: None, ..result }, None);
                    }
                    JobOutcome::Failed(failure) | JobOutcome::Unknown(failure) | JobOutcome::DoneBadly(_, failure) => {
                        // The corrections are invalid: nothing changes, and the reviewer gets an error.
                        self.answer = json!({"refused": failure.message});
                    }
                }
            }
            ToJob::Grant => {
                self.answer = json!({"taken": matches!(job.status, JobStatus::Held { .. })});
                self.input(Input::Grant(id), None);
            }
            ToJob::Deny(failure) => {
                self.answer = json!({"taken": matches!(job.status, JobStatus::Held { .. } | JobStatus::Reviewing)});
                self.input(Input::Deny(id, failure), None);
            }
            ToJob::Forged => self.input(Input::Stray(Stray::Forged), None),
        }
    }

    fn tell_nobody(&mut self, message: &ToJob) {
        let code = match message {
            ToJob::Lease { .. } | ToJob::Extend { .. } => return,
            ToJob::Answer { .. } => Stray::LateAnswer,
            ToJob::Accept { .. } | ToJob::Grant | ToJob::Deny(_) => Stray::LateDecision,
            ToJob::Forged => Stray::Forged,
        };
        self.input(Input::Stray(code), None);
    }

    /// Checks an external result, with corrections, against the tool's declaration. The effect of an invalid result has
    /// happened all the same.
    fn accepted(&mut self, id: JobId, result: ToolResult, corrections: &Value) -> JobOutcome {
        let code = self.code.clone();
        let tool = self.state.step(&code, id.at()).call(id.undo).tool;
        let context = self.context(id, self.state.job(id).map_or(1, |job| job.attempt));
        let args = self.data.args.get(&id).cloned().unwrap_or(Value::Null);
        match guarded(|| self.host.accept(tool, args, &context, result.clone(), corrections)) {
            Ok(result) => JobOutcome::Done(result),
            Err(failure) => JobOutcome::DoneBadly(result, failure),
        }
    }

    fn lease(&self, id: JobId) -> brain_core::Millis {
        let call = self.state.step(self.code, id.at()).call(id.undo);
        match call.place {
            brain_lang::plan::Place::Worker { lease, .. } => *lease,
            _ => call.timeout,
        }
    }

    /// Processes the inbox. Signals that their job does not wait for yet stay there; others that are not expected leave
    /// an event.
    fn signals(&mut self, concerns: fn(&Value) -> bool) {
        // The outcome of a signal must not replace the answer to a request in the same turn.
        let answer = std::mem::take(&mut self.answer);
        self.take_signals(concerns);
        self.answer = answer;
    }

    fn take_signals(&mut self, concerns: fn(&Value) -> bool) {
        let rows = self.records.reader.signals().unwrap_or_else(|error| {
            self.away = Some(error);
            Vec::new()
        });
        for SignalRow { id, body, .. } in rows.into_iter().filter(|row| concerns(&row.body)) {
            if is_stop(&body) {
                // The parent run is being stopped.
                self.preconditions.push(Precondition::SignalPresent { run: self.run, id: id.clone() });
                self.writes.push(Write::TakeSignal { run: self.run, id });
                self.input(Input::Cancel, None);
                continue;
            }
            if body["go_on"] == true {
                // Another process decided something; the jobs that follow start here.
                self.preconditions.push(Precondition::SignalPresent { run: self.run, id: id.clone() });
                self.writes.push(Write::TakeSignal { run: self.run, id });
                continue;
            }
            let job = body["job"].as_str().and_then(|key| key.parse().ok()).and_then(|key| self.find(key));
            if let Some(job) = job
                && self.state.jobs.get(&job).is_some_and(|job| !awaits_answer(&job.status))
            {
                continue;
            }
            self.preconditions.push(Precondition::SignalPresent { run: self.run, id: id.clone() });
            self.writes.push(Write::TakeSignal { run: self.run, id });
            let unknown = body.get("unknown").and_then(|failure| serde_json::from_value(failure.clone()).ok());
            let failure = || {
                serde_json::from_value(body["failure"].clone())
                    .unwrap_or_else(|_| Failure::contract("bad_signal", "The answer could not be parsed."))
            };
            // What a child run did before it failed can be undone. An undo that failed has undone only a part of its step.
            let did = body.get("did");
            if let Some(job) = job.filter(|job| did.is_some() && self.undoes(*job)) {
                let attempt = self.state.job(job).map_or(0, |open| open.attempt);
                self.answered = Some(job);
                self.input(Input::Half(job, attempt, failure()), None);
                self.answered = None;
                continue;
            }
            let did = did.and_then(|result| serde_json::from_value::<ToolResult>(result.clone()).ok());
            let outcome = match (unknown, serde_json::from_value::<ToolResult>(body["result"].clone())) {
                (Some(failure), _) => JobOutcome::Unknown(failure),
                (None, Ok(result)) => JobOutcome::Done(result),
                (None, Err(_)) => match did {
                    Some(result) => JobOutcome::DoneBadly(result, failure()),
                    None => JobOutcome::Failed(failure()),
                },
            };
            let message = ToJob::Answer { attempt: None, outcome };
            match job {
                Some(job) => {
                    self.answered = Some(job);
                    self.tell(job, message);
                    self.answered = None;
                }
                None => self.tell_nobody(&message),
            }
        }
    }

    /// Whether a job undoes something: in a compensation, or as a step of a run that undoes another.
    fn undoes(&self, job: JobId) -> bool {
        job.undo || self.state.step(self.code, job.at()).on_failure == OnFailure::Letter
    }
}

/// Whether a signal stops the run because its parent is being stopped.
fn is_stop(body: &Value) -> bool {
    body["cancel"].is_object()
}

/// Whether an outcome is certain: it happened, or it did not.
fn settles(outcome: &JobOutcome) -> bool {
    match outcome {
        JobOutcome::Done(_) | JobOutcome::DoneBadly(..) => true,
        JobOutcome::Failed(failure) => failure.class != FailureClass::Transient,
        JobOutcome::Unknown(_) => false,
    }
}

/// Whether a job expects an answer from another engine or a child run.
fn awaits_answer(status: &JobStatus) -> bool {
    matches!(status, JobStatus::Delegated { .. } | JobStatus::Stuck { happened: Happened::Maybe })
}
