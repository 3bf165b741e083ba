//! Types that every other crate uses: ids, canonical JSON, digests, redaction, time, randomness, failures.
//!
//! Pure: no I/O, no clock, no randomness of its own. Time and random numbers come in through [`Clock`] and
//! [`Random`], so that a whole Brain can run on a virtual clock with a seed.

mod canonical;
mod digest;
mod duration;
mod failure;
mod id;
mod key;
mod money;
mod planted;
mod random;
mod rate;
mod redact;
mod status;
mod time;

pub use canonical::{canonical_bytes, canonical_digest};
pub use digest::{Digest, DigestBuilder, DigestStream, hmac_sha256};
pub use duration::{DurationError, Millis};
pub use failure::{Failure, FailureClass};
pub use id::{ApprovalId, IdError, JobKey, NodeId, RecordId, RunId, TenantId, TokenId};
pub use key::{Key, Keyed};
pub use money::decimal_text;
#[cfg(feature = "planted-bugs")]
pub use planted::plant;
pub use planted::planted;
pub use random::{Random, SeededRandom};
pub use rate::{Rate, RateError, RateMeter};
pub use redact::{REDACTED, Redactor, audit_hash, is_sensitive_key};
pub use status::{ApprovalStatus, Confidence, ContractStatus, RunStatus, StatusError};
pub use time::{Clock, Timestamp, VirtualClock};
