//! A faulty store. Its writes are atomic, but its reports may be late, may call a commit failed that was written (the
//! only wrong report that is allowed), or may never arrive because the node has died.

mod reads;
mod retention;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use brain_core::{Clock, Millis, NodeId, RunId, TenantId, Timestamp, VirtualClock};
use brain_engine::log::entries;
use brain_store::{
    Commit, CommitDone, CommitResult, DeadLetterRow, FeedPage, LogRow, Member, Outcome, Precondition, Scope, Store,
    StoreError, StoreStats, Write,
};

use crate::Options;
use crate::bug::Bug;
use crate::dice::Dice;
use crate::listing::Listing;

/// The state that all nodes share.
pub(crate) struct Disk {
    pub(crate) base: Arc<dyn Store>,
    inner: Mutex<Inner>,
    listing: Listing,
    truth: Arc<VirtualClock>,
    bug: Option<Bug>,
    /// Whether reads count as waiting for another process, whatever the store is.
    pub(crate) reads_wait: bool,
    pub(crate) bad_commits: AtomicU64,
    /// Number of rejected members.
    pub(crate) refused: AtomicU64,
    /// Every row that was ever written to a log, including deleted ones.
    pub(crate) history: Mutex<BTreeMap<RunId, Vec<Arc<LogRow>>>>,
    /// The tenant of each run.
    pub(crate) tenants: Mutex<BTreeMap<RunId, TenantId>>,
    /// The client of each run, whether it was a request of its own (no child, no undo), and when it was written.
    pub(crate) requests: Mutex<BTreeMap<RunId, (String, bool, Timestamp)>>,
    /// The leases of nodes, if the rows are in a database. The database would use its own clock, but leases must follow
    /// the clock of the world.
    leases: Option<Mutex<BTreeMap<NodeId, (Timestamp, String)>>>,
    /// Called with a run right before it is erased or deleted.
    pub(crate) farewell: OnceLock<Farewell>,
}

/// A callback for a run that is about to be removed.
pub(crate) type Farewell = Box<dyn Fn(&Scope, RunId) + Send + Sync>;

struct Inner {
    dice: Dice,
    /// Which members are rejected.
    refusals: Dice,
    /// Draws the members that a lock blocks.
    locks: Dice,
    faulty: bool,
    held: Vec<Held>,
}

/// A delayed batch.
struct Held {
    at: Timestamp,
    node: String,
    /// The batch, if it is not written yet; `None` if only its report is late.
    members: Option<Vec<Member>>,
    result: CommitResult,
    done: CommitDone,
    dead: Arc<AtomicBool>,
}

/// The store as one node sees it. When the node is dead, nothing gets through.
pub(crate) struct NodeStore {
    pub(crate) disk: Arc<Disk>,
    pub(crate) node: String,
    pub(crate) dead: Arc<AtomicBool>,
    /// The tenants whose jobs the node has started, one entry per job.
    pub(crate) started: Arc<Mutex<Vec<TenantId>>>,
}

/// The fate of a batch.
#[derive(Clone, Copy, Debug)]
enum CommitFate {
    /// Written and reported.
    Fine,
    /// Not written, and reported as failed.
    Fails,
    /// Written, but reported as failed.
    Cut,
    /// Written at once; the report is late.
    LateWord,
    /// Written later; other batches are written in between.
    LateWrite,
    /// The node dies before the write.
    DeathBefore,
    /// Written, and the node dies before the report.
    DeathAfter,
}

impl Disk {
    pub(crate) fn new(
        seed: u64,
        base: Arc<dyn Store>,
        listing: Listing,
        truth: Arc<VirtualClock>,
        options: &Options,
    ) -> Arc<Self> {
        let inner = Mutex::new(Inner {
            dice: Dice::new(seed, "store"),
            refusals: Dice::new(seed, "refusals"),
            locks: Dice::new(seed, "locks"),
            faulty: true,
            held: Vec::new(),
        });
        let (bad_commits, refused) = (AtomicU64::new(0), AtomicU64::new(0));
        let (history, tenants, requests) = (Mutex::default(), Mutex::default(), Mutex::default());
        let reads_wait = base.reads_wait() || Dice::new(seed, "reads").one_in(2);
        Arc::new(Self {
            base,
            inner,
            listing,
            truth,
            bug: options.bug,
            reads_wait,
            bad_commits,
            refused,
            history,
            tenants,
            requests,
            leases: options.postgres.is_some().then(Mutex::default),
            farewell: OnceLock::new(),
        })
    }

