//! Problem documents (RFC 9457).

use brain_kernel::KernelError;
use brain_registry::{Diagnostic, Report};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::{PACKS_REFUSED, Problem};

/// Why a request failed (RFC 9457).
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProblemDocument {
    /// Identifies the kind of problem: `urn:brain:error:<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    /// A short description of the kind; equal for every problem of the kind.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What was wrong in this case, and what to do.
    pub detail: String,
    /// Stable, machine-readable.
    pub code: String,
    /// The invalid parts of the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldProblem>,
    /// With `internal`: the id under which the server's log has details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_id: Option<String>,
}

impl ProblemDocument {
    /// A kernel error. `detail` is for a local user and may contain internal details.
    pub fn of_kernel(error: KernelError, detail: &str) -> Self {
        Self { detail: detail.to_owned(), error_id: None, ..Problem::from(error).document() }
    }

    /// Any other failure of a command.
    pub fn of_command(detail: &str) -> Self {
        Self::of_program("command_failed", "The command failed", 500, detail)
    }

    /// No server answers a command.
    pub fn of_unreachable(detail: &str) -> Self {
        Self::of_program("unreachable", "Server unreachable", 503, detail)
    }

    /// A file that a command would overwrite.
    pub fn of_existing_file(detail: &str) -> Self {
        Self::of_program("file_exists", "File exists", 409, detail)
    }

    /// A file that a command reads and that is not there.
    pub fn of_missing_file(detail: &str) -> Self {
        Self::of_program("no_such_file", "File not found", 404, detail)
    }

    /// Packs with errors that a command cannot start with.
    pub fn of_packs(report: &Report, detail: &str) -> Self {
        let errors = report.diagnostics().iter().map(FieldProblem::from).collect();
        Problem::new(PACKS_REFUSED, detail).with_errors(errors).document()
    }

    /// Arguments that a command cannot use.
    pub fn of_usage(detail: &str) -> Self {
        Self::of_program("usage", "Wrong usage", 400, detail)
    }

    /// A problem that the command line found by itself, without a request.
    fn of_program(code: &str, title: &str, status: u16, detail: &str) -> Self {
        Self {
            kind: format!("urn:brain:error:{code}"),
            title: title.into(),
            status,
            detail: detail.to_owned(),
            code: code.into(),
            errors: Vec::new(),
            error_id: None,
        }
    }
}

/// An invalid part of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldProblem {
    /// The path of the field, such as `limits.max_tool_calls`.
    pub field: String,
    /// What was wrong, and what to do.
    pub message: String,
}

impl From<&Diagnostic> for FieldProblem {
    fn from(one: &Diagnostic) -> Self {
        let message = match &one.help {
            Some(help) => format!("{}: {} ({help})", one.code, one.message),
            None => format!("{}: {}", one.code, one.message),
        };
        Self { field: format!("{}:{}:{}", one.file, one.line, one.column), message }
    }
}

impl From<brain_kernel::FieldProblem> for FieldProblem {
    fn from(problem: brain_kernel::FieldProblem) -> Self {
        Self { field: problem.field, message: problem.message }
    }
}
