//! Copies everything from one store into another, so that moving from SQLite to PostgreSQL, or back, is one command.
//!
//! Everything that belongs to a run is committed together with it, so no node of the target ever sees part of a run.
//! The target's rules apply: existing rows stay unchanged. Nodes are copied with an expired lease, so the target takes
//! over their runs as after a crash.

use brain_core::{Digest, DigestBuilder, Millis, TenantId, Timestamp};

use crate::{
    AccountEntry, Conflict, Member, Outcome, Precondition, Scope, Store, StoreError, Sudo, SystemScope, Write,
};

/// Rows per read.
const PAGE: usize = 200;
/// Members per commit.
const BATCH: usize = 100;
/// Bytes of a blob held in memory at a time.
const PIECE: usize = 1 << 20;

/// The parts of a store, in copying order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Programs and definitions.
    Definitions,
    /// Blobs.
    Blobs,
    /// Records with their index entries and words.
    Records,
    /// Runs.
    Runs,
    /// Rows of logs.
    Log,
    /// Links from runs to records.
    Links,
    /// Idempotency keys.
    Keys,
    /// Dead letters.
    Letters,
    /// Approvals.
    Approvals,
    /// Signals.
    Signals,
    /// Offers to workers.
    Offers,
    /// Bearer tokens.
    Tokens,
    /// Nodes.
    Nodes,
    /// The audit.
    Audit,
    /// Entries of accounts.
    Accounts,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 15] = [
        Self::Definitions,
        Self::Blobs,
        Self::Records,
        Self::Runs,
        Self::Log,
        Self::Links,
        Self::Keys,
        Self::Letters,
        Self::Approvals,
        Self::Signals,
        Self::Offers,
        Self::Tokens,
        Self::Nodes,
        Self::Audit,
        Self::Accounts,
    ];

    /// The display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Definitions => "definitions",
            Self::Blobs => "blobs",
            Self::Records => "records",
            Self::Runs => "runs",
            Self::Log => "log rows",
            Self::Links => "links",
            Self::Keys => "keys",
            Self::Letters => "dead letters",
            Self::Approvals => "approvals",
            Self::Signals => "signals",
            Self::Offers => "offers",
            Self::Tokens => "tokens",
            Self::Nodes => "nodes",
            Self::Audit => "audit",
            Self::Accounts => "account entries",
        }
    }
}

/// Row counts by part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; 15]);

impl Counts {
    /// The number of rows of a part.
    pub fn of(&self, part: Part) -> u64 {
        self.0[part as usize]
    }

    /// The number of all rows.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    fn add(&mut self, part: Part, count: usize) {
        self.0[part as usize] += count as u64;
    }
}

/// What the walk over a store finds.
enum Found<'a> {
    /// Rows that belong together, with preconditions that they do not exist yet.
    Rows(Vec<Precondition>, Vec<Write>),
    /// A blob, whose bytes are read separately.
    Blob(&'a crate::BlobRow),
}

