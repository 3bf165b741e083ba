//! The engine's host: evaluates expressions over the run's data, checks calls against the pinned definitions, and
//! executes them with the toolbox.

mod children;
mod dispatch;
mod grow;
mod names;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use brain_core::{Digest, Failure, Millis};
use brain_engine::{
    Charge, CheckAnswer, Growth, Host, HostFuture, JobContext, JobOutcome, Limits, Outside, RecordView, RunView, Starts,
};
use brain_lang::feel::Value as FeelValue;
use brain_lang::plan::{Args, PlanStep, ToolRef};
use brain_registry::model::{Behavior, Effect, ToolDef, Undo};
use brain_registry::{FieldError, Tool, ToolResult, ValidatedCall};
use brain_store::{Scope, Store, blob};
use brain_tools::{Evaluation, Toolbox, to_failure};
use brain_vm::JobId;
use serde_json::{Map, Value, json};

pub(crate) use self::dispatch::DISPATCH;
use crate::budget::SpendCaps;
use crate::eligible;
use crate::kernel::Kernel;

pub(crate) struct KernelHost {
    /// The toolbox of the packs that are loaded now.
    toolbox: RwLock<Arc<Toolbox>>,
    store: Arc<dyn Store>,
    /// Definitions by hash: those of the registry, and older ones that runs in flight still use.
    tools: Mutex<HashMap<Digest, Arc<Tool>>>,
    /// The kernel, for tools that start child runs.
    kernel: Mutex<Weak<Kernel>>,
    caps: SpendCaps,
}

impl KernelHost {
    pub(crate) fn new(toolbox: Arc<Toolbox>, store: Arc<dyn Store>, caps: SpendCaps) -> Self {
        let tools = toolbox.registry().tools().values().map(|tool| (tool.hash, tool.clone())).collect();
        toolbox.settings().kept_in(store.clone());
        Self { toolbox: RwLock::new(toolbox), store, tools: Mutex::new(tools), kernel: Mutex::default(), caps }
    }

    /// Daily spending caps.
    pub(crate) fn caps(&self) -> &SpendCaps {
        &self.caps
    }

    /// Connects the host to its kernel.
    pub(crate) fn belongs_to(&self, kernel: &Arc<Kernel>) {
        *self.kernel.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(kernel);
    }

    pub(crate) fn toolbox(&self) -> Arc<Toolbox> {
        self.toolbox.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Switches to the toolbox of reloaded packs. Earlier definitions stay known: runs in progress pin them, and
    /// requests that were just planned may not be written yet.
    pub(crate) fn reload(&self, toolbox: Arc<Toolbox>) {
        toolbox.settings().kept_in(self.store.clone());
        let new = toolbox.registry().tools().values().map(|tool| (tool.hash, tool.clone()));
        self.tools.lock().unwrap_or_else(PoisonError::into_inner).extend(new);
        *self.toolbox.write().unwrap_or_else(PoisonError::into_inner) = toolbox;
    }

    pub(crate) fn tool(&self, reference: &ToolRef) -> Result<Arc<Tool>, Failure> {
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tool) = tools.get(&reference.hash) {
            return Ok(tool.clone());
        }
        let missing = || {
            let message = format!("The definition of `{}` that this run was planned with is missing.", reference.name);
            Failure::contract("unknown_tool", message)
        };
        let body = self
            .store
            .definition(reference.hash)
            .map_err(|error| Failure::transient("store", error.to_string()))?
            .ok_or_else(missing)?;
        let def: ToolDef = serde_json::from_value(body).map_err(|_| missing())?;
        let tool = Tool::from_def(def).map_err(|_| missing())?;
        tools.insert(reference.hash, tool.clone());
        Ok(tool)
    }

    /// Loads all large values inside a value. A value that cannot be read stays a reference, which the schema of its
    /// consumer rejects.
    pub(crate) fn whole(&self, scope: &Scope, mut value: Value) -> Value {
        if blob::has_blobs(&value) {
            let read = |hash| blob::read_whole(self.store.as_ref(), scope, hash);
            if let Err(error) = blob::inflate(&mut value, &read) {
                tracing::warn!(%error, "a large value could not be read");
            }
        }
        value
    }

    /// The arguments of the call that undoes a finished job.
    pub(crate) fn undo_args(
        &self,
        scope: &Scope,
        state: &brain_engine::RunState,
        step: &PlanStep,
        job: JobId,
        undo: &Undo,
        now: brain_core::Timestamp,
    ) -> Result<Value, Failure> {
        let path = state.scope_path(job.scope);
        let settings = state.program().and_then(|program| program.settings);
        let view = RunView { scope, run: state.row.id, data: &state.data, calls: &[], path: &path, now, settings };
        let mut evaluation = self.undo_evaluation(view, step, job)?;
        evaluation.json(&undo.args).map_err(|error| to_failure("undo", &error))
    }

