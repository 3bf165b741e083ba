//! Reads through the faulty store: each goes to the real rows unless it fails.

use std::sync::{Arc, PoisonError};

use brain_core::{
    ApprovalId, ApprovalStatus, Digest, JobKey, Millis, NodeId, RecordId, RunId, RunStatus, TenantId, Timestamp,
    TokenId,
};
use brain_store::{
    AccountEntry, Accounts, ApprovalRow, Approvals, ArtifactRow, Backlog, BlobRow, BlobWriter, Blobs, Claim,
    DeadLetterRow, DeadLetters, Definitions, Feed, FeedPage, IndexValue, Lane, Lanes, LogRow, NodeRow, OfferRow,
    Offers, OnChange, Page, RecordFilter, RecordRow, Records, RunRow, Runs, Scheduling, Scope, SignalRow, Signals,
    Store, StoreError, SystemScope, TokenRow, Tokens, Watch,
};
use serde_json::Value;

use super::NodeStore;

impl Runs for NodeStore {
    fn run(&self, scope: &Scope, id: RunId) -> Result<Option<RunRow>, StoreError> {
        self.read(|base| base.run(scope, id))
    }

    fn runs(
        &self,
        scope: &Scope,
        status: Option<RunStatus>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<RunRow>, StoreError> {
        self.read(|base| base.runs(scope, status, limit, cursor))
    }

    fn log(&self, scope: &Scope, id: RunId) -> Result<Vec<LogRow>, StoreError> {
        self.disk.race();
        self.read(|base| base.log(scope, id))
    }

    fn run_and_log(&self, scope: &Scope, id: RunId) -> Result<Option<(RunRow, Vec<LogRow>)>, StoreError> {
        self.disk.race();
        self.read(|base| base.run_and_log(scope, id))
    }

    fn by_key(&self, scope: &Scope, key: &str) -> Result<Option<(RunId, Digest)>, StoreError> {
        self.read(|base| base.by_key(scope, key))
    }

    fn number_of(&self, scope: &Scope, run: RunId) -> Result<Option<i64>, StoreError> {
        self.read(|base| base.number_of(scope, run))
    }

    fn run_numbered(&self, scope: &Scope, number: i64) -> Result<Option<RunId>, StoreError> {
        self.read(|base| base.run_numbered(scope, number))
    }

    fn artifacts(&self, scope: &Scope, run: RunId) -> Result<Vec<ArtifactRow>, StoreError> {
        self.read(|base| base.artifacts(scope, run))
    }
}

impl Records for NodeStore {
    fn record(&self, scope: &Scope, kind: &str, id: RecordId) -> Result<Option<RecordRow>, StoreError> {
        self.read(|base| base.record(scope, kind, id))
    }

