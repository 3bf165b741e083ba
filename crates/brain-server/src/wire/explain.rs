//! Explanations of how a text is understood.

use brain_core::RunId;
use brain_engine::PipeEvent;
use brain_engine::log::entries;
use brain_kernel::{Kernel, KernelError, restored_evidence};
use brain_store::Scope;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::event::shown_payload;

/// A text to explain.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"text": "pls creat a task: Call Bob"}))]
pub struct ExplainRequest {
    /// The text, at most 64 KiB.
    #[schema(max_length = 65_536)]
    pub text: String,
}

/// How a text is understood, with the evidence.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Explanation {
    /// The text.
    pub text: String,
    /// The run with this request, or null.
    #[schema(required, format = "uuid")]
    pub run_id: Option<String>,
    /// The understanding: `kind` is `clear` (with `intents`), `ask` (with `options`), `small_talk` or `unknown`. Each
    /// intent has its `target`, `slots` with their `span`, `confidence`, and `evidence`: the phrase, the stage that
    /// found it, the runner-up, excluded targets, and corrected words.
    #[schema(value_type = Object)]
    pub understanding: Value,
}

impl Explanation {
    /// How the request of a run was understood, from its log; personal values are redacted.
    pub fn of_run(kernel: &Kernel, scope: &Scope, run: RunId) -> Result<Self, KernelError> {
        let row = kernel.store().run(scope, run)?.ok_or(KernelError::NoSuchRun(run))?;
        let log = kernel.store().log(scope, run)?;
        let redactor = kernel.redactor_for(scope, run);
        let understood = entries(&log).find(|entry| entry.is(PipeEvent::Understood));
        let evidence = understood.and_then(|entry| entry.payload?.get("evidence"));
        let evidence = evidence.filter(|evidence| evidence["kind"] != "called");
        match (row.request["message"].as_str(), evidence) {
            (Some(text), Some(evidence)) if !text.is_empty() => {
                let understanding = shown_payload(&restored_evidence(evidence.clone(), text), &log, &redactor);
                Ok(Self { text: text.to_owned(), run_id: Some(run.to_string()), understanding })
            }
            _ => Err(KernelError::Conflict(format!(
                "run {run} has no text: its tools were called by name, or it was erased"
            ))),
        }
    }
}
