//! What retention, copying and the audit need of a store: old runs, referrers of blobs, everything that can be copied,
//! and audit entries.

use std::collections::BTreeSet;

use brain_core::{Digest, JobKey, RecordId, RunId, TenantId, Timestamp};

use crate::{
    AuditRow, BlobRow, Blobs, DeadLetterRow, DefinitionRow, OfferRow, Page, RunRow, Scope, StoreError, Sudo,
    SystemScope, WholeRecord,
};

/// Selects old runs: ended, and last changed before a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Old {
    /// The latest change of a selected run is before this time.
    pub changed_before: Timestamp,
    /// Selects only runs whose payloads were erased (`true`) or were not (`false`).
    pub erased: Option<bool>,
}

/// Tables whose rows may refer to blobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Referrer {
    /// Payloads of logs.
    Log,
    /// Requests of runs.
    Runs,
    /// Bodies of records.
    Records,
    /// Bodies of dead letters.
    Letters,
    /// Bodies of approvals.
    Approvals,
    /// Bodies of signals.
    Signals,
}

impl Referrer {
    /// All of these tables.
    pub const ALL: [Self; 6] = [Self::Log, Self::Runs, Self::Records, Self::Letters, Self::Approvals, Self::Signals];
}

/// Old runs and unused blobs.
pub trait Retention {
    /// The tenants that have any rows, in order.
    fn tenants(&self, sudo: &Sudo) -> Result<Vec<TenantId>, StoreError>;
    /// Runs by id, oldest first, after this one: all, or only old ones.
    fn runs_after(
        &self,
        scope: &Scope,
        old: Option<Old>,
        after: Option<RunId>,
        limit: usize,
    ) -> Result<Vec<RunRow>, StoreError>;
    /// The dead letters of a run, open and closed, by id.
    fn dead_letters_of(&self, scope: &Scope, run: RunId) -> Result<Vec<DeadLetterRow>, StoreError>;
    /// Blobs by hash, after this one, each with the time since which it is unused.
    fn blobs(
        &self,
        scope: &Scope,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<(BlobRow, Option<Timestamp>)>, StoreError>;
    /// JSON texts that contain `$blob`, among the next `limit` rows in primary key order. Rows without it are left out,
    /// so a page may be empty and still have a next one.
    fn blob_referrers(
        &self,
        scope: &Scope,
        place: Referrer,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Page<String>, StoreError>;
    /// Deletes leftovers of deleted rows: chunks of blobs, positions in the feed.
    fn tidy(&self, scope: &Scope) -> Result<(), StoreError>;
    /// Gives free space back to the file system.
    fn compact(&self, sudo: &Sudo) -> Result<(), StoreError>;
}

/// Reads that only copying a store needs.
pub trait Dump {
    /// The idempotency keys under which a run was accepted, with the digests of their requests, in order.
    fn keys_of(&self, scope: &Scope, run: RunId) -> Result<Vec<(String, Digest)>, StoreError>;
    /// Offers by key, after this one.
    fn offers_after(&self, scope: &Scope, after: Option<JobKey>, limit: usize) -> Result<Vec<OfferRow>, StoreError>;
    /// Records of all types, by type and id, after this one.
    fn records_after(
        &self,
        scope: &Scope,
        after: Option<&(String, RecordId)>,
        limit: usize,
    ) -> Result<Vec<WholeRecord>, StoreError>;
    /// Definitions by hash, after this one.
    fn definitions_after(
        &self,
        sudo: &Sudo,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<DefinitionRow>, StoreError>;
}

/// The audit of administrative actions. Entries never change and are deleted only after their retention period.
pub trait Audit {
    /// Adds a row.
    fn note(&self, row: &AuditRow) -> Result<(), StoreError>;
    /// Adds a row unless the same one exists, so that a store can be copied twice.
    fn note_once(&self, row: &AuditRow) -> Result<(), StoreError>;
    /// Deletes rows older than `before`, in small batches. Returns how many.
    fn trim_audit(&self, sudo: &Sudo, before: Timestamp) -> Result<u64, StoreError>;
    /// The latest rows, newest first.
    fn audit(&self, system: SystemScope, limit: usize) -> Result<Vec<AuditRow>, StoreError>;
}

/// Rows per read.
const PAGE: usize = 500;
/// Bytes of a blob per read.
const PART: usize = 1 << 20;
/// Maximum length of a reference, from `$blob` to the end of its hash.
const OVERLAP: usize = 128;

/// The blobs of a tenant that are referred to, directly or through other blobs.
pub fn used_blobs(store: &(impl Retention + Blobs + ?Sized), scope: &Scope) -> Result<BTreeSet<Digest>, StoreError> {
    let mut found = Vec::new();
    for place in Referrer::ALL {
        let mut cursor = None;
        loop {
            let page = store.blob_referrers(scope, place, cursor.as_deref(), PAGE)?;
            page.items.iter().for_each(|text| references(text.as_bytes(), &mut found));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
    }
    let mut used = BTreeSet::new();
    while let Some(hash) = found.pop() {
        if used.insert(hash)
            && let Some(row) = store.blob(scope, hash)?
            && row.media_type == "application/json"
        {
            let mut at = 0;
            while at < row.size {
                let part = store.blob_part(scope, hash, at, PART + OVERLAP)?;
                references(&part, &mut found);
                at += PART as u64;
            }
        }
    }
    Ok(used)
}

/// Adds the hashes that follow `$blob` in a JSON text.
fn references(text: &[u8], found: &mut Vec<Digest>) {
    const NAME: &[u8] = b"$blob";
    let mut rest = text;
    while let Some(at) = rest.windows(NAME.len()).position(|window| window == NAME) {
        rest = &rest[at + NAME.len()..];
        let start = rest.iter().take(OVERLAP - 64).position(u8::is_ascii_hexdigit).unwrap_or(0);
        let hash = rest.get(start..start + 64).and_then(|hash| std::str::from_utf8(hash).ok());
        found.extend(hash.and_then(|hash| hash.parse::<Digest>().ok()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_in_any_json_formatting() {
        let (one, two) = (Digest::of(b"one"), Digest::of(b"two"));
        let text = format!("[{{\"$blob\":\"{one}\",\"size\":3}},{{\"a\":1,\"$blob\" : \"{two}\"}},\"$blob\",\"$blo");
        let mut found = Vec::new();
        references(text.as_bytes(), &mut found);
        assert_eq!(found, [one, two]);
    }
}
