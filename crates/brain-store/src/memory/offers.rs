//! Offers in memory.

use brain_core::JobKey;

use super::{Inner, MemoryStore};
use crate::{OfferRow, Offers, Scope, StoreError};

impl Offers for MemoryStore {
    fn offers(&self, scope: &Scope, topics: &[String], limit: usize) -> Result<Vec<OfferRow>, StoreError> {
        let inner = self.lock();
        let mut rows: Vec<_> = Inner::of_tenant(&inner.offers, scope.tenant())
            .map(|(_, row)| row)
            .filter(|row| topics.contains(&row.topic))
            .collect();
        rows.sort_by_key(|row| (row.order, row.key));
        Ok(rows.into_iter().take(limit).cloned().collect())
    }

    fn offer(&self, scope: &Scope, key: JobKey) -> Result<Option<OfferRow>, StoreError> {
        Ok(self.lock().offers.get(&(scope.tenant().clone(), key)).cloned())
    }
}
