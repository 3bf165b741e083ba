//! Operators: they apply retention and compaction while nodes work, expire dead letters, migrate runs to a newer
//! pack, pause nodes, and replace them gracefully.

use brain_core::Millis;
use brain_engine::{Keep, sweep};
use brain_store::SystemScope;
use brain_vm::StepMap;

use super::asks::{Answer, Then};
use super::{Slot, World};

/// How long a node that is being replaced waits for calls under way.
const DRAIN: Millis = Millis(15_000);

impl World {
    /// What operators do in this round.
    pub(super) fn operate(&mut self) {
        if !self.calm && self.dice.permille(40) {
            self.sweep();
        }
        if !self.calm && self.dice.permille(30) {
            self.expire_letters();
        }
        if !self.calm && self.newer && self.dice.permille(100) {
            self.move_some();
        }
        self.replace();
        if self.calm {
            return;
        }
        if self.dice.permille(12) {
            self.newer = true;
        }
        let place = self.dice.below(self.slots.len() as u64) as usize;
        let (drains, pauses) = (self.dice.permille(12), self.dice.permille(10));
        let now = self.now();
        let Slot::Up(node) = &mut self.slots[place] else { return };
        if !node.ready || node.draining.is_some() {
            return;
        }
        let (name, engine) = (node.name.clone(), node.kernel.engine().clone());
        if drains {
            node.draining = Some(now);
            engine.pause(true);
            self.listing.note(&name, |_| "is to be replaced".to_owned());
        } else if pauses {
            let paused = !engine.is_paused();
            engine.pause(paused);
            self.listing.note(&name, |_| if paused { "is paused" } else { "goes on" }.to_owned());
        }
    }

    /// Ends draining nodes that are idle or out of time.
    fn replace(&mut self) {
        let now = self.now();
        for place in 0..self.slots.len() {
            let Slot::Up(node) = &self.slots[place] else { continue };
            let Some(since) = node.draining else { continue };
            let engine = node.kernel.engine();
            let owned = self.disk.base.owned_by(SystemScope, engine.node(), 1);
            let idle = engine.outside_jobs() == 0 && owned.is_ok_and(|owned| owned.is_empty());
            if idle || now > since.plus(DRAIN) || self.calm {
                engine.stop();
                node.kill();
                let name = node.name.clone();
                self.listing
                    .note(&name, |_| format!("ends, {}", if idle { "in good order" } else { "with work under way" }));
                self.tally.restarts += 1;
                self.slots[place] = Slot::Down(now);
            }
        }
    }

    /// Applies retention to a tenant through the store of a random node.
    fn sweep(&mut self) {
        let Some((node, kernel)) = self.any_kernel() else { return };
        let place = self.dice.below(self.scopes.len() as u64) as usize;
        let scope = self.scopes[place].clone();
        let keep = Keep {
            payloads: self.dice.one_in(2).then(|| Millis(self.dice.between(4_000, 20_000))),
            runs: self.dice.one_in(2).then(|| Millis(self.dice.between(6_000, 30_000))),
            blobs: Millis(60_000),
            long: self.dice.between(8, 40),
        };
        let now = self.now();
        let swept = sweep(kernel.store().as_ref(), &scope, now, keep, false);
        if let Ok(swept) = &swept {
            self.tally.swept += swept.runs_deleted + swept.runs_erased + swept.runs_compacted;
        }
        self.listing.note(&node, |_| format!("sweeps {} with {keep:?}: {swept:?}", scope.tenant()));
    }

    /// Ends the letters of a tenant that nobody decided about in time.
    fn expire_letters(&mut self) {
        let place = self.dice.below(self.scopes.len() as u64) as usize;
        let scope = self.scopes[place].clone();
        let what = format!("expire the letters of {}", scope.tenant());
        self.ask(what.clone(), what, Then::Nothing, |kernel| {
            Box::pin(async move { kernel.expire_letters(&scope).await.map(|_| Answer::Jobs(Vec::new())) })
        });
    }

    /// Migrates a run to the newer pack.
    fn move_some(&mut self) {
        let place = self.dice.below(self.scopes.len() as u64) as usize;
        let scope = self.scopes[place].clone();
        let open = self.open_runs(&scope);
        let Some(&run) = self.dice.pick(&open) else { return };
        let Some(state) = self.state_of(&scope, run) else { return };
        let before = state.receipts().unwrap_or_default();
        let what = format!("move {} to the newer pack", self.listing.run(run));
        self.ask(format!("move {run}"), what, Then::Moved(run, before), |kernel| {
            Box::pin(async move {
                let program = kernel.store().run(&scope, run)?.and_then(|row| row.program);
                let moved = kernel.move_run(&scope, run, &StepMap::default(), "operator").await?;
                if kernel.store().run(&scope, run)?.and_then(|row| row.program) == program {
                    return Err(brain_kernel::KernelError::Conflict("it is there already".into()));
                }
                Ok(Answer::Run(moved.run))
            })
        });
    }
}