/// Called with everything that belongs to a tenant.
type Each<'a> = &'a mut dyn FnMut(Found<'_>) -> Result<(), StoreError>;

fn part_of(write: &Write) -> Option<Part> {
    Some(match write {
        Write::NewRun(_) => Part::Runs,
        Write::Append(_) => Part::Log,
        Write::PutRecord { .. } => Part::Records,
        Write::Link(_) => Part::Links,
        Write::PutLetter(_) => Part::Letters,
        Write::PutApproval(_) => Part::Approvals,
        Write::Define { .. } => Part::Definitions,
        Write::TakeKey { .. } | Write::Number { .. } => Part::Keys,
        Write::Offer(_) => Part::Offers,
        Write::Signal(_) => Part::Signals,
        Write::Reserve { .. } | Write::Settle { .. } => Part::Accounts,
        _ => return None,
    })
}

/// Walks over everything of a tenant, in bounded pages.
fn walk(store: &dyn Store, scope: &Scope, each: Each<'_>) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = store.blobs(scope, after, PAGE)?;
        for (row, _) in &page {
            each(Found::Blob(row))?;
        }
        let Some((last, _)) = page.last().filter(|_| page.len() == PAGE) else { break };
        after = Some(last.hash);
    }
    let mut after = None;
    loop {
        let page = store.records_after(scope, after.as_ref(), PAGE)?;
        let full = page.len() == PAGE;
        after = page.last().map(|last| (last.row.kind.clone(), last.row.id));
        for whole in page {
            let absent = Precondition::Record { kind: whole.row.kind.clone(), id: whole.row.id, revision: None };
            let put = Write::PutRecord { row: whole.row, index: whole.index, text: whole.text };
            each(Found::Rows(vec![absent], vec![put]))?;
        }
        if !full {
            break;
        }
    }
    let mut after = None;
    loop {
        let page = store.runs_after(scope, None, after, PAGE)?;
        let full = page.len() == PAGE;
        after = page.last().map(|last| last.id);
        for row in page {
            let run = row.id;
            if let Some(why) = row.unreadable() {
                return Err(StoreError::Unreadable(format!("the request of run {run}: {why}")));
            }
            let mut writes = vec![Write::NewRun(Box::new(row))];
            writes.extend(store.log(scope, run)?.into_iter().map(|row| Write::Append(row.into())));
            writes.extend(store.artifacts(scope, run)?.into_iter().map(Write::Link));
            let keys = store.keys_of(scope, run)?.into_iter();
            writes.extend(keys.map(|(key, digest)| Write::TakeKey { key, digest, run }));
            let number = store.number_of(scope, run)?;
            writes.extend(number.map(|number| Write::Number { run, number: Some(number) }));
            writes.extend(store.dead_letters_of(scope, run)?.into_iter().map(Write::PutLetter));
            writes.extend(store.approvals_of(scope, run)?.into_iter().map(Write::PutApproval));
            writes.extend(store.signals(scope, run)?.into_iter().map(Write::Signal));
            each(Found::Rows(vec![Precondition::RunAbsent(run)], writes))?;
        }
        if !full {
            break;
        }
    }
    let mut after = None;
    loop {
        let page = store.offers_after(scope, after, PAGE)?;
        let full = page.len() == PAGE;
        after = page.last().map(|last| last.key);
        for row in page {
            each(Found::Rows(Vec::new(), vec![Write::Offer(row)]))?;
        }
        if !full {
            break;
        }
    }
    let mut after = None;
    loop {
        let page = store.account_entries(scope, after.as_ref(), PAGE)?;
        let full = page.len() == PAGE;
        after = page.last().map(|last| (last.account.clone(), last.id.clone()));
        for AccountEntry { account, id, amount, settled } in page {
            let entry = if settled {
                Write::Settle { account, id, amount }
            } else {
                Write::Reserve { account, id, amount, limit: i64::MAX }
            };
            each(Found::Rows(Vec::new(), vec![entry]))?;
        }
        if !full {
            return Ok(());
        }
    }
}

/// Counts and hashes everything of a tenant. Stores with equal digests have equal content.
pub fn survey(store: &dyn Store, scope: &Scope) -> Result<(Counts, Digest), StoreError> {
    let mut counts = Counts::default();
    let mut digest = DigestBuilder::new("survey");
    walk(store, scope, &mut |found| {
        let text = match found {
            Found::Blob(row) => {
                counts.add(Part::Blobs, 1);
                format!("{row:?}")
            }
            Found::Rows(_, writes) => {
                for part in writes.iter().filter_map(part_of) {
                    counts.add(part, 1);
                }
                format!("{writes:?}")
            }
        };
        digest = std::mem::replace(&mut digest, DigestBuilder::new("")).part(text.as_bytes());
        Ok(())
    })?;
    Ok((counts, digest.finish()))
}

/// Whether a tenant has neither runs nor records in a store.
pub fn is_empty(store: &dyn Store, scope: &Scope) -> Result<bool, StoreError> {
    Ok(store.runs_after(scope, None, None, 1)?.is_empty() && store.records_after(scope, None, 1)?.is_empty())
}

struct Target<'a> {
    from: &'a dyn Store,
    to: &'a dyn Store,
    scope: &'a Scope,
    waiting: Vec<Member>,
    counts: Counts,
}

