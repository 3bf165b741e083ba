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
