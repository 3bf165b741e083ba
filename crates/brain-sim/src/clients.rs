//! Clients: they repeat a request under the same key until it is accepted, and each must end up with exactly one run.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use brain_core::{Digest, Failure, JobKey, Random, RunId, RunStatus, SeededRandom, Timestamp};
use brain_engine::core::Submission;
use brain_engine::{EngineError, JobOutcome, NewEvent, PipeEvent, RunInput, RunNews, Work, child_key};
use brain_registry::ToolResult;
use brain_store::{Scope, Write};
use brain_vm::Program;
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::outside::Order;
use crate::plans;
use crate::world::World;

pub(crate) type Pending = Pin<Box<dyn Future<Output = Result<RunNews, EngineError>>>>;

/// A client that wants one run.
pub(crate) struct Client {
    pub(crate) name: String,
    pub(crate) scope: Scope,
    program: Arc<Program>,
    /// Its idempotency key; without one it asks only once.
    pub(crate) key: Option<String>,
    /// Every run id it has submitted; at most one of them may exist.
    pub(crate) asked: Vec<RunId>,
    /// The run that was reported as accepted.
    pub(crate) accepted: Option<RunId>,
    pub(crate) gave_up: bool,
    parent: Option<(RunId, JobKey)>,
    /// Where the parent's call waits for the child run, and the node of the call.
    answer: Option<(Arc<Mutex<Option<JobOutcome>>>, String)>,
    pending: Option<Pending>,
    next: Timestamp,
    random: SeededRandom,
}

impl Client {
    pub(crate) fn new(number: u64, scope: Scope, at: Timestamp, dice: &mut Dice) -> Self {
        let key = (!dice.one_in(5)).then(|| format!("key {number}"));
        Self {
            name: format!("r{number}"),
            scope,
            program: plans::any_program(dice, true),
            key,
            asked: Vec::new(),
            accepted: None,
            gave_up: false,
            parent: None,
            answer: None,
            pending: None,
            next: at,
            random: SeededRandom::new(dice.seed()),
        }
    }

    /// One of many clients with requests at the same time.
    pub(crate) fn of_flood(number: u64, scope: Scope, at: Timestamp, dice: &mut Dice) -> Self {
        let program = plans::calls(dice);
        Self { program, ..Self::new(number, scope, at, dice) }
    }

    /// A client that submits the child run of a call. It tries once: if that fails, the call is repeated.
    pub(crate) fn of_order(order: Order, key: String, name: String, at: Timestamp, dice: &mut Dice) -> Self {
        let client = Self::new(0, order.scope, at, dice);
        Self {
            name,
            program: plans::any_program(dice, false),
            key: Some(key),
            parent: Some((order.parent, order.job)),
            answer: Some((order.answer, order.node)),
            ..client
        }
    }

    /// Whether it still wants a run.
    pub(crate) fn is_waiting(&self) -> bool {
        self.accepted.is_none() && !self.gave_up
    }

    fn submission(&mut self, now: Timestamp) -> Submission {
        let run = RunId::generate(now, &mut self.random);
        self.asked.push(run);
        let hash = self.program.id().0;
        let input = RunInput { work: Work::Calls(vec![json!({"of": self.name})]), ..RunInput::default() };
        let mut request = json!({"message": self.name});
        if let Some((parent, job)) = &self.parent {
            request["parent"] = json!({"run": parent, "job": job});
        }
        let body = serde_json::to_value(self.program.as_ref()).unwrap_or_default();
        Submission {
            run,
            scope: self.scope.clone(),
            request,
            prelude: vec![
                NewEvent::pipe(PipeEvent::Received, json!({}), None),
                NewEvent::pipe(PipeEvent::Planned, json!({}), Some(json!({"input": input}))),
            ],
            program: Some((hash, self.program.clone())),
            input,
            calls: Arc::default(),
            start: true,
            status: RunStatus::Running,
            key: self.key.clone().map(|key| (key, Digest::of(self.name.as_bytes()))),
            priority: u8::try_from(self.random.below(10) + 1).unwrap_or(1),
            writes: vec![Write::Define { hash, kind: "program", body }],
            expires_at: None,
        }
    }

