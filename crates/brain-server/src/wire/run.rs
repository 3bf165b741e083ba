//! Runs: the request and the response of the run contract, with our own fields beside its own.

use super::next_action::in_http;
use brain_core::{ContractStatus, RunStatus};
use brain_kernel::{Problem, ReceiptView, Report};
use brain_registry::model::BatchPolicy;
use brain_store::RunRow;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// What the caller wants to happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Say what would be done; do nothing.
    Answer,
    /// Prepare it for approval; do nothing yet.
    Plan,
    /// Do it; do not wait.
    Enqueue,
    /// Do it and wait for the receipts.
    #[default]
    EnqueueAndWait,
}

impl From<Mode> for brain_kernel::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Answer => Self::Answer,
            Mode::Plan => Self::Plan,
            Mode::Enqueue => Self::Enqueue,
            Mode::EnqueueAndWait => Self::EnqueueAndWait,
        }
    }
}

/// A request: what is to be done, in words or by name.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"message": "create task: Call Bob", "mode": "enqueue_and_wait"}))]
pub struct RunRequest {
    /// What is to be done, in plain words, at most 64 KiB. May be empty only if `calls` are given.
    #[serde(default)]
    #[schema(max_length = 65_536)]
    pub message: String,
    /// What is to happen; default `enqueue_and_wait`.
    #[serde(default)]
    pub mode: Option<Mode>,
    /// The conversation it belongs to. The same request twice in one conversation is done once.
    #[serde(default)]
    #[schema(format = "uuid", value_type = Option<String>)]
    pub conversation_id: Option<uuid::Uuid>,
    /// Values that fill slots of the same name, such as `lead_id`.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub context: Option<Map<String, Value>>,
    /// Bounds.
    #[serde(default, deserialize_with = "super::object::optional")]
    pub limits: Option<LimitsRequest>,
    /// Tool calls by name, instead of words. Beside the `message` of a request that was asked about, they say what it
    /// meant; learning counts that.
    #[serde(default, deserialize_with = "super::object::optional_list")]
    #[schema(max_items = 1000)]
    pub calls: Option<Vec<CallRequest>>,
    /// Files that come with it: references that `POST /v1/blobs` gave. They fill inputs of type `file`, in order.
    #[serde(default)]
    #[schema(value_type = Option<Vec<Object>>, max_items = 100)]
    pub attachments: Option<Vec<Map<String, Value>>>,
    /// What several calls are to each other; default `plain`.
    #[serde(default)]
    pub policy: Option<Policy>,
}

/// What several calls of one request are to each other.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// One after the other; the first failure stops the run.
    #[default]
    Plain,
    /// All of them in one commit, or none of them. Only tools that work on Brain's own records.
    Atomic,
    /// Each is tried, whatever becomes of the others.
    BestEffort,
}

impl From<Policy> for BatchPolicy {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::Plain => Self::Plain,
            Policy::Atomic => Self::Atomic,
            Policy::BestEffort => Self::BestEffort,
        }
    }
}

/// Bounds that the caller sets.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitsRequest {
    /// Tool calls in one run, 1 to 10,000; default 10. Items of lists, added steps and child runs count.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 1, maximum = 10_000)]
    pub max_tool_calls: Option<u64>,
    /// How long to wait for receipts, 0 to 120000; default 30000.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 0, maximum = 120_000)]
    pub wait_timeout_ms: Option<u64>,
    /// What it may cost at most, in the currency of the settings: a decimal as text.
    #[serde(default)]
    #[schema(pattern = r"^[0-9]+(\.[0-9]+)?$")]
    pub max_cost: Option<String>,
}

/// A tool call by name.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CallRequest {
    /// The tool.
    pub tool_name: String,
    /// Its arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub input: Map<String, Value>,
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunResponse {
    /// Whether all is well so far.
    pub ok: bool,
    /// The run.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// Where it stands.
    #[schema(value_type = String)]
    pub status: RunStatus,
    /// The same in the six words of the run contract: `created`, `planning`, `enqueued`, `waiting`, `completed`,
    /// `failed`.
    #[schema(value_type = String)]
    pub contract_status: ContractStatus,
    /// What was decided, and why.
    pub decision: RunDecision,
    /// What is planned.
    pub planned_tool_calls: Vec<PlannedToolCall>,
    /// What was accepted for execution.
    pub enqueued: Vec<EnqueuedCall>,
    /// What was done, attempt by attempt.
    pub receipts: Vec<Receipt>,
    /// One message for the person.
    pub assistant_message: String,
    /// What to do next.
    pub next_actions: Vec<String>,
    /// What stands in the way.
    pub errors: Vec<ErrorItem>,
    /// The approval that is awaited, or null.
    #[schema(required, format = "uuid")]
    pub approval_id: Option<String>,
    /// How far it is.
    pub progress: Progress,
    /// What its open steps wait for.
    pub waits_for: Vec<String>,
    /// What became of a batch (`policy` atomic or best_effort): `{policy, outcome, succeeded, failed, skipped, causes}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub batch: Option<Value>,
    /// Whether its values were erased when they had been kept long enough: digests are left. Left out if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub erased: bool,
    /// What was said; empty if only `calls` were given, or it was erased.
    pub message: String,
    /// The mode that was asked for.
    pub mode: String,
    /// The conversation, or null.
    #[schema(required)]
    pub conversation_id: Option<String>,
    /// The values that came with the request, without personal ones; null if none did.
    #[schema(required, value_type = Option<Object>)]
    pub context: Option<Map<String, Value>>,
    /// The bounds of the request: `max_tool_calls`, `wait_timeout_ms`, `max_cost`; null if they were erased.
    #[schema(required, value_type = Option<Object>)]
    pub limits: Option<Map<String, Value>>,
    /// The trace that it belongs to (W3C Trace Context): the one in the `traceparent` of the request, else one of its own.
    /// Outside systems get it as `traceparent`.
    #[schema(pattern = "^[0-9a-f]{32}$")]
    pub trace_id: String,
    /// What language models used for all of it; left out if no tool said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    /// When it was received.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When it last changed.
    #[schema(format = DateTime)]
    pub updated_at: String,
}

