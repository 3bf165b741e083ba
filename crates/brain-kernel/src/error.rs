//! Why the kernel did not answer with a report.

use brain_core::RunId;
use brain_engine::EngineError;
use brain_store::StoreError;

use crate::intake::MAX_MESSAGE;

/// Why the kernel did not answer with a report.
#[derive(Debug, Clone, thiserror::Error)]
pub enum KernelError {
    /// The message is longer than is taken in.
    #[error("the message has {0} bytes; at most {MAX_MESSAGE} are taken in")]
    TooLong(usize),
    /// The request says nothing.
    #[error("the message is empty; say what should be done")]
    Empty,
    /// Another request was sent with this key.
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
    /// Someone else was quicker.
    #[error("this has been decided already")]
    AlreadyDecided,
    /// The actor may not do this.
    #[error("{0}")]
    NotAllowed(String),
    /// What was asked does not fit where the run stands.
    #[error("{0}")]
    Conflict(String),
    /// What was given is not what is needed.
    #[error("{0}")]
    Refused(String),
    /// A cursor that no list gave out.
    #[error("{0}")]
    BadCursor(String),
    /// The store did not do its part: a disk without room, a database that is away. It may do it later.
    #[error("{0}")]
    Store(String),
    /// Too many requests wait. Nothing was done.
    #[error("too many requests are waiting; nothing was done. Try again in a moment")]
    Busy,
    /// Something inside went wrong; the log has the details.
    #[error("something went wrong inside: {0}")]
    Internal(String),
}

impl KernelError {
    /// Whether it is certain that nothing was written. After a store that failed, or something inside that went wrong,
    /// what was asked for may have been done all the same: asking again under the same key finds out.
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
            | Self::Refused(_)
            | Self::BadCursor(_)
            | Self::Busy => true,
            Self::Store(_) | Self::Internal(_) => false,
        }
    }
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
            StoreError::Failed(_) => Self::Store(error.to_string()),
            other => Self::Internal(other.to_string()),
        }
    }
}
