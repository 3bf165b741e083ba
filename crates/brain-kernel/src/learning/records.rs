//! Storage for learning: records of types that no pack can declare. They belong to the tenant, move with `store copy`,
//! and are durable.

use brain_core::{Digest, RecordId};
use brain_store::{
    AuditRow, IndexEntry, IndexValue, Member, Outcome, Precondition, RecordFilter, RecordRow, Scope, StoreError, Write,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::error::KernelError;
use crate::kernel::Kernel;

/// The record type that marks changes of taught and blocked phrases.
const MARK: &str = "brain.phrases";

/// A stored record with its revision.
pub(super) struct StoredRow<T> {
    pub(super) id: RecordId,
    pub(super) revision: u64,
    pub(super) value: T,
}

/// Changes that are committed together.
#[derive(Default)]
pub(super) struct Changes {
    preconditions: Vec<Precondition>,
    writes: Vec<Write>,
}

impl Changes {
    /// Deletes a record if it has not changed since it was read.
    pub(super) fn delete<T>(&mut self, kind: &str, row: &StoredRow<T>) {
        let (kind, id) = (kind.to_owned(), row.id);
        self.preconditions.push(Precondition::Record { kind: kind.clone(), id, revision: Some(row.revision) });
        self.writes.push(Write::DeleteRecord { kind, id });
    }
}

impl Kernel {
    /// All records of a kind, oldest first, up to the maximum. Unreadable ones are left out.
    pub(super) fn stored_rows<T: DeserializeOwned>(
        &self,
        scope: &Scope,
        kind: &str,
        most: usize,
    ) -> Result<Vec<StoredRow<T>>, KernelError> {
        let page = self.store().records(scope, kind, &RecordFilter::default(), most, None)?;
        let read = |row: RecordRow| {
            let value = serde_json::from_value(row.body).ok()?;
            Some(StoredRow { id: row.id, revision: row.revision, value })
        };
        Ok(page.items.into_iter().filter_map(read).collect())
    }

    /// Adds a new record, indexed by one value.
    pub(super) fn add(&self, changes: &mut Changes, kind: &str, value: &impl Serialize, found_by: (&str, &str)) {
        let now = self.clock().now();
        let row = RecordRow {
            kind: kind.to_owned(),
            id: self.draw(|random| RecordId::generate(now, random)),
            revision: 1,
            state: None,
            created_at: now,
            updated_at: now,
            body: json!(value),
        };
        let (field, value) = (found_by.0.to_owned(), IndexValue::of(found_by.1));
        let index = vec![IndexEntry { field, value, unique: false }];
        changes.writes.push(Write::PutRecord { row, index, text: None });
    }

    /// Commits changes, all or none, and invalidates the tenant's cached phrases.
    pub(super) fn commit_learning(&self, scope: &Scope, changes: Changes) -> Result<(), KernelError> {
        let Changes { preconditions, mut writes } = changes;
        writes.push(self.mark_change());
        let outcomes = self.store().commit_now(vec![Member { scope: scope.clone(), preconditions, writes }])?;
        self.forget_lessons(scope.tenant());
        match outcomes.as_slice() {
            [Outcome::Committed] => Ok(()),
            [Outcome::Refused(why)] => Err(KernelError::Store(StoreError::Failed(why.clone()))),
            _ => Err(KernelError::Conflict("someone else is changing phrases at the same time; try again".into())),
        }
    }

    /// Marks that the tenant's phrases have changed, so that other processes notice by reading one record.
    fn mark_change(&self) -> Write {
        let now = self.clock().now();
        let mark = self.draw(|random| random.next_u64());
        let row = RecordRow {
            kind: MARK.to_owned(),
            id: RecordId::from_digest(Digest::of(MARK.as_bytes())),
            revision: 1,
            state: None,
            created_at: now,
            updated_at: now,
            body: json!({"mark": format!("{mark:016x}")}),
        };
        Write::PutRecord { row, index: Vec::new(), text: None }
    }

    /// What marks the last change of the tenant's phrases; empty if nothing was ever taught or blocked.
    pub(super) fn change_mark(&self, scope: &Scope) -> Result<String, KernelError> {
        let row = self.store().record(scope, MARK, RecordId::from_digest(Digest::of(MARK.as_bytes())))?;
        Ok(row.and_then(|row| Some(row.body["mark"].as_str()?.to_owned())).unwrap_or_default())
    }

    /// Records a decision in the audit log.
    pub(super) fn note_learning(&self, scope: &Scope, who: &str, what: &str, detail: &str) -> Result<(), KernelError> {
        let row = AuditRow {
            at: self.clock().now(),
            who: who.to_owned(),
            what: what.to_owned(),
            tenant: Some(scope.tenant().clone()),
            detail: detail.to_owned(),
        };
        Ok(self.store().note(&row)?)
    }
}

/// `: WHY`, if a reason was given.
pub(super) fn because(why: &str) -> String {
    if why.trim().is_empty() { String::new() } else { format!(": {}", why.trim()) }
}
