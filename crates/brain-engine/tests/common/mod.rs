//! A host with one tool, and an outside world that fails on purpose.
#![allow(dead_code, unreachable_pub, reason = "shared by test files that each use their own part")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use brain_core::{
    Digest, Failure, Millis, Random, RecordId, RunId, RunStatus, SeededRandom, TenantId, Timestamp, VirtualClock,
};
use brain_engine::core::Submission;
use brain_engine::{
    CheckAnswer, Growth, Host, HostFuture, JobContext, JobOutcome, Limits, NewEvent, Outside, PipeEvent, RecordView,
    RunInput, RunView, Starts, Work,
};
use brain_lang::binding::Binding;
use brain_lang::plan::{
    Args, Backoff, Foreach, Idempotency, OnFailure, Place, Plan, PlanCheck, PlanStep, PlanUndo, RetryPolicy, ToolRef,
};
use brain_registry::{PackSource, Tool, ToolResult, ValidatedCall};
use brain_store::{RecordRow, Scope, Write};
use brain_vm::{JobId, Program, compile};
use serde_json::{Value, json};

const PACK: &str = "name: t\nversion: 1.0.0\ntitle: T\nhosts: [t.invalid]\n";
const TOOLS: &str = "domain: t\ntools:\n  do:\n    title: Do\n    input: {text: string}\n    phrases: [\"do {text}\"]\n    behavior: {http: {method: POST, url: \"https://t.invalid/\"}}\n    undo: none\n";

pub fn tool() -> Arc<Tool> {
    let files = vec![("pack.yaml".to_owned(), PACK.to_owned()), ("tools/t.yaml".to_owned(), TOOLS.to_owned())];
    match brain_registry::load_sources(vec![PackSource::new("t", files)]) {
        Ok(loaded) => loaded.registry.tool("t.do").unwrap().clone(),
        Err(report) => panic!("{}", report.render(false)),
    }
}

pub fn scope() -> Scope {
    Scope::of(TenantId::default_tenant())
}

pub fn clock() -> Arc<VirtualClock> {
    Arc::new(VirtualClock::new(Timestamp::from_millis(1_800_000_000_000)))
}

/// What the outside world has seen.
#[derive(Default)]
pub struct Seen {
    /// Number of effects of each job, by its key.
    pub effects: BTreeMap<String, u32>,
    /// Number of calls of each job, by its key.
    pub calls: BTreeMap<String, u32>,
}

/// The fate of an external call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFate {
    Done,
    Busy,
    Refused,
    LostAfter,
    LostBefore,
    NoAnswer,
}

/// A host whose external calls have the fates that a function chooses.
pub struct TestHost {
    pub tool: Arc<Tool>,
    pub seen: Mutex<Seen>,
    pub fate: Box<dyn Fn(&JobContext) -> CallFate + Send + Sync>,
    pub inline_fails: Box<dyn Fn(&JobContext) -> bool + Send + Sync>,
    /// What follows from a successful result.
    pub sequel: Box<dyn Fn(&JobContext) -> Sequel + Send + Sync>,
    /// The limits of the tool.
    pub limits: Limits,
    /// What the calls of steps named `spawn` start.
    pub starts: Starts,
}

/// What a successful result leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequel {
    /// Nothing more.
    Nothing,
    /// It injects two steps.
    Grow,
    /// It waits for a review.
    Review,
    /// It is delegated to another engine.
    Delegate,
}

impl TestHost {
    fn result(&self, job: &JobContext, data: Value) -> ToolResult {
        let mut result = ToolResult::ok(data);
        match (self.sequel)(job) {
            Sequel::Nothing => {}
            Sequel::Grow => result.new_steps = vec![Value::Null],
            Sequel::Review => result.review = Some(json!({"ask": "right?"})),
            Sequel::Delegate => result.delegate = Some(json!({"within_ms": 60_000})),
        }
        result
    }
}

impl TestHost {
    pub fn new(fate: impl Fn(&JobContext) -> CallFate + Send + Sync + 'static) -> Self {
        Self {
            tool: tool(),
            seen: Mutex::default(),
            fate: Box::new(fate),
            inline_fails: Box::new(|_| false),
            sequel: Box::new(|_| Sequel::Nothing),
            limits: Limits::default(),
            starts: Starts::Nothing,
        }
    }
}

impl Host for TestHost {
    fn condition(&self, view: RunView<'_>, _: &PlanStep) -> Result<bool, Failure> {
        Ok(view.data.input.context.get("flag") != Some(&json!(false)))
    }

    fn items(&self, _: RunView<'_>, _: &PlanStep) -> Result<Vec<Value>, Failure> {
        Ok(vec![json!(1), json!(2), json!(3)])
    }

    fn bind(&self, view: RunView<'_>, step: &PlanStep, job: JobId) -> Result<ValidatedCall, Failure> {
        // Time-dependent on purpose: a later attempt must still get the arguments of the first.
        self.rebind(view.scope, &step.tool, json!({"text": format!("{} {} {}", step.id, job.item, view.now)}))
    }

    fn rebind(&self, _: &Scope, _: &ToolRef, args: Value) -> Result<ValidatedCall, Failure> {
        self.tool.validate(args).map_err(|errors| Failure::contract("invalid", errors[0].message.clone()))
    }

