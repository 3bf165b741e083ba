//! Learning: what became of requests in words is read from their runs, folded into candidates for phrases, judged, and
//! taught if no corpus gets worse for it.
//!
//! Nothing is written while people work: every turn is a run, and a run keeps what was said, how it was read and how it
//! ended. Only what no run can know has records of its own: corrections, what was rejected, and what was taught.

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
pub use turns::Heard;
