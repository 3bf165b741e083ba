//! Retention in memory.

use std::collections::BTreeSet;

use brain_core::{Digest, JobKey, RecordId, RunId, TenantId, Timestamp};
use serde_json::Value;

use super::{Inner, MemoryStore, Stored, parse_cursor};
use crate::{
    Audit, AuditRow, BlobRow, DeadLetterRow, DefinitionRow, Dump, OfferRow, Old, Page, Referrer, Retention, RunRow,
    Scope, StoreError, Sudo, SystemScope, WholeRecord,
};

impl Inner {
    pub(super) fn erase(&mut self, tenant: TenantId, run: RunId, request: Value, rows: Vec<(u64, Vec<Value>)>) {
        if let Some(row) = self.runs.get_mut(&(tenant.clone(), run)) {
            row.request = request;
            row.erased = true;
        }
        let log = self.log.entry((tenant, run)).or_default();
        for (seq, payloads) in rows {
            if let Some(row) = log.iter_mut().find(|row| row.seq == seq) {
                row.payloads = payloads;
            }
        }
    }

    pub(super) fn drop_run(&mut self, tenant: &TenantId, run: RunId) {
        self.runs.remove(&(tenant.clone(), run));
        self.log.remove(&(tenant.clone(), run));
        self.signals.remove(&(tenant.clone(), run));
        self.numbers.take_back(tenant, run);
        self.keys.retain(|(owner, _), (of, _)| owner != tenant || *of != run);
        self.artifacts.retain(|(owner, row)| owner != tenant || row.run != run);
        self.approvals.retain(|(owner, _), row| owner != tenant || row.run != run);
        self.letters.retain(|(owner, _), row| owner != tenant || row.run != run || row.open);
    }

    pub(super) fn note_blob(&mut self, tenant: TenantId, hash: Digest, unused_since: Option<Timestamp>) {
        if let Some(blob) = self.blobs.get_mut(&(tenant, hash)) {
            blob.unused_since = unused_since.map(|since| blob.unused_since.unwrap_or(since));
        }
    }

    pub(super) fn drop_blob(&mut self, tenant: TenantId, hash: Digest, unused_before: Timestamp) {
        let slot = (tenant, hash);
        if self.blobs.get(&slot).is_some_and(|blob| blob.unused_since.is_some_and(|since| since <= unused_before)) {
            self.blobs.remove(&slot);
        }
    }

    /// The JSON texts of a table.
    fn texts(&self, scope: &Scope, place: Referrer) -> Vec<String> {
        let tenant = scope.tenant();
        match place {
            Referrer::Log => {
                let rows = Self::of_tenant(&self.log, tenant).flat_map(|(_, rows)| rows);
                rows.map(|row| Value::from(row.payloads.clone()).to_string()).collect()
            }
            Referrer::Runs => Self::of_tenant(&self.runs, tenant).map(|(_, row)| row.request.to_string()).collect(),
            Referrer::Records => {
                let ours = self.records.iter().filter(|((owner, ..), _)| owner == tenant);
                ours.map(|(_, stored)| stored.row.body.to_string()).collect()
            }
            Referrer::Letters => Self::of_tenant(&self.letters, tenant).map(|(_, row)| row.body.to_string()).collect(),
            Referrer::Approvals => {
                Self::of_tenant(&self.approvals, tenant).map(|(_, row)| row.body.to_string()).collect()
            }
            Referrer::Signals => {
                let rows = Self::of_tenant(&self.signals, tenant).flat_map(|(_, rows)| rows);
                rows.map(|row| row.body.to_string()).collect()
            }
        }
    }
}

impl Retention for MemoryStore {
    fn tenants(&self, _: &Sudo) -> Result<Vec<TenantId>, StoreError> {
        let inner = self.lock();
        let mut tenants: BTreeSet<TenantId> = inner.runs.keys().map(|key| key.0.clone()).collect();
        tenants.extend(inner.records.keys().map(|key| key.0.clone()));
        tenants.extend(inner.blobs.keys().map(|key| key.0.clone()));
        tenants.extend(inner.tokens.values().map(|token| token.tenant.clone()));
        Ok(tenants.into_iter().collect())
    }

    fn runs_after(
        &self,
        scope: &Scope,
        old: Option<Old>,
        after: Option<RunId>,
        limit: usize,
    ) -> Result<Vec<RunRow>, StoreError> {
        let fits = |row: &RunRow| {
            old.is_none_or(|old| {
                row.status.is_over()
                    && row.updated_at < old.changed_before
                    && old.erased.is_none_or(|erased| row.erased == erased)
            })
        };
        let inner = self.lock();
        let rows = Inner::of_tenant(&inner.runs, scope.tenant())
            .filter(|(id, row)| after.is_none_or(|after| **id > after) && fits(row));
        Ok(rows.map(|(_, row)| row.clone()).take(limit).collect())
    }

