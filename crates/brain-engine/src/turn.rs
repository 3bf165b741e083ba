//! One turn of one run: inputs in, events and writes out. Nothing leaves the turn before its commit is durable.

mod charges;
mod children;
mod dead_letters;
pub(crate) mod grow;
mod signals;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use brain_core::{Failure, JobKey, Random, RunId, Timestamp};
use brain_lang::plan::{Idempotency, Place, PlanStep, StepCall, ToolRef};
use brain_registry::{ToolResult, ValidatedCall};
use brain_store::{ArtifactRow, Precondition, Scope, StoreError, Write};
use brain_vm::{Code, Event, Happened, Input, Job, JobId, Machine, Need, Phase, ScopeId, State, StepId, StepState};
use serde_json::{Value, json};

use crate::engine::EngineError;
use crate::flow::{Flow, NoSlot};
use crate::log::NewEvent;
use crate::overlay::Savepoint;
use crate::reads::Read;
use crate::{Host, JobContext, RecordView, RunData, RunView};

/// Maximum number of jobs per commit; a longer run takes several turns.
const MAX_JOBS_A_TURN: u32 = 100;
/// Maximum number of the machine's needs met per turn; a run with more takes several turns.
const MAX_NEEDS_A_TURN: u32 = 2_000;
/// Maximum number of events per turn. A turn that ends after [`MAX_NEEDS_A_TURN`] needs stays far below, so a turn that
/// reaches it is looping, and its run is stopped.
const MAX_EVENTS_A_TURN: usize = 20_000;
/// Bytes of values after which a turn leaves the rest to the next one.
const MAX_BYTES_A_TURN: usize = 16 << 20;

/// Maximum number of failed steps that one message names.
const MAX_SENTENCES: usize = 10;

/// An external job to hand over once the turn is durable.
pub(crate) struct Handover {
    pub(crate) call: ValidatedCall,
    pub(crate) context: JobContext,
    /// Whether the tool is idempotent by key.
    pub(crate) repeatable: bool,
    /// The fence of the commit that started it.
    pub(crate) fence: u64,
}

/// A check to make once the turn is durable.
pub(crate) struct CheckRequest {
    pub(crate) tool: ToolRef,
    pub(crate) args: Value,
    pub(crate) context: JobContext,
}

/// The state of one turn.
pub(crate) struct Turn<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) run: RunId,
    pub(crate) code: &'a mut Code,
    pub(crate) state: &'a mut State,
    pub(crate) data: &'a mut RunData,
    pub(crate) calls: &'a [ValidatedCall],
    pub(crate) host: &'a Arc<dyn Host>,
    pub(crate) random: &'a mut dyn Random,
    pub(crate) now: Timestamp,
    pub(crate) records: RecordView<'a>,
    pub(crate) events: Vec<NewEvent>,
    pub(crate) writes: Vec<Write>,
    /// Additional preconditions of the commit.
    pub(crate) preconditions: Vec<Precondition>,
    pub(crate) handovers: Vec<Handover>,
    pub(crate) checks: Vec<CheckRequest>,
    /// Whether work is left for another turn.
    pub(crate) unfinished: bool,
    /// The run's priority, for its offers to workers.
    pub(crate) priority: u8,
    /// The savepoint of the records at the start of an atomic batch.
    pub(crate) batch: Option<Savepoint>,
    /// An additional answer for the caller.
    pub(crate) answer: Value,
    /// Whether there are new offers for workers.
    pub(crate) offered: bool,
    /// Whether something was delegated, or left in doubt, so that an answer may already be in the inbox.
    pub(crate) delegated: bool,
    /// The slots of this node; `None` if another node owns the run, so that no external job starts here.
    pub(crate) flow: Option<&'a Mutex<Flow>>,
    /// Jobs that could start but got no slot.
    pub(crate) later: BTreeSet<JobId>,
    /// The limit that the first of them wait for.
    pub(crate) limit: Option<String>,
    /// A read that the turn needs failed. The turn must not be committed.
    pub(crate) away: Option<StoreError>,
    /// The request conflicts with the state of the run. The turn must not be committed.
    pub(crate) refused: Option<EngineError>,
    /// The job whose answer from the inbox is being decided.
    pub(crate) answered: Option<JobId>,
    /// Approximate bytes of values written so far.
    pub(crate) bytes: usize,
    /// Runs with new signals once this is durable.
    pub(crate) signalled: Vec<RunId>,
    /// Accounts that were at their cap when this was last decided.
    pub(crate) at_cap: &'a BTreeSet<String>,
}

