//! `core.spawn_child_run` and its undo, `core.undo_child_run`: declared here, so that they are tools like any other;
//! done by the kernel, which alone can start runs.

use brain_core::Failure;
use brain_macros::tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the kernel reads the arguments themselves")]
struct Input {
    /// The tool or playbook to run.
    run: String,
    /// Its arguments.
    #[serde(default)]
    args: Map<String, Value>,
    /// Whether the step waits until the run has ended.
    #[serde(default = "yes")]
    wait: bool,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// The started run.
    #[schemars(extend("format" = "uuid"))]
    run_id: String,
    /// Its status.
    status: Option<String>,
    /// Its result, if the step waited for it.
    result: Option<Map<String, Value>>,
}

fn yes() -> bool {
    true
}

/// Starts a child run and, unless `wait` is false, waits for its end.
#[tool(
    crate = crate,
    name = "core.spawn_child_run",
    title = "Start a run",
    effect = "write",
    consent = "none",
    idempotency = "key",
    undo = "core.undo_child_run",
    undo_args = r#"{"run": "= result.run_id"}"#
)]
async fn spawn_child_run(_: Input) -> Result<Output, Failure> {
    Err(not_here())
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the kernel reads the arguments themselves")]
struct UndoInput {
    /// The run to undo.
    #[schemars(extend("format" = "uuid"))]
    run: String,
}

#[derive(Serialize, JsonSchema)]
struct UndoOutput {
    /// The run that undid it; absent if there was nothing to undo.
    #[schemars(extend("format" = "uuid"))]
    run_id: Option<String>,
    /// How that went.
    status: Option<String>,
    /// What it came to.
    result: Option<Map<String, Value>>,
    /// What stays: a sentence for each step that has no undo.
    not_undone: Option<Vec<String>>,
}

/// Undoes a run that a step started, when the step is undone, and waits for that.
#[tool(
    crate = crate,
    name = "core.undo_child_run",
    title = "Undo a run that a step started",
    effect = "write",
    consent = "none",
    idempotency = "key",
    no_undo = "An undo cannot itself be undone."
)]
async fn undo_child_run(_: UndoInput) -> Result<UndoOutput, Failure> {
    Err(not_here())
}

fn not_here() -> Failure {
    Failure::contract("not_here", "Only the kernel can start a run; this call did not go through it.")
}

#[cfg(test)]
mod tests {
    use brain_registry::{SPAWN_CHILD_RUN, UNDO_CHILD_RUN};
    use serde_json::json;

    #[test]
    fn it_is_declared_as_the_kernel_expects_it() {
        let all = crate::natives();
        let decl = all.iter().find(|one| one.name == SPAWN_CHILD_RUN).unwrap();
        assert!(!decl.inline);
        assert_eq!(decl.input["required"], json!(["run"]));
        assert_eq!(decl.input["properties"]["wait"]["default"], true);
        assert_eq!(decl.input["properties"]["args"]["type"], "object");
        let output = decl.output.as_ref().unwrap();
        assert_eq!(output["required"], json!(["run_id"]));
        assert_eq!(output["properties"]["run_id"]["format"], "uuid");
        assert_eq!(decl.undo.as_ref().map(|undo| undo.tool.as_str()), Some(UNDO_CHILD_RUN));
        assert!(all.iter().any(|one| one.name == UNDO_CHILD_RUN && !one.inline));
    }
}
