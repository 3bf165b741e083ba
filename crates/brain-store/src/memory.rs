//! The store in memory, for tests, scenarios and dry runs. Same rules, no disk.

mod blobs;
mod numbers;
mod offers;
mod records;
mod retention;
mod signals;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use brain_core::{
    ApprovalId, ApprovalStatus, Digest, JobKey, Millis, NodeId, RecordId, RunId, RunStatus, TenantId, Timestamp,
    TokenId,
};
use serde_json::Value;

use self::numbers::Numbers;
use crate::accounts::{AccountEntry, Accounts, Ledger};
use crate::traits::{
    Approvals, Commit, CommitDone, Conflict, DeadLetters, Definitions, Feed, Lane, Lanes, Member, OnChange, Outcome,
    Precondition, Runs, Scheduling, Store, StoreError, StoreStats, Tokens, Watch, Write,
};
use crate::{
    ApprovalRow, ArtifactRow, AuditRow, Backlog, BlobRow, Claim, DeadLetterRow, FeedPage, IndexEntry, IndexValue,
    LogRow, NodeRow, OfferRow, Page, RecordRow, RunRow, Scope, SignalRow, SystemScope, TokenRow,
};

/// A store whose content is lost when it is dropped.
#[derive(Default)]
pub struct MemoryStore {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    runs: BTreeMap<(TenantId, RunId), RunRow>,
    log: BTreeMap<(TenantId, RunId), Vec<LogRow>>,
    /// The appended log rows, in order.
    feed: Vec<(TenantId, RunId, u64)>,
    keys: BTreeMap<(TenantId, String), (RunId, Digest)>,
    numbers: Numbers,
    records: BTreeMap<(TenantId, String, RecordId), Stored>,
    unique: BTreeMap<(TenantId, String, String, IndexValue), RecordId>,
    artifacts: BTreeSet<(TenantId, ArtifactRow)>,
    letters: BTreeMap<(TenantId, JobKey), DeadLetterRow>,
    approvals: BTreeMap<(TenantId, ApprovalId), ApprovalRow>,
    definitions: BTreeMap<Digest, (&'static str, Value)>,
    tokens: BTreeMap<TokenId, TokenRow>,
    nodes: BTreeMap<NodeId, (Timestamp, String)>,
    offers: BTreeMap<(TenantId, JobKey), OfferRow>,
    /// In the order of arrival.
    signals: BTreeMap<(TenantId, RunId), Vec<SignalRow>>,
    blobs: BTreeMap<(TenantId, Digest), StoredBlob>,
    audit: Vec<AuditRow>,
    ledger: Ledger,
    stats: StoreStats,
}

struct Stored {
    row: RecordRow,
    index: Vec<IndexEntry>,
    text: Option<String>,
}

struct StoredBlob {
    row: BlobRow,
    unused_since: Option<Timestamp>,
    bytes: Arc<[u8]>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }
}

fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    // A panic while the lock is held can only come from a failed allocation; the data is consistent either way.
    inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn parse_cursor<T: std::str::FromStr>(cursor: Option<&str>) -> Result<Option<T>, StoreError> {
    cursor.map(|text| text.parse().map_err(|_| StoreError::BadCursor(text.to_owned()))).transpose()
}

impl Inner {
    fn conflict(&self, scope: &Scope, precondition: &Precondition) -> bool {
        let tenant = scope.tenant().clone();
        match precondition {
            Precondition::RunAbsent(run) => self.runs.contains_key(&(tenant, *run)),
            Precondition::RunAt { run, seq, fence } => self
                .runs
                .get(&(tenant, *run))
                .is_none_or(|row| row.schedule.seq != *seq || row.schedule.fence != *fence),
            Precondition::Record { kind, id, revision } => {
                let found = self.records.get(&(tenant, kind.clone(), *id)).map(|stored| stored.row.revision);
                found != *revision
            }
            Precondition::Listed { kind, field, value, fingerprint } => {
                let there = self.records.iter().filter(|((owner, of, _), stored)| {
                    *owner == tenant
                        && of == kind
                        && stored.index.iter().any(|one| one.field == *field && one.value == *value)
                });
                crate::fingerprint(there.map(|((_, _, id), stored)| (*id, stored.row.revision))) != *fingerprint
            }
            Precondition::KeyFree(key) => self.keys.contains_key(&(tenant, key.clone())),
            Precondition::ApprovalPending(id) => {
                self.approvals.get(&(tenant, *id)).is_none_or(|row| row.status != ApprovalStatus::Pending)
            }
            Precondition::LetterOpen(id) => self.letters.get(&(tenant, *id)).is_none_or(|row| !row.open),
            Precondition::SignalPresent { run, id } => {
                !self.signals.get(&(tenant, *run)).is_some_and(|inbox| inbox.iter().any(|one| one.id == *id))
            }
        }
    }