impl Turn<'_> {
    /// Decides an input and folds the events.
    pub(crate) fn input(&mut self, input: Input, payload: Option<Value>) {
        let noise = self.random.next_u64();
        let events = Machine::new(self.code).decide(self.state, input, self.now, noise);
        self.fold(events, payload);
    }

    /// Folds events; the payload belongs to the first.
    fn fold(&mut self, events: Vec<Event>, payload: Option<Value>) {
        for (event, payload) in self.with_children_found(events, payload) {
            self.follow_letters(&event);
            self.follow_offers(&event);
            self.follow_approvals(&event);
            self.delegated |=
                matches!(event, Event::JobDelegated { .. } | Event::JobStuck { happened: Happened::Maybe, .. });
            self.stop_children(&event);
            self.release_charges(&event);
            let charged = self.charged_and_waiting(&event);
            self.state.apply(self.code, &event);
            self.release_dropped(charged);
            self.data.apply(self.code, self.state, &event, payload.as_ref(), self.now);
            self.stop_late_child(&event);
            self.link_artifacts(&event, payload.as_ref());
            if let Event::JobChecking { job, attempt, .. } = &event {
                self.request_check(*job, *attempt);
            }
            // The run goes on with the values themselves, because their blobs are not stored before the commit.
            let payload = payload.and_then(|payload| self.without_given_args(&event, payload));
            let stored = payload.map(|payload| self.lighten(payload));
            self.events.push(NewEvent::machine(&event, stored));
        }
    }

    /// A payload without the arguments that the input of the run already holds.
    fn without_given_args(&self, event: &Event, mut payload: Value) -> Option<Value> {
        let given = event.job().and_then(|job| self.data.given_args(self.code, self.state, job));
        if let (Some(given), Value::Object(fields)) = (given, &mut payload)
            && fields.get("args") == Some(given)
        {
            fields.remove("args");
            return (!fields.is_empty()).then_some(payload);
        }
        Some(payload)
    }

    /// Advances the run until it waits for an external input or the turn has reached a limit.
    pub(crate) fn advance(&mut self) {
        let (mut jobs, mut needs) = (0, 0);
        let atomic = self.code.root().atomic;
        if atomic && self.batch.is_none() {
            self.batch = Some(self.records.save());
        }
        while let Some(need) = Machine::new(self.code).next_but(self.state, &self.later) {
            needs += 1;
            if self.records.reader.misses() {
                return;
            }
            if self.events.len() > MAX_EVENTS_A_TURN {
                self.run_away();
                return;
            }
            let too_large = jobs >= MAX_JOBS_A_TURN || needs > MAX_NEEDS_A_TURN || self.bytes > MAX_BYTES_A_TURN;
            if too_large && atomic && self.state.phase() == Phase::Running {
                let message =
                    format!("An atomic batch can have at most {MAX_JOBS_A_TURN} steps, including list items.");
                self.input(Input::Halt(0, Failure::business("batch_too_large", message)), None);
                continue;
            }
            if too_large && !atomic {
                self.unfinished = true;
                return;
            }
            let (events, later) = (self.events.len(), self.later.len());
            match need {
                Need::Condition(at) => self.condition(at),
                Need::Items(at) => self.items(at),
                Need::Arm(fiber) => self.input(Input::Arm(fiber), None),
                Need::Start(job, attempt) => {
                    if self.start(job, attempt) {
                        jobs += 1;
                    } else {
                        self.later.insert(job);
                    }
                }
                Need::Close(job, attempt) => self.close(job, attempt),
                Need::Proceed(scope) => {
                    if scope == 0 {
                        self.roll_back();
                    }
                    let events = Machine::new(self.code).proceed(self.state, scope);
                    self.fold(events, None);
                }
            }
            // No progress: the machine would ask for the same thing forever.
            if self.away.is_none() && (self.events.len(), self.later.len()) == (events, later) {
                self.run_away();
                return;
            }
        }
    }

    /// Ends an undo that a parent run waits for once only dead letters are left. The parent gets a dead letter about all of
    /// them, and its own undos go on.
    pub(crate) fn end_with_letters(&mut self) {
        let open = self.unfinished || !self.later.is_empty() || self.records.reader.misses();
        if open || self.away.is_some() || self.refused.is_some() || self.state.phase() != Phase::Running {
            return;
        }
        let waits = |job: &JobId| self.state.waits_for_person(*job);
        if self.state.jobs.is_empty() || !self.state.jobs.keys().all(waits) {
            return;
        }
        let sentence = |(id, job): (&JobId, &Job)| {
            let tool = &self.state.step(self.code, id.at()).call(id.undo).tool.name;
            let last = self.data.attempts.get(id).and_then(|list| list.last());
            let why = last.map_or("", |attempt| attempt.failure.message.as_str());
            job.status.is_stuck().then(|| format!("`{tool}` failed: {why}").trim().to_owned())
        };
        let sentences: Vec<String> = self.state.jobs.iter().filter_map(sentence).take(MAX_SENTENCES).collect();
        let message = format!("Not everything was undone. {}", sentences.join(" "));
        self.input(Input::Halt(0, Failure::business("not_undone", message)), None);
        self.advance();
    }

    /// Stops a run that loops. If even that does not end it, it is parked.
    pub(crate) fn run_away(&mut self) {
        let message = "The run made no progress, so it was stopped.";
        self.input(Input::Halt(0, Failure::contract("runaway", message)), None);
        self.unfinished = true;
    }

    fn condition(&mut self, at: StepId) {
        let code = self.code.clone();
        let plan = self.state.step(&code, at);
        if let Some(because) = self.missing(at, plan) {
            self.input(Input::Bypass(at, because), None);
            return;
        }
        let path = self.state.path(&code, at.scope);
        match guarded(|| self.host.condition(self.view(&path), plan)) {
            Ok(holds) => self.input(Input::Condition(at, holds), None),
            Err(failure) => self.input(Input::Halt(at.scope, in_step(plan, "when", failure)), None),
        }
    }

    fn items(&mut self, at: StepId) {
        let code = self.code.clone();
        let plan = self.state.step(&code, at);
        let path = self.state.path(&code, at.scope);
        match guarded(|| self.host.items(self.view(&path), plan)) {
            Ok(items) => {
                let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
                self.input(Input::Items(at, count), Some(json!({"items": items})));
            }
            Err(failure) => self.input(Input::Halt(at.scope, in_step(plan, "foreach", failure)), None),
        }
    }

    fn view<'v>(&'v self, path: &'v str) -> RunView<'v> {
        RunView {
            scope: self.scope,
            run: self.run,
            data: self.data,
            calls: self.calls,
            path,
            now: self.now,
            settings: self.code.root().settings,
        }
    }

    /// The path of a scope in the data of the run.
    pub(crate) fn path(&self, scope: ScopeId) -> String {
        self.state.path(self.code, scope)
    }

    /// The failed or skipped step whose result this one uses.
    fn missing(&self, at: StepId, step: &PlanStep) -> Option<u16> {
        let program = self.state.program(self.code, at.scope);
        let gone = |step: &u16| {
            let state = self.state.step_state(StepId { step: *step, ..at });
            matches!(state, StepState::Failed | StepState::Bypassed)
        };
        step.needs.iter().filter_map(|id| program.step_index(id)).find(gone)
    }

    /// Rolls back the records of a failed atomic batch; only its log stays.
    fn roll_back(&mut self) {
        if let (Some(savepoint), Phase::Stopping(_)) = (self.batch.take(), self.state.phase()) {
            self.records.restore(savepoint);
            self.writes.retain(|write| !matches!(write, Write::Link(_) | Write::Reserve { .. }));
            self.input(Input::RollBack, None);
        }
    }

    /// Starts a job; `false` if it must wait for a slot.
    fn start(&mut self, job: JobId, attempt: u32) -> bool {
        let machine = Machine::new(self.code);
        if machine.is_exhausted(self.state, job, self.code.root().max_steps) {
            self.input(Input::Halt(job.scope, too_many(self.code.root().max_steps)), None);
            return true;
        }
        let calls = self.data.input.max_tool_calls;
        if let Some(limit) = calls.filter(|limit| machine.is_exhausted(self.state, job, *limit)) {
            let message = format!(
                "This request is limited to {limit} tool calls, including list items and injected steps. Send it again \
                 with a larger `max_tool_calls`."
            );
            self.input(Input::Halt(job.scope, Failure::business("too_many_tool_calls", message)), None);
            return true;
        }
        let code = self.code.clone();
        let step = self.state.step(&code, job.at());
        let call = step.call(job.undo);
        let asks = call.gate && !self.state.jobs.get(&job).is_some_and(|job| job.granted);
        let needs_slot = matches!(call.place, Place::Outside(_)) && !asks;
        if needs_slot && !self.take_slot(job, attempt, call.tool) {
            return false;
        }
        if !self.start_bound(job, attempt, step, call, asks) && needs_slot {
            self.release_slot(job, attempt);
        }
        true
    }

    /// Takes a slot for an external job.
    fn take_slot(&mut self, job: JobId, attempt: u32, tool: &ToolRef) -> bool {
        let limits = guarded(|| Ok(self.host.limits(tool))).unwrap_or_default();
        let taken = match self.flow {
            Some(flow) => flow.lock().unwrap_or_else(PoisonError::into_inner).take(
                self.now,
                self.scope.tenant(),
                &tool.name,
                limits,
                (self.run, job, attempt),
            ),
            None => Err(NoSlot { limit: "node".into() }),
        };
        match taken {
            Ok(()) => true,
            Err(NoSlot { limit }) => {
                self.limit.get_or_insert(limit);
                false
            }
        }
    }

    fn release_slot(&mut self, job: JobId, attempt: u32) {
        if let Some(flow) = self.flow {
            flow.lock().unwrap_or_else(PoisonError::into_inner).release((self.run, job, attempt), false);
        }
    }

    /// Binds a job and hands it to its executor; returns whether it is now under way outside.
    fn start_bound(&mut self, job: JobId, attempt: u32, step: &PlanStep, spec: StepCall<'_>, asks: bool) -> bool {
        let path = self.path(job.scope);
        let bound = match self.data.args.get(&job) {
            // The arguments of an idempotency key never change, whatever the expressions would evaluate to now.
            Some(args) => guarded(|| self.host.rebind(self.scope, spec.tool, args.clone())),
            None => guarded(|| self.host.bind(self.view(&path), step, job)),
        };
        let call = match bound {
            Ok(call) => call,
            Err(failure) => {
                self.input(Input::Refused(job, attempt, failure), None);
                return false;
            }
        };
        if asks {
            self.ask_approval(job, &call);
            return false;
        }
        let context = self.context(job, attempt);
        let charged = match self.charge(&call, &context, &path) {
            Ok(charged) => charged,
            Err(failure) => {
                self.input(Input::Refused(job, attempt, failure), Some(json!({"args": call.args()})));
                return false;
            }
        };
        let mut started = json!({"args": call.args()});
        if !charged.is_empty() {
            started["charged"] = json!(charged);
        }
        match spec.place {
            Place::Worker { .. } => {
                let (host, records) = (self.host, &mut self.records);
                match guarded(|| host.admit(&call, &context, records)) {
                    Ok(()) => self.input(Input::Offer(job), Some(started)),
                    Err(failure) => {
                        self.uncharge(&context, &charged);
                        self.input(Input::Refused(job, attempt, failure), Some(json!({"args": call.args()})));
                    }
                }
            }
            Place::Outside(idempotency) => {
                let (host, records) = (self.host, &mut self.records);
                if let Err(failure) = guarded(|| host.admit(&call, &context, records)) {
                    self.uncharge(&context, &charged);
                    self.input(Input::Refused(job, attempt, failure), Some(json!({"args": call.args()})));
                    return false;
                }
                self.input(Input::Handed(job, attempt), Some(started));
                let repeatable = *idempotency == Idempotency::Key;
                self.handovers.push(Handover { call, context, repeatable, fence: 0 });
                return true;
            }
            Place::Inline => self.decide_inline(&call, &context, &charged),
        }
        false
    }

    fn decide_inline(&mut self, call: &ValidatedCall, context: &JobContext, charged: &[String]) {
        let before = Some(self.records.save());
        let host = self.host;
        let records = &mut self.records;
        let decided =
            guarded(|| host.decide(call, context, records)).and_then(|result| match records.inserts_taken() {
                true => Err(Failure::business("record_exists", "A record with this id exists already.")),
                false => Ok(result),
            });
        let (job, attempt) = (context.job, context.attempt);
        match decided {
            Ok(result) if result.success => self.succeed(job, attempt, Some(call.args().clone()), result, before),
            other => {
                if let Some(before) = before {
                    self.records.restore(before);
                }
                self.uncharge(context, charged);
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
            step: self.state.step_path(self.code, job.at()),
            conversation: self.data.input.conversation.clone(),
            trace: self.data.input.trace.clone(),
            attempt,
            started: self.data.started,
            now: self.now,
            timeout: self.state.step(self.code, job.at()).call(job.undo).timeout,
            settings: self.code.root().settings,
        }
    }

    fn key(&self, job: JobId) -> JobKey {
        job_key(self.code, self.state, self.run, self.data.started, job)
    }

    pub(crate) fn request_check(&mut self, job: JobId, attempt: u32) {
        let Some(tool) = self.state.step(self.code, job.at()).call(job.undo).check.map(|check| check.tool.clone())
        else {
            return;
        };
        let args = self.data.args.get(&job).cloned().unwrap_or(Value::Null);
        self.checks.push(CheckRequest { tool, args, context: self.context(job, attempt) });
    }

    fn link_artifacts(&mut self, event: &Event, payload: Option<&Value>) {
        let (Event::JobDone { job, .. } | Event::JobDoneBadly { job, .. } | Event::ScopeOpened { job, .. }) = event
        else {
            return;
        };
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
                step: self.state.step_path(self.code, job.at()),
                role: role.to_owned(),
                at: self.now,
            }));
        }
    }

    /// The preconditions and writes of the turn.
    pub(crate) fn finish(mut self) -> Finished {
        let away = self.away.take().or_else(|| self.records.away().cloned());
        let missed = self.records.missed();
        let (mut preconditions, record_writes) = self.records.finish();
        preconditions.extend(self.preconditions);
        let mut writes = self.writes;
        writes.extend(record_writes);
        Finished {
            events: self.events,
            preconditions,
            writes,
            handovers: self.handovers,
            checks: self.checks,
            unfinished: self.unfinished,
            answer: self.answer,
            offered: self.offered,
            delegated: self.delegated,
            limit: self.limit,
            signalled: self.signalled,
            away,
            missed,
            refused: self.refused,
            had_doubts: false,
        }
    }
}

