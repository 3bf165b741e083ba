//! The store traits, their conformance suite, and the stores.
//!
//! A store keeps rows; it does not know what events mean. Everything of a tenant is reached through a [`Scope`]; the
//! scheduler's [`SystemScope`] sees scheduling columns only. Writing is [`Commit::commit`]: members with preconditions,
//! each applied whole or reported as a conflict, all in one durable commit.

mod accounts;
pub mod blob;
pub mod conformance;
pub mod copy;
mod memory;
mod postgres;
mod retention;
mod rows;
mod scope;
mod sqlite;
mod traits;

pub use accounts::{AccountEntry, Accounts};
pub use memory::MemoryStore;
pub use postgres::{PostgresStore, check_url, redact};
pub use retention::{Audit, Dump, Old, Referrer, Retention, used_blobs};
pub use rows::{
    ApprovalRow, ArtifactRow, AuditRow, Backlog, BlobRow, BrokenRow, Claim, DeadLetterRow, DefinitionRow, FeedPage,
    IndexEntry, IndexValue, LogEvent, LogRow, Migration, NAMES, NodeRow, OfferRow, Page, QueuePlace, RecordFilter,
    RecordRow, RunRow, RunSchedule, SignalRow, TokenRow, WholeRecord, contains_words, fingerprint, search_words,
};
pub use scope::{Scope, Sudo, SystemScope};
pub use sqlite::{Contents as SqliteContents, SqliteStore};
pub use traits::{
    Approvals, BlobWriter, Blobs, Commit, CommitDone, CommitResult, Conflict, DeadLetters, Definitions, Feed, Lane,
    Lanes, MAX_ANY, MAX_OF_VALUE, Member, Offers, OnChange, Outcome, Precondition, Records, Runs, Scheduling, Signals,
    Store, StoreError, StoreStats, Tokens, Watch, Write,
};
