//! The host of the engine: tools that write records, values of expressions, injected steps. Every answer depends only
//! on the run and the step, so that deciding again gives the same result.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use brain_core::{Digest, Failure, JobKey, Millis, RecordId, RunId};
use brain_engine::{Growth, Host, JobContext, Limits, RecordView, RunView, Starts};
use brain_lang::plan::{PlanStep, ToolRef};
use brain_registry::{PackSource, Tool, ToolResult, ValidatedCall};
use brain_store::{RecordRow, Scope, StoreError, Write};
use brain_vm::{JobId, Program};
use serde_json::{Value, json};

use crate::bug::Bug;
use crate::dice::number;
use crate::plans;

/// The tools of the simulated world: `mark` writes records, the others are external.
pub(crate) const TOOLS: [&str; 6] = ["mark", "key", "check", "none", "work", "child"];

/// Records that many runs increment concurrently.
const COUNTERS: u64 = 3;

fn tools() -> &'static BTreeMap<String, Arc<Tool>> {
    static LOADED: OnceLock<BTreeMap<String, Arc<Tool>>> = OnceLock::new();
    LOADED.get_or_init(|| {
        let pack = "name: t\nversion: 1.0.0\ntitle: T\nhosts: [t.invalid]\n";
        let mut text = "domain: t\ntools:\n".to_owned();
        for tool in TOOLS {
            text += &format!(
                "  {tool}:\n    title: {tool}\n    input: {{text: string}}\n    phrases: [\"{tool} {{text}}\"]\n    \
                 behavior: {{http: {{method: POST, url: \"https://t.invalid/\"}}}}\n    undo: none\n"
            );
        }
        let files = vec![("pack.yaml".to_owned(), pack.to_owned()), ("tools/t.yaml".to_owned(), text)];
        match brain_registry::load_sources(vec![PackSource::new("t", files)]) {
            Ok(loaded) => TOOLS
                .map(|name| format!("t.{name}"))
                .into_iter()
                .filter_map(|name| loaded.registry.tool(&name).map(|tool| (name.clone(), tool.clone())))
                .collect(),
            Err(report) => panic!("the pack of the simulation is wrong: {}", report.render(false)),
        }
    })
}

/// A tool by its short name.
pub(crate) fn tool_ref(name: &str) -> ToolRef {
    ToolRef { name: format!("t.{name}"), hash: Digest::of(name.as_bytes()) }
}

/// What follows from a successful result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sequel {
    Nothing,
    /// It injects steps.
    Grow,
    /// It waits for a review.
    Review,
    /// It is delegated to another engine.
    Delegate,
}

pub(crate) struct SimHost {
    pub(crate) seed: u64,
    pub(crate) bug: Option<Bug>,
}

/// Concurrency limit of `check` over all nodes. It is so low that some nodes get no share.
pub(crate) const CHECKS: u32 = 1;

impl SimHost {
    fn of_job(&self, key: JobKey, what: &str) -> u64 {
        number(&[&self.seed.to_be_bytes(), key.as_uuid().as_bytes(), what.as_bytes()])
    }

    fn of_step(&self, run: RunId, step: &str, what: &str) -> u64 {
        number(&[&self.seed.to_be_bytes(), run.as_uuid().as_bytes(), step.as_bytes(), what.as_bytes()])
    }

    /// Injected steps and undos have no sequel.
    pub(crate) fn sequel(&self, job: &JobContext) -> Sequel {
        if job.step.contains('/') || job.job.undo {
            return Sequel::Nothing;
        }
        match self.of_job(job.key, "sequel") % 10 {
            0 => Sequel::Grow,
            1 => Sequel::Review,
            2 => Sequel::Delegate,
            _ => Sequel::Nothing,
        }
    }

    /// A result with its sequel.
    pub(crate) fn result(&self, job: &JobContext, data: Value, atomic: bool) -> ToolResult {
        let mut result = ToolResult::ok(data);
        match self.sequel(job) {
            _ if atomic => {}
            Sequel::Nothing => {}
            Sequel::Grow => result.new_steps = vec![Value::Null],
            Sequel::Review => result.review = Some(json!({"ask": "right?"})),
            Sequel::Delegate => result.delegate = Some(json!({"within_ms": 40_000})),
        }
        result
    }

    /// The counter that a job increments, if any.
    pub(crate) fn counter(&self, job: JobKey) -> Option<RecordId> {
        let number = self.of_job(job, "counter") % (COUNTERS * 2);
        (number < COUNTERS).then(|| counter_id(number))
    }
}