/// The result of a turn.
#[derive(Default)]
pub(crate) struct Finished {
    pub(crate) events: Vec<NewEvent>,
    pub(crate) preconditions: Vec<Precondition>,
    pub(crate) writes: Vec<Write>,
    pub(crate) handovers: Vec<Handover>,
    pub(crate) checks: Vec<CheckRequest>,
    pub(crate) unfinished: bool,
    pub(crate) answer: Value,
    pub(crate) offered: bool,
    pub(crate) delegated: bool,
    /// The limit that jobs wait for.
    pub(crate) limit: Option<String>,
    /// Runs with new signals.
    pub(crate) signalled: Vec<RunId>,
    pub(crate) away: Option<StoreError>,
    /// Reads that were not prefetched. The turn must not be committed; it is decided again with their answers.
    pub(crate) missed: Vec<Read>,
    pub(crate) refused: Option<EngineError>,
    /// Whether calls in doubt had outlived the run before the turn.
    pub(crate) had_doubts: bool,
}

/// The key of a job: equal for every attempt and on every replay.
pub fn job_key(code: &Code, state: &State, run: RunId, started: Timestamp, job: JobId) -> JobKey {
    let path = state.path(code, job.scope);
    JobKey::derive(started, run, &path, &state.step(code, job.at()).id, job.item, job.undo)
}

/// The failure of an unsuccessful result.
pub(crate) fn failure_of(result: ToolResult) -> Failure {
    result.error.unwrap_or_else(|| Failure::contract("no_reason", "The tool failed without an error."))
}

fn too_many(limit: u32) -> Failure {
    let message = format!("The run would take more than {limit} steps (`max_steps`), so it was stopped.");
    Failure::business("max_steps", message)
}

fn in_step(step: &PlanStep, part: &str, failure: Failure) -> Failure {
    Failure { message: format!("`{part}` of step `{}`: {}", step.id, failure.message), ..failure }
}

/// Catches a panic of the host and turns it into a failure of the step, so that the node survives.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        tracing::error!(panic = text.unwrap_or("unknown"), "a step panicked");
        Err(Failure::contract("internal", "An internal error occurred in this step; the server log has the details."))
    })
}
