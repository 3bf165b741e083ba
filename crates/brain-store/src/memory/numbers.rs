//! The numbers of runs.

use std::collections::BTreeMap;

use brain_core::{RunId, TenantId};

/// The assigned numbers, and the last one assigned.
#[derive(Default)]
pub(super) struct Numbers {
    given: BTreeMap<i64, (TenantId, RunId)>,
    last: i64,
}

impl Numbers {
    /// Assigns this number, or the next one, to a run that has none.
    pub(super) fn give(&mut self, tenant: TenantId, run: RunId, number: Option<i64>) {
        if self.number_of(&tenant, run).is_none() {
            let number = number.unwrap_or(self.last + 1);
            self.last = self.last.max(number);
            self.given.insert(number, (tenant, run));
        }
    }

    /// Forgets the number of a deleted run. Numbers are not reused.
    pub(super) fn take_back(&mut self, tenant: &TenantId, run: RunId) {
        self.given.retain(|_, (owner, of)| owner != tenant || *of != run);
    }

    pub(super) fn number_of(&self, tenant: &TenantId, run: RunId) -> Option<i64> {
        self.given.iter().find(|(_, (owner, of))| owner == tenant && *of == run).map(|(number, _)| *number)
    }

    pub(super) fn run_numbered(&self, tenant: &TenantId, number: i64) -> Option<RunId> {
        self.given.get(&number).filter(|(owner, _)| owner == tenant).map(|(_, run)| *run)
    }
}
