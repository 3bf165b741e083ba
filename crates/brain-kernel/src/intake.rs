//! Intake: one request type for every surface.

use brain_core::{Digest, JobKey, RunId, canonical_digest};
use brain_engine::{ActorBounds, Budget};
use brain_registry::model::BatchPolicy;
use brain_store::Scope;
use serde_json::{Value, json};

/// Maximum message size in bytes.
pub(crate) const MAX_MESSAGE: usize = 64 * 1024;

/// How far to take the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Only show what would be done.
    Answer,
    /// Stage the plan for approval.
    Plan,
    /// Start it and return at once.
    Enqueue,
    /// Run it and wait for the receipts.
    EnqueueAndWait,
}

impl Mode {
    /// The mode's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Plan => "plan",
            Self::Enqueue => "enqueue",
            Self::EnqueueAndWait => "enqueue_and_wait",
        }
    }

    /// Parses the mode's name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Answer, Self::Plan, Self::Enqueue, Self::EnqueueAndWait].into_iter().find(|mode| mode.as_str() == text)
    }

    /// Whether choosing this mode is the caller's own consent to run.
    pub fn runs(self) -> bool {
        matches!(self, Self::Enqueue | Self::EnqueueAndWait)
    }
}

/// Bounds that the caller sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Tool calls in one run.
    pub max_tool_calls: u32,
    /// Maximum time to wait until the run ends or waits for somebody.
    pub wait_timeout_ms: u64,
    /// Maximum cost in the currency of the settings: a decimal as text.
    pub max_cost: Option<String>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_tool_calls: 10, wait_timeout_ms: 30_000, max_cost: None }
    }
}

/// The person or system that makes a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// A name for the log.
    pub name: String,
    /// The id of the actor where names may be shared, such as a token id. Absent: the name is the id.
    pub id: Option<String>,
    /// Whether the actor may approve plans that need an approver.
    pub approver: bool,
    /// The actor's permissions; `None`: all.
    pub permissions: Option<Vec<String>>,
    /// The actor's tier; `None`: any.
    pub tier: Option<String>,
}

impl Actor {
    /// Somebody on this machine whose account is not known.
    pub fn local() -> Self {
        Self { name: "local".into(), id: None, approver: true, permissions: None, tier: None }
    }

    /// A user of this machine, by the name of the account.
    pub fn user(name: &str) -> Self {
        Self { name: name.to_owned(), id: Some(format!("user {name}")), ..Self::local() }
    }

    /// The actor of a run that starts another one or grows, with no more rights than its requester.
    pub(crate) fn behind(name: &str, bounds: Option<&ActorBounds>) -> Self {
        let ActorBounds { permissions, tier } = bounds.cloned().unwrap_or_default();
        Self { name: name.to_owned(), id: None, approver: false, permissions, tier }
    }

    /// The limits of the actor's rights; `None`: no limits.
    pub(crate) fn bounds(&self) -> Option<ActorBounds> {
        let bounded = self.permissions.is_some() || self.tier.is_some();
        bounded.then(|| ActorBounds { permissions: self.permissions.clone(), tier: self.tier.clone() })
    }

    /// The actor's identity for consent and caps.
    pub fn key(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.name)
    }

    /// Whether the actor has a permission.
    pub fn may(&self, permission: &str) -> bool {
        self.permissions.as_ref().is_none_or(|list| list.iter().any(|one| one == permission))
    }
}

/// The parent of a child run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The parent run.
    pub run: RunId,
    /// The key of the parent's step.
    pub job: JobKey,
    /// The nesting depth of this run.
    pub depth: u64,
}

