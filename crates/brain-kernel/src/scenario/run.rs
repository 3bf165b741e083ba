//! Runs one scenario, step by step.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use brain_core::{ApprovalStatus, Clock, Millis, SeededRandom, TenantId, Timestamp, VirtualClock};
use brain_engine::core::ToJob;
use brain_engine::log::entries;
use brain_engine::{Driver, JobOutcome, LetterDecision};
use brain_lang::binding::Binding;
use brain_lang::feel::Value as FeelValue;
use brain_registry::model::{Action, Expect, ExpectRecords, Scenario, ScenarioStep, Stub};
use brain_registry::{Registry, ToolResult};
use brain_store::{MemoryStore, RecordFilter, Scope, Store};
use brain_tools::{Evaluation, Toolbox, ToolboxConfig, record_json};
use serde_json::{Map, Value, json};

use super::stub::{StubWorld, whole_result};
use crate::LanguageConfig;
use crate::approve::Decision;
use crate::budget::SpendCaps;
use crate::error::KernelError;
use crate::intake::{Actor, Limits, Mode, Request};
use crate::kernel::{Expiry, Kernel, host};
use crate::narrate::{Problem, Report};
use crate::pipe::Begun;
use crate::review::Verdict;

/// The outcome of a scenario.
#[derive(Clone, Debug)]
pub struct ScenarioOutcome {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// How many steps it has.
    pub steps: usize,
    /// Failed expectations: the line in the file, and the problem.
    pub failures: Vec<(usize, String)>,
}

/// The default start time of scenarios: a Monday morning.
const START: Timestamp = Timestamp::from_millis(1_772_442_000_000);

/// Runs a scenario. It stops at the first failed expectation.
pub fn run_scenario(registry: &Arc<Registry>, scenario: &Scenario) -> ScenarioOutcome {
    let mut outcome = ScenarioOutcome {
        name: scenario.name.clone(),
        file: scenario.file.clone(),
        steps: scenario.steps.len(),
        failures: Vec::new(),
    };
    let mut world = match World::new(registry, scenario) {
        Ok(world) => world,
        Err(error) => {
            outcome.failures.push((1, error.to_string()));
            return outcome;
        }
    };
    for step in &scenario.steps {
        if let Err(problem) = world.step(step) {
            outcome.failures.push((step.line, problem));
            break;
        }
    }
    outcome
}

struct World {
    registry: Arc<Registry>,
    toolbox: Arc<Toolbox>,
    store: Arc<dyn Store>,
    clock: Arc<VirtualClock>,
    outside: Arc<StubWorld>,
    driver: Driver,
    kernel: Arc<Kernel>,
    scope: Scope,
    names: Map<String, Value>,
    last: Option<Report>,
    starts: u64,
    seed: u64,
}

impl World {
    fn new(registry: &Arc<Registry>, scenario: &Scenario) -> Result<Self, KernelError> {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let clock = Arc::new(VirtualClock::new(scenario.start.unwrap_or(START)));
        let stubs = scenario.stubs.iter().map(|(tool, list)| (tool.clone(), (list.clone(), 0))).collect();
        let real = host(registry, &ToolboxConfig::default(), &SpendCaps::default(), &store)?;
        let outside = Arc::new(StubWorld {
            real: real.clone(),
            clock: clock.clone(),
            stubs: Mutex::new(stubs),
            hanging: Mutex::default(),
        });
        let driver = new_driver(&store, &outside, &clock, scenario.seed);
        let random = Box::new(SeededRandom::new(scenario.seed ^ 0x5eed));
        let kernel = Kernel::over(
            driver.engine().clone(),
            registry.clone(),
            &real,
            random,
            &LanguageConfig::default(),
            Expiry::default(),
        )?;
        Ok(Self {
            registry: registry.clone(),
            toolbox: real.toolbox().clone(),
            store,
            clock,
            outside,
            driver,
            kernel,
            scope: Scope::of(TenantId::default_tenant()),
            names: Map::new(),
            last: None,
            starts: 0,
            seed: scenario.seed,
        })
    }

