//! Tools.

use brain_core::{Millis, Rate};
use brain_lang::binding::Binding;
use brain_lang::plan::{Idempotency, RetryPolicy};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Behavior;

/// A tool as a pack declares it, with all defaults filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolDef {
    /// `domain.name`.
    pub name: String,
    /// The pack it comes from.
    pub pack: String,
    /// The title in lists and plans.
    pub title: String,
    /// A longer explanation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema 2020-12 of the arguments: an object with `properties`, `required`, `additionalProperties: false`.
    pub input: Value,
    /// JSON Schema of the result's `data`, if declared; enforced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Example requests, with `{slots}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phrases: Vec<String>,
    /// Alternative names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
    /// The kind of action that it belongs to: `tier`, or `tier.kind`. Absent: by the action in its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_tier: Option<String>,
    /// How it is executed.
    pub behavior: Behavior,
    /// Its effect.
    pub effect: Effect,
    /// The consent it needs.
    pub consent: Consent,
    /// How it is undone, if it can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<Undo>,
    /// Preconditions, each with its "why not".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<Precondition>,
    /// How transient failures are retried.
    pub retry: RetryPolicy,
    /// Timeout of one attempt.
    pub timeout: Millis,
    /// Limits on concurrency and rate, across tenants. The newest version's limits apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<ToolLimits>,
    /// What to do if an outcome is unknown.
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
    /// The permission that the actor needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<String>,
    /// The tiers that the actor may have; empty: any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<String>,
    /// Keys of user data that must be complete. Stored and shown; the conversation layer will ask for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Blockers, each with its code and "why not".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<Blocker>,
    /// Tools that contradict it: a request for both is refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opposites: Vec<String>,
    /// The cost of one call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// What the actor must acknowledge before it runs, however it was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledge: Option<Acknowledge>,
    /// Whether its result may inject steps.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_inject: bool,
    /// The capability that a tenant must have. Stored and shown; the marketplace will enforce it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Another engine continues the work; its signed callback completes the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate: Option<Delegate>,
    /// When a person reviews the result before the run continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// Why it cannot be undone (`undo: none`, `undo: {cannot: …}`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_undo: Option<String>,
}

/// Limits on a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolLimits {
    /// Maximum number of concurrent calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<u32>,
    /// Maximum rate of calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
}

/// A condition that blocks a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blocker {
    /// The code of the refusal, `snake_case`.
    pub code: String,
    /// FEEL over `input` and `settings` that is true while it blocks. Absent: it blocks while `state` or the request's
    /// context has `true` under its code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Binding>,
    /// The message.
    #[serde(rename = "else")]
    pub otherwise: String,
}

/// The cost of one call; exact decimals as text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Per call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<String>,
    /// Per unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_unit: Option<String>,
    /// The number of units: FEEL over `input`; absent: one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<Binding>,
    /// The name of a unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The currency; absent: that of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

/// What the actor must acknowledge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acknowledge {
    /// MiniJinja over `input`.
    pub text: String,
    /// The deadline, after which the request expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Millis>,
}

/// How another engine continues the work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delegate {
    /// The reference of the secret that callbacks are signed with (`env:NAME`, `file:PATH`).
    pub secret: String,
    /// The deadline, after which the step fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Millis>,
    /// The other side's reference for the work: FEEL over `input` and `response`, shown to people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Binding>,
}

/// When a person reviews a result before the run continues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// FEEL over `input`, `result` and `settings`; absent: always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Binding>,
    /// The question: MiniJinja over `input`, `result`.
    pub ask: String,
}

/// The effect of a tool, from weak to strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Changes records in Brain's own store.
    Write,
    /// Changes an external system.
    External,
    /// Cannot be reversed.
    Irreversible,
}

/// The consent that a tool needs before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consent {
    /// Runs at once.
    None,
    /// The actor must confirm.
    User,
    /// An approver must agree.
    Approver,
}

/// How a tool is undone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Undo {
    /// The tool that undoes it.
    pub tool: String,
    /// Its arguments, from `input`, `result` and `receipt`.
    pub args: Binding,
    /// How long after the call it may be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Millis>,
}

/// A precondition of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Precondition {
    /// The input that names the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The type of that record (from the input's `entity`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_type: Option<String>,
    /// The permitted states; empty: the record only has to exist.
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
    /// This tool must not have succeeded before; the same scope as `prior`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<String>,
    /// One of these must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub any: Vec<Precondition>,
    /// If the precondition fails, the step waits and is checked again after this long, instead of being refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recheck: Option<Millis>,
    /// The message if it fails.
    #[serde(rename = "else")]
    pub otherwise: String,
}

impl ToolDef {
    /// Whether it runs in process and commits its effect with the checkpoint.
    pub fn is_inline(&self) -> bool {
        match &self.behavior {
            Behavior::Record(_) | Behavior::Query(_) | Behavior::Expr(_) => true,
            Behavior::Decide(_) | Behavior::Playbook(_) => true,
            Behavior::Native(native) => native.inline,
            Behavior::Http(_) | Behavior::Worker(_) => false,
        }
    }

    /// The declared attributes that are not shown elsewhere, as stored.
    pub fn attributes(&self) -> serde_json::Map<String, Value> {
        const NAMES: [&str; 12] = [
            "permission", "tiers", "needs", "blockers", "opposites", "cost", "acknowledge", "may_inject", "capability",
            "delegate", "review", "no_undo",
        ];
        let whole = serde_json::to_value(self).unwrap_or_default();
        let named = |name: &&str| whole.get(*name).map(|value| ((*name).to_owned(), value.clone()));
        NAMES.iter().filter_map(named).collect()
    }

    /// Whether it was made from a record type instead of being declared.
    pub fn is_generated(&self) -> bool {
        matches!(self.behavior, Behavior::Query(_))
    }

    /// The domain part of the name.
    pub fn domain(&self) -> &str {
        self.name.split_once('.').map_or("", |(domain, _)| domain)
    }
}
