//! What happened in a run, as the log keeps it. Numbers and field names are frozen: a change is a new version.

use brain_core::{Digest, Failure, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{End, JobId, Stop};

/// Event numbers of the machine; others in the same log belong to the pipe.
pub const VM_EVENTS: std::ops::Range<u16> = 100..200;

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
            pub fn data(&self) -> Value {
                match self {
                    $( Self::$name { $( $field ),* } => {
                        #[allow(unused_mut, reason = "some events have no fields")]
                        let mut map = serde_json::Map::new();
                        $( put(&mut map, stringify!($field), $field); )*
                        Value::Object(map)
                    } )*
                }
            }

            /// Reads a stored event.
            pub fn read(number: u16, version: u16, data: &Value) -> Result<Self, EventError> {
                if version != 1 {
                    return Err(EventError::Unknown { number, version });
                }
                match number {
                    $( $number => Ok(Self::$name { $( $field: take(number, data, stringify!($field))? ),* }), )*
                    _ => Err(EventError::Unknown { number, version }),
                }
            }
        }
    };
}

fn put<T: Serialize>(map: &mut serde_json::Map<String, Value>, key: &str, value: &T) {
    let value = serde_json::to_value(value).expect("event fields are plain data");
    // An absent field reads as null, so nulls need no room.
    if !value.is_null() {
        map.insert(key.to_owned(), value);
    }
}

fn take<T: for<'de> Deserialize<'de>>(number: u16, data: &Value, key: &str) -> Result<T, EventError> {
    T::deserialize(data.get(key).unwrap_or(&Value::Null))
        .map_err(|error| EventError::Malformed { number, reason: format!("`{key}`: {error}") })
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
        step: u16,
    }
    /// A condition did not hold: the step counts as done with null.
    103 StepSkipped {
        /// The step.
        step: u16,
    }
    /// The list of a `foreach` is known.
    104 EachOpened {
        /// The step.
        step: u16,
        /// How many items.
        count: u32,
    }
    /// An outside job was handed over. Written before it is.
    105 JobStarted {
        /// Which.
        job: JobId,
        /// The first is 1.
        attempt: u32,
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
    /// A job waits for a person: it is a dead letter, or its outcome is in doubt.
    109 JobParked {
        /// Which.
        job: JobId,
        /// The last attempt.
        attempt: u32,
        /// Why.
        failure: Failure,
        /// Whether it may have happened.
        in_doubt: bool,
    }
    /// A person asked for another attempt.
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
    /// No new job starts; the run ends this way when the running ones have ended.
    113 StopDecided {
        /// How it will end.
        stop: Stop,
        /// Why, unless it was a person's wish.
        failure: Option<Failure>,
    }
    /// What was done is being taken back.
    114 CompensationStarted {
        /// Why.
        failure: Option<Failure>,
    }
    /// The run is over.
    115 RunEnded {
        /// How.
        end: End,
    }
    /// Something arrived that nobody waits for. It changed nothing.
    116 SignalIgnored {
        /// What it was.
        what: String,
    }
    /// A job brought steps along; it ends when they have. They are appended to the program under the job's path.
    117 StepsInjected {
        /// Which.
        job: JobId,
        /// The attempt that did.
        attempt: u32,
        /// The program of the steps.
        fragment: Digest,
        /// The path of the steps.
        path: String,
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
    /// Another engine works on; its callback, or the end of the child run, ends the job.
    121 JobDelegated {
        /// Which.
        job: JobId,
        /// The attempt.
        attempt: u32,
        /// When the other side must have answered.
        until: Option<Timestamp>,
    }
    /// A job waits for somebody who may approve it.
    122 JobHeld {
        /// Which.
        job: JobId,
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
        step: u16,
        /// The other one.
        because: u16,
    }
    /// Nothing of an atomic batch was committed.
    126 BatchRolledBack {
        /// Why.
        failure: Option<Failure>,
    }
}
