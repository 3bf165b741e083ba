//! Retries, idempotency and consent.

use brain_core::{Millis, Rate};

use super::Context;
use crate::code::Code;
use crate::model::{Backoff, Consent, Effect, Idempotency, OnFailure, RetryPolicy, ToolLimits};
use crate::yaml::Node;

/// Maximum number of attempts.
const MAX_ATTEMPTS: i64 = 100;

pub(super) const RETRY_KEYS: [&str; 6] = ["attempts", "backoff", "delay", "max_delay", "jitter", "on"];
pub(super) const IDEMPOTENCY_KEYS: [&str; 1] = ["check"];
pub(super) const LIMITS_KEYS: [&str; 2] = ["running", "rate"];

/// `retry: none`, `retry: 5`, or a map.
pub(super) fn retry(cx: &mut Context<'_>, node: &Node) -> Option<RetryPolicy> {
    let mut policy = RetryPolicy::default();
    if let Some(scalar) = node.as_scalar() {
        if scalar.text == "none" {
            policy.attempts = 1;
        } else {
            policy.attempts = attempts(cx, node)?;
        }
        return Some(policy);
    }
    let fields = cx.fields(node, "`retry`", &RETRY_KEYS)?;
    if let Some(number) = fields.get("attempts").and_then(|node| attempts(cx, node)) {
        policy.attempts = number;
    }
    if let Some(node) = fields.get("backoff") {
        let known = [("fixed", Backoff::Fixed), ("linear", Backoff::Linear), ("exponential", Backoff::Exponential)];
        policy.backoff = cx.choice(node, "backoff", &known).unwrap_or(policy.backoff);
    }
    if let Some(length) = fields.get("delay").and_then(|node| cx.duration(node, "`delay`")) {
        policy.delay = length;
        policy.max_delay = policy.max_delay.max(length);
    }
    if let Some(length) = fields.get("max_delay").and_then(|node| cx.duration(node, "`max_delay`")) {
        policy.max_delay = length;
    }
    if let Some(share) = fields.get("jitter").and_then(|node| cx.whole(node, "`jitter` (percent)", 0..=100)) {
        policy.jitter = u8::try_from(share).unwrap_or(policy.jitter);
    }
    if let Some(node) = fields.get("on") {
        policy.on = cx.texts(node, "a failure code");
        if let Some(class) = policy.on.iter().find(|one| matches!(one.as_str(), "transient" | "business" | "contract"))
        {
            let help = "leave `on` out to retry every transient failure, or name codes such as `http_503`, `timeout`";
            let message = format!("`{class}` is a class of failures, not a code");
            cx.report(Code::BadAttribute, node.span, message, Some(help.into()));
        }
    }
    Some(policy)
}

fn attempts(cx: &mut Context<'_>, node: &Node) -> Option<u32> {
    cx.whole(node, "the number of attempts", 1..=MAX_ATTEMPTS).and_then(|number| u32::try_from(number).ok())
}

/// `{running: 4, rate: 10/s}`.
pub(super) fn limits(cx: &mut Context<'_>, node: &Node) -> Option<ToolLimits> {
    let fields = cx.fields(node, "`limits`", &LIMITS_KEYS)?;
    let running = fields.get("running").and_then(|node| cx.whole(node, "`running`", 1..=1_000_000));
    let rate = fields.get("rate").and_then(|node| {
        let text = cx.text(node, "`rate`")?;
        let rate = text.parse::<Rate>();
        if let Err(error) = &rate {
            cx.report(Code::BadAttribute, node.span, error.to_string(), None);
        }
        rate.ok()
    });
    if running.is_none() && rate.is_none() && fields.get("running").or_else(|| fields.get("rate")).is_none() {
        let help = "write `running: 4` (concurrent calls), `rate: 10/s` (calls per period), or both";
        cx.report(Code::BadAttribute, node.span, "`limits` is empty", Some(help.into()));
    }
    Some(ToolLimits { running: running.and_then(|count| u32::try_from(count).ok()), rate })
}

/// `key`, `none` or `{check: TOOL}`.
pub(super) fn idempotency(cx: &mut Context<'_>, node: &Node) -> Option<Idempotency> {
    if node.as_map().is_some() {
        let fields = cx.fields(node, "`idempotency`", &IDEMPOTENCY_KEYS)?;
        let tool = fields.need(cx, "check", "`idempotency`")?;
        return cx.full_name(tool, "tool name").map(Idempotency::Check);
    }
    let text = cx.text(node, "`idempotency`")?;
    match text.as_str() {
        "key" => Some(Idempotency::Key),
        "none" => Some(Idempotency::None),
        _ => {
            let help = "use `key`, `none`, or `{check: TOOL}`";
            let message = format!("`{text}` is not a value of `idempotency`");
            cx.report(Code::UnknownChoice, node.span, message, Some(help.into()));
            None
        }
    }
}

/// `read`, `write`, `external`, `irreversible`.
pub(super) fn effect(cx: &mut Context<'_>, node: &Node) -> Option<Effect> {
    let known = [
        ("read", Effect::Read),
        ("write", Effect::Write),
        ("external", Effect::External),
        ("irreversible", Effect::Irreversible),
    ];
    cx.choice(node, "effect", &known)
}

/// `none`, `user`, `approver`.
pub(super) fn consent(cx: &mut Context<'_>, node: &Node) -> Option<Consent> {
    cx.choice(node, "consent", &[("none", Consent::None), ("user", Consent::User), ("approver", Consent::Approver)])
}

/// The default consent for an effect.
pub(crate) fn default_consent(effect: Effect) -> Consent {
    match effect {
        Effect::Read => Consent::None,
        Effect::Write | Effect::External => Consent::User,
        Effect::Irreversible => Consent::Approver,
    }
}

/// `stop`, `continue`, `undo`.
pub(super) fn on_failure(cx: &mut Context<'_>, node: &Node) -> Option<OnFailure> {
    cx.choice(
        node,
        "reaction to a failure",
        &[("stop", OnFailure::Stop), ("continue", OnFailure::Continue), ("undo", OnFailure::Undo)],
    )
}

/// 1 (lowest) to 10 (highest); 5 by default.
pub(super) fn priority(cx: &mut Context<'_>, node: Option<&Node>) -> u8 {
    const MIDDLE: u8 = 5;
    node.and_then(|node| cx.whole(node, "`priority`", 1..=10))
        .and_then(|number| u8::try_from(number).ok())
        .unwrap_or(MIDDLE)
}

/// A timeout; must not be zero.
pub(super) fn timeout(cx: &mut Context<'_>, node: &Node) -> Option<Millis> {
    let length = cx.duration(node, "`timeout`")?;
    if length.0 == 0 {
        cx.report(Code::OutOfRange, node.span, "a timeout must be longer than 0", None);
        return None;
    }
    Some(length)
}