    fn decide(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure> {
        let id = RecordId::derive(job.started, job.key, job.job.step, job.job.item, 0);
        let row = RecordRow {
            kind: "mark".into(),
            id,
            revision: 1,
            state: None,
            created_at: job.now,
            updated_at: job.now,
            body: json!({"run": job.run, "step": job.step, "undo": job.job.undo, "args": call.args()}),
        };
        records.put(row, Vec::new(), None);
        if (self.inline_fails)(job) {
            return Err(Failure::business("no", "not this time"));
        }
        Ok(self.result(job, json!({"mark": id})))
    }

    fn grow(&self, _: RunView<'_>, _: &PlanStep, _: &ToolRef, _: JobId, _: &ToolResult) -> Result<Growth, Failure> {
        let mut gated = step("y", &["x"], Place::Inline);
        gated.gate = true;
        let steps = vec![step("x", &[], Place::Inline), gated, step("z", &[], Place::Outside(Idempotency::Key))];
        let fragment = program(steps);
        let body = serde_json::to_value(fragment.as_ref()).unwrap();
        let definitions = vec![Write::Define { hash: fragment.id().0, kind: "program", body }];
        Ok(Growth { program: Program::clone(&fragment), definitions })
    }

    fn limits(&self, _: &ToolRef) -> Limits {
        self.limits
    }

    fn starts(&self, _: &ToolRef, args: &Value) -> Starts {
        let spawns = args["text"].as_str().is_some_and(|text| text.starts_with("spawn "));
        if spawns { self.starts } else { Starts::Nothing }
    }

    fn admit(&self, _: &ValidatedCall, _: &JobContext, _: &mut RecordView<'_>) -> Result<(), Failure> {
        Ok(())
    }
}

impl Outside for TestHost {
    fn perform(&self, call: ValidatedCall, job: JobContext) -> HostFuture<JobOutcome> {
        let fate = (self.fate)(&job);
        let mut seen = self.seen.lock().unwrap();
        let key = job.key.to_string();
        *seen.calls.entry(key.clone()).or_default() += 1;
        if matches!(fate, CallFate::Done | CallFate::LostAfter) {
            *seen.effects.entry(key).or_default() += 1;
        }
        let outcome = match fate {
            CallFate::Done => JobOutcome::Done(self.result(&job, json!({"said": call.args()["text"]}))),
            CallFate::Busy => JobOutcome::Failed(Failure::transient("busy", "busy")),
            CallFate::Refused => JobOutcome::Failed(Failure::business("refused", "no")),
            CallFate::LostAfter | CallFate::LostBefore => JobOutcome::Unknown(Failure::transient("lost", "cut")),
            CallFate::NoAnswer => return Box::pin(std::future::pending()),
        };
        Box::pin(std::future::ready(outcome))
    }

    fn check(&self, _: &ToolRef, _: Value, job: JobContext) -> HostFuture<CheckAnswer> {
        let happened = self.seen.lock().unwrap().effects.contains_key(&job.key.to_string());
        let answer =
            if happened { CheckAnswer::Happened(ToolResult::ok(json!({"found": true}))) } else { CheckAnswer::DidNot };
        Box::pin(std::future::ready(answer))
    }
}

pub fn step(id: &str, after: &[&str], place: Place) -> PlanStep {
    let tool = ToolRef { name: "t.do".into(), hash: Digest::of(b"t.do") };
    let check = matches!(place, Place::Outside(Idempotency::Check(_)))
        .then(|| PlanCheck { tool: tool.clone(), retry: RetryPolicy { attempts: 1, ..RetryPolicy::default() } });
    PlanStep {
        id: id.into(),
        tool,
        args: Args::Call(0),
        after: after.iter().map(|one| (*one).to_owned()).collect(),
        when: None,
        foreach: None,
        on_failure: OnFailure::Stop,
        retry: RetryPolicy {
            attempts: 3,
            backoff: Backoff::Exponential,
            delay: Millis(100),
            max_delay: Millis(1000),
            jitter: 20,
            on: vec![],
        },
        timeout: Millis(1000),
        place,
        check,
        undo: None,
        needs: Vec::new(),
        gate: false,
    }
}

pub fn with_undo(mut step: PlanStep, place: Place) -> PlanStep {
    step.undo = Some(PlanUndo {
        tool: step.tool.clone(),
        args: Binding::parse(&json!({})).unwrap(),
        check: None,
        place,
        retry: step.retry.clone(),
        timeout: step.timeout,
        gate: false,
    });
    step
}

pub fn each(mut step: PlanStep) -> PlanStep {
    step.foreach = Some(Foreach { items: Binding::parse(&json!("= null")).unwrap(), at_a_time: 2 });
    step
}

pub fn program(steps: Vec<PlanStep>) -> Arc<Program> {
    Arc::new(compile(&Plan { name: "test".into(), steps, timeout: None, max_steps: 100, atomic: false }).unwrap())
}

pub fn submission(program: &Arc<Program>, n: u64) -> Submission {
    let hash = program.id().0;
    let input = RunInput { work: Work::Calls(vec![json!({"n": n})]), ..RunInput::default() };
    Submission {
        run: RunId::generate(Timestamp::from_millis(1_800_000_000_000 + n as i64), &mut SeededRandom::new(n)),
        scope: scope(),
        request: json!({"message": format!("request {n}")}),
        prelude: vec![
            NewEvent::pipe(PipeEvent::Received, json!({}), None),
            NewEvent::pipe(PipeEvent::Planned, json!({}), Some(json!({"input": input}))),
        ],
        program: Some((hash, program.clone())),
        input,
        calls: Arc::default(),
        start: true,
        status: RunStatus::Running,
        key: None,
        priority: 1,
        writes: vec![Write::Define { hash, kind: "program", body: serde_json::to_value(program.as_ref()).unwrap() }],
        expires_at: None,
    }
}

pub fn random(seed: u64) -> Box<dyn Random> {
    Box::new(SeededRandom::new(seed))
}
