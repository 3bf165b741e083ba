//! The rows of a store.

use std::fmt;

use brain_core::{
    ApprovalId, ApprovalStatus, Digest, DigestBuilder, JobKey, Millis, NodeId, RecordId, RunId, RunStatus, TenantId,
    Timestamp, TokenId,
};
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Its id.
    pub id: RunId,
    /// The tenant it belongs to.
    pub tenant: TenantId,
    /// When it was received.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Its status.
    pub status: RunStatus,
    /// Its program, if it has been planned.
    pub program: Option<Digest>,
    /// The request as received: message, mode, context, limits. A payload, so it may be erased.
    pub request: Value,
    /// Whether its payloads were erased; only their digests are left.
    pub erased: bool,
    /// Scheduling columns.
    pub schedule: RunSchedule,
}

/// The only field of a request that could not be read. It holds the error.
const UNREADABLE: &str = "$unreadable";

impl RunRow {
    /// Parses a stored request. A damaged request must not hide its row from lists and retention:
    /// [`RunRow::unreadable`] returns the error.
    pub(crate) fn request_of(text: Result<&str, String>) -> Value {
        let read = text.and_then(|text| serde_json::from_str(text).map_err(|error| error.to_string()));
        read.unwrap_or_else(|why| serde_json::json!({UNREADABLE: why}))
    }

    /// The error, if the request cannot be read.
    pub fn unreadable(&self) -> Option<&str> {
        self.request.get(UNREADABLE)?.as_str()
    }
}

/// The scheduling columns of a run.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RunSchedule {
    /// Its number of events. Every write names the number that it builds on.
    pub seq: u64,
    /// The node that works on it, if any.
    pub owner: Option<NodeId>,
    /// Increases with every change of owner; a write with an older fence is rejected.
    pub fence: u64,
    /// The next time at which the run can move without an input.
    pub wake_at: Option<Timestamp>,
    /// 1 (lowest) to 10 (highest).
    pub priority: u8,
    /// Its place in the queue while a job of it waits for a free slot. Any node may take it.
    pub queued: Option<QueuePlace>,
}

/// The place of a run in the queue for a free slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuePlace {
    /// Lower is taken earlier.
    pub order: i64,
    /// The exhausted limit: `node`, `tenant` or `tool NAME`.
    pub limit: String,
}

/// Sizes of the queues, and the age of their oldest entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Open dead letters.
    pub letters: u64,
    /// When the oldest dead letter was opened.
    pub oldest_letter: Option<Timestamp>,
    /// Pending approvals.
    pub approvals: u64,
    /// When the oldest approval was requested.
    pub oldest_approval: Option<Timestamp>,
    /// Runs in the queue for a free slot.
    pub queued: u64,
    /// When the oldest queued run was queued.
    pub oldest_queued: Option<Timestamp>,
}

/// A node and its lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// The node.
    pub id: NodeId,
    /// When its lease ends or ended, by the clock of the store.
    pub until: Timestamp,
    /// How long ago its lease ended, by the same clock; `None` while it is valid.
    pub lapsed: Option<Millis>,
    /// Identifies the node's process to other processes on the same machine.
    pub liveness: String,
}

impl NodeRow {
    /// A node whose lease ends at `until`, seen at `now`.
    pub(crate) fn at(now: Timestamp, id: NodeId, until: Timestamp, liveness: String) -> Self {
        let lapsed = (until <= now).then(|| now.since(until));
        Self { id, until, lapsed, liveness }
    }
}

/// A claim on the runs that a node is given: until it expires, other nodes get different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The claiming node.
    pub node: NodeId,
    /// The current time.
    pub now: Timestamp,
    /// When the claim expires.
    pub until: Timestamp,
}

/// A page of the feed.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedPage {
    /// The rows, each with its position.
    pub items: Vec<(u64, LogRow)>,
    /// Rows that this build cannot read. They do not stop the feed, and count towards the page's limit.
    pub broken: Vec<BrokenRow>,
    /// The position up to which the feed was read; pass it as `after` for the next page, even if this one is empty.
    pub upto: u64,
}

/// A row of a log that this build cannot read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRow {
    /// Its position in the feed.
    pub position: u64,
    /// Its run.
    pub run: RunId,
    /// The number of its first event.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// The error.
    pub why: String,
}

/// Events of one run that were committed together, with their payloads.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRow {
    /// The run.
    pub run: RunId,
    /// The number of the first event.
    pub seq: u64,
    /// When they were written.
    pub at: Timestamp,
    /// The events, in order. They contain no domain values.
    pub events: Vec<LogEvent>,
    /// Domain values that the events refer to by index; erasable.
    pub payloads: Vec<Value>,
}

