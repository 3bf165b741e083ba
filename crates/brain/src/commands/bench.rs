//! `brain bench runs`: durable runs per second through the whole engine, beside two limits measured in the same
//! process and folder. The *probe* commits the very same rows, read back from the store, into a fresh one, with the same
//! number of acknowledgements a run: what is left when there is no engine. *Append* writes the same number of rows and
//! bytes to one append-only table: what is left when there are no tables of ours either.

mod probe;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use brain_core::TenantId;
use brain_engine::{CheckAnswer, EngineConfig, HostFuture, JobContext, JobOutcome, Outside};
use brain_kernel::{Kernel, KernelConfig, Limits, Mode, Request};
use brain_lang::plan::ToolRef;
use brain_registry::{PackSource, ToolResult, ValidatedCall};
use brain_store::{Scope, SqliteStore, Store, StoreStats};
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

/// A world whose outside calls answer at once: what is measured is the engine, not a network.
struct InstantWorld;

impl Outside for InstantWorld {
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
    fn new(seconds: f64, mut latencies: Vec<f64>) -> Self {
        latencies.sort_by(f64::total_cmp);
        Self { seconds, latencies }
    }

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
            &|_| Arc::new(InstantWorld),
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
    let clients = args.in_flight.min(args.runs);
    let probe_path = path.with_extension("probe.db");
    let probed = probe::same_rows(&store, &Scope::of(bench_tenant()?), &probe_path, args.runs, clients)?;
    let append = probe::Append {
        clients,
        runs: args.runs,
        acknowledgements: per_run(stats.members).round().max(1.0) as usize,
        rows: per_run(stats.rows).round().max(1.0) as usize,
        bytes: per_run(stats.bytes).round() as usize,
    };
    let appended = append.measure(&probe_path)?;
    let runs_per_second = args.runs as f64 / measured.seconds;
    let probe_per_second = args.runs as f64 / probed.seconds;
    let append_per_second = args.runs as f64 / appended.seconds;
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
            "append": {"runs_per_second": round(append_per_second), "p50_ms": round(appended.percentile(0.5)), "p99_ms": round(appended.percentile(0.99))},
            "ratio_to_append": round(runs_per_second / append_per_second),
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
        "  {BOLD}{ratio:.2}{BOLD:#} of the probe    {DIM}the same rows without the engine: {probe_per_second:.0} runs/s, p50 {:.2} ms{DIM:#}",
        probed.percentile(0.5)
    );
    anstream::println!(
        "  {:.2} of appending    {DIM}as many rows and bytes to one table: {append_per_second:.0} runs/s, p50 {:.2} ms{DIM:#}",
        runs_per_second / append_per_second,
        appended.percentile(0.5)
    );
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
        limits: Limits { max_tool_calls: 100, wait_timeout_ms: 60_000, max_cost: None },
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
    Ok(Measured::new(seconds, latencies))
}
