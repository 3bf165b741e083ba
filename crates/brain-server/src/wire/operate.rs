//! What operators look at and change: packs, tokens, the audit, moves to new packs.

use std::collections::BTreeMap;

use brain_kernel::{Move, Reloaded};
use brain_store::{AuditRow, TokenRow};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The packs that are in use now.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PacksReloaded {
    /// The packs with their versions.
    pub packs: BTreeMap<String, String>,
    /// How many tools they have.
    pub tools: usize,
    /// Tools, playbooks and record types that are new or have another definition than before.
    pub changed: Vec<String>,
    /// Tools, playbooks and record types that are gone. Runs under way that use them go on.
    pub removed: Vec<String>,
    /// How many warnings there are; `brain pack check` shows them.
    pub warnings: usize,
}

impl From<Reloaded> for PacksReloaded {
    fn from(done: Reloaded) -> Self {
        let Reloaded { packs, tools, changed, removed, warnings } = done;
        Self { packs, tools, changed, removed, warnings }
    }
}

/// A token, without its secret.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Token {
    /// Its id.
    #[schema(format = "uuid")]
    pub id: String,
    /// The tenant that it opens.
    pub tenant: String,
    /// What it is for.
    pub label: String,
    /// Whether it may approve.
    pub approver: bool,
    /// Its permissions; null: all of its tenant but `admin`.
    #[schema(required)]
    pub permissions: Option<Vec<String>>,
    /// The tier of its holder; null: any.
    #[schema(required)]
    pub tier: Option<String>,
    /// Whether it was revoked.
    pub revoked: bool,
    /// When it was made.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When it ends; null: never.
    #[schema(required, format = DateTime)]
    pub expires_at: Option<String>,
    /// The token itself: only in the response that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

impl From<&TokenRow> for Token {
    fn from(row: &TokenRow) -> Self {
        Self {
            id: row.id.to_string(),
            tenant: row.tenant.to_string(),
            label: row.label.clone(),
            approver: row.approver,
            permissions: row.permissions.clone(),
            tier: row.tier.clone(),
            revoked: row.revoked,
            created_at: row.created_at.to_string(),
            expires_at: row.expires_at.map(|at| at.to_string()),
            token: None,
        }
    }
}

/// A token to make.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// What it is for.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub label: Option<String>,
    /// Whether it may approve.
    #[serde(default)]
    pub approver: Option<bool>,
    /// Its permissions; without them, all of its tenant but `admin`.
    #[serde(default)]
    pub permissions: Option<Vec<String>>,
    /// The tier of its holder.
    #[serde(default)]
    pub tier: Option<String>,
    /// How long it is valid, such as `30d`; without it, for ever.
    #[serde(default)]
    pub expires_in: Option<String>,
}

/// An administrative action.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AuditEntry {
    /// When.
    #[schema(format = DateTime)]
    pub at: String,
    /// Who.
    pub who: String,
    /// What was done.
    pub what: String,
    /// To the data of which tenant; null: of all.
    #[schema(required)]
    pub tenant: Option<String>,
    /// More about it.
    pub detail: String,
}

impl From<AuditRow> for AuditEntry {
    fn from(row: AuditRow) -> Self {
        let AuditRow { at, who, what, tenant, detail } = row;
        Self { at: at.to_string(), who, what, tenant: tenant.map(|tenant| tenant.to_string()), detail }
    }
}

/// Runs to migrate to the loaded packs.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MigrateRuns {
    /// The runs; instead of `playbook`.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub runs: Option<Vec<String>>,
    /// All runs of this playbook that are in progress.
    #[serde(default)]
    pub playbook: Option<String>,
    /// Renamed steps, old to new; a removed step has the new name "".
    #[serde(default)]
    pub map: Option<BTreeMap<String, String>>,
    /// Only say what would be done.
    #[serde(default)]
    pub dry_run: Option<bool>,
    /// Maximum number of runs; default 100000.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 1, maximum = 100_000)]
    pub limit: Option<u64>,
}

/// The results.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct MigratedRuns {
    /// Each run.
    pub items: Vec<MigratedRun>,
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// How many were migrated.
    pub moved: usize,
    /// How many can be migrated, or were.
    pub movable: usize,
    /// How many are up to date.
    pub there: usize,
    /// How many cannot be migrated.
    pub stay: usize,
}

/// The result for one run.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct MigratedRun {
    /// The run.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// What it runs.
    pub name: String,
    /// The digest of its program before.
    pub from: String,
    /// The digest of its new program; null if there is none.
    #[schema(required)]
    pub to: Option<String>,
    /// Steps that have begun and stay as they are.
    pub kept: Vec<String>,
    /// Steps still to be done.
    pub ahead: Vec<String>,
    /// Why it cannot be migrated.
    pub problems: Vec<String>,
}

impl From<Move> for MigratedRun {
    fn from(about: Move) -> Self {
        Self {
            run_id: about.run.to_string(),
            name: about.name,
            from: about.from.to_string(),
            to: about.to.map(|to| to.to_string()),
            kept: about.unchanged,
            ahead: about.ahead,
            problems: about.problems,
        }
    }
}
