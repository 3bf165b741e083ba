//! Rebuilds record lookup indexes: a pack that adds a label, aliases, identifiers or a key does not reindex existing
//! records. [`reindex`] does; [`is_behind`] finds stale types.

use brain_core::{Clock, Digest, RecordId};
use brain_registry::model::RecordDef;
use brain_store::{
    Conflict, Member, Outcome, Precondition, RecordRow, Records, Scope, Store, StoreError, WholeRecord, Write,
};
use brain_tools::{found_by, found_by_digest};
use serde_json::json;

/// Records that are read together and written in one commit.
const PAGE: usize = 500;
/// Maximum number of reported refusals.
const MAX_REASONS: usize = 20;
/// The record type that stores which index definition each type was last indexed with. No pack can declare it.
const INDEXED: &str = "brain.indexed";

/// The outcome for one record type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reindexed {
    /// Records checked.
    pub looked_at: u64,
    /// Records with a stale index, now rebuilt.
    pub indexed: u64,
    /// Records written concurrently, which has reindexed them.
    pub written_meanwhile: u64,
    /// Records whose unique value belongs to another record.
    pub refused: u64,
    /// The first refusals, with reasons.
    pub reasons: Vec<String>,
}

/// Rebuilds the lookup indexes of a record type, one commit per page. The records themselves do not change: no new
/// revision, timestamp or history. It can be interrupted and repeated; records with a current index are not written. A
/// dry run only counts.
pub fn reindex(
    store: &dyn Store,
    scope: &Scope,
    clock: &dyn Clock,
    def: &RecordDef,
    dry_run: bool,
    progress: &mut dyn FnMut(&Reindexed),
) -> Result<Reindexed, StoreError> {
    // Mark the type as stale first, in case this is interrupted.
    if !dry_run && !is_kept(store, scope, def)? {
        note(store, scope, clock, def, None)?;
    }
    let mut done = Reindexed::default();
    let mut after = (def.name.clone(), RecordId::BEFORE_ALL);
    loop {
        let mut page = store.records_after(scope, Some(&after), PAGE)?;
        let is_full = page.len() == PAGE;
        page.retain(|whole| whole.row.kind == def.name);
        let Some(last) = page.last() else { break };
        let is_last = !is_full || page.len() < PAGE;
        after.1 = last.row.id;
        done.looked_at += page.len() as u64;
        let members: Vec<Member> = page.into_iter().filter_map(|whole| renewed(scope, def, whole)).collect();
        if dry_run {
            done.indexed += members.len() as u64;
        } else if !members.is_empty() {
            let outcomes = store.commit_now(members.clone())?;
            members.iter().zip(&outcomes).for_each(|(member, outcome)| done.count(member, outcome));
        }
        progress(&done);
        if is_last {
            break;
        }
    }
    if !dry_run && done.refused == 0 {
        note(store, scope, clock, def, Some(found_by_digest(def)))?;
    }
    Ok(done)
}

impl Reindexed {
    fn count(&mut self, member: &Member, outcome: &Outcome) {
        let reason = match outcome {
            Outcome::Committed => return self.indexed += 1,
            Outcome::Conflict(Conflict::Precondition(_) | Conflict::OverLimit { .. }) => {
                return self.written_meanwhile += 1;
            }
            Outcome::Conflict(Conflict::Unique { field, holder, .. }) => {
                format!("{holder} has the same {}", field.replace('+', " and "))
            }
            Outcome::Refused(why) | Outcome::Blocked(why) => why.clone(),
        };
        self.refused += 1;
        if let Some(Write::PutRecord { row, .. }) = member.writes.first()
            && self.reasons.len() < MAX_REASONS
        {
            self.reasons.push(format!("{}: {reason}", row.id));
        }
    }
}

/// A record with its current index entries; `None` if they are up to date.
fn renewed(scope: &Scope, def: &RecordDef, whole: WholeRecord) -> Option<Member> {
    let (index, text) = found_by(def, &whole.row.body);
    let mut before = whole.index;
    before.sort();
    if before == index && whole.text == text {
        return None;
    }
    let precondition =
        Precondition::Record { kind: def.name.clone(), id: whole.row.id, revision: Some(whole.row.revision) };
    let write = Write::PutRecord { row: whole.row, index, text };
    Some(Member { scope: scope.clone(), preconditions: vec![precondition], writes: vec![write] })
}

