//! One type per kind of id. Run ids are UUIDv7; ids that must be the same on every replay are derived by hashing.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Digest, DigestBuilder, Millis, Random, Timestamp};

/// Returned for text that is not an id of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {article} {kind}: expected {expected}", article = article(.kind))]
pub struct IdError {
    text: String,
    kind: &'static str,
    expected: &'static str,
}

/// The indefinite article of a noun.
fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// Builds a UUIDv7 from injected time and randomness.
fn uuid_v7(now: Timestamp, random: u128) -> Uuid {
    uuid_with_time(now, random, 7)
}

fn uuid_with_time(now: Timestamp, noise: u128, version: u128) -> Uuid {
    let millis = (now.as_millis().max(0) as u128) & 0xffff_ffff_ffff;
    let mut bits = (millis << 80) | (noise & ((1 << 80) - 1));
    bits = (bits & !(0xf << 76)) | (version << 76);
    bits = (bits & !(0x3 << 62)) | (0b10 << 62);
    Uuid::from_u128(bits)
}

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Makes a new id; later ids sort after earlier ones.
            pub fn generate(now: Timestamp, random: &mut dyn Random) -> Self {
                Self(uuid_v7(now, random.next_u128()))
            }

            /// Wraps a UUID that was stored or received.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID.
            pub const fn as_uuid(&self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                Uuid::parse_str(text).map(Self).map_err(|_| IdError {
                    text: text.to_owned(),
                    kind: $kind,
                    expected: "a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057",
                })
            }
        }
    };
}

uuid_id!(
    /// One execution of a program.
    RunId, "run id"
);
uuid_id!(
    /// A business object that a pack declares and Brain stores.
    RecordId, "record id"
);
uuid_id!(
    /// A request for approval.
    ApprovalId, "approval id"
);
uuid_id!(
    /// One hand-over of a step to an executor. Derived from the run, so a replay computes the same key.
    JobKey, "call id"
);
uuid_id!(
    /// A process that works on runs.
    NodeId, "node id"
);
uuid_id!(
    /// The public half of a bearer token.
    TokenId, "token id"
);

/// Builds a UUIDv8: the run's start time in front, so that related rows are stored together, then a digest.
fn derived(at: Timestamp, digest: Digest) -> Uuid {
    let mut noise = [0; 16];
    noise.copy_from_slice(&digest.as_bytes()[..16]);
    uuid_with_time(at, u128::from_be_bytes(noise), 8)
}

impl JobKey {
    /// Derives the key of a job from its run, scope, step, iteration and direction.
    pub fn derive(started: Timestamp, run: RunId, scope: &str, step: &str, iteration: u32, undo: bool) -> Self {
        let digest = DigestBuilder::new("job")
            .part(run.0.as_bytes())
            .part(scope.as_bytes())
            .part(step.as_bytes())
            .part(&iteration.to_be_bytes())
            .part(&[u8::from(undo)])
            .finish();
        Self(derived(started, digest))
    }
}

impl RecordId {
    /// Sorts before the id of every record: the cursor to start a scan with.
    pub const BEFORE_ALL: Self = Self(Uuid::nil());

    /// Derives an id from a digest, for internal records that are found again by hashing what they represent.
    pub fn from_digest(digest: Digest) -> Self {
        Self(derived(Timestamp::default(), digest))
    }

    /// Derives the id of the `n`th record that a job creates, so that deciding the job again gives the same id.
    ///
    /// Records of one run sort in order of creation: each step is a millisecond later than the step before it, and the
    /// item number fills the twelve bits after the milliseconds. The remaining 62 bits are a digest.
    pub fn derive(started: Timestamp, job: JobKey, step: u16, item: u32, n: u8) -> Self {
        let digest = DigestBuilder::new("record").part(job.0.as_bytes()).part(&[n]).finish();
        let later = started.plus(Millis(u64::from(step) + u64::from(item >> 12)));
        let noise = derived(started, digest).as_u128() & ((1 << 62) - 1);
        Self(uuid_with_time(later, (u128::from(item & 0xfff) << 64) | noise, 8))
    }
}