    /// The evaluation scope of undo arguments: the undone call and its result.
    fn undo_evaluation(&self, view: RunView<'_>, step: &PlanStep, job: JobId) -> Result<Evaluation, Failure> {
        let tool = self.tool(&step.tool)?;
        let done = JobId { undo: false, ..job };
        let args = self.whole(view.scope, view.data.args.get(&done).cloned().unwrap_or(Value::Null));
        let result = self.whole(view.scope, view.data.results.get(&done).cloned().unwrap_or(Value::Null));
        let settings = self.toolbox().settings().pinned(view.settings)?;
        let mut evaluation = Evaluation::new(view.now, settings.zone.clone(), view.run.as_uuid().as_bytes());
        evaluation.set("settings", settings.values.clone());
        evaluation.set("input", FeelValue::from_typed_json(&args, &tool.def.input));
        let schema = tool.def.output.clone().unwrap_or(Value::Null);
        evaluation.set("result", FeelValue::from_typed_json(&result, &schema));
        evaluation.set("receipt", FeelValue::from_json(&json!({"input": args, "result": result})));
        Ok(evaluation)
    }
}

fn bad_arguments(tool: &Tool, errors: &[FieldError]) -> Failure {
    let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
    Failure::contract("invalid_input", format!("invalid call of `{}`: {}", tool.def.name, list.join("; ")))
}

impl Host for KernelHost {
    fn condition(&self, view: RunView<'_>, step: &PlanStep) -> Result<bool, Failure> {
        let Some(when) = &step.when else { return Ok(true) };
        let value = self.evaluation(view, step, None, when)?.value(when).map_err(|error| to_failure("when", &error))?;
        Ok(value == FeelValue::Bool(true))
    }

    fn items(&self, view: RunView<'_>, step: &PlanStep) -> Result<Vec<Value>, Failure> {
        let Some(foreach) = &step.foreach else { return Ok(Vec::new()) };
        let mut evaluation = self.evaluation(view, step, None, &foreach.items)?;
        let value = evaluation.json(&foreach.items).map_err(|error| to_failure("foreach", &error))?;
        match value {
            Value::Array(items) => Ok(items),
            Value::Null => Ok(Vec::new()),
            other => {
                let message = format!("`foreach` needs a list, but its expression gives {other}.");
                Err(Failure::contract("not_a_list", message))
            }
        }
    }

    fn bind(&self, view: RunView<'_>, step: &PlanStep, job: JobId) -> Result<ValidatedCall, Failure> {
        let bound = |args: Result<Value, _>| args.map_err(|error| to_failure("args", &error));
        let call = match (&step.undo, &step.args) {
            (Some(undo), _) if job.undo => {
                let mut evaluation = self.undo_evaluation(view, step, job)?;
                self.rebind(view.scope, &undo.tool, bound(evaluation.json(&undo.args))?)?
            }
            (_, Args::Call(number)) => {
                let number = *number as usize;
                match view.calls.get(number).filter(|call| call.tool().hash == step.tool.hash) {
                    Some(call) => call.clone(),
                    None => {
                        let args = view.data.input.calls().get(number).cloned().unwrap_or(Value::Null);
                        self.rebind(view.scope, &step.tool, args)?
                    }
                }
            }
            (_, Args::Binding(args)) => {
                let mut evaluation = self.evaluation(view, step, Some(job), args)?;
                self.rebind(view.scope, &step.tool, bound(evaluation.json(args))?)?
            }
        };
        for blocker in call.tool().def.blockers.iter().filter(|blocker| blocker.when.is_none() && !job.undo) {
            let set = |flags: &serde_json::Map<String, Value>| flags.get(&blocker.code) == Some(&Value::Bool(true));
            if set(&view.data.state) || set(&view.data.input.context) {
                return Err(Failure::business(&blocker.code, blocker.otherwise.clone()));
            }
        }
        Ok(call)
    }

