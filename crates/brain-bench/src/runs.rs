//! `brain-bench runs`: durable runs per second through the whole engine, compared with two limits measured in the same
//! process and location. The *probe* commits the same rows, read back from the store, into an empty one, with the same
//! number of acknowledgements per run: the cost without the engine. *Append* writes the same number of rows and bytes
//! to one append-only table: the cost without our tables, too.

use anyhow::{Result, bail};
use brain::bench::{Measured, difference, drive, kernel, round, scope, work};
use serde_json::{Value, json};

use crate::cli::{BenchRunsArgs, Global};
use crate::ground::Ground;
use crate::show::{BOLD, DIM};
use crate::{probe, runtime, show};

pub(crate) fn run(global: &Global, args: &BenchRunsArgs) -> Result<()> {
    if args.steps == 0 || args.steps > 100 || args.runs == 0 || args.in_flight == 0 {
        bail!("--steps must be 1 to 100, --runs and --in-flight at least 1");
    }
    let ground = Ground::new(global)?;
    let store = ground.open()?;
    let request = work(args.steps, args.tools)?;
    let runtime = runtime()?;
    let (measured, stats) = runtime.block_on(async {
        let kernel = kernel(&store, false)?;
        // Warm up: store programs, prepare statements, fill caches.
        drop(drive(&kernel, &request, args.in_flight.min(args.runs), args.in_flight).await?);
        let before = store.stats();
        let measured = drive(&kernel, &request, args.runs, args.in_flight).await?;
        let stats = difference(before, store.stats());
        kernel.engine().stop();
        anyhow::Ok((measured, stats))
    })?;
    let per_run = |count: u64| count as f64 / args.runs as f64;
    let clients = args.in_flight.min(args.runs);
    let fresh = ground.fresh()?;
    let probed = probe::same_rows(&store, &scope()?, &fresh.store(), args.runs, clients)?;
    drop(fresh);
    let append = probe::Append {
        clients,
        runs: args.runs,
        acknowledgements: per_run(stats.members).round().max(1.0) as usize,
        rows: per_run(stats.rows).round().max(1.0) as usize,
        bytes: per_run(stats.bytes).round() as usize,
    };
    let appended = ground.beside().map(|path| append.measure(&path)).transpose()?;
    let rate = measured.per_second();
    let ratio = rate / probed.per_second();
    let kind = args.tools.name();
    let figures = |limit: &Measured| json!({"runs_per_second": round(limit.per_second()), "p50_ms": round(limit.percentile(0.5)), "p99_ms": round(limit.percentile(0.99))});
    if global.json {
        show::json(&json!({
            "steps": args.steps, "runs": args.runs, "in_flight": args.in_flight, "tools": kind,
            "runs_per_second": round(rate), "steps_per_second": round(rate * args.steps as f64),
            "p50_ms": round(measured.percentile(0.5)), "p99_ms": round(measured.percentile(0.99)),
            "syncs_per_run": round(per_run(stats.syncs)), "commits_per_run": round(per_run(stats.members)),
            "rows_per_run": round(per_run(stats.rows)), "bytes_per_run": round(per_run(stats.bytes)),
            "probe": figures(&probed),
            "ratio_to_probe": round(ratio),
            "append": appended.as_ref().map_or(Value::Null, figures),
            "ratio_to_append": appended.as_ref().map(|append| round(rate / append.per_second())),
        }));
        return Ok(());
    }
    anstream::println!("{BOLD}{} runs of {} {kind} steps, {} in flight{BOLD:#}", args.runs, args.steps, args.in_flight);
    anstream::println!(
        "  {:>9.0} steps/s   {rate:>8.0} runs/s   p50 {:.2} ms   p99 {:.2} ms",
        rate * args.steps as f64,
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
        "  {BOLD}{ratio:.2}{BOLD:#} of the probe    {DIM}the same rows without the engine: {:.0} runs/s, p50 {:.2} ms{DIM:#}",
        probed.per_second(),
        probed.percentile(0.5)
    );
    if let Some(appended) = appended {
        anstream::println!(
            "  {:.2} of appending    {DIM}as many rows and bytes to one table: {:.0} runs/s, p50 {:.2} ms{DIM:#}",
            rate / appended.per_second(),
            appended.per_second(),
            appended.percentile(0.5)
        );
    }
    Ok(())
}
