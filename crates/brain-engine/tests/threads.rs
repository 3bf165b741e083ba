//! Nodes with real threads on one store: shares of limits, and runs that another node moves.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use brain_core::{Clock, Millis, RunStatus, SeededRandom, Timestamp};
use brain_engine::{Engine, EngineConfig, Limits, Liveness};
use brain_lang::plan::{Idempotency, Place};
use brain_store::{MemoryStore, Scheduling, SystemScope};
use common::{CallFate, TestHost, program, scope, step, submission};

struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000)
    }
}

struct Alone;

impl Liveness for Alone {
    fn own(&self) -> String {
        String::new()
    }

    fn is_gone(&self, _: &str) -> bool {
        false
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_node_has_no_share_of_limits_until_it_is_resumed() {
    let store = Arc::new(MemoryStore::new());
    let host = Arc::new(TestHost::new(|_| CallFate::Done));
    let clock = Arc::new(FixedClock);
    let config = EngineConfig { paused: true, ..EngineConfig::default() };
    let random = Box::new(SeededRandom::new(1));
    let engine =
        Engine::start(&config, store.clone(), host.clone(), host, clock.clone(), random, Arc::new(Alone)).unwrap();
    let shares = || store.nodes(SystemScope, clock.now()).unwrap().iter().all(|node| node.liveness.is_empty());
    assert!(!shares(), "a node that starts paused has no share from the beginning");
    engine.pause(false);
    let began = Instant::now();
    while !shares() {
        assert!(began.elapsed() < Duration::from_secs(30), "it was resumed and nobody noticed");
        std::thread::yield_now();
    }
    engine.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draining_node_keeps_only_the_slots_that_it_uses() {
    let store = Arc::new(MemoryStore::new());
    let clock = Arc::new(FixedClock);
    let node = |seed: u64| {
        let limits = Limits { running: Some(4), rate: None };
        let host = Arc::new(TestHost { limits, ..TestHost::new(|_| CallFate::NoAnswer) });
        let random = Box::new(SeededRandom::new(seed));
        let config = EngineConfig::default();
        Engine::start(&config, store.clone(), host.clone(), host, clock.clone(), random, Arc::new(Alone)).unwrap()
    };
    let (leaving, staying) = (node(1), node(2));
    let program = program(vec![step("a", &[], Place::Outside(Idempotency::Key))]);
    leaving.submit(submission(&program, 1)).await.unwrap();
    let began = Instant::now();
    let until = |holds: &dyn Fn() -> bool, what: &str| {
        while !holds() {
            assert!(began.elapsed() < Duration::from_secs(60), "{what}");
            std::thread::yield_now();
        }
    };
    until(&|| leaving.outside_jobs() == 1, "its call starts");
    assert!(!leaving.drain(Duration::ZERO).await, "its call has no answer");
    for n in 2..8 {
        staying.submit(submission(&program, n)).await.unwrap();
    }
    until(&|| staying.outside_jobs() >= 3, "the other node gets the rest of the limit");
    assert_eq!((leaving.outside_jobs(), staying.outside_jobs()), (1, 3), "together they hold to the limit");
    leaving.stop();
    staying.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_another_node_ends_wakes_who_waits_for_it() {
    let store = Arc::new(MemoryStore::new());
    let node = |seed: u64| {
        let host = Arc::new(TestHost::new(|_| CallFate::Done));
        let random = Box::new(SeededRandom::new(seed));
        let config = EngineConfig::default();
        Engine::start(&config, store.clone(), host.clone(), host, Arc::new(FixedClock), random, Arc::new(Alone))
            .unwrap()
    };
    let (one, other) = (node(1), node(2));
    let place = Place::Worker { topic: "t".into(), lease: Millis(60_000) };
    let run = one.submit(submission(&program(vec![step("a", &[], place)]), 1)).await.unwrap().run;
    let waiting = tokio::spawn({
        let one = one.clone();
        async move { one.wait(&scope(), run).await.unwrap().status }
    });
    other.cancel(&scope(), run, Vec::new(), Vec::new()).await.unwrap();
    assert_eq!(waiting.await.unwrap(), RunStatus::Cancelled);
    one.stop();
    other.stop();
}