    fn step(&mut self, step: &ScenarioStep) -> Result<(), String> {
        if let Some(action) = &step.action {
            self.act(action, step)?;
        }
        if let Some(expect) = &step.expect {
            self.expect(expect)?;
        }
        for (name, binding) in &step.names {
            let value = self.evaluate(binding)?;
            self.names.insert(name.clone(), value);
        }
        for expect in &step.expect_records {
            self.expect_records(expect)?;
        }
        Ok(())
    }

    fn act(&mut self, action: &Action, step: &ScenarioStep) -> Result<(), String> {
        let actor = match &step.actor {
            Some(person) => Actor {
                name: person.name.clone(),
                id: None,
                approver: !person.no_approver,
                permissions: person.permissions.clone(),
                tier: person.tier.clone(),
            },
            None => Actor::local(),
        };
        match action {
            Action::Say(text) => {
                let said = self.evaluate(text)?;
                let said = said.as_str().map_or_else(|| said.to_string(), str::to_owned);
                self.request(&said, Vec::new(), step, actor)
            }
            Action::Call(calls) => {
                let mut asked = Vec::new();
                for (tool, input) in calls {
                    asked.push((tool.clone(), self.evaluate(input)?));
                }
                self.request("", asked, step, actor)
            }
            Action::Advance(length) => {
                let until = self.clock.now().plus(*length);
                self.driver.advance_to(until);
                self.refresh()
            }
            Action::Kill => self.kill(),
            Action::Approve => self.decide(Decision::Approve, &actor),
            Action::Reject => self.decide(Decision::Reject, &actor),
            other => self.intervene(other, &actor),
        }
    }

    fn request(
        &mut self,
        message: &str,
        calls: Vec<(String, Value)>,
        step: &ScenarioStep,
        actor: Actor,
    ) -> Result<(), String> {
        let mode = match &step.mode {
            Some(mode) => Mode::parse(mode).ok_or_else(|| format!("`{mode}` is not a mode"))?,
            None => Mode::EnqueueAndWait,
        };
        let context = match &step.context {
            Some(binding) => self.evaluate(binding)?,
            None => Value::Null,
        };
        let request = Request {
            calls,
            actor,
            channel: "scenario",
            context,
            conversation: step.conversation.clone(),
            policy: step.policy,
            limits: Limits {
                max_tool_calls: step.max_tool_calls.unwrap_or(Limits::default().max_tool_calls),
                ..Limits::default()
            },
            ..Request::say(self.scope.clone(), message, mode)
        };
        let kernel = self.kernel.clone();
        let begun = self.driver.block_on(kernel.begin(&request), None).ok_or("the request did not settle")?;
        let begun = begun.map_err(|error| error.to_string())?;
        let in_time = !begun.wait || self.wait(&begun, request.limits.wait_timeout_ms);
        self.last = Some(kernel.conclude(&request, &begun, None, !in_time).map_err(|error| error.to_string())?);
        Ok(())
    }

    /// Whether the run settled in time.
    fn wait(&mut self, begun: &Begun, timeout: u64) -> bool {
        let deadline = self.clock.now().plus(Millis(timeout));
        let engine = self.driver.engine().clone();
        let scope = self.scope.clone();
        self.driver.block_on(engine.wait(&scope, begun.run), Some(deadline)).is_some()
    }

    fn decide(&mut self, decision: Decision, actor: &Actor) -> Result<(), String> {
        let pending = self
            .store
            .approvals(&self.scope, Some(ApprovalStatus::Pending), 1, None)
            .map_err(|error| error.to_string())?;
        let row = pending.items.into_iter().next().ok_or("no approval is pending")?;
        let kernel = self.kernel.clone();
        let (scope, id) = (self.scope.clone(), row.id.to_string());
        let decided = self.driver.block_on(kernel.decide(&scope, &id, None, decision, actor, ""), None);
        decided.ok_or("the run did not settle after the decision")?.map_err(|error| error.to_string())?;
        self.wait(&Begun::earlier(row.run, true, None), 30_000);
        self.last = Some(kernel.report(&scope, row.run).map_err(|error| error.to_string())?);
        Ok(())
    }

