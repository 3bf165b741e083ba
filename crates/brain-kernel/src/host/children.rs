//! `core.spawn_child_run`: starts a child run; the step waits for it unless told otherwise.

use serde::Deserialize;
use std::sync::PoisonError;

use brain_core::Failure;
use brain_engine::{ActorBounds, Budget, HostFuture, JobContext, JobOutcome, child_key};
use brain_registry::model::Behavior;
use brain_registry::{SPAWN_CHILD_RUN, ToolResult, ValidatedCall};
use serde_json::{Value, json};

use super::KernelHost;
use crate::error::KernelError;
use crate::intake::{Actor, Limits, Mode, Parent, Request};

/// Maximum nesting depth of child runs.
const MAX_DEPTH: u64 = 10;

/// Whether a call asks for a child run.
pub(super) fn is_spawn(call: &ValidatedCall) -> bool {
    matches!(&call.tool().def.behavior, Behavior::Native(native) if native.function == SPAWN_CHILD_RUN)
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
            if let Some(why) = parent.unreadable() {
                let message = format!("The request of the run cannot be read: {why}");
                return JobOutcome::Failed(Failure::contract("no_parent", message));
            }
            let depth = parent.request["parent"]["depth"].as_u64().unwrap_or(0) + 1;
            if depth > MAX_DEPTH {
                let message = format!("Child runs can be nested {MAX_DEPTH} deep; this one would be deeper.");
                return JobOutcome::Failed(Failure::business("too_deep", message).settled());
            }
            let waits = args["wait"].as_bool() != Some(false);
            // The budget of the whole family; a run without a budget is the root of a new one.
            let kept = &parent.request;
            let inherited = kept.get("budget").and_then(|budget| Budget::deserialize(budget).ok());
            let budget = inherited.unwrap_or_else(|| Budget {
                root: job.run,
                actor: kept["actor_id"].as_str().unwrap_or("local").to_owned(),
                calls: kept["limits"]["max_tool_calls"].as_u64().and_then(|calls| u32::try_from(calls).ok()),
                shared: false,
                cost: kept["limits"]["max_cost"].as_str().map(str::to_owned),
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
                // The queue is full, and nothing was done.
                Err(error @ KernelError::Busy) => JobOutcome::Failed(Failure::transient("busy", error.to_string())),
                Err(error) if error.is_known() => {
                    JobOutcome::Failed(Failure::business("child_refused", error.to_string()).settled())
                }
                // The child may have been written after all. A retry with the same key finds it.
                Err(error) => JobOutcome::Unknown(Failure::transient("child_unknown", error.to_string())),
            }
        })
    }
}
