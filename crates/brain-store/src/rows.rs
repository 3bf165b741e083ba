//! The rows that a store keeps.

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
    /// Whose it is.
    pub tenant: TenantId,
    /// When it was received.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Where it stands.
    pub status: RunStatus,
    /// What it runs, if anything was planned.
    pub program: Option<Digest>,
    /// The request as it came: message, mode, context, limits. A payload: it may be erased.
    pub request: Value,
    /// Whether its payloads were erased: of each, the digest is left.
    pub erased: bool,
    /// Scheduling columns.
    pub schedule: RunSchedule,
}

/// The only field of a request that could not be read: why not.
const UNREADABLE: &str = "$unreadable";

impl RunRow {
    /// The request of a row, from the text that is stored. A damaged one must not hide the row from lists and
    /// retention: [`RunRow::unreadable`] says what is wrong with it.
    pub(crate) fn request_of(text: Result<&str, String>) -> Value {
        let read = text.and_then(|text| serde_json::from_str(text).map_err(|error| error.to_string()));
        read.unwrap_or_else(|why| serde_json::json!({UNREADABLE: why}))
    }

    /// Why the request cannot be read, if it cannot.
    pub fn unreadable(&self) -> Option<&str> {
        self.request.get(UNREADABLE)?.as_str()
    }
}

/// What the scheduler sees of a run.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct RunSchedule {
    /// How many events it has; every write names the number it builds on.
    pub seq: u64,
    /// The node that works on it, while one does.
    pub owner: Option<NodeId>,
    /// Rises with every change of owner; a write with an older one is refused.
    pub fence: u64,
    /// When time alone moves it on.
    pub wake_at: Option<Timestamp>,
    /// 1 (lowest) to 10 (highest).
    pub priority: u8,
    /// Where it stands while a job of it waits for a free slot; any node may take it from there.
    pub queued: Option<QueuePlace>,
}

/// The place of a run that waits for a free slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuePlace {
    /// The lower, the earlier it is taken.
    pub order: i64,
    /// What there is too little of: `node`, `tenant` or `tool NAME`.
    pub limit: String,
}

/// What waits: how much of it, and since when the oldest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Open dead letters.
    pub letters: u64,
    /// When the oldest of them was opened.
    pub oldest_letter: Option<Timestamp>,
    /// Pending approvals.
    pub approvals: u64,
    /// When the oldest of them was asked for.
    pub oldest_approval: Option<Timestamp>,
    /// Runs in the queue for a free slot.
    pub queued: u64,
    /// Since when the oldest of them waits.
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
    /// How a process on the same machine recognises the node's process.
    pub liveness: String,
}

impl NodeRow {
    /// A node whose lease ends at `until`, looked at `now`.
    pub(crate) fn at(now: Timestamp, id: NodeId, until: Timestamp, liveness: String) -> Self {
        let lapsed = (until <= now).then(|| now.since(until));
        Self { id, until, lapsed, liveness }
    }
}

/// A node's word that it looks at what it was given until then; others are given something else meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The node.
    pub node: NodeId,
    /// The present.
    pub now: Timestamp,
    /// When others may be given the same.
    pub until: Timestamp,
}

/// A part of the feed.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedPage {
    /// What was written, each with its position.
    pub items: Vec<(u64, LogRow)>,
    /// Rows that this build cannot read: they hold up nobody. They count towards the limit of the page.
    pub broken: Vec<BrokenRow>,
    /// Everything up to this position has been looked at: where to go on, also if nothing was found.
    pub upto: u64,
}

/// A row of a log that this build cannot read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRow {
    /// Its position in the feed.
    pub position: u64,
    /// The run.
    pub run: RunId,
    /// The number of its first event.
    pub seq: u64,
    /// When it was written.
    pub at: Timestamp,
    /// What is wrong with it.
    pub why: String,
}

/// Events of one run that were written together, with their payloads beside them.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRow {
    /// The run.
    pub run: RunId,
    /// The number of the first event.
    pub seq: u64,
    /// When they were written.
    pub at: Timestamp,
    /// What happened, in order; no domain values.
    pub events: Vec<LogEvent>,
    /// Domain values that the events refer to by position; erasable.
    pub payloads: Vec<Value>,
}

/// One event of a log. A store does not look into its data: they are kept as the text that the writer made.
#[derive(Clone, Debug)]
pub struct LogEvent {
    /// The type.
    pub number: u16,
    /// The version of the type.
    pub version: u16,
    /// What happened.
    pub data: Box<RawValue>,
    /// The position of its domain values in the payloads of the row.
    pub payload: Option<u32>,
}

impl LogEvent {
    /// An event with these data.
    pub fn new(number: u16, version: u16, data: &impl Serialize, payload: Option<u32>) -> Self {
        let data = to_raw_value(data).expect("what an event says is plain data");
        Self { number, version, data, payload }
    }
}

impl PartialEq for LogEvent {
    fn eq(&self, other: &Self) -> bool {
        let text = |event: &Self| (event.number, event.version, event.payload, event.data.get().to_owned());
        text(self) == text(other)
    }
}

/// `[number, version, data]`, and the position of the payload if there is one.
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
    /// Rises by one with every change; the first is 1.
    pub revision: u64,
    /// Its state, if its type has states.
    pub state: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Its fields.
    pub body: Value,
}

