//! What happened in a run, as the log keeps it. Numbers and field names are frozen: a change is a new version.

use brain_core::{Digest, Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{End, Happened, JobId, ScopeId, StepId, Stop};

/// Event numbers of the machine; others in the same log belong to the pipe.
pub const VM_EVENTS: std::ops::Range<u16> = 100..200;

/// Why something that arrived changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stray {
    /// It does not fit where the run stands.
    OutOfTurn,
    /// An answer that nobody waits for any more.
    LateAnswer,
    /// A decision that nobody waits for any more.
    LateDecision,
    /// A message that nobody listens for.
    Unheard,
    /// A callback whose signature is wrong.
    Forged,
}

impl Stray {
    /// In words.
    pub fn says(self) -> &'static str {
        match self {
            Self::OutOfTurn => "something that does not fit here",
            Self::LateAnswer => "an answer that nobody waits for any more",
            Self::LateDecision => "a decision that nobody waits for any more",
            Self::Unheard => "a message that nobody waits for",
            Self::Forged => "a callback whose signature is wrong",
        }
    }
}

/// A stored event that this build cannot read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// Written by a newer build.
    #[error("event type {number} version {version} is not known to this build")]
    Unknown {
        /// The type.
        number: u16,
        /// The version.
        version: u16,
    },
    /// The type is known, the content is not.
    #[error("event type {number} cannot be read: {reason}")]
    Malformed {
        /// The type.
        number: u16,
        /// What the reader said.
        reason: String,
    },
}

