//! Undo: a run is undone by a run of its own, built from the receipts. An undo requested by a person is staged. It is
//! refused, with a reason, if a record has changed since or the deadline has passed. The compensation of a parent run
//! undoes its child runs the same way, without asking.

mod earlier;

use std::collections::{BTreeMap, BTreeSet};

use brain_core::{Failure, FailureClass, JobKey, RecordId, RunId, Timestamp};
use brain_engine::{Receipt, ReceiptStatus, RecordView, RunState, last_child};
use brain_registry::model::{Behavior, Effect};
use brain_registry::{SPAWN_CHILD_RUN, UNDO_CHILD_RUN};
use brain_store::{Precondition, Scope};
use brain_tools::RecordKey;
use brain_vm::{Happened, JobId, JobStatus, Phase};
use serde_json::{Value, json};

use crate::error::KernelError;
use crate::intake::{Actor, Limits, Mode, Parent, Request};
use crate::kernel::Kernel;
use crate::narrate::{Problem, Report, doubts};

/// Maximum number of runs searched for the one that changed a record.
const LOOKED_AT: usize = 100;
/// Maximum nesting depth of child runs that an undo looks into.
const MAX_DEPTH: u32 = 20;
/// Maximum number of sentences about steps that stay.
const MAX_STAYS: usize = 100;

/// The type and id of each record that a run and its children changed, with its revision after the last change.
type Touched = BTreeMap<(String, String), u64>;

/// What leads to an undo, and so what it is checked against.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occasion {
    /// A person asks: nothing is undone that was changed since or is too old.
    Asked,
    /// The parent run is compensated: whatever can be undone is, as with the steps of the parent itself.
    Compensation,
}

/// How the jobs of a run are looked at when its undo is planned.
#[derive(Clone, Copy)]
struct Plan<'a> {
    occasion: Occasion,
    /// The records that the family changed.
    touched: &'a Touched,
    /// How many parents of the run are undone with it.
    depth: u32,
}

impl Plan<'_> {
    fn asked(self) -> bool {
        self.occasion == Occasion::Asked
    }
}

/// What an undo does.
#[derive(Default)]
struct Undoing {
    /// The calls, last step first.
    calls: Vec<(String, Value)>,
    /// The steps that they undo.
    steps: Vec<String>,
    /// The keys of the jobs that they undo.
    jobs: Vec<JobKey>,
    /// Steps that are not undone, each with the reason.
    stays: Vec<String>,
    /// Steps whose undo cannot even be planned, each with the reason. The others are undone all the same.
    failed: Vec<String>,
    /// The tools that made the changes, and the records that they changed.
    tools: Vec<String>,
    records: Vec<Value>,
    /// The expected state of the records.
    expect: Vec<Value>,
}

impl Undoing {
    fn stay(&mut self, sentences: impl IntoIterator<Item = String>) {
        let room = MAX_STAYS.saturating_sub(self.stays.len());
        self.stays.extend(sentences.into_iter().take(room));
    }

    fn request(self, scope: &Scope, state: &RunState, key: String) -> Request {
        Request {
            calls: self.calls,
            mode: Mode::Plan,
            limits: Limits { max_tool_calls: u32::MAX, ..Limits::default() },
            key: Some(key),
            undo_of: Some(json!({
                "run": state.row.id,
                "settings": state.program().and_then(|program| program.settings),
                "steps": self.steps,
                "jobs": self.jobs,
                "stays": self.stays,
                "failed": self.failed,
                "tools": self.tools,
                "records": self.records,
                "expect": self.expect,
            })),
            ..Request::say(scope.clone(), "", Mode::Plan)
        }
    }
}

/// How a child run is undone.
pub(crate) enum ChildUndo {
    /// By this run, which has been started.
    By(RunId),
    /// There is nothing to undo; these sentences say what stays.
    Nothing(Vec<String>),
    /// It cannot be undone, or not yet.
    Failed(Failure),
}

