//! Jobs: one hand-over of a step to an executor, and its status.

use brain_core::Timestamp;
use serde::{Deserialize, Serialize};

/// A scope of a run, as an index into [`crate::State::scopes`]. The run itself is scope 0.
pub type ScopeId = u32;

/// A step within one scope.
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

/// A job: a step in a scope, an item of its list, and the direction.
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
    /// Whether this job undoes the step.
    #[serde(default, skip_serializing_if = "is_false")]
    pub undo: bool,
}

impl JobId {
    /// The step it belongs to.
    pub fn at(self) -> StepId {
        StepId { scope: self.scope, step: self.step }
    }

    /// The job that this one undoes, or the job itself.
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

/// Serialises a map with structured keys as a list of pairs, because JSON keys are text.
pub mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the map.
    pub fn serialize<K: Serialize, V: Serialize, S: Serializer>(
        map: &BTreeMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map.iter())
    }

    /// Reads the map.
    pub fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}

/// A job that has not ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// Its number in the run, counted from 1: part of the integer keys that some clients need.
    pub number: u32,
    /// Number of attempts started.
    pub attempt: u32,
    /// Attempts that do not count against the retry policy, because the call could not be made yet.
    pub blocked: u32,
    /// Whether somebody has approved it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub granted: bool,
    /// Whether an earlier attempt is in doubt: its outcome is unknown, and no later answer has settled it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unsettled: bool,
    /// How often the check of the latest attempt failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub checks: u32,
    /// The attempt that was last delegated to another system or a child run. An attempt is delegated at most once.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delegated: u32,
    /// Until when the latest attempt may still take effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lands_until: Option<Timestamp>,
    /// Its current status.
    pub status: JobStatus,
}

/// The status of a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// It may start.
    Ready,
    /// It was handed over.
    Running,
    /// The outcome is unknown; the check tool is called.
    Checking {
        /// When to call the check again: a negative answer before that proves nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<Timestamp>,
    },
    /// It waits for its next attempt.
    Retrying {
        /// When the next attempt may start.
        at: Timestamp,
    },
    /// It is a dead letter: only a person can move it on.
    Stuck {
        /// Whether its effect has happened.
        happened: Happened,
    },
    /// It waits for a worker.
    Offered,
    /// A worker leased it.
    Leased {
        /// When the lease ends and the job is offered again.
        until: Timestamp,
    },
    /// Another engine or a child run works on it.
    Delegated {
        /// Deadline of the answer.
        until: Option<Timestamp>,
        /// Whether it is a child run of this engine, which is cancelled with it.
        child: bool,
    },
    /// It waits for an approval.
    Held {
        /// When the request for approval expires.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// Its result waits for a person's review.
    Reviewing,
    /// The steps that it injected are running.
    Growing {
        /// The scope of the injected steps.
        scope: ScopeId,
    },
}

impl JobStatus {
    /// Whether something outside the machine may be working on it right now.
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

    /// Whether the steps that the job injected have not ended.
    pub fn is_growing(&self) -> bool {
        matches!(self, Self::Growing { .. })
    }

    /// Whether the job's effect is already recorded in [`crate::State::done`].
    pub(crate) fn is_noted(&self) -> bool {
        matches!(self, Self::Growing { .. } | Self::Reviewing | Self::Stuck { happened: Happened::Yes })
    }
}

/// Whether the effect of a stuck job has happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happened {
    /// It did not happen.
    No,
    /// It is in doubt.
    Maybe,
    /// It happened, but the answer could not be used.
    Yes,
}

impl Happened {
    /// The spelling in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Maybe => "maybe",
            Self::Yes => "yes",
        }
    }
}
