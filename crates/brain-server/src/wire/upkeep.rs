//! Upkeep by operators: retention, lookup indexes, and a check of the server.

use brain_kernel::{NextAction, Reindexed};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which data the retention is applied to.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// All tenants, not only the caller's. Recorded in the audit log.
    #[serde(default)]
    pub all: Option<bool>,
    /// Only report what would be deleted.
    #[serde(default)]
    pub dry_run: Option<bool>,
    /// Return free space to the file system afterwards.
    #[serde(default)]
    pub compact: Option<bool>,
}

/// What the retention did.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Swept {
    /// Whether it was a dry run, which changes nothing.
    pub dry_run: bool,
    /// Each tenant.
    pub tenants: Vec<SweptTenant>,
}

/// What the retention did to the data of one tenant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SweptTenant {
    /// The tenant.
    pub tenant: String,
    /// Whether no retention is configured, so that nothing is ever deleted.
    pub kept_for_ever: bool,
    /// Runs whose values were erased.
    pub runs_erased: u64,
    /// Runs that were deleted.
    pub runs_deleted: u64,
    /// Runs whose logs were compacted.
    pub runs_compacted: u64,
    /// Blobs that were deleted.
    pub blobs_deleted: u64,
    /// Blobs that nothing refers to and that are kept for now.
    pub blobs_unused: u64,
    /// Bytes of the deleted blobs.
    pub bytes: u64,
    /// Corrections without a run that were deleted.
    pub corrections_deleted: u64,
    /// Notes of the retention itself that were deleted.
    pub notes_deleted: u64,
    /// Dead letters that expired because nobody resolved them in time.
    #[serde(default)]
    pub letters_expired: u64,
}

/// Which lookup indexes are rebuilt.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Reindex {
    /// The record type; without it, all of them.
    #[serde(default, rename = "type")]
    pub record_type: Option<String>,
    /// All tenants, not only the caller's. Recorded in the audit log.
    #[serde(default)]
    pub all: Option<bool>,
    /// Only count stale records.
    #[serde(default)]
    pub dry_run: Option<bool>,
}

/// Rebuilt lookup indexes.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReindexedTypes {
    /// Whether no record was refused.
    pub ok: bool,
    /// Whether it was a dry run, which changes nothing.
    pub dry_run: bool,
    /// Each tenant and type that has records.
    pub types: Vec<ReindexedType>,
}

/// The rebuilt lookup indexes of one type of one tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReindexedType {
    /// The tenant.
    pub tenant: String,
    /// The record type.
    #[serde(rename = "type")]
    pub record_type: String,
    /// Records checked.
    pub looked_at: u64,
    /// Records whose index was stale, and is rebuilt unless it was a dry run.
    pub indexed: u64,
    /// Records that were written meanwhile, which reindexed them.
    pub written_meanwhile: u64,
    /// Records whose unique value belongs to another record.
    pub refused: u64,
    /// The first of those, with reasons.
    pub reasons: Vec<String>,
}

impl ReindexedType {
    /// The outcome for one type of one tenant.
    pub fn of(tenant: &str, record_type: &str, done: Reindexed) -> Self {
        let Reindexed { looked_at, indexed, written_meanwhile, refused, reasons } = done;
        let (tenant, record_type) = (tenant.to_owned(), record_type.to_owned());
        Self { tenant, record_type, looked_at, indexed, written_meanwhile, refused, reasons }
    }
}

/// The state of the server and of what it depends on.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Doctor {
    /// Whether nothing is broken.
    pub ok: bool,
    /// Each check.
    pub checks: Vec<DoctorCheck>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DoctorCheck {
    /// What was checked.
    pub check: String,
    /// `good`, `look` (an operator should look) or `bad` (something does not work).
    pub level: String,
    /// What was found.
    pub detail: String,
    /// What to do about it, as data: `action` and what it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    pub actions: Vec<NextAction>,
}
