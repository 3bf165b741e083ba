//! Secrets by reference: packs contain `env:NAME` or `file:PATH`, and the value is resolved when a request is sent.
//! Responses are redacted before any part of them goes into a failure.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use brain_core::Failure;
use brain_engine::JobOutcome;

/// Why a secret cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// Not a reference.
    #[error("`{0}…` is not a secret reference: write `env:NAME` or `file:PATH`")]
    NotAReference(String),
    /// The variable is not set.
    #[error("the environment variable `{0}` is not set")]
    NoVariable(String),
    /// The file cannot be read.
    #[error("the secret file `{0}` cannot be read: {1}")]
    NoFile(String, String),
}

/// References that are used for environment variables that are not set.
static STAND_INS: OnceLock<BTreeMap<String, String>> = OnceLock::new();

/// Sets the references that replace environment variables: like the environment, once and for the whole process.
/// Later calls change nothing.
pub fn stand_in(references: BTreeMap<String, String>) {
    let _ = STAND_INS.set(references);
}

/// Resolves a reference.
pub fn resolve_secret(reference: &str) -> Result<String, SecretError> {
    if let Some(name) = reference.strip_prefix("env:") {
        let stand_in = || STAND_INS.get()?.get(name).filter(|other| *other != reference);
        return match (std::env::var(name), stand_in()) {
            (Ok(value), _) => Ok(value),
            (Err(_), Some(other)) if !other.starts_with("env:") => resolve_secret(other),
            // One step only, so that two variables that name each other end.
            (Err(_), Some(other)) => {
                let other = other.trim_start_matches("env:");
                std::env::var(other).map_err(|_| SecretError::NoVariable(other.to_owned()))
            }
            (Err(_), None) => Err(SecretError::NoVariable(name.to_owned())),
        };
    }
    if let Some(path) = reference.strip_prefix("file:") {
        return std::fs::read_to_string(path)
            .map(|text| text.trim_end().to_owned())
            .map_err(|error| SecretError::NoFile(path.to_owned(), error.to_string()));
    }
    // The text may be the secret itself, so show only its first characters.
    Err(SecretError::NotAReference(reference.chars().take(3).collect()))
}

/// Replaces a secret in a text.
const REDACTED: &str = "[secret]";

/// The secrets of one request, to redact echoes of them.
#[derive(Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    /// Adds a secret.
    pub(crate) fn add(&mut self, secret: &str) {
        if !secret.is_empty() {
            self.0.push(secret.to_owned());
            // Longest first, because a secret may contain another one.
            self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
    }

    /// Adds a user name and password in their encoded form.
    pub(crate) fn add_basic(&mut self, user: &str, password: &str) {
        self.add(&base64(format!("{user}:{password}").as_bytes()));
    }

    /// Replaces all secrets in a text.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, REDACTED))
    }

    /// Redacts the failure of an outcome.
    pub(crate) fn redacted(&self, mut outcome: JobOutcome) -> JobOutcome {
        let redact = |failure: &mut Failure| failure.message = self.redact(&failure.message);
        match &mut outcome {
            JobOutcome::Done(_) => {}
            JobOutcome::DoneBadly(_, failure) | JobOutcome::Failed(failure) | JobOutcome::Unknown(failure) => {
                redact(failure);
            }
        }
        outcome
    }
}

/// Base64, as in the header `Authorization: Basic`.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let number =
            (0..3).fold(0_usize, |number, at| number << 8 | three.get(at).map_or(0, |byte| usize::from(*byte)));
        for at in 0..4 {
            let sixth = char::from(LETTERS[number >> (18 - 6 * at) & 63]);
            text.push(if at <= three.len() { sixth } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_of_a_secret_is_redacted_in_every_form_it_was_sent() {
        let mut secrets = Secrets::default();
        secrets.add("open sesame");
        secrets.add("open sesame 2");
        secrets.add("");
        secrets.add_basic("Aladdin", "open sesame");
        let text = "got open sesame 2, open sesame and Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==";
        assert_eq!(secrets.redact(text), "got [secret], [secret] and Basic [secret]");
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn a_file_is_read_without_its_last_line_break() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "s3cret\n").unwrap();
        assert_eq!(resolve_secret(&format!("file:{}", file.path().display())), Ok("s3cret".into()));
    }

    #[test]
    fn a_missing_source_is_named_and_a_bare_value_is_not_repeated() {
        assert_eq!(resolve_secret("env:BRAIN_NO_SUCH"), Err(SecretError::NoVariable("BRAIN_NO_SUCH".into())));
        assert!(resolve_secret("file:/no/such/file").unwrap_err().to_string().contains("/no/such/file"));
        let error = resolve_secret("hunter2hunter2").unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }
}
