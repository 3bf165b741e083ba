//! A playbook: several steps under one name.

use brain_core::Millis;
use brain_lang::binding::Binding;
use brain_lang::plan::OnFailure;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use brain_lang::plan::RetryPolicy;

/// A playbook as a pack declares it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Playbook {
    /// `domain.name`, in one namespace with tools.
    pub name: String,
    /// The pack it comes from.
    pub pack: String,
    /// The tenant it belongs to; absent: shared. A tenant's own takes precedence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The title for people.
    pub title: String,
    /// A longer explanation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Example requests, with `{slots}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phrases: Vec<String>,
    /// The kind of action that it belongs to: `tier`, or `tier.kind`. Absent: by the action in its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_tier: Option<String>,
    /// JSON Schema of the slots, like a tool's input.
    pub slots: Value,
    /// The steps, in order.
    pub steps: Vec<PlaybookStep>,
    /// How its steps belong together.
    #[serde(default, skip_serializing_if = "BatchPolicy::is_plain")]
    pub policy: BatchPolicy,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The participants and their number: each role is also a slot of the same name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// Slots that are required under a condition, and what to do if they are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<SlotRule>,
    /// How long the whole run may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Millis>,
    /// Maximum number of steps.
    pub max_steps: u32,
    /// 1 (lowest) to 10 (highest).
    pub priority: u8,
    /// Increases with every relevant change.
    pub version: u32,
}

/// How the steps of a playbook belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum BatchPolicy {
    /// Each step declares what its failure means.
    #[default]
    Plain,
    /// All steps are one commit. Only steps on Brain's own records.
    Atomic,
    /// Each step is tried; steps that depend on a failed one are skipped.
    BestEffort,
}

impl BatchPolicy {
    fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

/// A participant of a playbook. Expressions see `roles`: a list of `{role, party}`, one entry for each given party.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// The name of the role, and of its slot (a list if there may be several).
    pub role: String,
    /// The number of parties.
    pub cardinality: Cardinality,
    /// The record types that may fill it; empty: any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// Its label for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
}

/// The number of parties in a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cardinality {
    /// Exactly one.
    One,
    /// At most one.
    ZeroOrOne,
    /// Any number, also none.
    ZeroOrMore,
    /// At least one.
    OneOrMore,
}

/// A condition on a slot that a schema cannot express.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotRule {
    /// The slot.
    pub slot: String,
    /// FEEL over `slots`: the slot is required if this is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_if: Option<Binding>,
    /// For enum slots: by token, a FEEL condition over `slots` that permits the value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub valid_for: Vec<(String, Binding)>,
    /// The tool that creates a placeholder if the required slot is missing; the first `uuid` in its result is the
    /// value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<Placeholder>,
}

/// How a placeholder for a missing slot is created.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placeholder {
    /// The tool.
    pub tool: String,
    /// Its arguments over `slots` and `settings`.
    pub args: Binding,
    /// The field of its result that is the value.
    pub field: String,
}

/// One step. Expressions see `input`, `slots`, `state`, `steps.ID.result`, `item`, `index`, `settings`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaybookStep {
    /// Unique in the playbook, stable over its versions.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments; by default the slots with the names of the tool's inputs.
    pub args: Binding,
    /// Steps that must be done first; by default the step before.
    pub after: Vec<String>,
    /// A FEEL condition; a step is skipped, with a null result, unless it is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Binding>,
    /// FEEL that yields a list: the step runs once for each item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreach: Option<Binding>,
    /// Maximum number of items in parallel.
    pub at_a_time: u16,
    /// What a failure does to the run.
    pub on_failure: OnFailure,
    /// Overrides the tool's policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
    /// Overrides the tool's timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Millis>,
    /// `false`: the effect of this step is kept when the run is compensated.
    pub compensate: bool,
}
