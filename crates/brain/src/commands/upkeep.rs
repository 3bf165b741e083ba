//! What operators ask of a server and what needs its configuration: retention, and a check of its machine.

use std::sync::Arc;

use brain_core::TenantId;
use brain_kernel::{Kernel, KernelError};
use brain_server::wire::{DoctorCheck, SweptTenant};
use brain_server::{Sweeping, Upkeep};
use brain_store::Scope;

use crate::config::Settings;

/// The configuration of this server.
pub(super) struct Own {
    pub(super) settings: Arc<Settings>,
    /// The URL of the store, without its password.
    pub(super) store: String,
}

impl Upkeep for Own {
    fn sweep(&self, kernel: &Kernel, what: &Sweeping<'_>) -> Result<Vec<SweptTenant>, KernelError> {
        // Reread, so that changes take effect without a restart.
        let settings = self.settings.again().map_err(failed)?;
        let (config, store) = (settings.config(), kernel.store().as_ref());
        let letters = |tenant: &TenantId| match what.dry_run {
            true => super::gc::count_overdue(config, store, tenant),
            false => super::gc::end_letters(kernel, tenant),
        };
        super::gc::sweep_tenants(config, store, what, None, &letters, &|| {}).map_err(failed)
    }

    fn examine(&self, kernel: &Kernel, scope: &Scope) -> Result<Vec<DoctorCheck>, KernelError> {
        super::doctor::examine(kernel, scope, &self.store, self.settings.config()).map_err(failed)
    }
}

/// Operators get the reason, not only an error id.
fn failed(error: anyhow::Error) -> KernelError {
    KernelError::Conflict(format!("{error:#}"))
}
