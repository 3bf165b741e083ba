//! Learning, decided without I/O: what became of turns is folded into candidates for phrases; gates say which of them
//! may be promoted, which wait, and which a person must look at. Who stores and promotes is elsewhere.
//!
//! Two rules keep what is learned honest. One person alone teaches nothing by using Brain: what a few turns say counts
//! at most [`TURNS_PER_ACTOR`] times per person, so that neither a habit nor a grudge becomes the language of a whole
//! tenant; who is trusted to teach says so with `teach`. And nothing is promoted that makes any corpus worse
//! ([`may_promote`]), whoever asked for it.

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
pub use gate::{Gates, Known, OwnedPhrase, Verdict, gate};
pub use health::{Decided, Decision, Week, weekly};
pub use outcome::{How, Outcome, SaidSlot};
pub(crate) use phrase::same;
pub use phrase::{plain, shape};
pub use score::{CorpusResult, Reading, Row, Score, may_promote, newly_wrong};
pub use slips::without_slips;
pub use teach::{Teach, check_teach};