    fn check(&self, member: &Member) -> Option<Conflict> {
        if let Some(broken) = member.preconditions.iter().find(|one| self.conflict(&member.scope, one)) {
            return Some(Conflict::Precondition(broken.clone()));
        }
        let tenant = member.scope.tenant();
        for write in &member.writes {
            let Write::PutRecord { row, index, .. } = write else { continue };
            for entry in index.iter().filter(|entry| entry.unique) {
                let slot = (tenant.clone(), row.kind.clone(), entry.field.clone(), entry.value.clone());
                if let Some(holder) = self.unique.get(&slot).filter(|holder| **holder != row.id) {
                    return Some(Conflict::Unique {
                        kind: row.kind.clone(),
                        field: entry.field.clone(),
                        holder: *holder,
                    });
                }
            }
        }
        None
    }

    fn apply(&mut self, scope: &Scope, write: Write) {
        let tenant = scope.tenant().clone();
        self.stats.rows += 1;
        match write {
            Write::NewRun(row) => {
                self.runs.insert((tenant, row.id), *row);
            }
            Write::UpdateRun { run, status, at, schedule, program } => {
                if let Some(row) = self.runs.get_mut(&(tenant, run)) {
                    row.status = status;
                    row.updated_at = at;
                    row.schedule = schedule;
                    row.program = program.or(row.program);
                }
            }
            Write::Append(row) => {
                self.feed.push((tenant.clone(), row.run, row.seq));
                self.log.entry((tenant, row.run)).or_default().push(Arc::unwrap_or_clone(row));
            }
            Write::PutRecord { row, index, text } => {
                let kind = row.kind.clone();
                self.free_unique(&tenant, &kind, row.id);
                for entry in index.iter().filter(|entry| entry.unique) {
                    let slot = (tenant.clone(), kind.clone(), entry.field.clone(), entry.value.clone());
                    self.unique.insert(slot, row.id);
                }
                self.records.insert((tenant, kind, row.id), Stored { row, index, text });
            }
            Write::DeleteRecord { kind, id } => {
                self.free_unique(&tenant, &kind, id);
                self.records.remove(&(tenant, kind, id));
            }
            Write::Link(row) => {
                self.artifacts.insert((tenant, row));
            }
            Write::PutLetter(row) => {
                self.letters.insert((tenant, row.id), row);
            }
            Write::PutApproval(row) => {
                self.approvals.insert((tenant, row.id), row);
            }
            Write::Define { hash, kind, body } => {
                self.definitions.entry(hash).or_insert((kind, body));
            }
            Write::TakeKey { key, digest, run } => {
                self.keys.insert((tenant, key), (run, digest));
            }
            Write::Offer(row) => {
                self.offers.insert((tenant, row.key), row);
            }
            Write::Withdraw(key) => {
                self.offers.remove(&(tenant, key));
            }
            Write::WithdrawAll(run) => self.offers.retain(|(owner, _), row| *owner != tenant || row.run != run),
            Write::Signal(row) => self.put_signal(tenant, row),
            Write::TakeSignal { run, id } => self.take_signal(tenant, run, &id),
            Write::PutBlob { hash, media_type, at, bytes } => {
                let row = BlobRow { hash, size: bytes.len() as u64, media_type, at };
                self.put_blob(tenant, row, bytes);
            }
            Write::Erase { run, request, rows } => self.erase(tenant, run, request, rows),
            Write::Number { run, number } => self.numbers.give(tenant, run, number),
            Write::DropRun(run) => self.drop_run(&tenant, run),
            Write::DropLog { run, seqs } => {
                if let Some(rows) = self.log.get_mut(&(tenant, run)) {
                    rows.retain(|row| !seqs.contains(&row.seq));
                }
            }
            // Applied with the whole member.
            Write::Reserve { .. } | Write::Settle { .. } | Write::Release { .. } => {}
            Write::DropAccount(account) => self.ledger.drop_account(&tenant, &account),
            Write::NoteBlob { hash, unused_since } => self.note_blob(tenant, hash, unused_since),
            Write::DropBlob { hash, unused_before } => self.drop_blob(tenant, hash, unused_before),
        }
    }

