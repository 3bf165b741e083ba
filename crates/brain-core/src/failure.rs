//! Why a step did not succeed, in the three classes that decide what happens next.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Millis;

/// What a failure means for the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// May pass by itself (a time-out, a busy server): retried by policy.
    Transient,
    /// A bug on one side (wrong types, a broken schema): never retried, a person must look.
    Contract,
    /// The business said no (a final quote, an unknown lead): `on_failure` decides.
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
    /// What it means for the engine.
    pub class: FailureClass,
    /// Stable, machine-readable: `record_not_found`, `wrong_state`, `http_503` …
    pub code: String,
    /// For people: what was wrong and what to do.
    pub message: String,
    /// Try again after this long, whatever the retry policy says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Millis>,
    /// Whether the attempt counts against the retry policy although it says when to try again: the other side was
    /// asked and refused, rather than something here having to happen first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
    /// Whether it is known that no attempt at this call had an effect, the unanswered ones before this included.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settles: bool,
}

impl Failure {
    /// A failure that may pass by itself.
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

    /// Something else must happen first.
    pub fn blocked(message: impl Into<String>, retry_after: Millis) -> Self {
        Self { retry_after: Some(retry_after), ..Self::transient("blocked", message) }
    }

    /// The other side was asked and said when to ask again.
    pub fn asked_to_wait(code: &str, message: impl Into<String>, retry_after: Millis) -> Self {
        Self { retry_after: Some(retry_after), asked: true, ..Self::transient(code, message) }
    }

    /// The same failure, and no attempt at this call had an effect.
    pub fn settled(self) -> Self {
        Self { settles: true, ..self }
    }

    /// Whether the attempt counts against the retry policy.
    pub fn counts(&self) -> bool {
        self.retry_after.is_none() || self.asked
    }

    /// A bug on one side.
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

    /// The business said no.
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