/// A value by which records are found.
///
/// Fields that begin with [`NAMES`] are what people call a record. A record has many of them and nothing is decided by
/// them: they are not unique, and no precondition asks for them. Stores keep them so that they are cheap to write.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexEntry {
    /// The field, or the joined fields of a key.
    pub field: String,
    /// The value as text.
    pub value: String,
    /// Whether no other record of the type may have the same.
    pub unique: bool,
}

/// What the fields of names begin with. No field of a record does.
pub const NAMES: char = '~';

impl IndexEntry {
    /// Whether people call the record so.
    pub fn is_name(&self) -> bool {
        !self.unique && self.field.starts_with(NAMES)
    }
}

/// Which records to list. All that is given must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordFilter {
    /// The state.
    pub state: Option<String>,
    /// Indexed fields and their values as text: fast.
    pub indexed: Vec<(String, String)>,
    /// Other top-level fields and their JSON values: compared row by row.
    pub fields: Vec<(String, Value)>,
}

impl RecordFilter {
    /// Whether a record with these index entries is meant.
    pub fn matches(&self, row: &RecordRow, index: &[IndexEntry]) -> bool {
        let has = |field: &str, value: &str| index.iter().any(|one| one.field == field && one.value == value);
        self.state.as_ref().is_none_or(|state| row.state.as_ref() == Some(state))
            && self.indexed.iter().all(|(field, value)| has(field, value))
            && self.fields.iter().all(|(field, value)| row.body.get(field) == Some(value))
    }
}

/// The words of a text as full-text search compares them.
pub fn search_words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Whether a text contains all of these words; the last may be the beginning of one.
pub fn contains_words(text: &str, wanted: &[String]) -> bool {
    let Some((last, full)) = wanted.split_last() else { return false };
    let there = search_words(text);
    full.iter().all(|word| there.contains(word)) && there.iter().any(|word| word.starts_with(last))
}

/// Some rows, and where the rest begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// Give this back to get the next ones; `None` if there are none.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Cuts `limit` rows off a list of at most `limit + 1` and remembers the last one shown.
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
    /// When.
    pub at: Timestamp,
}

/// A job that waits for a person, or did.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadLetterRow {
    /// The job's key is the letter's id.
    pub id: JobKey,
    /// The run.
    pub run: RunId,
    /// The tool.
    pub tool: String,
    /// When it was put here.
    pub opened_at: Timestamp,
    /// Whether it still waits.
    pub open: bool,
    /// Step, attempt, failure, in doubt or not, escalation, resolution.
    pub body: Value,
}

/// A question put to someone who may approve.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRow {
    /// Its id.
    pub id: ApprovalId,
    /// The run that waits for it.
    pub run: RunId,
    /// Where it stands.
    pub status: ApprovalStatus,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// Who is asked, the digest of what is asked for, the sentences shown, and the decision.
    pub body: Value,
}

/// A job that an external worker may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferRow {
    /// The job.
    pub key: JobKey,
    /// Its run.
    pub run: RunId,
    /// What kind of work it is: workers ask by topic.
    pub topic: String,
    /// The lower, the earlier it is given out.
    pub order: i64,
}

/// Something a run was told and has not looked at yet.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalRow {
    /// The run.
    pub run: RunId,
    /// Tells it apart from the run's other signals; the sender's choice, so that sending twice is sending once.
    pub id: String,
    /// When it was sent.
    pub at: Timestamp,
    /// What it says.
    pub body: Value,
}

/// What is known of a large value without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobRow {
    /// The SHA-256 of its bytes, and its name.
    pub hash: Digest,
    /// How many bytes it has.
    pub size: u64,
    /// What they are.
    pub media_type: String,
    /// When it was stored first.
    pub at: Timestamp,
}

/// A bearer token: only a hash of its secret half is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenRow {
    /// The public half.
    pub id: TokenId,
    /// The tenant it opens.
    pub tenant: TenantId,
    /// The hash of the secret half.
    pub hash: Digest,
    /// What it is for.
    pub label: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// Whether it may approve.
    pub approver: bool,
    /// What it may do besides; `None`: everything.
    pub permissions: Option<Vec<String>>,
    /// The tier of whoever holds it; `None`: any.
    pub tier: Option<String>,
    /// Whether it was taken back.
    pub revoked: bool,
}

/// What a store's tables were and are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The version of the tables that were there; 0: none were.
    pub from: i64,
    /// The version they have now, or would have.
    pub to: i64,
}

/// A record with what it is found by: what [`crate::Write::PutRecord`] takes.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeRecord {
    /// The record.
    pub row: RecordRow,
    /// All values by which it is found.
    pub index: Vec<IndexEntry>,
    /// Its words for full-text search; `None` if its type is not searched.
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

/// Something that was done to everyone's data, or with a right that everyone's data depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRow {
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub who: String,
    /// What: `gc`, `store copy`, `token new` and so on.
    pub what: String,
    /// To whom; `None`: to everyone.
    pub tenant: Option<TenantId>,
    /// Why, and with which options.
    pub detail: String,
}

/// What identifies a list of records: their ids and revisions, in order.
pub fn fingerprint(records: impl IntoIterator<Item = (RecordId, u64)>) -> Digest {
    let mut digest = DigestBuilder::new("listed");
    for (id, revision) in records {
        digest = digest.part(id.as_uuid().as_bytes()).part(&revision.to_be_bytes());
    }
    digest.finish()
}
