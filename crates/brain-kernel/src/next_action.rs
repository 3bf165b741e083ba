//! What may be done next, as data. Each surface words it for its own users: the terminal as commands, HTTP as requests.

use brain_core::RunId;
use serde::{Deserialize, Serialize};

/// What may be done next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum NextAction {
    /// A sentence of the pack, or an example of what to say.
    Say {
        /// The sentence.
        text: String,
    },
    /// Ask again, to have it done.
    Do,
    /// Say which tool was meant, so that it is learned.
    Teach {
        /// The run that was not understood.
        run: RunId,
    },
    /// Say yes.
    Approve {
        /// The approval.
        approval: String,
    },
    /// Say no.
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
    /// Try what failed once more, or have a parked run looked at again.
    Retry {
        /// The run.
        run: RunId,
    },
    /// Go on without what failed.
    Skip {
        /// The run.
        run: RunId,
    },
    /// Give the run up.
    Abort {
        /// The run.
        run: RunId,
    },
    /// Cancel the run.
    Cancel {
        /// The run.
        run: RunId,
    },
    /// Look at the run.
    Inspect {
        /// The run.
        run: RunId,
    },
    /// Ask what a run waits for.
    Why {
        /// The run.
        run: RunId,
    },
}

impl NextAction {
    /// A sentence.
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say { text: text.into() }
    }
}
