//! Slots, limits and fairness, over a store and on a virtual clock.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::{Arc, Mutex};

use brain_core::{Clock, Millis, RunId, RunStatus, TenantId, VirtualClock};
use brain_engine::core::{Submission, ToJob};
use brain_engine::{Driver, FlowConfig, Limits, TenantLimits};
use brain_lang::plan::{Idempotency, Place};
use brain_store::{MemoryStore, Scope, Store};
use common::{CallFate, TestHost, clock, program, random, scope, step, submission};

const KEY: Place = Place::Outside(Idempotency::Key);

struct World {
    driver: Driver,
    store: Arc<dyn Store>,
    host: Arc<TestHost>,
    clock: Arc<VirtualClock>,
    /// Runs whose calls have reached the outside world, in order.
    asked: Arc<Mutex<Vec<RunId>>>,
}

fn world(slots: usize, limits: Limits, fate: CallFate) -> World {
    let asked: Arc<Mutex<Vec<RunId>>> = Arc::default();
    let seen = asked.clone();
    let mut host = TestHost::new(move |job| {
        seen.lock().unwrap().push(job.run);
        fate
    });
    host.limits = limits;
    let (host, store, clock) = (Arc::new(host), Arc::new(MemoryStore::new()), clock());
    let mut flow = FlowConfig { slots, ..FlowConfig::default() };
    let quiet = TenantLimits { limits: Limits { running: Some(2), rate: None }, ..TenantLimits::default() };
    flow.tenants.insert("quiet".parse().unwrap(), quiet);
    let driver = Driver::with_flow(store.clone(), host.clone(), host.clone(), clock.clone(), random(1), flow);
    World { driver, store, host, clock, asked }
}

impl World {
    fn submit(&mut self, tenant: &str, n: u64) -> (Scope, RunId) {
        let scope = Scope::of(tenant.parse::<TenantId>().unwrap());
        let submission = Submission { scope: scope.clone(), ..submission(&program(vec![step("a", &[], KEY)]), n) };
        let (run, engine) = (submission.run, self.driver.engine().clone());
        self.driver.block_on(engine.submit(submission), None).unwrap().unwrap();
        (scope, run)
    }

    fn waits_for(&self, (scope, run): &(Scope, RunId)) -> Option<String> {
        self.store.run(scope, *run).unwrap().unwrap().schedule.queued.map(|place| place.limit)
    }
}

#[test]
fn a_flood_of_one_tenant_leaves_room_for_the_others() {
    let mut world = world(10, Limits::default(), CallFate::NoAnswer);
    let flood: Vec<_> = (0..40).map(|n| world.submit("flood", n)).collect();
    let started = world.asked.lock().unwrap().len();
    assert_eq!(started, 8, "one tenant alone gets four fifths");
    assert_eq!(world.waits_for(&flood[39]), Some("node".into()));
    let row = world.store.run(&flood[39].0, flood[39].1).unwrap().unwrap();
    assert_eq!(row.schedule.owner, None, "a queued run has no owner: any node may take it");
    let other = world.submit("other", 100);
    assert_eq!(world.asked.lock().unwrap().last(), Some(&other.1), "at once");
}

#[test]
fn a_tools_limit_holds_over_all_tenants_and_a_tenants_over_all_tools() {
    let limits = Limits { running: Some(3), rate: None };
    let mut world = world(100, limits, CallFate::NoAnswer);
    let quiet: Vec<_> = (0..3).map(|n| world.submit("quiet", n)).collect();
    let others: Vec<_> = (10..13).map(|n| world.submit("other", n)).collect();
    let waits: Vec<_> = quiet.iter().chain(&others).map(|run| world.waits_for(run)).collect();
    let tool = Some("tool t.do".to_owned());
    assert_eq!(waits, [None, None, Some("tenant".into()), None, tool.clone(), tool]);
}

#[test]
fn a_rate_spreads_calls_over_time_and_loses_none() {
    let limits = Limits { running: None, rate: Some("2/s".parse().unwrap()) };
    let mut world = world(100, limits, CallFate::Done);
    let runs: Vec<_> = (0..8).map(|n| world.submit("default", n)).collect();
    assert_eq!(world.asked.lock().unwrap().len(), 2, "the burst");
    let began = world.clock.now();
    world.driver.advance_to(began.plus(Millis(1_600)));
    assert_eq!(world.asked.lock().unwrap().len(), 5);
    world.driver.advance_to(began.plus(Millis(10_000)));
    assert_eq!(*world.asked.lock().unwrap(), runs.iter().map(|run| run.1).collect::<Vec<_>>(), "each once, in order");
    for (scope, run) in &runs {
        assert_eq!(world.store.run(scope, *run).unwrap().unwrap().status, RunStatus::Completed);
    }
}

#[test]
fn a_decision_of_another_process_continues_on_the_node_that_owns_the_run() {
    let mut world = world(100, Limits::default(), CallFate::NoAnswer);
    let mut gated = step("b", &[], KEY);
    gated.gate = true;
    let program = program(vec![step("a", &[], KEY), gated]);
    let submission = submission(&program, 1);
    let (run, engine) = (submission.run, world.driver.engine().clone());
    world.driver.block_on(engine.submit(submission), None).unwrap().unwrap();
    let before = world.store.run(&scope(), run).unwrap().unwrap();
    let owner = before.schedule.owner.expect("`a` is under way there");

    let (store, host) = (world.store.clone(), world.host.clone());
    let mut other = Driver::new(store, host.clone(), host, world.clock.clone(), random(2));
    let engine = other.engine().clone();
    let state = engine.run_state(&scope(), run).unwrap();
    let step_b = state.program().unwrap().step_index("b").unwrap();
    let key = state.job_key(brain_vm::JobId { scope: 0, step: step_b, item: 0, undo: false }).unwrap();
    other.block_on(engine.tell_job(&scope(), run, key, ToJob::Grant), None).unwrap().unwrap();
    let after = world.store.run(&scope(), run).unwrap().unwrap();
    assert_eq!((after.schedule.owner, after.schedule.fence), (Some(owner), before.schedule.fence));
    assert_eq!(world.asked.lock().unwrap().len(), 1, "nothing starts on a node that does not own the run");

    world.driver.keep().unwrap();
    world.driver.pump();
    assert_eq!(world.asked.lock().unwrap().len(), 2, "it starts on the owner");
    assert_eq!(world.store.signals(&scope(), run).unwrap(), []);
}

#[test]
fn a_node_with_free_slots_takes_queued_runs_of_another() {
    let mut world = world(1, Limits::default(), CallFate::NoAnswer);
    let runs: Vec<_> = (0..4).map(|n| world.submit("default", n)).collect();
    assert_eq!(world.asked.lock().unwrap().len(), 1);
    let (store, host) = (world.store.clone(), world.host.clone());
    let mut other = Driver::new(store, host.clone(), host, world.clock.clone(), random(2));
    other.keep().unwrap();
    other.pump();
    assert_eq!(*world.asked.lock().unwrap(), runs.iter().map(|run| run.1).collect::<Vec<_>>());
    assert!(runs.iter().all(|run| world.waits_for(run).is_none()));
}
