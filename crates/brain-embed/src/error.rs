//! Errors of models and their files.

use std::path::PathBuf;

/// Why a model cannot be used. Encoding a text never fails.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// A file is missing or cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// A file has invalid content.
    #[error("{}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// An invalid model name.
    #[error("`{0}` is not a valid model name: use lower-case letters, digits, `-`, `_` and `.`")]
    Name(String),
    /// There is no model of that name.
    #[error("there is no model `{name}` in {}; `brain model list` lists the installed models", dir.display())]
    Absent {
        /// The name.
        name: String,
        /// The folder of models.
        dir: PathBuf,
    },
}

impl EmbedError {
    /// For `map_err`: adds the file to an error.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |error| Self::File { path, error }
    }

    /// An error about a file's content.
    pub(crate) fn content(path: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        Self::Content { path: path.into(), problem: problem.into() }
    }
}
