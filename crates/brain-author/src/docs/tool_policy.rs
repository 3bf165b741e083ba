//! A tool's effect, consent, undo and preconditions.

use super::block::{Block, Line, Piece, code, codes, join, line, point, tool_link, words};
use super::page::plain;
use brain_core::Millis;
use brain_registry::model::{
    Backoff, Behavior, Consent, Cost, Effect, Idempotency, Precondition, RetryPolicy, ToolDef,
};

/// The default timeout, which is not mentioned.
const USUAL_TIMEOUT: Millis = Millis::from_secs(30);

/// The list items below a tool. Defaults are left out.
pub(super) fn points(tool: &ToolDef) -> Vec<Line> {
    let mut points = vec![point("Effect", line(effect(tool.effect))), point("Consent", line(consent(tool.consent)))];
    match (&tool.undo, &tool.no_undo) {
        (Some(undo), _) => {
            let mut about = vec![tool_link(&undo.tool)];
            if let Some(until) = undo.until {
                about.push(words(format!(", for {until}")));
            }
            points.push(point("Undone by", about));
        }
        (None, Some(why)) => points.push(point("Undo", line(why.as_str()))),
        (None, None) => {}
    }
    points.extend(tool.cost.as_ref().map(|price| point("Costs", cost(price))));
    if tool.retry != RetryPolicy::default() {
        points.push(point("Retries", line(retry(&tool.retry))));
    }
    if tool.timeout != USUAL_TIMEOUT {
        points.push(point("Timeout", line(tool.timeout.to_string())));
    }
    if let Some(limits) = &tool.limits {
        let running = limits.running.map(|count| format!("{count} at a time"));
        let rate = limits.rate.map(|rate| rate.to_string());
        let all: Vec<String> = running.into_iter().chain(rate).collect();
        points.push(point("At most", line(all.join(", "))));
    }
    if matches!(tool.behavior, Behavior::Http(_)) || tool.idempotency != Idempotency::Key {
        points.push(point("When the outcome is unknown", idempotency(&tool.idempotency)));
    }
    if let Some(acknowledge) = &tool.acknowledge {
        let within = acknowledge.within.map(|within| format!(" (within {within})")).unwrap_or_default();
        points.push(point("Must be acknowledged", line(format!("“{}”{within}", acknowledge.text))));
    }
    if let Some(delegate) = &tool.delegate {
        let within = delegate.within.map(|within| format!(", within {within}")).unwrap_or_default();
        points.push(point("Handed over", line(format!("another engine does it and calls back{within}"))));
    }
    if let Some(review) = &tool.review {
        let mut about = line(format!("“{}”", review.ask));
        if let Some(when) = &review.when {
            about.extend([words(" when "), code(plain(when.source()))]);
        }
        points.push(point("Looked at by a person afterwards", about));
    }
    points.extend(tool.permission.as_ref().map(|text| point("Permission", [code(text)])));
    if !tool.tiers.is_empty() {
        points.push(point("Only for", codes(tool.tiers.iter().map(String::as_str))));
    }
    if !tool.needs.is_empty() {
        points.push(point("Required user data", codes(tool.needs.iter().map(String::as_str))));
    }
    if !tool.opposites.is_empty() {
        points.push(point("Not together with", join(tool.opposites.iter().map(|name| vec![tool_link(name)]))));
    }
    points.extend(tool.capability.as_ref().map(|text| point("Capability", [code(text)])));
    if tool.may_inject {
        points.push(point("May add steps", line("yes")));
    }
    if tool.priority != 5 {
        points.push(point("Priority", line(tool.priority.to_string())));
    }
    points
}

/// Preconditions and blockers, each with its message.
pub(super) fn preconditions(blocks: &mut Vec<Block>, tool: &ToolDef) {
    let mut rows: Vec<Vec<Line>> =
        tool.requires.iter().map(|one| vec![condition(one), line(one.otherwise.as_str())]).collect();
    for blocker in &tool.blockers {
        let when = match &blocker.when {
            Some(when) => vec![words("not "), code(plain(when.source()))],
            None => vec![words("not "), code(&blocker.code)],
        };
        rows.push(vec![when, line(blocker.otherwise.as_str())]);
    }
    if !rows.is_empty() {
        blocks.push(Block::Table { head: vec!["only if".into(), "message if not".into()], rows });
    }
}

fn condition(one: &Precondition) -> Line {
    let mut parts: Vec<Line> = Vec::new();
    if let Some(record) = &one.record {
        parts.push(match one.state.as_slice() {
            [] if one.prior.is_some() || one.never.is_some() => vec![words("of "), code(record)],
            [] => vec![code(record), words(" exists")],
            states => [vec![code(record), words(" is ")], codes(states.iter().map(String::as_str))].concat(),
        });
    }
    parts.extend(one.expr.as_ref().map(|expr| vec![code(plain(expr.source()))]));
    parts.extend(one.prior.as_ref().map(|tool| vec![tool_link(tool), words(" was done before")]));
    parts.extend(one.never.as_ref().map(|tool| vec![tool_link(tool), words(" was not done before")]));
    if !one.any.is_empty() {
        let either = one.any.iter().map(condition).reduce(|all, next| [all, vec![words(" or ")], next].concat());
        parts.extend(either);
    }
    if let Some(again) = one.recheck {
        parts.push(vec![words(format!("rechecked every {again}"))]);
    }
    join(parts)
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "changes nothing",
        Effect::Write => "changes records in Brain",
        Effect::External => "reaches an external system",
        Effect::Irreversible => "cannot be undone",
    }
}

fn consent(consent: Consent) -> &'static str {
    match consent {
        Consent::None => "nobody is asked",
        Consent::User => "the requester must confirm it",
        Consent::Approver => "an approver must approve it",
    }
}

fn cost(cost: &Cost) -> Line {
    let currency = cost.currency.as_ref().map(|text| format!(" {text}")).unwrap_or_default();
    let fixed = cost.fixed.as_ref().map(|amount| line(format!("{amount}{currency}")));
    let per_unit = cost.per_unit.as_ref().map(|amount| {
        let mut line = line(format!("{amount}{currency} per {}", cost.unit.as_deref().unwrap_or("unit")));
        if let Some(units) = &cost.units {
            line.extend([words(" ("), code(plain(units.source())), words(")")]);
        }
        line
    });
    let parts = [fixed, per_unit].into_iter().flatten();
    parts.reduce(|all, one| [all, vec![words(" and ")], one].concat()).unwrap_or_default()
}

fn retry(retry: &RetryPolicy) -> String {
    if retry.attempts == 1 {
        return "none".into();
    }
    let grows = match retry.backoff {
        Backoff::Fixed => "fixed delay",
        Backoff::Linear => "the delay grows linearly",
        Backoff::Exponential => "the delay doubles",
    };
    let on = if retry.on.is_empty() { String::new() } else { format!(", only on {}", retry.on.join(", ")) };
    format!("{} attempts, {} to {} apart, {grows}{on}", retry.attempts, retry.delay, retry.max_delay)
}

fn idempotency(idempotency: &Idempotency) -> Vec<Piece> {
    match idempotency {
        Idempotency::Key => line("the call is repeated with the same idempotency key"),
        Idempotency::Check(tool) => vec![tool_link(tool), words(" is asked")],
        Idempotency::None => line("a person decides"),
    }
}
