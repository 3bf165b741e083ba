//! `brain bench runs`: durable runs per second through the whole engine, beside a probe that commits the same rows
//! and bytes with the same number of acknowledgements, in the same process and folder.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use brain_core::{Failure, TenantId};
use brain_engine::{CheckAnswer, EngineConfig, Host, HostFuture, JobContext, JobOutcome, RecordView, RunView};
use brain_kernel::{Kernel, KernelConfig, Limits, Mode, Request};
use brain_lang::plan::{PlanStep, ToolRef};
use brain_registry::{PackSource, ToolResult, ValidatedCall};
use brain_store::{Scope, SqliteStore, Store, StoreStats};
use brain_vm::JobId;
use serde_json::{Value, json};

use crate::cli::{BenchArgs, BenchTools, Global};
use crate::show::{BOLD, DIM};
use crate::system::{ProcessLiveness, SystemClock, SystemRandom};
use crate::{open, show};

const PACK: &str = "name: bench\nversion: 1.0.0\ntitle: Benchmark\nhosts: [bench.invalid]\n";
const RECORDS: &str = "record: entry\ntitle: Entry\nfields:\n  text: string\n";
const TOOLS: &str = "domain: bench
tools:
  add:
    title: Add an entry
    input: {text: string}
    phrases: [\"bench add {text}\"]
    behavior: {record: {insert: entry}}
    undo: none
  call:
    title: Call outside
    input: {text: string}
    phrases: [\"bench call {text}\"]
    behavior: {http: {method: POST, url: \"https://bench.invalid/\"}}
    idempotency: key
    undo: none
";

/// A host whose outside calls answer at once: what is measured is the engine, not a network.
struct InstantHost(Arc<dyn Host>);

impl Host for InstantHost {
    fn condition(&self, view: RunView<'_>, step: &PlanStep) -> Result<bool, Failure> {
        self.0.condition(view, step)
    }

    fn items(&self, view: RunView<'_>, step: &PlanStep) -> Result<Vec<Value>, Failure> {
        self.0.items(view, step)
    }

    fn bind(&self, view: RunView<'_>, step: &PlanStep, job: JobId) -> Result<ValidatedCall, Failure> {
        self.0.bind(view, step, job)
    }

    fn rebind(&self, tool: &ToolRef, args: Value) -> Result<ValidatedCall, Failure> {
        self.0.rebind(tool, args)
    }

    fn decide(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure> {
        self.0.decide(call, job, records)
    }

    fn perform(&self, _: ValidatedCall, _: JobContext) -> HostFuture<JobOutcome> {
        Box::pin(std::future::ready(JobOutcome::Done(ToolResult::ok(json!({"status": "ok"})))))
    }

    fn check(&self, _: &ToolRef, _: Value, _: JobContext) -> HostFuture<CheckAnswer> {
        Box::pin(std::future::ready(CheckAnswer::DidNot))
    }
}

/// What one measurement came to.
struct Measured {
    seconds: f64,
    latencies: Vec<f64>,
}

impl Measured {
    fn percentile(&self, share: f64) -> f64 {
        let last = self.latencies.len().saturating_sub(1);
        self.latencies.get((last as f64 * share) as usize).copied().unwrap_or_default()
    }
}

pub(crate) fn run(global: &Global, args: &BenchArgs) -> Result<bool> {
    if args.steps == 0 || args.steps > 100 || args.runs == 0 || args.in_flight == 0 {
        bail!("--steps must be 1 to 100, --runs and --in-flight at least 1");
    }
    let scratch = tempfile::tempdir()?;
    let named = global.store.as_ref().and_then(|url| url.strip_prefix("sqlite:")).map(Path::new);
    let path = named.map_or_else(|| scratch.path().join("bench.db"), Path::to_owned);
    let probe_path = path.with_extension("probe.db");
    let registry = bench_registry()?;
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&path)?);
    let runtime = open::runtime()?;
    let (measured, stats) = runtime.block_on(async {
        let config =
            KernelConfig { engine: EngineConfig { keep: false, ..EngineConfig::default() }, ..KernelConfig::default() };
        let kernel = Kernel::start_with(
            &config,
            registry,
            store.clone(),
            Arc::new(SystemClock),
            Box::new(SystemRandom),
            Arc::new(ProcessLiveness),
            &|host| Arc::new(InstantHost(host)),
        )?;
        // A few runs first: programs are stored, statements prepared, caches warm.
        drop(drive(&kernel, args, args.in_flight.min(args.runs)).await?);
        let before = store.stats();
        let measured = drive(&kernel, args, args.runs).await?;
        let stats = difference(before, store.stats());
        kernel.engine().stop();
        anyhow::Ok((measured, stats))
    })?;
    let per_run = |count: u64| count as f64 / args.runs as f64;
    let acknowledgements = per_run(stats.members).round().max(1.0) as usize;
    let probe = Probe {
        clients: args.in_flight.min(args.runs),
        runs: args.runs,
        acknowledgements,
        rows: per_run(stats.rows).round().max(1.0) as usize,
        bytes: per_run(stats.bytes).round() as usize,
    };
    let probed = probe.measure(&probe_path)?;
    for end in ["", "-wal", "-shm"] {
        drop(std::fs::remove_file(format!("{}{end}", probe_path.display())));
    }
    let runs_per_second = args.runs as f64 / measured.seconds;
    let probe_per_second = args.runs as f64 / probed.seconds;
    let ratio = runs_per_second / probe_per_second;
    let kind = if args.tools == BenchTools::Record { "record" } else { "outside" };
    if global.json {
        show::json(&json!({
            "steps": args.steps, "runs": args.runs, "in_flight": args.in_flight, "tools": kind,
            "runs_per_second": round(runs_per_second), "steps_per_second": round(runs_per_second * args.steps as f64),
            "p50_ms": round(measured.percentile(0.5)), "p99_ms": round(measured.percentile(0.99)),
            "syncs_per_run": round(per_run(stats.syncs)), "commits_per_run": round(per_run(stats.members)),
            "rows_per_run": round(per_run(stats.rows)), "bytes_per_run": round(per_run(stats.bytes)),
            "probe": {"runs_per_second": round(probe_per_second), "p50_ms": round(probed.percentile(0.5)), "p99_ms": round(probed.percentile(0.99))},
            "ratio_to_probe": round(ratio),
        }));
        return Ok(true);
    }
    anstream::println!("{BOLD}{} runs of {} {kind} steps, {} in flight{BOLD:#}", args.runs, args.steps, args.in_flight);
    anstream::println!(
        "  {:>9.0} steps/s   {:>8.0} runs/s   p50 {:.2} ms   p99 {:.2} ms",
        runs_per_second * args.steps as f64,
        runs_per_second,
        measured.percentile(0.5),
        measured.percentile(0.99)
    );
    anstream::println!(
        "  {DIM}per run: {:.2} commits, {:.2} syncs (shared with other runs), {:.1} rows, {:.0} bytes{DIM:#}",
        per_run(stats.members),
        per_run(stats.syncs),
        per_run(stats.rows),
        per_run(stats.bytes)
    );
    anstream::println!(
        "  probe, the same rows and bytes: {:.0} runs/s, p50 {:.2} ms",
        probe_per_second,
        probed.percentile(0.5)
    );
    anstream::println!("  {BOLD}{ratio:.2} of the probe{BOLD:#}");
    Ok(true)
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn difference(before: StoreStats, after: StoreStats) -> StoreStats {
    StoreStats {
        commits: after.commits - before.commits,
        syncs: after.syncs - before.syncs,
        members: after.members - before.members,
        rows: after.rows - before.rows,
        bytes: after.bytes - before.bytes,
    }
}

fn bench_registry() -> Result<Arc<brain_registry::Registry>> {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let files = vec![file("pack.yaml", PACK), file("records/entry.yaml", RECORDS), file("tools/bench.yaml", TOOLS)];
    match brain_registry::load_sources(vec![PackSource::new("bench", files)]) {
        Ok(loaded) => Ok(Arc::new(loaded.registry)),
        Err(report) => bail!("the benchmark's own pack is broken:\n{}", report.render(false)),
    }
}

/// A tenant of its own, so that a benchmark on a store in use touches nobody's data.
fn bench_tenant() -> Result<TenantId> {
    Ok("bench".parse()?)
}

/// Keeps `in_flight` requests going until `runs` have ended.
async fn drive(kernel: &Arc<Kernel>, args: &BenchArgs, runs: usize) -> Result<Measured> {
    let tool = if args.tools == BenchTools::Record { "bench.add" } else { "bench.call" };
    let calls: Vec<(String, Value)> =
        (0..args.steps).map(|step| (tool.to_owned(), json!({"text": format!("entry of step {step}")}))).collect();
    let request = Request {
        calls,
        limits: Limits { max_tool_calls: 100, wait_timeout_ms: 60_000 },
        channel: "bench",
        ..Request::say(Scope::of(bench_tenant()?), "", Mode::EnqueueAndWait)
    };
    let next = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let started = Instant::now();
    let mut clients = Vec::new();
    for _ in 0..args.in_flight.min(runs) {
        let (kernel, request, next) = (kernel.clone(), request.clone(), next.clone());
        clients.push(tokio::spawn(async move {
            let mut latencies = Vec::new();
            while next.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < runs {
                let begun_at = Instant::now();
                let begun = kernel.begin(&request).await?;
                if begun.wait {
                    kernel.engine().wait(&request.scope, begun.run).await?;
                }
                latencies.push(begun_at.elapsed().as_secs_f64() * 1e3);
            }
            anyhow::Ok(latencies)
        }));
    }
    let mut latencies = Vec::with_capacity(runs);
    for client in clients {
        latencies.extend(client.await.context("a client panicked")??);
    }
    let seconds = started.elapsed().as_secs_f64();
    latencies.sort_by(f64::total_cmp);
    Ok(Measured { seconds, latencies })
}

/// The limit of such a design: clients wait for durable acknowledgements, one thread commits for all of them at once,
/// into an append-only table. No engine.
struct Probe {
    clients: usize,
    runs: usize,
    acknowledgements: usize,
    rows: usize,
    bytes: usize,
}

impl Probe {
    fn measure(&self, path: &Path) -> Result<Measured> {
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
        latencies.sort_by(f64::total_cmp);
        Ok(Measured { seconds, latencies })
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
            // A client that is gone needs no acknowledgement.
            let _ = done.send(());
        }
    }
    Ok(())
}
