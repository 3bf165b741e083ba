//! Learning: derives the outcome of each request from its run, folds outcomes into candidate phrases, judges them, and
//! teaches those that make no corpus worse.
//!
//! Nothing is written while people work: every turn is a run, and a run stores the message, its reading and its end.
//! Only what no run can know has records of its own: corrections, blocked phrases and taught phrases.

mod blocklist;
mod cases;
mod corpora;
mod correct;
mod promote;
mod records;
mod status;
mod teach;
mod turns;

pub use correct::{Corrected, Correction, sweep_corrections};
pub use promote::{Judged, Promotion};
pub use status::Learning;
pub(crate) use teach::Lessons;
pub use teach::{Learned, Lesson, TaughtRow};
pub use turns::RunReading;
