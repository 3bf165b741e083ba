//! A last run after everything has ended, in a world without keepers. Notifications and timers in memory must be
//! enough; the keeper is only a safety net.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use brain_core::{Millis, RunStatus, SeededRandom, VirtualClock};
use brain_engine::FlowConfig;
use brain_kernel::{Expiry, Kernel, Mode, Request};
use brain_store::Store;
use brain_tools::{Toolbox, ToolboxConfig};
use serde_json::json;

use super::asks::{Answer, Then};
use super::outside::{Reached, Systems};
use super::{Slot, World, pack};

/// Time limit of the last run.
const PROBE: Millis = Millis(8_000);

/// A kernel that only reads runs, without faults.
pub(super) fn observer(base: Arc<dyn Store>, systems: &Arc<Systems>, truth: Arc<VirtualClock>) -> Arc<Kernel> {
    let dead = Arc::new(AtomicBool::new(true));
    let carrier = Arc::new(Reached { systems: systems.clone(), node: "-".into(), dead });
    let registry = pack::registry(false).clone();
    let toolbox = Arc::new(Toolbox::carried_by(registry.clone(), &ToolboxConfig::default(), carrier));
    let random = Box::new(SeededRandom::new(0));
    let (flow, expiry) = (FlowConfig::default(), Expiry::default());
    let made = Kernel::by_hand(registry, toolbox, base, truth, random, flow, expiry, &|host, outside| (host, outside));
    made.expect("a checked pack makes a kernel").0
}

impl World {
    /// Runs a child run, a worker's retry, and a step that waits for the child, without a keeper.
    pub(super) fn probe(&mut self) {
        for slot in &mut self.slots {
            if let Slot::Up(node) = slot {
                node.skew = 0;
            }
        }
        // One pass of every keeper first, so that clocks and leases are right.
        self.pass(Millis(1_000));
        self.turn_nodes(40, true);
        let scope = self.scopes[0].clone();
        let request = Request {
            calls: vec![("w.last".to_owned(), json!({"label": "last"}))],
            ..Request::say(scope.clone(), "", Mode::Enqueue)
        };
        let found: Arc<Mutex<Option<brain_core::RunId>>> = Arc::default();
        let seen = found.clone();
        self.ask("last".into(), "one more run, without a keeper".into(), Then::Nothing, |kernel| {
            Box::pin(async move {
                let begun = kernel.begin(&request).await?;
                *seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(begun.run);
                Ok(Answer::Run(begun.run))
            })
        });
        let until = self.now().plus(PROBE);
        let run = loop {
            self.pass(Millis(50));
            self.turn_nodes(40, false);
            self.take_answers();
            let run = *found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let open = !self.open_runs(&scope).is_empty();
            if (run.is_some() && !open) || self.now() > until {
                break run;
            }
        };
        let Some(run) = run else {
            self.problems.push("the last run was not accepted".into());
            return;
        };
        let Some(state) = self.state_of(&scope, run) else { return };
        let status = state.row.status;
        if status == RunStatus::Completed {
            return;
        }
        let jobs = state.state.as_ref().map(|machine| machine.jobs.clone()).unwrap_or_default();
        let waits = jobs.values().map(|job| format!("{:?}", job.status)).collect::<Vec<_>>().join(", ");
        let what = if waits.contains("child: true") {
            "it was not notified that its child run had ended"
        } else if waits.contains("Retrying") {
            "its timer did not fire"
        } else {
            "it does not end"
        };
        self.problems.push(format!("a run without a keeper is {status}: {what} ({waits})"));
    }
}
