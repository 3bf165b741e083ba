//! An outside world with the answers that a scenario declares.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use brain_core::{Clock, Failure, Timestamp, VirtualClock};
use brain_engine::{CheckAnswer, HostFuture, JobContext, JobOutcome, Outside};
use brain_lang::plan::ToolRef;
use brain_registry::model::{Behavior, Stub};
use brain_registry::{ToolResult, ValidatedCall};
use serde_json::Value;

use crate::host::{KernelHost, check_answer};

/// An outside world with the answers that a scenario declares.
pub(super) struct StubWorld {
    pub(super) real: Arc<KernelHost>,
    pub(super) clock: Arc<VirtualClock>,
    /// The answers of each tool in order, and its number of calls so far.
    pub(super) stubs: Mutex<BTreeMap<String, (Vec<Stub>, usize)>>,
    /// When calls without an answer time out.
    pub(super) hanging: Mutex<BTreeSet<Timestamp>>,
}

impl StubWorld {
    fn has(&self, tool: &str) -> bool {
        self.stubs.lock().unwrap_or_else(PoisonError::into_inner).contains_key(tool)
    }

    fn next(&self, tool: &str) -> Option<Stub> {
        let mut stubs = self.stubs.lock().unwrap_or_else(PoisonError::into_inner);
        let (list, calls) = stubs.get_mut(tool)?;
        let stub = list.get(*calls).or(list.last()).cloned();
        *calls += 1;
        stub
    }

    fn answer(&self, tool: &str, job: &JobContext) -> HostFuture<JobOutcome> {
        let outcome = match self.next(tool) {
            Some(Stub::Result(data)) => JobOutcome::Done(ToolResult::ok(data)),
            Some(Stub::Answer(answer)) => match whole_result(&answer) {
                Ok(result) => JobOutcome::Done(result),
                Err(error) => JobOutcome::Failed(Failure::contract("bad_stub", error)),
            },
            Some(Stub::Failure(failure)) => JobOutcome::Failed(failure),
            Some(Stub::Lost) => {
                JobOutcome::Unknown(Failure::transient("network_error", "The connection broke before it answered."))
            }
            Some(Stub::Timeout) => {
                let until = self.clock.now().plus(job.timeout);
                self.hanging.lock().unwrap_or_else(PoisonError::into_inner).insert(until);
                return Box::pin(Hanging { clock: self.clock.clone(), until });
            }
            None => JobOutcome::Failed(Failure::contract(
                "no_stub",
                format!("The scenario does not say what `{tool}` answers: add it under `stubs`."),
            )),
        };
        Box::pin(std::future::ready(outcome))
    }
}

/// A complete result as a scenario writes it.
pub(super) fn whole_result(answer: &Value) -> Result<ToolResult, String> {
    let mut whole = answer.clone();
    if let Some(map) = whole.as_object_mut() {
        map.insert("success".into(), Value::Bool(true));
    }
    serde_json::from_value(whole).map_err(|error| format!("the canned answer cannot be read: {error}"))
}

/// A call without an answer until its timeout.
struct Hanging {
    clock: Arc<VirtualClock>,
    until: Timestamp,
}

impl Future for Hanging {
    type Output = JobOutcome;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<JobOutcome> {
        if self.clock.now() < self.until {
            return Poll::Pending;
        }
        Poll::Ready(JobOutcome::Unknown(Failure::transient("timeout", "No answer came in time.")))
    }
}

impl Outside for StubWorld {
    fn perform(&self, call: ValidatedCall, job: JobContext) -> HostFuture<JobOutcome> {
        let name = call.tool().def.name.clone();
        if matches!(call.tool().def.behavior, Behavior::Native(_)) && !self.has(&name) {
            return self.real.perform(call, job);
        }
        let answer = self.answer(&name, &job);
        let toolbox = self.real.toolbox().clone();
        Box::pin(async move {
            match answer.await {
                // The answer of a stub must fit the tool's declared output, like any answer.
                JobOutcome::Done(result) if result.success => match toolbox.finish(&call, &job, result) {
                    Ok(result) => JobOutcome::Done(result),
                    Err(failure) => JobOutcome::Failed(failure),
                },
                other => other,
            }
        })
    }

    fn check(&self, tool: &ToolRef, _args: Value, job: JobContext) -> HostFuture<CheckAnswer> {
        let answer = self.answer(&tool.name, &job);
        Box::pin(async move { check_answer(answer.await) })
    }

    fn wakes_at(&self) -> Option<Timestamp> {
        let mut hanging = self.hanging.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.clock.now();
        hanging.retain(|until| *until > now);
        hanging.first().copied()
    }
}
