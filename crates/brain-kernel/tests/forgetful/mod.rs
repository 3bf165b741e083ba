//! A store that loses a reply: a commit is written but reported as failed, as when a connection breaks.

use std::sync::{Arc, Mutex};

use brain_core::{
    ApprovalId, ApprovalStatus, Digest, JobKey, Millis, NodeId, RecordId, RunId, RunStatus, TenantId, Timestamp,
    TokenId,
};
use brain_store::*;
use serde_json::Value;

type Which = Box<dyn Fn(&Member) -> bool + Send + Sync>;

/// Delegates to a store, except that the answer to one commit is lost.
pub(crate) struct Forgetful {
    base: Arc<dyn Store>,
    loses: Mutex<Option<Which>>,
    locks: Option<Which>,
}

impl Forgetful {
    /// Loses the answer to the first commit with such a member.
    pub(crate) fn new(base: Arc<dyn Store>, to: impl Fn(&Member) -> bool + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { base, loses: Mutex::new(Some(Box::new(to))), locks: None })
    }

    /// Writes no commit with such a member, because another session has locked its rows.
    pub(crate) fn locking(base: Arc<dyn Store>, what: impl Fn(&Member) -> bool + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { base, loses: Mutex::new(None), locks: Some(Box::new(what)) })
    }
}

impl Commit for Forgetful {
    fn commit(&self, members: Vec<Member>, done: CommitDone) {
        if self.locks.as_ref().is_some_and(|locks| members.iter().any(locks)) {
            return done(Err(StoreError::Locked("another session holds a row".into())));
        }
        let lost = self.loses.lock().unwrap().take_if(|to| members.iter().any(to)).is_some();
        let answer = move |result| if lost { Err(StoreError::Failed("the answer was lost".into())) } else { result };
        self.base.commit(members, Box::new(move |result| done(answer(result))));
    }

    fn stats(&self) -> StoreStats {
        self.base.stats()
    }
}

impl Runs for Forgetful {
    fn number_of(&self, scope: &Scope, id: RunId) -> Result<Option<i64>, StoreError> {
        self.base.number_of(scope, id)
    }

    fn run_numbered(&self, scope: &Scope, number: i64) -> Result<Option<RunId>, StoreError> {
        self.base.run_numbered(scope, number)
    }

    fn run(&self, scope: &Scope, id: RunId) -> Result<Option<RunRow>, StoreError> {
        self.base.run(scope, id)
    }

    fn runs(
        &self,
        scope: &Scope,
        status: Option<RunStatus>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<RunRow>, StoreError> {
        self.base.runs(scope, status, limit, cursor)
    }

    fn log(&self, scope: &Scope, id: RunId) -> Result<Vec<LogRow>, StoreError> {
        self.base.log(scope, id)
    }

    fn run_and_log(&self, scope: &Scope, id: RunId) -> Result<Option<(RunRow, Vec<LogRow>)>, StoreError> {
        self.base.run_and_log(scope, id)
    }

    fn by_key(&self, scope: &Scope, key: &str) -> Result<Option<(RunId, Digest)>, StoreError> {
        self.base.by_key(scope, key)
    }

    fn artifacts(&self, scope: &Scope, run: RunId) -> Result<Vec<ArtifactRow>, StoreError> {
        self.base.artifacts(scope, run)
    }
}

impl Records for Forgetful {
    fn record(&self, scope: &Scope, kind: &str, id: RecordId) -> Result<Option<RecordRow>, StoreError> {
        self.base.record(scope, kind, id)
    }