    fn rebind(&self, scope: &Scope, reference: &ToolRef, args: Value) -> Result<ValidatedCall, Failure> {
        let tool = self.tool(reference)?;
        let args = self.whole(scope, args);
        // An argument that evaluates to null counts as not given.
        let args = match args {
            Value::Object(fields) => {
                Value::Object(fields.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
            }
            other => other,
        };
        tool.validate(args).map_err(|errors| bad_arguments(&tool, &errors))
    }

    fn decide(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure> {
        self.toolbox().decide(call, job, records)
    }

    fn admit(&self, call: &ValidatedCall, job: &JobContext, records: &mut RecordView<'_>) -> Result<(), Failure> {
        self.toolbox().admit(call, job, records)?;
        self.claim(call, job, records)
    }

    fn charges(&self, view: RunView<'_>, call: &ValidatedCall, job: &JobContext) -> Result<Vec<Charge>, Failure> {
        self.charges_of(view, call, job)
    }

    fn grow(
        &self,
        view: RunView<'_>,
        step: &PlanStep,
        tool: &ToolRef,
        job: JobId,
        result: &ToolResult,
    ) -> Result<Growth, Failure> {
        self.fragment(view, step, tool, job, result)
    }

    fn close(
        &self,
        view: RunView<'_>,
        tool: &ToolRef,
        job: &JobContext,
        result: ToolResult,
    ) -> Result<ToolResult, Failure> {
        self.conclude(view, tool, job, result)
    }

    fn accept(
        &self,
        reference: &ToolRef,
        args: Value,
        job: &JobContext,
        mut result: ToolResult,
        corrections: &Value,
    ) -> Result<ToolResult, Failure> {
        let call = self.rebind(&job.scope, reference, args)?;
        match (&mut result.data, corrections) {
            (Value::Object(data), Value::Object(fields)) => data.extend(fields.clone()),
            (_, Value::Null) => {}
            (data, whole) => *data = whole.clone(),
        }
        // A corrected result has been reviewed.
        let looked_at = !corrections.is_null();
        let result = self.toolbox().complete(&call, job, result)?;
        Ok(if looked_at { ToolResult { review: None, ..result } } else { result })
    }

    /// The limits of the newest version of the tool, even for runs planned with an older one.
    fn limits(&self, reference: &ToolRef) -> Limits {
        let limits = self.toolbox().registry().tool(&reference.name).and_then(|tool| tool.def.limits);
        limits.map_or_else(Limits::default, |limits| Limits { running: limits.running, rate: limits.rate })
    }

    fn remembers(&self, reference: &ToolRef) -> bool {
        self.toolbox().registry().is_remembered(&reference.name)
    }

    fn changes(&self, reference: &ToolRef) -> bool {
        // A playbook changes nothing itself; its steps do.
        self.tool(reference)
            .map_or(true, |tool| tool.def.effect != Effect::Read && !matches!(tool.def.behavior, Behavior::Playbook(_)))
    }

    fn starts(&self, reference: &ToolRef, args: &Value) -> Starts {
        self.tool(reference).map_or(Starts::Nothing, |tool| children::starts(&tool.def.behavior, args))
    }

    fn remember(
        &self,
        reference: &ToolRef,
        args: &Value,
        job: &JobContext,
        result: &ToolResult,
        records: &mut RecordView<'_>,
    ) {
        let Ok(tool) = self.tool(reference) else { return };
        if let Ok(call) = self.rebind(&job.scope, reference, args.clone()) {
            if tool.def.delegate.is_some() {
                self.release(&call, job, records);
            }
            self.toolbox().remember(&call, job, result, records);
        }
    }

    fn describe(&self, call: &ValidatedCall) -> String {
        let def = &call.tool().def;
        let mut line = crate::narrate::describe_call(def, call.args());
        let toolbox = self.toolbox();
        if let Some(price) = eligible::price(toolbox.registry(), &toolbox, call.tool(), call.args()) {
            line = format!("{line}. Cost: {price}");
        }
        let now = brain_core::Timestamp::default();
        match &def.acknowledge {
            Some(note) => format!("{line}. Please note: {}", self.toolbox().text(&note.text, call.args(), now)),
            None => line,
        }
    }

    fn approval_lasts(&self) -> Option<Millis> {
        let kernel = self.kernel.lock().unwrap_or_else(PoisonError::into_inner).upgrade()?;
        Some(kernel.expiry.staged)
    }
}

impl Outside for KernelHost {
    fn perform(&self, call: ValidatedCall, job: JobContext) -> HostFuture<JobOutcome> {
        if children::is_spawn(&call) {
            return self.spawn_child(&call, job);
        }
        if children::is_undo(&call) {
            return self.undo_child(&call, job);
        }
        self.toolbox().perform(call, job)
    }

    fn check(&self, reference: &ToolRef, args: Value, job: JobContext) -> HostFuture<CheckAnswer> {
        // The check tool gets those arguments of the call that it accepts, and the key.
        let call = self.tool(reference).and_then(|tool| {
            let known = tool.def.input["properties"].as_object().cloned().unwrap_or_default();
            let mut fields: Map<String, Value> = args
                .as_object()
                .cloned()
                .unwrap_or_default()
                .into_iter()
                .filter(|(name, _)| known.contains_key(name))
                .collect();
            if known.contains_key("idempotency_key") {
                fields.insert("idempotency_key".into(), json!(job.key));
            }
            tool.validate(Value::Object(fields)).map_err(|errors| bad_arguments(&tool, &errors))
        });
        match call {
            Ok(call) => {
                let work = self.toolbox().perform(call, job);
                Box::pin(async move { check_answer(work.await) })
            }
            Err(failure) => Box::pin(async move { CheckAnswer::Unclear(failure) }),
        }
    }
}

/// A check tool answers `{happened: true|false, result: …}`.
pub(crate) fn check_answer(outcome: JobOutcome) -> CheckAnswer {
    match outcome {
        JobOutcome::Done(result) => match result.data["happened"].as_bool() {
            Some(true) => CheckAnswer::Happened(ToolResult::ok(result.data["result"].clone())),
            Some(false) => CheckAnswer::DidNot,
            None => CheckAnswer::Unclear(Failure::contract(
                "bad_check",
                "The check tool must answer `happened: true` or `happened: false`.",
            )),
        },
        JobOutcome::DoneBadly(_, failure) | JobOutcome::Failed(failure) | JobOutcome::Unknown(failure) => {
            CheckAnswer::Unclear(failure)
        }
    }
}