/// Whether the lookup indexes of a record type may be stale. Reads at most two records.
///
/// The index definition of each type is stored when it is indexed. Without one, the oldest record decides: if its index
/// is current, the definition is stored.
pub fn is_behind(store: &dyn Store, scope: &Scope, clock: &dyn Clock, def: &RecordDef) -> Result<bool, StoreError> {
    if is_kept(store, scope, def)? {
        return Ok(false);
    }
    let start = (def.name.clone(), RecordId::BEFORE_ALL);
    let oldest = store.records_after(scope, Some(&start), 1)?.into_iter().find(|whole| whole.row.kind == def.name);
    let Some(oldest) = oldest else { return Ok(false) };
    let says_otherwise = store.record(scope, INDEXED, kept_under(def))?.is_some();
    if says_otherwise || renewed(scope, def, oldest).is_some() {
        return Ok(true);
    }
    note(store, scope, clock, def, Some(found_by_digest(def)))?;
    Ok(false)
}

/// Whether all records of a type were indexed with the current definition at the last check.
fn is_kept(store: &dyn Records, scope: &Scope, def: &RecordDef) -> Result<bool, StoreError> {
    let indexed = store.record(scope, INDEXED, kept_under(def))?;
    Ok(indexed.is_some_and(|row| row.body["digest"] == json!(found_by_digest(def))))
}

/// Stores the index definition of a type; `None`: the records are not all indexed alike.
fn note(
    store: &dyn Store,
    scope: &Scope,
    clock: &dyn Clock,
    def: &RecordDef,
    digest: Option<Digest>,
) -> Result<(), StoreError> {
    let id = kept_under(def);
    let before = store.record(scope, INDEXED, id)?;
    let now = clock.now();
    let row = RecordRow {
        kind: INDEXED.to_owned(),
        id,
        revision: before.as_ref().map_or(1, |row| row.revision + 1),
        state: None,
        created_at: before.as_ref().map_or(now, |row| row.created_at),
        updated_at: now,
        body: json!({"type": def.name, "digest": digest}),
    };
    let revision = before.map(|row| row.revision);
    let precondition = Precondition::Record { kind: INDEXED.to_owned(), id, revision };
    let write = Write::PutRecord { row, index: Vec::new(), text: None };
    // A concurrent writer has stored something equally true.
    store.commit_now(vec![Member { scope: scope.clone(), preconditions: vec![precondition], writes: vec![write] }])?;
    Ok(())
}

/// One record per type, with an id derived from the type's name.
fn kept_under(def: &RecordDef) -> RecordId {
    RecordId::from_digest(Digest::of(def.name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use brain_core::{SeededRandom, Timestamp};
    use brain_store::{Commit, Dump, MemoryStore, Records};

    use super::*;

    #[test]
    fn a_record_that_was_written_meanwhile_stays_as_it_was_written() {
        let store = MemoryStore::new();
        let scope = Scope::of(brain_core::TenantId::default_tenant());
        let def: RecordDef = serde_json::from_value(json!({
            "name": "person", "pack": "p", "title": "Person", "fields": [{"name": "name", "schema": {"type": "string"}}],
        }))
        .unwrap();
        let at = Timestamp::from_millis(5);
        let id = RecordId::generate(at, &mut SeededRandom::new(1));
        let row = |revision, name: &str| RecordRow {
            kind: "person".into(),
            id,
            revision,
            state: None,
            created_at: at,
            updated_at: at,
            body: json!({"name": name}),
        };
        let put = |row: RecordRow| {
            let write = Write::PutRecord { row, index: Vec::new(), text: None };
            let member = Member { scope: scope.clone(), preconditions: Vec::new(), writes: vec![write] };
            assert_eq!(store.commit_now(vec![member]).unwrap(), [Outcome::Committed]);
        };
        put(row(1, "Kim"));
        let read = store.records_after(&scope, None, 1).unwrap().remove(0);
        let member = renewed(&scope, &def, read).unwrap();
        put(row(2, "Lena"));
        let outcomes = store.commit_now(vec![member.clone()]).unwrap();
        let mut done = Reindexed::default();
        done.count(&member, &outcomes[0]);
        assert_eq!(done, Reindexed { written_meanwhile: 1, ..Reindexed::default() });
        assert_eq!(store.record(&scope, "person", id).unwrap(), Some(row(2, "Lena")));
    }
}