    fn records(
        &self,
        scope: &Scope,
        kind: &str,
        filter: &RecordFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<RecordRow>, StoreError> {
        self.base.records(scope, kind, filter, limit, cursor)
    }

    fn records_by_all(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[IndexValue],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError> {
        self.base.records_by_all(scope, kind, field, values, limit)
    }

    fn records_by_any(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[IndexValue],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError> {
        self.base.records_by_any(scope, kind, field, values, limit)
    }

    fn search(&self, scope: &Scope, kind: &str, query: &str, limit: usize) -> Result<Vec<RecordRow>, StoreError> {
        self.base.search(scope, kind, query, limit)
    }
}

impl DeadLetters for Forgetful {
    fn dead_letter(&self, scope: &Scope, id: JobKey) -> Result<Option<DeadLetterRow>, StoreError> {
        self.base.dead_letter(scope, id)
    }

    fn dead_letters(
        &self,
        scope: &Scope,
        open: Option<bool>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<DeadLetterRow>, StoreError> {
        self.base.dead_letters(scope, open, limit, cursor)
    }
}

impl Approvals for Forgetful {
    fn approval(&self, scope: &Scope, id: ApprovalId) -> Result<Option<ApprovalRow>, StoreError> {
        self.base.approval(scope, id)
    }

    fn approvals_of(&self, scope: &Scope, run: RunId) -> Result<Vec<ApprovalRow>, StoreError> {
        self.base.approvals_of(scope, run)
    }

    fn approvals(
        &self,
        scope: &Scope,
        status: Option<ApprovalStatus>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<ApprovalRow>, StoreError> {
        self.base.approvals(scope, status, limit, cursor)
    }
}

impl Offers for Forgetful {
    fn offers(&self, scope: &Scope, topics: &[String], limit: usize) -> Result<Vec<OfferRow>, StoreError> {
        self.base.offers(scope, topics, limit)
    }

    fn offer(&self, scope: &Scope, key: JobKey) -> Result<Option<OfferRow>, StoreError> {
        self.base.offer(scope, key)
    }
}

impl Signals for Forgetful {
    fn signals(&self, scope: &Scope, run: RunId) -> Result<Vec<SignalRow>, StoreError> {
        self.base.signals(scope, run)
    }

    fn signalled(
        &self,
        system: SystemScope,
        after: Option<&(TenantId, RunId)>,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId)>, StoreError> {
        self.base.signalled(system, after, limit)
    }
}

impl Blobs for Forgetful {
    fn blob(&self, scope: &Scope, hash: Digest) -> Result<Option<BlobRow>, StoreError> {
        self.base.blob(scope, hash)
    }

    fn blob_part(&self, scope: &Scope, hash: Digest, offset: u64, max: usize) -> Result<Vec<u8>, StoreError> {
        self.base.blob_part(scope, hash, offset, max)
    }

    fn begin_blob(&self, scope: &Scope, media_type: &str, at: Timestamp) -> Result<Box<dyn BlobWriter>, StoreError> {
        self.base.begin_blob(scope, media_type, at)
    }
}

impl Definitions for Forgetful {
    fn definition(&self, hash: Digest) -> Result<Option<Value>, StoreError> {
        self.base.definition(hash)
    }
}

impl Tokens for Forgetful {
    fn put_token(&self, row: &TokenRow) -> Result<(), StoreError> {
        self.base.put_token(row)
    }

    fn token(&self, id: TokenId) -> Result<Option<TokenRow>, StoreError> {
        self.base.token(id)
    }

    fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        self.base.tokens()
    }
}

impl Scheduling for Forgetful {
    fn heartbeat(
        &self,
        system: SystemScope,
        node: NodeId,
        now: Timestamp,
        lease: Millis,
        liveness: &str,
    ) -> Result<(), StoreError> {
        self.base.heartbeat(system, node, now, lease, liveness)
    }

    fn nodes(&self, system: SystemScope, now: Timestamp) -> Result<Vec<NodeRow>, StoreError> {
        self.base.nodes(system, now)
    }

    fn forget_node(&self, system: SystemScope, node: NodeId) -> Result<(), StoreError> {
        self.base.forget_node(system, node)
    }

    fn owned_by(&self, system: SystemScope, node: NodeId, limit: usize) -> Result<Vec<(TenantId, RunId)>, StoreError> {
        self.base.owned_by(system, node, limit)
    }

    fn due(
        &self,
        system: SystemScope,
        claim: &Claim,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId, Timestamp)>, StoreError> {
        self.base.due(system, claim, limit)
    }

    fn queued_tenants(&self, system: SystemScope) -> Result<Vec<TenantId>, StoreError> {
        self.base.queued_tenants(system)
    }

    fn queued(
        &self,
        system: SystemScope,
        claim: &Claim,
        tenant: &TenantId,
        except: &[String],
        limit: usize,
    ) -> Result<Vec<RunId>, StoreError> {
        self.base.queued(system, claim, tenant, except, limit)
    }

    fn next_wake(&self, system: SystemScope) -> Result<Option<Timestamp>, StoreError> {
        self.base.next_wake(system)
    }

    fn count_by_status(&self, system: SystemScope) -> Result<Vec<(RunStatus, u64)>, StoreError> {
        self.base.count_by_status(system)
    }

    fn backlog(&self, system: SystemScope, priority_step: i64) -> Result<Backlog, StoreError> {
        self.base.backlog(system, priority_step)
    }
}

impl Feed for Forgetful {
    fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<FeedPage, StoreError> {
        self.base.feed(scope, after, limit)
    }

    fn feed_end(&self, system: SystemScope) -> Result<u64, StoreError> {
        self.base.feed_end(system)
    }
}

impl Accounts for Forgetful {
    fn account_total(&self, scope: &Scope, account: &str) -> Result<i64, StoreError> {
        self.base.account_total(scope, account)
    }

    fn account_entries(
        &self,
        scope: &Scope,
        after: Option<&(String, String)>,
        limit: usize,
    ) -> Result<Vec<AccountEntry>, StoreError> {
        self.base.account_entries(scope, after, limit)
    }
}

impl Lanes for Forgetful {
    fn lane(self: Arc<Self>, _: Lane) -> Arc<dyn Store> {
        self
    }
}

impl Watch for Forgetful {
    fn watch(&self, on_change: OnChange) {
        self.base.watch(on_change);
    }
}

impl Retention for Forgetful {
    fn tenants(&self, sudo: &Sudo) -> Result<Vec<TenantId>, StoreError> {
        self.base.tenants(sudo)
    }

    fn runs_after(
        &self,
        scope: &Scope,
        old: Option<Old>,
        after: Option<RunId>,
        limit: usize,
    ) -> Result<Vec<RunRow>, StoreError> {
        self.base.runs_after(scope, old, after, limit)
    }

    fn dead_letters_of(&self, scope: &Scope, run: RunId) -> Result<Vec<DeadLetterRow>, StoreError> {
        self.base.dead_letters_of(scope, run)
    }

    fn blobs(
        &self,
        scope: &Scope,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<(BlobRow, Option<Timestamp>)>, StoreError> {
        self.base.blobs(scope, after, limit)
    }

    fn blob_referrers(
        &self,
        scope: &Scope,
        place: Referrer,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<Page<String>, StoreError> {
        self.base.blob_referrers(scope, place, cursor, limit)
    }

    fn tidy(&self, scope: &Scope) -> Result<(), StoreError> {
        self.base.tidy(scope)
    }

    fn compact(&self, sudo: &Sudo) -> Result<(), StoreError> {
        self.base.compact(sudo)
    }
}

impl Dump for Forgetful {
    fn keys_of(&self, scope: &Scope, run: RunId) -> Result<Vec<(String, Digest)>, StoreError> {
        self.base.keys_of(scope, run)
    }

    fn offers_after(&self, scope: &Scope, after: Option<JobKey>, limit: usize) -> Result<Vec<OfferRow>, StoreError> {
        self.base.offers_after(scope, after, limit)
    }

    fn records_after(
        &self,
        scope: &Scope,
        after: Option<&(String, RecordId)>,
        limit: usize,
    ) -> Result<Vec<WholeRecord>, StoreError> {
        self.base.records_after(scope, after, limit)
    }

    fn definitions_after(
        &self,
        sudo: &Sudo,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<DefinitionRow>, StoreError> {
        self.base.definitions_after(sudo, after, limit)
    }
}

impl Audit for Forgetful {
    fn note(&self, row: &AuditRow) -> Result<(), StoreError> {
        self.base.note(row)
    }

    fn note_once(&self, row: &AuditRow) -> Result<(), StoreError> {
        self.base.note_once(row)
    }

    fn trim_audit(&self, sudo: &Sudo, before: Timestamp) -> Result<u64, StoreError> {
        self.base.trim_audit(sudo, before)
    }

    fn audit(&self, system: SystemScope, limit: usize) -> Result<Vec<AuditRow>, StoreError> {
        self.base.audit(system, limit)
    }
}
