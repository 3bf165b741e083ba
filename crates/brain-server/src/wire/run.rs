//! Runs: the request and the response of the run contract, with Brain's additional fields.

use super::next_action::in_http;
use brain_core::{ContractStatus, Millis, RunStatus};
use brain_kernel::{NextAction, Problem, ReceiptView, Redaction, Report, ended};
use brain_registry::model::BatchPolicy;
use brain_store::RunRow;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// What to do with a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Explain what would be done; execute nothing.
    Answer,
    /// Plan it for approval; execute nothing yet.
    Plan,
    /// Execute it without waiting.
    Enqueue,
    /// Execute it and wait for the receipts.
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

/// A request, in words or as calls by name.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"message": "create task: Call Bob", "mode": "enqueue_and_wait"}))]
pub struct RunRequest {
    /// The request in plain words, at most 64 KiB. May be empty only if `calls` are given.
    #[serde(default)]
    #[schema(max_length = 65_536)]
    pub message: String,
    /// What to do with it; default `enqueue_and_wait`.
    #[serde(default)]
    pub mode: Option<Mode>,
    /// The conversation it belongs to. A repeated request in one conversation is executed once.
    #[serde(default)]
    #[schema(format = "uuid", value_type = Option<String>)]
    pub conversation_id: Option<uuid::Uuid>,
    /// Values for slots of the same name, such as `lead_id`.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub context: Option<Map<String, Value>>,
    /// Limits of the run.
    #[serde(default, deserialize_with = "super::object::optional")]
    pub limits: Option<LimitsRequest>,
    /// Tool calls by name, instead of words. With a `message` that Brain asked about, they answer the question, and
    /// learning counts that.
    #[serde(default, deserialize_with = "super::object::optional_list")]
    #[schema(max_items = 1000)]
    pub calls: Option<Vec<CallRequest>>,
    /// References from `POST /v1/blobs`. They fill inputs of type `file`, in order.
    #[serde(default)]
    #[schema(value_type = Option<Vec<Object>>, max_items = 100)]
    pub attachments: Option<Vec<Map<String, Value>>>,
    /// How several calls relate; default `plain`.
    #[serde(default)]
    pub policy: Option<Policy>,
}

/// How several calls of one request relate.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// In sequence; the first failure stops the run.
    #[default]
    Plain,
    /// All in one commit, or none. Only for tools that work on Brain's own records.
    Atomic,
    /// Each is executed, whatever happens to the others.
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

/// Limits that the caller sets.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitsRequest {
    /// Maximum number of tool calls, 1 to 10,000; default 10. Items of lists, added steps and child runs count.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 1, maximum = 10_000)]
    pub max_tool_calls: Option<u64>,
    /// Maximum time to wait until the run ends or waits for somebody, in milliseconds: 0 to 120000; default 30000.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 0, maximum = 120_000)]
    pub wait_timeout_ms: Option<u64>,
    /// Maximum cost in the currency of the settings, as decimal text.
    #[serde(default)]
    #[schema(pattern = r"^[0-9]+(\.[0-9]+)?$")]
    pub max_cost: Option<String>,
}

/// A tool call by name.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CallRequest {
    /// The name of the tool.
    pub tool_name: String,
    /// Its arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub input: Map<String, Value>,
}