impl Kernel {
    /// Stages a plan that undoes a run, or one step of it. Nothing is done before it is approved.
    pub async fn undo(
        &self,
        scope: &Scope,
        run: RunId,
        step: Option<&str>,
        actor: &Actor,
    ) -> Result<Report, KernelError> {
        let state = self.engine().run_state(scope, run)?;
        let earlier = self.earlier_undos(scope, run)?;
        let touched = self.touched_by(scope, &state, 0);
        let plan = Plan { occasion: Occasion::Asked, touched: &touched, depth: 0 };
        let undoing = self.undoing(scope, &state, step, plan).map_err(|problems| {
            let lines: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            KernelError::Conflict(lines.join(" "))
        })?;
        if let Some(staged) = earlier.staged(&undoing.jobs)? {
            return self.report(scope, staged);
        }
        let request = undoing.request(scope, &state, earlier.key()?);
        let begun = match self.begin(&Request { actor: actor.clone(), ..request }).await {
            Err(KernelError::KeyReused(_)) => {
                let message =
                    format!("another undo of run {run} was staged at the same moment; decide on that one first");
                return Err(KernelError::Conflict(message));
            }
            begun => begun?,
        };
        self.report(scope, begun.run)
    }

    /// Starts the undo of a run that a step of another run started. Asked again for the same step, it finds the undo
    /// that is under way.
    pub(crate) async fn undo_child(
        &self,
        scope: &Scope,
        run: RunId,
        parent: Parent,
        actor: Actor,
        trace: Option<String>,
    ) -> Result<ChildUndo, KernelError> {
        let state = match self.engine().run_state(scope, run) {
            Ok(state) => state,
            Err(brain_engine::EngineError::NoSuchRun(_)) => {
                let message = format!("The child run {run} no longer exists, so it cannot be undone.");
                return Ok(ChildUndo::Failed(Failure::business("no_such_run", message)));
            }
            Err(error) => return Err(error.into()),
        };
        if !state.row.status.is_over() {
            // A child that its parent did not wait for.
            match self.cancel(scope, run).await {
                Ok(_) | Err(KernelError::Conflict(_)) => {}
                Err(error) => return Err(error),
            }
            let message = format!("The child run {run} is being stopped; it will be undone once it has ended.");
            return Ok(ChildUndo::Failed(Failure::transient("child_is_ending", message)));
        }
        let earlier = self.earlier_undos(scope, run)?;
        if let Some(own) = earlier.under_way_for(&parent, &self.store().signals(scope, parent.run)?) {
            return Ok(ChildUndo::By(own));
        }
        let plan = Plan { occasion: Occasion::Compensation, touched: &Touched::new(), depth: 0 };
        let undoing = match self.undoing(scope, &state, None, plan) {
            Ok(undoing) => undoing,
            Err(problems) => {
                let Some(first) = problems.first() else { return Ok(ChildUndo::Nothing(Vec::new())) };
                let lines: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
                return Ok(ChildUndo::Failed(Failure::business(&first.code, lines.join(" "))));
            }
        };
        if undoing.calls.is_empty() {
            return Ok(ChildUndo::Nothing(undoing.stays));
        }
        if let Some((other, status)) = earlier.open_over(&undoing.jobs) {
            let message = format!("Run {other} ({status}) would undo the same steps; decide on that run first.");
            return Ok(ChildUndo::Failed(Failure::business("already_being_undone", message)));
        }
        let request = undoing.request(scope, &state, earlier.key()?);
        let request = Request { actor, trace, channel: "run", mode: Mode::Enqueue, parent: Some(parent), ..request };
        let begun = self.begin(&request).await?;
        if let Some(why) = self.refusal(scope, begun.run) {
            return Ok(ChildUndo::Failed(Failure::business("undo_refused", why)));
        }
        Ok(ChildUndo::By(begun.run))
    }

