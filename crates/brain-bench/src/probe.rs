//! The two limits that runs are compared with.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use brain::bench::Measured;
use brain_store::{Member, Outcome, Scope, Store, Write};

use crate::ground::remove;

/// Rows per read.
const PAGE: usize = 1000;

/// Commits the rows of the newest `runs` runs of a store into an empty one: the same tables, rows, bytes and
/// acknowledgements per run, without the engine.
pub(crate) fn same_rows(
    store: &Arc<dyn Store>,
    scope: &Scope,
    fresh: &Arc<dyn Store>,
    runs: usize,
    clients: usize,
) -> Result<Measured> {
    let work = Arc::new(Mutex::new(read_back(store, scope, runs)?));
    let started = Instant::now();
    let threads: Vec<_> = (0..clients)
        .map(|_| {
            let (work, fresh) = (work.clone(), fresh.clone());
            std::thread::spawn(move || -> Result<Vec<f64>> {
                let mut latencies = Vec::new();
                while let Some(members) = work.lock().ok().and_then(|mut work| work.pop()) {
                    let begun_at = Instant::now();
                    for member in members {
                        if fresh.commit_now(vec![member])? != [Outcome::Committed] {
                            bail!("a commit of the probe conflicted");
                        }
                    }
                    latencies.push(begun_at.elapsed().as_secs_f64() * 1e3);
                }
                Ok(latencies)
            })
        })
        .collect();
    let mut latencies = Vec::new();
    for thread in threads {
        latencies.extend(thread.join().map_err(|_| anyhow!("a client of the probe panicked"))??);
    }
    Ok(Measured::new(started.elapsed().as_secs_f64(), latencies))
}

/// The commits of each run: everything with the first, then an update of the run's row for each later one.
pub(crate) fn read_back(store: &Arc<dyn Store>, scope: &Scope, runs: usize) -> Result<Vec<Vec<Member>>> {
    let mut all = Vec::with_capacity(runs);
    let mut cursor = None;
    while all.len() < runs {
        let page = store.runs(scope, None, PAGE.min(runs - all.len()), cursor.as_deref())?;
        for row in page.items {
            let mut writes = Vec::new();
            for link in store.artifacts(scope, row.id)? {
                if let Some(record) = store.record(scope, &link.kind, link.record)? {
                    writes.push(Write::PutRecord { row: record, index: Vec::new(), text: None });
                }
                writes.push(Write::Link(link));
            }
            let mut members = Vec::new();
            let (id, status, at, schedule) = (row.id, row.status, row.updated_at, row.schedule.clone());
            let mut first = vec![Write::NewRun(Box::new(row))];
            for (number, log) in store.log(scope, id)?.into_iter().enumerate() {
                let mut commit = if number == 0 {
                    let mut commit = std::mem::take(&mut first);
                    commit.append(&mut writes);
                    commit
                } else {
                    let schedule = schedule.clone();
                    vec![Write::UpdateRun { run: id, status, at, schedule, program: None }]
                };
                commit.push(Write::Append(log.into()));
                members.push(Member { scope: scope.clone(), preconditions: Vec::new(), writes: commit });
            }
            all.push(members);
        }
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    if all.len() < runs {
        bail!("only {} of {runs} runs could be read back", all.len());
    }
    Ok(all)
}

/// The limit of the design: clients wait for durable acknowledgements, and one thread group-commits for all of them
/// into an append-only table, without the engine.
pub(crate) struct Append {
    pub(crate) clients: usize,
    pub(crate) runs: usize,
    pub(crate) acknowledgements: usize,
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

impl Append {
    pub(crate) fn measure(&self, path: &Path) -> Result<Measured> {
        remove(path);
        let connection = rusqlite::Connection::open(path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
        connection.execute_batch("CREATE TABLE IF NOT EXISTS probe (n INTEGER PRIMARY KEY, run INTEGER, body BLOB)")?;
        let (send, receive) = channel();
        let rows = (self.rows / self.acknowledgements).max(1);
        let body = vec![b'x'; self.bytes / (rows * self.acknowledgements)];
        let writer = std::thread::spawn(move || write_forever(connection, &receive, rows, &body));
        let next = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let started = Instant::now();
        let mut clients = Vec::new();
        for _ in 0..self.clients {
            let (send, next, runs, acknowledgements) = (send.clone(), next.clone(), self.runs, self.acknowledgements);
            clients.push(std::thread::spawn(move || {
                let mut latencies = Vec::new();
                let (done, acknowledged) = channel();
                while next.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < runs {
                    let begun_at = Instant::now();
                    for _ in 0..acknowledgements {
                        if send.send(done.clone()).is_err() || acknowledged.recv().is_err() {
                            return latencies;
                        }
                    }
                    latencies.push(begun_at.elapsed().as_secs_f64() * 1e3);
                }
                latencies
            }));
        }
        drop(send);
        let mut latencies = Vec::new();
        for client in clients {
            latencies.extend(client.join().map_err(|_| anyhow::anyhow!("a client of the probe panicked"))?);
        }
        let seconds = started.elapsed().as_secs_f64();
        writer.join().map_err(|_| anyhow::anyhow!("the probe's writer panicked"))??;
        remove(path);
        Ok(Measured::new(seconds, latencies))
    }
}

fn write_forever(
    mut connection: rusqlite::Connection,
    waiting: &Receiver<Sender<()>>,
    rows: usize,
    body: &[u8],
) -> rusqlite::Result<()> {
    let mut group = Vec::new();
    while let Ok(first) = waiting.recv() {
        group.push(first);
        group.extend(waiting.try_iter());
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        {
            let mut insert = transaction.prepare_cached("INSERT INTO probe (run, body) VALUES (?1, ?2)")?;
            for (number, _) in group.iter().enumerate() {
                for _ in 0..rows {
                    insert.execute((number as i64, body))?;
                }
            }
        }
        transaction.commit()?;
        for done in group.drain(..) {
            // The client may have given up.
            let _ = done.send(());
        }
    }
    Ok(())
}
