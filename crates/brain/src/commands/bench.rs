//! `brain bench …`: what this machine can do, each figure beside a limit or an earlier one that was measured in the same
//! run. Absolute figures differ from machine to machine; compare ratios.

mod entities;
mod ground;
mod growth;
mod http;
mod probe;
mod runs;
mod said;
mod timers;
mod understand;
mod vm;
mod waiting;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use brain_core::TenantId;
use brain_engine::{CheckAnswer, EngineConfig, HostFuture, JobContext, JobOutcome, Outside};
use brain_kernel::{Kernel, KernelConfig, Limits, Mode, Request};
use brain_lang::plan::ToolRef;
use brain_registry::{PackSource, ToolResult, ValidatedCall};
use brain_store::{Scope, Store};
use serde_json::{Value, json};

use crate::cli::{BenchCommand, BenchTools, Global};
use crate::system::{ProcessLiveness, SystemClock, SystemRandom};

/// The pack that everything is measured with; servers are given the same files.
const PACK: [(&str, &str); 4] = [
    ("pack.yaml", include_str!("../../../../benches/pack/pack.yaml")),
    ("records/entry.yaml", include_str!("../../../../benches/pack/records/entry.yaml")),
    ("records/person.yaml", include_str!("../../../../benches/pack/records/person.yaml")),
    ("tools/bench.yaml", include_str!("../../../../benches/pack/tools/bench.yaml")),
];

pub(crate) fn run(global: &Global, command: &BenchCommand) -> Result<bool> {
    match command {
        BenchCommand::Runs(args) => runs::run(global, args),
        BenchCommand::Waiting(args) => waiting::run(global, args),
        BenchCommand::Timers(args) => timers::run(global, args),
        BenchCommand::Growth(args) => growth::run(global, args),
        BenchCommand::Understand(args) => understand::run(global, args),
        BenchCommand::Entities(args) => entities::run(global, args),
        BenchCommand::Vm(args) => vm::run(global, args),
        BenchCommand::Http(args) => http::run(global, args),
    }
}

/// What one measurement came to: how long all of it took, and each of its parts in milliseconds, sorted.
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

    fn per_second(&self) -> f64 {
        self.latencies.len() as f64 / self.seconds
    }
}

/// Three digits are more than such figures can promise.
fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Milliseconds that something took, and what it gave.
fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let began = Instant::now();
    let value = work()?;
    Ok((began.elapsed().as_secs_f64() * 1e3, value))
}

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

/// A kernel over a store, in a world that answers at once. `keep` says whether it also wakes what waits.
fn kernel(store: &Arc<dyn Store>, keep: bool) -> Result<Arc<Kernel>> {
    let engine = EngineConfig { keep, ..EngineConfig::default() };
    let config = KernelConfig { engine, ..KernelConfig::default() };
    Ok(Kernel::start_with(
        &config,
        bench_registry()?,
        store.clone(),
        Arc::new(SystemClock),
        Box::new(SystemRandom),
        Arc::new(ProcessLiveness),
        &|_| Arc::new(InstantWorld),
    )?)
}

fn bench_registry() -> Result<Arc<brain_registry::Registry>> {
    let files = PACK.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    match brain_registry::load_sources(vec![PackSource::new("bench", files)]) {
        Ok(loaded) => Ok(Arc::new(loaded.registry)),
        Err(report) => bail!("the benchmark's own pack is broken:\n{}", report.render(false)),
    }
}

/// A tenant of its own, so that a benchmark on a store in use touches nobody's data.
fn bench_scope() -> Result<Scope> {
    Ok(Scope::of("bench".parse::<TenantId>()?))
}

/// A request for some calls by name.
fn request(calls: Vec<(String, Value)>, mode: Mode) -> Result<Request> {
    Ok(Request {
        calls,
        limits: Limits { max_tool_calls: 100, wait_timeout_ms: 60_000, max_cost: None },
        channel: "bench",
        ..Request::say(bench_scope()?, "", mode)
    })
}

/// A request of so many steps that is waited for.
fn work(steps: usize, tools: BenchTools) -> Result<Request> {
    let tool = if tools == BenchTools::Record { "bench.add" } else { "bench.call" };
    let call = |step| (tool.to_owned(), json!({"text": format!("entry of step {step}")}));
    request((0..steps).map(call).collect(), Mode::EnqueueAndWait)
}

/// Keeps `in_flight` requests going until `runs` have been answered.
async fn drive(kernel: &Arc<Kernel>, request: &Request, runs: usize, in_flight: usize) -> Result<Measured> {
    let next = Arc::new(AtomicUsize::new(0));
    let started = Instant::now();
    let mut clients = Vec::new();
    for _ in 0..in_flight.min(runs) {
        let (kernel, request, next) = (kernel.clone(), request.clone(), next.clone());
        clients.push(tokio::spawn(async move {
            let mut latencies = Vec::new();
            while next.fetch_add(1, Ordering::Relaxed) < runs {
                let begun_at = Instant::now();
                let begun = kernel.begin(&request).await?;
                kernel.rest(&request, &begun).await?;
                latencies.push(begun_at.elapsed().as_secs_f64() * 1e3);
            }
            anyhow::Ok(latencies)
        }));
    }
    let mut latencies = Vec::with_capacity(runs);
    for client in clients {
        latencies.extend(client.await.context("a client panicked")??);
    }
    Ok(Measured::new(started.elapsed().as_secs_f64(), latencies))
}
