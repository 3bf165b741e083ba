//! A validated call. The engine accepts nothing else, and only [`Tool::validate`] makes one.

use std::sync::Arc;

use serde_json::Value;

use super::field_error::{FieldError, problems};
use super::format::compile;
use super::normalise::normalise;
use super::tool::Tool;

/// A tool with arguments that fit its schema.
///
/// The fields are private and there is no other constructor: its holder knows that the tool is registered and
/// that its arguments were normalised, completed with defaults and validated.
///
/// ```compile_fail
/// fn forge(tool: std::sync::Arc<brain_registry::Tool>) -> brain_registry::ValidatedCall {
///     brain_registry::ValidatedCall { tool, args: serde_json::Value::Null }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct ValidatedCall {
    tool: Arc<Tool>,
    args: Value,
}

impl ValidatedCall {
    /// The tool.
    pub fn tool(&self) -> &Arc<Tool> {
        &self.tool
    }

    /// The arguments, with defaults filled in.
    pub fn args(&self) -> &Value {
        &self.args
    }

    /// The tool and the arguments.
    pub fn into_parts(self) -> (Arc<Tool>, Value) {
        (self.tool, self.args)
    }
}

impl Tool {
    /// Fills in defaults, normalises and validates arguments. Reports every invalid field, each once.
    pub fn validate(self: &Arc<Self>, args: Value) -> Result<ValidatedCall, Vec<FieldError>> {
        let args =
            normalise(&self.def.input, if args.is_null() { Value::Object(serde_json::Map::new()) } else { args });
        let found = problems(self.input(), &self.def.input, &args, "");
        if found.is_empty() { Ok(ValidatedCall { tool: Arc::clone(self), args }) } else { Err(found) }
    }

    /// Validates a result's data against the declared `output`, if any, and normalises it.
    pub fn validate_output(&self, data: Value) -> Result<Value, Vec<FieldError>> {
        let (Some(schema), Some(validator)) = (&self.def.output, self.output()) else { return Ok(data) };
        let data = normalise(schema, data);
        let found = problems(validator, schema, &data, "");
        if found.is_empty() { Ok(data) } else { Err(found) }
    }
}

/// The validation errors of one value, which messages call `name`.
pub(crate) fn problems_of(schema: &Value, value: &Value, name: &str) -> Vec<FieldError> {
    match compile(schema) {
        Ok(validator) => problems(&validator, schema, value, &format!("/{}", super::field_error::escape(name))),
        Err(_) => Vec::new(),
    }
}
