//! Queries of the scheduler. Nodes that share the database get different runs: a run that a node was given is claimed
//! for it (`FOR UPDATE SKIP LOCKED`) until it has advanced the run or the claim has expired.

use brain_core::{Millis, NodeId, RunId, RunStatus, TenantId, Timestamp};
use uuid::Uuid;

use super::PostgresStore;
use super::connection::values;
use super::read::{count, each, first, get, tenant, time};
use crate::{Backlog, Claim, NodeRow, Scheduling, StoreError, SystemScope};

/// Leases use the clock of the database, so the clocks of the machines need not agree.
const HEARTBEAT: &str = "
INSERT INTO nodes (id, until, liveness)
VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2::bigint, $3)
ON CONFLICT (id) DO UPDATE SET until = excluded.until, liveness = excluded.liveness";

const NODES: &str = "
SELECT id, until, liveness, (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM nodes ORDER BY id";

/// Maximum lease in milliseconds: about a thousand years, so that adding it to a time does not overflow.
const LONGEST_LEASE: i64 = 1 << 45;

/// Leaves out runs that another node owns: a claim by a non-owner would only delay their owner. The runs of dead nodes
/// are found by [`Scheduling::owned_by`].
const DUE: &str = "
WITH given AS (
    SELECT tenant, id, wake_at, claimed_by IS NOT DISTINCT FROM $2 AND claimed_until > $1 AS held FROM runs
    WHERE wake_at <= $1 AND (owner IS NULL OR owner = $2)
      AND (claimed_until IS NULL OR claimed_until <= $1 OR claimed_by = $2)
    ORDER BY wake_at, id LIMIT $4 FOR UPDATE SKIP LOCKED
), claimed AS (
    UPDATE runs r SET claimed_by = $2, claimed_until = $3 FROM given g
    WHERE r.tenant = g.tenant AND r.id = g.id AND NOT coalesce(g.held, false)
)
SELECT tenant, id, wake_at FROM given ORDER BY wake_at, id";

const QUEUED: &str = "
WITH given AS (
    SELECT tenant, id, queue_order, claimed_by IS NOT DISTINCT FROM $2 AND claimed_until > $1 AS held FROM runs
    WHERE tenant = $5 AND queue_order IS NOT NULL AND queue_limit <> ALL ($6)
      AND (owner IS NULL OR owner = $2)
      AND (claimed_until IS NULL OR claimed_until <= $1 OR claimed_by = $2)
    ORDER BY queue_order, id LIMIT $4 FOR UPDATE SKIP LOCKED
), claimed AS (
    UPDATE runs r SET claimed_by = $2, claimed_until = $3 FROM given g
    WHERE r.tenant = g.tenant AND r.id = g.id AND NOT coalesce(g.held, false)
)
SELECT id FROM given ORDER BY queue_order, id";

/// Skips from one tenant to the next along the index (a loose index scan).
const QUEUED_TENANTS: &str = "
WITH RECURSIVE t (tenant) AS (
    (SELECT tenant FROM runs WHERE queue_order IS NOT NULL ORDER BY tenant LIMIT 1)
    UNION ALL
    SELECT (SELECT r.tenant FROM runs r WHERE r.queue_order IS NOT NULL AND r.tenant > t.tenant
            ORDER BY r.tenant LIMIT 1)
    FROM t WHERE t.tenant IS NOT NULL
) SELECT tenant FROM t WHERE tenant IS NOT NULL";

impl Scheduling for PostgresStore {
    fn heartbeat(
        &self,
        _: SystemScope,
        node: NodeId,
        _: Timestamp,
        lease: Millis,
        liveness: &str,
    ) -> Result<(), StoreError> {
        let lease = i64::try_from(lease.0).unwrap_or(i64::MAX).min(LONGEST_LEASE);
        self.system(HEARTBEAT, values![node.as_uuid(), lease, liveness.to_owned()])?;
        self.shared.counters.committed(0, 1, 0);
        Ok(())
    }

    fn nodes(&self, _: SystemScope, _: Timestamp) -> Result<Vec<NodeRow>, StoreError> {
        each(&self.system(NODES, vec![])?, |row| {
            let (now, id) = (time(row, 3)?, NodeId::from_uuid(get(row, 0)?));
            Ok(NodeRow::at(now, id, time(row, 1)?, get(row, 2)?))
        })
    }

    fn forget_node(&self, _: SystemScope, node: NodeId) -> Result<(), StoreError> {
        self.system("DELETE FROM nodes WHERE id = $1", values![node.as_uuid()])?;
        self.shared.counters.committed(0, 1, 0);
        Ok(())
    }

    fn owned_by(&self, _: SystemScope, node: NodeId, limit: usize) -> Result<Vec<(TenantId, RunId)>, StoreError> {
        let sql = "SELECT tenant, id FROM runs WHERE owner = $1 ORDER BY id LIMIT $2";
        let rows = self.system(sql, values![node.as_uuid(), count(limit)])?;
        each(&rows, |row| Ok((tenant(row, 0)?, RunId::from_uuid(get(row, 1)?))))
    }

    fn due(
        &self,
        _: SystemScope,
        claim: &Claim,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId, Timestamp)>, StoreError> {
        let (now, until) = (claim.now.as_millis(), claim.until.as_millis());
        let rows = self.system(DUE, values![now, claim.node.as_uuid(), until, count(limit)])?;
        each(&rows, |row| Ok((tenant(row, 0)?, RunId::from_uuid(get(row, 1)?), time(row, 2)?)))
    }

    fn queued_tenants(&self, _: SystemScope) -> Result<Vec<TenantId>, StoreError> {
        each(&self.system(QUEUED_TENANTS, vec![])?, |row| tenant(row, 0))
    }

    fn queued(
        &self,
        _: SystemScope,
        claim: &Claim,
        tenant: &TenantId,
        except: &[String],
        limit: usize,
    ) -> Result<Vec<RunId>, StoreError> {
        let (now, until) = (claim.now.as_millis(), claim.until.as_millis());
        let (tenant, except) = (tenant.as_str().to_owned(), except.to_vec());
        let rows = self.system(QUEUED, values![now, claim.node.as_uuid(), until, count(limit), tenant, except])?;
        each(&rows, |row| Ok(RunId::from_uuid(get::<Uuid>(row, 0)?)))
    }

    fn next_wake(&self, _: SystemScope) -> Result<Option<Timestamp>, StoreError> {
        let sql = "SELECT wake_at FROM runs WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT 1";
        first(&self.system(sql, vec![])?, |row| time(row, 0))
    }

    fn count_by_status(&self, _: SystemScope) -> Result<Vec<(RunStatus, u64)>, StoreError> {
        let sql = "SELECT status, count(*) FROM runs WHERE status <> 'completed' GROUP BY status ORDER BY status";
        each(&self.system(sql, vec![])?, |row| Ok((RunStatus::stored(get(row, 0)?), get::<i64>(row, 1)? as u64)))
    }

    fn clock(&self, _: SystemScope) -> Result<Option<Timestamp>, StoreError> {
        let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        first(&self.system(sql, vec![])?, |row| time(row, 0))
    }

    fn backlog(&self, _: SystemScope, priority_step: i64) -> Result<Backlog, StoreError> {
        let sql = "SELECT (SELECT count(*) FROM dead_letters WHERE open),
                          (SELECT min(opened_at) FROM dead_letters WHERE open),
                          (SELECT count(*) FROM approvals WHERE status = 'pending'),
                          (SELECT min(asked_at) FROM approvals WHERE status = 'pending'),
                          (SELECT count(*) FROM runs WHERE queue_order IS NOT NULL),
                          (SELECT min(queue_order + priority * $1::bigint) FROM runs WHERE queue_order IS NOT NULL)";
        let rows = self.system(sql, values![priority_step])?;
        let found = first(&rows, |row| {
            let count = |n| get::<i64>(row, n).map(|count| count as u64);
            let since = |n| get::<Option<i64>>(row, n).map(|at| at.map(Timestamp::from_millis));
            Ok(Backlog {
                letters: count(0)?,
                oldest_letter: since(1)?,
                approvals: count(2)?,
                oldest_approval: since(3)?,
                queued: count(4)?,
                oldest_queued: since(5)?,
            })
        })?;
        Ok(found.unwrap_or_default())
    }
}
