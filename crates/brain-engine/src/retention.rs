//! Retention: how long what finished runs worked with is kept, and how long they are kept themselves.
//!
//! Only runs that are over and have not changed for the time are touched. Payloads go first: of each, the digest of its
//! canonical JSON is left, so that a receipt still proves what it was about to whoever has the value. The events, with
//! attempts, times and failures, stay until the run itself goes. Every run is a commit of its own that names the number
//! of events it has read, so this can be stopped at any point and begun again, beside everything else.
//!
//! What can still be taken back, because its tool says until when (`undo: {until: …}`), is kept until then: an undo needs the
//! arguments and results of the time of the deed. A tool that may be undone at any time holds nothing back.
//!
//! Large values go when nothing refers to them: one that is found unused is noted, and deleted when it is still unused
//! after a grace of its own. Whoever stores the same bytes in between takes the note away in the same commit, and a
//! reference that was copied from elsewhere meanwhile is seen by the second look.
//!
//! Programs, settings and tool definitions are not collected. There are as many as packs have forms, not as many as runs, and
//! nodes remember which ones the store has and do not write those again.

use brain_core::{Digest, Millis, RunId, RunStatus, Timestamp, canonical_digest, planted};
use brain_store::{Member, Old, Outcome, Precondition, RunRow, Scope, Store, StoreError, Write, used_blobs};
use serde_json::{Map, Value, json};

use crate::checkpoint::compact;
use crate::undoable::Undoable;

/// Runs that are looked at together.
const PAGE: usize = 100;
/// Blobs that share one commit.
const BLOBS: usize = 200;
/// How long a blob that nothing refers to is kept, twice: after it was stored, and after it was found unused.
pub const BLOB_GRACE: Millis = Millis(24 * 60 * 60 * 1000);

/// Events above which a run that is under way is compacted.
pub const LONG: u64 = 2_000;

/// How long things are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// What finished runs worked with; `None`: for ever.
    pub payloads: Option<Millis>,
    /// Finished runs; `None`: for ever.
    pub runs: Option<Millis>,
    /// Large values that nothing refers to.
    pub blobs: Millis,
    /// Events above which a run that is under way is compacted.
    pub long: u64,
}

/// What went, or would go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Runs whose payloads were erased.
    pub runs_erased: u64,
    /// Runs that were deleted.
    pub runs_deleted: u64,
    /// Long runs under way that were compacted.
    pub runs_compacted: u64,
    /// Blobs that were deleted.
    pub blobs_deleted: u64,
    /// Blobs that nothing refers to and that go when that stays so.
    pub blobs_unused: u64,
    /// Bytes of content that went.
    pub bytes: u64,
}

/// Erases and deletes what has been kept long enough for one tenant. A dry run only says what would go. Each part is on
/// its own: if one fails, the others are done all the same, and the first failure is returned at the end.
pub fn sweep(store: &dyn Store, scope: &Scope, now: Timestamp, keep: Keep, dry_run: bool) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    let mut undoable = Undoable::default();
    let mut failed = None;
    let mut done = |what: &str, result: Result<(), StoreError>| {
        if let Err(error) = result {
            tracing::warn!(tenant = %scope.tenant(), %error, "{what} did not work out; the rest of the sweep goes on");
            failed.get_or_insert(error);
        }
    };
    if let Some(length) = keep.runs {
        let deleted = each_old(store, scope, before(now, length), None, |row| {
            delete(store, scope, row, now, &mut undoable, dry_run, &mut swept)
        });
        done("deleting old runs", deleted);
    }
    if let Some(length) = keep.payloads {
        let deleted = keep.runs.map(|length| before(now, length));
        let erased = each_old(store, scope, before(now, length), Some(false), |row| {
            // What a dry run would have deleted is still there.
            if dry_run && deleted.is_some_and(|moment| row.updated_at < moment) {
                return Ok(());
            }
            erase(store, scope, row, now, &mut undoable, dry_run, &mut swept)
        });
        done("erasing payloads", erased);
    }
    for status in [RunStatus::Running, RunStatus::Waiting, RunStatus::Delegated] {
        done("compacting logs", compact_all(store, scope, status, now, keep.long, dry_run, &mut swept));
    }
    done("collecting blobs", sweep_blobs(store, scope, now, keep.blobs, dry_run, &mut swept));
    if !dry_run {
        done("tidying up", store.tidy(scope));
    }
    failed.map_or(Ok(swept), Err)
}

