//! Signals in memory.

use brain_core::{RunId, TenantId};

use super::{Inner, MemoryStore};
use crate::{Scope, SignalRow, Signals, StoreError, SystemScope};

impl Inner {
    pub(super) fn put_signal(&mut self, tenant: TenantId, row: SignalRow) {
        let inbox = self.signals.entry((tenant, row.run)).or_default();
        if inbox.iter().all(|one| one.id != row.id) {
            inbox.push(row);
        }
    }

    /// An inbox that has become empty is removed, so that an existing inbox always has signals.
    pub(super) fn take_signal(&mut self, tenant: TenantId, run: RunId, id: &str) {
        let slot = (tenant, run);
        let Some(inbox) = self.signals.get_mut(&slot) else { return };
        inbox.retain(|one| one.id != id);
        if inbox.is_empty() {
            self.signals.remove(&slot);
        }
    }
}

impl Signals for MemoryStore {
    fn signals(&self, scope: &Scope, run: RunId) -> Result<Vec<SignalRow>, StoreError> {
        let mut rows = self.lock().signals.get(&(scope.tenant().clone(), run)).cloned().unwrap_or_default();
        rows.sort_by_key(|row| row.at);
        Ok(rows)
    }

    fn signalled(
        &self,
        _: SystemScope,
        after: Option<&(TenantId, RunId)>,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId)>, StoreError> {
        let inner = self.lock();
        Ok(inner.signals.keys().filter(|key| after.is_none_or(|after| *key > after)).take(limit).cloned().collect())
    }
}
