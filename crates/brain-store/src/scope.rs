//! Tenancy as a type: there is no way to ask the store for a tenant's rows without a [`Scope`].

use brain_core::{TenantId, Timestamp};

use crate::{Audit, AuditRow, StoreError};

/// The right to see and change one tenant's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    tenant: TenantId,
}

impl Scope {
    /// The scope of a tenant. Only intake (after authentication) and the engine (from a run's row) create one.
    pub fn of(tenant: TenantId) -> Self {
        Self { tenant }
    }

    /// The tenant it gives access to.
    pub fn tenant(&self) -> &TenantId {
        &self.tenant
    }
}

/// The right to see scheduling columns of all tenants, and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemScope;

/// The right to see and change the rows of all tenants. Creating one records who asks and why in the store's audit,
/// before anything else happens.
#[derive(Debug)]
pub struct Sudo {
    who: String,
}

impl Sudo {
    /// Records the action, the affected tenant (`None` for all) and the reason in the audit, then grants the right.
    pub fn because(
        store: &(impl Audit + ?Sized),
        at: Timestamp,
        who: &str,
        what: &str,
        tenant: Option<&TenantId>,
        why: &str,
    ) -> Result<Self, StoreError> {
        let (who, what, detail) = (who.to_owned(), what.to_owned(), why.to_owned());
        store.note(&AuditRow { at, who: who.clone(), what, tenant: tenant.cloned(), detail })?;
        Ok(Self { who })
    }

    /// Who was granted the right.
    pub fn who(&self) -> &str {
        &self.who
    }
}
