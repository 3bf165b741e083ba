//! The model of a checked pack. Everything here round-trips through JSON: definitions are stored by hash, so that a
//! run keeps those it started with.

mod behavior;
mod corpus;
mod pack;
mod playbook;
mod record;
mod scenario;
mod tool;

pub use behavior::{
    Also, Auth, Behavior, Criteria, DecideBehavior, DecideRule, ExprBehavior, HitPolicy, HttpBehavior, Lookup, Method,
    NativeBehavior, PlaybookBehavior, QueryBehavior, QueryFilter, QueryTest, RecordBehavior, RecordOp, WorkerBehavior,
};
pub use brain_lang::plan::{Backoff, Idempotency, OnFailure, RetryPolicy};
pub use corpus::{CorpusRow, CorpusSet, Expectation};
pub use pack::{Help, IntentTier, PackDef};
pub use playbook::{BatchPolicy, Cardinality, Placeholder, Playbook, PlaybookStep, Role, SlotRule};
pub use record::{FieldDef, GroupDef, MergeRule, OnDelete, RecordDef, States};
pub use scenario::{Action, Expect, ExpectRecords, Person, Scenario, ScenarioStep, Stub};
pub use tool::{
    Acknowledge, Blocker, Consent, Cost, Delegate, Effect, Precondition, Review, ToolDef, ToolLimits, Undo,
};
