//! A kernel with real threads on a real store.
#![allow(dead_code, unreachable_pub, reason = "shared by test files that each use their own part")]

use std::path::Path;
use std::sync::Arc;

use brain_core::{Clock, SeededRandom, TenantId, Timestamp};
use brain_engine::{EngineConfig, Liveness};
use brain_kernel::{Expiry, Kernel, KernelConfig, Mode, Report, Request};
use brain_registry::{PackSource, Registry};
use brain_store::{LogRow, Member, Outcome, RunSchedule, Scope, Store, Write};
use serde_json::Value;

pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        Timestamp::from_millis(since.as_millis() as i64)
    }
}

pub struct Alone;

impl Liveness for Alone {
    fn own(&self) -> String {
        String::new()
    }

    fn is_gone(&self, _: &str) -> bool {
        false
    }
}

pub fn trades() -> Arc<Registry> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/trades");
    match brain_registry::load(&[folder]) {
        Ok(loaded) => Arc::new(loaded.registry),
        Err(report) => panic!("{}", report.render(false)),
    }
}

pub fn registry(files: &[(&str, &str)]) -> Arc<Registry> {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    match brain_registry::load_sources_with(vec![PackSource::new("test", files)], &brain_tools::natives()) {
        Ok(loaded) => Arc::new(loaded.registry),
        Err(report) => panic!("{}", report.render(false)),
    }
}

pub fn scope() -> Scope {
    Scope::of(TenantId::default_tenant())
}

pub fn kernel(registry: Arc<Registry>, store: Arc<dyn Store>, allow_private: bool) -> Arc<Kernel> {
    kernel_that(registry, store, allow_private, Expiry::default())
}

/// A kernel with custom expiry times for questions and plans.
pub fn kernel_that(registry: Arc<Registry>, store: Arc<dyn Store>, allow_private: bool, expiry: Expiry) -> Arc<Kernel> {
    let engine = EngineConfig { keep: false, ..EngineConfig::default() };
    let mut config = KernelConfig { engine, expiry, ..KernelConfig::default() };
    config.tools.allow_private_hosts = allow_private;
    let seed = SystemClock.now().as_millis() as u64;
    Kernel::start(&config, registry, store, Arc::new(SystemClock), Box::new(SeededRandom::new(seed)), Arc::new(Alone))
        .unwrap()
}

pub async fn say(kernel: &Kernel, text: &str) -> Report {
    kernel.handle(&Request::say(scope(), text, Mode::EnqueueAndWait)).await.unwrap()
}

pub async fn call(kernel: &Kernel, tool: &str, input: Value) -> Report {
    let request = Request { calls: vec![(tool.to_owned(), input)], ..Request::say(scope(), "", Mode::EnqueueAndWait) };
    kernel.handle(&request).await.unwrap()
}

pub fn result(report: &Report, name: &str) -> String {
    let found = report.receipts.iter().rev().find_map(|receipt| receipt.result[name].as_str());
    found.unwrap_or_else(|| panic!("no {name}: {report:#?}")).to_owned()
}

/// Appends an unknown event to the log of a run.
pub fn spoil(store: &dyn Store, run: brain_core::RunId) {
    let row = store.run(&scope(), run).unwrap().unwrap();
    let seq = row.schedule.seq;
    let alien = LogRow {
        run,
        seq,
        at: row.updated_at,
        events: vec![brain_store::LogEvent::new(9_999, 1, &serde_json::json!({}), None)],
        payloads: vec![],
    };
    let schedule = RunSchedule { seq: seq + 1, fence: row.schedule.fence + 1, ..row.schedule };
    let update = Write::UpdateRun { run, status: row.status, at: row.updated_at, schedule, program: None };
    let member = Member { scope: scope(), preconditions: vec![], writes: vec![update, Write::Append(alien.into())] };
    assert_eq!(store.commit_now(vec![member]).unwrap(), [Outcome::Committed]);
}

/// Timeout for conditions of tests.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// Waits until a value is present.
pub async fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let began = std::time::Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "it never happened");
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
}

/// Waits until a condition holds.
pub async fn until(mut is_so: impl FnMut() -> bool) {
    eventually(|| is_so().then_some(())).await;
}