/// A request within the limits of every surface: made by [`Incoming::check`], and the input of the pipe.
#[derive(Clone, Debug)]
pub struct Request {
    /// The tenant.
    pub scope: Scope,
    /// Who asks.
    pub actor: Actor,
    /// Where it came from: `cli`, `api` …
    pub channel: &'static str,
    /// The message; empty if `calls` is given instead.
    pub message: String,
    /// Tool calls by name: each a tool and its arguments.
    pub calls: Vec<(String, Value)>,
    /// How far to take it.
    pub mode: Mode,
    /// The conversation it belongs to.
    pub conversation: Option<String>,
    /// Values that fill slots of the same name.
    pub context: Value,
    /// Attached files: references to blobs.
    pub attachments: Vec<Value>,
    /// Bounds.
    pub limits: Limits,
    /// The caller's idempotency key.
    pub key: Option<String>,
    /// The caller's trace id; absent: the run's id.
    pub trace: Option<String>,
    /// How several calls depend on each other.
    pub policy: BatchPolicy,
    /// The step of another run that waits for this one.
    pub parent: Option<Parent>,
    /// For an undo: the run, its steps, and the expected state of its records.
    pub undo_of: Option<Value>,
    /// The run that started this one and does not wait for it.
    pub started_by: Option<RunId>,
    /// The budget inherited from the parent run.
    pub budget: Option<Budget>,
}

impl Request {
    /// A request with a message and defaults for everything else.
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
            started_by: None,
            budget: None,
        }
    }

    /// The bound on the tool calls of the run: its own, or that of the family whose budget it shares.
    fn max_tool_calls(&self) -> Option<u32> {
        let own = Some(self.limits.max_tool_calls).filter(|calls| *calls < u32::MAX);
        own.or_else(|| self.budget.as_ref().and_then(|budget| budget.calls))
    }

    /// The request as it is stored.
    pub(crate) fn to_json(&self) -> Value {
        let calls: Vec<Value> =
            self.calls.iter().map(|(tool, input)| json!({"tool_name": tool, "input": input})).collect();
        let mut stored = json!({
            "message": self.message,
            "mode": self.mode.as_str(),
            "conversation_id": self.conversation,
            "context": self.context,
            "limits": {"wait_timeout_ms": self.limits.wait_timeout_ms},
            "actor": self.actor.name,
            "actor_id": self.actor.key(),
            "channel": self.channel,
        });
        if let Some(calls) = self.max_tool_calls() {
            stored["limits"]["max_tool_calls"] = json!(calls);
        }
        if self.actor.approver {
            // Approvers are trusted to teach: their corrections weigh more in learning.
            stored["trusted"] = json!(true);
        }
        if let Some(bounds) = self.actor.bounds() {
            stored["actor_bounds"] = json!(bounds);
        }
        if self.policy != BatchPolicy::Plain {
            stored["policy"] = json!(self.policy);
        }
        if let Some(max_cost) = &self.limits.max_cost {
            stored["limits"]["max_cost"] = json!(max_cost);
        }
        if let Some(parent) = &self.parent {
            stored["parent"] = json!({"run": parent.run, "job": parent.job, "depth": parent.depth});
        }
        if let Some(run) = self.started_by {
            stored["started_by"] = json!(run);
        }
        if !self.attachments.is_empty() {
            stored["attachments"] = json!(self.attachments);
        }
        if let Some(undo_of) = &self.undo_of {
            stored["undo_of"] = undo_of.clone();
        }
        if !calls.is_empty() {
            stored["calls"] = Value::Array(calls);
        }
        if let Some(budget) = &self.budget {
            stored["budget"] = json!(budget);
        }
        if let Some(trace) = &self.trace {
            stored["trace_id"] = json!(trace);
        }
        if let Some(key) = &self.key {
            stored["idempotency_key"] = json!(key);
        }
        stored
    }

    /// The digest that identifies repeated requests with one key.
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

