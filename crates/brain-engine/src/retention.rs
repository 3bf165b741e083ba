//! Retention: how long the payloads of ended runs, and the runs themselves, are kept.
//!
//! Only ended runs that have not changed for the retention period are touched. Payloads are erased first: the digest of
//! the canonical JSON stays, so that a receipt can still be verified by anyone who has the value. The events, with
//! attempts, times and failures, stay until the run is deleted. Every run is a commit of its own that requires the
//! number of events it has read, so a sweep can be interrupted, repeated, and run concurrently with anything else.
//!
//! Effects that can be undone for a limited time (`undo: {until: …}`) keep their run until then, because an undo needs
//! the original arguments and results. A tool that may be undone at any time does not delay retention.
//!
//! Blobs are deleted when nothing refers to them. An unused blob is first marked, and deleted if it is still unused
//! after a grace period. Storing the same bytes meanwhile clears the mark in the same commit, and the second check
//! finds references that were copied from elsewhere.
//!
//! Programs, settings and tool definitions are not collected. Their number grows with versions of packs, not with runs,
//! and nodes cache which ones the store has and do not write them again.

use brain_core::{Digest, Millis, RunId, RunStatus, Timestamp, canonical_digest, planted};
use brain_store::{
    Commit, Member, Old, Outcome, Precondition, RunRow, Runs, Scope, Store, StoreError, Write, used_blobs,
};
use serde_json::{Map, Value, json};

use crate::checkpoint::compact;
use crate::undoable::Undoable;

/// Runs per query.
const PAGE: usize = 100;
/// Blobs per commit.
const BLOBS: usize = 200;
/// Grace period of an unused blob, applied twice: after it was stored, and after it was marked.
pub const BLOB_GRACE: Millis = Millis(24 * 60 * 60 * 1000);

/// Number of events above which an active run is compacted.
pub const LONG: u64 = 2_000;

/// Retention periods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// For payloads of ended runs; `None` keeps them forever.
    pub payloads: Option<Millis>,
    /// For ended runs; `None` keeps them forever.
    pub runs: Option<Millis>,
    /// For unused blobs.
    pub blobs: Millis,
    /// Number of events above which an active run is compacted.
    pub long: u64,
}

/// What a sweep did, or would do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Runs whose payloads were erased.
    pub runs_erased: u64,
    /// Runs that were deleted.
    pub runs_deleted: u64,
    /// Long active runs that were compacted.
    pub runs_compacted: u64,
    /// Blobs that were deleted.
    pub blobs_deleted: u64,
    /// Unused blobs that are marked for deletion.
    pub blobs_unused: u64,
    /// Bytes of content erased or deleted.
    pub bytes: u64,
}

