//! Compiles plans to verified programs and runs them with fibers. Deciding is pure.
//!
//! The machine never acts. [`Machine::next`] says what it needs to know or to have done; the engine answers with an
//! [`Input`]; [`Machine::decide`] turns that into [`Event`]s; [`State::apply`] folds events and cannot fail. Replaying
//! a log is `apply` alone: no expression is evaluated and no job is done again.

mod compile;
mod decide;
mod event;
mod fibers;
mod job;
mod migrate;
mod program;
mod scope;
mod state;

pub use compile::{MAX_PLAN_STEPS, PlanError, compile};
pub use decide::{Decision, Delegate, GRACE, Input, MAX_DELAY, Machine, Need};
pub use event::{Event, EventError, Stray, VM_EVENTS};
pub use fibers::{Armed, Fiber, Wait};
pub use job::{Happened, Job, JobId, JobStatus, ScopeId, StepId, pairs};
pub use migrate::{Migration, StepMap, migrate};
pub use program::{Arm, BadProgram, Code, Op, Program, ProgramId, Trigger};
pub use scope::{End, Opener, Phase, Scope, StepState, Stop};
pub use state::State;