    fn free_unique(&mut self, tenant: &TenantId, kind: &str, id: RecordId) {
        let Some(old) = self.records.get(&(tenant.clone(), kind.to_owned(), id)) else { return };
        for entry in old.index.iter().filter(|entry| entry.unique) {
            self.unique.remove(&(tenant.clone(), kind.to_owned(), entry.field.clone(), entry.value.clone()));
        }
    }

    fn of_tenant<'a, K: Ord + Clone, V>(
        map: &'a BTreeMap<(TenantId, K), V>,
        tenant: &'a TenantId,
    ) -> impl DoubleEndedIterator<Item = (&'a K, &'a V)> {
        map.iter().filter(move |((owner, _), _)| owner == tenant).map(|((_, key), value)| (key, value))
    }
}

impl Commit for MemoryStore {
    fn commit(&self, members: Vec<Member>, done: CommitDone) {
        let mut inner = self.lock();
        let mut outcomes = Vec::with_capacity(members.len());
        for member in members {
            let checked = match inner.check(&member) {
                Some(conflict) => Err(conflict),
                None => inner.ledger.check(member.scope.tenant(), &member.writes),
            };
            outcomes.push(match checked {
                Err(conflict) => Outcome::Conflict(conflict),
                Ok(booked) => {
                    inner.stats.members += 1;
                    inner.ledger.apply(member.scope.tenant(), booked);
                    for write in member.writes {
                        inner.apply(&member.scope, write);
                    }
                    Outcome::Committed
                }
            });
        }
        inner.stats.commits += 1;
        drop(inner);
        done(Ok(outcomes));
    }

    fn stats(&self) -> StoreStats {
        self.lock().stats
    }
}

impl Runs for MemoryStore {
    fn run(&self, scope: &Scope, id: RunId) -> Result<Option<RunRow>, StoreError> {
        Ok(self.lock().runs.get(&(scope.tenant().clone(), id)).cloned())
    }

    fn runs(
        &self,
        scope: &Scope,
        status: Option<RunStatus>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<RunRow>, StoreError> {
        let before: Option<RunId> = parse_cursor(cursor)?;
        let inner = self.lock();
        let rows = Inner::of_tenant(&inner.runs, scope.tenant())
            .rev()
            .filter(|(id, _)| before.is_none_or(|before| **id < before))
            .filter(|(_, row)| status.is_none_or(|status| row.status == status));
        let items = rows.map(|(_, row)| row.clone()).take(limit + 1).collect();
        Ok(Page::cut(items, limit, |row| row.id.to_string()))
    }

    fn log(&self, scope: &Scope, id: RunId) -> Result<Vec<LogRow>, StoreError> {
        Ok(self.lock().log.get(&(scope.tenant().clone(), id)).cloned().unwrap_or_default())
    }

    fn run_and_log(&self, scope: &Scope, id: RunId) -> Result<Option<(RunRow, Vec<LogRow>)>, StoreError> {
        let inner = self.lock();
        let place = (scope.tenant().clone(), id);
        let log = || inner.log.get(&place).cloned().unwrap_or_default();
        Ok(inner.runs.get(&place).map(|row| (row.clone(), log())))
    }

    fn by_key(&self, scope: &Scope, key: &str) -> Result<Option<(RunId, Digest)>, StoreError> {
        Ok(self.lock().keys.get(&(scope.tenant().clone(), key.to_owned())).copied())
    }

    fn number_of(&self, scope: &Scope, run: RunId) -> Result<Option<i64>, StoreError> {
        Ok(self.lock().numbers.number_of(scope.tenant(), run))
    }

    fn run_numbered(&self, scope: &Scope, number: i64) -> Result<Option<RunId>, StoreError> {
        Ok(self.lock().numbers.run_numbered(scope.tenant(), number))
    }

    fn artifacts(&self, scope: &Scope, run: RunId) -> Result<Vec<ArtifactRow>, StoreError> {
        let inner = self.lock();
        let rows = inner.artifacts.iter().filter(|(tenant, row)| tenant == scope.tenant() && row.run == run);
        Ok(rows.map(|(_, row)| row.clone()).collect())
    }
}

impl DeadLetters for MemoryStore {
    fn dead_letter(&self, scope: &Scope, id: JobKey) -> Result<Option<DeadLetterRow>, StoreError> {
        Ok(self.lock().letters.get(&(scope.tenant().clone(), id)).cloned())
    }

