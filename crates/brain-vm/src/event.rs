//! The events of a run, as the log stores them. Numbers and field names are frozen: a change is a new version.

use brain_core::{Digest, Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{End, Happened, JobId, ScopeId, StepId, Stop};

/// Event numbers of the machine. Other numbers in the same log belong to the pipe.
pub const VM_EVENTS: std::ops::Range<u16> = 100..200;

/// Why an input changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stray {
    /// It does not fit the current state of the run.
    OutOfTurn,
    /// An answer that the run no longer waits for.
    LateAnswer,
    /// A decision that the run no longer waits for.
    LateDecision,
    /// A message that no fiber waits for.
    Unheard,
    /// A callback whose signature is wrong.
    Forged,
}

impl Stray {
    /// A description for people.
    pub fn says(self) -> &'static str {
        match self {
            Self::OutOfTurn => "something that does not fit the state of the run",
            Self::LateAnswer => "an answer that is no longer needed",
            Self::LateDecision => "a decision that is no longer needed",
            Self::Unheard => "a message that nobody is waiting for",
            Self::Forged => "a callback whose signature is wrong",
        }
    }
}

/// Why a stored event cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// Written by a newer build.
    #[error("this build does not know event type {number} version {version}; a newer build wrote it")]
    Unknown {
        /// The event type.
        number: u16,
        /// The version of the event type.
        version: u16,
    },
    /// The type is known, but its content does not parse.
    #[error("event type {number} cannot be read: {reason}")]
    Malformed {
        /// The event type.
        number: u16,
        /// The parser's message.
        reason: String,
    },
}