/// The state of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunResponse {
    /// Whether there are no errors so far.
    pub ok: bool,
    /// The id of the run.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// Its status.
    #[schema(value_type = String)]
    pub status: RunStatus,
    /// Its status in the run contract: `created`, `planning`, `enqueued`, `waiting`, `completed` or `failed`.
    #[schema(value_type = String)]
    pub contract_status: ContractStatus,
    /// The decision and its reason.
    pub decision: RunDecision,
    /// The planned calls.
    pub planned_tool_calls: Vec<PlannedToolCall>,
    /// The calls accepted for execution.
    pub enqueued: Vec<EnqueuedCall>,
    /// The receipts, one per attempt.
    pub receipts: Vec<Receipt>,
    /// A message for the requester.
    pub assistant_message: String,
    /// Suggested next requests.
    pub next_actions: Vec<String>,
    /// The same as data: `action` and what it is about.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub actions: Vec<NextAction>,
    /// The errors.
    pub errors: Vec<ErrorItem>,
    /// The pending approval, or null.
    #[schema(required, format = "uuid")]
    pub approval_id: Option<String>,
    /// Finished and total steps.
    pub progress: Progress,
    /// What its open steps wait for.
    pub waits_for: Vec<String>,
    /// The result of a batch (`policy` atomic or best_effort): `{policy, outcome, succeeded, failed, skipped, causes}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub batch: Option<Value>,
    /// Whether retention erased its values, leaving digests. Left out if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub erased: bool,
    /// The text of the request; empty if only `calls` were given, or if it was erased.
    pub message: String,
    /// The requested mode.
    pub mode: String,
    /// The conversation, or null.
    #[schema(required)]
    pub conversation_id: Option<String>,
    /// The context of the request, without personal values; null if there was none.
    #[schema(required, value_type = Option<Object>)]
    pub context: Option<Map<String, Value>>,
    /// The limits of the request: `max_tool_calls`, `wait_timeout_ms`, `max_cost`; null if they were erased.
    #[schema(required, value_type = Option<Object>)]
    pub limits: Option<Map<String, Value>>,
    /// The trace id (W3C Trace Context): that of the request's `traceparent`, or a new one. External systems get it as
    /// `traceparent`.
    #[schema(pattern = "^[0-9a-f]{32}$")]
    pub trace_id: String,
    /// Total token usage of language models; left out if no tool reported any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    /// When it was received.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When it last changed.
    #[schema(format = DateTime)]
    pub updated_at: String,
}

/// The token usage of a language model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenUsage {
    /// Input tokens.
    #[serde(deserialize_with = "super::whole::required")]
    pub input: u64,
    /// Output tokens.
    #[serde(deserialize_with = "super::whole::required")]
    pub output: u64,
    /// The model; for a whole run, all of them.
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
    /// A phrase matched completely and gave every value.
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

/// The decision about a request, and its reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunDecision {
    /// The mode that was used: the requested one, or `answer` if nothing could be planned.
    pub mode_used: String,
    /// How the request was understood, or why it went no further.
    pub reason: String,
    /// How sure the reading is.
    pub confidence: Confidence,
}

/// A planned call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlannedToolCall {
    /// The name of the tool.
    pub tool_name: String,
    /// Its arguments.
    #[schema(value_type = Value)]
    pub input: Value,
    /// The caller's key for the request, or null.
    #[schema(required)]
    pub idempotency_key: Option<String>,
}

/// A call accepted for execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EnqueuedCall {
    /// Its id, which its receipts have too.
    #[schema(format = "uuid")]
    pub call_id: String,
    /// The name of the tool.
    pub tool_name: String,
}

/// The record of one attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Receipt {
    /// The id of the call.
    #[schema(format = "uuid")]
    pub call_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The step that made the call.
    pub step: String,
    /// Counted from 1.
    pub attempt: u32,
    /// Whether it was an undo.
    pub undo: bool,
    /// `succeeded`, `done_badly`, `failed`, `in_doubt` or `rolled_back`.
    pub status: String,
    /// The arguments, without personal values and secrets.
    #[schema(value_type = Value)]
    pub input: Value,
    /// The result; null if there was none.
    #[schema(value_type = Value)]
    pub result: Value,
    /// The records it created, changed or used, by role.
    #[schema(value_type = Object)]
    pub effects: Value,
    /// A sentence about the call.
    #[schema(required)]
    pub summary: Option<String>,
    /// The error, if it failed.
    #[schema(required)]
    pub error: Option<ReceiptError>,
    /// When it started.
    #[schema(format = DateTime)]
    pub started_at: String,
    /// When it ended.
    #[schema(format = DateTime)]
    pub finished_at: String,
    /// Time from the hand-over until the outcome was written, in milliseconds.
    pub duration_ms: u64,
    /// The HTTP status of the external system; null if there was none.
    #[schema(required)]
    pub api_status: Option<u16>,
    /// The token usage of a language model; left out if the tool reported none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
}