    fn undoing(
        &self,
        scope: &Scope,
        state: &RunState,
        step: Option<&str>,
        plan: Plan<'_>,
    ) -> Result<Undoing, Vec<Problem>> {
        let one = |code: &str, message: String| vec![Problem::new(code, message)];
        let run = state.row.id;
        let asked = plan.asked();
        let mut undoing = Undoing::default();
        let (Some(program), Some(machine)) = (state.program(), &state.state) else {
            if !asked {
                return Ok(undoing);
            }
            return Err(one("nothing_to_undo", format!("run {run} did nothing that could be undone.")));
        };
        if state.row.erased {
            let message = format!(
                "run {run} cannot be undone: retention has erased its values, which the undo needs. Nothing was changed. \
                 Change what it did by hand; the run lists its records."
            );
            return Err(one("erased", message));
        }
        if !matches!(machine.phase(), Phase::Ended(_)) {
            return Err(one(
                "still_running",
                format!("run {run} has not ended ({}); cancel it first", state.row.status),
            ));
        }
        let list = state.receipts().unwrap_or_default();
        if let Some(step) = step
            && !list.iter().any(|receipt| receipt.step == step)
            && program.step_index(step).is_none()
        {
            let names: Vec<&str> = program.steps.iter().map(|step| step.id.as_str()).collect();
            let message = format!("run {run} has no step `{step}`; its steps are {}.", names.join(", "));
            return Err(one("no_such_step", message));
        }
        let earlier = self.earlier_undos(scope, run).map_err(|error| one("undo_failed", error.to_string()))?;
        let done: BTreeMap<JobId, &Receipt> = list
            .iter()
            .filter(|receipt| receipt.happened() && !receipt.job.undo && !receipt.dropped)
            .map(|receipt| (receipt.job, receipt))
            .collect();
        let mut problems = Vec::new();
        let mut gone = BTreeSet::new();
        let dropped = list.iter().filter(|receipt| receipt.happened() && !receipt.job.undo && receipt.dropped);
        let dropped = dropped.filter(|receipt| step.is_none_or(|step| step == receipt.step));
        undoing.stay(dropped.filter_map(|receipt| {
            let reads = self.registry().tool(&receipt.tool).is_some_and(|tool| tool.def.effect == Effect::Read);
            (!reads).then(|| {
                format!(
                    "`{}` (step {}) is not undone: a migration dropped the step. Take back what it did by hand.",
                    receipt.tool, receipt.step
                )
            })
        }));
        // What may have happened is the last thing that the run did.
        let in_doubt = doubts(machine, &list).into_iter().rev().map(|receipt| (&receipt.job, receipt));
        let in_doubt = in_doubt.filter(|(job, _)| !done.contains_key(job));
        let finished = machine.done.iter().rev().filter(|job| !machine.undone.contains(job));
        let finished = finished.filter_map(|job| Some((job, *done.get(job)?)));
        for (job, receipt) in in_doubt.chain(finished) {
            if step.is_some_and(|step| step != receipt.step) || earlier.has_undone(receipt.key) {
                continue;
            }
            if let Some(undo) = earlier.may_have_undone(receipt.key) {
                let message = format!(
                    "run {undo} may have undone `{}` (step {}): resolve its dead letter first.",
                    receipt.tool, receipt.step
                );
                problems.push(Problem::new("in_doubt", message));
                continue;
            }
            let own = JobId { undo: true, ..*job };
            let in_doubt = |open: &brain_vm::Job| open.status == (JobStatus::Stuck { happened: Happened::Maybe });
            if asked && machine.left.get(&own).or(machine.jobs.get(&own)).is_some_and(in_doubt) {
                let message = format!(
                    "the undo of `{}` (step {}) may have happened when the run was stopped: resolve its dead letter first.",
                    receipt.tool, receipt.step
                );
                problems.push(Problem::new("in_doubt", message));
                continue;
            }
            if !asked && machine.not_undone.contains(job) {
                undoing.stay([format!(
                    "`{}` (step {}) of run {run} is not undone: its undo is a dead letter of that run.",
                    receipt.tool, receipt.step
                )]);
                continue;
            }
            match self.undo_of(scope, state, *job, receipt, plan) {
                Ok(None) => {}
                Ok(Some(Undone { call: None, stays, .. })) => undoing.stay(stays),
                Ok(Some(Undone { call: Some((tool, args)), stays, expect })) => {
                    if asked {
                        problems.extend(self.still_referred_to(scope, &tool, &args, receipt, &mut gone));
                    } else if let Some(problem) = self.invalid_undo(&tool, &args, receipt) {
                        problems.push(problem);
                        continue;
                    }
                    undoing.tools.push(receipt.tool.clone());
                    let records = records_of(receipt).into_iter();
                    undoing.records.push(records.map(|((kind, id), _)| json!({"type": kind, "id": id})).collect());
                    undoing.calls.push((tool, args));
                    undoing.steps.push(receipt.step.clone());
                    undoing.jobs.push(receipt.key);
                    undoing.stay(stays);
                    for record in expect {
                        if !undoing.expect.contains(&record) {
                            undoing.expect.push(record);
                        }
                    }
                }
                Err(problem) if problem.code == "cannot_be_undone" => undoing.stay([problem.message]),
                Err(problem) => problems.push(problem),
            }
        }
        if !problems.is_empty() && !asked && !undoing.calls.is_empty() {
            undoing.failed = problems.into_iter().map(|problem| problem.message).take(MAX_STAYS).collect();
        } else if !problems.is_empty() {
            return Err(problems);
        }
        if undoing.calls.is_empty() && asked {
            if let Some(by) = earlier.last_done() {
                return Err(one("already_undone", format!("this was already undone by run {by}")));
            }
            let why = if undoing.stays.is_empty() {
                format!("run {run} changed nothing that could be undone.")
            } else {
                undoing.stays.join(" ")
            };
            return Err(one("cannot_be_undone", why));
        }
        Ok(undoing)
    }

