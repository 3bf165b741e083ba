//! What the program around the server does for operators: it has the configuration, which the server does not know.

use std::fmt;

use brain_core::TenantId;
use brain_kernel::{Kernel, KernelError};
use brain_store::Scope;

use crate::wire::{DoctorCheck, SweptTenant};

/// Whose data a sweep covers.
#[derive(Clone, Debug)]
pub struct Sweeping<'a> {
    /// The tenant; `None`: all of them.
    pub tenant: Option<TenantId>,
    /// Only report what would be deleted.
    pub dry_run: bool,
    /// Return free space to the file system afterwards.
    pub compact: bool,
    /// Who does it, for the audit.
    pub by: &'a str,
}

/// The operators' work that needs the configuration.
pub trait Upkeep: Send + Sync {
    /// Applies the configured retention.
    fn sweep(&self, kernel: &Kernel, what: &Sweeping<'_>) -> Result<Vec<SweptTenant>, KernelError>;

    /// Checks the packs, the store and what the packs need of this machine.
    fn examine(&self, kernel: &Kernel, scope: &Scope) -> Result<Vec<DoctorCheck>, KernelError>;
}

impl fmt::Debug for dyn Upkeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Upkeep")
    }
}