/// The ids of the counters.
pub(crate) fn counters() -> impl Iterator<Item = RecordId> {
    (0..COUNTERS).map(counter_id)
}

fn counter_id(number: u64) -> RecordId {
    RecordId::from_digest(Digest::of(&number.to_be_bytes()))
}

fn store_failed(error: StoreError) -> Failure {
    Failure::transient("store", error.to_string())
}

impl Host for SimHost {
    fn condition(&self, view: RunView<'_>, step: &PlanStep) -> Result<bool, Failure> {
        Ok(!self.of_step(view.run, &step.id, "when").is_multiple_of(3))
    }

    fn items(&self, view: RunView<'_>, step: &PlanStep) -> Result<Vec<Value>, Failure> {
        Ok((0..self.of_step(view.run, &step.id, "items") % 4).map(|n| json!(n)).collect())
    }

    fn bind(&self, view: RunView<'_>, step: &PlanStep, job: JobId) -> Result<ValidatedCall, Failure> {
        // Time-dependent on purpose: a later attempt must still get the arguments of the first.
        let tool = match &step.undo {
            Some(undo) if job.undo => &undo.tool,
            _ => &step.tool,
        };
        self.rebind(view.scope, tool, json!({"text": format!("{} {} {}", step.id, job.item, view.now)}))
    }

    fn rebind(&self, _: &Scope, tool: &ToolRef, args: Value) -> Result<ValidatedCall, Failure> {
        let tool = tools().get(&tool.name).ok_or_else(|| Failure::contract("no_tool", tool.name.clone()))?;
        tool.validate(args).map_err(|errors| Failure::contract("invalid", format!("{errors:?}")))
    }

    fn decide(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure> {
        let id = RecordId::derive(job.started, job.key, job.job.step, job.job.item, 0);
        let body = json!({"run": job.run, "key": job.key, "args": call.args()});
        let row = |kind: &str, id, revision, body| RecordRow {
            kind: kind.to_owned(),
            id,
            revision,
            state: None,
            created_at: job.now,
            updated_at: job.now,
            body,
        };
        records.put(row("mark", id, 1, body), Vec::new(), None);
        if let Some(counter) = self.counter(job.key) {
            let before = records.get("counter", counter).map_err(store_failed)?;
            let (revision, count) =
                before.map_or((0, 0), |row| (row.revision, row.body["count"].as_u64().unwrap_or(0)));
            records.put(row("counter", counter, revision + 1, json!({"count": count + 1})), Vec::new(), None);
        }
        let attempt = u64::from(job.attempt);
        match (self.of_job(job.key, "inline") ^ attempt) % 16 {
            0 if attempt < 3 => Err(Failure::transient("busy", "Not now.")),
            1 => Err(Failure::business("no", "Not this.")),
            2 if attempt == 1 => Err(Failure {
                retry_after: Some(Millis(700)),
                ..Failure::transient("not_yet", "Something else must happen first.")
            }),
            _ => Ok(self.result(job, json!({"mark": id}), job.step.starts_with("batch"))),
        }
    }

    fn admit(&self, _: &ValidatedCall, job: &JobContext, records: &mut RecordView<'_>) -> Result<(), Failure> {
        if let Some(counter) = self.counter(job.key) {
            records.get("counter", counter).map_err(store_failed)?;
        }
        Ok(())
    }

    fn starts(&self, tool: &ToolRef, _: &Value) -> Starts {
        if tool.name == "t.child" { Starts::Child } else { Starts::Nothing }
    }

    fn limits(&self, tool: &ToolRef) -> Limits {
        let limited = tool.name == "t.check" && self.bug != Some(Bug::NoLimit);
        Limits { running: limited.then_some(CHECKS), rate: None }
    }

    fn grow(&self, _: RunView<'_>, _: &PlanStep, _: &ToolRef, _: JobId, _: &ToolResult) -> Result<Growth, Failure> {
        let fragment = plans::fragment();
        let body = serde_json::to_value(fragment.as_ref()).unwrap_or_default();
        let definitions = vec![Write::Define { hash: fragment.id().0, kind: "program", body }];
        Ok(Growth { program: Program::clone(&fragment), definitions })
    }

    fn accept(
        &self,
        _: &ToolRef,
        _: Value,
        _: &JobContext,
        mut result: ToolResult,
        corrections: &Value,
    ) -> Result<ToolResult, Failure> {
        if result.data["lie"] == true {
            return Err(Failure::contract("bad_result", "That is not what the tool declares."));
        }
        if let (Some(data), Some(corrections)) = (result.data.as_object_mut(), corrections.as_object()) {
            data.extend(corrections.clone());
        }
        Ok(result)
    }
}