    fn tell(&mut self, outcome: JobOutcome) {
        if let Some((answer, _)) = self.answer.take() {
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        }
    }

    fn is_accepted(&mut self, run: RunId) {
        self.accepted = Some(run);
        let mut result = ToolResult::ok(json!({"run_id": run}));
        result.delegate = Some(json!({"child_run": run}));
        self.tell(JobOutcome::Done(result));
    }
}

/// The result of a future, if it is ready.
pub(crate) fn poll(pending: &mut Pending) -> Option<Result<RunNews, EngineError>> {
    match pending.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}

impl World {
    /// Lets every client act.
    pub(crate) fn serve_clients(&mut self) {
        let mut orders = std::mem::take(&mut self.outside.seen().orders);
        for order in orders.drain(..) {
            let name = format!("{}c{}", self.listing.run(order.parent), self.clients.len());
            let key = child_key(self.disk.base.as_ref(), &order.scope, order.parent, order.job);
            let key = key.unwrap_or_else(|error| {
                self.problems.push(format!("{name}: {error}"));
                name.clone()
            });
            let client = Client::of_order(order, key, name, self.now(), &mut self.dice);
            self.clients.push(client);
        }
        let mut clients = std::mem::take(&mut self.clients);
        for client in &mut clients {
            self.serve(client);
        }
        self.clients = clients;
    }

    fn serve(&mut self, client: &mut Client) {
        let now = self.now();
        if let Some(pending) = &mut client.pending {
            let Some(result) = poll(pending) else { return };
            client.pending = None;
            self.answered(client, result);
        }
        if !client.is_waiting() || now < client.next {
            return;
        }
        // A child run is submitted on the node of its call; everything else on any node.
        let wanted = client.answer.as_ref().map(|(_, node)| node.clone());
        let Some(engine) = self.any_engine(wanted.as_deref()) else {
            if wanted.is_some() {
                client.gave_up = true;
            }
            return;
        };
        let submission = client.submission(now);
        let run = submission.run;
        self.listing.name(run, client.name.clone());
        let (node, engine) = engine;
        let name = client.name.clone();
        self.listing.note(&node, |_| format!("is asked for {name} (run {run}), the {}. time", client.asked.len()));
        client.pending = Some(Box::pin(async move { engine.submit(submission).await }));
    }

    fn answered(&mut self, client: &mut Client, result: Result<RunNews, EngineError>) {
        let name = client.name.clone();
        match result {
            Ok(news) => {
                self.listing.note("client", |_| format!("{name} is accepted: {}", news.status));
                client.is_accepted(news.run);
            }
            Err(EngineError::KeyTaken(key)) => {
                self.listing.note("client", |_| format!("{name} was accepted before"));
                match self.disk.base.by_key(&client.scope, &key) {
                    // The parent took it when it stopped.
                    Ok(Some((run, _))) if client.parent.is_some_and(|(parent, _)| parent == run) => {
                        let refused = Failure::business("child_refused", "The parent has stopped.").settled();
                        client.tell(JobOutcome::Failed(refused));
                        client.gave_up = true;
                    }
                    Ok(Some((run, _))) => client.is_accepted(run),
                    _ => self.problems.push(format!("{name}: its key is taken, but no run has it")),
                }
            }
            Err(error) => {
                self.listing.note("client", |_| format!("{name} hears: {error}"));
                client.tell(JobOutcome::Unknown(Failure::transient("child_unknown", error.to_string())));
                client.next = self.now().plus(brain_core::Millis(self.dice.between(50, 3_000)));
                client.gave_up = client.key.is_none() || client.parent.is_some();
            }
        }
    }
}

/// The data of a successful answer.
pub(crate) fn good(what: &str) -> Value {
    json!({what: true})
}
