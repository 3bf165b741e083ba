//! A closer look at a run: whether its log rebuilds it, and what waits for review.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Whether the log of a run rebuilds the state that is stored. Nothing is executed.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Replay {
    /// Whether it does.
    pub ok: bool,
    /// The run.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// How many events the log has.
    pub events: usize,
    /// The status that the log gives.
    pub status: String,
    /// The digest of the state that the log gives.
    pub state_digest: String,
    /// How many receipts it has.
    pub receipts: usize,
    /// What differs.
    pub differences: Vec<String>,
    /// How many calls were made: always 0.
    pub executed: usize,
}

impl From<brain_kernel::Replayed> for Replay {
    fn from(done: brain_kernel::Replayed) -> Self {
        Self {
            ok: done.differences.is_empty(),
            run_id: done.run.to_string(),
            events: done.events,
            status: done.status.to_string(),
            state_digest: done.digest,
            receipts: done.receipts,
            differences: done.differences,
            executed: 0,
        }
    }
}

/// A result that waits for somebody to look at it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WaitingReview {
    /// The step.
    pub step: String,
    /// The tool.
    pub tool: String,
    /// What is asked.
    pub ask: String,
    /// The result.
    #[schema(value_type = Value)]
    pub result: Value,
}

impl From<brain_kernel::WaitingReview> for WaitingReview {
    fn from(one: brain_kernel::WaitingReview) -> Self {
        let brain_kernel::WaitingReview { step, tool, ask, result } = one;
        Self { step, tool, ask, result }
    }
}
