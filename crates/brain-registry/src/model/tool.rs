//! A tool: one thing Brain can do.

use brain_core::{Millis, Rate};
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
    /// How much of it may happen at a time and in a while, over all tenants. What the newest version says counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<ToolLimits>,
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
    /// The permission that whoever asks must have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<String>,
    /// Whoever asks must be of one of these tiers; empty: of any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<String>,
    /// Keys of user data that must be complete. Stored and shown; the conversation layer will ask for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// What keeps it from running, each with its code and its "why not".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<Blocker>,
    /// Tools that contradict it: a request for both is refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opposites: Vec<String>,
    /// What one call costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// What the person who asks must have seen before it runs, however it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledge: Option<Acknowledge>,
    /// Whether its result may bring steps along.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_inject: bool,
    /// The capability that a tenant must have. Stored and shown; the marketplace will enforce it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Another engine does the work after the call was taken; its signed callback ends the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate: Option<Delegate>,
    /// When a person looks at the result before the run goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// Why it cannot be undone, if the pack says that it cannot (`undo: none`, `undo: {cannot: …}`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_undo: Option<String>,
}

/// How much of a tool may happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolLimits {
    /// At a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<u32>,
    /// In a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
}

/// Something that keeps a tool from running while it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blocker {
    /// The code of the refusal, `snake_case`.
    pub code: String,
    /// FEEL over `input` and `settings` that is true while it blocks. Absent: it blocks while `state` or the request's
    /// context has `true` under the name of the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Binding>,
    /// What to say.
    #[serde(rename = "else")]
    pub otherwise: String,
}

/// What one call costs; exact decimals as text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// For the call itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<String>,
    /// For each unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_unit: Option<String>,
    /// How many units: FEEL over `input` that gives a number; absent: one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<Binding>,
    /// What a unit is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The currency; absent: that of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

/// What the person who asks must have seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acknowledge {
    /// MiniJinja over `input`.
    pub text: String,
    /// How long they have; then the request lapses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Millis>,
}

/// How another engine takes over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delegate {
    /// The reference of the secret that callbacks are signed with (`env:NAME`, `file:PATH`).
    pub secret: String,
    /// How long the other side has; then the step fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Millis>,
    /// What the other side calls its work: FEEL over `input` and `response`, shown to people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Binding>,
}

/// When a person looks at a result before the run goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// FEEL over `input`, `result` and `settings`; absent: always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Binding>,
    /// What to ask: MiniJinja over `input`, `result`.
    pub ask: String,
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
    /// This tool must have succeeded before: earlier in the run, in the same conversation, or (with `record`) ever on
    /// that record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<String>,
    /// This tool must not have succeeded before; the same reach as `prior`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<String>,
    /// One of these must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub any: Vec<Precondition>,
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
        match &self.behavior {
            Behavior::Record(_) | Behavior::Expr(_) | Behavior::Decide(_) | Behavior::Playbook(_) => true,
            Behavior::Native(native) => native.inline,
            Behavior::Http(_) | Behavior::Worker(_) => false,
        }
    }

    /// The declared attributes that are not shown elsewhere, as they are stored.
    pub fn attributes(&self) -> serde_json::Map<String, Value> {
        const NAMES: [&str; 12] = [
            "permission", "tiers", "needs", "blockers", "opposites", "cost", "acknowledge", "may_inject", "capability",
            "delegate", "review", "no_undo",
        ];
        let whole = serde_json::to_value(self).unwrap_or_default();
        let named = |name: &&str| whole.get(*name).map(|value| ((*name).to_owned(), value.clone()));
        NAMES.iter().filter_map(named).collect()
    }

    /// The domain part of the name.
    pub fn domain(&self) -> &str {
        self.name.split_once('.').map_or("", |(domain, _)| domain)
    }
}
