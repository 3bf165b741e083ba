//! What an error looks like: a problem document of RFC 9457.

use brain_kernel::KernelError;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::Problem;

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

impl ProblemDocument {
    /// Why the kernel did not answer. `detail` is for somebody at the machine, who may know what went wrong inside.
    pub fn of_kernel(error: KernelError, detail: &str) -> Self {
        Self { detail: detail.to_owned(), error_id: None, ..Problem::from(error).document() }
    }

    /// Why a command failed for another reason.
    pub fn of_command(detail: &str) -> Self {
        Self {
            kind: "urn:brain:error:command_failed".into(),
            title: "The command failed".into(),
            status: 500,
            detail: detail.to_owned(),
            code: "command_failed".into(),
            errors: Vec::new(),
            error_id: None,
        }
    }
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