    fn dead_letters(
        &self,
        scope: &Scope,
        open: Option<bool>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<DeadLetterRow>, StoreError> {
        let before: Option<JobKey> = parse_cursor(cursor)?;
        let inner = self.lock();
        let rows = Inner::of_tenant(&inner.letters, scope.tenant())
            .rev()
            .filter(|(id, _)| before.is_none_or(|before| **id < before))
            .filter(|(_, row)| open.is_none_or(|open| row.open == open));
        let items = rows.map(|(_, row)| row.clone()).take(limit + 1).collect();
        Ok(Page::cut(items, limit, |row: &DeadLetterRow| row.id.to_string()))
    }
}

impl Approvals for MemoryStore {
    fn approval(&self, scope: &Scope, id: ApprovalId) -> Result<Option<ApprovalRow>, StoreError> {
        Ok(self.lock().approvals.get(&(scope.tenant().clone(), id)).cloned())
    }

    fn approvals_of(&self, scope: &Scope, run: RunId) -> Result<Vec<ApprovalRow>, StoreError> {
        let inner = self.lock();
        let rows = Inner::of_tenant(&inner.approvals, scope.tenant()).filter(|(_, row)| row.run == run);
        Ok(rows.map(|(_, row)| row.clone()).collect())
    }

    fn approvals(
        &self,
        scope: &Scope,
        status: Option<ApprovalStatus>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<ApprovalRow>, StoreError> {
        let before: Option<ApprovalId> = parse_cursor(cursor)?;
        let inner = self.lock();
        let rows = Inner::of_tenant(&inner.approvals, scope.tenant())
            .rev()
            .filter(|(id, _)| before.is_none_or(|before| **id < before))
            .filter(|(_, row)| status.is_none_or(|status| row.status == status));
        let items = rows.map(|(_, row)| row.clone()).take(limit + 1).collect();
        Ok(Page::cut(items, limit, |row: &ApprovalRow| row.id.to_string()))
    }
}

impl Definitions for MemoryStore {
    fn definition(&self, hash: Digest) -> Result<Option<Value>, StoreError> {
        Ok(self.lock().definitions.get(&hash).map(|(_, body)| body.clone()))
    }
}

impl Tokens for MemoryStore {
    fn put_token(&self, row: &TokenRow) -> Result<(), StoreError> {
        self.lock().tokens.insert(row.id, row.clone());
        Ok(())
    }

    fn token(&self, id: TokenId) -> Result<Option<TokenRow>, StoreError> {
        Ok(self.lock().tokens.get(&id).cloned())
    }

    fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        Ok(self.lock().tokens.values().rev().cloned().collect())
    }
}

impl Scheduling for MemoryStore {
    fn heartbeat(
        &self,
        _: SystemScope,
        node: NodeId,
        now: Timestamp,
        lease: Millis,
        liveness: &str,
    ) -> Result<(), StoreError> {
        self.lock().nodes.insert(node, (now.plus(lease), liveness.to_owned()));
        Ok(())
    }

    fn nodes(&self, _: SystemScope, now: Timestamp) -> Result<Vec<NodeRow>, StoreError> {
        let inner = self.lock();
        let row = |(node, (until, liveness)): (&NodeId, &(Timestamp, String))| {
            NodeRow::at(now, *node, *until, liveness.clone())
        };
        Ok(inner.nodes.iter().map(row).collect())
    }

    fn forget_node(&self, _: SystemScope, node: NodeId) -> Result<(), StoreError> {
        self.lock().nodes.remove(&node);
        Ok(())
    }

    fn owned_by(&self, _: SystemScope, node: NodeId, limit: usize) -> Result<Vec<(TenantId, RunId)>, StoreError> {
        let inner = self.lock();
        let mut rows: Vec<_> = inner.runs.values().filter(|row| row.schedule.owner == Some(node)).collect();
        rows.sort_by_key(|row| row.id);
        Ok(rows.into_iter().take(limit).map(|row| (row.tenant.clone(), row.id)).collect())
    }