/// What a language model used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenUsage {
    /// Tokens read.
    #[serde(deserialize_with = "super::whole::required")]
    pub input: u64,
    /// Tokens written.
    #[serde(deserialize_with = "super::whole::required")]
    pub output: u64,
    /// Which model; of a whole run, all of them.
    #[serde(default)]
    pub model: Option<String>,
}

impl From<brain_registry::TokenUsage> for TokenUsage {
    fn from(usage: brain_registry::TokenUsage) -> Self {
        let brain_registry::TokenUsage { input, output, model } = usage;
        Self { input, output, model }
    }
}

impl From<TokenUsage> for brain_registry::TokenUsage {
    fn from(usage: TokenUsage) -> Self {
        let TokenUsage { input, output, model } = usage;
        Self { input, output, model }
    }
}

/// How sure the reading of a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A phrase matched whole and said everything.
    High,
    /// Something was inferred or filled in by default.
    Medium,
    /// Several things matched equally well.
    Low,
    /// Nothing matched.
    None,
}

impl From<brain_core::Confidence> for Confidence {
    fn from(confidence: brain_core::Confidence) -> Self {
        match confidence {
            brain_core::Confidence::High => Self::High,
            brain_core::Confidence::Medium => Self::Medium,
            brain_core::Confidence::Low => Self::Low,
            brain_core::Confidence::None => Self::None,
        }
    }
}

/// What was decided, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunDecision {
    /// The mode that was used: the one asked for, or `answer` if nothing could be planned.
    pub mode_used: String,
    /// Why.
    pub reason: String,
    /// How sure the reading is.
    pub confidence: Confidence,
}

/// A call that is planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlannedToolCall {
    /// The tool.
    pub tool_name: String,
    /// Its arguments.
    #[schema(value_type = Value)]
    pub input: Value,
    /// The caller's key for the request, or null.
    #[schema(required)]
    pub idempotency_key: Option<String>,
}

/// A call that was accepted for execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EnqueuedCall {
    /// Its id: the same in every receipt.
    #[schema(format = "uuid")]
    pub call_id: String,
    /// The tool.
    pub tool_name: String,
}

/// The record of one attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    /// The call.
    #[schema(format = "uuid")]
    pub call_id: String,
    /// The tool.
    pub tool_name: String,
    /// The step that made the call.
    pub step: String,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// Whether this took something back.
    pub undo: bool,
    /// `succeeded`, `failed`, `in_doubt` or `rolled_back`.
    pub status: String,
    /// What it was called with, without personal values and secrets.
    #[schema(value_type = Value)]
    pub input: Value,
    /// What the tool answered; null if it did not.
    #[schema(value_type = Value)]
    pub result: Value,
    /// The records it made, changed or used, by role.
    #[schema(value_type = Object)]
    pub effects: Value,
    /// One sentence.
    #[schema(required)]
    pub summary: Option<String>,
    /// Why it failed.
    #[schema(required)]
    pub error: Option<ReceiptError>,
    /// When it started.
    #[schema(format = DateTime)]
    pub started_at: String,
    /// When it was finished.
    #[schema(format = DateTime)]
    pub finished_at: String,
    /// How long it took, from when it was handed over until its answer was written.
    pub duration_ms: u64,
    /// The HTTP status of the outside system's answer; null if there was none.
    #[schema(required)]
    pub api_status: Option<u16>,
    /// What a language model used for it; left out if the tool did not say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
}

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReceiptError {
    /// `transient`, `contract` or `business`.
    pub class: String,
    /// Stable, machine-readable.
    pub code: String,
    /// For people.
    pub message: String,
}

