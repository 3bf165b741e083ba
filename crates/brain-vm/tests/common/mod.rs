//! Plans for tests, and a world that answers what the machine asks.
#![allow(dead_code, unreachable_pub, reason = "shared by test files that each use their own part")]

use brain_core::{Digest, Failure, Millis, Timestamp};
use brain_lang::binding::Binding;
use brain_lang::plan::{
    Backoff, Foreach, Idempotency, OnFailure, Place, Plan, PlanStep, PlanUndo, RetryPolicy, ToolRef,
};
use brain_vm::{Event, Input, JobId, JobStatus, Machine, Need, Program, State};

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
        args: binding("x"),
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

pub fn undoable(mut step: PlanStep) -> PlanStep {
    step.undo = Some(PlanUndo {
        tool: tool(&format!("t.un{}", step.id)),
        args: binding("x"),
        place: Place::Outside(Idempotency::Key),
        retry: retry(2),
        timeout: Millis(1000),
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

/// A run and the log of what happened in it.
pub struct World {
    pub program: Program,
    pub state: State,
    pub log: Vec<Event>,
    pub now: Timestamp,
    pub flag: bool,
    pub items: u32,
    /// Jobs handed over and not answered.
    pub open: Vec<(JobId, u32)>,
}

impl World {
    pub fn new(plan: &Plan) -> Self {
        let program = brain_vm::compile(plan).unwrap();
        let state = State::new(&program);
        let mut world = Self {
            program,
            state,
            log: vec![],
            now: Timestamp::from_millis(1_000),
            flag: true,
            items: 3,
            open: vec![],
        };
        world.input(Input::Start);
        world
    }

    pub fn input(&mut self, input: Input) {
        self.put(input);
        self.advance();
    }

    fn put(&mut self, input: Input) {
        let events = Machine::new(&self.program).decide(&self.state, input, self.now, 0);
        self.fold(events);
    }

    fn fold(&mut self, events: Vec<Event>) {
        for event in events {
            self.state.apply(&self.program, &event);
            self.log.push(event);
        }
    }

    fn advance(&mut self) {
        for _ in 0..10_000 {
            let Some(need) = Machine::new(&self.program).next(&self.state) else { return };
            match need {
                Need::Condition(step) => self.put(Input::Condition(step, self.flag)),
                Need::Items(step) => self.put(Input::Items(step, self.items)),
                Need::Start(job, _) if Machine::new(&self.program).is_exhausted(&self.state, job) => {
                    self.put(Input::Halt(Failure::business("max_steps", "too many")));
                }
                Need::Start(job, _)
                    if matches!(self.program.step(job.step).place, Place::Worker { .. }) && !job.undo =>
                {
                    self.put(Input::Offer(job));
                }
                Need::Start(job, _) if self.program.step(job.step).gate && !self.granted(job) && !job.undo => {
                    self.put(Input::Hold(job));
                }
                Need::Start(job, attempt) => {
                    self.put(Input::Handed(job, attempt));
                    self.open.push((job, attempt));
                }
                Need::Close(job, attempt) => self.put(Input::Done(job, attempt)),
                Need::Nothing => {
                    let events = Machine::new(&self.program).proceed(&self.state);
                    self.fold(events);
                }
            }
        }
        panic!("the machine does not come to rest");
    }

    fn granted(&self, job: JobId) -> bool {
        self.state.jobs.get(&job).is_some_and(|job| job.granted)
    }

    /// A job ends with steps that it brings along.
    pub fn inject(&mut self, job: JobId, attempt: u32, fragment: &Plan) {
        let fragment = brain_vm::compile(fragment).unwrap();
        let path = format!("{}[{}]", self.program.step(job.step).id, job.item);
        let input = Input::Inject(job, attempt, fragment.id().0, path.clone());
        let events = Machine::new(&self.program).decide(&self.state, input, self.now, 0);
        if events.iter().any(|event| matches!(event, Event::StepsInjected { .. })) {
            self.program.grow(&fragment, &path);
        }
        self.fold(events);
        self.advance();
    }

    /// The jobs in a status.
    pub fn jobs_that(&self, fits: impl Fn(&JobStatus) -> bool) -> Vec<(JobId, u32)> {
        self.state.jobs.iter().filter(|(_, job)| fits(&job.status)).map(|(id, job)| (*id, job.attempt)).collect()
    }

    /// Answers the open job of a step.
    pub fn answer(&mut self, step: &str, item: u32, answer: impl Fn(JobId, u32) -> Input) {
        let index = self.program.step_index(step).unwrap();
        let at = self.open.iter().position(|(job, _)| job.step == index && job.item == item).unwrap();
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
                format!("{undo}{}{item}", self.program.step(job.step).id)
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

    /// Replaying the log gives the same state.
    pub fn assert_replays(&self) {
        let mut state = State::new(&self.program);
        for event in &self.log {
            let stored = event.data();
            let read = Event::read(event.number(), event.version(), &stored).unwrap();
            assert_eq!(&read, event, "an event comes back from the log as it was");
            state.apply(&self.program, &read);
        }
        assert_eq!(state, self.state);
    }
}
