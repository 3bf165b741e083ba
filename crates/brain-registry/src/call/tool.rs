//! A callable tool.

use std::fmt;
use std::sync::Arc;

use brain_core::{Digest, canonical_digest};
use jsonschema::Validator;

use super::format::{SchemaProblem, compile};
use crate::model::ToolDef;

/// A definition with its hash and its compiled schemas.
pub struct Tool {
    /// The definition.
    pub def: ToolDef,
    /// The digest of its canonical form, which programs pin.
    pub hash: Digest,
    input: Validator,
    output: Option<Validator>,
}

/// A definition whose schemas cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("tool `{tool}` has an invalid {part} schema: {problem}")]
pub struct ToolError {
    tool: String,
    part: &'static str,
    problem: String,
}

impl Tool {
    /// Compiles a definition: a loaded one, or a stored one that a run still pins.
    pub fn from_def(def: ToolDef) -> Result<Arc<Self>, ToolError> {
        let wrong = |part: &'static str| {
            let tool = def.name.clone();
            move |problem: SchemaProblem| ToolError { tool, part, problem: problem.message }
        };
        let input = compile(&def.input).map_err(wrong("input"))?;
        let output = def.output.as_ref().map(compile).transpose().map_err(wrong("output"))?;
        let hash = canonical_digest(&def);
        Ok(Arc::new(Self { def, hash, input, output }))
    }

    /// The name, `domain.name`.
    pub fn name(&self) -> &str {
        &self.def.name
    }

    pub(crate) fn input(&self) -> &Validator {
        &self.input
    }

    pub(crate) fn output(&self) -> Option<&Validator> {
        self.output.as_ref()
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.def.name).field("hash", &self.hash).finish_non_exhaustive()
    }
}

impl PartialEq for Tool {
    /// Tools are equal if their definitions are.
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}
