//! The rules of learning, without I/O. Outcomes of turns are folded into candidate phrases; gates decide which are
//! promoted, which wait, and which a person must review. Storage and promotion are elsewhere.
//!
//! Two rules keep it honest. Nobody teaches alone by using Brain: at most [`TURNS_PER_ACTOR`] turns of a person count,
//! so that neither a habit nor a grudge becomes the language of a whole tenant; trusted people teach explicitly, with
//! `teach`. And nothing is promoted that makes any corpus worse ([`may_promote`]).

mod blocklist;
mod candidate;
mod cases;
mod gate;
mod health;
mod outcome;
mod phrase;
mod score;
mod slips;
mod teach;
#[cfg(test)]
mod tests;

pub use blocklist::{BLOCKED_AT, Blocked, Blocklist};
pub use candidate::{Candidate, State, TURNS_PER_ACTOR, candidates};
pub use cases::{Expect, LearnedCase, cases};
pub use gate::{GateResult, Gates, Known, OwnedPhrase, gate};
pub use health::{Decided, Decision, Week, weekly};
pub use outcome::{How, Outcome, SaidSlot};
pub(crate) use phrase::same;
pub use phrase::{plain, shape};
pub use score::{CorpusResult, Reading, Row, Score, may_promote, newly_wrong};
pub use slips::without_slips;
pub use teach::{Teach, check_teach};
