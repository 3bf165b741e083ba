//! What keeping house needs of a store: what is old, what refers to large values, everything as it can be written
//! elsewhere, and the audit of whoever does such things.

use std::collections::BTreeSet;

use brain_core::{Digest, JobKey, RecordId, RunId, TenantId, Timestamp};

use crate::{
    AuditRow, BlobRow, Blobs, DeadLetterRow, DefinitionRow, OfferRow, Page, RunRow, Scope, StoreError, Sudo,
    SystemScope, WholeRecord,
};

/// Which runs are old: over, and last changed before a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Old {
    /// The moment.
    pub changed_before: Timestamp,
    /// Only those whose payloads were erased, or were not.
    pub erased: Option<bool>,
}

/// Where references to blobs may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Referrer {
    /// Payloads of logs.
    Log,
    /// Requests.
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
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Log, Self::Runs, Self::Records, Self::Letters, Self::Approvals, Self::Signals];
}

/// What is old and what is unused.
pub trait Retention {
    /// The tenants that have anything, in order.
    fn tenants(&self, sudo: &Sudo) -> Result<Vec<TenantId>, StoreError>;
    /// Runs by id, oldest first, from after this one on: all, or those that are old.
    fn runs_after(
        &self,
        scope: &Scope,
        old: Option<Old>,
        after: Option<RunId>,
        limit: usize,
    ) -> Result<Vec<RunRow>, StoreError>;
    /// The letters of a run, open and closed, by id.
    fn letters_of(&self, scope: &Scope, run: RunId) -> Result<Vec<DeadLetterRow>, StoreError>;
    /// Blobs by hash, from after this one on, each with the moment since which nothing refers to it.
    fn blobs(
        &self,
        scope: &Scope,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<(BlobRow, Option<Timestamp>)>, StoreError>;
    /// JSON texts in which `$blob` stands, of the next `limit` rows along the primary key. Rows without it are left out, so
    /// a page may be empty and have a next one.
    fn blob_referrers(
        &self,
        scope: &Scope,
        place: Referrer,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Page<String>, StoreError>;
    /// Deletes what stood for rows that are gone: chunks of blobs, positions in the feed.
    fn tidy(&self, scope: &Scope) -> Result<(), StoreError>;
    /// Gives free space back to the file system.
    fn compact(&self, sudo: &Sudo) -> Result<(), StoreError>;
}

/// What is in a store and cannot be had run by run: for copying it elsewhere.
pub trait Dump {
    /// The keys under which a run was accepted, with the digests of their requests, in order.
    fn keys_of(&self, scope: &Scope, run: RunId) -> Result<Vec<(String, Digest)>, StoreError>;
    /// Offers by key, from after this one on.
    fn offers_after(&self, scope: &Scope, after: Option<JobKey>, limit: usize) -> Result<Vec<OfferRow>, StoreError>;
    /// Records of all types, by type and id, from after this one on.
    fn records_after(
        &self,
        scope: &Scope,
        after: Option<&(String, RecordId)>,
        limit: usize,
    ) -> Result<Vec<WholeRecord>, StoreError>;
    /// Definitions by hash, from after this one on.
    fn definitions_after(
        &self,
        sudo: &Sudo,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<DefinitionRow>, StoreError>;
}

/// Who did what to everyone's data. Nothing in it changes, and nothing leaves it before its time.
pub trait Audit {
    /// Adds a row.
    fn note(&self, row: &AuditRow) -> Result<(), StoreError>;
    /// Adds a row unless the same one is there: for copying a store twice.
    fn note_once(&self, row: &AuditRow) -> Result<(), StoreError>;
    /// Deletes the rows from before a moment, a few at a time. Returns how many.
    fn trim_audit(&self, sudo: &Sudo, before: Timestamp) -> Result<u64, StoreError>;
    /// The latest rows, newest first.
    fn audit(&self, system: SystemScope, limit: usize) -> Result<Vec<AuditRow>, StoreError>;
}

/// Rows that are looked at together.
const PAGE: usize = 500;
/// Bytes of a blob that are looked at together.
const PART: usize = 1 << 20;
/// A reference is shorter than this from `$blob` to the end of its hash.
const OVERLAP: usize = 128;

/// The blobs of a tenant that anything refers to, directly or by way of a blob that holds references itself.
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

/// Adds the hashes that stand after `$blob` in a JSON text.
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
    fn references_are_found_however_they_are_written() {
        let (one, two) = (Digest::of(b"one"), Digest::of(b"two"));
        let text = format!("[{{\"$blob\":\"{one}\",\"size\":3}},{{\"a\":1,\"$blob\" : \"{two}\"}},\"$blob\",\"$blo");
        let mut found = Vec::new();
        references(text.as_bytes(), &mut found);
        assert_eq!(found, [one, two]);
    }
}