/// Maximum length of an idempotency key.
const MAX_KEY: usize = 255;
/// Maximum number of calls by name in one request; [`Limits::max_tool_calls`] bounds how many may run.
const MAX_CALLS: usize = 1000;
/// Maximum number of attachments.
const MAX_ATTACHMENTS: usize = 100;
/// Maximum time that a caller may wait for a run, in milliseconds.
pub const MAX_WAIT: u64 = 120_000;
/// Upper bound of `max_tool_calls`.
const MAX_TOOL_CALLS: u64 = 10_000;

/// An invalid field of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldProblem {
    /// Its path, such as `limits.max_cost`.
    pub field: String,
    /// What is wrong with it, and what is valid.
    pub message: String,
}

/// A request as a surface received it. Every surface fills in one of these, and [`Incoming::check`] turns it into a
/// [`Request`], so that all surfaces accept and refuse the same input.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    /// The message.
    pub message: String,
    /// Tool calls by name.
    pub calls: Vec<(String, Value)>,
    /// How far to take it; default [`Mode::EnqueueAndWait`].
    pub mode: Option<Mode>,
    /// The conversation, a UUID.
    pub conversation: Option<String>,
    /// Values that fill slots: a JSON object.
    pub context: Option<Value>,
    /// References to blobs.
    pub attachments: Vec<Value>,
    /// Tool calls in one run.
    pub max_tool_calls: Option<u64>,
    /// Maximum time to wait until the run ends or waits for somebody.
    pub wait_timeout_ms: Option<u64>,
    /// Maximum cost.
    pub max_cost: Option<String>,
    /// The caller's idempotency key.
    pub key: Option<String>,
    /// The caller's trace id.
    pub trace: Option<String>,
    /// How several calls depend on each other.
    pub policy: BatchPolicy,
}

