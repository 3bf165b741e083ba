//! A host whose outside tools answer what the scenario says. Everything else is the real one.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use brain_core::{Clock, Failure, Timestamp, VirtualClock};
use brain_engine::{CheckAnswer, Host, HostFuture, JobContext, JobOutcome, RecordView, RunView};
use brain_lang::plan::{PlanStep, ToolRef};
use brain_registry::model::Stub;
use brain_registry::{ToolResult, ValidatedCall};
use brain_vm::JobId;
use serde_json::Value;

use crate::host::check_answer;

/// The real host with stubbed outside tools.
pub(super) struct StubHost {
    pub(super) real: Arc<dyn Host>,
    pub(super) clock: Arc<VirtualClock>,
    /// What each tool answers, call after call, and how many calls it has had.
    pub(super) stubs: Mutex<BTreeMap<String, (Vec<Stub>, usize)>>,
}

impl StubHost {
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
            Some(Stub::Failure(failure)) => JobOutcome::Failed(failure),
            Some(Stub::Lost) => {
                JobOutcome::Unknown(Failure::transient("network_error", "The connection broke before it answered."))
            }
            Some(Stub::Timeout) => {
                let until = self.clock.now().plus(job.timeout);
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

/// A call that gets no answer until its time is over.
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

impl Host for StubHost {
    fn condition(&self, view: RunView<'_>, step: &PlanStep) -> Result<bool, Failure> {
        self.real.condition(view, step)
    }

    fn items(&self, view: RunView<'_>, step: &PlanStep) -> Result<Vec<Value>, Failure> {
        self.real.items(view, step)
    }

    fn bind(&self, view: RunView<'_>, step: &PlanStep, job: JobId) -> Result<ValidatedCall, Failure> {
        self.real.bind(view, step, job)
    }

    fn rebind(&self, tool: &ToolRef, args: Value) -> Result<ValidatedCall, Failure> {
        self.real.rebind(tool, args)
    }

    fn decide(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure> {
        self.real.decide(call, job, records)
    }

    fn admit(&self, call: &ValidatedCall, job: &JobContext, records: &mut RecordView<'_>) -> Result<(), Failure> {
        self.real.admit(call, job, records)
    }

    fn perform(&self, call: ValidatedCall, job: JobContext) -> HostFuture<JobOutcome> {
        let answer = self.answer(&call.tool().def.name, &job);
        Box::pin(async move {
            match answer.await {
                // What a stub answers must be what the tool promises, like any answer.
                JobOutcome::Done(mut result) => match call.tool().validate_output(result.data) {
                    Ok(data) => {
                        result.data = data;
                        JobOutcome::Done(result)
                    }
                    Err(errors) => {
                        let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
                        JobOutcome::Failed(Failure::contract("bad_output", list.join("; ")))
                    }
                },
                other => other,
            }
        })
    }

    fn check(&self, tool: &ToolRef, _args: Value, job: JobContext) -> HostFuture<CheckAnswer> {
        let answer = self.answer(&tool.name, &job);
        Box::pin(async move { check_answer(answer.await) })
    }
}
