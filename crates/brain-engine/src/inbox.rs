//! The input queue of the core, fair between tenants.

use std::collections::{HashMap, HashSet, VecDeque};

use brain_core::{RunId, TenantId};

use crate::core::CoreInput;
use crate::flow::FlowConfig;

/// Pending inputs.
pub(crate) struct Inbox {
    flow: FlowConfig,
    /// Inputs of no tenant: durable commits.
    own: VecDeque<CoreInput>,
    tenants: HashMap<TenantId, Queue>,
    /// Tenants with pending inputs, in round-robin order.
    turns: VecDeque<TenantId>,
}

/// The pending inputs of one tenant. Requests and work found in the store take turns, so that a hundred thousand due
/// timers do not delay a new request.
#[derive(Default)]
struct Queue {
    /// Requests and answers.
    asked: VecDeque<CoreInput>,
    /// Due timers and orphaned runs.
    found: VecDeque<CoreInput>,
    /// The runs of those, and whether they are take-overs: for deduplication.
    runs: HashSet<(RunId, bool)>,
    /// Whether the next one comes from `found`.
    found_next: bool,
}

impl Queue {
    fn put(&mut self, input: CoreInput) {
        match input {
            CoreInput::Wake(_, run) | CoreInput::TakeOver(_, run, _) => {
                if self.runs.insert((run, matches!(input, CoreInput::TakeOver(..)))) {
                    self.found.push_back(input);
                }
            }
            input => self.asked.push_back(input),
        }
    }

    fn pop(&mut self) -> Option<CoreInput> {
        let (first, second) =
            if self.found_next { (&mut self.found, &mut self.asked) } else { (&mut self.asked, &mut self.found) };
        let input = first.pop_front().or_else(|| second.pop_front());
        if let Some(input @ (CoreInput::Wake(_, run) | CoreInput::TakeOver(_, run, _))) = &input {
            self.runs.remove(&(*run, matches!(input, CoreInput::TakeOver(..))));
        }
        self.found_next = !self.found_next;
        input
    }

    fn is_empty(&self) -> bool {
        self.asked.is_empty() && self.found.is_empty()
    }
}

impl Inbox {
    pub(crate) fn new(flow: FlowConfig) -> Self {
        Self { flow, own: VecDeque::new(), tenants: HashMap::new(), turns: VecDeque::new() }
    }

    pub(crate) fn put(&mut self, input: CoreInput) {
        let Some(tenant) = input.tenant() else {
            self.own.push_back(input);
            return;
        };
        if let Some(queue) = self.tenants.get_mut(tenant) {
            queue.put(input);
            return;
        }
        let tenant = tenant.clone();
        self.turns.push_back(tenant.clone());
        self.tenants.entry(tenant).or_default().put(input);
    }

    /// Whether [`Inbox::take`] would return something.
    pub(crate) fn has_some(&self, only_own: bool) -> bool {
        !self.own.is_empty() || (!only_own && !self.turns.is_empty())
    }

    /// Takes up to `max` inputs: durable commits first, then from each tenant in turn as many as its weight.
    pub(crate) fn take(&mut self, max: usize, only_own: bool, batch: &mut Vec<CoreInput>) {
        let own = self.own.len().min(max);
        batch.extend(self.own.drain(..own));
        if only_own {
            return;
        }
        while batch.len() < max
            && let Some(tenant) = self.turns.pop_front()
        {
            let Some(queue) = self.tenants.get_mut(&tenant) else { continue };
            let part = (self.flow.tenant(&tenant).weight.max(1) as usize).min(max - batch.len());
            batch.extend(std::iter::from_fn(|| queue.pop()).take(part));
            if queue.is_empty() {
                self.tenants.remove(&tenant);
            } else {
                self.turns.push_back(tenant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use brain_core::{SeededRandom, Timestamp};
    use brain_store::{Outcome, Scope};

    use super::*;

    #[test]
    fn timers_and_requests_of_one_tenant_take_turns() {
        let mut inbox = Inbox::new(FlowConfig::default());
        let run = |seed| RunId::generate(Timestamp::from_millis(1), &mut SeededRandom::new(seed));
        let scope = || Scope::of("one".parse().expect("a name"));
        for seed in 0..1_000 {
            inbox.put(CoreInput::Wake(scope(), run(seed)));
            inbox.put(CoreInput::Wake(scope(), run(seed)));
        }
        assert_eq!(inbox.tenants[scope().tenant()].found.len(), 1_000, "each run once");
        inbox.put(CoreInput::Signal(scope(), run(1)));
        let mut batch = Vec::new();
        inbox.take(2, false, &mut batch);
        assert!(batch.iter().any(|input| matches!(input, CoreInput::Signal(..))));
        assert!(batch.iter().any(|input| matches!(input, CoreInput::Wake(..))));
    }

    #[test]
    fn a_flood_does_not_make_others_wait() {
        let mut inbox = Inbox::new(FlowConfig::default());
        let run = RunId::generate(Timestamp::from_millis(1), &mut SeededRandom::new(1));
        let scope = |name: &str| Scope::of(name.parse().expect("a name"));
        for _ in 0..1_000 {
            inbox.put(CoreInput::Signal(scope("flood"), run));
        }
        inbox.put(CoreInput::Signal(scope("other"), run));
        inbox.put(CoreInput::Committed(1, Ok(Outcome::Committed)));
        let mut batch = Vec::new();
        inbox.take(4, false, &mut batch);
        let who: Vec<_> = batch.iter().map(|input| input.tenant().map(|tenant| tenant.as_str().to_owned())).collect();
        assert_eq!(who, [None, Some("flood".into()), Some("other".into()), Some("flood".into())]);
        batch.clear();
        inbox.take(10, true, &mut batch);
        assert!(batch.is_empty() && inbox.has_some(false) && !inbox.has_some(true));
    }
}
