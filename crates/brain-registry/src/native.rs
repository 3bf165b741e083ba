//! Rust functions that are tools.
//!
//! The program that embeds Brain declares them; loading packs makes a tool of each, so that a call of one is checked
//! like every other call. A pack may give one other words, phrases and preconditions with `behavior: {native: NAME}`.

use brain_core::Millis;
use serde_json::Value;

use crate::decode::{CANNOT, default_consent};
use crate::model::{Behavior, Consent, Effect, Idempotency, NativeBehavior, RetryPolicy, ToolDef, Undo};

/// The function that starts a run of its own. The kernel does it; what that run does is asked about there.
pub const SPAWN_CHILD_RUN: &str = "core.spawn_child_run";
/// The pack that tools of native functions come from.
pub const NATIVE_PACK: &str = "native";
/// How long one attempt may take.
const TIMEOUT: Millis = Millis::from_secs(30);
/// The middle of 1 to 10.
const PRIORITY: u8 = 5;

/// What a Rust function says about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct NativeDecl {
    /// The name it is registered under, and the name of its tool: `domain.name`.
    pub name: String,
    /// What people read.
    pub title: String,
    /// A longer explanation.
    pub description: String,
    /// JSON Schema of the arguments: an object.
    pub input: Value,
    /// JSON Schema of the answer; enforced.
    pub output: Option<Value>,
    /// How people ask for it, with `{slots}`.
    pub phrases: Vec<String>,
    /// What it does to the world.
    pub effect: Effect,
    /// Whose word it needs; absent: what its effect needs.
    pub consent: Option<Consent>,
    /// Whether it is decided in process (a plain function) or done outside (an `async` one).
    pub inline: bool,
    /// What to do when an outcome is unknown; absent: a person decides if it is done outside.
    pub idempotency: Option<Idempotency>,
    /// How it is undone; absent: it cannot be.
    pub undo: Option<Undo>,
    /// Why it cannot be undone, for people; absent: just that.
    pub no_undo: Option<String>,
    /// Whether its result may bring steps along.
    pub may_inject: bool,
}

impl NativeDecl {
    /// The behavior of a tool that calls the function.
    pub(crate) fn behavior(&self) -> Behavior {
        Behavior::Native(NativeBehavior { function: self.name.clone(), inline: self.inline })
    }

    /// What to do when an outcome is unknown.
    pub(crate) fn idempotency(&self) -> Idempotency {
        let usual = if self.inline { Idempotency::Key } else { Idempotency::None };
        self.idempotency.clone().unwrap_or(usual)
    }

    /// Why it cannot be undone, if it cannot and there is something to undo.
    pub(crate) fn no_undo(&self) -> Option<String> {
        let nothing = self.undo.is_some() || self.effect == Effect::Read;
        (!nothing).then(|| self.no_undo.clone().unwrap_or_else(|| CANNOT.to_owned()))
    }

    /// What is wrong with it that no type could prevent, with what to do; names are looked at elsewhere.
    pub(crate) fn problem(&self) -> Option<(String, &'static str)> {
        if self.input["type"] != "object" {
            let message = format!("the input of the native function `{}` is not an object", self.name);
            return Some((message, "let it take a struct with one field per input"));
        }
        None
    }

    /// The tool of the function itself.
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