    fn dead_letters_of(&self, scope: &Scope, run: RunId) -> Result<Vec<DeadLetterRow>, StoreError> {
        let inner = self.lock();
        let rows = Inner::of_tenant(&inner.letters, scope.tenant()).filter(|(_, row)| row.run == run);
        Ok(rows.map(|(_, row)| row.clone()).collect())
    }

    fn blobs(
        &self,
        scope: &Scope,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<(BlobRow, Option<Timestamp>)>, StoreError> {
        let inner = self.lock();
        let rows =
            Inner::of_tenant(&inner.blobs, scope.tenant()).filter(|(hash, _)| after.is_none_or(|after| **hash > after));
        Ok(rows.map(|(_, blob)| (blob.row.clone(), blob.unused_since)).take(limit).collect())
    }

    fn blob_referrers(
        &self,
        scope: &Scope,
        place: Referrer,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Page<String>, StoreError> {
        let from: usize = parse_cursor(cursor)?.unwrap_or(0);
        let texts = self.lock().texts(scope, place);
        let end = from.saturating_add(limit);
        let next = (texts.len() > end).then(|| end.to_string());
        let items = texts.into_iter().skip(from).take(limit).filter(|text| text.contains("$blob")).collect();
        Ok(Page { items, next })
    }

    fn tidy(&self, _: &Scope) -> Result<(), StoreError> {
        Ok(())
    }

    fn compact(&self, _: &Sudo) -> Result<(), StoreError> {
        Ok(())
    }
}

impl Dump for MemoryStore {
    fn keys_of(&self, scope: &Scope, run: RunId) -> Result<Vec<(String, Digest)>, StoreError> {
        let inner = self.lock();
        let keys = Inner::of_tenant(&inner.keys, scope.tenant()).filter(|(_, (of, _))| *of == run);
        Ok(keys.map(|(key, (_, digest))| (key.clone(), *digest)).collect())
    }

    fn offers_after(&self, scope: &Scope, after: Option<JobKey>, limit: usize) -> Result<Vec<OfferRow>, StoreError> {
        let inner = self.lock();
        let rows =
            Inner::of_tenant(&inner.offers, scope.tenant()).filter(|(key, _)| after.is_none_or(|after| **key > after));
        Ok(rows.map(|(_, row)| row.clone()).take(limit).collect())
    }

    fn records_after(
        &self,
        scope: &Scope,
        after: Option<&(String, RecordId)>,
        limit: usize,
    ) -> Result<Vec<WholeRecord>, StoreError> {
        let later = |kind: &String, id: RecordId| after.is_none_or(|(of, last)| (kind, id) > (of, *last));
        let inner = self.lock();
        let rows = inner.records.iter().filter(|((tenant, kind, id), _)| tenant == scope.tenant() && later(kind, *id));
        let whole = |Stored { row, index, text }: &Stored| WholeRecord {
            row: row.clone(),
            index: index.clone(),
            text: text.clone(),
        };
        Ok(rows.map(|(_, stored)| whole(stored)).take(limit).collect())
    }

    fn definitions_after(
        &self,
        _: &Sudo,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<DefinitionRow>, StoreError> {
        let inner = self.lock();
        let rows = inner.definitions.iter().filter(|(hash, _)| after.is_none_or(|after| **hash > after));
        let row = |(hash, (kind, body)): (&Digest, &(&'static str, Value))| DefinitionRow {
            hash: *hash,
            kind: (*kind).to_owned(),
            body: body.clone(),
        };
        Ok(rows.map(row).take(limit).collect())
    }
}

impl Audit for MemoryStore {
    fn note(&self, row: &AuditRow) -> Result<(), StoreError> {
        self.lock().audit.push(row.clone());
        Ok(())
    }

    fn note_once(&self, row: &AuditRow) -> Result<(), StoreError> {
        let audit = &mut self.lock().audit;
        if !audit.contains(row) {
            audit.push(row.clone());
        }
        Ok(())
    }

    fn trim_audit(&self, _: &Sudo, before: Timestamp) -> Result<u64, StoreError> {
        let audit = &mut self.lock().audit;
        let all = audit.len();
        audit.retain(|row| row.at >= before);
        Ok((all - audit.len()) as u64)
    }

    fn audit(&self, _: SystemScope, limit: usize) -> Result<Vec<AuditRow>, StoreError> {
        let mut rows = self.lock().audit.clone();
        rows.sort_by_key(|row| std::cmp::Reverse(row.at));
        rows.truncate(limit);
        Ok(rows)
    }
}
