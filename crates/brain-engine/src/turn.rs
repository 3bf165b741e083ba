//! One turn of one run: inputs in, events and writes out. Nothing leaves the turn before its commit is durable.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use brain_core::{Failure, JobKey, Random, RunId, Timestamp};
use brain_lang::plan::{Place, PlanStep, ToolRef};
use brain_registry::{ToolResult, ValidatedCall};
use brain_store::{ArtifactRow, DeadLetterRow, Precondition, Scope, Store, Write};
use brain_vm::{Event, Input, JobId, JobStatus, Machine, Need, Program, State};
use serde_json::{Value, json};

use crate::log::NewEvent;
use crate::{Host, JobContext, RecordView, RunData, RunView};

/// Inline jobs that share one commit at most; a longer run takes several turns.
const MAX_JOBS_A_TURN: u32 = 100;

/// An outside job to be handed over once the turn is durable.
pub(crate) struct Handover {
    pub(crate) call: ValidatedCall,
    pub(crate) context: JobContext,
}

/// A check to be made once the turn is durable.
pub(crate) struct CheckRequest {
    pub(crate) tool: ToolRef,
    pub(crate) args: Value,
    pub(crate) context: JobContext,
}

/// A turn under way.
pub(crate) struct Turn<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) run: RunId,
    pub(crate) program: &'a Program,
    pub(crate) state: &'a mut State,
    pub(crate) data: &'a mut RunData,
    pub(crate) store: &'a dyn Store,
    pub(crate) host: &'a Arc<dyn Host>,
    pub(crate) random: &'a mut dyn Random,
    pub(crate) now: Timestamp,
    pub(crate) records: RecordView<'a>,
    pub(crate) events: Vec<NewEvent>,
    pub(crate) writes: Vec<Write>,
    pub(crate) handovers: Vec<Handover>,
    pub(crate) checks: Vec<CheckRequest>,
    /// Whether there is more to do than one turn may.
    pub(crate) unfinished: bool,
}

