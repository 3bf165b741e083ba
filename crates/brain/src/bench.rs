//! A load generator for a kernel, used by `brain dev bench runs` and the benchmarks in `brain-bench`.
//!
//! It runs a small built-in pack for the tenant `bench`. External calls are answered at once, so the engine and the
//! store are measured, not a network.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use brain_core::TenantId;
use brain_embed::{Encoder, StaticTable};
use brain_engine::{CheckAnswer, EngineConfig, HostFuture, JobContext, JobOutcome, Outside};
use brain_kernel::{Kernel, KernelConfig, Limits, Mode, Request};
use brain_lang::plan::ToolRef;
use brain_registry::{PackSource, ToolResult, ValidatedCall};
use brain_store::{Scope, Store, StoreStats};
use serde_json::{Value, json};

use clap::ValueEnum;

use crate::system::ProcessLiveness;
pub use crate::system::{SystemClock, SystemRandom, resident_mb};

/// The files of the benchmarks' pack.
pub const PACK: [(&str, &str); 4] = [
    ("pack.yaml", include_str!("../../../benches/pack/pack.yaml")),
    ("records/entry.yaml", include_str!("../../../benches/pack/records/entry.yaml")),
    ("records/person.yaml", include_str!("../../../benches/pack/records/person.yaml")),
    ("tools/bench.yaml", include_str!("../../../benches/pack/tools/bench.yaml")),
];

/// What a step of a benchmark does.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Tools {
    /// Writes a record, in one commit with the checkpoint.
    Record,
    /// Makes an external call that is answered at once: a commit before and after each step.
    Outside,
}

impl Tools {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Outside => "outside",
        }
    }
}

pub struct Measured {
    /// How long all of it took.
    pub seconds: f64,
    /// The latency of each request in milliseconds, sorted.
    pub latencies: Vec<f64>,
}

impl Measured {
    /// A measurement of `latencies` in milliseconds, in any order.
    pub fn new(seconds: f64, mut latencies: Vec<f64>) -> Self {
        latencies.sort_by(f64::total_cmp);
        Self { seconds, latencies }
    }

    /// The latency percentile for a share: 0.99 is p99. 0 without requests.
    pub fn percentile(&self, share: f64) -> f64 {
        let last = self.latencies.len().saturating_sub(1);
        self.latencies.get((last as f64 * share) as usize).copied().unwrap_or_default()
    }

    /// Requests per second.
    pub fn per_second(&self) -> f64 {
        self.latencies.len() as f64 / self.seconds
    }
}

/// Rounds to three decimals.
pub fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Answers external calls at once.
struct InstantWorld;

impl Outside for InstantWorld {
    fn perform(&self, _: ValidatedCall, _: JobContext) -> HostFuture<JobOutcome> {
        Box::pin(std::future::ready(JobOutcome::Done(ToolResult::ok(json!({"status": "ok"})))))
    }

    fn check(&self, _: &ToolRef, _: Value, _: JobContext) -> HostFuture<CheckAnswer> {
        Box::pin(std::future::ready(CheckAnswer::DidNot))
    }
}

/// A kernel over a store whose external calls succeed at once. `fire_timers`: whether it also fires timers.
pub fn kernel(store: &Arc<dyn Store>, fire_timers: bool) -> Result<Arc<Kernel>> {
    let engine = EngineConfig { keep: fire_timers, ..EngineConfig::default() };
    let config = KernelConfig { engine, ..KernelConfig::default() };
    Ok(Kernel::start_with(
        &config,
        registry()?,
        store.clone(),
        Arc::new(SystemClock),
        Box::new(SystemRandom),
        Arc::new(ProcessLiveness),
        &|_| Arc::new(InstantWorld),
    )?)
}

fn registry() -> Result<Arc<brain_registry::Registry>> {
    let files = PACK.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    match brain_registry::load_sources(vec![PackSource::new("bench", files)]) {
        Ok(loaded) => Ok(Arc::new(loaded.registry)),
        Err(report) => bail!("the benchmark's own pack is broken:\n{}", report.render(false)),
    }
}

/// The benchmarks' own tenant, so that a benchmark on a store in use touches no other data.
pub fn scope() -> Result<Scope> {
    Ok(Scope::of("bench".parse::<TenantId>()?))
}

/// A request for tool calls, each a name and its arguments.
pub fn request(calls: Vec<(String, Value)>, mode: Mode) -> Result<Request> {
    Ok(Request {
        calls,
        limits: Limits { max_tool_calls: 100, wait_timeout_ms: 60_000, max_cost: None },
        channel: "bench",
        ..Request::say(scope()?, "", mode)
    })
}

/// A request of `steps` calls; the client waits for the result.
pub fn work(steps: usize, tools: Tools) -> Result<Request> {
    let tool = if tools == Tools::Record { "bench.add" } else { "bench.call" };
    let call = |step| (tool.to_owned(), json!({"text": format!("entry of step {step}")}));
    request((0..steps).map(call).collect(), Mode::EnqueueAndWait)
}

/// Keeps `in_flight` requests going until `runs` have been answered.
pub async fn drive(kernel: &Arc<Kernel>, request: &Request, runs: usize, in_flight: usize) -> Result<Measured> {
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

/// The store's counters for what happened between two readings.
pub fn difference(before: StoreStats, after: StoreStats) -> StoreStats {
    StoreStats {
        commits: after.commits - before.commits,
        syncs: after.syncs - before.syncs,
        members: after.members - before.members,
        rows: after.rows - before.rows,
        bytes: after.bytes - before.bytes,
    }
}

/// The encoder of understanding: the installed model of this name, or the built-in table.
pub fn encoder(model: Option<&str>) -> Result<Arc<dyn Encoder>> {
    let Some(name) = model else { return Ok(Arc::new(StaticTable::built_in())) };
    let (encoder, fell_back) = brain_embed::models::open(Some(name), &crate::open::models()?);
    match fell_back {
        Some(why) => bail!("{why}"),
        None => Ok(Arc::from(encoder)),
    }
}