macro_rules! events {
    ($( $(#[$doc:meta])* $number:literal $name:ident { $( $(#[$fdoc:meta])* $field:ident : $type:ty ),* $(,)? } )*) => {
        /// One thing that happened. Folding events is the only way a state changes.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Event {
            $( $(#[$doc])* $name { $( $(#[$fdoc])* $field: $type ),* }, )*
        }

        impl Event {
            /// The frozen number of the type.
            pub fn number(&self) -> u16 {
                match self { $( Self::$name { .. } => $number, )* }
            }

            /// The version of the type; all are in their first.
            pub fn version(&self) -> u16 {
                1
            }

            /// The name, for people.
            pub fn name(number: u16) -> Option<&'static str> {
                match number { $( $number => Some(stringify!($name)), )* _ => None }
            }

            /// The content as it is stored.
            pub fn data(&self) -> Box<RawValue> {
                let mut text = String::from("{");
                match self {
                    $( Self::$name { $( $field ),* } => {
                        $( put(&mut text, concat!("\"", stringify!($field), "\":"), $field); )*
                    } )*
                }
                text.push('}');
                RawValue::from_string(text).expect("every field was written as JSON")
            }

            /// Reads a stored event.
            pub fn read(number: u16, version: u16, data: &RawValue) -> Result<Self, EventError> {
                if version != 1 {
                    return Err(EventError::Unknown { number, version });
                }
                match number {
                    $( $number => {
                        #[derive(Deserialize)]
                        struct Fields { $( $field: $type ),* }
                        let Fields { $( $field ),* } = serde_json::from_str(data.get())
                            .map_err(|error| EventError::Malformed { number, reason: error.to_string() })?;
                        Ok(Self::$name { $( $field ),* })
                    } )*
                    _ => Err(EventError::Unknown { number, version }),
                }
            }
        }
    };
}

/// Writes one field. An absent field reads as null, so nulls need no room.
fn put<T: Serialize>(text: &mut String, key: &str, value: &T) {
    let value = serde_json::to_string(value).expect("event fields are plain data");
    if value != "null" {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(key);
        text.push_str(&value);
    }
}

events! {
    /// The first fiber set out.
    101 RunStarted {
        /// When the run must have ended.
        deadline: Option<Timestamp>,
    }
    /// A condition held.
    102 ConditionMet {
        /// The step.
        at: StepId,
    }
    /// A condition did not hold: the step counts as done with null.
    103 StepSkipped {
        /// The step.
        at: StepId,
    }
    /// The list of a `foreach` is known.
    104 EachOpened {
        /// The step.
        at: StepId,
        /// How many items.
        count: u32,
    }
    /// An outside job was handed over. Written before it is.
    105 JobStarted {
        /// Which.
        job: JobId,
        /// The first is 1.
        attempt: u32,
        /// Until when its effect may land; afterwards it is not made any more.
        lands_until: Timestamp,
    }
    /// A job succeeded.
    106 JobDone {
        /// Which.
        job: JobId,
        /// The attempt that did.
        attempt: u32,
    }
    /// An attempt failed and another will follow.
    107 JobRetrying {
        /// Which.
        job: JobId,
        /// The attempt that failed.
        attempt: u32,
        /// Why.
        failure: Failure,
        /// When the next one may start.
        at: Timestamp,
        /// Whether this attempt or an earlier one may have had its effect.
        unsettled: bool,
    }
    /// A job failed for good and `on_failure` decides.
    108 JobFailed {
        /// Which.
        job: JobId,
        /// The last attempt.
        attempt: u32,
        /// Why.
        failure: Failure,
    }
    /// A job waits for a person: it is a dead letter.
    109 JobStuck {
        /// Which.
        job: JobId,
        /// The last attempt.
        attempt: u32,
        /// Why.
        failure: Failure,
        /// Whether its effect has happened.
        happened: Happened,
    }
    /// Another attempt may start.
    110 JobReopened {
        /// Which.
        job: JobId,
    }
    /// A person said to go on without it: it counts as done with null.
    111 JobDismissed {
        /// Which.
        job: JobId,
    }
    /// The outcome is unknown; its check tool is being asked.
    112 JobChecking {
        /// Which.
        job: JobId,
        /// The attempt whose outcome is unknown.
        attempt: u32,
        /// What was lost.
        failure: Failure,
    }
    /// No new job starts in a scope; it ends this way when the jobs under way have ended.
    113 ScopeStopped {
        /// Which; 0 is the run.
        scope: ScopeId,
        /// How it will end.
        stop: Stop,
        /// Why, unless it was a person's wish.
        failure: Option<Failure>,
    }
    /// What was done in a scope is being taken back.
    114 CompensationStarted {
        /// Which; 0 is the run.
        scope: ScopeId,
    }
    /// The run is over.
    115 RunEnded {
        /// How.
        end: End,
    }
    /// Something arrived that nobody waits for. It changed nothing.
    116 SignalIgnored {
        /// Why it changed nothing.
        code: Stray,
        /// What it was, in words.
        what: String,
    }
    /// A job brought steps along; it ends when they have. They run in a scope of their own.
    117 ScopeOpened {
        /// Which.
        job: JobId,
        /// The attempt that did.
        attempt: u32,
        /// The program of the steps.
        code: Digest,
    }
    /// A job waits for an external worker to take it.
    118 JobOffered {
        /// Which.
        job: JobId,
    }
    /// A worker has taken a job.
    119 JobLeased {
        /// Which.
        job: JobId,
        /// The attempt; what a worker answers must name it.
        attempt: u32,
        /// When it is offered again.
        until: Timestamp,
    }
    /// A worker wants more time.
    120 LeaseExtended {
        /// Which.
        job: JobId,
        /// The attempt.
        attempt: u32,
        /// When it is offered again.
        until: Timestamp,
    }
    /// Another engine or a child run works on; its answer ends the job.
    121 JobDelegated {
        /// Which.
        job: JobId,
        /// The attempt.
        attempt: u32,
        /// When the other side must have answered.
        until: Option<Timestamp>,
        /// Whether it is a run of this engine.
        child: bool,
    }
    /// A job waits for somebody who may approve it.
    122 JobHeld {
        /// Which.
        job: JobId,
        /// When the request expires.
        until: Option<Timestamp>,
    }
    /// Somebody approved a job: it may start.
    123 JobGranted {
        /// Which.
        job: JobId,
    }
    /// A result waits for a person to look at it.
    124 ReviewAsked {
        /// Which.
        job: JobId,
        /// The attempt.
        attempt: u32,
    }
    /// A step was left out because one whose result it uses failed or was left out.
    125 StepBypassed {
        /// The step.
        at: StepId,
        /// The other one, in the same scope.
        because: u16,
    }
    /// Nothing of an atomic batch was committed.
    126 BatchRolledBack {
        /// Why.
        failure: Option<Failure>,
    }
    /// A job had its effect, but what came back cannot be used.
    127 JobDoneBadly {
        /// Which.
        job: JobId,
        /// The attempt.
        attempt: u32,
        /// What is wrong with the answer.
        failure: Failure,
    }
    /// The check tool is asked again: it found nothing, but the effect may still land, or it gave no answer.
    128 CheckPostponed {
        /// Which.
        job: JobId,
        /// The attempt.
        attempt: u32,
        /// When.
        at: Timestamp,
        /// Why the check gave no answer, if it did not.
        failure: Option<Failure>,
    }
    /// The check tool found that the call did not happen: it may be made again.
    129 CheckDenied {
        /// Which.
        job: JobId,
        /// The attempt.
        attempt: u32,
    }
    /// The way to the end of a scope waits for no person, worker or other engine any more.
    130 StopForced {
        /// Which; 0 is the run.
        scope: ScopeId,
    }
    /// A scope other than the run is over.
    131 ScopeEnded {
        /// Which.
        scope: ScopeId,
        /// How.
        end: End,
    }
    /// A fiber waits for the first of several things.
    132 WaitArmed {
        /// The fiber.
        fiber: u32,
        /// When its timers are due, in the order in which its program names them.
        timers: Vec<Timestamp>,
    }
    /// One of the things that a fiber waited for came first; the others are withdrawn.
    133 WaitWon {
        /// The fiber.
        fiber: u32,
        /// Which of them.
        arm: u8,
    }
}

impl Event {
    /// The job that it is about, if it is about one.
    pub fn job(&self) -> Option<JobId> {
        match self {
            Self::JobStarted { job, .. }
            | Self::JobDone { job, .. }
            | Self::JobRetrying { job, .. }
            | Self::JobFailed { job, .. }
            | Self::JobStuck { job, .. }
            | Self::JobReopened { job }
            | Self::JobDismissed { job }
            | Self::JobChecking { job, .. }
            | Self::ScopeOpened { job, .. }
            | Self::JobOffered { job }
            | Self::JobLeased { job, .. }
            | Self::LeaseExtended { job, .. }
            | Self::JobDelegated { job, .. }
            | Self::JobHeld { job, .. }
            | Self::JobGranted { job }
            | Self::ReviewAsked { job, .. }
            | Self::JobDoneBadly { job, .. }
            | Self::CheckPostponed { job, .. }
            | Self::CheckDenied { job, .. } => Some(*job),
            Self::RunStarted { .. }
            | Self::ConditionMet { .. }
            | Self::StepSkipped { .. }
            | Self::EachOpened { .. }
            | Self::ScopeStopped { .. }
            | Self::CompensationStarted { .. }
            | Self::RunEnded { .. }
            | Self::SignalIgnored { .. }
            | Self::StepBypassed { .. }
            | Self::BatchRolledBack { .. }
            | Self::StopForced { .. }
            | Self::ScopeEnded { .. }
            | Self::WaitArmed { .. }
            | Self::WaitWon { .. } => None,
        }
    }
}