impl Turn<'_> {
    /// Decides an input and folds what follows.
    pub(crate) fn input(&mut self, input: Input, payload: Option<Value>) {
        let noise = self.random.next_u64();
        let events = Machine::new(self.program).decide(self.state, input, self.now, noise);
        self.fold(events, payload);
    }

    /// Folds events; the payload belongs to the first.
    fn fold(&mut self, events: Vec<Event>, mut payload: Option<Value>) {
        for event in events {
            let payload = payload.take();
            self.follow_letters(&event);
            self.state.apply(self.program, &event);
            self.data.apply(self.program, &event, payload.as_ref(), self.now);
            self.link_artifacts(&event, payload.as_ref());
            if let Event::JobChecking { job, attempt, .. } = &event {
                self.request_check(*job, *attempt);
            }
            self.events.push(NewEvent::machine(&event, payload));
        }
    }

    /// Goes on until only an input from outside can move the run.
    pub(crate) fn advance(&mut self) {
        let mut jobs = 0;
        while let Some(need) = Machine::new(self.program).next(self.state) {
            if jobs >= MAX_JOBS_A_TURN {
                self.unfinished = true;
                return;
            }
            match need {
                Need::Condition(step) => {
                    let plan = self.program.step(step);
                    match guarded(|| self.host.condition(self.view(), plan)) {
                        Ok(holds) => self.input(Input::Condition(step, holds), None),
                        Err(failure) => self.input(Input::Halt(in_step(plan, "when", failure)), None),
                    }
                }
                Need::Items(step) => {
                    let plan = self.program.step(step);
                    match guarded(|| self.host.items(self.view(), plan)) {
                        Ok(items) => {
                            let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
                            self.input(Input::Items(step, count), Some(json!({"items": items})));
                        }
                        Err(failure) => self.input(Input::Halt(in_step(plan, "foreach", failure)), None),
                    }
                }
                Need::Start(job, attempt) => {
                    jobs += 1;
                    self.start(job, attempt);
                }
                Need::Nothing => {
                    let events = Machine::new(self.program).proceed(self.state);
                    self.fold(events, None);
                }
            }
        }
    }

    fn view(&self) -> RunView<'_> {
        RunView { scope: self.scope, run: self.run, data: self.data, now: self.now }
    }

    fn start(&mut self, job: JobId, attempt: u32) {
        if Machine::new(self.program).is_exhausted(self.state, job) {
            let limit = self.program.max_steps;
            let message = format!("The run would take more than {limit} steps (`max_steps`), so it was stopped.");
            self.input(Input::Halt(Failure::business("max_steps", message)), None);
            return;
        }
        let step = self.program.step(job.step);
        let (tool, place, timeout) = match &step.undo {
            Some(undo) if job.undo => (&undo.tool, &undo.place, undo.timeout),
            _ => (&step.tool, &step.place, step.timeout),
        };
        let bound = match self.data.args.get(&job) {
            // What goes with an idempotency key never changes, whatever the expressions would say now.
            Some(args) => guarded(|| self.host.rebind(tool, args.clone())),
            None => guarded(|| self.host.bind(self.view(), step, job)),
        };
        let call = match bound {
            Ok(call) => call,
            Err(failure) => {
                self.input(Input::Failed(job, attempt, failure), None);
                return;
            }
        };
        let context = JobContext { timeout, ..self.context(job, attempt) };
        match place {
            Place::Outside(_) | Place::Worker { .. } => {
                let (host, records) = (self.host, &mut self.records);
                if let Err(failure) = guarded(|| host.admit(&call, &context, records)) {
                    self.input(Input::Failed(job, attempt, failure), Some(json!({"args": call.args()})));
                    return;
                }
                self.input(Input::Handed(job, attempt), Some(json!({"args": call.args()})));
                self.handovers.push(Handover { call, context });
            }
            Place::Inline => self.decide_inline(&call, &context),
        }
    }

    fn decide_inline(&mut self, call: &ValidatedCall, context: &JobContext) {
        let before = self.records.save();
        let host = self.host;
        let records = &mut self.records;
        let decided = guarded(|| host.decide(call, context, records));
        let (job, attempt) = (context.job, context.attempt);
        match decided {
            Ok(result) if result.success => {
                let payload = json!({"args": call.args(), "result": result});
                self.input(Input::Done(job, attempt), Some(payload));
            }
            other => {
                self.records.restore(before);
                let failure = match other {
                    Ok(result) => failure_of(result),
                    Err(failure) => failure,
                };
                self.input(Input::Failed(job, attempt, failure), Some(json!({"args": call.args()})));
            }
        }
    }

    pub(crate) fn context(&self, job: JobId, attempt: u32) -> JobContext {
        JobContext {
            scope: self.scope.clone(),
            run: self.run,
            key: self.key(job),
            job,
            step: self.program.step(job.step).id.clone(),
            attempt,
            started: self.data.started,
            now: self.now,
            timeout: self.program.step(job.step).timeout,
        }
    }

    fn key(&self, job: JobId) -> JobKey {
        job_key(self.program, self.run, self.data.started, job)
    }

    pub(crate) fn request_check(&mut self, job: JobId, attempt: u32) {
        let Some(tool) = self.program.step(job.step).check.clone() else { return };
        let args = self.data.args.get(&job).cloned().unwrap_or(Value::Null);
        self.checks.push(CheckRequest { tool, args, context: self.context(job, attempt) });
    }

    fn link_artifacts(&mut self, event: &Event, payload: Option<&Value>) {
        let Event::JobDone { job, .. } = event else { return };
        let Some(list) = payload.and_then(|payload| payload["result"]["artifacts"].as_array()) else { return };
        for artifact in list {
            let (Some(kind), Some(Ok(record)), Some(role)) =
                (artifact["type"].as_str(), artifact["id"].as_str().map(str::parse), artifact["role"].as_str())
            else {
                continue;
            };
            self.writes.push(Write::Link(ArtifactRow {
                kind: kind.to_owned(),
                record,
                run: self.run,
                step: self.program.step(job.step).id.clone(),
                role: role.to_owned(),
                at: self.now,
            }));
        }
    }

    /// Opens a dead letter when a job is parked, and closes those that nobody can answer any more.
    fn follow_letters(&mut self, event: &Event) {
        match event {
            Event::JobParked { job, attempt, failure, in_doubt } => {
                let id = self.key(*job);
                let step = self.program.step(job.step);
                let earlier = self.store.letter(self.scope, id).ok().flatten();
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
                    self.close_letter(job);
                }
            }
            _ => {}
        }
    }

    fn close_letter(&mut self, job: JobId) {
        let id = self.key(job);
        let Ok(Some(mut letter)) = self.store.letter(self.scope, id) else { return };
        if letter.open {
            letter.open = false;
            letter.body["resolution"] = json!({"outcome": "run_ended", "at": self.now});
            self.writes.push(Write::PutLetter(letter));
        }
    }

    /// What the turn relied on and what it writes to records.
    pub(crate) fn finish(self) -> Finished {
        let (preconditions, record_writes) = self.records.finish();
        let mut writes = self.writes;
        writes.extend(record_writes);
        Finished {
            events: self.events,
            preconditions,
            writes,
            handovers: self.handovers,
            checks: self.checks,
            unfinished: self.unfinished,
        }
    }
}

/// What a turn came to.
pub(crate) struct Finished {
    pub(crate) events: Vec<NewEvent>,
    pub(crate) preconditions: Vec<Precondition>,
    pub(crate) writes: Vec<Write>,
    pub(crate) handovers: Vec<Handover>,
    pub(crate) checks: Vec<CheckRequest>,
    pub(crate) unfinished: bool,
}

/// The key of a job: the same for every attempt and on every replay.
pub(crate) fn job_key(program: &Program, run: RunId, started: Timestamp, job: JobId) -> JobKey {
    JobKey::derive(started, run, "", &program.step(job.step).id, job.item, job.undo)
}

/// The failure of a result that is not a success.
pub(crate) fn failure_of(result: ToolResult) -> Failure {
    result
        .error
        .unwrap_or_else(|| Failure::contract("no_reason", "The tool said that it did not succeed, but not why."))
}

fn in_step(step: &PlanStep, part: &str, failure: Failure) -> Failure {
    Failure { message: format!("`{part}` of step `{}`: {}", step.id, failure.message), ..failure }
}

/// A bug in a host must not take the node down: it is a failure of that step, and the log has the details.
fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        tracing::error!(panic = text.unwrap_or("unknown"), "a step panicked");
        Err(Failure::contract("internal", "Brain made a mistake in this step; the server log has the details."))
    })
}
