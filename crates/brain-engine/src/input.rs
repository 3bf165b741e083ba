//! What a run works on: fixed when the run is accepted, part of what an approver approves, and written to the log.

use std::collections::BTreeMap;

use brain_core::RunId;
use brain_store::blob::{Offloaded, is_large, offload};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a run works on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunInput {
    /// What is to be done.
    pub work: Work,
    /// The name of the person who asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asked_by: String,
    /// The most that this person may do; absent: everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<ActorBounds>,
    /// The conversation that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The caller's trace id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// Flags that the caller set, for tools whose `blockers` look at them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// Whether an approver must say yes before it starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_approver: bool,
    /// The most that it may cost, by currency, as shown to the approver.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cost: BTreeMap<String, String>,
    /// Tool calls that it may make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tool_calls: Option<u32>,
    /// What it and its child runs may spend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Tools called by name, each with its arguments.
    Calls(Vec<Value>),
    /// A playbook with its slots.
    Playbook(PlaybookInput),
}

impl Default for Work {
    fn default() -> Self {
        Self::Calls(Vec::new())
    }
}

/// What a playbook is run with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaybookInput {
    /// The values of its slots.
    pub slots: Value,
    /// The JSON Schema of its slots.
    pub schema: Value,
    /// Who plays which role.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub roles: Value,
    /// Slots whose record is made first, each with the field of the result that names it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub placeholders: Map<String, Value>,
}

/// The most that somebody may do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActorBounds {
    /// Their permissions; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// Their tier; absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
}

/// What a run and its child runs may spend together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The run whose budget it is.
    pub root: RunId,
    /// Whose caps apply.
    pub actor: String,
    /// Tool calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u32>,
    /// Whether the calls are counted in an account that child runs share.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// Money, as decimal text in the currency of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
}

impl RunInput {
    /// The arguments of the calls; none if it is a playbook.
    pub fn calls(&self) -> &[Value] {
        match &self.work {
            Work::Calls(calls) => calls,
            Work::Playbook(_) => &[],
        }
    }

    /// What the playbook is run with, if it is one.
    pub fn playbook(&self) -> Option<&PlaybookInput> {
        match &self.work {
            Work::Calls(_) => None,
            Work::Playbook(playbook) => Some(playbook),
        }
    }

    /// Whether [`RunInput::offload`] may have something to move.
    pub fn is_large(&self) -> bool {
        if self.context.values().any(is_large) {
            return true;
        }
        match &self.work {
            Work::Calls(calls) => calls.iter().any(is_large),
            Work::Playbook(playbook) => is_large(&playbook.slots) || is_large(&playbook.roles),
        }
    }

    /// Replaces large values by references to blobs, which are added to `out`.
    pub fn offload(&mut self, out: &mut Vec<Offloaded>) {
        self.context.values_mut().for_each(|value| offload(value, 3, out));
        match &mut self.work {
            Work::Calls(calls) => calls.iter_mut().for_each(|call| offload(call, 2, out)),
            Work::Playbook(playbook) => {
                offload(&mut playbook.slots, 2, out);
                offload(&mut playbook.roles, 2, out);
            }
        }
    }
}