    fn due(
        &self,
        _: SystemScope,
        claim: &Claim,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId, Timestamp)>, StoreError> {
        let inner = self.lock();
        let now = claim.now;
        let mut rows: Vec<_> = inner
            .runs
            .values()
            .filter_map(|row| row.schedule.wake_at.filter(|at| *at <= now).map(|at| (row.tenant.clone(), row.id, at)))
            .collect();
        rows.sort_by_key(|(_, run, at)| (*at, *run));
        rows.truncate(limit);
        Ok(rows)
    }

    fn queued_tenants(&self, _: SystemScope) -> Result<Vec<TenantId>, StoreError> {
        let inner = self.lock();
        let queued = inner.runs.values().filter(|row| row.schedule.queued.is_some()).map(|row| row.tenant.clone());
        Ok(queued.collect::<BTreeSet<_>>().into_iter().collect())
    }

    fn queued(
        &self,
        _: SystemScope,
        _: &Claim,
        tenant: &TenantId,
        except: &[String],
        limit: usize,
    ) -> Result<Vec<RunId>, StoreError> {
        let inner = self.lock();
        let mut rows: Vec<_> = Inner::of_tenant(&inner.runs, tenant)
            .filter_map(|(id, row)| row.schedule.queued.as_ref().map(|place| (place, *id)))
            .filter(|(place, _)| !except.contains(&place.limit))
            .map(|(place, id)| (place.order, id))
            .collect();
        rows.sort_unstable();
        Ok(rows.into_iter().take(limit).map(|(_, id)| id).collect())
    }

    fn next_wake(&self, _: SystemScope) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.lock().runs.values().filter_map(|row| row.schedule.wake_at).min())
    }

    fn count_by_status(&self, _: SystemScope) -> Result<Vec<(RunStatus, u64)>, StoreError> {
        let mut counts: BTreeMap<RunStatus, u64> = BTreeMap::new();
        for row in self.lock().runs.values().filter(|row| row.status != RunStatus::Completed) {
            *counts.entry(row.status).or_default() += 1;
        }
        Ok(counts.into_iter().collect())
    }

    fn backlog(&self, _: SystemScope, priority_step: i64) -> Result<Backlog, StoreError> {
        let inner = self.lock();
        let letters = || inner.letters.values().filter(|row| row.open).map(|row| row.opened_at);
        let approvals =
            || inner.approvals.values().filter(|row| row.status == ApprovalStatus::Pending).map(|row| row.asked_at);
        let queued = || {
            let places = inner.runs.values().filter_map(|row| Some((row.schedule.queued.as_ref()?, &row.schedule)));
            places.map(|(place, schedule)| {
                Timestamp::from_millis(place.order + i64::from(schedule.priority) * priority_step)
            })
        };
        Ok(Backlog {
            letters: letters().count() as u64,
            oldest_letter: letters().min(),
            approvals: approvals().count() as u64,
            oldest_approval: approvals().min(),
            queued: queued().count() as u64,
            oldest_queued: queued().min(),
        })
    }
}

impl Feed for MemoryStore {
    fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<FeedPage, StoreError> {
        let inner = self.lock();
        let mut page = FeedPage { items: Vec::new(), broken: Vec::new(), upto: after };
        for (n, (tenant, run, seq)) in inner.feed.iter().enumerate().skip(after as usize) {
            if page.items.len() == limit {
                return Ok(page);
            }
            page.upto = n as u64 + 1;
            if tenant != scope.tenant() {
                continue;
            }
            let rows = inner.log.get(&(tenant.clone(), *run));
            if let Some(row) = rows.and_then(|rows| rows.iter().find(|row| row.seq == *seq)) {
                page.items.push((page.upto, row.clone()));
            }
        }
        Ok(page)
    }

    fn feed_end(&self, _: SystemScope) -> Result<u64, StoreError> {
        Ok(self.lock().feed.len() as u64)
    }
}

impl Accounts for MemoryStore {
    fn account_total(&self, scope: &Scope, account: &str) -> Result<i64, StoreError> {
        Ok(self.lock().ledger.total(scope.tenant(), account))
    }

    fn account_entries(
        &self,
        scope: &Scope,
        after: Option<&(String, String)>,
        limit: usize,
    ) -> Result<Vec<AccountEntry>, StoreError> {
        Ok(self.lock().ledger.after(scope.tenant(), after, limit))
    }
}

impl Lanes for MemoryStore {
    fn lane(self: Arc<Self>, _: Lane) -> Arc<dyn Store> {
        self
    }
}

impl Watch for MemoryStore {
    /// Does nothing: no other process can change this memory.
    fn watch(&self, _: OnChange) {}
}
