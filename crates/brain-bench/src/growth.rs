//! `brain-bench growth`: the cost of a run with few and with many stored runs.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use brain::bench::{SystemClock, SystemRandom, Tools, drive, kernel, round, scope, work};
use brain_core::{Clock, RecordId, RunId, Timestamp};
use brain_store::{Claim, Member, Outcome, Scope, Store, SystemScope, Write};
use serde_json::json;

use crate::cli::{BenchGrowthArgs, Global};
use crate::ground::Ground;
use crate::show::{BOLD, DIM};
use crate::{probe, runtime, show, timed};

/// Runs per commit.
const BATCH: usize = 500;
/// Steps per run.
const STEPS: usize = 5;
/// Number of concurrent runs.
const IN_FLIGHT: usize = 32;
/// Repetitions of small queries.
const QUESTIONS: u32 = 50;

/// Costs at one size, in milliseconds.
struct Cost {
    stored: usize,
    run: f64,
    due: f64,
    list: f64,
    get: f64,
    start: f64,
}

pub(crate) fn run(global: &Global, args: &BenchGrowthArgs) -> Result<()> {
    if args.few == 0 || args.few > args.many || args.runs == 0 {
        bail!("--few and --runs must be at least 1, --many at least as many as --few");
    }
    let ground = Ground::new(global)?;
    let mut filler = Filler::new(&ground)?;
    filler.fill(args.few)?;
    let few = cost(&ground, filler.stored, args.runs)?;
    let (took, ()) = timed(|| filler.fill(args.many))?;
    let many = cost(&ground, filler.stored, args.runs)?;
    let ratio = many.run / few.run;
    if global.json {
        let figures = |cost: &Cost| {
            json!({"stored": cost.stored, "run_ms": round(cost.run), "due_ms": round(cost.due), "list_ms": round(cost.list),
                   "get_ms": round(cost.get), "start_ms": round(cost.start)})
        };
        show::json(
            &json!({"few": figures(&few), "many": figures(&many), "ratio": round(ratio), "fill_ms": round(took)}),
        );
        return Ok(());
    }
    anstream::println!("{BOLD}{:>10} stored  {:>8} /run  due      list     get      start{BOLD:#}", "", "ms");
    for cost in [&few, &many] {
        anstream::println!(
            "{:>10}         {:>8.3}      {:<8.3} {:<8.3} {:<8.3} {:<8.1}",
            cost.stored,
            cost.run,
            cost.due,
            cost.list,
            cost.get,
            cost.start
        );
    }
    anstream::println!(
        "  {BOLD}{ratio:.2}{BOLD:#} times the cost of a run   {DIM}filled in {:.1} s{DIM:#}",
        took / 1e3
    );
    Ok(())
}

/// Measures at the current size. The store is reopened, so that its caches are as after a restart.
fn cost(ground: &Ground, stored: usize, runs: usize) -> Result<Cost> {
    let scope = scope()?;
    let runtime = runtime()?;
    let _inside = runtime.enter();
    let (start, (store, kernel)) = timed(|| {
        let store = ground.open()?;
        let kernel = kernel(&store, true)?;
        Ok((store, kernel))
    })?;
    let request = work(STEPS, Tools::Record)?;
    let measured = runtime.block_on(async {
        drop(drive(&kernel, &request, (runs / 10).max(IN_FLIGHT), IN_FLIGHT).await?);
        drive(&kernel, &request, runs, IN_FLIGHT).await
    })?;
    kernel.engine().stop();
    let now = SystemClock.now();
    let claim = Claim { node: kernel.engine().node(), now, until: now };
    let (due, _) = often(|| Ok(store.due(SystemScope, &claim, 100)?))?;
    let (list, page) = often(|| Ok(store.runs(&scope, None, 50, None)?))?;
    let id = page.items.last().context("there are runs")?.id;
    let (get, _) = often(|| Ok((store.run(&scope, id)?, store.log(&scope, id)?)))?;
    Ok(Cost { stored, run: measured.seconds * 1e3 / runs as f64, due, list, get, start })
}

/// The average time of a repeated query.
fn often<T>(question: impl Fn() -> Result<T>) -> Result<(f64, T)> {
    let (took, last) = timed(|| {
        let mut last = question()?;
        for _ in 1..QUESTIONS {
            last = question()?;
        }
        Ok(last)
    })?;
    Ok((took / f64::from(QUESTIONS), last))
}

/// Fills a store with finished runs: copies of a real one under new ids, many per commit.
struct Filler {
    store: Arc<dyn Store>,
    scope: Scope,
    /// The commits of a real run.
    model: Vec<Member>,
    /// The time of the next copy. Copies start a day ago, one millisecond apart, so that their ids are in order.
    at: Timestamp,
    stored: usize,
}

impl Filler {
    fn new(ground: &Ground) -> Result<Self> {
        let store = ground.open()?;
        let scope = scope()?;
        runtime()?.block_on(async {
            let kernel = kernel(&store, false)?;
            drop(drive(&kernel, &work(STEPS, Tools::Record)?, 1, 1).await?);
            kernel.engine().stop();
            anyhow::Ok(())
        })?;
        let model = probe::read_back(&store, &scope, 1)?.pop().context("a run that has just ended")?;
        let day = 24 * 3600 * 1000;
        let at = Timestamp::from_millis(SystemClock.now().as_millis() - day);
        Ok(Self { store, scope, model, at, stored: 1 })
    }

    /// Fills up to `count` runs in total.
    fn fill(&mut self, count: usize) -> Result<()> {
        let began = Instant::now();
        while self.stored < count {
            let batch = BATCH.min(count - self.stored);
            let members: Vec<Member> = (0..batch).map(|_| self.copy()).collect();
            let outcomes = self.store.commit_now(members)?;
            ensure!(outcomes.iter().all(|outcome| *outcome == Outcome::Committed), "writing a copy conflicted");
            self.stored += batch;
            if self.stored.is_multiple_of(100_000) {
                tracing::info!(stored = self.stored, seconds = began.elapsed().as_secs(), "filling");
            }
        }
        Ok(())
    }

    /// Everything that one run wrote, as one member under new ids.
    fn copy(&mut self) -> Member {
        let mut random = SystemRandom;
        self.at = Timestamp::from_millis(self.at.as_millis() + 1);
        let id = RunId::generate(self.at, &mut random);
        let mut names: Vec<(RecordId, RecordId)> = Vec::new();
        let at = self.at;
        let mut new = |old: RecordId| match names.iter().find(|(known, _)| *known == old) {
            Some((_, new)) => *new,
            None => {
                let new = RecordId::generate(at, &mut SystemRandom);
                names.push((old, new));
                new
            }
        };
        let writes = self.model.iter().flat_map(|member| member.writes.iter().cloned()).map(|mut write| {
            match &mut write {
                Write::NewRun(row) => row.id = id,
                Write::UpdateRun { run, .. } => *run = id,
                Write::Append(row) => std::sync::Arc::make_mut(row).run = id,
                Write::PutRecord { row, .. } => row.id = new(row.id),
                Write::Link(link) => {
                    link.run = id;
                    link.record = new(link.record);
                }
                _ => {}
            }
            write
        });
        let writes = writes.collect();
        Member { scope: self.scope.clone(), preconditions: Vec::new(), writes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_the_last_one() {
        let (took, value) = often(|| Ok(7)).unwrap();
        assert!(took >= 0.0 && value == 7);
    }
}
