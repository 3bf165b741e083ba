//! Limits how many requests may wait to be written. When the store is slow, further ones are refused at once instead of
//! filling memory and running after their clients have given up.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use brain_core::TenantId;

/// Waiting requests by tenant.
pub(crate) struct Intake {
    of_tenant: usize,
    in_all: usize,
    waiting: Arc<Mutex<Waiting>>,
}

#[derive(Default)]
struct Waiting {
    in_all: usize,
    tenants: HashMap<TenantId, usize>,
}

impl Intake {
    pub(crate) fn new(of_tenant: usize, in_all: usize) -> Self {
        Self { of_tenant, in_all, waiting: Arc::default() }
    }

    /// Reserves a place for a request until it is dropped; `None` if the queue is full.
    pub(crate) fn enter(&self, tenant: &TenantId) -> Option<IntakePermit> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let own = waiting.tenants.get(tenant).copied().unwrap_or(0);
        if waiting.in_all >= self.in_all || own >= self.of_tenant {
            return None;
        }
        waiting.in_all += 1;
        *waiting.tenants.entry(tenant.clone()).or_default() += 1;
        let (tenant, waiting, gone) = (tenant.clone(), self.waiting.clone(), Arc::default());
        Some(IntakePermit { tenant, waiting, gone })
    }
}

/// The place of a waiting request. Dropped when it is answered or its caller gives up.
pub(crate) struct IntakePermit {
    tenant: TenantId,
    waiting: Arc<Mutex<Waiting>>,
    gone: Arc<AtomicBool>,
}

impl IntakePermit {
    /// A flag that becomes true when the caller has gone.
    pub(crate) fn gone(&self) -> Arc<AtomicBool> {
        self.gone.clone()
    }
}

impl Drop for IntakePermit {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.in_all -= 1;
        if let Some(own) = waiting.tenants.get_mut(&self.tenant) {
            *own -= 1;
            if *own == 0 {
                waiting.tenants.remove(&self.tenant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_requests_are_limited_per_tenant_and_in_total() {
        let intake = Intake::new(2, 3);
        let (one, other): (TenantId, TenantId) = ("one".parse().expect("a name"), "other".parse().expect("a name"));
        let first = intake.enter(&one).expect("room");
        let second = intake.enter(&one).expect("room");
        assert!(intake.enter(&one).is_none(), "the tenant's limit is two");
        let third = intake.enter(&other).expect("others have room");
        assert!(intake.enter(&other).is_none(), "the total limit is three");
        let gone = first.gone();
        assert!(!gone.load(Ordering::Relaxed));
        drop(first);
        assert!(gone.load(Ordering::Relaxed) && intake.enter(&one).is_some());
        drop((second, third));
        assert!(intake.waiting.lock().expect("free").tenants.is_empty(), "empty entries are removed");
    }
}
