//! Secrets by reference: packs hold `env:NAME` or `file:PATH`, and the value is looked up at the moment of sending.

/// A secret that cannot be had.
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

/// The value behind a reference.
pub fn resolve_secret(reference: &str) -> Result<String, SecretError> {
    if let Some(name) = reference.strip_prefix("env:") {
        return std::env::var(name).map_err(|_| SecretError::NoVariable(name.to_owned()));
    }
    if let Some(path) = reference.strip_prefix("file:") {
        return std::fs::read_to_string(path)
            .map(|text| text.trim_end().to_owned())
            .map_err(|error| SecretError::NoFile(path.to_owned(), error.to_string()));
    }
    // Whatever it is, it may be the secret itself: only its beginning is shown.
    Err(SecretError::NotAReference(reference.chars().take(3).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_without_its_last_line_break() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "s3cret\n").unwrap();
        assert_eq!(resolve_secret(&format!("file:{}", file.path().display())), Ok("s3cret".into()));
    }

    #[test]
    fn what_is_missing_is_named_and_a_bare_value_is_not_repeated() {
        assert_eq!(resolve_secret("env:BRAIN_NO_SUCH"), Err(SecretError::NoVariable("BRAIN_NO_SUCH".into())));
        assert!(resolve_secret("file:/no/such/file").unwrap_err().to_string().contains("/no/such/file"));
        let error = resolve_secret("hunter2hunter2").unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }
}
