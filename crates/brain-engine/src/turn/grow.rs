//! What follows from a successful result, and the steps that it injects.

use brain_core::{Failure, Timestamp};
use brain_registry::ToolResult;
use brain_store::Write;
use brain_store::blob::{Offloaded, offload};
use brain_vm::{Delegate, Event, Input, JobId, JobStatus, Stray};
use serde_json::{Value, json};

use super::{Turn, guarded};
use crate::overlay::Savepoint;

/// Maximum number of steps beyond the run's own limit: injected steps may exceed what is left, but not without bound.
const MAX_EXCESS: usize = brain_vm::MAX_PLAN_STEPS;

/// The writes for offloaded values.
pub fn blob_writes(large: Vec<Offloaded>, at: Timestamp) -> impl Iterator<Item = Write> {
    large.into_iter().map(move |(hash, bytes, media_type)| Write::PutBlob {
        hash,
        media_type: media_type.to_owned(),
        at,
        bytes,
    })
}

/// The payload of a result event. The arguments are moved, because copying JSON is the main cost of deciding.
pub(super) fn payload(args: Option<Value>, result: &ToolResult) -> Value {
    let mut fields = serde_json::Map::new();
    if let Some(args) = args {
        fields.insert("args".into(), args);
    }
    fields.insert("result".into(), serde_json::to_value(result).unwrap_or_default());
    Value::Object(fields)
}

impl Turn<'_> {
    /// Handles a successful result: the job is done, or a reviewer or another engine continues. `before` is the
    /// savepoint of the records if the result was decided in this turn, so that its writes are dropped if it is
    /// rejected.
    pub(super) fn succeed(
        &mut self,
        job: JobId,
        attempt: u32,
        args: Option<Value>,
        result: ToolResult,
        before: Option<Savepoint>,
    ) {
        if let Some(delegate) = &result.delegate {
            let within = delegate["within_ms"].as_u64();
            let until = within.map(|within| self.now.plus(brain_core::Millis(within)));
            let to = if delegate["child_run"].is_null() { Delegate::Other } else { Delegate::Child };
            let is_letter = self.state.job(job).is_some_and(|open| open.status.is_stuck());
            if to == Delegate::Child && is_letter {
                // The child may have ended meanwhile, and its answer may have been read: nobody would send another. What
                // it answers from now on settles the dead letter.
                self.input(Input::Stray(Stray::LateAnswer), None);
                return;
            }
            self.input(Input::Delegated(job, attempt, until, to), Some(payload(args, &result)));
        } else if result.review.is_some() {
            self.input(Input::Review(job, attempt), Some(payload(args, &result)));
        } else if result.new_steps.is_empty() {
            self.remember(job, attempt, args.as_ref(), &result);
            self.input(Input::Done(job, attempt), Some(payload(args, &result)));
        } else {
            self.inject(job, attempt, args, &result, before);
        }
    }

    fn inject(
        &mut self,
        job: JobId,
        attempt: u32,
        args: Option<Value>,
        result: &ToolResult,
        before: Option<Savepoint>,
    ) {
        let code = self.code.clone();
        let step = self.state.step(&code, job.at());
        let tool = step.call(job.undo).tool;
        if let Some(args) = &args {
            // The injected steps see the arguments of the call.
            self.data.args.insert(job, args.clone());
        }
        let path = self.path(job.scope);
        let growth = match guarded(|| self.host.grow(self.view(&path), step, tool, job, result)) {
            Ok(growth) => growth,
            Err(failure) => return self.cannot_grow(job, attempt, args, result, before, failure),
        };
        let planned = self.state.planned as usize + growth.program.steps.len();
        if planned > self.code.root().max_steps as usize + MAX_EXCESS {
            let failure = super::too_many(self.code.root().max_steps);
            self.input(Input::Halt(job.scope, failure), None);
            return;
        }
        let hash = growth.program.id().0;
        let payload = payload(args, result);
        self.code.add(hash, &std::sync::Arc::new(growth.program));
        // The machine must accept the steps before their program is stored: a late result injects nothing.
        let noise = self.random.next_u64();
        let input = Input::Inject(job, attempt, hash);
        let events = brain_vm::Machine::new(self.code).decide(self.state, input, self.now, noise);
        if events.iter().any(|event| matches!(event, Event::ScopeOpened { .. })) {
            self.writes.extend(growth.definitions);
        }
        self.fold(events, Some(payload));
    }

    /// Handles injected steps that cannot be executed. Writes of this turn are rolled back; an external effect has
    /// happened.
    fn cannot_grow(
        &mut self,
        job: JobId,
        attempt: u32,
        args: Option<Value>,
        result: &ToolResult,
        before: Option<Savepoint>,
        failure: Failure,
    ) {
        match before {
            Some(before) => {
                self.records.restore(before);
                let payload = args.map(|args| json!({"args": args}));
                self.input(Input::Failed(job, attempt, failure), payload);
            }
            None => self.input(Input::DoneBadly(job, attempt, failure), Some(payload(args, result))),
        }
    }

    /// Ends a job whose injected steps have all ended. If its result is invalid, the effects of the job and its steps
    /// remain.
    pub(super) fn close(&mut self, job: JobId, attempt: u32) {
        let pending = self.data.pending.get(&job).cloned().unwrap_or(Value::Null);
        let mut result: ToolResult = serde_json::from_value(pending).unwrap_or_else(|_| ToolResult::ok(Value::Null));
        result.new_steps.clear();
        // Its links were written when it injected the steps.
        result.artifacts.clear();
        let code = self.code.clone();
        let tool = self.state.step(&code, job.at()).call(job.undo).tool;
        let Some(JobStatus::Growing { scope }) = self.state.jobs.get(&job).map(|job| job.status.clone()) else {
            return;
        };
        let path = self.path(scope);
        let context = self.context(job, attempt);
        match guarded(|| self.host.close(self.view(&path), tool, &context, result.clone())) {
            Ok(result) if result.review.is_some() => {
                self.input(Input::Review(job, attempt), Some(json!({"result": result})));
            }
            Ok(result) => {
                self.remember(job, attempt, None, &result);
                self.input(Input::Done(job, attempt), Some(json!({"result": result})));
            }
            Err(failure) => self.input(Input::DoneBadly(job, attempt, failure), Some(json!({"result": result}))),
        }
    }

    pub(super) fn remember(&mut self, job: JobId, attempt: u32, args: Option<&Value>, result: &ToolResult) {
        let code = self.code.clone();
        let tool = &self.state.step(&code, job.at()).tool;
        let (host, context) = (self.host, self.context(job, attempt));
        if job.undo || !guarded(|| Ok(host.remembers(tool))).unwrap_or(false) {
            return;
        }
        let known = args.or_else(|| self.data.args.get(&job)).unwrap_or(&Value::Null);
        let before = self.records.save();
        let records = &mut self.records;
        let remembered = guarded(|| {
            host.remember(tool, known, &context, result, records);
            Ok(())
        });
        if remembered.is_err() {
            self.records.restore(before);
        }
    }

    /// Replaces large values by references to blobs, to keep the log small.
    pub(super) fn lighten(&mut self, mut payload: Value) -> Value {
        let mut large = Vec::new();
        offload(&mut payload, 0, &mut large);
        self.bytes += large.iter().map(|(_, bytes, _)| bytes.len()).sum::<usize>() + weight(&payload);
        self.writes.extend(blob_writes(large, self.now));
        payload
    }
}

/// The approximate size of a value in the log, in bytes.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(list) => list.iter().map(weight).sum::<usize>() + 2,
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + 4 + weight(value)).sum::<usize>() + 2,
        _ => 8,
    }
}
