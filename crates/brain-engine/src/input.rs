//! The input of a run: fixed when the run is accepted, part of what an approver approves, and written to the log.

use std::collections::BTreeMap;

use brain_core::RunId;
use brain_store::blob::{Offloaded, is_large, offload};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The input of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunInput {
    /// The work to do.
    pub work: Work,
    /// The name of the requester.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asked_by: String,
    /// The limits of the requester's rights; absent: no limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<ActorBounds>,
    /// The conversation that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The caller's trace id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// Flags set by the caller, for tools with `blockers`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// Whether an approver must approve it before it starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_approver: bool,
    /// Its maximum cost by currency, as shown to the approver.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cost: BTreeMap<String, String>,
    /// Maximum number of tool calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tool_calls: Option<u32>,
    /// The budget of the run and its child runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// The work of a run.
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

/// The input of a playbook.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaybookInput {
    /// The values of its slots.
    pub slots: Value,
    /// The JSON Schema of its slots.
    pub schema: Value,
    /// The participants by role.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub roles: Value,
    /// Slots whose record is created first, each with the result field that holds its id.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub placeholders: Map<String, Value>,
}

/// The limits of a person's rights.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActorBounds {
    /// Their permissions; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// Their tier; absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
}

/// The budget that a run and its child runs share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The root run of the budget.
    pub root: RunId,
    /// The actor whose caps apply.
    pub actor: String,
    /// Tool calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u32>,
    /// Whether the calls are counted in an account that child runs share.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// Steps of the run and its child runs together (`max_steps` of the root run), counted in an account that they share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// Money, as decimal text in the currency of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
}

impl RunInput {
    /// The arguments of the calls; empty for a playbook.
    pub fn calls(&self) -> &[Value] {
        match &self.work {
            Work::Calls(calls) => calls,
            Work::Playbook(_) => &[],
        }
    }

    /// The input of the playbook, if it is one.
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
