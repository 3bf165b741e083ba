//! Approvals: the request for an approval, and the decision.

use brain_core::ApprovalStatus;
use brain_kernel::ApprovalView;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A request for approval.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Approval {
    /// Its id.
    #[schema(format = "uuid")]
    pub approval_id: String,
    /// The run that waits for it.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// `pending`, `approved`, `rejected`, `cancelled` or `expired`.
    #[schema(value_type = String)]
    pub status: ApprovalStatus,
    /// Who must approve: `user` (the requester) or `approver`.
    pub consent: String,
    /// The requester.
    pub asked_by: String,
    /// The message of the request; empty if tools were called directly.
    pub said: String,
    /// The calls to approve, one line each. Personal values are redacted unless the caller may decide.
    pub asks: Vec<String>,
    /// The digest of the plan: only exactly this is executed.
    pub digest: String,
    /// When the approval was requested.
    #[schema(format = DateTime)]
    pub asked_at: String,
    /// When the request expires; null if it does not.
    #[schema(required, format = DateTime)]
    pub expires_at: Option<String>,
    /// Who decided.
    #[schema(required)]
    pub decided_by: Option<String>,
    /// When it was decided.
    #[schema(required, format = DateTime)]
    pub decided_at: Option<String>,
    /// The note of the decision.
    #[schema(required)]
    pub note: Option<String>,
}

impl From<ApprovalView> for Approval {
    fn from(view: ApprovalView) -> Self {
        let ApprovalView { row, said, asks, note } = view;
        let text = |name: &str| row.body[name].as_str().map(str::to_owned);
        Self {
            approval_id: row.id.to_string(),
            run_id: row.run.to_string(),
            status: row.status,
            consent: text("consent").unwrap_or_default(),
            asked_by: text("asked_by").unwrap_or_default(),
            said,
            asks,
            digest: text("digest").unwrap_or_default(),
            asked_at: row.asked_at.to_string(),
            expires_at: text("expires_at"),
            decided_by: text("decided_by"),
            decided_at: text("decided_at"),
            note,
        }
    }
}

/// What a person decides about an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Execute it.
    Approve,
    /// Drop it.
    Reject,
}

/// A decision about an approval.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Decide {
    /// Required: without a decision nothing is executed.
    pub decision: Decision,
    /// The reason, for the log.
    #[serde(default)]
    #[schema(max_length = 4096)]
    pub note: Option<String>,
    /// The digest that the approver saw. If it differs from that of the approval, nothing is decided.
    #[serde(default)]
    #[schema(max_length = 128)]
    pub digest: Option<String>,
    /// How long to wait for the end of the run, 0 to 120000; default 30000.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 0, maximum = 120_000)]
    pub wait_timeout_ms: Option<u64>,
}
