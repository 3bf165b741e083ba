//! Undo: a run is undone by a plan of its own, built from the receipts and staged for the person who asks. Refused,
//! with the reason, if a record has changed since or the deadline has passed.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::{Digest, DigestBuilder, FailureClass, RecordId, RunId, RunStatus, Timestamp};
use brain_engine::{Receipt, ReceiptStatus, RecordView, RunState};
use brain_registry::model::{Behavior, Effect};
use brain_store::{Precondition, Scope};
use brain_tools::RecordKey;
use brain_vm::{JobId, Phase};
use serde_json::{Value, json};

use crate::error::KernelError;
use crate::intake::{Actor, Limits, Mode, Request};
use crate::kernel::Kernel;
use crate::narrate::{Problem, Report};

/// Maximum number of earlier attempts to undo the same steps that are checked.
const MAX_REPEATS: u32 = 100;

/// Maximum number of runs searched for the one that changed a record.
const LOOKED_AT: usize = 100;

/// The type and id of each record that a run changed, with its revision after the last change.
type Touched = BTreeMap<(String, String), u64>;

/// What an undo does.
struct Undoing {
    /// The calls, last step first.
    calls: Vec<(String, Value)>,
    /// The steps that they undo.
    steps: Vec<String>,
    /// Steps that are not undone, each with the reason.
    stays: Vec<String>,
    /// The expected state of the records.
    expect: Vec<Value>,
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
        let undoing = self.undoing(scope, &state, step).map_err(|problems| {
            let lines: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            KernelError::Conflict(lines.join(" "))
        })?;
        let key = match self.undo_key(scope, run, &undoing.steps)? {
            Ok(free) => free,
            Err(staged) => return self.report(scope, staged),
        };
        let request = Request {
            actor: actor.clone(),
            calls: undoing.calls,
            mode: Mode::Plan,
            limits: Limits { max_tool_calls: u32::MAX, ..Limits::default() },
            budget: None,
            key: Some(key),
            undo_of: Some(json!({
                "run": run, "settings": state.program().and_then(|program| program.settings), "steps": undoing.steps, "stays": undoing.stays, "expect": undoing.expect,
            })),
            ..Request::say(scope.clone(), "", Mode::Plan)
        };
        let begun = self.begin(&request).await?;
        self.report(scope, begun.run)
    }

    /// The idempotency key for undoing these steps: once, unless an earlier attempt had no effect. If it is already
    /// staged, the waiting run.
    fn undo_key(&self, scope: &Scope, run: RunId, steps: &[String]) -> Result<Result<String, RunId>, KernelError> {
        let mut meaning = DigestBuilder::new("undo").part(run.as_uuid().as_bytes());
        for step in steps {
            meaning = meaning.part(step.as_bytes());
        }
        let meaning: Digest = meaning.finish();
        for repeat in 0..MAX_REPEATS {
            // Callers' keys contain no spaces, so a space marks the kernel's own keys.
            let key = format!("undo {meaning} {repeat}");
            let Some((earlier, _)) = self.store().by_key(scope, &key)? else { return Ok(Ok(key)) };
            let row = self.store().run(scope, earlier)?;
            match row.as_ref().map(|row| row.status) {
                None | Some(RunStatus::Failed | RunStatus::Cancelled | RunStatus::Compensated) => {}
                Some(RunStatus::Staged) => return Ok(Err(earlier)),
                Some(RunStatus::Completed) => {
                    return Err(KernelError::Conflict(format!("this was already undone by run {earlier}")));
                }
                Some(_) => {
                    return Err(KernelError::Conflict(format!("run {earlier} is already undoing this")));
                }
            }
        }
        Err(KernelError::Conflict("undoing this has failed too often".into()))
    }

    fn undoing(&self, scope: &Scope, state: &RunState, step: Option<&str>) -> Result<Undoing, Vec<Problem>> {
        let one = |code: &str, message: String| vec![Problem::new(code, message)];
        let run = state.row.id;
        let (Some(program), Some(machine)) = (state.program(), &state.state) else {
            return Err(one("nothing_to_undo", format!("run {run} did nothing that could be undone.")));
        };
        if state.row.erased {
            let message = format!("the payloads of run {run} were erased; it can no longer be undone.");
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
        let done: BTreeMap<JobId, &Receipt> = list
            .iter()
            .filter(|receipt| receipt.happened() && !receipt.job.undo)
            .map(|receipt| (receipt.job, receipt))
            .collect();
        let touched = touched(&list);
        let mut undoing = Undoing { calls: Vec::new(), steps: Vec::new(), stays: Vec::new(), expect: Vec::new() };
        let mut problems = Vec::new();
        let mut gone = BTreeSet::new();
        for job in machine.done.iter().rev().filter(|job| !machine.undone.contains(job)) {
            let Some(receipt) = done.get(job) else { continue };
            if step.is_some_and(|step| step != receipt.step) {
                continue;
            }
            match self.undo_of(scope, state, *job, receipt, &touched) {
                Ok(Some((tool, args, expect))) => {
                    problems.extend(self.still_referred_to(scope, &tool, &args, receipt, &mut gone));
                    undoing.calls.push((tool, args));
                    undoing.steps.push(receipt.step.clone());
                    for record in expect {
                        if !undoing.expect.contains(&record) {
                            undoing.expect.push(record);
                        }
                    }
                }
                Ok(None) => {}
                Err(problem) if problem.code == "cannot_be_undone" => undoing.stays.push(problem.message),
                Err(problem) => problems.push(problem),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        if undoing.calls.is_empty() {
            let why = if undoing.stays.is_empty() {
                format!("run {run} changed nothing that could be undone.")
            } else {
                undoing.stays.join(" ")
            };
            return Err(one("cannot_be_undone", why));
        }
        Ok(undoing)
    }

    /// The call that undoes one job; `None` if it changed nothing.
    fn undo_of(
        &self,
        scope: &Scope,
        state: &RunState,
        job: JobId,
        receipt: &Receipt,
        touched: &Touched,
    ) -> Result<Option<(String, Value, Vec<Value>)>, Problem> {
        let step = state.step(job).ok_or_else(|| Problem::new("nothing_to_undo", "There is no program."))?;
        let internal = |message: String| Problem::new("undo_failed", message);
        let tool = self.tool_of(&step.tool).map_err(|error| internal(error.to_string()))?;
        let name = &tool.def.name;
        // A playbook changes nothing itself; its steps do.
        if tool.def.effect == Effect::Read || matches!(tool.def.behavior, Behavior::Playbook(_)) {
            return Ok(None);
        }
        let Some(undo) = &tool.def.undo else {
            let why = tool.def.no_undo.as_deref().unwrap_or("its pack declares no undo.");
            return Err(Problem::new(
                "cannot_be_undone",
                format!("`{name}` (step {}) is not undone: {why}", receipt.step),
            ));
        };
        let deadline = undo.until.map(|until| receipt.finished_at.plus(until));
        if let Some(deadline) = deadline.filter(|deadline| self.clock().now() > *deadline) {
            let message = format!("`{name}` (step {}) could be undone until {deadline}; it is too late.", receipt.step);
            return Err(Problem::new("undo_too_late", message));
        }
        let mut expect = Vec::new();
        for ((kind, id), revision) in records_of(receipt) {
            let last = touched.get(&(kind.clone(), id.clone())).copied().unwrap_or(revision);
            if let Some(problem) = self.changed_since(scope, &kind, &id, last, name, receipt.finished_at) {
                return Err(problem);
            }
            expect.push(json!({"type": kind, "id": id, "revision": last}));
        }
        let args = self.host().undo_args(scope, state, step, job, undo, self.clock().now());
        let args = args.map_err(|failure| internal(failure.message))?;
        Ok(Some((undo.tool.clone(), args, expect)))
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
        for record in request["undo_of"]["expect"].as_array().into_iter().flatten() {
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
