//! The statuses of runs and approvals and the confidence of a reading, each with one spelling for the database, the API
//! and the terminal.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Returned for text that is not a status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a status; use one of {}", known.join(", "))]
pub struct StatusError {
    /// The rejected text.
    pub given: String,
    /// All valid statuses.
    pub known: Vec<&'static str>,
}

/// Declares an enum whose variants have one spelling each: `Display`, `FromStr` and serde agree on it.
macro_rules! statuses {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $text)] $variant,)*
        }

        impl $name {
            /// All variants.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The spelling in the database, the API and the terminal.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = StatusError;

            fn from_str(text: &str) -> Result<Self, StatusError> {
                match text {
                    $($text => Ok(Self::$variant),)*
                    _ => Err(StatusError { given: text.to_owned(), known: vec![$($text,)*] }),
                }
            }
        }
    };
}

statuses! {
    /// The status of a run.
    #[derive(Default)]
    RunStatus {
        /// A question is open.
        NeedsInput = "needs_input",
        /// Planned; waits for an explicit yes.
        Staged = "staged",
        /// Steps are being done.
        #[default]
        Running = "running",
        /// Blocked until a timer, a worker or a person acts.
        Waiting = "waiting",
        /// Another engine or a child run works on it.
        Delegated = "delegated",
        /// No new step starts; the run waits for calls under way.
        Stopping = "stopping",
        /// Finished steps are being undone.
        Compensating = "compensating",
        /// This build cannot read the run, or the database rejects its next write. Only a person can resume it.
        Parked = "parked",
        /// Every step is done, or the request needed only an answer.
        Completed = "completed",
        /// A step failed; finished steps stay.
        Failed = "failed",
        /// A step failed, and the finished ones were undone.
        Compensated = "compensated",
        /// Somebody stopped it, or a question expired; finished steps stay.
        Cancelled = "cancelled",
    }
}

impl RunStatus {
    /// Whether the status is final.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::Compensated)
    }

    /// Whether the run ended without doing what was asked.
    pub const fn came_to_nothing(self) -> bool {
        matches!(self, Self::Failed | Self::Cancelled | Self::Compensated)
    }

    /// Parses a stored status. An unknown status was written by a newer build, so it reads as `Parked`.
    pub fn stored(text: &str) -> Self {
        text.parse().unwrap_or(Self::Parked)
    }

    /// The corresponding status of the run contract.
    pub const fn contract(self) -> ContractStatus {
        match self {
            Self::NeedsInput | Self::Staged => ContractStatus::Planning,
            Self::Running => ContractStatus::Enqueued,
            Self::Waiting | Self::Delegated | Self::Stopping | Self::Compensating | Self::Parked => {
                ContractStatus::Waiting
            }
            Self::Completed => ContractStatus::Completed,
            Self::Failed | Self::Compensated | Self::Cancelled => ContractStatus::Failed,
        }
    }
}

statuses! {
    /// The six statuses of the run contract.
    ContractStatus {
        /// Received. Brain plans before it accepts, so no run is seen in this status.
        Created = "created",
        /// Planned as far as possible without a person.
        Planning = "planning",
        /// Steps are being done.
        Enqueued = "enqueued",
        /// The run waits for a timer, a worker or a person.
        Waiting = "waiting",
        /// Done.
        Completed = "completed",
        /// Ended without doing what was asked.
        Failed = "failed",
    }
}

statuses! {
    /// The status of a request for approval.
    ApprovalStatus {
        /// Not decided yet.
        Pending = "pending",
        /// An approver agreed.
        Approved = "approved",
        /// An approver refused.
        Rejected = "rejected",
        /// The run was stopped before an approver decided.
        Cancelled = "cancelled",
        /// The deadline passed before an approver decided.
        Expired = "expired",
    }
}

impl ApprovalStatus {
    /// Parses a stored status. An unknown status reads as `Cancelled`, so the request is not open.
    pub fn stored(text: &str) -> Self {
        text.parse().unwrap_or(Self::Cancelled)
    }
}

statuses! {
    /// How sure the reading of a request is.
    #[derive(Default)]
    Confidence {
        /// Nothing matched.
        #[default]
        None = "none",
        /// Several readings matched equally well, or a value does not match its slot's type.
        Low = "low",
        /// Something was inferred or filled in by default.
        Medium = "medium",
        /// A phrase matched completely and gave every value.
        High = "high",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_reads_back_as_written() {
        for status in RunStatus::ALL {
            assert_eq!(status.to_string().parse(), Ok(*status));
            assert_eq!(serde_json::to_value(status).ok(), Some(status.as_str().into()));
        }
        for status in ApprovalStatus::ALL {
            assert_eq!(ApprovalStatus::stored(status.as_str()), *status);
        }
    }

    #[test]
    fn an_unknown_status_is_rejected_with_the_valid_ones() {
        let error = "done".parse::<ContractStatus>().map_err(|error| error.to_string());
        let expected = "`done` is not a status; use one of created, planning, enqueued, waiting, completed, failed";
        assert_eq!(error, Err(expected.to_owned()));
        assert_eq!(RunStatus::stored("from a newer build"), RunStatus::Parked);
    }
}