    fn records(
        &self,
        scope: &Scope,
        kind: &str,
        filter: &RecordFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<RecordRow>, StoreError> {
        self.read(|base| base.records(scope, kind, filter, limit, cursor))
    }

    fn records_by_all(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[IndexValue],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError> {
        self.read(|base| base.records_by_all(scope, kind, field, values, limit))
    }

    fn records_by_any(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[IndexValue],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError> {
        self.read(|base| base.records_by_any(scope, kind, field, values, limit))
    }

    fn search(&self, scope: &Scope, kind: &str, query: &str, limit: usize) -> Result<Vec<RecordRow>, StoreError> {
        self.read(|base| base.search(scope, kind, query, limit))
    }
}

impl DeadLetters for NodeStore {
    fn dead_letter(&self, scope: &Scope, id: JobKey) -> Result<Option<DeadLetterRow>, StoreError> {
        self.read(|base| base.dead_letter(scope, id))
    }

    fn dead_letters(
        &self,
        scope: &Scope,
        open: Option<bool>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<DeadLetterRow>, StoreError> {
        self.read(|base| base.dead_letters(scope, open, limit, cursor))
    }
}

impl Approvals for NodeStore {
    fn approval(&self, scope: &Scope, id: ApprovalId) -> Result<Option<ApprovalRow>, StoreError> {
        self.read(|base| base.approval(scope, id))
    }

    fn approvals_of(&self, scope: &Scope, run: RunId) -> Result<Vec<ApprovalRow>, StoreError> {
        self.read(|base| base.approvals_of(scope, run))
    }

    fn approvals(
        &self,
        scope: &Scope,
        status: Option<ApprovalStatus>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<ApprovalRow>, StoreError> {
        self.read(|base| base.approvals(scope, status, limit, cursor))
    }
}

impl Offers for NodeStore {
    fn offers(&self, scope: &Scope, topics: &[String], limit: usize) -> Result<Vec<OfferRow>, StoreError> {
        self.read(|base| base.offers(scope, topics, limit))
    }

    fn offer(&self, scope: &Scope, key: JobKey) -> Result<Option<OfferRow>, StoreError> {
        self.read(|base| base.offer(scope, key))
    }
}

impl Signals for NodeStore {
    fn signals(&self, scope: &Scope, run: RunId) -> Result<Vec<SignalRow>, StoreError> {
        self.read(|base| base.signals(scope, run))
    }

    fn signalled(
        &self,
        system: SystemScope,
        after: Option<&(TenantId, RunId)>,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId)>, StoreError> {
        self.read(|base| base.signalled(system, after, limit))
    }
}

impl Blobs for NodeStore {
    fn blob(&self, scope: &Scope, hash: Digest) -> Result<Option<BlobRow>, StoreError> {
        self.read(|base| base.blob(scope, hash))
    }

    fn blob_part(&self, scope: &Scope, hash: Digest, offset: u64, max: usize) -> Result<Vec<u8>, StoreError> {
        self.read(|base| base.blob_part(scope, hash, offset, max))
    }

    fn begin_blob(&self, scope: &Scope, media_type: &str, at: Timestamp) -> Result<Box<dyn BlobWriter>, StoreError> {
        self.read(|base| base.begin_blob(scope, media_type, at))
    }
}

impl Definitions for NodeStore {
    fn definition(&self, hash: Digest) -> Result<Option<Value>, StoreError> {
        self.read(|base| base.definition(hash))
    }
}

impl Tokens for NodeStore {
    fn put_token(&self, row: &TokenRow) -> Result<(), StoreError> {
        self.read(|base| base.put_token(row))
    }

    fn token(&self, id: TokenId) -> Result<Option<TokenRow>, StoreError> {
        self.read(|base| base.token(id))
    }

    fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        self.read(|base| base.tokens())
    }
}

impl Scheduling for NodeStore {
    fn heartbeat(
        &self,
        system: SystemScope,
        node: NodeId,
        now: Timestamp,
        lease: Millis,
        liveness: &str,
    ) -> Result<(), StoreError> {
        let at = self.disk.now();
        self.read(|base| match &self.disk.leases {
            Some(leases) => {
                let mut leases = leases.lock().unwrap_or_else(PoisonError::into_inner);
                leases.insert(node, (at.plus(lease), liveness.to_owned()));
                Ok(())
            }
            None => base.heartbeat(system, node, now, lease, liveness),
        })
    }

    fn nodes(&self, system: SystemScope, now: Timestamp) -> Result<Vec<NodeRow>, StoreError> {
        let at = self.disk.now();
        self.read(|base| match &self.disk.leases {
            Some(leases) => {
                let leases = leases.lock().unwrap_or_else(PoisonError::into_inner);
                let row = |(id, (until, liveness)): (&NodeId, &(Timestamp, String))| NodeRow {
                    id: *id,
                    until: *until,
                    lapsed: (*until <= at).then(|| at.since(*until)),
                    liveness: liveness.clone(),
                };
                Ok(leases.iter().map(row).collect())
            }
            None => base.nodes(system, now),
        })
    }

    fn forget_node(&self, system: SystemScope, node: NodeId) -> Result<(), StoreError> {
        self.read(|base| match &self.disk.leases {
            Some(leases) => {
                leases.lock().unwrap_or_else(PoisonError::into_inner).remove(&node);
                Ok(())
            }
            None => base.forget_node(system, node),
        })
    }

    fn owned_by(&self, system: SystemScope, node: NodeId, limit: usize) -> Result<Vec<(TenantId, RunId)>, StoreError> {
        self.read(|base| base.owned_by(system, node, limit))
    }

    fn due(
        &self,
        system: SystemScope,
        claim: &Claim,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId, Timestamp)>, StoreError> {
        self.read(|base| base.due(system, claim, limit))
    }

    fn queued_tenants(&self, system: SystemScope) -> Result<Vec<TenantId>, StoreError> {
        self.read(|base| base.queued_tenants(system))
    }

    fn queued(
        &self,
        system: SystemScope,
        claim: &Claim,
        tenant: &TenantId,
        except: &[String],
        limit: usize,
    ) -> Result<Vec<RunId>, StoreError> {
        self.read(|base| base.queued(system, claim, tenant, except, limit))
    }

    fn next_wake(&self, system: SystemScope) -> Result<Option<Timestamp>, StoreError> {
        self.read(|base| base.next_wake(system))
    }

    fn count_by_status(&self, system: SystemScope) -> Result<Vec<(RunStatus, u64)>, StoreError> {
        self.read(|base| base.count_by_status(system))
    }

    fn backlog(&self, system: SystemScope, priority_step: i64) -> Result<Backlog, StoreError> {
        self.read(|base| base.backlog(system, priority_step))
    }
}

impl Feed for NodeStore {
    fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<FeedPage, StoreError> {
        self.read(|base| base.feed(scope, after, limit))
    }

    fn feed_end(&self, system: SystemScope) -> Result<u64, StoreError> {
        self.read(|base| base.feed_end(system))
    }
}

impl Accounts for NodeStore {
    fn account_total(&self, scope: &Scope, account: &str) -> Result<i64, StoreError> {
        self.read(|base| base.account_total(scope, account))
    }

    fn account_entries(
        &self,
        scope: &Scope,
        after: Option<&(String, String)>,
        limit: usize,
    ) -> Result<Vec<AccountEntry>, StoreError> {
        self.read(|base| base.account_entries(scope, after, limit))
    }
}

impl Lanes for NodeStore {
    fn lane(self: Arc<Self>, _: Lane) -> Arc<dyn Store> {
        self
    }

    fn reads_wait(&self) -> bool {
        self.disk.reads_wait
    }
}

impl Watch for NodeStore {
    fn watch(&self, on_change: OnChange) {
        self.disk.base.watch(on_change);
    }
}
