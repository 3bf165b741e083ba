//! What `#[tool]` writes into other crates refers to this module. It is not for people.

pub use brain_core::Failure;
pub use brain_engine::HostFuture;
pub use brain_registry::model::{Consent, Effect, Idempotency};
pub use brain_registry::{NativeDecl, ToolResult};
pub use inventory;
use serde::Serialize;
use serde::de::DeserializeOwned;
pub use serde_json::Value;

pub use super::schema::{input_schema, output_schema};
pub use super::{Native, NativeContext, NativeRun};

/// The input of a function. The arguments fit its schema; that they do not fit its type is a mistake in the type.
pub fn read_input<T: DeserializeOwned>(args: Value) -> Result<T, Failure> {
    serde_json::from_value(args).map_err(|error| {
        Failure::contract("bad_input", format!("The arguments fit the schema, but not the type: {error}"))
    })
}

/// A result with this data.
pub fn data<T: Serialize>(data: &T) -> Result<ToolResult, Failure> {
    let data = serde_json::to_value(data)
        .map_err(|error| Failure::contract("bad_output", format!("The answer cannot be written as JSON: {error}")))?;
    Ok(ToolResult::ok(data))
}

/// A result without data.
pub fn nothing() -> ToolResult {
    ToolResult::ok(Value::Null)
}
