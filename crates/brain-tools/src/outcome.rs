//! The outcome of an external call, by its response. This module alone defines it.
//!
//! | response | a call with an effect | a call without one |
//! |---|---|---|
//! | no connection: name not found, refused, TLS handshake failed | not done, transient | the same |
//! | timeout, connection broken | unknown | not done, transient |
//! | the response breaks off, unless its status is not 2xx and no criterion reads the body | unknown | not done, transient |
//! | 408, 500, 502, 504, any 5xx not named below | unknown | not done, transient |
//! | 503 with `Retry-After` | not done, transient, after that time | the same |
//! | 503 without `Retry-After` | unknown | not done, transient |
//! | 425, 429 | not done, transient, after `Retry-After` if there is one | the same |
//! | 501, 505 | not done, business | the same |
//! | 302, 303 | unknown: an accepted form often responds like this | not done, business |
//! | other 1xx, 3xx, 4xx | not done, business | the same |
//! | 2xx that `failure` describes | not done, business | the same |
//! | 2xx that misses `success` | unknown: accepted, but the pack does not define this response | not done, business |
//! | a success whose response cannot be used | done badly | not done, contract |
//!
//! A pack overrides the table with `not_done` and `unknown`. Unknown follows the tool's `idempotency`.
//!
//! "Not done" is about this attempt. If an earlier attempt went unanswered, a refusal does not prove that it had no
//! effect: "already paid" is a refusal too. The call stays in doubt unless the pack lists the status under `not_done`,
//! which covers all attempts.

use brain_core::{Failure, FailureClass, Millis, Timestamp};
use brain_engine::JobOutcome;
use brain_registry::ToolResult;
use brain_registry::model::{Effect, HttpBehavior, Method, ToolDef};

/// Maximum delay taken from `Retry-After`; longer delays are cut to this.
pub(crate) const MAX_RETRY_AFTER: Millis = Millis::from_secs(24 * 60 * 60);

/// How much of an error response the failure's message quotes, in characters.
const EXCERPT: usize = 200;

/// Whether a call has an effect outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// It changes something, or may. Repeating or losing it matters.
    WithEffect,
    /// It only reads and may be repeated freely.
    ReadOnly,
}

impl Call {
    /// For an `http` tool. A GET reads, unless the tool declares an irreversible effect.
    pub(crate) fn of_http(def: &ToolDef, behavior: &HttpBehavior) -> Self {
        match (def.effect, behavior.method) {
            (Effect::Irreversible, _) => Self::WithEffect,
            (Effect::Read, _) | (_, Method::Get) => Self::ReadOnly,
            _ => Self::WithEffect,
        }
    }

    /// For any other tool.
    pub(crate) fn of(def: &ToolDef) -> Self {
        if def.effect == Effect::Read { Self::ReadOnly } else { Self::WithEffect }
    }
}

/// Which of the pack's criteria a response meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Met {
    /// `success`, or by default a 2xx status.
    pub(crate) success: bool,
    /// `failure`.
    pub(crate) failure: bool,
    /// `not_done`.
    pub(crate) not_done: bool,
    /// `unknown`.
    pub(crate) unknown: bool,
}

/// The parts of a response that determine its outcome.
#[derive(Clone, Debug)]
pub(crate) struct Answered<'a> {
    /// The status code.
    pub(crate) status: u16,
    /// The delay that the other side asked for.
    pub(crate) retry_after: Option<Millis>,
    /// The body, without secrets.
    pub(crate) text: &'a str,
}

/// The outcome of a response; `None` if the call succeeded.
pub(crate) fn of_answer(call: Call, met: Met, answer: &Answered<'_>) -> Option<JobOutcome> {
    let failed = |class| Some(JobOutcome::Failed(answer.failure(class)));
    if met.not_done {
        let again = matches!(answer.status, 408 | 425 | 429 | 500..=599);
        let class = if again { FailureClass::Transient } else { FailureClass::Business };
        return Some(JobOutcome::Failed(answer.failure(class).settled()));
    }
    if met.unknown {
        return Some(uncertain(call, answer.failure(FailureClass::Transient)));
    }
    if met.success && !met.failure {
        return None;
    }
    match answer.status {
        425 | 429 => failed(FailureClass::Transient),
        503 if answer.retry_after.is_some() => failed(FailureClass::Transient),
        501 | 505 => failed(FailureClass::Business),
        408 | 500..=599 => Some(uncertain(call, answer.failure(FailureClass::Transient))),
        200..=299 if !met.failure && call == Call::WithEffect => {
            Some(JobOutcome::Unknown(answer.failure(FailureClass::Contract)))
        }
        302 | 303 if call == Call::WithEffect => Some(JobOutcome::Unknown(answer.failure(FailureClass::Contract))),
        _ => failed(FailureClass::Business),
    }
}

/// The outcome if the connection failed and nothing was sent.
pub(crate) fn not_connected(failure: Failure) -> JobOutcome {
    JobOutcome::Failed(failure)
}

/// The outcome if the request may have been received and no usable response came.
pub(crate) fn uncertain(call: Call, failure: Failure) -> JobOutcome {
    match call {
        Call::WithEffect => JobOutcome::Unknown(failure),
        Call::ReadOnly => JobOutcome::Failed(failure),
    }
}

/// The outcome if the call succeeded but its response does not match the tool's declaration.
pub(crate) fn unusable(call: Call, result: ToolResult, failure: Failure) -> JobOutcome {
    match call {
        Call::WithEffect => JobOutcome::DoneBadly(result, failure),
        Call::ReadOnly => JobOutcome::Failed(failure),
    }
}

impl Answered<'_> {
    fn failure(&self, class: FailureClass) -> Failure {
        let excerpt: String = self.text.chars().take(EXCERPT).collect();
        let said = if excerpt.trim().is_empty() { String::new() } else { format!(": {}", excerpt.trim()) };
        let message = format!("The external system answered {}{said}", self.status);
        let code = format!("http_{}", self.status);
        match (class, self.retry_after) {
            // The retry policy decides about a delay of zero.
            (FailureClass::Transient, Some(wait)) if wait.0 > 0 => Failure::asked_to_wait(&code, message, wait),
            _ => Failure { class, code, message, retry_after: None, asked: false, settles: false },
        }
    }
}

/// The delay of a `Retry-After` header: seconds or an HTTP date, bounded. A date is relative to the response's own
/// `Date` if there is one, because clocks differ. `None` if the header is unusable.
pub fn retry_after(header: &str, date: Option<&str>, now: Timestamp) -> Option<Millis> {
    let header = header.trim();
    let wait = if header.bytes().all(|byte| byte.is_ascii_digit()) && !header.is_empty() {
        // A number that overflows exceeds any bound.
        header.parse::<u64>().map_or(MAX_RETRY_AFTER, |secs| Millis(secs.saturating_mul(1000)))
    } else {
        let from = date.and_then(http_date).unwrap_or(now.as_millis());
        Millis(u64::try_from(http_date(header)?.checked_sub(from)?).unwrap_or(0))
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

/// Milliseconds since the epoch of an HTTP date.
fn http_date(text: &str) -> Option<i64> {
    let zoned = jiff::fmt::rfc2822::DateTimeParser::new().parse_zoned(text.trim()).ok()?;
    Some(zoned.timestamp().as_millisecond())
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
