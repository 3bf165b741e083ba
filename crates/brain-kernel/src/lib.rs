//! The pipe: intake, understand, plan, check, approve, execute, narrate. Every request takes the same path, from every
//! surface.
//!
//! [`Kernel::begin`] takes a request as far as it goes without waiting; [`Kernel::finish`] waits for the result;
//! [`Kernel::report`] describes any run. Wire formats belong to the edge crates.

mod approval_view;
mod approve;
mod batch;
mod budget;
mod bulk;
mod callback;
mod check;
pub mod contract_status;
mod control;
mod draft;
mod eligible;
mod entity;
mod error;
mod evidence;
mod host;
mod implied;
mod import;
mod intake;
mod kernel;
mod keys;
mod learning;
mod letter_expiry;
mod migrate;
mod narrate;
mod next_action;
mod notes;
mod packs_of;
mod pipe;
mod plan;
mod program;
mod redaction;
mod reload;
mod replay;
mod report;
mod review;
pub mod scenario;
mod simulated;
mod small_talk_replies;
mod stage;
mod suggestion;
mod tier_question;
mod understand;
mod undo;
mod vocabulary;
mod waiting;
mod worker;

pub use approval_view::ApprovalView;
pub use approve::Decision;
pub use budget::{SpendCap, SpendCaps};
pub use bulk::{BulkLetter, BulkOutcome, LetterFilter, MAX_BULK};
pub use callback::{CALLBACK_WINDOW, failure as told_failure, sign_callback};
pub use entity::{Reindexed, is_behind, reindex};
pub use error::KernelError;
pub use import::{Import, Imported};
pub use intake::{Actor, FieldProblem, Incoming, Limits, MAX_WAIT, Mode, Parent, Request};
pub use kernel::{Expiry, Kernel, KernelConfig};
pub use keys::Found as FoundByKey;
pub use learning::{
    Corrected, Correction, Judged, Learned, Learning, Lesson, Promotion, RunReading, TaughtRow, sweep_corrections,
};
pub use letter_expiry::overdue_letters;
pub use migrate::Move;
pub use narrate::{Enqueued, PlannedCall, Problem, ReceiptView, Report, ended};
pub use next_action::NextAction;
pub use notes::sweep_notes;
pub use pipe::Begun;
pub use plan::{Planned, call_plan};
pub use redaction::Redaction;
pub use reload::{KernelSlot, LoadPacks, ReloadError, Reloaded};
pub use replay::Replayed;
pub use review::{Verdict, WaitingReview};
pub use simulated::Wrap;
pub use tier_question::INTENT_TIER;
pub use vocabulary::LanguageConfig;
pub use waiting::{AwaitsPerson, Waiting};
pub use worker::JobLease;
