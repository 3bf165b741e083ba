//! Intake: one form for every input, whoever sends it.

use brain_core::{Digest, JobKey, RunId, canonical_digest};
use brain_engine::{ActorBounds, Budget};
use brain_registry::model::BatchPolicy;
use brain_store::Scope;
use serde_json::{Value, json};

/// The longest message that is taken in, in bytes.
pub(crate) const MAX_MESSAGE: usize = 64 * 1024;

/// What the caller wants to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Say what would be done; do nothing.
    Answer,
    /// Prepare it for approval; do nothing yet.
    Plan,
    /// Do it; do not wait.
    Enqueue,
    /// Do it and wait for the receipts.
    EnqueueAndWait,
}

impl Mode {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Plan => "plan",
            Self::Enqueue => "enqueue",
            Self::EnqueueAndWait => "enqueue_and_wait",
        }
    }

    /// From its written form.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Answer, Self::Plan, Self::Enqueue, Self::EnqueueAndWait].into_iter().find(|mode| mode.as_str() == text)
    }

    /// Whether asking for this mode is the caller's own consent to run.
    pub fn runs(self) -> bool {
        matches!(self, Self::Enqueue | Self::EnqueueAndWait)
    }
}

/// Bounds that the caller sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Tool calls in one run.
    pub max_tool_calls: u32,
    /// How long to wait for receipts.
    pub wait_timeout_ms: u64,
    /// What it may cost at most, in the currency of the settings: a decimal as text.
    pub max_cost: Option<String>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_tool_calls: 10, wait_timeout_ms: 30_000, max_cost: None }
    }
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// A name for the log.
    pub name: String,
    /// What tells this person apart where names may be shared: the id of a token. Absent: the name does.
    pub id: Option<String>,
    /// Whether this person may approve what needs an approver.
    pub approver: bool,
    /// What this person may do besides; `None`: everything.
    pub permissions: Option<Vec<String>>,
    /// The tier this person is of; `None`: any.
    pub tier: Option<String>,
}

impl Actor {
    /// The person at this machine.
    pub fn local() -> Self {
        Self { name: "local".into(), id: None, approver: true, permissions: None, tier: None }
    }

    /// Whoever a run acts for when it starts another one or grows: no more than the person who asked for it may.
    pub(crate) fn behind(name: &str, bounds: Option<&ActorBounds>) -> Self {
        let ActorBounds { permissions, tier } = bounds.cloned().unwrap_or_default();
        Self { name: name.to_owned(), id: None, approver: false, permissions, tier }
    }

    /// The most that this person may do; `None`: everything.
    pub(crate) fn bounds(&self) -> Option<ActorBounds> {
        let bounded = self.permissions.is_some() || self.tier.is_some();
        bounded.then(|| ActorBounds { permissions: self.permissions.clone(), tier: self.tier.clone() })
    }

    /// What this person is known by: consent and caps go by it.
    pub fn key(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.name)
    }

    /// Whether this person has a permission.
    pub fn may(&self, permission: &str) -> bool {
        self.permissions.as_ref().is_none_or(|list| list.iter().any(|one| one == permission))
    }
}

/// The step of another run that waits for this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// That run.
    pub run: RunId,
    /// The key of its step.
    pub job: JobKey,
    /// How deep this run is.
    pub depth: u64,
}

/// One input: what was said, by whom, and what is wanted.
#[derive(Clone, Debug)]
pub struct Request {
    /// Whose it is.
    pub scope: Scope,
    /// Who asks.
    pub actor: Actor,
    /// How it came in: `cli`, `api` …
    pub channel: &'static str,
    /// What was said; empty if `calls` says it all.
    pub message: String,
    /// Tool calls asked for by name instead of words: each a tool and its arguments.
    pub calls: Vec<(String, Value)>,
    /// What the caller wants to happen.
    pub mode: Mode,
    /// The conversation it belongs to.
    pub conversation: Option<String>,
    /// Values that fill slots of the same name.
    pub context: Value,
    /// Files that come with it: references to blobs.
    pub attachments: Vec<Value>,
    /// Bounds.
    pub limits: Limits,
    /// The caller's idempotency key.
    pub key: Option<String>,
    /// What ties this to the caller's own logs; absent: the run's id does.
    pub trace: Option<String>,
    /// What several calls are to each other.
    pub policy: BatchPolicy,
    /// The step of another run that waits for this one.
    pub parent: Option<Parent>,
    /// What it takes back: the run, its steps, and the records as they must still be.
    pub undo_of: Option<Value>,
    /// What it may spend of what the run that starts it may.
    pub budget: Option<Budget>,
}

impl Request {
    /// A message with everything else by default.
    pub fn say(scope: Scope, message: &str, mode: Mode) -> Self {
        Self {
            scope,
            actor: Actor::local(),
            channel: "cli",
            message: message.to_owned(),
            calls: Vec::new(),
            mode,
            conversation: None,
            context: Value::Null,
            attachments: Vec::new(),
            limits: Limits::default(),
            key: None,
            trace: None,
            policy: BatchPolicy::Plain,
            parent: None,
            undo_of: None,
            budget: None,
        }
    }

    /// The request as it is kept.
    pub(crate) fn to_json(&self) -> Value {
        let calls: Vec<Value> =
            self.calls.iter().map(|(tool, input)| json!({"tool_name": tool, "input": input})).collect();
        let mut kept = json!({
            "message": self.message,
            "mode": self.mode.as_str(),
            "conversation_id": self.conversation,
            "context": self.context,
            "limits": {
                "max_tool_calls": self.limits.max_tool_calls,
                "wait_timeout_ms": self.limits.wait_timeout_ms,
            },
            "actor": self.actor.name,
            "actor_id": self.actor.key(),
            "channel": self.channel,
        });
        if self.actor.approver {
            // Who may approve is trusted to teach: what such a person says counts for more when it is learned from.
            kept["trusted"] = json!(true);
        }
        if let Some(bounds) = self.actor.bounds() {
            kept["actor_bounds"] = json!(bounds);
        }
        if self.policy != BatchPolicy::Plain {
            kept["policy"] = json!(self.policy);
        }
        if let Some(max_cost) = &self.limits.max_cost {
            kept["limits"]["max_cost"] = json!(max_cost);
        }
        if let Some(parent) = &self.parent {
            kept["parent"] = json!({"run": parent.run, "job": parent.job, "depth": parent.depth});
        }
        if !self.attachments.is_empty() {
            kept["attachments"] = json!(self.attachments);
        }
        if let Some(undo_of) = &self.undo_of {
            kept["undo_of"] = undo_of.clone();
        }
        if !calls.is_empty() {
            kept["calls"] = Value::Array(calls);
        }
        if let Some(budget) = &self.budget {
            kept["budget"] = json!(budget);
        }
        if let Some(trace) = &self.trace {
            kept["trace_id"] = json!(trace);
        }
        if let Some(key) = &self.key {
            kept["idempotency_key"] = json!(key);
        }
        kept
    }

    /// What makes two requests with one key the same.
    pub(crate) fn digest(&self) -> Digest {
        let mut body = self.to_json();
        if let Some(map) = body.as_object_mut() {
            for name in
                ["actor", "actor_id", "actor_bounds", "budget", "channel", "idempotency_key", "trace_id", "trusted"]
            {
                map.remove(name);
            }
        }
        canonical_digest(&body)
    }
}
