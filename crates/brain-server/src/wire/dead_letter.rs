//! Dead letters, and the decisions about them.

use brain_core::{Millis, Timestamp};
use brain_kernel::{BulkLetter, BulkOutcome, Redaction};
use brain_store::DeadLetterRow;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::run::{ReceiptError, RunResponse};

/// A dead letter: a job that waits for a person, or did.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Letter {
    /// Its id: the `call_id` of the job.
    #[schema(format = "uuid")]
    pub letter_id: String,
    /// The id of the run.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// Whether it is undecided.
    pub open: bool,
    /// When the job became a dead letter.
    #[schema(format = DateTime)]
    pub opened_at: String,
    /// The step of the run.
    pub step: String,
    /// The item of a `foreach` step.
    pub item: u64,
    /// Whether the job was an undo.
    pub undo: bool,
    /// Number of attempts.
    pub attempts: u64,
    /// Whether it is unknown if it happened.
    pub in_doubt: bool,
    /// Whether it happened: `no`, `maybe` or `yes` (but its answer could not be used).
    pub happened: String,
    /// The arguments, without personal values and secrets.
    #[schema(value_type = Object)]
    pub input: Value,
    /// Who can help: `support`, `engineering` or `business`.
    pub intervention_type: String,
    /// The error of the last attempt.
    #[schema(required)]
    pub failure: Option<ReceiptError>,
    /// Every attempt: `at`, `attempt` and `failure`.
    #[schema(value_type = Vec<Object>)]
    pub history: Vec<Value>,
    /// The event on the feed (`LetterOpened`) for the requester: `to` and `at`; null if no requester is known.
    #[schema(required, value_type = Option<Object>)]
    pub notified: Option<Map<String, Value>>,
    /// Who it was assigned to: `to`, `at`, `by` and `note`; null if nobody.
    #[schema(required, value_type = Option<Object>)]
    pub escalated: Option<Map<String, Value>>,
    /// The decision: `outcome`, `at`, `by` and `note`; null while it is open.
    #[schema(required, value_type = Option<Object>)]
    pub resolution: Option<Map<String, Value>>,
}

impl Letter {
    /// A dead letter as callers see it.
    pub fn of(row: &DeadLetterRow, redaction: &Redaction) -> Self {
        let body = &row.body;
        let said = |name: &str| redaction.sentences(&body[name]);
        Self {
            letter_id: row.id.to_string(),
            run_id: row.run.to_string(),
            tool_name: row.tool.clone(),
            open: row.open,
            opened_at: row.opened_at.to_string(),
            step: body["step"].as_str().unwrap_or_default().to_owned(),
            item: body["item"].as_u64().unwrap_or(0),
            undo: body["undo"].as_bool().unwrap_or(false),
            attempts: body["attempts"].as_u64().unwrap_or(0),
            in_doubt: body["happened"] == "maybe",
            happened: body["happened"].as_str().unwrap_or("no").to_owned(),
            input: redaction.values(&body["input"]),
            intervention_type: body["intervention"].as_str().unwrap_or("support").to_owned(),
            failure: serde_json::from_value(said("failure")).ok(),
            history: said("history").as_array().cloned().unwrap_or_default(),
            notified: body["notified"].as_object().cloned(),
            escalated: said("escalated").as_object().cloned(),
            resolution: said("resolution").as_object().cloned(),
        }
    }
}

/// A decided letter, and the state of its run.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LetterDecided {
    /// The letter.
    pub letter: Letter,
    /// Its run.
    pub run: RunResponse,
}

/// Retries with the same key.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// The reason, for the log.
    #[serde(default)]
    #[schema(max_length = 4096)]
    pub note: Option<String>,
}

/// Retries many letters. Without `tool` and `since`, all open ones.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RetryMany {
    /// Only letters of this tool.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub tool: Option<String>,
    /// Only dead letters opened within a duration (`2h`) or since a time (`2026-03-02T09:00:00Z`).
    #[serde(default)]
    #[schema(max_length = 64)]
    pub since: Option<String>,
    /// Only report what would be done.
    #[serde(default)]
    pub dry_run: Option<bool>,
    /// The reason, for the log.
    #[serde(default)]
    #[schema(max_length = 4096)]
    pub note: Option<String>,
}

/// The result of retrying many letters.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RetriedMany {
    /// Whether it was a dry run, which changes nothing.
    pub dry_run: bool,
    /// How many were retried, or would be.
    pub retried: usize,
    /// How many were skipped and still need a person.
    pub skipped: usize,
    /// Whether there are more: repeat the request.
    pub more: bool,
    /// The letters, newest first.
    pub items: Vec<RetriedLetter>,
}

/// The result of one letter.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RetriedLetter {
    /// The letter.
    #[schema(format = "uuid")]
    pub letter_id: String,
    /// Its run.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The reason for skipping; null if it was retried.
    #[schema(required)]
    pub skipped: Option<String>,
}

impl RetriedMany {
    /// The result as callers see it.
    pub fn of(letters: Vec<BulkLetter>, more: bool, dry_run: bool) -> Self {
        let items: Vec<RetriedLetter> = letters.into_iter().map(RetriedLetter::from).collect();
        let skipped = items.iter().filter(|item| item.skipped.is_some()).count();
        Self { dry_run, retried: items.len() - skipped, skipped, more, items }
    }
}

impl From<BulkLetter> for RetriedLetter {
    fn from(one: BulkLetter) -> Self {
        let skipped = match one.outcome {
            BulkOutcome::Retried => None,
            BulkOutcome::Skipped(why) => Some(why),
        };
        Self { letter_id: one.letter.to_string(), run_id: one.run.to_string(), tool_name: one.tool, skipped }
    }
}

/// Parses a time, or a duration before now.
pub fn since(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    if let Ok(ago) = text.parse::<Millis>() {
        let ago = i64::try_from(ago.0).unwrap_or(i64::MAX);
        return Ok(Timestamp::from_millis(now.as_millis().saturating_sub(ago)));
    }
    let wrong = || format!("`{text}` is neither a time such as 2026-03-02T09:00:00Z nor a duration such as 2h");
    serde_json::from_value(Value::String(text.to_owned())).map_err(|_| wrong())
}

/// How a letter is closed by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The run goes on without the step.
    #[default]
    Skip,
    /// It was done elsewhere, with this result: the run goes on as if it had succeeded.
    Done,
    /// The step fails, and its `on_failure` decides what follows.
    Abandon,
}

/// Closes a letter by hand.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Resolve {
    /// What you found and did; required.
    #[schema(min_length = 1, max_length = 4096, pattern = r"\S")]
    pub note: String,
    /// How it is closed.
    #[serde(default)]
    pub outcome: Outcome,
    /// The tool's result, only with `done`; checked against its output schema.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub result: Option<Map<String, Value>>,
}

/// The person who is to decide a dead letter.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Escalate {
    /// The person.
    #[schema(min_length = 1, max_length = 256, pattern = r"\S")]
    pub to: String,
    /// The reason, for the log.
    #[serde(default)]
    #[schema(max_length = 4096)]
    pub note: Option<String>,
}
