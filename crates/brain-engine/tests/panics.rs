//! A panic in a thread of the engine does not leave a node that keeps its lease without working.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use brain_core::{Clock, SeededRandom, Timestamp};
use brain_engine::{Engine, EngineConfig, Limits, Liveness};
use brain_lang::plan::{Idempotency, Place};
use brain_store::{MemoryStore, Scheduling, SystemScope};
use common::{CallFate, TestHost, program, step, submission};

/// A clock that panics on one thread when `broken` is set.
struct BreakingClock {
    thread: &'static str,
    broken: AtomicBool,
}

impl Clock for BreakingClock {
    fn now(&self) -> Timestamp {
        let here = std::thread::current().name() == Some(self.thread);
        assert!(!(here && self.broken.load(Ordering::SeqCst)), "the clock is broken");
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

/// How often the process would have ended.
static ENDED: AtomicUsize = AtomicUsize::new(0);

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_a_deciding_or_keeper_thread_ends_the_process() {
    for (n, thread) in ["brain-decide-0", "brain-keep"].into_iter().enumerate() {
        let clock = Arc::new(BreakingClock { thread, broken: AtomicBool::new(false) });
        let host = Arc::new(TestHost::new(|_| CallFate::Done));
        let panicked = || {
            ENDED.fetch_add(1, Ordering::SeqCst);
        };
        let config = EngineConfig { panicked, ..EngineConfig::default() };
        let store = Arc::new(MemoryStore::new());
        let random = Box::new(SeededRandom::new(1));
        let engine = Engine::start(&config, store, host.clone(), host, clock.clone(), random, Arc::new(Alone)).unwrap();
        assert_eq!(ENDED.load(Ordering::SeqCst), n);
        clock.broken.store(true, Ordering::SeqCst);
        let began = Instant::now();
        while ENDED.load(Ordering::SeqCst) == n {
            assert!(began.elapsed() < Duration::from_secs(30), "{thread} panicked and nobody noticed");
            std::thread::yield_now();
        }
        engine.stop();
    }
    assert_eq!(ENDED.load(Ordering::SeqCst), 2, "stopping an engine does not end the process");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_node_has_no_share_of_limits_until_it_is_resumed() {
    let store = Arc::new(MemoryStore::new());
    let host = Arc::new(TestHost::new(|_| CallFate::Done));
    let clock = Arc::new(BreakingClock { thread: "nobody", broken: AtomicBool::new(false) });
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
    let clock = Arc::new(BreakingClock { thread: "nobody", broken: AtomicBool::new(false) });
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
