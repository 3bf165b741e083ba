//! Runs that grow: what a successful result leads to, and steps that a result brings along.

use brain_core::Timestamp;
use brain_registry::ToolResult;
use brain_store::Write;
use brain_store::blob::{Offloaded, offload};
use brain_vm::{Event, Input, JobId};
use serde_json::{Value, json};

use super::{Turn, guarded};
use crate::overlay::Savepoint;

/// Steps that a run may have beyond its own limit: a fragment may be longer than what is left, but not endless.
const MAX_EXCESS: usize = brain_vm::MAX_PLAN_STEPS;

/// Writes for what was too large for a log.
pub fn blob_writes(large: Vec<Offloaded>, at: Timestamp) -> impl Iterator<Item = Write> {
    large.into_iter().map(move |(hash, bytes, media_type)| Write::PutBlob {
        hash,
        media_type: media_type.to_owned(),
        at,
        bytes,
    })
}

/// What the event of a result says of it. The arguments are moved: copying JSON is what deciding costs most.
fn payload(args: Option<Value>, result: &ToolResult) -> Value {
    let mut fields = serde_json::Map::new();
    if let Some(args) = args {
        fields.insert("args".into(), args);
    }
    fields.insert("result".into(), serde_json::to_value(result).unwrap_or_default());
    Value::Object(fields)
}

impl Turn<'_> {
    /// A result says that it succeeded: the job is done, or somebody else goes on first. `before` is where the
    /// records stood, if the result was decided in this turn and would take its writes with it when it is refused.
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
            self.input(Input::Delegated(job, attempt, until), Some(payload(args, &result)));
        } else if result.review.is_some() {
            self.input(Input::Review(job, attempt), Some(payload(args, &result)));
        } else if result.new_steps.is_empty() || job.undo {
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
        let program = self.program.clone();
        let step = program.step(job.step);
        if let Some(args) = &args {
            // What the new steps see of the call is there before they are.
            self.data.args.insert(job, args.clone());
        }
        let growth = match guarded(|| self.host.grow(self.view(), step, job, result)) {
            Ok(growth) => growth,
            Err(failure) => {
                if let Some(before) = before {
                    self.records.restore(before);
                }
                let payload = args.map(|args| json!({"args": args}));
                self.input(Input::Failed(job, attempt, failure), payload);
                return;
            }
        };
        if self.program.steps.len() + growth.program.steps.len() > self.program.max_steps as usize + MAX_EXCESS {
            self.input(Input::Halt(super::too_many(self.program.max_steps)), None);
            return;
        }
        let path = if step.foreach.is_some() { format!("{}[{}]", step.id, job.item + 1) } else { step.id.clone() };
        let hash = growth.program.id().0;
        let payload = payload(args, result);
        // The machine must agree before the program grows: a late result brings nothing along.
        let noise = self.random.next_u64();
        let input = Input::Inject(job, attempt, hash, path.clone());
        let events = brain_vm::Machine::new(&program).decide(self.state, input, self.now, noise);
        if events.iter().any(|event| matches!(event, Event::StepsInjected { .. })) {
            std::sync::Arc::make_mut(self.program).grow(&growth.program, &path);
            self.writes.extend(growth.definitions);
        }
        self.fold(events, Some(payload));
    }

    /// All steps that a job brought along are over: now it is.
    pub(super) fn close(&mut self, job: JobId, attempt: u32) {
        let pending = self.data.pending.get(&job).cloned().unwrap_or(Value::Null);
        let mut result: ToolResult = serde_json::from_value(pending).unwrap_or_else(|_| ToolResult::ok(Value::Null));
        result.new_steps.clear();
        // Its links were written when it brought the steps along.
        result.artifacts.clear();
        let program = self.program.clone();
        let step = program.step(job.step);
        match guarded(|| self.host.close(self.view(), step, job, result)) {
            Ok(result) => {
                self.remember(job, attempt, None, &result);
                self.input(Input::Done(job, attempt), Some(json!({"result": result})));
            }
            Err(failure) => self.input(Input::Failed(job, attempt, failure), None),
        }
    }

    fn remember(&mut self, job: JobId, attempt: u32, args: Option<&Value>, result: &ToolResult) {
        if job.undo || !self.host.remembers(&self.program.step(job.step).tool) {
            return;
        }
        let context = self.context(job, attempt);
        let known = args.or_else(|| self.data.args.get(&job)).unwrap_or(&Value::Null);
        let tool = &self.program.step(job.step).tool;
        self.host.remember(tool, known, &context, result, &mut self.records);
    }

    /// Keeps large values out of the log: they are stored once, by hash, and referred to.
    pub(super) fn lighten(&mut self, mut payload: Value) -> Value {
        let mut large = Vec::new();
        offload(&mut payload, 0, &mut large);
        self.writes.extend(blob_writes(large, self.now));
        payload
    }
}
