//! What an error looks like: a problem document of RFC 9457.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why a request was not answered (RFC 9457).
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProblemDocument {
    /// Names the kind of problem: `urn:brain:error:<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind of problem in words; the same for every problem of the kind.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What was wrong this time, and what to do.
    pub detail: String,
    /// Stable, machine-readable.
    pub code: String,
    /// The parts of the request that do not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldProblem>,
    /// With `internal`: what to look for in the server's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_id: Option<String>,
}

/// A part of the request that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldProblem {
    /// Where, as a path such as `limits.max_tool_calls`.
    pub field: String,
    /// What was wrong, and what to do.
    pub message: String,
}

impl From<brain_kernel::FieldProblem> for FieldProblem {
    fn from(problem: brain_kernel::FieldProblem) -> Self {
        Self { field: problem.field, message: problem.message }
    }
}
