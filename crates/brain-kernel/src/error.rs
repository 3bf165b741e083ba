//! Errors of the kernel.

use brain_core::RunId;
use brain_engine::EngineError;
use brain_store::StoreError;

use crate::intake::MAX_MESSAGE;

/// An error of the kernel: there is no report.
#[derive(Debug, Clone, thiserror::Error)]
pub enum KernelError {
    /// The message is too long.
    #[error("the message has {0} bytes; the maximum is {MAX_MESSAGE}")]
    TooLong(usize),
    /// The message is empty.
    #[error("the message is empty; say what should be done")]
    Empty,
    /// The idempotency key was used for a different request.
    #[error("the idempotency key `{0}` was used for another request; use a new key for a new request")]
    KeyReused(String),
    /// There is no such run.
    #[error("there is no run {0}")]
    NoSuchRun(RunId),
    /// There is no such approval.
    #[error("there is no approval {0}")]
    NoSuchApproval(String),
    /// There is no such dead letter.
    #[error("there is no dead letter {0}")]
    NoSuchLetter(String),
    /// The decision was already made.
    #[error("this has already been decided")]
    AlreadyDecided,
    /// The actor may not do this.
    #[error("{0}")]
    NotAllowed(String),
    /// The request conflicts with the state of the run.
    #[error("{0}")]
    Conflict(String),
    /// A pack that the run needs is not loaded here. Nothing was changed.
    #[error("{}", pack_not_loaded(run, packs))]
    PackNotLoaded {
        /// The run.
        run: RunId,
        /// The missing packs.
        packs: Vec<String>,
    },
    /// The input is not valid.
    #[error("{0}")]
    Refused(String),
    /// An invalid cursor.
    #[error("{0}")]
    BadCursor(String),
    /// The store failed, for example because the disk is full or the database is unreachable. A retry may succeed.
    #[error(transparent)]
    Store(StoreError),
    /// Too many requests are waiting. Nothing was done.
    #[error("too many requests are waiting; nothing was done. Try again in a moment")]
    Busy,
    /// An internal error; the log has the details.
    #[error("internal error: {0}")]
    Internal(String),
}

impl KernelError {
    /// Whether it is certain that nothing was written. After a store failure or an internal error the request may have
    /// taken effect; repeat it with the same key to find out.
    pub fn is_known(&self) -> bool {
        match self {
            Self::TooLong(_)
            | Self::Empty
            | Self::KeyReused(_)
            | Self::NoSuchRun(_)
            | Self::NoSuchApproval(_)
            | Self::NoSuchLetter(_)
            | Self::AlreadyDecided
            | Self::NotAllowed(_)
            | Self::Conflict(_)
            | Self::PackNotLoaded { .. }
            | Self::Refused(_)
            | Self::BadCursor(_)
            | Self::Busy => true,
            Self::Store(_) | Self::Internal(_) => false,
        }
    }
}

fn pack_not_loaded(run: &RunId, packs: &[String]) -> String {
    let (packs, them) = match packs {
        [one] => (format!("pack `{one}`, which is"), "it"),
        several => (format!("packs {}, which are", several.join(", ")), "them"),
    };
    format!(
        "run {run} uses the {packs} not loaded; nothing was changed. Load {them} with --pack DIR or `packs` in \
         brain.yaml, or use a server that has {them} loaded"
    )
}

impl From<EngineError> for KernelError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::NoSuchRun(run) => Self::NoSuchRun(run),
            EngineError::NoSuchLetter(letter) => Self::NoSuchLetter(letter.to_string()),
            EngineError::AlreadyDecided => Self::AlreadyDecided,
            EngineError::NothingToDo(_)
            | EngineError::Stopping(_)
            | EngineError::Happened(_)
            | EngineError::InDoubt(..)
            | EngineError::Moved
            | EngineError::Parked(_)
            | EngineError::Unreadable(..)
            | EngineError::UnderWay(..) => Self::Conflict(error.to_string()),
            EngineError::Refused(..) => Self::Refused(error.to_string()),
            EngineError::Busy => Self::Busy,
            EngineError::Store(error) => error.into(),
            other => Self::Internal(other.to_string()),
        }
    }
}

impl From<StoreError> for KernelError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::BadCursor(_) => Self::BadCursor(error.to_string()),
            error if error.is_transient() => Self::Store(error),
            other => Self::Internal(other.to_string()),
        }
    }
}
