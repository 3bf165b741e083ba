//! Rust functions as tools.
//!
//! The embedding program declares them. Loading packs makes a tool of each, so that calls of it are validated like any
//! other. A pack may override its texts, phrases and preconditions with `behavior: {native: NAME}`.

use brain_core::Millis;
use serde_json::Value;

use crate::decode::{CANNOT, default_consent};
use crate::model::{Behavior, Consent, Effect, Idempotency, NativeBehavior, RetryPolicy, ToolDef, Undo};

/// The function that starts a child run. The kernel implements it; consent for that run is asked there.
pub const SPAWN_CHILD_RUN: &str = "core.spawn_child_run";
/// The function that undoes a child run. The kernel implements it, for undo jobs and undo runs only.
pub const UNDO_CHILD_RUN: &str = "core.undo_child_run";
/// The pack name of native tools.
pub const NATIVE_PACK: &str = "native";
/// Default timeout of one attempt.
const TIMEOUT: Millis = Millis::from_secs(30);
/// Default priority, between 1 and 10.
const PRIORITY: u8 = 5;

/// The declaration of a Rust function.
#[derive(Clone, Debug, PartialEq)]
pub struct NativeDecl {
    /// The name it is registered under, and the name of its tool: `domain.name`.
    pub name: String,
    /// The title for people.
    pub title: String,
    /// A longer explanation.
    pub description: String,
    /// JSON Schema of the arguments: an object.
    pub input: Value,
    /// JSON Schema of the result; enforced.
    pub output: Option<Value>,
    /// Example requests, with `{slots}`.
    pub phrases: Vec<String>,
    /// Its effect.
    pub effect: Effect,
    /// The consent it needs; derived from its effect if absent.
    pub consent: Option<Consent>,
    /// Whether it runs in process (a plain function) or outside (an `async` one).
    pub inline: bool,
    /// What to do if an outcome is unknown; by default, a person decides about external calls.
    pub idempotency: Option<Idempotency>,
    /// How it is undone, if it can be.
    pub undo: Option<Undo>,
    /// Why it cannot be undone, for people.
    pub no_undo: Option<String>,
    /// Whether its result may inject steps.
    pub may_inject: bool,
}

impl NativeDecl {
    /// The behavior of a tool that calls the function.
    pub(crate) fn behavior(&self) -> Behavior {
        Behavior::Native(NativeBehavior { function: self.name.clone(), inline: self.inline })
    }

    /// What to do if an outcome is unknown.
    pub(crate) fn idempotency(&self) -> Idempotency {
        let usual = if self.inline { Idempotency::Key } else { Idempotency::None };
        self.idempotency.clone().unwrap_or(usual)
    }

    /// The reason why its effect cannot be undone.
    pub(crate) fn no_undo(&self) -> Option<String> {
        let nothing = self.undo.is_some() || self.effect == Effect::Read;
        (!nothing).then(|| self.no_undo.clone().unwrap_or_else(|| CANNOT.to_owned()))
    }

    /// A mistake in the declaration that types cannot prevent, with help. Names are checked elsewhere.
    pub(crate) fn problem(&self) -> Option<(String, &'static str)> {
        if self.input["type"] != "object" {
            let message = format!("the input of the native function `{}` is not an object", self.name);
            return Some((message, "let it take a struct with one field per input"));
        }
        None
    }

    /// The function's own tool.
    pub(crate) fn tool(&self) -> ToolDef {
        ToolDef {
            name: self.name.clone(),
            pack: NATIVE_PACK.to_owned(),
            title: self.title.clone(),
            description: self.description.clone(),
            input: self.input.clone(),
            output: self.output.clone(),
            phrases: self.phrases.clone(),
            synonyms: Vec::new(),
            intent_tier: None,
            behavior: self.behavior(),
            effect: self.effect,
            consent: self.consent.unwrap_or_else(|| default_consent(self.effect)),
            undo: self.undo.clone(),
            requires: Vec::new(),
            retry: RetryPolicy::default(),
            timeout: TIMEOUT,
            limits: None,
            idempotency: self.idempotency(),
            priority: PRIORITY,
            summary: None,
            next: Vec::new(),
            tags: Vec::new(),
            permission: None,
            tiers: Vec::new(),
            needs: Vec::new(),
            blockers: Vec::new(),
            opposites: Vec::new(),
            cost: None,
            acknowledge: None,
            may_inject: self.may_inject,
            capability: None,
            delegate: None,
            review: None,
            no_undo: self.no_undo(),
        }
    }
}