    /// The child run that a call started, or may have started.
    fn child_of(&self, scope: &Scope, receipt: &Receipt) -> Option<RunId> {
        if receipt.tool != SPAWN_CHILD_RUN {
            return None;
        }
        let known = receipt.result["data"]["run_id"].as_str().and_then(|run| run.parse().ok());
        known.or_else(|| last_child(self.store().as_ref(), scope, receipt.key).ok().flatten())
    }

    /// How the child run that a job started is undone.
    fn undo_of_child(&self, scope: &Scope, receipt: &Receipt, plan: Plan<'_>) -> Result<Option<Undone>, Problem> {
        let Some(child) = self.child_of(scope, receipt) else { return Ok(None) };
        let call = Some((UNDO_CHILD_RUN.to_owned(), json!({"run": child})));
        if !plan.asked() {
            // The undo run of the child looks into it when its turn comes: the child may still be running.
            return Ok(Some(Undone { call, stays: Vec::new(), expect: Vec::new() }));
        }
        if plan.depth >= MAX_DEPTH {
            let message = format!("child runs are nested more than {MAX_DEPTH} deep; undo run {child} by its own id.");
            return Err(Problem::new("too_deep", message));
        }
        let state = match self.engine().run_state(scope, child) {
            Ok(state) => state,
            Err(brain_engine::EngineError::NoSuchRun(_)) => {
                let message = format!("the child run {child} (step {}) no longer exists.", receipt.step);
                return Err(Problem::new("cannot_be_undone", message));
            }
            Err(error) => return Err(Problem::new("undo_failed", error.to_string())),
        };
        match self.undoing(scope, &state, None, Plan { depth: plan.depth + 1, ..plan }) {
            Ok(undoing) => Ok(Some(Undone { call, stays: undoing.stays, expect: undoing.expect })),
            Err(problems) => match problems.into_iter().find(|problem| !is_nothing(&problem.code)) {
                Some(problem) => Err(problem),
                None => Ok(None),
            },
        }
    }

    /// The records that a run and its child runs changed.
    fn touched_by(&self, scope: &Scope, state: &RunState, depth: u32) -> Touched {
        let list = state.receipts().unwrap_or_default();
        let mut found = touched(&list);
        for receipt in list.iter().filter(|_| depth < MAX_DEPTH) {
            let Some(state) =
                self.child_of(scope, receipt).and_then(|child| self.engine().run_state(scope, child).ok())
            else {
                continue;
            };
            for (record, revision) in self.touched_by(scope, &state, depth + 1) {
                let last = found.entry(record).or_default();
                *last = (*last).max(revision);
            }
        }
        found
    }