macro_rules! events {
    ($( $(#[$doc:meta])* $number:literal $name:ident { $( $(#[$fdoc:meta])* $field:ident : $type:ty ),* $(,)? } )*) => {
        /// One event. A state changes only by folding events.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Event {
            $( $(#[$doc])* $name { $( $(#[$fdoc])* $field: $type ),* }, )*
        }

        impl Event {
            /// The frozen number of the type.
            pub fn number(&self) -> u16 {
                match self { $( Self::$name { .. } => $number, )* }
            }

            /// The version of the type; all types are at version 1.
            pub fn version(&self) -> u16 {
                1
            }

            /// The name of an event type, for people.
            pub fn name(number: u16) -> Option<&'static str> {
                match number { $( $number => Some(stringify!($name)), )* _ => None }
            }

            /// The content as stored.
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

            /// Parses a stored event.
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

/// Writes one field. Nulls are left out, because an absent field reads as null.
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
    /// The first fiber started.
    101 RunStarted {
        /// The deadline of the run.
        deadline: Option<Timestamp>,
    }
    /// A condition held.
    102 ConditionMet {
        /// The step with the condition.
        at: StepId,
    }
    /// A condition did not hold: the step counts as done with a null result.
    103 StepSkipped {
        /// The step with the condition.
        at: StepId,
    }
    /// The list of a `foreach` was evaluated.
    104 EachOpened {
        /// The step with the `foreach`.
        at: StepId,
        /// Number of items.
        count: u32,
    }
    /// An external job is handed over. Written before the hand-over.
    105 JobStarted {
        /// The job.
        job: JobId,
        /// Counted from 1.
        attempt: u32,
        /// Until when the attempt may still take effect.
        lands_until: Timestamp,
    }
    /// A job succeeded.
    106 JobDone {
        /// The job.
        job: JobId,
        /// The attempt that succeeded.
        attempt: u32,
    }
    /// An attempt failed and another will follow.
    107 JobRetrying {
        /// The job.
        job: JobId,
        /// The attempt that failed.
        attempt: u32,
        /// The error.
        failure: Failure,
        /// When the next attempt may start.
        at: Timestamp,
        /// Whether this attempt or an earlier one may have taken effect.
        unsettled: bool,
    }
    /// A job failed for good; `on_failure` decides what follows.
    108 JobFailed {
        /// The job.
        job: JobId,
        /// The last attempt.
        attempt: u32,
        /// The error of the last attempt.
        failure: Failure,
    }
    /// A job became a dead letter.
    109 JobStuck {
        /// The job.
        job: JobId,
        /// The last attempt.
        attempt: u32,
        /// The error of the last attempt.
        failure: Failure,
        /// Whether its effect has happened.
        happened: Happened,
    }
    /// A person allowed another attempt.
    110 JobReopened {
        /// The job.
        job: JobId,
    }
    /// A person dismissed the job: it counts as done with a null result.
    111 JobDismissed {
        /// The job.
        job: JobId,
    }
    /// The outcome of an attempt is unknown, so its check tool is called.
    112 JobChecking {
        /// The job.
        job: JobId,
        /// The attempt whose outcome is unknown.
        attempt: u32,
        /// Why the outcome is unknown.
        failure: Failure,
    }
    /// A scope starts no new jobs and ends as `stop` says when the jobs under way have ended.
    113 ScopeStopped {
        /// The scope; 0 is the run.
        scope: ScopeId,
        /// How it will end.
        stop: Stop,
        /// The error; `None` if a person stopped it.
        failure: Option<Failure>,
    }
    /// A scope began to undo its finished jobs.
    114 CompensationStarted {
        /// The scope; 0 is the run.
        scope: ScopeId,
    }
    /// The run ended.
    115 RunEnded {
        /// How it ended.
        end: End,
    }
    /// Something arrived that the run does not wait for. It changed nothing.
    116 SignalIgnored {
        /// Why it changed nothing.
        code: Stray,
        /// What it was, in words.
        what: String,
    }
    /// A job injected steps, which run in a scope of their own. The job ends when they have ended.
    117 ScopeOpened {
        /// The job.
        job: JobId,
        /// The attempt that injected them.
        attempt: u32,
        /// The program of the injected steps.
        code: Digest,
    }
    /// A job was offered to external workers.
    118 JobOffered {
        /// The job.
        job: JobId,
    }
    /// A worker leased a job.
    119 JobLeased {
        /// The job.
        job: JobId,
        /// The attempt; the worker's answer must name it.
        attempt: u32,
        /// When the lease ends and the job is offered again.
        until: Timestamp,
    }
    /// A worker extended its lease.
    120 LeaseExtended {
        /// The job.
        job: JobId,
        /// The leased attempt.
        attempt: u32,
        /// When the lease ends and the job is offered again.
        until: Timestamp,
    }
    /// Another engine or a child run continues the job; its answer ends it.
    121 JobDelegated {
        /// The job.
        job: JobId,
        /// The delegated attempt.
        attempt: u32,
        /// Deadline of the answer.
        until: Option<Timestamp>,
        /// Whether it is a run of this engine.
        child: bool,
    }
    /// A job waits for an approval.
    122 JobHeld {
        /// The job.
        job: JobId,
        /// When the request expires.
        until: Option<Timestamp>,
    }
    /// Somebody approved a job, which may now start.
    123 JobGranted {
        /// The job.
        job: JobId,
    }
    /// A result waits for a person's review.
    124 ReviewAsked {
        /// The job.
        job: JobId,
        /// The attempt that gave the result.
        attempt: u32,
    }
    /// A step was skipped because a step whose result it uses failed or was skipped.
    125 StepBypassed {
        /// The step that was not run.
        at: StepId,
        /// The number of the other step in the same scope.
        because: u16,
    }
    /// An atomic batch was rolled back.
    126 BatchRolledBack {
        /// The error, unless a person rolled it back.
        failure: Option<Failure>,
    }
    /// A job took effect, but its answer cannot be used.
    127 JobDoneBadly {
        /// The job.
        job: JobId,
        /// The attempt that had the effect.
        attempt: u32,
        /// What is wrong with the answer.
        failure: Failure,
    }
    /// The check tool will be called again: it found nothing while the effect may still land, or it failed.
    128 CheckPostponed {
        /// The job.
        job: JobId,
        /// The attempt in doubt.
        attempt: u32,
        /// When to call it.
        at: Timestamp,
        /// The error of the check, if it failed.
        failure: Option<Failure>,
    }
    /// The check tool found that the call had no effect, so it may be made again.
    129 CheckDenied {
        /// The job.
        job: JobId,
        /// The attempt that had no effect.
        attempt: u32,
    }
    /// A scope on its way to its end stopped waiting for people, workers and other engines.
    130 StopForced {
        /// The scope; 0 is the run.
        scope: ScopeId,
    }
    /// A scope other than the run ended.
    131 ScopeEnded {
        /// The scope.
        scope: ScopeId,
        /// How it ended.
        end: End,
    }
    /// A fiber began to wait for the first of several arms.
    132 WaitArmed {
        /// The fiber.
        fiber: u32,
        /// Due times of its timers, in program order.
        timers: Vec<Timestamp>,
    }
    /// One arm of a wait came first; the others are withdrawn.
    133 WaitWon {
        /// The fiber.
        fiber: u32,
        /// The index of the arm.
        arm: u8,
    }
}

impl Event {
    /// The job that the event is about, if any.
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
