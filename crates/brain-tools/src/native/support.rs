//! Support for code that `#[tool]` generates in other crates. Not a public API.

pub use brain_core::Failure;
pub use brain_engine::HostFuture;
use brain_lang::Binding;
pub use brain_registry::model::{Consent, Effect, Idempotency, Undo};
pub use brain_registry::{NativeDecl, ToolResult};
pub use inventory;
use serde::Serialize;
use serde::de::DeserializeOwned;
pub use serde_json::Value;

pub use super::schema::{input_schema, output_schema};
pub use super::{Native, NativeContext, NativeRun};

/// Deserialises a function's input. The arguments already match the schema, so an error is a mismatch of type and
/// schema.
pub fn read_input<T: DeserializeOwned>(args: Value) -> Result<T, Failure> {
    serde_json::from_value(args).map_err(|error| {
        Failure::contract("bad_input", format!("The arguments fit the schema, but not the type: {error}"))
    })
}

/// The undo of a function. Its arguments are part of the program, so a mistake in them is a bug.
pub fn undo(tool: &str, args: &str) -> Undo {
    let args = serde_json::from_str(args).expect("`undo_args` is JSON");
    let args = Binding::parse(&args).expect("the expressions in `undo_args` can be parsed");
    Undo { tool: tool.to_owned(), args, until: None }
}

/// Wraps data in a result.
pub fn data<T: Serialize>(data: &T) -> Result<ToolResult, Failure> {
    let data = serde_json::to_value(data)
        .map_err(|error| Failure::contract("bad_output", format!("The answer cannot be written as JSON: {error}")))?;
    Ok(ToolResult::ok(data))
}

/// Makes a result without data.
pub fn nothing() -> ToolResult {
    ToolResult::ok(Value::Null)
}