/// One event of a log. Stores keep its data as the text that the writer produced and do not parse it.
#[derive(Clone, Debug)]
pub struct LogEvent {
    /// The event type.
    pub number: u16,
    /// The version of the type.
    pub version: u16,
    /// The event's fields as JSON.
    pub data: Box<RawValue>,
    /// The index of its domain values in the payloads of the row.
    pub payload: Option<u32>,
}

impl LogEvent {
    /// Serialises an event.
    pub fn new(number: u16, version: u16, data: &impl Serialize, payload: Option<u32>) -> Self {
        let data = to_raw_value(data).expect("event data is plain data");
        Self { number, version, data, payload }
    }
}

impl PartialEq for LogEvent {
    fn eq(&self, other: &Self) -> bool {
        let text = |event: &Self| (event.number, event.version, event.payload, event.data.get().to_owned());
        text(self) == text(other)
    }
}

/// Serialises as `[number, version, data]`, followed by the payload's index if there is one.
impl Serialize for LogEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.payload {
            Some(payload) => (self.number, self.version, &self.data, payload).serialize(serializer),
            None => (self.number, self.version, &self.data).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for LogEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts;
        impl<'de> Visitor<'de> for Parts {
            type Value = LogEvent;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("[number, version, data] or [number, version, data, payload]")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<LogEvent, A::Error> {
                let missing = |n| move || de::Error::invalid_length(n, &Parts);
                Ok(LogEvent {
                    number: seq.next_element()?.ok_or_else(missing(0))?,
                    version: seq.next_element()?.ok_or_else(missing(1))?,
                    data: seq.next_element()?.ok_or_else(missing(2))?,
                    payload: seq.next_element()?,
                })
            }
        }
        deserializer.deserialize_seq(Parts)
    }
}

/// One record.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordRow {
    /// Its type.
    pub kind: String,
    /// Its id.
    pub id: RecordId,
    /// Counted from 1; increases by one with every change.
    pub revision: u64,
    /// Its state, if its type has states.
    pub state: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Its fields.
    pub body: Value,
}

/// An entry in the index of records.
///
/// Fields that begin with [`NAMES`] are names of a record. A record has many of them. They are never unique and never
/// part of a precondition, so stores index them in a way that is cheap to write.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexEntry {
    /// The field, or the joined fields of a key.
    pub field: String,
    /// The value.
    pub value: IndexValue,
    /// Whether no other record of the type may have the same value.
    pub unique: bool,
}

/// A value in the index of records: a digest of its text. The index is queried by equality only, so entries are short
/// whatever the value, and the index holds no further copy of what a record says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexValue(String);

impl IndexValue {
    /// Hexadecimal digits of the digest that are stored: 96 bits.
    const DIGITS: usize = 24;

    /// The value for a text.
    pub fn of(text: &str) -> Self {
        let mut digits = Digest::of(text.as_bytes()).to_string();
        digits.truncate(Self::DIGITS);
        Self(digits)
    }

    /// The stored form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A value as it was read from a store.
    pub(crate) fn stored(text: String) -> Self {
        Self(text)
    }
}

/// The prefix of index fields for names. No field of a record begins with it.
pub const NAMES: char = '~';

impl IndexEntry {
    /// Whether this entry is a name.
    pub fn is_name(&self) -> bool {
        !self.unique && self.field.starts_with(NAMES)
    }

    /// An entry as it was read from a store.
    pub(crate) fn stored((field, value, unique): (String, String, bool)) -> Self {
        Self { field, value: IndexValue::stored(value), unique }
    }
}

impl From<&str> for IndexValue {
    fn from(text: &str) -> Self {
        Self::of(text)
    }
}

/// Selects records. All conditions must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordFilter {
    /// The state.
    pub state: Option<String>,
    /// Indexed fields and their values.
    pub indexed: Vec<(String, IndexValue)>,
    /// Other top-level fields and their JSON values, compared row by row.
    pub fields: Vec<(String, Value)>,
}

impl RecordFilter {
    /// Whether a record with these index entries matches.
    pub fn matches(&self, row: &RecordRow, index: &[IndexEntry]) -> bool {
        let has = |field: &str, value: &IndexValue| index.iter().any(|one| one.field == field && one.value == *value);
        self.state.as_ref().is_none_or(|state| row.state.as_ref() == Some(state))
            && self.indexed.iter().all(|(field, value)| has(field, value))
            && self.fields.iter().all(|(field, value)| row.body.get(field) == Some(value))
    }
}

