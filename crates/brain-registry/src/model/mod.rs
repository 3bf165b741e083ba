//! What a checked pack is made of. Everything here can be written as JSON and read back: definitions are stored by
//! hash, so that a run keeps the ones it started with.

mod behavior;
mod corpus;
mod pack;
mod playbook;
mod record;
mod scenario;
mod tool;

pub use behavior::{Auth, Behavior, Criteria, ExprBehavior, HttpBehavior, Lookup, Method, RecordBehavior, RecordOp};
pub use brain_lang::plan::{Backoff, Idempotency, OnFailure, RetryPolicy};
pub use corpus::{CorpusRow, CorpusSet, Expectation};
pub use pack::{Help, PackDef};
pub use playbook::{Playbook, PlaybookStep};
pub use record::{FieldDef, MergeRule, RecordDef, States};
pub use scenario::{Action, Expect, ExpectRecords, Scenario, ScenarioStep, Stub};
pub use tool::{Consent, Effect, Precondition, ToolDef, Undo};
