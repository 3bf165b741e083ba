//! What runs wait for, and the runs that wait for a person.

use super::next_action::in_http;
use brain_core::RunStatus;
use brain_kernel::NextAction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a run waits for.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WhyWaiting {
    /// The id of the run.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// One entry per open step; never empty.
    pub waits: Vec<Waiting>,
}

/// One thing that a run waits for.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Waiting {
    /// The step; null for the whole run.
    #[schema(required)]
    pub step: Option<String>,
    /// The tool; null for the whole run.
    #[schema(required)]
    pub tool: Option<String>,
    /// `slot`, `call`, `check`, `retry`, `letter`, `worker`, `delegate`, `approval`, `review`, `steps`, `input`,
    /// `parked` or `nothing`.
    pub on: String,
    /// An explanation in one sentence.
    pub says: String,
    /// When the wait ends by itself; null if it does not.
    #[schema(required, format = DateTime)]
    pub until: Option<String>,
    /// Possible next requests.
    #[schema(required)]
    pub then: Vec<String>,
    /// The same as data: `action` and what it is about.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    pub actions: Vec<NextAction>,
}

impl From<brain_kernel::Waiting> for Waiting {
    fn from(one: brain_kernel::Waiting) -> Self {
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        Self {
            step: some(one.step),
            tool: some(one.tool),
            on: one.on.to_owned(),
            says: one.says,
            until: one.until.map(|at| at.to_string()),
            then: one.then.iter().map(in_http).collect(),
            actions: one.then,
        }
    }
}

/// A run that waits for a person.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WaitingRun {
    /// The id of the run.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// What was asked for; empty if tools were called by name.
    pub message: String,
    /// Its status; `parked` if the run itself cannot go on.
    #[schema(value_type = String)]
    pub status: RunStatus,
    /// Since when it waits.
    #[schema(format = DateTime)]
    pub since: String,
    /// Why it waits.
    pub why: String,
    /// The tool that failed; null if the whole run waits.
    #[schema(required)]
    pub tool: Option<String>,
    /// Whether it is unknown if the call happened.
    pub in_doubt: bool,
    /// Its open dead letters.
    pub letters: Vec<String>,
    /// The approval of a step that it waits for; left out if it waits for something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
    /// What it waits for: `person` (the run is parked), `letter`, `approval`, `review` or `input`.
    pub on: String,
    /// When it expires; null if it does not.
    #[schema(required, format = DateTime)]
    pub until: Option<String>,
}

impl From<brain_kernel::AwaitsPerson> for WaitingRun {
    fn from(one: brain_kernel::AwaitsPerson) -> Self {
        Self {
            run_id: one.run.to_string(),
            message: one.message,
            status: one.status,
            since: one.since.to_string(),
            why: one.why,
            tool: Some(one.tool).filter(|tool| !tool.is_empty()),
            in_doubt: one.in_doubt,
            letters: one.letters,
            approval_id: one.approval.map(|id| id.to_string()),
            on: one.on.to_owned(),
            until: one.until.map(|at| at.to_string()),
        }
    }
}

/// A note with a decision about a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Abort {
    /// The reason.
    #[schema(max_length = 4096)]
    pub note: Option<String>,
}
