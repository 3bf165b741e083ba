//! Which packs a run needs.

use std::collections::BTreeSet;

use brain_core::RunId;
use brain_store::Scope;

use crate::{Kernel, KernelError};

impl Kernel {
    /// The packs that the definitions of a run come from and that are not loaded. A definition that cannot be read counts
    /// as loaded: the run itself reports it.
    pub fn missing_packs(&self, scope: &Scope, run: RunId) -> Result<Vec<String>, KernelError> {
        let state = self.engine().run_state(scope, run)?;
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
        Ok(missing.into_iter().collect())
    }
}
