//! A tool: one thing Brain can do.

use std::collections::BTreeMap;

use brain_core::Millis;
use brain_lang::binding::Binding;
use brain_lang::plan::{Idempotency, RetryPolicy};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Behavior;

/// A tool as a pack declares it, with every default filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolDef {
    /// `domain.name`.
    pub name: String,
    /// The pack it comes from.
    pub pack: String,
    /// What people read in lists and plans.
    pub title: String,
    /// A longer explanation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema 2020-12 of the arguments: an object with `properties`, `required`, `additionalProperties: false`.
    pub input: Value,
    /// JSON Schema of `data` in the result, if declared; enforced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// How people ask for it, with `{slots}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phrases: Vec<String>,
    /// Other names of the tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
    /// How it is done.
    pub behavior: Behavior,
    /// What it does to the world.
    pub effect: Effect,
    /// Whose word it needs.
    pub consent: Consent,
    /// How it is undone; `None` if it cannot be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<Undo>,
    /// What must hold before it may run, each with its "why not".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<Precondition>,
    /// How transient failures are retried.
    pub retry: RetryPolicy,
    /// How long one attempt may take.
    pub timeout: Millis,
    /// What to do when an outcome is unknown.
    pub idempotency: Idempotency,
    /// 1 (lowest) to 10 (highest).
    pub priority: u8,
    /// A sentence about a success: MiniJinja over `input`, `result`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What to suggest afterwards: MiniJinja over `input`, `result`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    /// Free labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Declared attributes that a later part enforces (`permission`, `tiers`, `needs`, `blockers`, `opposites`,
    /// `cost`, `acknowledge`, `may_inject`, `capability`): stored and shown as written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, Value>,
}

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Changes records in Brain's own store.
    Write,
    /// Reaches an outside system.
    External,
    /// Cannot be taken back.
    Irreversible,
}

/// Whose word a tool needs before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consent {
    /// Runs at once.
    None,
    /// The person who asked must say run.
    User,
    /// Someone who may approve must say yes.
    Approver,
}

/// How a tool is undone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undo {
    /// The tool that undoes it.
    pub tool: String,
    /// Its arguments, from `input`, `result` and `receipt`.
    pub args: Binding,
    /// How long after the fact it may be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Millis>,
}

/// Something that must hold before a tool may run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Precondition {
    /// The input that names the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The type of that record (from the input's `entity`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_type: Option<String>,
    /// The states the record may be in; empty: it only has to exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<String>,
    /// FEEL over `input`, `settings`, the names in the behavior's `with` and, if `record` is given, `record`; must be
    /// true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expr: Option<Binding>,
    /// The step is blocked rather than refused when it does not hold: it is looked at again after this long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recheck: Option<Millis>,
    /// What to say when it does not hold.
    #[serde(rename = "else")]
    pub otherwise: String,
}

impl ToolDef {
    /// Whether the engine decides it in process and commits its effect with the checkpoint.
    pub fn is_inline(&self) -> bool {
        matches!(self.behavior, Behavior::Record(_) | Behavior::Expr(_))
    }

    /// The domain part of the name.
    pub fn domain(&self) -> &str {
        self.name.split_once('.').map_or("", |(domain, _)| domain)
    }
}
