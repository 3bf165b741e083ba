//! `brain dev bench`: how many durable runs per second this machine and store sustain.

use std::sync::Arc;

use anyhow::{Result, bail};
use brain_store::{SqliteStore, Store};
use serde_json::json;

use crate::bench::{difference, drive, kernel, round, work};
use crate::cli::{BenchCommand, BenchRunsArgs, Global};
use crate::open::StoreLocation;
use crate::show::{BOLD, DIM};
use crate::{open, show};

pub(crate) fn run(global: &Global, command: &BenchCommand) -> Result<bool> {
    match command {
        BenchCommand::Runs(args) => runs(global, args),
    }
}

fn runs(global: &Global, args: &BenchRunsArgs) -> Result<bool> {
    if args.steps == 0 || args.steps > 100 || args.runs == 0 || args.in_flight == 0 {
        bail!("--steps must be 1 to 100, --runs and --in-flight at least 1");
    }
    let scratch = tempfile::tempdir()?;
    let store: Arc<dyn Store> = match global.store.as_ref().filter(|_| global.settings.is_given("store")) {
        Some(_) if matches!(open::location(global)?, StoreLocation::Memory) => {
            bail!("a store in memory is not durable; name a file or a database")
        }
        Some(_) => open::store(global)?,
        None => Arc::new(SqliteStore::open(&scratch.path().join("bench.db"))?),
    };
    let request = work(args.steps, args.tools)?;
    let (measured, stats) = open::runtime()?.block_on(async {
        let kernel = kernel(&store, false)?;
        // Warm up: stores programs, prepares statements, fills caches.
        drop(drive(&kernel, &request, args.in_flight.min(args.runs), args.in_flight).await?);
        let before = store.stats();
        let measured = drive(&kernel, &request, args.runs, args.in_flight).await?;
        let stats = difference(before, store.stats());
        kernel.engine().stop();
        anyhow::Ok((measured, stats))
    })?;
    let per_run = |count: u64| count as f64 / args.runs as f64;
    let (rate, kind) = (measured.per_second(), args.tools.name());
    if global.json {
        show::json(&json!({
            "steps": args.steps, "runs": args.runs, "in_flight": args.in_flight, "tools": kind,
            "runs_per_second": round(rate), "steps_per_second": round(rate * args.steps as f64),
            "p50_ms": round(measured.percentile(0.5)), "p99_ms": round(measured.percentile(0.99)),
            "syncs_per_run": round(per_run(stats.syncs)), "commits_per_run": round(per_run(stats.members)),
            "rows_per_run": round(per_run(stats.rows)), "bytes_per_run": round(per_run(stats.bytes)),
        }));
        return Ok(true);
    }
    outln!("{BOLD}{} runs of {} {kind} steps, {} in flight{BOLD:#}", args.runs, args.steps, args.in_flight);
    outln!(
        "  {:>9.0} steps/s   {rate:>8.0} runs/s   p50 {:.2} ms   p99 {:.2} ms",
        rate * args.steps as f64,
        measured.percentile(0.5),
        measured.percentile(0.99)
    );
    outln!(
        "  {DIM}per run: {:.2} commits, {:.2} syncs (shared with other runs), {:.1} rows, {:.0} bytes{DIM:#}",
        per_run(stats.members),
        per_run(stats.syncs),
        per_run(stats.rows),
        per_run(stats.bytes)
    );
    Ok(true)
}
