//! What can go wrong with models and their files.

use std::path::PathBuf;

/// A model cannot be used, and why. Texts never fail: every text has a vector.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// A file is missing or cannot be read.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file is there, but is not what it should be.
    #[error("{}: {problem}", path.display())]
    Content {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A name that no folder can have.
    #[error("`{0}` cannot be the name of a model: use small letters, digits, `-`, `_` and `.`")]
    Name(String),
    /// There is no model of that name.
    #[error("there is no model `{name}` in {}; `brain model list` shows those that are there", dir.display())]
    Absent {
        /// What was asked for.
        name: String,
        /// Where.
        dir: PathBuf,
    },
}

impl EmbedError {
    /// For `map_err`: the file that an error belongs to.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |error| Self::File { path, error }
    }

    /// What is wrong with the content of a file.
    pub(crate) fn content(path: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        Self::Content { path: path.into(), problem: problem.into() }
    }
}
