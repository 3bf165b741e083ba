//! `core.spawn_child_run`: starts a child run; the step waits for it unless told otherwise. `core.undo_child_run`: undoes
//! a child run when the step that started it is undone, and waits for that.

use serde::Deserialize;
use std::sync::PoisonError;

use brain_core::{Failure, FailureClass};
use brain_engine::{ActorBounds, Budget, HostFuture, JobContext, JobOutcome, Starts, child_key};
use brain_registry::model::Behavior;
use brain_registry::{SPAWN_CHILD_RUN, ToolResult, UNDO_CHILD_RUN, ValidatedCall};
use brain_store::RunRow;
use serde_json::{Value, json};

use super::KernelHost;
use crate::error::KernelError;
use crate::intake::{Actor, Limits, Mode, Parent, Request};
use crate::undo::ChildUndo;

/// Maximum nesting depth of child runs.
const MAX_DEPTH: u64 = 10;

/// Whether a call asks for a child run.
pub(super) fn is_spawn(call: &ValidatedCall) -> bool {
    is_native(call, SPAWN_CHILD_RUN)
}

/// Whether a call asks for the undo of a child run.
pub(super) fn is_undo(call: &ValidatedCall) -> bool {
    is_native(call, UNDO_CHILD_RUN)
}

fn is_native(call: &ValidatedCall, function: &str) -> bool {
    is_function(&call.tool().def.behavior, function)
}

fn is_function(behavior: &Behavior, function: &str) -> bool {
    matches!(behavior, Behavior::Native(native) if native.function == function)
}

/// What a call with these arguments starts.
pub(super) fn starts(behavior: &Behavior, args: &Value) -> Starts {
    match is_function(behavior, SPAWN_CHILD_RUN) {
        true if waits(args) => Starts::Child,
        true => Starts::Detached,
        false => Starts::Nothing,
    }
}

/// Whether the step waits for the child run.
fn waits(args: &Value) -> bool {
    args["wait"].as_bool() != Some(false)
}

/// The depth of a child of this run; a failure if it may have none.
fn depth_below(parent: &RunRow) -> Result<u64, Failure> {
    if let Some(why) = parent.unreadable() {
        return Err(Failure::contract("no_parent", format!("The request of the run cannot be read: {why}")));
    }
    let depth = parent.request["parent"]["depth"].as_u64().unwrap_or(0) + 1;
    if depth > MAX_DEPTH {
        let message = format!("Child runs can be nested {MAX_DEPTH} deep; this one would be deeper.");
        return Err(Failure::business("too_deep", message).settled());
    }
    Ok(depth)
}

/// What a failed start of a child run means for the step.
fn failed_start(error: &KernelError) -> JobOutcome {
    match error {
        // The queue is full, and nothing was done.
        KernelError::Busy => JobOutcome::Failed(Failure::transient("busy", error.to_string())),
        error if error.is_known() => {
            JobOutcome::Failed(Failure::business("child_refused", error.to_string()).settled())
        }
        // The child may have been written after all. A retry with the same key finds it.
        error => JobOutcome::Unknown(Failure::transient("child_unknown", error.to_string())),
    }
}

