//! Plans for tests, and a world that answers the machine's needs.
#![allow(dead_code, unreachable_pub, reason = "shared by test files that each use their own part")]

use brain_core::{Digest, Failure, Millis, Timestamp};
use brain_lang::binding::Binding;
use brain_lang::plan::{
    Backoff, Foreach, Idempotency, OnFailure, Place, Plan, PlanCheck, PlanStep, PlanUndo, RetryPolicy, ToolRef,
};
use std::sync::Arc;

use brain_vm::{Code, Event, Input, JobId, JobStatus, Machine, Need, Program, ScopeId, State};

pub fn binding(text: &str) -> Binding {
    Binding::parse(&serde_json::Value::from(text)).unwrap()
}

pub fn tool(name: &str) -> ToolRef {
    ToolRef { name: name.into(), hash: Digest::of(name.as_bytes()) }
}

pub fn retry(attempts: u32) -> RetryPolicy {
    let delay = Millis(100);
    RetryPolicy { attempts, backoff: Backoff::Exponential, delay, max_delay: Millis(1000), jitter: 0, on: vec![] }
}

pub fn step(id: &str, after: &[&str]) -> PlanStep {
    PlanStep {
        id: id.into(),
        tool: tool(&format!("t.{id}")),
        args: brain_lang::plan::Args::Binding(binding("x")),
        after: after.iter().map(|one| (*one).to_owned()).collect(),
        when: None,
        foreach: None,
        on_failure: OnFailure::Stop,
        retry: retry(3),
        timeout: Millis(1000),
        place: Place::Outside(Idempotency::Key),
        check: None,
        undo: None,
        needs: Vec::new(),
        gate: false,
    }
}

/// A check by `t.check`, called at most twice.
pub fn check() -> PlanCheck {
    PlanCheck { tool: tool("t.check"), retry: retry(2) }
}

pub fn undoable(mut step: PlanStep) -> PlanStep {
    step.undo = Some(PlanUndo {
        tool: tool(&format!("t.un{}", step.id)),
        args: binding("x"),
        place: Place::Outside(Idempotency::Key),
        check: None,
        retry: retry(2),
        timeout: Millis(1000),
        gate: false,
    });
    step
}

pub fn each(mut step: PlanStep, at_a_time: u16) -> PlanStep {
    step.foreach = Some(Foreach { items: binding("= input.items"), at_a_time });
    step
}

pub fn when(mut step: PlanStep) -> PlanStep {
    step.when = Some(binding("= input.flag"));
    step
}

pub fn plan(steps: Vec<PlanStep>) -> Plan {
    Plan { name: "test".into(), steps, timeout: None, max_steps: 50, atomic: false }
}

/// The code of a run of a program.
pub fn code_of(program: Program) -> Code {
    Code::new(program.id().0, Arc::new(program))
}

/// A job of the run itself.
pub fn job(step: u16) -> JobId {
    JobId { scope: 0, step, item: 0, undo: false }
}

/// A run and the log of what happened in it.
pub struct World {
    pub code: Code,
    pub state: State,
    pub log: Vec<Event>,
    pub now: Timestamp,
    pub flag: bool,
    pub items: u32,
    /// Jobs handed over and not answered.
    pub open: Vec<(JobId, u32)>,
    /// Whether the result of a job that injected steps is invalid.
    pub bad_close: bool,
}

impl World {
    pub fn new(plan: &Plan) -> Self {
        Self::of(code_of(brain_vm::compile(plan).unwrap()))
    }

    pub fn of(code: Code) -> Self {
        code.root().check().unwrap();
        let state = State::new(&code);
        let mut world = Self {
            code,
            state,
            log: vec![],
            now: Timestamp::from_millis(1_000),
            flag: true,
            items: 3,
            open: vec![],
            bad_close: false,
        };
        world.input(Input::Start);
        world
    }

    pub fn input(&mut self, input: Input) {
        self.put(input);
        self.advance();
    }

    fn put(&mut self, input: Input) {
        let events = Machine::new(&self.code).decide(&self.state, input, self.now, 0);
        self.fold(events);
    }

    fn fold(&mut self, events: Vec<Event>) {
        for event in events {
            assert!(self.state.takes(&self.code, &event), "{event:?}");
            self.state.apply(&self.code, &event);
            self.log.push(event);
        }
    }

