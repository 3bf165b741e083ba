//! Drives the machine over a store: scheduling, leases, timers, retries, dead letters.
//!
//! The core is synchronous: [`core::Core::step`] takes inputs and returns commits and, once those are durable, actions.
//! Threads and Tokio are a shell around it ([`Engine::start`]); a [`Driver`] runs the same core by hand, on a virtual
//! clock. Neither knows what a tool does; only the [`Host`] does.

mod actor;
mod checkpoint;
pub mod core;
mod data;
mod driver;
mod engine;
mod flow;
mod host;
mod inbox;
mod input;
mod intake;
pub mod log;
mod node;
mod operator_events;
mod overlay;
mod performer;
mod reads;
mod receipt;
mod retention;
mod run_state;
mod shards;
mod shell;
mod turn;
mod undoable;
mod watchers;

pub use actor::{Actor, replay};
pub use turn::grow::blob_writes;
pub use turn::job_key;

pub use self::core::{CHILD_FAILED, ChildStart, child_key, child_signal, last_child};
pub use data::{Moved, RunData};
pub use driver::Driver;
pub use engine::{Engine, EngineConfig, EngineError, LetterDecision};
pub use flow::{FlowConfig, InUse, Limits, Share, TenantLimits, Uses};
pub use host::{Charge, CheckAnswer, Growth, Host, HostFuture, JobContext, JobOutcome, Outside, RunView, Starts};
pub use input::{ActorBounds, Budget, PlaybookInput, RunInput, Work};
pub use log::{NewEvent, PipeEvent};
pub use node::Liveness;
pub use operator_events::{Happening, Observer, Slow, What};
pub use overlay::{MAX_LISTED, RecordView};
pub use reads::{Answers, Found, Read};
pub use receipt::{Receipt, ReceiptStatus};
pub use retention::{BLOB_GRACE, Keep, LONG, Swept, sweep};
pub use run_state::{NotLoaded, RunState};
pub use watchers::RunNews;
