//! Jobs: one hand-over of a step to whoever does it, and where it stands.

use brain_core::Timestamp;
use serde::{Deserialize, Serialize};

/// A scope of a run: its number in [`crate::State::scopes`]. The run itself is scope 0.
pub type ScopeId = u32;

/// A step as one scope activates it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct StepId {
    /// The scope.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub scope: ScopeId,
    /// The step of the scope's program.
    pub step: u16,
}

impl StepId {
    /// The job of the step, or of one item of its list.
    pub fn job(self, item: u32) -> JobId {
        JobId { scope: self.scope, step: self.step, item, undo: false }
    }
}

/// Which job: a step in a scope, an item of its list, and whether it is done or undone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct JobId {
    /// The scope.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub scope: ScopeId,
    /// The step of the scope's program.
    pub step: u16,
    /// The item, or 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub item: u32,
    /// Whether this takes the step back.
    #[serde(default, skip_serializing_if = "is_false")]
    pub undo: bool,
}

impl JobId {
    /// The step it belongs to.
    pub fn at(self) -> StepId {
        StepId { scope: self.scope, step: self.step }
    }

    /// The job that this one takes back, or the job itself.
    pub fn forward(self) -> Self {
        Self { undo: false, ..self }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A map with structured keys as a list of pairs, because JSON has only text keys.
pub mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the pairs.
    pub fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map.iter())
    }

    /// Reads the pairs.
    pub fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}

/// A job that is not finished.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// Its number in the run, from 1: part of the integer keys that some clients need.
    pub number: u32,
    /// How many attempts have started.
    pub attempt: u32,
    /// Attempts that do not count against the retry policy, because something else had to happen first.
    pub blocked: u32,
    /// Whether somebody has approved it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub granted: bool,
    /// Whether an earlier attempt may have happened: its outcome is unknown, and no later answer has settled it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unsettled: bool,
    /// How often the check of the latest attempt gave no answer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub checks: u32,
    /// The attempt that was last handed to another system or a child run: it is handed over once.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delegated: u32,
    /// Until when an effect of the latest attempt may still land.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lands_until: Option<Timestamp>,
    /// Where it stands.
    pub status: JobStatus,
}

/// Where a job stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// May start.
    Ready,
    /// Handed over.
    Running,
    /// Its check tool is asked whether it happened.
    Checking {
        /// When to ask once more: a "no" before that proves nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<Timestamp>,
    },
    /// Waits for its next attempt.
    Retrying {
        /// When that may start.
        at: Timestamp,
    },
    /// A dead letter: only a person can move it on.
    Stuck {
        /// Whether its effect has happened.
        happened: Happened,
    },
    /// Waits for a worker.
    Offered,
    /// A worker has it.
    Leased {
        /// When it is offered again.
        until: Timestamp,
    },
    /// Another engine or a child run works on it.
    Delegated {
        /// When that must have ended.
        until: Option<Timestamp>,
        /// Whether it is a run of this engine, which ends when it is cancelled.
        child: bool,
    },
    /// Waits for an approval.
    Held {
        /// When the request for approval expires.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// Its result waits for a person to look at it.
    Reviewing,
    /// The steps that its result brought along run in this scope.
    Growing {
        /// The scope.
        scope: ScopeId,
    },
}

impl JobStatus {
    /// Whether something outside the machine may be happening because of it right now.
    pub fn is_out(&self) -> bool {
        matches!(self, Self::Running | Self::Checking { .. } | Self::Leased { .. })
    }

    /// Whether only a person can move it on.
    pub fn is_for_person(&self) -> bool {
        matches!(self, Self::Stuck { .. } | Self::Held { .. } | Self::Reviewing)
    }

    /// Whether it is a dead letter.
    pub fn is_stuck(&self) -> bool {
        matches!(self, Self::Stuck { .. })
    }

    /// Whether the job's effect has been noted as done already.
    pub(crate) fn is_noted(&self) -> bool {
        matches!(self, Self::Growing { .. } | Self::Reviewing | Self::Stuck { happened: Happened::Yes })
    }
}

/// Whether the effect of a job that is stuck has happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happened {
    /// It has not.
    No,
    /// Nobody knows: it is in doubt.
    Maybe,
    /// It has, but the answer could not be used.
    Yes,
}

impl Happened {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Maybe => "maybe",
            Self::Yes => "yes",
        }
    }
}