    /// Actions of people and external systems on a run in progress.
    fn intervene(&mut self, action: &Action, actor: &Actor) -> Result<(), String> {
        let run = self.last.as_ref().map(|report| report.run).ok_or("there is no run yet")?;
        let (kernel, scope) = (self.kernel.clone(), self.scope.clone());
        match action {
            Action::Work { topic, answer } => {
                let topics = [topic.clone()];
                let taking = kernel.take(&scope, &topics, "scenario", 1, None);
                let taken =
                    self.driver.block_on(taking, None).ok_or("no job came")?.map_err(|error| error.to_string())?;
                let job = taken.into_iter().next().ok_or_else(|| format!("no job of topic `{topic}` is waiting"))?;
                if let Some(answer) = answer {
                    let answered =
                        kernel.answer_job(&scope, job.key, &job.lease, Some(job.args_hash), outcome_of(answer)?);
                    self.driver.block_on(answered, None).ok_or("no answer")?.map_err(|error| error.to_string())?;
                }
            }
            Action::Callback(answer) => {
                let key = kernel.delegated(&scope, run).ok_or("nothing is delegated")?;
                let message = ToJob::Answer { attempt: None, outcome: outcome_of(answer)? };
                let engine = self.driver.engine().clone();
                let answer = engine.tell_job(&scope, run, key, message);
                self.driver.block_on(answer, None).ok_or("no answer")?.map_err(|error| error.to_string())?;
            }
            Action::Review(corrections) => {
                let verdict = match corrections {
                    Some(fields) => Verdict::Accept(self.evaluate(fields)?),
                    None => Verdict::Reject,
                };
                let reviewed = kernel.review(&scope, run, None, verdict, actor, "");
                self.driver.block_on(reviewed, None).ok_or("no answer")?.map_err(|error| error.to_string())?;
            }
            Action::Undo { step } => {
                let undone = kernel.undo(&scope, run, step.as_deref(), actor);
                let undone = self.driver.block_on(undone, None).ok_or("no answer")?;
                match undone {
                    Ok(report) => {
                        self.last = Some(report);
                        return Ok(());
                    }
                    Err(error) => {
                        let last = self.last.as_mut().ok_or("there is no run yet")?;
                        last.ok = false;
                        last.errors = vec![Problem::new("refused", error.to_string())];
                        return Ok(());
                    }
                }
            }
            Action::Retry => {
                let open = self.store.dead_letters(&scope, Some(true), 1, None).map_err(|error| error.to_string())?;
                let letter = open.items.into_iter().next().ok_or("there is no open dead letter")?;
                let decided = kernel.decide_letter(&scope, letter.id, LetterDecision::Retry, "scenario", "");
                self.driver.block_on(decided, None).ok_or("no answer")?.map_err(|error| error.to_string())?;
            }
            Action::Cancel => {
                let cancelled = kernel.cancel(&scope, run);
                self.driver.block_on(cancelled, None).ok_or("no answer")?.map_err(|error| error.to_string())?;
            }
            _ => return Err("this action does not apply to a run".into()),
        }
        self.wait(&Begun::earlier(run, true, None), 30_000);
        self.refresh()
    }

    /// Simulates a crash: only the store survives. Another process starts and takes over.
    fn kill(&mut self) -> Result<(), String> {
        let dead = self.driver.engine().node();
        self.starts += 1;
        self.driver = new_driver(&self.store, &self.outside, &self.clock, self.seed + self.starts);
        let random = Box::new(SeededRandom::new(self.seed ^ (0x5eed + self.starts)));
        let engine = self.driver.engine().clone();
        self.kernel = Kernel::over(
            engine,
            self.registry.clone(),
            &self.outside.real,
            random,
            &LanguageConfig::default(),
            Expiry::default(),
        )
        .map_err(|error| error.to_string())?;
        self.driver.take_over(dead);
        self.refresh()
    }

    fn refresh(&mut self) -> Result<(), String> {
        if let Some(last) = &self.last {
            let report = self.kernel.report(&self.scope, last.run).map_err(|error| error.to_string())?;
            self.last = Some(report);
        }
        Ok(())
    }

