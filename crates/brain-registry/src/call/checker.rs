//! A compiled schema for values other than tool inputs, such as record bodies.

use jsonschema::Validator;
use serde_json::Value;

use super::field_error::{FieldError, problems};
use super::format::compile;
use super::normalise::normalise;

/// A compiled schema.
pub struct Checker {
    schema: Value,
    validator: Validator,
}

impl Checker {
    /// Compiles a schema; `None` if it is not valid JSON Schema.
    pub fn new(schema: Value) -> Option<Self> {
        let validator = compile(&schema).ok()?;
        Some(Self { schema, validator })
    }

    /// Normalises and validates a value.
    pub fn check(&self, value: Value) -> Result<Value, Vec<FieldError>> {
        let value = normalise(&self.schema, value);
        let found = problems(&self.validator, &self.schema, &value, "");
        if found.is_empty() { Ok(value) } else { Err(found) }
    }

    /// The schema.
    pub fn schema(&self) -> &Value {
        &self.schema
    }
}
