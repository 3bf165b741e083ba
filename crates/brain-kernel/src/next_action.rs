//! Next actions as data. Each surface words them for its users: the terminal as commands, HTTP as requests.

use brain_core::RunId;
use serde::{Deserialize, Serialize};

/// A suggested next action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum NextAction {
    /// A request to send, or a sentence from the pack.
    Say {
        /// The sentence.
        text: String,
        /// What it is for: `Try`, or the name of the option that it chooses.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// Repeat the request to execute it.
    Do,
    /// Name the tool that was meant, so that it is learned.
    Teach {
        /// The run that was not understood.
        run: RunId,
    },
    /// Repeat the request with a kind of action.
    ChooseTier {
        /// The kind of action.
        tier: String,
        /// Its name for people.
        label: String,
        /// The number of tools to choose from then; with one, that tool is taken.
        tools: usize,
    },
    /// Approve the plan.
    Approve {
        /// The approval.
        approval: String,
    },
    /// Reject the plan.
    Reject {
        /// The approval.
        approval: String,
    },
    /// Accept a result that waits for review.
    AcceptResult {
        /// The run.
        run: RunId,
    },
    /// Correct a result that waits for review.
    CorrectResult {
        /// The run.
        run: RunId,
    },
    /// Reject a result that waits for review.
    RejectResult {
        /// The run.
        run: RunId,
    },
    /// Decide about a dead letter.
    Decide {
        /// The letter.
        letter: String,
    },
    /// Retry failed steps, or reload a parked run.
    Retry {
        /// The run.
        run: RunId,
    },
    /// Continue without the failed steps.
    Skip {
        /// The run.
        run: RunId,
    },
    /// End the run.
    Abort {
        /// The run.
        run: RunId,
    },
    /// Cancel the run.
    Cancel {
        /// The run.
        run: RunId,
    },
    /// List runs.
    ListRuns,
    /// List open dead letters.
    ListDeadLetters,
    /// List pending approvals.
    ListApprovals,
    /// Rebuild the lookup indexes of records.
    Reindex,
    /// Undo a run by its id.
    Undo,
    /// Look at the run.
    Inspect {
        /// The run.
        run: RunId,
    },
    /// Show what a run is waiting for.
    Why {
        /// The run.
        run: RunId,
    },
}

impl NextAction {
    /// A sentence.
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say { text: text.into(), label: None }
    }

    /// A request to send, and what it is for.
    pub fn say_for(label: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Say { text: text.into(), label: Some(label.into()) }
    }
}
