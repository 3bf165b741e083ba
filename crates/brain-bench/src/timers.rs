//! `brain-bench timers`: very many runs that are due at the same time. Measures how long until all have gone on, and
//! how long new requests wait meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use brain::bench::{Measured, SystemClock, Tools, drive, kernel, request, round, scope, work};
use brain_core::{Clock, Millis, RunStatus, Timestamp};
use brain_kernel::Mode;
use brain_store::{Member, Outcome, Precondition, RunSchedule, Store, SystemScope, Write};
use serde_json::json;

use crate::cli::{BenchTimersArgs, Global};
use crate::ground::Ground;
use crate::show::{BOLD, DIM};
use crate::{runtime, show};

/// Concurrent requests while the store is filled.
const AT_A_TIME: usize = 256;
/// Timers set per commit.
const TOGETHER: usize = 500;
/// Time limit of the benchmark.
const PATIENCE: Duration = Duration::from_secs(600);
/// Interval of new requests while the timers fire.
const EVERY: Duration = Duration::from_millis(100);

pub(crate) fn run(global: &Global, args: &BenchTimersArgs) -> Result<()> {
    let ground = Ground::new(global)?;
    let store = ground.open()?;
    let (fired, others) = runtime()?.block_on(async {
        fill(&store, args.runs).await?;
        let due = SystemClock.now().plus(Millis(2_000));
        set_timers(&store, due)?;
        fire(&store, due).await
    })?;
    let rate = args.runs as f64 / fired;
    if global.json {
        show::json(&json!({
            "runs": args.runs, "fired_seconds": round(fired), "runs_per_second": round(rate),
            "others": others.latencies.len(), "others_p50_ms": round(others.percentile(0.5)),
            "others_max_ms": round(others.percentile(1.0)),
        }));
        return Ok(());
    }
    anstream::println!("{BOLD}{} timers due in one moment{BOLD:#}", args.runs);
    anstream::println!("  all fired after {fired:.1} s   {DIM}{rate:.0} a second{DIM:#}");
    anstream::println!(
        "  {} new requests meanwhile: p50 {:.0} ms, at most {:.0} ms",
        others.latencies.len(),
        others.percentile(0.5),
        others.percentile(1.0)
    );
    Ok(())
}

/// Runs that wait for a condition, which holds when they are rechecked.
async fn fill(store: &Arc<dyn Store>, runs: usize) -> Result<()> {
    let kernel = kernel(store, false)?;
    // The condition must not hold before all runs exist.
    let seconds = runs as u64 / 500 + 5;
    let until = SystemClock.now().plus(Millis(seconds * 1_000));
    let soon = ("bench.soon".to_owned(), json!({"text": "soon", "due": until.to_string()}));
    drive(&kernel, &request(vec![soon], Mode::Enqueue)?, runs, AT_A_TIME).await?;
    kernel.engine().stop();
    ensure!(SystemClock.now() < until, "the store was filled too slowly; try with fewer runs");
    let waiting = waiting(store)?;
    ensure!(waiting == runs as u64, "of {runs} runs only {waiting} wait");
    // Now their own timers are past, and the condition holds.
    let recheck = Millis(16_000);
    let ready = until.plus(recheck);
    tokio::time::sleep(ready.since(SystemClock.now()).as_std()).await;
    Ok(())
}

fn waiting(store: &Arc<dyn Store>) -> Result<u64> {
    let counted = store.count_by_status(SystemScope)?;
    Ok(counted.iter().find(|(status, _)| *status == RunStatus::Waiting).map_or(0, |(_, count)| *count))
}

/// Sets the timers of all waiting runs to one time.
fn set_timers(store: &Arc<dyn Store>, due: Timestamp) -> Result<()> {
    let scope = scope()?;
    let mut cursor = None;
    loop {
        let page = store.runs(&scope, Some(RunStatus::Waiting), TOGETHER, cursor.as_deref())?;
        let members: Vec<Member> = page
            .items
            .iter()
            .map(|row| {
                let schedule = RunSchedule { wake_at: Some(due), ..row.schedule.clone() };
                let (seq, fence) = (row.schedule.seq, row.schedule.fence);
                let (status, at) = (row.status, row.updated_at);
                Member {
                    scope: scope.clone(),
                    preconditions: vec![Precondition::RunAt { run: row.id, seq, fence }],
                    writes: vec![Write::UpdateRun { run: row.id, status, at, schedule, program: None }],
                }
            })
            .collect();
        let outcomes = store.commit_now(members)?;
        ensure!(outcomes.iter().all(|outcome| *outcome == Outcome::Committed), "a timer could not be set");
        cursor = page.next;
        if cursor.is_none() {
            return Ok(());
        }
    }
}

/// Runs an engine; returns how many seconds after the due time the last run was done, and the latencies of new
/// requests.
async fn fire(store: &Arc<dyn Store>, due: Timestamp) -> Result<(f64, Measured)> {
    let kernel = kernel(store, true)?;
    let probe = work(1, Tools::Record)?;
    tokio::time::sleep(due.since(SystemClock.now()).as_std()).await;
    let began = Instant::now();
    let mut latencies = Vec::new();
    loop {
        let asked = Instant::now();
        let begun = kernel.begin(&probe).await?;
        kernel.rest(&probe, &begun).await?;
        latencies.push(asked.elapsed().as_secs_f64() * 1e3);
        if waiting(store)? == 0 {
            break;
        }
        if began.elapsed() > PATIENCE {
            bail!("{} runs still wait after {} seconds", waiting(store)?, PATIENCE.as_secs());
        }
        tokio::time::sleep(EVERY).await;
    }
    let seconds = began.elapsed().as_secs_f64();
    kernel.engine().stop();
    Ok((seconds, Measured::new(seconds, latencies)))
}
