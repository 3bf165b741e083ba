//! Tenancy as a type: there is no way to ask the store for a tenant's rows without a [`Scope`].

use brain_core::TenantId;

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
