//! Clients: they repeat a request under the same key until it is accepted, and each must end up with exactly one run.

use brain_core::{Millis, RunId, Timestamp};
use brain_kernel::{Actor, KernelError, Mode, Request};
use brain_store::Scope;
use serde_json::{Value, json};

use super::asks::{Answer, Then};
use super::{World, pack, place};
use crate::dice::Dice;

/// A client that wants one run.
pub(super) struct Client {
    pub(super) name: String,
    pub(super) scope: Scope,
    calls: Vec<(String, Value)>,
    /// Its idempotency key; without one it asks only once.
    pub(super) key: Option<String>,
    /// The run that was reported as accepted.
    pub(super) accepted: Option<RunId>,
    pub(super) gave_up: bool,
    asking: bool,
    next: Timestamp,
}

impl Client {
    pub(super) fn new(number: u64, scope: Scope, at: Timestamp, dice: &mut Dice) -> Self {
        let name = format!("r{number}");
        let calls = match dice.below(12) {
            0 => vec![("w.both".to_owned(), json!({"label": name}))],
            1 => {
                let one = |tool: &str| (tool.to_owned(), json!({"label": name}));
                vec![one("w.note"), one("w.key"), one("w.bundle")]
            }
            2..=4 => {
                let side = if dice.one_in(2) { "w.left" } else { "w.right" };
                vec![(side.to_owned(), json!({"label": name, "place_id": place(dice.below(2))}))]
            }
            _ => {
                let items: Vec<u64> = (0..dice.below(4)).collect();
                let slots = json!({"label": name, "size": dice.below(10), "items": items,
                    "place_id": place(dice.below(2))});
                vec![(format!("w.thrown{}", dice.below(pack::THROWN)), slots)]
            }
        };
        let key = (!dice.one_in(6)).then(|| format!("key-{number}"));
        Self { name, scope, calls, key, accepted: None, gave_up: false, asking: false, next: at }
    }

    /// Whether it still wants a run.
    pub(super) fn is_waiting(&self) -> bool {
        self.accepted.is_none() && !self.gave_up
    }

    fn request(&self) -> Request {
        Request {
            actor: Actor { name: self.name.clone(), approver: false, ..Actor::local() },
            calls: self.calls.clone(),
            key: self.key.clone(),
            channel: "sim",
            ..Request::say(self.scope.clone(), "", Mode::Enqueue)
        }
    }
}

impl World {
    /// Lets every client act.
    pub(super) fn serve_clients(&mut self) {
        for number in 0..self.clients.len() {
            let client = &self.clients[number];
            if !client.is_waiting() || client.asking || self.now() < client.next {
                continue;
            }
            let request = client.request();
            let what = format!("{} wants {}", client.name, client.calls[0].0);
            let subject = format!("client {number}");
            self.clients[number].asking = self.ask(subject, what, Then::Accepted(number), |kernel| {
                Box::pin(async move { kernel.begin(&request).await.map(|begun| Answer::Run(begun.run)) })
            });
        }
    }

    pub(super) fn accepted(&mut self, client: usize, run: RunId) {
        let client = &mut self.clients[client];
        (client.asking, client.accepted) = (false, Some(run));
        self.listing.name(run, client.name.clone());
        let name = client.name.clone();
        self.listing.note("client", |_| format!("{name} is accepted: {run}"));
    }

    pub(super) fn not_accepted(&mut self, client: usize, error: &KernelError) {
        let next = self.now().plus(Millis(self.dice.between(50, 3_000)));
        let client = &mut self.clients[client];
        (client.asking, client.next) = (false, next);
        client.gave_up = client.key.is_none() || error.is_known();
        if client.gave_up && client.key.is_some() && !matches!(error, KernelError::Refused(_)) {
            let name = client.name.clone();
            self.problems.push(format!("the request of {name} was rejected: {error}"));
        }
    }
}
