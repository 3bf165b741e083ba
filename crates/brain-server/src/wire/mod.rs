//! The JSON types of the API. Inner crates do not use them; the command line prints them with `--json`.

mod approval;
mod blob;
mod dead_letter;
mod event;
mod explain;
mod feed;
mod job;
mod learning;
mod look;
mod next_action;
mod object;
mod operate;
mod page;
mod problem;
mod record;
mod record_type;
mod run;
mod tool;
mod upkeep;
mod waiting;
mod whole;

pub use approval::{Approval, Decide, Decision};
pub use blob::{Blob, BlobStored};
pub use dead_letter::{
    Escalate, Letter, LetterDecided, Outcome, Resolve, RetriedLetter, RetriedMany, Retry, RetryMany, since,
};
pub use event::{RunEvent, run_events, run_history};
pub use explain::{ExplainRequest, Explanation, MissingSlot};
pub use feed::{FeedEvent, FeedId};
pub use job::{
    Activate, Activated, ArtifactLink, ArtifactRole, Callback, CallbackTaken, CompleteJob, ExtendJob, Extended,
    FailJob, Job, JobError, JobErrorClass, JobTaken, Review, UndoRun, Verdict,
};
pub(crate) use learning::state_word;
pub use learning::{
    BlockedPhrase, CaseItem, CorrectionAnswer, CorrectionRequest, CycleRequest, LearningHealth, LearningWeek,
    PhraseCandidate, PhraseFor, PromotionItem, RejectRequest, TaughtAnswer, TaughtItem, TeachRequest, UnteachRequest,
};
pub use look::{Replay, WaitingReview};
pub use next_action::in_http;
pub(crate) use object::Object;
pub use operate::{AuditEntry, MigrateRuns, MigratedRun, MigratedRuns, NewToken, PacksReloaded, Token};
pub use page::Page;
pub use problem::{FieldProblem, ProblemDocument};
pub use record::record_json;
pub use record_type::{ImportRecords, ImportedRecords, RecordField, RecordType, RefusedRecord};
pub use run::{
    CallRequest, Confidence, EnqueuedCall, ErrorItem, LimitsRequest, Mode, PlannedToolCall, Policy, Progress, Receipt,
    ReceiptError, RunDecision, RunRequest, RunResponse, RunSummary,
};
pub use tool::{MatchType, PlaybookDetail, ToolDetail, ToolLookup, ToolSummary};
pub use upkeep::{Doctor, DoctorCheck, Reindex, ReindexedType, ReindexedTypes, Sweep, Swept, SweptTenant};
pub use waiting::{Abort, Waiting, WaitingRun, WhyWaiting};
