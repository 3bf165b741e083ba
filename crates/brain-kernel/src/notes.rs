//! Brain's own notes about finished work: which tool was applied to what, and which run holds a dispatch. They are
//! deleted with their subject.

use brain_core::{RecordId, RunId};
use brain_store::{
    Commit, Member, Outcome, Precondition, RecordFilter, RecordRow, Runs, Scope, Store, StoreError, Write,
};
use brain_tools::{DONE, Subject};

use crate::host::DISPATCH;

/// Page size for reading and deleting notes.
const PAGE: usize = 200;

/// Deletes the notes of a tenant that are no longer needed; returns how many. A dry run only counts them.
pub fn sweep_notes(store: &dyn Store, scope: &Scope, dry_run: bool) -> Result<u64, StoreError> {
    let mut deleted = 0;
    for kind in [DISPATCH, DONE] {
        let mut cursor: Option<String> = None;
        loop {
            let page = store.records(scope, kind, &RecordFilter::default(), PAGE, cursor.as_deref())?;
            for row in page.items {
                let over = if kind == DISPATCH { is_free(store, scope, &row)? } else { is_moot(store, scope, &row)? };
                // A note that is being rewritten stays until the next sweep.
                if over && (dry_run || delete(store, scope, &row)?) {
                    deleted += 1;
                }
            }
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
    }
    Ok(deleted)
}

fn delete(store: &dyn Commit, scope: &Scope, row: &RecordRow) -> Result<bool, StoreError> {
    let (kind, id) = (row.kind.clone(), row.id);
    let preconditions = vec![Precondition::Record { kind: kind.clone(), id, revision: Some(row.revision) }];
    let member = Member { scope: scope.clone(), preconditions, writes: vec![Write::DeleteRecord { kind, id }] };
    Ok(store.commit_now(vec![member])? == [Outcome::Committed])
}

/// Whether the run that holds a dispatch has ended or is deleted.
fn is_free(store: &dyn Runs, scope: &Scope, row: &RecordRow) -> Result<bool, StoreError> {
    let Some(run) = run_of(row) else { return Ok(true) };
    Ok(store.run(scope, run)?.is_none_or(|run| run.status.is_over()))
}

/// Whether the run of a note is deleted, and also the record it is about, if any.
fn is_moot(store: &dyn Store, scope: &Scope, row: &RecordRow) -> Result<bool, StoreError> {
    if let Some(run) = run_of(row)
        && store.run(scope, run)?.is_some()
    {
        return Ok(false);
    }
    let Some(Subject::Record(kind, id)) = Subject::of(&row.body) else { return Ok(true) };
    let Ok(id) = id.parse::<RecordId>() else { return Ok(true) };
    Ok(store.record(scope, &kind, id)?.is_none())
}

fn run_of(row: &RecordRow) -> Option<RunId> {
    row.body["run"].as_str()?.parse().ok()
}