    /// The call that undoes one job; `None` if it changed nothing.
    fn undo_of(
        &self,
        scope: &Scope,
        state: &RunState,
        job: JobId,
        receipt: &Receipt,
        plan: Plan<'_>,
    ) -> Result<Option<Undone>, Problem> {
        let step = state.step(job).ok_or_else(|| Problem::new("nothing_to_undo", "There is no program."))?;
        let internal = |message: String| Problem::new("undo_failed", message);
        let tool = self.tool_of(&step.tool).map_err(|error| internal(error.to_string()))?;
        let name = &tool.def.name;
        // A playbook changes nothing itself; its steps do.
        if tool.def.effect == Effect::Read || matches!(tool.def.behavior, Behavior::Playbook(_)) {
            return Ok(None);
        }
        let asked = plan.asked();
        let undo = tool.def.undo.as_ref();
        if undo.is_some_and(|undo| undo.tool == UNDO_CHILD_RUN) {
            return self.undo_of_child(scope, receipt, plan);
        }
        if !receipt.happened() {
            let open = self.store().dead_letter(scope, receipt.key).ok().flatten().is_some_and(|letter| letter.open);
            let then = match open {
                true => format!("resolve its dead letter, then undo run {} again.", state.row.id),
                false => "nobody decided whether it did. Check the other system.".to_owned(),
            };
            let message = format!("`{name}` (step {}) may have happened and will not be undone: {then}", receipt.step);
            return Err(Problem::new("cannot_be_undone", message));
        }
        let Some(undo) = undo else {
            let why = tool.def.no_undo.as_deref().unwrap_or("its pack declares no undo.");
            return Err(Problem::new(
                "cannot_be_undone",
                format!("`{name}` (step {}) is not undone: {why}", receipt.step),
            ));
        };
        let deadline = undo.until.map(|until| receipt.finished_at.plus(until));
        if let Some(deadline) = deadline.filter(|deadline| asked && self.clock().now() > *deadline) {
            let message = format!("`{name}` (step {}) could be undone until {deadline}; it is too late.", receipt.step);
            return Err(Problem::new("undo_too_late", message));
        }
        let mut expect = Vec::new();
        for ((kind, id), revision) in records_of(receipt).into_iter().filter(|_| asked) {
            let last = plan.touched.get(&(kind.clone(), id.clone())).copied().unwrap_or(revision);
            if let Some(problem) = self.changed_since(scope, &kind, &id, last, name, receipt.finished_at) {
                return Err(problem);
            }
            expect.push(json!({"type": kind, "id": id, "revision": last}));
        }
        let args = self.host().undo_args(scope, state, step, job, undo, self.clock().now());
        let args = args.map_err(|failure| internal(failure.message))?;
        Ok(Some(Undone { call: Some((undo.tool.clone(), args)), stays: Vec::new(), expect }))
    }

    /// Why the call that undoes a step cannot be made: its arguments do not fit.
    fn invalid_undo(&self, tool: &str, args: &Value, receipt: &Receipt) -> Option<Problem> {
        let cannot = |why: &str| {
            let message = format!("`{}` (step {}) cannot be undone: {why}", receipt.tool, receipt.step);
            Some(Problem::new("invalid_undo", message))
        };
        let Some(tool) = self.registry().tool(tool) else { return cannot(&format!("there is no tool `{tool}`.")) };
        let errors = tool.validate(args.clone()).err()?;
        let lines: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        cannot(&lines.join(" "))
    }

    /// Why a call may not delete a record because others refer to it. Records that it does delete count as `gone` for
    /// the calls that follow.
    fn still_referred_to(
        &self,
        scope: &Scope,
        tool: &str,
        args: &Value,
        receipt: &Receipt,
        gone: &mut BTreeSet<RecordKey>,
    ) -> Option<Problem> {
        let toolbox = self.toolbox();
        let (kind, id) = toolbox.deletes(tool, args, self.clock().now())?;
        let mut records = RecordView::new(self.store().as_ref(), scope);
        match toolbox.deletion(&mut records, &kind, id, gone) {
            Ok(deletion) => {
                gone.extend(deletion.deleted.into_iter().map(|row| (row.kind, row.id)));
                None
            }
            // Other failures show when the call is executed.
            Err(failure) if failure.class == FailureClass::Business && failure.code != "record_not_found" => {
                let message =
                    format!("`{}` (step {}) cannot be undone: {}", receipt.tool, receipt.step, failure.message);
                Some(Problem::new(&failure.code, message))
            }
            Err(_) => None,
        }
    }

