//! Which packs a run needs, and which decisions about it are rejected while they are not loaded: its steps would run
//! without the hosts, secrets and record types that they need.

use std::collections::BTreeSet;

use brain_core::{RunId, RunStatus};
use brain_engine::RunState;
use brain_store::Scope;
use brain_vm::JobStatus;

use crate::{Kernel, KernelError};

impl Kernel {
    /// Rejects a decision after which steps of a run may start, if one of its packs is not loaded. A run that cannot be
    /// read passes: the decision itself reports it.
    pub fn expect_packs(&self, scope: &Scope, run: RunId) -> Result<(), KernelError> {
        match self.engine().run_state(scope, run) {
            Ok(state) => self.expect_packs_of(&state),
            Err(_) => Ok(()),
        }
    }

    /// [`Kernel::expect_packs`] for the end of a run. No pack is needed if no call is under way and nothing is being
    /// undone.
    pub fn expect_packs_to_stop(&self, scope: &Scope, run: RunId) -> Result<(), KernelError> {
        match self.engine().run_state(scope, run) {
            Ok(state) if needs_packs_to_stop(&state) => self.expect_packs_of(&state),
            _ => Ok(()),
        }
    }

    fn expect_packs_of(&self, state: &RunState) -> Result<(), KernelError> {
        match self.missing_packs(state) {
            packs if packs.is_empty() => Ok(()),
            packs => Err(KernelError::PackNotLoaded { run: state.row.id, packs }),
        }
    }

    /// The packs that the definitions of a run come from and that are not loaded. A definition that cannot be read counts
    /// as loaded: the run itself reports it.
    fn missing_packs(&self, state: &RunState) -> Vec<String> {
        let mut missing = BTreeSet::new();
        let programs =
            state.code.iter().flat_map(|code| (0..).zip(code.hashes()).map(|(number, _)| code.program(number)));
        for reference in programs.flat_map(|program| program.steps.iter().flat_map(|step| step.tools())) {
            if let Ok(tool) = self.tool_of(reference)
                && !self.registry().packs().contains_key(&tool.def.pack)
                && tool.def.pack != brain_registry::NATIVE_PACK
            {
                missing.insert(tool.def.pack.clone());
            }
        }
        missing.into_iter().collect()
    }
}

fn needs_packs_to_stop(state: &RunState) -> bool {
    let jobs = state.state.iter().flat_map(|machine| &machine.jobs);
    let mut busy = jobs.filter(|(id, job)| {
        id.undo || job.status.is_out() || matches!(job.status, JobStatus::Delegated { .. } | JobStatus::Growing { .. })
    });
    state.row.status == RunStatus::Compensating || busy.next().is_some()
}
