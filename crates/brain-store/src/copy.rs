//! Everything of a store, written into another one: outgrowing one file is one command, and so is coming back.
//!
//! Whatever belongs to a run goes in one commit with it, so that no node of the target ever sees half of one. All
//! rules of the target apply: what is there already is left as it is. Nodes are copied with a word that has ended: what
//! they were doing when the source was stopped is taken over at the target as after any crash.

use brain_core::{Digest, DigestBuilder, Millis, TenantId, Timestamp};

use crate::{
    AccountEntry, Conflict, Member, Outcome, Precondition, Scope, Store, StoreError, Sudo, SystemScope, Write,
};

/// Rows that are read together.
const PAGE: usize = 200;
/// Members that share one commit.
const BATCH: usize = 100;
/// Bytes of a blob that are held at a time.
const PIECE: usize = 1 << 20;

/// The parts of a store, in the order in which they are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Programs and definitions.
    Definitions,
    /// Large values.
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
    /// All of them.
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

    /// The name, for people.
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

/// Rows by part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; 15]);

impl Counts {
    /// How many rows of a part.
    pub fn of(&self, part: Part) -> u64 {
        self.0[part as usize]
    }

    /// All rows.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    fn add(&mut self, part: Part, count: usize) {
        self.0[part as usize] += count as u64;
    }
}

/// What copying does with what it finds.
enum Found<'a> {
    /// Rows that belong together: what must not be there yet, and the rows.
    Rows(Vec<Precondition>, Vec<Write>),
    /// A blob: its row and where it is.
    Blob(&'a crate::BlobRow),
}

/// Called with each thing that belongs to a tenant.
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

/// Goes through everything of a tenant, in bounded pages.
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
            writes.extend(store.letters_of(scope, run)?.into_iter().map(Write::PutLetter));
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

/// Counts everything of a tenant and computes a digest of it: two stores with the same digest hold the same.
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

/// Whether a tenant has nothing in a store yet: neither runs nor records.
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
                "the bytes of blob {} are those of {}",
                row.hash, written.hash
            )));
        }
        self.counts.add(Part::Blobs, 1);
        Ok(())
    }

    /// Commits what waits. What is there already was copied before.
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
                Outcome::Refused(why) => {
                    return Err(StoreError::Failed(format!("the target does not take a row: {why}")));
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

/// Copies everything of a tenant; how many rows were new there. `progress` is told after every thing that is copied.
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

/// Copies what belongs to no single tenant: definitions, nodes, and the tokens and audit of these tenants (`None`: of
/// all). This comes first: a run must find what it runs on, and its node.
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
                other => return Err(StoreError::Unreadable(format!("a definition of kind `{other}`"))),
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