impl Incoming {
    /// The request, or every invalid field.
    pub fn check(self, scope: Scope, actor: Actor, channel: &'static str) -> Result<Request, Vec<FieldProblem>> {
        let mut problems = Vec::new();
        let mut wrong = |field: &str, message: String| {
            problems.push(FieldProblem { field: field.to_owned(), message });
        };
        let defaults = Limits::default();
        let mut bounded = |field: &str, given: Option<u64>, default: u64, least: u64, most: u64| {
            let value = given.unwrap_or(default);
            if !(least..=most).contains(&value) {
                wrong(field, format!("{value} is not between {least} and {most}"));
            }
            value
        };
        let calls = u64::from(defaults.max_tool_calls);
        let max_tool_calls = bounded("limits.max_tool_calls", self.max_tool_calls, calls, 1, MAX_TOOL_CALLS);
        let wait_timeout_ms =
            bounded("limits.wait_timeout_ms", self.wait_timeout_ms, defaults.wait_timeout_ms, 0, MAX_WAIT);
        if self.max_cost.as_deref().is_some_and(|amount| !is_amount(amount)) {
            wrong("limits.max_cost", "write a decimal as text, such as \"12.50\"".into());
        }
        if let Some(key) = &self.key
            && (key.is_empty() || key.len() > MAX_KEY || !key.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            wrong("idempotency_key", format!("a key has 1 to {MAX_KEY} visible ASCII characters without spaces"));
        }
        if let Some(conversation) = &self.conversation
            && uuid::Uuid::parse_str(conversation).is_err()
        {
            wrong("conversation_id", format!("`{conversation}` is not a UUID"));
        }
        let context = self.context.unwrap_or_default();
        if !context.is_null() && !context.is_object() {
            wrong("context", "it must be a JSON object".into());
        }
        if self.attachments.len() > MAX_ATTACHMENTS {
            wrong("attachments", format!("{} are too many; at most {MAX_ATTACHMENTS}", self.attachments.len()));
        }
        let is_blob = |one: &Value| one["$blob"].as_str().is_some_and(|hash| hash.len() == 64);
        if let Some(first) = self.attachments.iter().position(|one| !is_blob(one)) {
            wrong(&format!("attachments[{first}]"), "it must be a reference to a blob: {\"$blob\": …}".into());
        }
        if self.calls.len() > MAX_CALLS {
            wrong("calls", format!("{} calls are too many; at most {MAX_CALLS}", self.calls.len()));
        }
        let calls = self.calls.iter().enumerate().map(|(n, (_, input))| (format!("calls[{n}].input"), input));
        for (field, value) in calls.chain([("context".to_owned(), &context)]) {
            if let Some(number) = inexact(value) {
                let message = format!("{number} is larger than 2^53, so JSON readers round it; write it as text");
                wrong(&field, message);
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(Request {
            actor,
            channel,
            calls: self.calls,
            conversation: self.conversation,
            context,
            attachments: self.attachments,
            limits: Limits {
                max_tool_calls: u32::try_from(max_tool_calls).unwrap_or(u32::MAX),
                wait_timeout_ms,
                max_cost: self.max_cost,
            },
            key: self.key,
            trace: self.trace,
            policy: self.policy,
            ..Request::say(scope, &self.message, self.mode.unwrap_or(Mode::EnqueueAndWait))
        })
    }
}

/// The first whole number that a double cannot hold exactly. Canonical JSON writes numbers as doubles, so two
/// different numbers of that size could have the same digest.
fn inexact(value: &Value) -> Option<&serde_json::Number> {
    const EXACT: u64 = 1 << 53;
    match value {
        Value::Number(number) => {
            let size = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
            size.is_some_and(|size| size > EXACT).then_some(number)
        }
        Value::Array(list) => list.iter().find_map(inexact),
        Value::Object(fields) => fields.values().find_map(inexact),
        _ => None,
    }
}

/// Whether a text is an amount: digits, optionally with a decimal point and more digits.
fn is_amount(text: &str) -> bool {
    let (whole, cents) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| (1..=30).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(cents)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(incoming: Incoming) -> Vec<String> {
        let scope = Scope::of("default".parse().expect("a tenant's name"));
        match incoming.check(scope, Actor::local(), "test") {
            Ok(_) => Vec::new(),
            Err(problems) => problems.into_iter().map(|problem| problem.field).collect(),
        }
    }

    #[test]
    fn every_field_that_does_not_fit_is_named() {
        let all = Incoming {
            conversation: Some("tuesday".into()),
            context: Some(json!([1])),
            attachments: vec![json!({"$blob": "short"})],
            max_tool_calls: Some(0),
            wait_timeout_ms: Some(MAX_WAIT + 1),
            max_cost: Some("abc".into()),
            key: Some("a b c".into()),
            ..Incoming::default()
        };
        let expected = [
            "limits.max_tool_calls",
            "limits.wait_timeout_ms",
            "limits.max_cost",
            "idempotency_key",
            "conversation_id",
            "context",
            "attachments[0]",
        ];
        assert_eq!(fields(all), expected);
        assert_eq!(fields(Incoming { key: Some(String::new()), ..Incoming::default() }), ["idempotency_key"]);
        assert_eq!(fields(Incoming::default()), Vec::<String>::new());
    }

    #[test]
    fn a_number_that_canonical_json_would_round_is_refused() {
        let call = |number: i64| ("t.x".to_owned(), json!({"list": [{"n": number}]}));
        let ask = |number| Incoming { calls: vec![call(1), call(number)], ..Incoming::default() };
        let (exact, rounded) = (1_i64 << 53, (1_i64 << 53) + 1);
        let digest = brain_core::canonical_digest::<Value>;
        assert_eq!(digest(&json!(exact)), digest(&json!(rounded)), "one digest for both");
        assert_eq!(fields(ask(exact)), Vec::<String>::new());
        assert_eq!(fields(ask(rounded)), ["calls[1].input"]);
        assert_eq!(fields(ask(-rounded)), ["calls[1].input"]);
        let context = Some(json!({"n": rounded}));
        assert_eq!(fields(Incoming { context, ..Incoming::default() }), ["context"]);
    }
}