    /// The data of all steps of the last run together.
    fn result(&self) -> Value {
        let mut merged = Map::new();
        for receipt in self.last.iter().flat_map(|report| &report.receipts) {
            if let Value::Object(fields) = &receipt.result {
                merged.extend(fields.clone());
            }
        }
        Value::Object(merged)
    }

    fn evaluate(&self, binding: &Binding) -> Result<Value, String> {
        let mut evaluation = Evaluation::new(self.clock.now(), self.toolbox.zone().clone(), b"scenario");
        for (name, value) in &self.names {
            evaluation.set(name, FeelValue::from_json(value));
        }
        evaluation.set("settings", self.toolbox.settings().current().values.clone());
        evaluation.set("result", FeelValue::from_json(&self.result()));
        if let Some(report) = &self.last {
            evaluation.set("run", FeelValue::from_json(&json!({"id": report.run, "status": report.status})));
        }
        evaluation.json(binding).map_err(|error| error.to_string())
    }

    fn expect(&self, expect: &Expect) -> Result<(), String> {
        let report = self.last.as_ref().ok_or("nothing has been asked yet")?;
        let shown = || format!("\n    the answer was: {}", report.message.replace('\n', "\n    "));
        if let Some(ok) = expect.ok
            && ok != report.ok
        {
            return Err(format!("expected ok: {ok}, got {}{}", report.ok, shown()));
        }
        let texts = [
            ("confidence", &expect.confidence, report.confidence.as_str()),
            ("status", &expect.status, report.status.as_str()),
        ];
        for (name, wanted, got) in texts {
            if let Some(wanted) = wanted
                && wanted != got
            {
                return Err(format!("expected {name} `{wanted}`, got `{got}`{}", shown()));
            }
        }
        if let Some(tool) = &expect.tool {
            let planned = report.planned.first().map_or("nothing", |call| call.tool.as_str());
            if planned != tool {
                return Err(format!("expected the tool `{tool}`, but `{planned}` was planned{}", shown()));
            }
        }
        for text in &expect.errors {
            if !report.errors.iter().any(|problem| problem.message.contains(text) || problem.code == *text) {
                let got: Vec<&str> = report.errors.iter().map(|problem| problem.message.as_str()).collect();
                return Err(format!("expected an error with `{text}`, got {got:?}"));
            }
        }
        for text in &expect.message {
            if !report.message.contains(text) {
                return Err(format!("expected a message with `{text}`{}", shown()));
            }
        }
        if let Some(binding) = &expect.result {
            let wanted = self.evaluate(binding)?;
            let got = self.result();
            contains(&wanted, &got, "result")?;
        }
        if let Some(binding) = &expect.batch {
            let wanted = self.evaluate(binding)?;
            contains(&wanted, report.batch.as_ref().unwrap_or(&Value::Null), "batch")?;
        }
        for text in &expect.waits_for {
            if !report.waits_for.iter().any(|one| one.contains(text)) {
                return Err(format!(
                    "expected it to wait for `{text}`, but it is waiting for {:?}{}",
                    report.waits_for,
                    shown()
                ));
            }
        }
        if !expect.events.is_empty() {
            self.expect_events(&expect.events, report)?;
        }
        Ok(())
    }

    fn expect_events(&self, wanted: &BTreeMap<String, u32>, report: &Report) -> Result<(), String> {
        let log = self.store.log(&self.scope, report.run).map_err(|error| error.to_string())?;
        let mut found: BTreeMap<&str, u32> = BTreeMap::new();
        for entry in entries(&log) {
            *found.entry(entry.name()).or_default() += 1;
        }
        for (name, count) in wanted {
            let got = found.get(name.as_str()).copied().unwrap_or(0);
            if got != *count {
                return Err(format!("expected {count} events `{name}`, found {got}; the log has {found:?}"));
            }
        }
        Ok(())
    }