    fn now(&self) -> Timestamp {
        self.truth.now()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on nothing fails.
    pub(crate) fn calm(&self) {
        self.lock().faulty = false;
        self.release(Timestamp::from_millis(i64::MAX));
    }

    /// Ends the delayed batches that are due.
    pub(crate) fn release(&self, now: Timestamp) {
        loop {
            let mut inner = self.lock();
            let Some(place) = inner.held.iter().position(|held| held.at <= now) else { return };
            let held = inner.held.remove(place);
            drop(inner);
            self.end(held);
        }
    }

    /// Writes a delayed batch of another node, which a reader may notice between two of its reads.
    fn race(&self) {
        let mut inner = self.lock();
        if !inner.faulty || inner.held.is_empty() || !inner.dice.permille(300) {
            return;
        }
        let Some(place) = inner.held.iter().position(|held| held.members.is_some()) else { return };
        let held = inner.held.remove(place);
        drop(inner);
        self.end(held);
    }

    fn end(&self, held: Held) {
        let Held { node, members, result, done, dead, .. } = held;
        let result = match members {
            // A batch that a dead node had sent may arrive or not.
            Some(_) if dead.load(Ordering::SeqCst) && self.lock().dice.one_in(2) => return,
            Some(members) => self.write(&node, members, "written late"),
            None => {
                self.listing.note(&node, |_| "commit: its word comes".to_owned());
                result
            }
        };
        if !dead.load(Ordering::SeqCst) {
            done(result);
        }
    }

    fn fate(&self) -> (CommitFate, Millis) {
        let mut inner = self.lock();
        if !inner.faulty {
            return (CommitFate::Fine, Millis(0));
        }
        let fate = match inner.dice.below(1000) {
            0..=34 => CommitFate::Fails,
            35..=64 => CommitFate::Cut,
            65..=99 => CommitFate::LateWord,
            100..=134 => CommitFate::LateWrite,
            135..=139 => CommitFate::DeathBefore,
            140..=144 => CommitFate::DeathAfter,
            _ => CommitFate::Fine,
        };
        let wait = if inner.dice.one_in(5) { inner.dice.between(5_000, 30_000) } else { inner.dice.between(20, 2_000) };
        (fate, Millis(wait))
    }

    /// Writes a batch now, with the planted bug applied.
    fn write(&self, node: &str, mut members: Vec<Member>, how: &str) -> CommitResult {
        if let Some(bug) = self.bug
            && !self.spoil(bug, &mut members)
        {
            self.listing.note(node, |_| "commit: reported as written, but it is not".to_owned());
            return Ok(vec![Outcome::Committed; members.len()]);
        }
        let shown: Vec<String> = members.iter().map(|member| self.describe(member)).collect();
        let result = self.commit_but(members);
        self.listing.note(node, |_| match &result {
            Ok(outcomes) => {
                let each = shown.iter().zip(outcomes).map(|(shown, outcome)| match outcome {
                    Outcome::Committed => shown.clone(),
                    Outcome::Conflict(conflict) => format!("{shown} CONFLICT {conflict:?}"),
                    Outcome::Refused(_) => format!("{shown} REFUSED"),
                    Outcome::Blocked(_) => format!("{shown} BLOCKED"),
                });
                format!("commit {how}: {}", each.collect::<Vec<_>>().join("; "))
            }
            Err(error) => format!("commit {how}: {error}"),
        });
        result
    }

    /// Writes all members except the rejected ones.
    fn commit_but(&self, members: Vec<Member>) -> CommitResult {
        let count = members.len();
        let mut inner = self.lock();
        let faulty = inner.faulty;
        // A lock of another session blocks single members of a batch.
        let fates: Vec<Option<Outcome>> = (0..count)
            .map(|_| match (faulty, inner.refusals.permille(4), inner.locks.permille(6)) {
                (true, true, _) => Some(Outcome::Refused("the simulation rejects this member".to_owned())),
                (true, _, true) if count > 1 => Some(Outcome::Blocked("the simulation locks this member".to_owned())),
                _ => None,
            })
            .collect();
        drop(inner);
        let refused = fates.iter().filter(|fate| matches!(fate, Some(Outcome::Refused(_)))).count();
        self.refused.fetch_add(refused as u64, Ordering::Relaxed);
        let rest = members.into_iter().zip(&fates).filter(|(_, fate)| fate.is_none());
        let rest: Vec<Member> = rest.map(|(member, _)| member).collect();
        for member in &rest {
            self.say_farewell(member);
        }
        let written: Vec<Written> = rest.iter().map(Written::of).collect();
        let outcomes = self.base.commit_now(rest)?;
        for (written, outcome) in written.into_iter().zip(&outcomes) {
            if *outcome == Outcome::Committed {
                self.note(written);
            }
        }
        let mut outcomes = outcomes.into_iter();
        let lost = || Outcome::Refused("the store forgot this member".to_owned());
        Ok(fates.into_iter().map(|fate| fate.or_else(|| outcomes.next()).unwrap_or_else(lost)).collect())
    }

    fn say_farewell(&self, member: &Member) {
        let Some(farewell) = self.farewell.get() else { return };
        for write in &member.writes {
            if let Write::DropRun(run) | Write::Erase { run, .. } = write {
                farewell(&member.scope, *run);
            }
        }
    }

    /// Applies a planted bug; `false` if nothing is to be written at all.
    fn spoil(&self, bug: Bug, members: &mut [Member]) -> bool {
        match bug {
            Bug::NoFences => {
                for member in members {
                    member.preconditions.retain(|one| !matches!(one, Precondition::RunAt { .. }));
                }
            }
            Bug::LostUpdate => {
                for member in members {
                    member.preconditions.retain(|one| !matches!(one, Precondition::Record { .. }));
                }
            }
            Bug::ForgottenKey => {
                for member in members {
                    member.writes.retain(|one| !matches!(one, Write::TakeKey { .. }));
                }
            }
            Bug::LostWrite => {
                let mut inner = self.lock();
                for member in members {
                    if inner.dice.permille(20) && !member.writes.is_empty() {
                        let place = inner.dice.below(member.writes.len() as u64);
                        member.writes.remove(place as usize);
                    }
                }
            }
            Bug::NoAbsence => {
                for member in members {
                    member.preconditions.retain(|one| !matches!(one, Precondition::Record { revision: None, .. }));
                }
            }
            Bug::LetterClosed => members.iter_mut().for_each(|member| self.close_letters(member)),
            Bug::LostTimer => {
                for member in members {
                    let mut inner = self.lock();
                    for write in &mut member.writes {
                        if let Write::UpdateRun { schedule, .. } = write
                            && inner.dice.one_in(3)
                        {
                            schedule.wake_at = None;
                        }
                    }
                }
            }
            Bug::LostSignal => {
                for member in members {
                    member.writes.retain(|one| !matches!(one, Write::Signal(_)) || !self.lock().dice.one_in(5));
                }
            }
            Bug::OfferLeft => {
                for member in members {
                    member.writes.retain(|one| !matches!(one, Write::Withdraw(_)) || !self.lock().dice.one_in(5));
                }
            }
            Bug::FalseWord => return !self.lock().dice.permille(10),
            _ => {}
        }
        true
    }

    /// Closes all dead letters of a run when it ends, even those in doubt.
    fn close_letters(&self, member: &mut Member) {
        let over = member.writes.iter().find_map(|write| match write {
            Write::UpdateRun { run, status, .. } if status.is_over() => Some(*run),
            _ => None,
        });
        let Some(run) = over else { return };
        let close = |letter: &mut DeadLetterRow| {
            letter.open = false;
            letter.body["resolution"] = serde_json::json!({"outcome": "run_ended"});
        };
        let mut known = Vec::new();
        for write in &mut member.writes {
            if let Write::PutLetter(letter) = write {
                known.push(letter.id);
                if letter.open {
                    close(letter);
                }
            }
        }
        for mut letter in self.base.dead_letters_of(&member.scope, run).unwrap_or_default() {
            if letter.open && !known.contains(&letter.id) {
                close(&mut letter);
                member.writes.push(Write::PutLetter(letter));
            }
        }
    }

    fn describe(&self, member: &Member) -> String {
        let rows = member.writes.iter().filter_map(|write| match write {
            Write::Append(row) => Some(row),
            _ => None,
        });
        let logs = rows.map(|row| {
            let events: Vec<String> = entries(std::slice::from_ref(row))
                .map(|entry| match (entry.value()["job"]["step"].as_u64(), entry.value()["attempt"].as_u64()) {
                    (Some(step), Some(attempt)) => format!("{} {step}#{attempt}", entry.name()),
                    (Some(step), None) => format!("{} {step}", entry.name()),
                    _ => entry.name().to_owned(),
                })
                .collect();
            format!("{} @{} [{}]", self.listing.run(row.run), row.seq, events.join(", "))
        });
        logs.collect::<Vec<_>>().join(" + ")
    }
}

/// What a member adds to the shared history.
struct Written {
    tenant: TenantId,
    rows: Vec<Arc<LogRow>>,
    new: Option<(RunId, String, bool)>,
}

impl Written {
    fn of(member: &Member) -> Self {
        let mut written = Self { tenant: member.scope.tenant().clone(), rows: Vec::new(), new: None };
        for write in &member.writes {
            match write {
                Write::Append(row) => written.rows.push(row.clone()),
                Write::NewRun(row) => {
                    let own = row.request["parent"].is_null() && row.request["undo_of"].is_null();
                    let actor = row.request["actor"].as_str().unwrap_or_default().to_owned();
                    written.new = Some((row.id, actor, own));
                }
                _ => {}
            }
        }
        written
    }
}

impl Disk {
    fn note(&self, written: Written) {
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        for row in written.rows {
            tenants.entry(row.run).or_insert_with(|| written.tenant.clone());
            history.entry(row.run).or_default().push(row);
        }
        if let Some((run, actor, own)) = written.new {
            let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
            requests.insert(run, (actor, own, self.truth.now()));
        }
    }

