//! The statuses of runs and approvals and the confidence of a reading, each with one spelling for the database, the API and the terminal.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Text that names no status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a status; use one of {}", known.join(", "))]
pub struct StatusError {
    /// The text.
    pub given: String,
    /// Every status there is.
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
            /// Every one of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its spelling.
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
    /// Where a run stands.
    #[derive(Default)]
    RunStatus {
        /// A question is open.
        NeedsInput = "needs_input",
        /// Planned; waits for an explicit yes.
        Staged = "staged",
        /// Steps are being done.
        #[default]
        Running = "running",
        /// Only a timer, a worker or a person can move it on.
        Waiting = "waiting",
        /// Another engine or a child run works on it.
        Delegated = "delegated",
        /// Nothing new starts; calls under way are awaited.
        Stopping = "stopping",
        /// Finished steps are being undone.
        Compensating = "compensating",
        /// Set aside: this build cannot read it, or the database rejects its next write.
        Parked = "parked",
        /// Everything was done, or there was only something to answer.
        Completed = "completed",
        /// A step failed; finished steps stay.
        Failed = "failed",
        /// A step failed, and the finished ones were undone.
        Compensated = "compensated",
        /// Someone stopped it, or nobody answered in time; finished steps stay.
        Cancelled = "cancelled",
    }
}

impl RunStatus {
    /// Whether nothing happens to such a run any more.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::Compensated)
    }

    /// Whether such a run is over without having done what was asked.
    pub const fn came_to_nothing(self) -> bool {
        matches!(self, Self::Failed | Self::Cancelled | Self::Compensated)
    }

    /// Reads what a database holds. A status that this build does not know belongs to a run that it cannot read either.
    pub fn stored(text: &str) -> Self {
        text.parse().unwrap_or(Self::Parked)
    }

    /// The word of the run contract for it.
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
        /// Something must happen first.
        Waiting = "waiting",
        /// Done.
        Completed = "completed",
        /// Over without having done what was asked.
        Failed = "failed",
    }
}

statuses! {
    /// Where a question to an approver stands.
    ApprovalStatus {
        /// Nobody has decided.
        Pending = "pending",
        /// Somebody said yes.
        Approved = "approved",
        /// Somebody said no.
        Rejected = "rejected",
        /// The run was stopped before anybody decided.
        Cancelled = "cancelled",
        /// Time ran out.
        Expired = "expired",
    }
}

impl ApprovalStatus {
    /// Reads what a database holds. A question in a status that this build does not know is not open.
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
        /// Several readings matched equally well, or a value does not fit its slot.
        Low = "low",
        /// Something was inferred or filled in by default.
        Medium = "medium",
        /// A phrase matched whole and said everything.
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
    fn an_unknown_status_is_refused_with_those_that_exist() {
        let error = "done".parse::<ContractStatus>().map_err(|error| error.to_string());
        let expected = "`done` is not a status; use one of created, planning, enqueued, waiting, completed, failed";
        assert_eq!(error, Err(expected.to_owned()));
        assert_eq!(RunStatus::stored("from a newer build"), RunStatus::Parked);
    }
}
