//! Tenancy as a type: there is no way to ask the store for a tenant's rows without a [`Scope`].

use brain_core::{TenantId, Timestamp};

use crate::{Audit, AuditRow, StoreError};

/// The right to see and change one tenant's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    tenant: TenantId,
}

impl Scope {
    /// The scope of a tenant. Only intake (after authentication) and the engine (from a run's own row) make one.
    pub fn of(tenant: TenantId) -> Self {
        Self { tenant }
    }

    /// The tenant.
    pub fn tenant(&self) -> &TenantId {
        &self.tenant
    }
}

/// The right to see scheduling columns of all tenants, and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemScope;

/// The right to see and change what belongs to all tenants. Making one takes who asks and why; both are
/// written to the store's audit before anything else happens.
#[derive(Debug)]
pub struct Sudo {
    who: String,
}

impl Sudo {
    /// Writes to the audit who does what, to whom (`None`: to everyone) and why; then it may be done.
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

    /// Who asked.
    pub fn who(&self) -> &str {
        &self.who
    }
}