/// The words of a text as full-text search compares them.
pub fn search_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Whether a text contains all of these words; the last one may be a prefix.
pub fn contains_words(text: &str, wanted: &[String]) -> bool {
    let Some((last, full)) = wanted.split_last() else { return false };
    let there = search_words(text);
    full.iter().all(|word| there.contains(word)) && there.iter().any(|word| word.starts_with(last))
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The rows of the page.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` on the last one.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Cuts a list of at most `limit + 1` rows to `limit`, and sets the cursor if there are more.
    pub fn cut(mut items: Vec<T>, limit: usize, cursor: impl Fn(&T) -> String) -> Self {
        let next = if items.len() > limit {
            items.truncate(limit);
            items.last().map(cursor)
        } else {
            None
        };
        Self { items, next }
    }
}

/// A link from a run's step to a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArtifactRow {
    /// The record's type.
    pub kind: String,
    /// The record.
    pub record: RecordId,
    /// The run.
    pub run: RunId,
    /// The step.
    pub step: String,
    /// `created`, `updated`, `resolved` or `input`.
    pub role: String,
    /// When the link was made.
    pub at: Timestamp,
}

/// A dead letter: a job that waits for a person, or did.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadLetterRow {
    /// The key of the job.
    pub id: JobKey,
    /// The run.
    pub run: RunId,
    /// The name of the tool.
    pub tool: String,
    /// When the job became a dead letter.
    pub opened_at: Timestamp,
    /// Whether it is still undecided.
    pub open: bool,
    /// Step, attempt, failure, in doubt or not, escalation, resolution.
    pub body: Value,
}

/// A request for approval.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRow {
    /// Its id.
    pub id: ApprovalId,
    /// The run that waits for it.
    pub run: RunId,
    /// Its status.
    pub status: ApprovalStatus,
    /// When the approval was requested.
    pub asked_at: Timestamp,
    /// Approvers, the digest of what is to be approved, the sentences shown, and the decision.
    pub body: Value,
}

/// A job that external workers may lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferRow {
    /// The job.
    pub key: JobKey,
    /// Its run.
    pub run: RunId,
    /// The kind of work; workers fetch by topic.
    pub topic: String,
    /// Lower is handed out earlier.
    pub order: i64,
}

/// A message to a run that it has not processed yet.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalRow {
    /// The run.
    pub run: RunId,
    /// Unique within the run and chosen by the sender, so that sending twice has the effect of sending once.
    pub id: String,
    /// When it was sent.
    pub at: Timestamp,
    /// The message.
    pub body: Value,
}

/// The metadata of a blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobRow {
    /// The SHA-256 of its bytes, which identifies it.
    pub hash: Digest,
    /// Size in bytes.
    pub size: u64,
    /// The media type.
    pub media_type: String,
    /// When it was first stored.
    pub at: Timestamp,
}

/// A bearer token. Only a hash of its secret half is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenRow {
    /// The public half.
    pub id: TokenId,
    /// The tenant it gives access to.
    pub tenant: TenantId,
    /// The hash of the secret half.
    pub hash: Digest,
    /// A description of its purpose.
    pub label: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// Whether it may approve.
    pub approver: bool,
    /// Its permissions; `None` grants all.
    pub permissions: Option<Vec<String>>,
    /// The tier of its holder; `None` for any.
    pub tier: Option<String>,
    /// Whether it was revoked.
    pub revoked: bool,
}

/// The table versions before and after a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The version found; 0 if there were no tables.
    pub from: i64,
    /// The version after the migration, or the one that a dry run would reach.
    pub to: i64,
}

/// A record with its index entries and words, as [`crate::Write::PutRecord`] takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeRecord {
    /// The record.
    pub row: RecordRow,
    /// All its index entries.
    pub index: Vec<IndexEntry>,
    /// Its words for full-text search; `None` if its type has no search fields.
    pub text: Option<String>,
}

/// A program or definition.
#[derive(Clone, Debug, PartialEq)]
pub struct DefinitionRow {
    /// Its hash.
    pub hash: Digest,
    /// `program`, `tool` or `record`.
    pub kind: String,
    /// Its content.
    pub body: Value,
}

/// An administrative action that affects all tenants, or changes access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRow {
    /// When it happened.
    pub at: Timestamp,
    /// Who did it.
    pub who: String,
    /// The action: `gc`, `store copy`, `token new` and so on.
    pub what: String,
    /// The affected tenant; `None` for all.
    pub tenant: Option<TenantId>,
    /// The reason and the options.
    pub detail: String,
}

/// A digest of a list of records: their ids and revisions, in order.
pub fn fingerprint(records: impl IntoIterator<Item = (RecordId, u64)>) -> Digest {
    let mut digest = DigestBuilder::new("listed");
    for (id, revision) in records {
        digest = digest.part(id.as_uuid().as_bytes()).part(&revision.to_be_bytes());
    }
    digest.finish()
}