/// Applies the retention periods to one tenant. A dry run only reports what would be done. The parts are independent:
/// if one fails, the others still run, and the first failure is returned at the end.
pub fn sweep(store: &dyn Store, scope: &Scope, now: Timestamp, keep: Keep, dry_run: bool) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    let mut undoable = Undoable::default();
    let mut failed = None;
    let mut done = |what: &str, result: Result<(), StoreError>| {
        if let Err(error) = result {
            tracing::warn!(tenant = %scope.tenant(), %error, "{what} failed; the rest of the sweep goes on");
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
            // A dry run has not deleted these runs.
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

/// Skips an unreadable run, so that it does not prevent the others.
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

/// Commits the writes for a run, if it is unchanged since it was read.
fn commit(store: &dyn Commit, scope: &Scope, row: &RunRow, writes: Vec<Write>) -> Result<bool, StoreError> {
    let still = Precondition::RunAt { run: row.id, seq: row.schedule.seq, fence: row.schedule.fence };
    let member = Member { scope: scope.clone(), preconditions: vec![still], writes };
    written(store, row.id, member)
}

/// Commits one member; returns whether it was written. If the database rejects it, the run stays as it is and the sweep
/// goes on.
pub(crate) fn written(store: &dyn Commit, run: RunId, member: Member) -> Result<bool, StoreError> {
    let outcomes = store.commit_now(vec![member])?;
    if let [Outcome::Refused(why)] = outcomes.as_slice() {
        tracing::warn!(%run, why, "the database rejected the retention sweep for this run; the run was left unchanged");
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
    if parent_is_open(store, scope, row)? || undoes_a_kept_run(store, scope, row)? {
        return Ok(());
    }
    // A person may still have to decide about its dead letter.
    if store.dead_letters_of(scope, row.id)?.iter().any(|letter| letter.open) && !planted("swept-letter") {
        return Ok(());
    }
    // An unreadable run can still be deleted.
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

/// Whether the run that started this one has not ended: it may not know yet how this run ended, or may still cancel or
/// undo it.
fn parent_is_open(store: &dyn Runs, scope: &Scope, row: &RunRow) -> Result<bool, StoreError> {
    let parent = row.request["parent"]["run"].as_str().or(row.request["started_by"].as_str());
    let Some(parent) = parent.and_then(|run| run.parse().ok()) else { return Ok(false) };
    Ok(store.run(scope, parent)?.is_some_and(|parent| !parent.status.is_over()))
}

/// Whether this run undoes another one that can still be undone. It is the record of what was undone already.
fn undoes_a_kept_run(store: &dyn Runs, scope: &Scope, row: &RunRow) -> Result<bool, StoreError> {
    let Some(undone) = row.request["undo_of"]["run"].as_str().and_then(|run| run.parse().ok()) else {
        return Ok(false);
    };
    Ok(store.run(scope, undone)?.is_some_and(|undone| !undone.erased))
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
    // Erasing removes the references to the parent and to the undone run.
    if parent_is_open(store, scope, row)? || undoes_a_kept_run(store, scope, row)? {
        return Ok(());
    }
    let mut bytes = size(&row.request);
    let mut rows = Vec::new();
    let Some(log) = readable(store.log(scope, row.id))? else {
        tracing::warn!(run = %row.id, "the log cannot be read, so its payloads are not erased");
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
    for mut letter in store.dead_letters_of(scope, row.id)? {
        // The decision about an open letter needs its values.
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

/// The fields of a dead letter that are not erased: job, attempts, failure, and who decided what and when.
const LETTER: [&str; 10] =
    ["step", "item", "undo", "attempts", "happened", "failure", "intervention", "escalated", "notified", "resolution"];
/// The fields of an approval that are not erased: approvers, digest, and who decided when.
const APPROVAL: [&str; 7] = ["consent", "digest", "step", "job", "decided_by", "decided_at", "expires_at"];

fn size(value: &Value) -> u64 {
    value.to_string().len() as u64
}

fn is_erased(value: &Value) -> bool {
    value.get("erased").is_some_and(Value::is_string)
}

/// The digest that replaces a value.
fn erased(value: &Value) -> Value {
    if value.is_null() || is_erased(value) {
        return value.clone();
    }
    json!({"erased": canonical_digest(value)})
}

/// The digest that replaces a payload, with the digests of its arguments and result, for receipts.
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
    // The arguments of calls by name occur only in the input of the run.
    if let Some(calls) = payload["input"]["work"]["calls"].as_array() {
        left["input"] = json!({"work": {"calls": calls.iter().map(erased).collect::<Vec<_>>()}});
    }
    // The API status and the token usage are not domain values.
    for name in ["api_status", "token_usage"] {
        if let Some(value) = payload["result"].get(name) {
            left["result"][name] = value.clone();
        }
    }
    // The ids of records that a step created or changed are not domain values.
    if let Some(list) = payload["result"]["artifacts"].as_array().filter(|list| !list.is_empty()) {
        let link = |artifact: &Value| -> Value {
            let named = ["role", "type", "id", "revision"].into_iter();
            named.filter_map(|name| Some((name.to_owned(), artifact.get(name)?.clone()))).collect::<Map<_, _>>().into()
        };
        left["result"]["artifacts"] = list.iter().map(link).collect();
    }
    left
}

/// Erases a body except for the fields in `stay`. Notes written by people are erased even inside those.
fn erased_body(body: &Value, stay: &[&str]) -> Value {
    let Some(fields) = body.as_object() else { return erased(body) };
    let left = fields.iter().map(|(name, value)| {
        let mut value = if stay.contains(&name.as_str()) { value.clone() } else { erased(value) };
        // The note of a letter that expired is the machine's own.
        let own = value.get("by_time").is_some();
        if let Some(note) = value.get_mut("note").filter(|_| !own) {
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
    // Searching for references is expensive, so it is done only if there are old blobs.
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
    fn an_erased_payload_has_digests_and_no_values() {
        let payload = json!({"args": {"name": "Bob"}, "result": {"data": {"id": 7}, "artifacts": [{"role": "created", "type": "task", "id": "1", "name": "Bob"}]},
            "more": "text"});
        let left = erased_payload(&payload);
        assert_eq!(left["erased"], json!(canonical_digest(&payload)));
        assert_eq!(left["args"]["erased"], json!(canonical_digest(&payload["args"])));
        assert_eq!(left["result"]["erased"], json!(canonical_digest(&payload["result"])));
        assert_eq!(left["result"]["artifacts"], json!([{"role": "created", "type": "task", "id": "1"}]));
        assert!(left.as_object().map(Map::len) == Some(3) && !left.to_string().contains("Bob"), "{left}");
        assert_eq!(erased_payload(&left), left, "erasing is idempotent");
        assert_eq!(erased(&Value::Null), Value::Null);
    }

    #[test]
    fn erasing_keeps_who_decided_and_when_but_not_their_notes() {
        let body =
            json!({"step": "s1", "history": [{"attempt": 1}], "resolution": {"by": "ann", "note": "Bob called"}});
        let left = erased_body(&body, &LETTER);
        assert_eq!((&left["step"], &left["resolution"]["by"]), (&json!("s1"), &json!("ann")));
        assert!(!left.to_string().contains("Bob") && left["history"]["erased"].is_string(), "{left}");
        let note = "Nobody decided within 7d.";
        let body = json!({"resolution": {"by": "brain", "by_time": true, "note": note}});
        assert_eq!(erased_body(&body, &LETTER)["resolution"]["note"], note, "the machine's own words stay");
        let body = json!({"decided_by": "ann", "note": "for Bob", "asks": ["Write to Bob"]});
        let left = erased_body(&body, &APPROVAL);
        assert!(!left.to_string().contains("Bob") && left["decided_by"] == "ann", "{left}");
    }
}