/// A tenant: a short name of lower-case letters, digits and dashes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TenantId(std::sync::Arc<str>);

impl TenantId {
    /// The tenant of a local single user.
    pub fn default_tenant() -> Self {
        Self("default".into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TenantId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let fits = (1..=63).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
            && !text.starts_with('-');
        if fits {
            Ok(Self(text.into()))
        } else {
            Err(IdError {
                text: text.to_owned(),
                kind: "tenant name",
                expected: "1 to 63 lower-case letters, digits, `-` or `_`",
            })
        }
    }
}

impl TryFrom<String> for TenantId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<TenantId> for String {
    fn from(tenant: TenantId) -> Self {
        tenant.0.as_ref().to_owned()
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TenantId({})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededRandom;

    #[test]
    fn new_ids_are_version_7_and_ordered_by_time() {
        let mut random = SeededRandom::new(1);
        let one = RunId::generate(Timestamp::from_millis(1_000), &mut random);
        let two = RunId::generate(Timestamp::from_millis(2_000), &mut random);
        assert_eq!(one.as_uuid().get_version_num(), 7);
        assert_eq!(one.as_uuid().get_variant(), uuid::Variant::RFC4122);
        assert!(one < two);
    }

    #[test]
    fn a_job_key_depends_on_each_of_its_parts() {
        let at = Timestamp::from_millis(5);
        let run = RunId::from_uuid(Uuid::from_u128(7));
        let key = JobKey::derive(at, run, "", "a", 0, false);
        assert_eq!(key, JobKey::derive(at, run, "", "a", 0, false));
        assert_eq!(key.as_uuid().get_version_num(), 8);
        for other in [
            JobKey::derive(at, RunId::from_uuid(Uuid::from_u128(8)), "", "a", 0, false),
            JobKey::derive(at, run, "x", "a", 0, false),
            JobKey::derive(at, run, "", "b", 0, false),
            JobKey::derive(at, run, "", "a", 1, false),
            JobKey::derive(at, run, "", "a", 0, true),
        ] {
            assert_ne!(key, other);
        }
    }

    #[test]
    fn records_of_one_run_sort_in_order_of_creation() {
        let at = Timestamp::from_millis(1_700_000_000_000);
        let job = JobKey::from_uuid(Uuid::from_u128(99));
        let places = [(0, 0), (0, 1), (0, 300), (0, 4_095), (0, 4_096), (0, 9_000), (900, 0), (901, 0), (901, 1)];
        let ids: Vec<_> = places.iter().map(|&(step, item)| RecordId::derive(at, job, step, item, 0)).collect();
        assert!(ids.is_sorted(), "{ids:?}");
        assert!(ids.iter().all(|id| id.as_uuid().get_version_num() == 8));
        assert!(ids.iter().all(|id| id.as_uuid().get_variant() == uuid::Variant::RFC4122));
    }

    #[test]
    fn every_random_bit_of_a_record_id_is_used() {
        let at = Timestamp::from_millis(1_700_000_000_000);
        let (mut ones, mut zeros) = (0_u128, 0_u128);
        for n in 0..64 {
            let id = RecordId::derive(at, JobKey::from_uuid(Uuid::from_u128(n)), 3, 5, 0).as_uuid().as_u128();
            ones |= id;
            zeros |= !id;
        }
        assert_eq!(
            (ones & zeros & ((1 << 62) - 1)).count_ones(),
            62,
            "jobs that start together may differ in each of these bits"
        );
    }

    #[test]
    fn tenant_names_are_checked() {
        assert!("acme-2".parse::<TenantId>().is_ok());
        for bad in ["", "Acme", "a b", "-a", &"x".repeat(64)] {
            assert!(bad.parse::<TenantId>().is_err(), "{bad}");
        }
    }
}