/// Something that stands in the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ErrorItem {
    /// Stable, machine-readable.
    pub code: String,
    /// For people: what was wrong and what to do.
    pub message: String,
    /// The tool or playbook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Which of several requests, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<usize>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Progress {
    /// Steps finished.
    pub done: usize,
    /// Steps in all.
    pub total: usize,
}

impl RunResponse {
    /// The answer to a request that was just accepted. By the contract, mode `enqueue` returns at once: what was done
    /// in the meantime is seen when the run is looked at.
    pub fn accepted(report: Report) -> Self {
        Self::from(report.as_accepted())
    }

    /// Says that the run was not over when the caller's time was.
    pub(crate) fn timed_out(&mut self, waited_ms: u64) {
        let message = format!(
            "The run is still in progress after {waited_ms} ms; it continues in the background. Read it again later."
        );
        self.ok = false;
        self.assistant_message = format!("{} {message}", self.assistant_message);
        let (code, tool, field, call) = ("wait_timeout".to_owned(), None, None, None);
        self.errors.push(ErrorItem { code, message, tool, field, call });
    }
}

impl From<Report> for RunResponse {
    fn from(report: Report) -> Self {
        let key = report.request["idempotency_key"].as_str().map(str::to_owned);
        let planned = report.planned.into_iter().map(|call| PlannedToolCall {
            tool_name: call.tool,
            input: call.input,
            idempotency_key: key.clone(),
        });
        let enqueued = report.enqueued.into_iter();
        let (done, total) = report.progress;
        let said = |name: &str| report.request[name].as_str().map(str::to_owned);
        let object = |name: &str| report.request[name].as_object().cloned();
        Self {
            message: said("message").unwrap_or_default(),
            mode: said("mode").unwrap_or_default(),
            conversation_id: said("conversation_id"),
            context: object("context"),
            limits: object("limits"),
            trace_id: said("trace_id").unwrap_or_else(|| report.run.as_uuid().simple().to_string()),
            token_usage: report.token_usage.map(Into::into),
            ok: report.ok,
            run_id: report.run.to_string(),
            contract_status: report.status.contract(),
            status: report.status,
            decision: RunDecision {
                mode_used: report.mode_used,
                reason: report.reason,
                confidence: report.confidence.into(),
            },
            planned_tool_calls: planned.collect(),
            enqueued: enqueued.map(|call| EnqueuedCall { call_id: call.call_id, tool_name: call.tool }).collect(),
            receipts: report.receipts.into_iter().map(Receipt::from).collect(),
            assistant_message: report.message,
            next_actions: report.next_actions.iter().map(in_http).collect(),
            errors: report.errors.into_iter().map(ErrorItem::from).collect(),
            approval_id: report.approval,
            progress: Progress { done, total },
            waits_for: report.waits_for,
            erased: report.erased,
            batch: report.batch,
            created_at: report.created_at.to_string(),
            updated_at: report.updated_at.to_string(),
        }
    }
}

impl From<ReceiptView> for Receipt {
    fn from(view: ReceiptView) -> Self {
        Self {
            call_id: view.call_id,
            tool_name: view.tool,
            step: view.step,
            attempt: view.attempt,
            undo: view.undo,
            status: view.status.to_owned(),
            input: view.input,
            result: view.result,
            effects: view.effects,
            summary: view.summary,
            error: view.error.map(|failure| ReceiptError {
                class: failure.class.to_string(),
                code: failure.code,
                message: failure.message,
            }),
            started_at: view.started_at.to_string(),
            finished_at: view.finished_at.to_string(),
            duration_ms: view.finished_at.since(view.started_at).0,
            api_status: view.api_status,
            token_usage: view.token_usage.map(Into::into),
        }
    }
}

impl From<Problem> for ErrorItem {
    fn from(problem: Problem) -> Self {
        let Problem { code, message, tool, field, call } = problem;
        Self { code, message, tool, field, call }
    }
}

/// A run in a list.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RunSummary {
    /// The run.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// Where it stands.
    #[schema(value_type = String)]
    pub status: RunStatus,
    /// The same in the six words of the run contract.
    #[schema(value_type = String)]
    pub contract_status: ContractStatus,
    /// What was said.
    pub message: String,
    /// The mode that was asked for.
    pub mode: String,
    /// The conversation, or null.
    #[schema(required)]
    pub conversation_id: Option<String>,
    /// When it was received.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When it last changed.
    #[schema(format = DateTime)]
    pub updated_at: String,
    /// Why the request cannot be read, if its row is damaged; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

impl From<&RunRow> for RunSummary {
    fn from(row: &RunRow) -> Self {
        let text = |name: &str| row.request[name].as_str().map(str::to_owned);
        Self {
            run_id: row.id.to_string(),
            contract_status: row.status.contract(),
            status: row.status,
            message: text("message").unwrap_or_default(),
            mode: text("mode").unwrap_or_default(),
            conversation_id: text("conversation_id"),
            created_at: row.created_at.to_string(),
            updated_at: row.updated_at.to_string(),
            unreadable: row.unreadable().map(str::to_owned),
        }
    }
}