impl KernelHost {
    pub(super) fn spawn_child(&self, call: &ValidatedCall, job: JobContext) -> HostFuture<JobOutcome> {
        let kernel = self.kernel.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        let args = call.args().clone();
        let store = self.store.clone();
        Box::pin(async move {
            let Some(kernel) = kernel else {
                return JobOutcome::Failed(Failure::transient("stopped", "The server is shutting down."));
            };
            let found = store.run(&job.scope, job.run).and_then(|parent| {
                let key = child_key(store.as_ref(), &job.scope, job.run, job.key)?;
                Ok(parent.map(|parent| (parent, key)))
            });
            let (parent, key) = match found {
                Ok(Some(found)) => found,
                Ok(None) => return JobOutcome::Failed(Failure::contract("no_parent", "The run no longer exists.")),
                // Nothing was written yet.
                Err(error) => return JobOutcome::Failed(Failure::transient("store", error.to_string())),
            };
            let depth = match depth_below(&parent) {
                Ok(depth) => depth,
                Err(failure) => return JobOutcome::Failed(failure),
            };
            let waits = waits(&args);
            // The budget of the whole family; a run without a budget is the root of a new one.
            let parent_request = &parent.request;
            let inherited = parent_request.get("budget").and_then(|budget| Budget::deserialize(budget).ok());
            let budget = inherited.unwrap_or_else(|| Budget {
                root: job.run,
                actor: parent_request["actor_id"].as_str().unwrap_or("local").to_owned(),
                calls: parent_request["limits"]["max_tool_calls"].as_u64().and_then(|calls| u32::try_from(calls).ok()),
                shared: false,
                steps: parent
                    .program
                    .and_then(|hash| kernel.engine().program(hash).ok())
                    .map(|program| program.max_steps),
                cost: parent_request["limits"]["max_cost"].as_str().map(str::to_owned),
            });
            let request = Request {
                scope: job.scope.clone(),
                actor: Actor::behind(
                    parent.request["actor"].as_str().unwrap_or("run"),
                    ActorBounds::deserialize(&parent.request["actor_bounds"]).ok().as_ref(),
                ),
                channel: "run",
                message: String::new(),
                calls: vec![(args["run"].as_str().unwrap_or_default().to_owned(), args["args"].clone())],
                mode: Mode::Enqueue,
                conversation: None,
                context: Value::Null,
                attachments: Vec::new(),
                limits: Limits { max_tool_calls: u32::MAX, ..Limits::default() },
                key: Some(key),
                trace: parent.request["trace_id"].as_str().map(str::to_owned),
                policy: brain_registry::model::BatchPolicy::Plain,
                parent: waits.then_some(Parent { run: job.run, job: job.key, depth }),
                undo_of: None,
                started_by: (!waits).then_some(job.run),
                budget: Some(budget),
            };
            match kernel.begin(&request).await {
                Ok(begun) => {
                    let mut result = ToolResult::ok(json!({"run_id": begun.run, "status": "started"}));
                    let refused = kernel.refusal(&job.scope, begun.run);
                    if let Some(why) = refused {
                        return JobOutcome::Failed(Failure::business("child_refused", why).settled());
                    }
                    if waits {
                        result.delegate = Some(json!({"child_run": begun.run}));
                    }
                    JobOutcome::Done(result)
                }
                Err(error) => failed_start(&error),
            }
        })
    }

    pub(super) fn undo_child(&self, call: &ValidatedCall, job: JobContext) -> HostFuture<JobOutcome> {
        let kernel = self.kernel.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        let child = call.args()["run"].as_str().and_then(|run| run.parse().ok());
        let store = self.store.clone();
        Box::pin(async move {
            let Some(kernel) = kernel else {
                return JobOutcome::Failed(Failure::transient("stopped", "The server is shutting down."));
            };
            let parent = match store.run(&job.scope, job.run) {
                Ok(Some(parent)) => parent,
                Ok(None) => return JobOutcome::Failed(Failure::contract("no_parent", "The run no longer exists.")),
                Err(error) => return JobOutcome::Failed(Failure::transient("store", error.to_string())),
            };
            // A person who wants to undo a run by its id uses `undo`, which shows the plan first.
            if !job.job.undo && parent.request.get("undo_of").is_none() {
                let message = format!("`{UNDO_CHILD_RUN}` is called by undos only; undo the run by its own id.");
                return JobOutcome::Failed(Failure::business("not_an_undo", message).settled());
            }
            let depth = match depth_below(&parent) {
                Ok(depth) => depth,
                Err(failure) => return JobOutcome::Failed(failure),
            };
            let Some(child) = child else {
                return JobOutcome::Failed(Failure::contract("invalid_input", "The run to undo has no valid id."));
            };
            // No bounds: undoing needs no rights beyond those that the deed needed.
            let actor = Actor::behind(parent.request["actor"].as_str().unwrap_or("run"), None);
            let trace = parent.request["trace_id"].as_str().map(str::to_owned);
            let step = Parent { run: job.run, job: job.key, depth };
            match kernel.undo_child(&job.scope, child, step, actor, trace).await {
                Ok(ChildUndo::By(undo)) => {
                    let mut result = ToolResult::ok(json!({"run_id": undo, "status": "started"}));
                    result.delegate = Some(json!({"child_run": undo}));
                    JobOutcome::Done(result)
                }
                Ok(ChildUndo::Nothing(stays)) => {
                    JobOutcome::Done(ToolResult::ok(json!({"status": "nothing_to_undo", "not_undone": stays})))
                }
                Ok(ChildUndo::Failed(failure)) if failure.class == FailureClass::Business => {
                    JobOutcome::Failed(failure.settled())
                }
                Ok(ChildUndo::Failed(failure)) => JobOutcome::Failed(failure),
                Err(error) => failed_start(&error),
            }
        })
    }
}
