//! A panic in a thread of the engine does not leave a node that keeps its lease without working.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use brain_core::{Clock, SeededRandom, Timestamp};
use brain_engine::{Engine, EngineConfig, Liveness};
use brain_store::MemoryStore;
use common::{CallFate, TestHost};

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