    fn expect_records(&self, expect: &ExpectRecords) -> Result<(), String> {
        let all = self
            .store
            .records(&self.scope, &expect.record_type, &RecordFilter::default(), 10_000, None)
            .map_err(|error| error.to_string())?;
        let mut wanted = Map::new();
        for (field, binding) in &expect.filter {
            wanted.insert(field.clone(), self.evaluate(binding)?);
        }
        let wanted = Value::Object(wanted);
        let rows: Vec<Value> =
            all.items.iter().map(record_json).filter(|row| contains(&wanted, row, "").is_ok()).collect();
        if let Some(count) = expect.count
            && rows.len() != count as usize
        {
            return Err(format!("expected {count} `{}` records, found {}", expect.record_type, rows.len()));
        }
        for (field, binding) in &expect.fields {
            let value = self.evaluate(binding)?;
            for row in &rows {
                contains(&value, &row[field], &format!("{}.{field}", expect.record_type))?;
            }
        }
        Ok(())
    }
}

fn outcome_of(stub: &Stub) -> Result<JobOutcome, String> {
    Ok(match stub {
        Stub::Result(data) => JobOutcome::Done(ToolResult::ok(data.clone())),
        Stub::Answer(answer) => JobOutcome::Done(whole_result(answer)?),
        Stub::Failure(failure) => JobOutcome::Failed(failure.clone()),
        Stub::Timeout | Stub::Lost => return Err("an answer is needed here".into()),
    })
}

fn new_driver(store: &Arc<dyn Store>, outside: &Arc<StubWorld>, clock: &Arc<VirtualClock>, seed: u64) -> Driver {
    let random = Box::new(SeededRandom::new(seed));
    Driver::new(store.clone(), outside.real.clone(), outside.clone(), clock.clone(), random)
}

/// Whether a value contains the wanted one: objects by their members, everything else by equality.
fn contains(wanted: &Value, got: &Value, path: &str) -> Result<(), String> {
    match (wanted, got) {
        (Value::Object(wanted), Value::Object(got)) => {
            for (name, value) in wanted {
                contains(value, got.get(name).unwrap_or(&Value::Null), &format!("{path}.{name}"))?;
            }
            Ok(())
        }
        (wanted, got) if wanted == got => Ok(()),
        (wanted, got) => Err(format!("expected {path} to be {wanted}, got {got}")),
    }
}

#[cfg(test)]
mod tests {
    use brain_registry::PackSource;
    use brain_store::LogRow;

    use super::*;

    const PACK: &str = "name: n4\nversion: 1.0.0\ntitle: N4\n";
    const RECORDS: &str = "record: thing\ntitle: Thing\nfields:\n  name: string\n  code: string\n";
    const TOOLS: &str = "domain: n4\ntools:\n  add:\n    title: Add\n    input: {name: string}\n    phrases: [\"add thing {name}\"]\n    behavior: {record: {insert: thing, set: {code: \"= uuid()\"}}}\n    undo: none\n";
    const SCENARIO: &str = "scenario: two things\nseed: 7\nsteps:\n  - say: \"add thing one\"\n  - advance: 1h\n  - say: \"add thing two and add thing three\"\n";

    /// Everything that a world has written, byte by byte.
    fn written(registry: &Arc<Registry>) -> String {
        let scenario = &registry.scenarios()[0];
        let mut world = World::new(registry, scenario).unwrap();
        for step in &scenario.steps {
            world.step(step).unwrap();
        }
        let runs = world.store.runs(&world.scope, None, 100, None).unwrap().items;
        let logs: Vec<Vec<LogRow>> = runs.iter().map(|run| world.store.log(&world.scope, run.id).unwrap()).collect();
        let records = world.store.records(&world.scope, "thing", &RecordFilter::default(), 100, None).unwrap().items;
        assert_eq!(records.len(), 3);
        format!("{runs:?} {logs:?} {records:?}")
    }

    #[test]
    fn the_same_words_give_the_same_bytes() {
        let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        let files = vec![
            file("pack.yaml", PACK),
            file("records/thing.yaml", RECORDS),
            file("tools/n4.yaml", TOOLS),
            file("scenarios/one.yaml", SCENARIO),
        ];
        let loaded = brain_registry::load_sources(vec![PackSource::new("n4", files)]);
        let registry = Arc::new(loaded.unwrap_or_else(|report| panic!("{}", report.render(false))).registry);
        assert_eq!(written(&registry), written(&registry));
    }
}
