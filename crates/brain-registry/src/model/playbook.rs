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
    /// `domain.name`; shares its name space with tools.
    pub name: String,
    /// The pack it comes from.
    pub pack: String,
    /// The tenant whose own it is; absent: everyone's. A tenant's own comes before everyone's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// What people read.
    pub title: String,
    /// A longer explanation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// How people ask for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phrases: Vec<String>,
    /// JSON Schema of the slots, like a tool's input.
    pub slots: Value,
    /// The steps, in order.
    pub steps: Vec<PlaybookStep>,
    /// What its steps are to each other.
    #[serde(default, skip_serializing_if = "BatchPolicy::is_plain")]
    pub policy: BatchPolicy,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Who or what takes part, and how many of each: each role is a slot of the same name as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<Role>,
    /// Slots that are needed only sometimes, and what is done when they are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<SlotRule>,
    /// How long the whole run may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Millis>,
    /// Hard stop on the number of steps.
    pub max_steps: u32,
    /// 1 (lowest) to 10 (highest).
    pub priority: u8,
    /// Rises with every change that matters.
    pub version: u32,
}

/// What the steps of a playbook are to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum BatchPolicy {
    /// Each step says itself what its failure means.
    #[default]
    Plain,
    /// All of it is one commit, or none of it happens. Only steps that work on Brain's own records.
    Atomic,
    /// Each step is tried; what depends on a failed one is skipped.
    BestEffort,
}

impl BatchPolicy {
    fn is_plain(&self) -> bool {
        *self == Self::Plain
    }
}

/// Who or what takes part in a playbook. Expressions see `roles`: a list of `{role, party}`, one entry for each party
/// that was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// The name of the role, and of its slot (a list if there may be several).
    pub role: String,
    /// How many.
    pub cardinality: Cardinality,
    /// The record types that may take it; empty: any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// What people call it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
}

/// How many may take a role.
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

/// A condition on a slot that a schema cannot say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotRule {
    /// The slot.
    pub slot: String,
    /// FEEL over `slots`: the slot is required while this is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_if: Option<Binding>,
    /// For enum slots, by token: FEEL over `slots` that must be true for the value to be allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub valid_for: Vec<(String, Binding)>,
    /// The tool that makes a stand-in when the slot is missing though required; its result's first `uuid` is the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<Placeholder>,
}

/// How a stand-in for a missing slot is made.
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
    /// Its arguments. Absent: slots of the same name as the tool's inputs.
    pub args: Binding,
    /// Steps that must be done first. Filled in at load: the step before, unless declared.
    pub after: Vec<String>,
    /// FEEL; a step whose condition is not true is skipped and counts as done with null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Binding>,
    /// FEEL that gives a list: the step is done once for each item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreach: Option<Binding>,
    /// How many items at a time.
    pub at_a_time: u16,
    /// What a failure does to the run.
    pub on_failure: OnFailure,
    /// Overrides the tool's policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<RetryPolicy>,
    /// Overrides the tool's time-out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Millis>,
    /// `false`: this step keeps its effect when the run is compensated.
    pub compensate: bool,
}
