//! Progress of notifications: one record per tenant, with a claim by one server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail, ensure};
use brain_core::{Clock, Millis, NodeId, RecordId, TenantId, Timestamp};
use brain_engine::{Engine, Liveness};
use brain_store::{Member, NodeRow, Outcome, Precondition, RecordRow, Scope, Store, SystemScope, Write};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::system::{ProcessLiveness, SystemClock};

/// The record type.
const KIND: &str = "brain.notified";
/// The record id of a tenant's progress.
const OWN: &str = "00000000-0000-7000-8000-000000000001";
/// The record id of the position where notifications began, in the default tenant.
const BASELINE: &str = "00000000-0000-7000-8000-000000000002";
/// Duration of a claim. Longer than one delivery takes.
const CLAIM: Millis = Millis(60_000);

/// Positions that may be read again after a restart, so that a busy feed does not cost a commit per page.
const FEW: u64 = 2_000;

/// The body of the record.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Body {
    /// Everything up to this position of the feed was delivered.
    after: u64,
    /// The server that holds the claim.
    node: Option<NodeId>,
    /// When the claim expires.
    until: Timestamp,
}

/// Progress of notifications.
pub(super) struct Progress {
    store: Arc<dyn Store>,
    node: NodeId,
    baseline: u64,
    /// Positions that this process has read since, by tenant.
    looked: Mutex<HashMap<TenantId, u64>>,
}

fn id(text: &str) -> RecordId {
    text.parse().expect("a fixed id is a UUID")
}

impl Progress {
    /// Starts at the current end of the feed on the first start, later at the stored position.
    pub(super) fn begin(engine: &Arc<Engine>) -> Result<Self> {
        let (store, node) = (engine.store().clone(), engine.node());
        let mut progress = Self { store, node, baseline: 0, looked: Mutex::default() };
        let scope = Scope::of(TenantId::default_tenant());
        let end = progress.store.feed_end(SystemScope)?;
        let first = Body { after: end, node: None, until: SystemClock.now() };
        // Several servers may start at once: the first write wins.
        progress.put(&scope, BASELINE, None, &first)?;
        match progress.read(&scope, BASELINE)? {
            Some((_, body)) => progress.baseline = body.after,
            None => bail!("the store did not keep the start position of notifications"),
        }
        Ok(progress)
    }

    fn read(&self, scope: &Scope, which: &str) -> Result<Option<(RecordRow, Body)>> {
        let Some(row) = self.store.record(scope, KIND, id(which))? else { return Ok(None) };
        let body = serde_json::from_value(row.body.clone())?;
        Ok(Some((row, body)))
    }

    /// Writes a record if it has not changed since it was read; returns whether it was written.
    fn put(&self, scope: &Scope, which: &str, before: Option<&RecordRow>, body: &Body) -> Result<bool> {
        let (now, id) = (SystemClock.now(), id(which));
        let row = RecordRow {
            kind: KIND.into(),
            id,
            revision: before.map_or(1, |row| row.revision + 1),
            state: None,
            created_at: before.map_or(now, |row| row.created_at),
            updated_at: now,
            body: json!(body),
        };
        let revision = before.map(|row| row.revision);
        let preconditions = vec![Precondition::Record { kind: KIND.into(), id, revision }];
        let writes = vec![Write::PutRecord { row, index: Vec::new(), text: None }];
        let member = Member { scope: scope.clone(), preconditions, writes };
        match self.store.commit_now(vec![member])?.as_slice() {
            [Outcome::Committed] => Ok(true),
            [Outcome::Refused(why)] => bail!("the database rejected the progress of notifications: {why}"),
            _ => Ok(false),
        }
    }

    /// The position to continue from for a tenant; `None` while another server holds the claim.
    pub(super) fn begin_at(&self, scope: &Scope) -> Result<Option<u64>> {
        let known = self.read(scope, OWN)?;
        if let Some((_, body)) = &known
            && self.is_anothers(body)?
        {
            return Ok(None);
        }
        let kept = known.map_or(self.baseline, |(_, body)| body.after);
        let looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner).get(scope.tenant()).copied();
        Ok(Some(looked.map_or(kept, |looked| looked.max(kept))))
    }

    /// Whether another live server holds the claim on the tenant.
    fn is_anothers(&self, body: &Body) -> Result<bool> {
        let now = SystemClock.now();
        let Some(other) = body.node.filter(|node| *node != self.node && body.until > now) else { return Ok(false) };
        let nodes = self.store.nodes(SystemScope, now)?;
        let alive = |node: &NodeRow| node.lapsed.is_none() && !ProcessLiveness.is_gone(&node.liveness);
        Ok(nodes.iter().any(|node| node.id == other && alive(node)))
    }

    /// Records that everything up to a position was read. Stored if something was delivered, and otherwise now and
    /// then.
    pub(super) fn advance(&self, scope: &Scope, after: u64, delivered: bool) -> Result<()> {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let before = looked.insert(scope.tenant().clone(), after).unwrap_or(after);
        drop(looked);
        if delivered || before / FEW != after / FEW {
            self.keep(scope, after)?;
        }
        Ok(())
    }

    /// Stores the delivered position and renews this server's claim on the tenant. An error if another server holds it.
    pub(super) fn keep(&self, scope: &Scope, after: u64) -> Result<()> {
        let known = self.read(scope, OWN)?;
        let (row, kept) = known.as_ref().map_or((None, self.baseline), |(row, body)| (Some(row), body.after));
        let body = Body { after: kept.max(after), node: Some(self.node), until: SystemClock.now().plus(CLAIM) };
        let taken = known.as_ref().map_or(Ok(false), |(_, body)| self.is_anothers(body))?;
        ensure!(
            !taken && self.put(scope, OWN, row, &body)?,
            "another server delivers the notifications of {}",
            scope.tenant()
        );
        Ok(())
    }
}
