//! Retention through the faulty store.

use brain_core::{Digest, JobKey, RecordId, RunId, TenantId, Timestamp};
use brain_store::{
    Audit, AuditRow, BlobRow, DeadLetterRow, DefinitionRow, Dump, OfferRow, Old, Page, Referrer, Retention, RunRow,
    Scope, StoreError, Sudo, SystemScope, WholeRecord,
};

use super::NodeStore;

impl Retention for NodeStore {
    fn tenants(&self, sudo: &Sudo) -> Result<Vec<TenantId>, StoreError> {
        self.read(|base| base.tenants(sudo))
    }

    fn runs_after(
        &self,
        scope: &Scope,
        old: Option<Old>,
        after: Option<RunId>,
        limit: usize,
    ) -> Result<Vec<RunRow>, StoreError> {
        self.read(|base| base.runs_after(scope, old, after, limit))
    }

    fn dead_letters_of(&self, scope: &Scope, run: RunId) -> Result<Vec<DeadLetterRow>, StoreError> {
        self.read(|base| base.dead_letters_of(scope, run))
    }

    fn blobs(
        &self,
        scope: &Scope,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<(BlobRow, Option<Timestamp>)>, StoreError> {
        self.read(|base| base.blobs(scope, after, limit))
    }

    fn blob_referrers(
        &self,
        scope: &Scope,
        place: Referrer,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Page<String>, StoreError> {
        self.read(|base| base.blob_referrers(scope, place, cursor, limit))
    }

    fn tidy(&self, scope: &Scope) -> Result<(), StoreError> {
        self.read(|base| base.tidy(scope))
    }

    fn compact(&self, sudo: &Sudo) -> Result<(), StoreError> {
        self.read(|base| base.compact(sudo))
    }
}

impl Dump for NodeStore {
    fn keys_of(&self, scope: &Scope, run: RunId) -> Result<Vec<(String, Digest)>, StoreError> {
        self.read(|base| base.keys_of(scope, run))
    }

    fn offers_after(&self, scope: &Scope, after: Option<JobKey>, limit: usize) -> Result<Vec<OfferRow>, StoreError> {
        self.read(|base| base.offers_after(scope, after, limit))
    }

    fn records_after(
        &self,
        scope: &Scope,
        after: Option<&(String, RecordId)>,
        limit: usize,
    ) -> Result<Vec<WholeRecord>, StoreError> {
        self.read(|base| base.records_after(scope, after, limit))
    }

    fn definitions_after(
        &self,
        sudo: &Sudo,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<DefinitionRow>, StoreError> {
        self.read(|base| base.definitions_after(sudo, after, limit))
    }
}

impl Audit for NodeStore {
    fn note(&self, row: &AuditRow) -> Result<(), StoreError> {
        self.read(|base| base.note(row))
    }

    fn note_once(&self, row: &AuditRow) -> Result<(), StoreError> {
        self.read(|base| base.note_once(row))
    }

    fn trim_audit(&self, sudo: &Sudo, before: Timestamp) -> Result<u64, StoreError> {
        self.read(|base| base.trim_audit(sudo, before))
    }

    fn audit(&self, system: SystemScope, limit: usize) -> Result<Vec<AuditRow>, StoreError> {
        self.read(|base| base.audit(system, limit))
    }
}