    /// Why a record is not as the run left it, if it is not.
    fn changed_since(
        &self,
        scope: &Scope,
        kind: &str,
        id: &str,
        revision: u64,
        tool: &str,
        at: Timestamp,
    ) -> Option<Problem> {
        let title = self.registry().record(kind).map_or_else(|| kind.to_owned(), |def| def.title.to_lowercase());
        let row = id.parse::<RecordId>().ok().and_then(|id| self.store().record(scope, kind, id).ok().flatten());
        let what = match row {
            None => format!("the {title} {id} was deleted"),
            Some(row) if row.revision != revision => {
                let who = self.last_change(scope, kind, row.id).map_or_else(String::new, |run| format!("run {run}, "));
                format!("someone changed the {title} {id} since ({who}at {}, after {at})", row.updated_at)
            }
            Some(_) => return None,
        };
        let message = format!("`{tool}` cannot be undone: {what}. Nothing was changed.");
        Some(Problem::new("changed_since", message))
    }

    /// The run that changed a record last, if it is among the newest.
    fn last_change(&self, scope: &Scope, kind: &str, id: RecordId) -> Option<RunId> {
        let runs = self.store().runs(scope, None, LOOKED_AT, None).ok()?.items;
        let changed = |run: RunId| {
            let links = self.store().artifacts(scope, run).unwrap_or_default();
            let here = links.into_iter().filter(|link| link.kind == kind && link.record == id);
            here.filter(|link| link.role == "updated").map(|link| link.at).max().map(|at| (at, run))
        };
        runs.into_iter().filter_map(|run| changed(run.id)).max().map(|(_, run)| run)
    }

    /// The preconditions of a staged undo, or the problem if they no longer hold.
    pub(crate) fn undo_preconditions(&self, scope: &Scope, request: &Value) -> Result<Vec<Precondition>, KernelError> {
        let mut list = Vec::new();
        // A long list lies in a blob.
        let expect = self.host().whole(scope, request["undo_of"]["expect"].clone());
        for record in expect.as_array().into_iter().flatten() {
            let (Some(kind), Some(id), Some(revision)) =
                (record["type"].as_str(), record["id"].as_str(), record["revision"].as_u64())
            else {
                continue;
            };
            if let Some(problem) = self.changed_since(scope, kind, id, revision, "undo", self.clock().now()) {
                return Err(KernelError::Conflict(problem.message));
            }
            let Ok(id) = id.parse() else { continue };
            list.push(Precondition::Record { kind: kind.to_owned(), id, revision: Some(revision) });
        }
        Ok(list)
    }
}

/// How one job is undone.
struct Undone {
    /// The call.
    call: Option<(String, Value)>,
    /// What stays all the same.
    stays: Vec<String>,
    /// The expected state of the records.
    expect: Vec<Value>,
}

/// Whether a problem says that there is nothing to undo.
fn is_nothing(code: &str) -> bool {
    matches!(code, "nothing_to_undo" | "already_undone")
}

/// The records that a receipt says were created or changed, with their revision afterwards.
fn records_of(receipt: &Receipt) -> Vec<((String, String), u64)> {
    let list = receipt.result["artifacts"].as_array().into_iter().flatten();
    list.filter(|artifact| matches!(artifact["role"].as_str(), Some("created" | "updated")))
        .filter_map(|artifact| {
            let text = |name: &str| artifact[name].as_str().map(str::to_owned);
            Some(((text("type")?, text("id")?), artifact["revision"].as_u64()?))
        })
        .collect()
}

fn touched(list: &[Receipt]) -> Touched {
    let mut found = Touched::new();
    for receipt in list.iter().filter(|receipt| receipt.status == ReceiptStatus::Succeeded) {
        for (record, revision) in records_of(receipt) {
            let last = found.entry(record).or_default();
            *last = (*last).max(revision);
        }
    }
    found
}