/// Compacts the long logs of runs with this status.
fn compact_all(
    store: &dyn Store,
    scope: &Scope,
    status: RunStatus,
    now: Timestamp,
    long: u64,
    dry_run: bool,
    swept: &mut Swept,
) -> Result<(), StoreError> {
    let mut cursor = None;
    loop {
        let page = store.runs(scope, Some(status), PAGE, cursor.as_deref())?;
        for row in page.items.iter().filter(|row| row.schedule.seq >= long) {
            let compacted = readable(compact(store, scope, row, now, long, dry_run))?;
            swept.runs_compacted += u64::from(compacted.unwrap_or(false));
        }
        cursor = page.next;
        if cursor.is_none() {
            return Ok(());
        }
    }
}

fn before(now: Timestamp, length: Millis) -> Timestamp {
    Timestamp::from_millis(now.as_millis().saturating_sub(i64::try_from(length.0).unwrap_or(i64::MAX)))
}

/// One broken run must not keep the others.
fn readable<T>(read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::Unreadable(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn each_old(
    store: &dyn Store,
    scope: &Scope,
    changed_before: Timestamp,
    erased: Option<bool>,
    mut work: impl FnMut(&RunRow) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let old = Old { changed_before, erased };
    let mut after = None;
    loop {
        let page = store.runs_after(scope, Some(old), after, PAGE)?;
        page.iter().try_for_each(&mut work)?;
        let Some(last) = page.last().filter(|_| page.len() == PAGE) else { return Ok(()) };
        after = Some(last.id);
    }
}

/// Commits what becomes of a run, if it is still as it was read.
fn commit(store: &dyn Store, scope: &Scope, row: &RunRow, writes: Vec<Write>) -> Result<bool, StoreError> {
    let still = Precondition::RunAt { run: row.id, seq: row.schedule.seq, fence: row.schedule.fence };
    let member = Member { scope: scope.clone(), preconditions: vec![still], writes };
    written(store, row.id, member)
}

/// Commits one member; whether it is written. If the database will not take it, the run stays as it is, and the others
/// are not held up.
pub(crate) fn written(store: &dyn Store, run: RunId, member: Member) -> Result<bool, StoreError> {
    let outcomes = store.commit_now(vec![member])?;
    if let [Outcome::Refused(why)] = outcomes.as_slice() {
        tracing::warn!(%run, why, "the database does not take what is to be left of this run; it stays as it is");
    }
    Ok(outcomes == [Outcome::Committed])
}

fn delete(
    store: &dyn Store,
    scope: &Scope,
    row: &RunRow,
    now: Timestamp,
    undoable: &mut Undoable,
    dry_run: bool,
    swept: &mut Swept,
) -> Result<(), StoreError> {
    if parent_is_open(store, scope, row)? {
        return Ok(());
    }
    // Somebody may still have to decide about a letter of it.
    if store.letters_of(scope, row.id)?.iter().any(|letter| letter.open) && !planted("swept-letter") {
        return Ok(());
    }
    // One that cannot be read can still go.
    let log = readable(store.log(scope, row.id))?.unwrap_or_default();
    if !row.erased && undoable.deadline(store, row, &log)? > Some(now) {
        return Ok(());
    }
    if dry_run || commit(store, scope, row, vec![Write::DropRun(row.id)])? {
        swept.runs_deleted += 1;
        swept.bytes += size(&row.request);
        for row in &log {
            swept.bytes += row.payloads.iter().map(size).sum::<u64>();
            swept.bytes += row.events.iter().map(|event| event.data.get().len() as u64).sum::<u64>();
        }
    }
    Ok(())
}

/// Whether the run that started this one is not over: it may not have heard yet how this one ended, or may still cancel
/// it.
fn parent_is_open(store: &dyn Store, scope: &Scope, row: &RunRow) -> Result<bool, StoreError> {
    let Some(parent) = row.request["parent"]["run"].as_str().and_then(|run| run.parse().ok()) else { return Ok(false) };
    Ok(store.run(scope, parent)?.is_some_and(|parent| !parent.status.is_over()))
}

fn erase(
    store: &dyn Store,
    scope: &Scope,
    row: &RunRow,
    now: Timestamp,
    undoable: &mut Undoable,
    dry_run: bool,
    swept: &mut Swept,
) -> Result<(), StoreError> {
    // An erased run does not say any more whose child it is.
    if parent_is_open(store, scope, row)? {
        return Ok(());
    }
    let mut bytes = size(&row.request);
    let mut rows = Vec::new();
    let Some(log) = readable(store.log(scope, row.id))? else {
        tracing::warn!(run = %row.id, "the log cannot be read: its payloads are not erased");
        return Ok(());
    };
    if undoable.deadline(store, row, &log)? > Some(now) {
        return Ok(());
    }
    for row in log.iter().filter(|row| !row.payloads.is_empty()) {
        bytes += row.payloads.iter().map(size).sum::<u64>();
        rows.push((row.seq, row.payloads.iter().map(erased_payload).collect()));
    }
    let mut writes = vec![Write::Erase { run: row.id, request: erased(&row.request), rows }];
    for mut letter in store.letters_of(scope, row.id)? {
        // What waits for a decision is needed for it.
        if letter.open {
            return Ok(());
        }
        letter.body = erased_body(&letter.body, &LETTER);
        writes.push(Write::PutLetter(letter));
    }
    for mut approval in store.approvals_of(scope, row.id)? {
        approval.body = erased_body(&approval.body, &APPROVAL);
        writes.push(Write::PutApproval(approval));
    }
    if dry_run || commit(store, scope, row, writes)? {
        swept.runs_erased += 1;
        swept.bytes += bytes;
    }
    Ok(())
}

/// What stays of a dead letter: which job, how often, why it failed, who decided what and when.
const LETTER: [&str; 10] =
    ["step", "item", "undo", "attempts", "happened", "failure", "intervention", "escalated", "notified", "resolution"];
/// What stays of an approval: who was to be asked, the digest of what for, who decided and when.
const APPROVAL: [&str; 7] = ["consent", "digest", "step", "job", "decided_by", "decided_at", "expires_at"];

fn size(value: &Value) -> u64 {
    value.to_string().len() as u64
}

fn is_erased(value: &Value) -> bool {
    value.get("erased").is_some_and(Value::is_string)
}

/// What is left of a value: its digest.
fn erased(value: &Value) -> Value {
    if value.is_null() || is_erased(value) {
        return value.clone();
    }
    json!({"erased": canonical_digest(value)})
}

/// What is left of a payload: its digest, and those of the arguments and the result in it, for receipts.
fn erased_payload(payload: &Value) -> Value {
    let mut left = erased(payload);
    if is_erased(payload) || payload.is_null() {
        return left;
    }
    for name in ["args", "result"] {
        if let (Some(part), Some(fields)) = (payload.get(name), left.as_object_mut()) {
            fields.insert(name.into(), erased(part));
        }
    }
    // The arguments of calls by name stand in the input of the run only.
    if let Some(calls) = payload["input"]["work"]["calls"].as_array() {
        left["input"] = json!({"work": {"calls": calls.iter().map(erased).collect::<Vec<_>>()}});
    }
    // What the other side answered with and what it used up are no values of the domain either.
    for name in ["api_status", "token_usage"] {
        if let Some(value) = payload["result"].get(name) {
            left["result"][name] = value.clone();
        }
    }
    // Which records a step made or changed is no value: it stays.
    if let Some(list) = payload["result"]["artifacts"].as_array().filter(|list| !list.is_empty()) {
        let link = |artifact: &Value| -> Value {
            let named = ["role", "type", "id", "revision"].into_iter();
            named.filter_map(|name| Some((name.to_owned(), artifact.get(name)?.clone()))).collect::<Map<_, _>>().into()
        };
        left["result"]["artifacts"] = list.iter().map(link).collect();
    }
    left
}

/// A body of which only these fields stay as they are; notes inside them go too.
fn erased_body(body: &Value, stay: &[&str]) -> Value {
    let Some(fields) = body.as_object() else { return erased(body) };
    let left = fields.iter().map(|(name, value)| {
        let mut value = if stay.contains(&name.as_str()) { value.clone() } else { erased(value) };
        if let Some(note) = value.get_mut("note") {
            *note = erased(note);
        }
        (name.clone(), value)
    });
    Value::Object(left.collect::<Map<_, _>>())
}

fn sweep_blobs(
    store: &dyn Store,
    scope: &Scope,
    now: Timestamp,
    grace: Millis,
    dry_run: bool,
    swept: &mut Swept,
) -> Result<(), StoreError> {
    let cut = before(now, grace);
    // Looking through everything is for those who have something old.
    let mut used = None;
    let mut after: Option<Digest> = None;
    loop {
        let page = store.blobs(scope, after, BLOBS)?;
        let mut writes = Vec::new();
        let mut gone = Vec::new();
        for (row, unused_since) in page.iter().filter(|(row, _)| row.at <= cut) {
            let used = match &mut used {
                Some(used) => used,
                none => none.insert(used_blobs(store, scope)?),
            };
            if used.contains(&row.hash) {
                if unused_since.is_some() {
                    writes.push(Write::NoteBlob { hash: row.hash, unused_since: None });
                }
                continue;
            }
            if unused_since.is_none() {
                writes.push(Write::NoteBlob { hash: row.hash, unused_since: Some(now) });
            }
            if unused_since.unwrap_or(now) <= cut {
                writes.push(Write::DropBlob { hash: row.hash, unused_before: cut });
                gone.push(row.clone());
            } else {
                swept.blobs_unused += 1;
            }
        }
        if !dry_run && !writes.is_empty() {
            store.commit_now(vec![Member { scope: scope.clone(), preconditions: Vec::new(), writes }])?;
        }
        for row in gone {
            if dry_run || store.blob(scope, row.hash)?.is_none() {
                swept.blobs_deleted += 1;
                swept.bytes += row.size;
            }
        }
        let Some((last, _)) = page.last().filter(|_| page.len() == BLOBS) else { return Ok(()) };
        after = Some(last.hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_has_digests_and_no_values() {
        let payload = json!({"args": {"name": "Bob"}, "result": {"data": {"id": 7}, "artifacts": [{"role": "created", "type": "task", "id": "1", "name": "Bob"}]},
            "more": "text"});
        let left = erased_payload(&payload);
        assert_eq!(left["erased"], json!(canonical_digest(&payload)));
        assert_eq!(left["args"]["erased"], json!(canonical_digest(&payload["args"])));
        assert_eq!(left["result"]["erased"], json!(canonical_digest(&payload["result"])));
        assert_eq!(left["result"]["artifacts"], json!([{"role": "created", "type": "task", "id": "1"}]));
        assert!(left.as_object().map(Map::len) == Some(3) && !left.to_string().contains("Bob"), "{left}");
        assert_eq!(erased_payload(&left), left, "erasing twice is erasing once");
        assert_eq!(erased(&Value::Null), Value::Null);
    }

    #[test]
    fn who_decided_and_when_stays_and_what_they_wrote_does_not() {
        let body =
            json!({"step": "s1", "history": [{"attempt": 1}], "resolution": {"by": "ann", "note": "Bob called"}});
        let left = erased_body(&body, &LETTER);
        assert_eq!((&left["step"], &left["resolution"]["by"]), (&json!("s1"), &json!("ann")));
        assert!(!left.to_string().contains("Bob") && left["history"]["erased"].is_string(), "{left}");
        let body = json!({"decided_by": "ann", "note": "for Bob", "asks": ["Write to Bob"]});
        let left = erased_body(&body, &APPROVAL);
        assert!(!left.to_string().contains("Bob") && left["decided_by"] == "ann", "{left}");
    }
}
