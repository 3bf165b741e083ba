//! Calling a tool: its compiled schemas, the check that yields a [`ValidatedCall`], and the result of an attempt.

mod checker;
mod field_error;
mod format;
mod normalise;
mod result;
mod tool;
mod validated;

pub use checker::Checker;
pub use field_error::FieldError;
pub(crate) use field_error::expectation;
pub(crate) use format::{SchemaProblem, compile, decimal};
pub use normalise::normalise;
pub use result::{Artifact, ArtifactRole, TokenUsage, ToolResult};
pub use tool::{Tool, ToolError};
pub use validated::ValidatedCall;
pub(crate) use validated::problems_of;
