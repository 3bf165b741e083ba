//! A scenario: an end-to-end test on a virtual clock.

use std::collections::BTreeMap;

use brain_core::{Failure, Millis, Timestamp};
use brain_lang::binding::Binding;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::BatchPolicy;

/// An end-to-end test on a virtual clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// What it demonstrates.
    pub name: String,
    /// The pack it comes from.
    pub pack: String,
    /// The file it comes from.
    pub file: String,
    /// The initial time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Timestamp>,
    /// The random seed.
    pub seed: u64,
    /// Answers of external tools, call by call; the last one repeats.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stubs: BTreeMap<String, Vec<Stub>>,
    /// The steps, in order.
    pub steps: Vec<ScenarioStep>,
}

/// The answer of an external tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stub {
    /// A success with this data.
    Result(Value),
    /// A whole result: `data`, `summary`, `new_steps`, `review`, `delegate`.
    Answer(Value),
    /// This failure.
    Failure(Failure),
    /// No answer until the timeout.
    Timeout,
    /// The call has its effect, but the answer is lost.
    Lost,
}

/// One thing that happens, and what must be true afterwards: the action, then `expect`, then `let`, then
/// `expect_records`. Expressions see the names of earlier `let`s and `settings`; after the action also `result` (the
/// data of all steps of the run, merged) and `run` (the run response).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioStep {
    /// Its line, for reports.
    pub line: usize,
    /// The action; absent: only the checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// The mode of the request (`answer`, `plan`, `enqueue`, `enqueue_and_wait`); absent: `enqueue_and_wait`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Who acts.
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub actor: Option<Person>,
    /// The request's context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Binding>,
    /// The request's conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Maximum number of tool calls; ten by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tool_calls: Option<u32>,
    /// How several calls belong together.
    #[serde(default)]
    pub policy: BatchPolicy,
    /// Expectations about the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
    /// Expectations about records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect_records: Vec<ExpectRecords>,
    /// Names for later steps.
    #[serde(default, rename = "let", skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<(String, Binding)>,
}

/// What one step of a scenario does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A message.
    Say(Binding),
    /// Tool calls by name, with arguments.
    Call(Vec<(String, Binding)>),
    /// Time passes.
    Advance(Millis),
    /// The process dies and starts again.
    Kill,
    /// The open approval is granted.
    Approve,
    /// The open approval is refused.
    Reject,
    /// The open dead letter is tried again.
    Retry,
    /// The run is cancelled.
    Cancel,
    /// A worker takes a job of this topic and answers; without an answer it only takes the job.
    Work {
        /// The topic.
        topic: String,
        /// Its answer.
        answer: Option<Stub>,
    },
    /// A callback completes a delegated step.
    Callback(Stub),
    /// Somebody looks at the result that waits for it: lets it go on with these corrections, or (`None`) refuses it.
    Review(Option<Binding>),
    /// The effects of the last run are to be undone; the undo is staged, as always.
    Undo {
        /// Only this step.
        step: Option<String>,
    },
}

/// An actor in a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Their name.
    pub name: String,
    /// Whether they may not approve.
    #[serde(default)]
    pub no_approver: bool,
    /// Their permissions; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// Their tier; absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
}

/// Expectations about an answer; absent ones are not checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expect {
    /// Whether it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// `high`, `medium`, `low` or `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<String>,
    /// The first planned tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The status of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Texts that must occur in the errors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// Texts that must occur in the message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub message: Vec<String>,
    /// A subset of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Binding>,
    /// A subset of the batch's outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Binding>,
    /// Texts that must occur in what the run waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<String>,
    /// The number of events by name in the run's log.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub events: BTreeMap<String, u32>,
}

/// Expectations about records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectRecords {
    /// The record type.
    #[serde(rename = "type")]
    pub record_type: String,
    /// Which records, by equality of fields (also `id` and `state`).
    #[serde(default, rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub filter: BTreeMap<String, Binding>,
    /// Their number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// A subset of the fields of each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Binding>,
}
