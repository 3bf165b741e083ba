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
    /// What it shows.
    pub name: String,
    /// The pack it comes from.
    pub pack: String,
    /// The file it comes from.
    pub file: String,
    /// What the clock shows at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Timestamp>,
    /// Where randomness starts.
    pub seed: u64,
    /// What outside tools answer, call after call; the last one repeats.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stubs: BTreeMap<String, Vec<Stub>>,
    /// What happens, in order.
    pub steps: Vec<ScenarioStep>,
}

/// What an outside tool answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stub {
    /// This data.
    Result(Value),
    /// A whole result: `data`, `summary`, `new_steps`, `review`, `delegate`.
    Answer(Value),
    /// This failure.
    Failure(Failure),
    /// Nothing, until the time-out.
    Timeout,
    /// It happened, but the answer is lost.
    Lost,
}

/// One thing that happens, and what must be true afterwards: the action, then `expect`, then `let`, then
/// `expect_records`. Expressions see the names of earlier `let`s and `settings`; after the action also `result` (the
/// data of all steps of the run, merged) and `run` (the run response).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioStep {
    /// The line in its file, for reports.
    pub line: usize,
    /// What happens; absent: nothing, only the checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// The mode of the request (`answer`, `plan`, `enqueue`, `enqueue_and_wait`); absent: `enqueue_and_wait`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Who does it.
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub actor: Option<Person>,
    /// Values that come with the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Binding>,
    /// The conversation that the request belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Tool calls that the request may take, unless ten are enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tool_calls: Option<u32>,
    /// What several calls are to each other.
    #[serde(default)]
    pub policy: BatchPolicy,
    /// What must be true of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
    /// What must be true of records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect_records: Vec<ExpectRecords>,
    /// Names for later steps.
    #[serde(default, rename = "let", skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<(String, Binding)>,
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Somebody says something.
    Say(Binding),
    /// Tools are called with arguments, without words: each a tool and its arguments.
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
    /// A worker takes a job of this topic and answers; without an answer it only takes it.
    Work {
        /// The topic.
        topic: String,
        /// What it answers.
        answer: Option<Stub>,
    },
    /// The other side of a delegated step answers.
    Callback(Stub),
    /// Somebody looks at the result that waits for it: lets it go on with these corrections, or (`None`) refuses it.
    Review(Option<Binding>),
    /// What the last run did is to be undone: staged, as always.
    Undo {
        /// One step of it only.
        step: Option<String>,
    },
}

/// Who does something in a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Their name.
    pub name: String,
    /// Whether they may not approve.
    #[serde(default)]
    pub no_approver: bool,
    /// What they may do; absent: everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// Their tier; absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
}

/// What must be true of an answer; what is absent may be anything.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expect {
    /// Whether it went well.
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
    /// Texts that stand in the errors, each of them somewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// Texts that stand in the message to the person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub message: Vec<String>,
    /// What the result has at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Binding>,
    /// What became of a batch, at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Binding>,
    /// Texts that stand in what the run waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<String>,
    /// How many events of a name the log of the run has.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub events: BTreeMap<String, u32>,
}

/// What must be true of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectRecords {
    /// The record type.
    #[serde(rename = "type")]
    pub record_type: String,
    /// Which ones, by equality of fields (also `id` and `state`).
    #[serde(default, rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub filter: BTreeMap<String, Binding>,
    /// How many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// What each of them has at least.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Binding>,
}