impl Receipt {
    /// Redacts personal values wherever they appear.
    pub(crate) fn redact(&mut self, redaction: &Redaction) {
        self.input = redaction.values(&self.input);
        self.result = redaction.values(&self.result);
        self.summary.iter_mut().for_each(|text| *text = redaction.text(text));
        self.error.iter_mut().for_each(|error| error.message = redaction.text(&error.message));
    }
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

/// An error of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ErrorItem {
    /// Stable, machine-readable.
    pub code: String,
    /// For people: what was wrong and what to do.
    pub message: String,
    /// The tool or playbook concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The argument concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The index of the request, from 0, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<usize>,
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Progress {
    /// Steps finished.
    pub done: usize,
    /// Steps in all.
    pub total: usize,
}

impl RunResponse {
    /// The response to a request that was just accepted. The contract requires mode `enqueue` to return at once, so
    /// anything done meanwhile is left out.
    pub fn accepted(report: Report) -> Self {
        Self::from(report.as_accepted())
    }

    /// The same without personal values.
    pub(crate) fn redacted(mut self, redaction: &Redaction) -> Self {
        let say = |text: &mut String| *text = redaction.text(text);
        let hide = |value: &mut Value| *value = redaction.values(value);
        say(&mut self.message);
        say(&mut self.assistant_message);
        say(&mut self.decision.reason);
        self.next_actions.iter_mut().for_each(say);
        for action in &mut self.actions {
            if let NextAction::Say { text, label } = action {
                say(text);
                label.iter_mut().for_each(say);
            }
        }
        self.errors.iter_mut().for_each(|error| say(&mut error.message));
        self.waits_for.iter_mut().for_each(say);
        self.planned_tool_calls.iter_mut().for_each(|call| hide(&mut call.input));
        self.receipts.iter_mut().for_each(|receipt| receipt.redact(redaction));
        if let Some(batch) = &mut self.batch {
            *batch = redaction.sentences(batch);
        }
        self
    }

    /// Adds that the run had not ended when the caller's timeout passed.
    pub(crate) fn timed_out(&mut self, waited_ms: u64) {
        let message =
            format!("Still running after {}; it continues in the background. Read it again later.", Millis(waited_ms));
        self.ok = false;
        self.assistant_message = match self.assistant_message.contains('\n') {
            true => format!("{}\n{message}", self.assistant_message),
            false => format!("{} {message}", ended(std::mem::take(&mut self.assistant_message))),
        };
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
            actions: report.next_actions,
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
    /// The id of the run.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// Its status.
    #[schema(value_type = String)]
    pub status: RunStatus,
    /// Its status in the run contract.
    #[schema(value_type = String)]
    pub contract_status: ContractStatus,
    /// The text of the request, without personal values.
    pub message: String,
    /// The requested mode.
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
    /// Whether its values were erased when they had been kept long enough. Left out if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub erased: bool,
    /// The error, if the stored request is damaged; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

impl RunSummary {
    /// A run as lists show it. `redaction` is asked for only if there is a message.
    pub fn of(row: &RunRow, redaction: impl FnOnce() -> Redaction) -> Self {
        let text = |name: &str| row.request[name].as_str().map(str::to_owned);
        let message = text("message").filter(|message| !message.is_empty());
        Self {
            run_id: row.id.to_string(),
            contract_status: row.status.contract(),
            status: row.status,
            message: message.map(|message| redaction().text(&message)).unwrap_or_default(),
            mode: text("mode").unwrap_or_default(),
            conversation_id: text("conversation_id"),
            created_at: row.created_at.to_string(),
            updated_at: row.updated_at.to_string(),
            erased: row.request["erased"].is_string(),
            unreadable: row.unreadable().map(str::to_owned),
        }
    }
}