impl Target<'_> {
    fn take(&mut self, found: Found<'_>) -> Result<(), StoreError> {
        match found {
            Found::Blob(row) => self.blob(row),
            Found::Rows(preconditions, writes) => {
                self.waiting.push(Member { scope: self.scope.clone(), preconditions, writes });
                if self.waiting.len() < BATCH { Ok(()) } else { self.flush() }
            }
        }
    }

    fn blob(&mut self, row: &crate::BlobRow) -> Result<(), StoreError> {
        if self.to.blob(self.scope, row.hash)?.is_some() {
            return Ok(());
        }
        let mut writer = self.to.begin_blob(self.scope, &row.media_type, row.at)?;
        let mut at = 0;
        while at < row.size {
            let piece = self.from.blob_part(self.scope, row.hash, at, PIECE)?;
            writer.write(&piece)?;
            at += PIECE as u64;
        }
        let written = writer.finish()?;
        if written.hash != row.hash {
            return Err(StoreError::Unreadable(format!(
                "blob {} is damaged: its bytes have the digest {}",
                row.hash, written.hash
            )));
        }
        self.counts.add(Part::Blobs, 1);
        Ok(())
    }

    /// Commits the collected members. Conflicts are rows that were copied before.
    fn flush(&mut self) -> Result<(), StoreError> {
        let members = std::mem::take(&mut self.waiting);
        if members.is_empty() {
            return Ok(());
        }
        let parts: Vec<Vec<Part>> =
            members.iter().map(|member| member.writes.iter().filter_map(part_of).collect()).collect();
        for (outcome, parts) in self.to.commit_now(members)?.into_iter().zip(parts) {
            match outcome {
                Outcome::Committed => parts.into_iter().for_each(|part| self.counts.add(part, 1)),
                Outcome::Conflict(Conflict::Precondition(_) | Conflict::OverLimit { .. }) => {}
                Outcome::Blocked(why) => return Err(StoreError::Locked(why)),
                Outcome::Refused(why) => {
                    return Err(StoreError::Failed(format!("the target rejects a row: {why}")));
                }
                Outcome::Conflict(Conflict::Unique { kind, field, holder }) => {
                    return Err(StoreError::Failed(format!(
                        "the target has a {kind} ({holder}) with the same {field}; copy into an empty store"
                    )));
                }
            }
        }
        Ok(())
    }
}

/// Copies everything of a tenant and returns the number of new rows. `progress` is called after each item.
pub fn copy_tenant(
    from: &dyn Store,
    to: &dyn Store,
    scope: &Scope,
    progress: &mut dyn FnMut(&Counts),
) -> Result<Counts, StoreError> {
    let mut target = Target { from, to, scope, waiting: Vec::new(), counts: Counts::default() };
    walk(from, scope, &mut |found| {
        target.take(found)?;
        progress(&target.counts);
        Ok(())
    })?;
    target.flush()?;
    Ok(target.counts)
}

/// Copies what is shared between tenants: definitions, nodes, and the tokens and audit of these tenants (`None`: of
/// all). Run this first, because runs refer to definitions and nodes.
pub fn copy_shared(
    from: &dyn Store,
    to: &dyn Store,
    sudo: &Sudo,
    scope: &Scope,
    tenant: Option<&TenantId>,
) -> Result<Counts, StoreError> {
    let mut target = Target { from, to, scope, waiting: Vec::new(), counts: Counts::default() };
    let mut after = None;
    loop {
        let page = from.definitions_after(sudo, after, PAGE)?;
        let full = page.len() == PAGE;
        after = page.last().map(|last| last.hash);
        for row in page {
            let kind = match row.kind.as_str() {
                "program" => "program",
                "tool" => "tool",
                "record" => "record",
                "settings" => "settings",
                other => return Err(StoreError::Unreadable(format!("a definition has the unknown kind `{other}`"))),
            };
            let define = Write::Define { hash: row.hash, kind, body: row.body };
            target.take(Found::Rows(Vec::new(), vec![define]))?;
        }
        if !full {
            break;
        }
    }
    target.flush()?;
    let mut counts = target.counts;
    for node in from.nodes(SystemScope, Timestamp::default())? {
        to.heartbeat(SystemScope, node.id, Timestamp::default(), Millis(0), "")?;
        counts.add(Part::Nodes, 1);
    }
    let ours = |of: &TenantId| tenant.is_none_or(|tenant| tenant == of);
    for row in from.tokens()?.into_iter().filter(|row| ours(&row.tenant)) {
        to.put_token(&row)?;
        counts.add(Part::Tokens, 1);
    }
    let rows = from.audit(SystemScope, usize::MAX)?;
    for row in rows.iter().rev().filter(|row| tenant.is_none() || row.tenant.as_ref().is_some_and(ours)) {
        to.note_once(row)?;
        counts.add(Part::Audit, 1);
    }
    Ok(counts)
}