    /// Advances until the run waits for an input, and counts the needs met on the way.
    fn advance(&mut self) {
        for _ in 0..2_000 {
            let Some(need) = Machine::new(&self.code).next(&self.state) else { return };
            match need {
                Need::Condition(at) => self.put(Input::Condition(at, self.flag)),
                Need::Items(at) => self.put(Input::Items(at, self.items)),
                Need::Arm(fiber) => self.put(Input::Arm(fiber)),
                Need::Start(job, _)
                    if Machine::new(&self.code).is_exhausted(&self.state, job, self.code.root().max_steps) =>
                {
                    self.put(Input::Halt(job.scope, Failure::business("max_steps", "too many")));
                }
                Need::Start(job, attempt) => {
                    let step = self.state.step(&self.code, job.at());
                    match step.call(job.undo).place {
                        _ if step.gate && !self.granted(job) && !job.undo => {
                            self.put(Input::Hold(job, Some(self.now.plus(Millis(5_000)))));
                        }
                        Place::Worker { .. } => self.put(Input::Offer(job)),
                        Place::Inline => self.put(Input::Done(job, attempt)),
                        Place::Outside(_) => {
                            self.put(Input::Handed(job, attempt));
                            self.open.push((job, attempt));
                        }
                    }
                }
                Need::Close(job, attempt) if self.bad_close => {
                    self.put(Input::DoneBadly(job, attempt, Failure::contract("bad_output", "does not fit")));
                }
                Need::Close(job, attempt) => self.put(Input::Done(job, attempt)),
                Need::Proceed(scope) => {
                    let events = Machine::new(&self.code).proceed(&self.state, scope);
                    self.fold(events);
                }
            }
        }
        panic!("the machine does not come to rest");
    }

    fn granted(&self, job: JobId) -> bool {
        self.state.jobs.get(&job).is_some_and(|job| job.granted)
    }

    /// Ends a job with steps that it injects.
    pub fn inject(&mut self, job: JobId, attempt: u32, fragment: &Plan) {
        let fragment = Arc::new(brain_vm::compile(fragment).unwrap());
        let hash = fragment.id().0;
        self.code.add(hash, &fragment);
        let events = Machine::new(&self.code).decide(&self.state, Input::Inject(job, attempt, hash), self.now, 0);
        self.fold(events);
        self.advance();
    }

    /// The jobs with a status.
    pub fn jobs_that(&self, fits: impl Fn(&JobStatus) -> bool) -> Vec<(JobId, u32)> {
        self.state.jobs.iter().filter(|(_, job)| fits(&job.status)).map(|(id, job)| (*id, job.attempt)).collect()
    }

    /// Answers the open job of a step.
    pub fn answer(&mut self, step: &str, item: u32, answer: impl Fn(JobId, u32) -> Input) {
        let is_it = |job: &JobId| self.state.step_path(&self.code, job.at()) == step && job.item == item;
        let at = self.open.iter().position(|(job, _)| is_it(job)).unwrap();
        let (job, attempt) = self.open.remove(at);
        self.input(answer(job, attempt));
    }

    pub fn done(&mut self, step: &str) {
        self.answer(step, 0, Input::Done);
    }

    pub fn fail(&mut self, step: &str, failure: Failure) {
        self.answer(step, 0, move |job, attempt| Input::Failed(job, attempt, failure.clone()));
    }

    pub fn open_steps(&self) -> Vec<String> {
        self.open
            .iter()
            .map(|(job, _)| {
                let undo = if job.undo { "-" } else { "" };
                let item = if job.item > 0 { format!("#{}", job.item) } else { String::new() };
                format!("{undo}{}{item}", self.state.step_path(&self.code, job.at()))
            })
            .collect()
    }

    pub fn status(&self) -> String {
        self.state.status().to_string()
    }

    pub fn tick(&mut self, millis: u64) {
        self.now = self.now.plus(Millis(millis));
        self.input(Input::Tick);
    }

    /// Checks that replaying the log gives the same state.
    pub fn assert_replays(&self) {
        let mut state = State::new(&self.code);
        for event in &self.log {
            let stored = event.data();
            let read = Event::read(event.number(), event.version(), &stored).unwrap();
            assert_eq!(&read, event, "an event comes back from the log as it was");
            state.apply(&self.code, &read);
        }
        assert_eq!(state, self.state);
        let stored = serde_json::to_value(&self.state).unwrap();
        assert_eq!(serde_json::from_value::<State>(stored).unwrap(), self.state, "a checkpoint comes back as it was");
    }

    /// The open jobs of a scope.
    pub fn jobs_in(&self, scope: ScopeId) -> usize {
        self.state.jobs.keys().filter(|job| job.scope == scope).count()
    }
}