    /// The feed as its reader sees it.
    pub(crate) fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<FeedPage, StoreError> {
        let mut page = self.base.feed(scope, after, limit)?;
        if self.bug == Some(Bug::FeedGap) && page.items.len() > 2 && self.lock().dice.one_in(4) {
            // The bug: as if the end were read after the rows, so that rows in between are skipped.
            page.items.pop();
        }
        Ok(page)
    }
}

impl NodeStore {
    /// Performs a read if the node is alive and the store answers.
    fn read<T>(&self, look: impl FnOnce(&dyn Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if self.dead.load(Ordering::SeqCst) {
            return Err(StoreError::Failed("this node is dead".into()));
        }
        let mut inner = self.disk.lock();
        let fails = inner.faulty && inner.dice.permille(8);
        drop(inner);
        if fails {
            self.disk.listing.note(&self.node, |_| "a read fails".to_owned());
            return Err(StoreError::Failed("the store did not answer".into()));
        }
        look(self.disk.base.as_ref())
    }

    fn die(&self, when: &str) {
        self.disk.listing.note(&self.node, |_| format!("dies {when} a commit"));
        self.dead.store(true, Ordering::SeqCst);
    }

    fn hold(&self, members: Option<Vec<Member>>, result: CommitResult, done: CommitDone, wait: Millis) {
        let at = self.disk.truth.now().plus(wait);
        let held = Held { at, node: self.node.clone(), members, result, done, dead: self.dead.clone() };
        self.disk.lock().held.push(held);
    }
}

impl Commit for NodeStore {
    fn commit(&self, members: Vec<Member>, done: CommitDone) {
        if self.dead.load(Ordering::SeqCst) {
            return;
        }
        let disk = &self.disk;
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.extend(members.iter().flat_map(|member| {
            let starts = member.writes.iter().filter_map(|write| match write {
                Write::Append(row) => Some(row),
                _ => None,
            });
            let starts = starts.flat_map(|row| entries(std::slice::from_ref(row)));
            let count = starts.filter(|entry| entry.name() == "JobStarted").count();
            std::iter::repeat_n(member.scope.tenant().clone(), count)
        }));
        drop(started);
        let (fate, wait) = disk.fate();
        if !matches!(fate, CommitFate::Fine) {
            disk.bad_commits.fetch_add(1, Ordering::Relaxed);
        }
        let failed = |why: &str| Err(StoreError::Failed(why.to_owned()));
        match fate {
            CommitFate::Fine => done(disk.write(&self.node, members, "fine")),
            CommitFate::Fails => {
                let shown: Vec<String> = members.iter().map(|member| disk.describe(member)).collect();
                disk.listing.note(&self.node, |_| format!("commit fails: {}", shown.join("; ")));
                done(failed("the disk is full"));
            }
            CommitFate::Cut => {
                drop(disk.write(&self.node, members, "cut off"));
                done(failed("the connection was cut"));
            }
            CommitFate::LateWord => {
                let result = disk.write(&self.node, members, "with a late word");
                self.hold(None, result, done, wait);
            }
            CommitFate::LateWrite => self.hold(Some(members), Ok(Vec::new()), done, wait),
            CommitFate::DeathBefore => self.die("before"),
            CommitFate::DeathAfter => {
                drop(disk.write(&self.node, members, "the last"));
                self.die("after");
            }
        }
    }

    fn stats(&self) -> StoreStats {
        self.disk.base.stats()
    }

    /// A caller that blocks cannot wait for other batches, so the write happens, or fails, at once.
    fn commit_now(&self, members: Vec<Member>) -> CommitResult {
        let failed = |why: &str| Err(StoreError::Failed(why.to_owned()));
        if self.dead.load(Ordering::SeqCst) {
            return failed("this node is dead");
        }
        match self.disk.fate().0 {
            CommitFate::Fails => failed("the disk is full"),
            CommitFate::Cut => {
                drop(self.disk.write(&self.node, members, "cut off"));
                failed("the connection was cut")
            }
            _ => self.disk.write(&self.node, members, "at once"),
        }
    }
}
