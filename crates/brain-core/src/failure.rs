//! Why a step did not succeed. The failure's class decides what happens next.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Millis;

/// How the engine reacts to a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// May pass by itself (a timeout, a busy server): retried as the policy says.
    Transient,
    /// A bug on one side (wrong types, a broken schema): never retried, becomes a dead letter.
    Contract,
    /// A business rule rejected the call (a final quote, an unknown lead): `on_failure` decides.
    Business,
}

impl fmt::Display for FailureClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transient => "transient",
            Self::Contract => "contract",
            Self::Business => "business",
        })
    }
}

/// One failure: a class, a stable code and a sentence for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// How the engine reacts.
    pub class: FailureClass,
    /// Stable, machine-readable: `record_not_found`, `wrong_state`, `http_503` …
    pub code: String,
    /// For people: what was wrong and what to do next.
    pub message: String,
    /// Delay before the next attempt; overrides the retry policy's backoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Millis>,
    /// Whether the attempt counts against the retry policy although `retry_after` is set: true if the other side was
    /// called and refused, false if the call could not be made yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
    /// Whether it proves that no attempt at this call had an effect, earlier unanswered attempts included.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settles: bool,
}

impl Failure {
    /// Makes a failure that may pass by itself.
    pub fn transient(code: &str, message: impl Into<String>) -> Self {
        Self {
            class: FailureClass::Transient,
            code: code.to_owned(),
            message: message.into(),
            retry_after: None,
            asked: false,
            settles: false,
        }
    }

    /// Makes a failure for a call that cannot be made yet; it does not count as an attempt.
    pub fn blocked(message: impl Into<String>, retry_after: Millis) -> Self {
        Self { retry_after: Some(retry_after), ..Self::transient("blocked", message) }
    }

    /// Makes a failure of a call that the other side refused, naming when to try again (`Retry-After`).
    pub fn asked_to_wait(code: &str, message: impl Into<String>, retry_after: Millis) -> Self {
        Self { retry_after: Some(retry_after), asked: true, ..Self::transient(code, message) }
    }

    /// Marks the failure as proof that no attempt at this call had an effect.
    pub fn settled(self) -> Self {
        Self { settles: true, ..self }
    }

    /// Whether the attempt counts against the retry policy.
    pub fn counts(&self) -> bool {
        self.retry_after.is_none() || self.asked
    }

    /// Makes a failure that is a bug on one side.
    pub fn contract(code: &str, message: impl Into<String>) -> Self {
        Self {
            class: FailureClass::Contract,
            code: code.to_owned(),
            message: message.into(),
            retry_after: None,
            asked: false,
            settles: false,
        }
    }

    /// Makes a failure that a business rule caused.
    pub fn business(code: &str, message: impl Into<String>) -> Self {
        Self {
            class: FailureClass::Business,
            code: code.to_owned(),
            message: message.into(),
            retry_after: None,
            asked: false,
            settles: false,
        }
    }
}
