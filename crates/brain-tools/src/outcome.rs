//! What the outcome of an outside call means. This is the only place that says so.
//!
//! | what came back | a call with an effect | a call without one |
//! |---|---|---|
//! | no connection: name not found, refused, TLS handshake failed | not done, transient | the same |
//! | time ran out, the connection broke | unknown | not done, transient |
//! | 408, 500, 502, 504, any 5xx not named below | unknown | not done, transient |
//! | 503 with `Retry-After` | not done, transient, after that time | the same |
//! | 503 without `Retry-After` | unknown | not done, transient |
//! | 425, 429 | not done, transient, after `Retry-After` if there is one | the same |
//! | 501, 505 | not done, business | the same |
//! | 302, 303 | unknown: a form that was taken often answers so | not done, business |
//! | other 1xx, 3xx, 4xx | not done, business | the same |
//! | 2xx that `failure` describes | not done, business | the same |
//! | 2xx that misses `success` | unknown: it was taken, and the pack does not say what this answer means | not done, business |
//! | a success whose answer cannot be used | done badly | not done, contract |
//!
//! A pack overrides the table with `not_done` and `unknown`. Unknown follows the tool's `idempotency`.
//!
//! "Not done" is about this attempt. When an earlier attempt went unanswered, a refusal does not prove that nothing
//! happened: "already paid" is a refusal too. The call stays in doubt unless the pack lists the status under `not_done`,
//! which is about the call and all its attempts.

use brain_core::{Failure, FailureClass, Millis, Timestamp};
use brain_engine::JobOutcome;
use brain_registry::ToolResult;
use brain_registry::model::{Effect, HttpBehavior, Method, ToolDef};

/// The longest wait that another system may ask for. One that asks for more is asked again after this.
pub(crate) const MAX_RETRY_AFTER: Millis = Millis::from_secs(24 * 60 * 60);

/// How much of a failing answer goes into the failure's message.
const EXCERPT: usize = 200;

/// Whether a call changes something outside, so that doing it twice or forgetting it would matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// It changes something, or may.
    WithEffect,
    /// It only reads: it may be repeated at will.
    ReadOnly,
}

impl Call {
    /// What an `http` tool declares. A GET reads unless the tool says that it cannot be taken back.
    pub(crate) fn of_http(def: &ToolDef, behavior: &HttpBehavior) -> Self {
        match (def.effect, behavior.method) {
            (Effect::Irreversible, _) => Self::WithEffect,
            (Effect::Read, _) | (_, Method::Get) => Self::ReadOnly,
            _ => Self::WithEffect,
        }
    }

    /// What any other tool declares.
    pub(crate) fn of(def: &ToolDef) -> Self {
        if def.effect == Effect::Read { Self::ReadOnly } else { Self::WithEffect }
    }
}

/// Which of the pack's descriptions an answer meets.
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

/// An answer as far as its meaning goes.
#[derive(Clone, Debug)]
pub(crate) struct Answered<'a> {
    /// The status code.
    pub(crate) status: u16,
    /// How long the other side asked to wait.
    pub(crate) retry_after: Option<Millis>,
    /// The body, without secrets.
    pub(crate) text: &'a str,
}

/// What an answer means; `None`: the call succeeded.
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

/// No connection came about, so nothing was sent.
pub(crate) fn not_connected(failure: Failure) -> JobOutcome {
    JobOutcome::Failed(failure)
}

/// The request may have been received, and no usable answer came.
pub(crate) fn uncertain(call: Call, failure: Failure) -> JobOutcome {
    match call {
        Call::WithEffect => JobOutcome::Unknown(failure),
        Call::ReadOnly => JobOutcome::Failed(failure),
    }
}

/// The call succeeded, but what came back is not what the tool promises.
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
        let message = format!("The outside system answered {}{said}", self.status);
        let code = format!("http_{}", self.status);
        match (class, self.retry_after) {
            (FailureClass::Transient, Some(wait)) => Failure::asked_to_wait(&code, message, wait),
            _ => Failure { class, code, message, retry_after: None, asked: false, settles: false },
        }
    }
}

/// How long a `Retry-After` header asks to wait: seconds or an HTTP date, bounded. A date counts from the answer's own
/// `Date` where it has one, because the clocks of two systems differ. `None`: the header says nothing that helps.
pub fn retry_after(header: &str, date: Option<&str>, now: Timestamp) -> Option<Millis> {
    let header = header.trim();
    let wait = if header.bytes().all(|byte| byte.is_ascii_digit()) && !header.is_empty() {
        // More digits than a number holds is longer than any bound.
        header.parse::<u64>().map_or(MAX_RETRY_AFTER, |secs| Millis(secs.saturating_mul(1000)))
    } else {
        let from = date.and_then(http_date).unwrap_or(now.as_millis());
        Millis(u64::try_from(http_date(header)?.checked_sub(from)?).ok()?)
    };
    // "At once" is left to the retry policy.
    (wait.0 > 0).then(|| wait.min(MAX_RETRY_AFTER))
}

/// Milliseconds since the epoch of an HTTP date.
fn http_date(text: &str) -> Option<i64> {
    let zoned = jiff::fmt::rfc2822::DateTimeParser::new().parse_zoned(text.trim()).ok()?;
    Some(zoned.timestamp().as_millisecond())
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
