//! Seeded worlds in which calls fail, get lost and never answer, and nodes die at any moment: no run is lost, no
//! record is written twice, nothing that must not be repeated is repeated, and every log folds to its run's row.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::{Arc, Mutex};

use brain_core::{Clock, Failure, Millis, Random, RunId, SeededRandom, Timestamp};
use brain_engine::core::ToJob;
use brain_engine::{Driver, JobOutcome, LetterDecision};
use brain_lang::plan::{Idempotency, OnFailure, Place, PlanStep};
use brain_registry::ToolResult;
use brain_store::{MemoryStore, RecordFilter, Store};
use brain_vm::{Event, JobStatus};
use common::{Fate, Sequel, TestHost, clock, each, program, random, scope, step, submission, with_undo};
use serde_json::json;

const RUNS: u64 = 6;

fn any_step(number: u64, random: &mut SeededRandom) -> PlanStep {
    let place = match random.below(5) {
        4 => Place::Worker { topic: "work".into(), lease: Millis(500) },
        0 => Place::Outside(Idempotency::Key),
        1 => Place::Outside(Idempotency::None),
        2 => Place::Outside(Idempotency::Check("t.do".into())),
        _ => Place::Inline,
    };
    let after: Vec<String> = (0..number).filter(|_| random.below(3) == 0).map(|n| format!("s{n}")).collect();
    let after: Vec<&str> = after.iter().map(String::as_str).collect();
    let mut one = step(&format!("s{number}"), &after, place);
    one.on_failure = [OnFailure::Stop, OnFailure::Continue, OnFailure::Undo][random.below(3) as usize];
    if random.below(3) == 0 {
        one = with_undo(one, if random.below(2) == 0 { Place::Inline } else { Place::Outside(Idempotency::Key) });
    }
    if random.below(4) == 0 {
        one = each(one);
    }
    one.gate = random.below(6) == 0;
    one
}

fn live_through(seed: u64) {
    let mut dice = SeededRandom::new(seed);
    let fates = Mutex::new(SeededRandom::new(seed ^ 0xfa7e));
    let mut host = TestHost::new(move |_| {
        let roll = fates.lock().unwrap().below(20);
        match roll {
            0..=10 => Fate::Done,
            11 | 12 => Fate::Busy,
            13 => Fate::Refused,
            14 | 15 => Fate::LostAfter,
            16 | 17 => Fate::LostBefore,
            _ => Fate::NoAnswer,
        }
    });
    // The same job leads to the same, however often it is decided; injected steps lead to nothing more.
    host.sequel = Box::new(move |job| {
        if job.step.contains('/') || job.job.undo {
            return Sequel::Nothing;
        }
        match (job.key.as_uuid().as_u128() ^ u128::from(seed)) % 8 {
            0 => Sequel::Grow,
            1 => Sequel::Review,
            2 => Sequel::Delegate,
            _ => Sequel::Nothing,
        }
    });
    let host = Arc::new(host);
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let clock = clock();
    let new_node = |seed| Driver::new(store.clone(), host.clone(), host.clone(), clock.clone(), random(seed));
    let mut driver = new_node(seed);
    let mut runs = Vec::new();
    for n in 0..RUNS {
        let steps = (0..1 + dice.below(5)).map(|number| any_step(number, &mut dice)).collect();
        let submission = submission(&program(steps), n);
        let (run, engine) = (submission.run, driver.engine().clone());
        driver.block_on(engine.submit(submission), None).unwrap().unwrap();
        runs.push(run);
    }
    for round in 0..600 {
        match dice.below(4) {
            0 => {
                // The node dies: whatever it had in hand is gone.
                let dead = driver.engine().node();
                driver = new_node(seed ^ (round << 8) ^ 0xdead);
                driver.take_over(dead);
            }
            1 => drop(driver.pump()),
            _ => driver.advance_to(clock.now().plus(Millis(1 + dice.below(2_000)))),
        }
        let letters = store.letters(&scope(), Some(true), 100, None).unwrap().items;
        if let Some(letter) = letters.get(dice.below(4) as usize) {
            let doubt = letter.body["in_doubt"] == true;
            let decision = match dice.below(3) {
                // What may have happened is only tried again if a person says so; here nobody does.
                0 if !doubt => LetterDecision::Retry,
                1 => LetterDecision::Abandon,
                _ => LetterDecision::Resolve(None),
            };
            let engine = driver.engine().clone();
            drop(driver.block_on(engine.decide_letter(&scope(), letter.id, decision, "test", "x"), None));
        }
        people_and_workers(&mut driver, &store, &mut dice, &runs, clock.now());
        let open = runs.iter().any(|run| {
            let row = store.run(&scope(), *run).unwrap().unwrap();
            matches!(row.status.as_str(), "running" | "waiting" | "delegated" | "compensating")
        });
        if !open {
            break;
        }
    }
    for run in &runs {
        let state = driver.engine().run_state(&scope(), *run).unwrap();
        let machine = state.state.unwrap();
        assert!(machine.is_ended(), "seed {seed}: run {run} never ended: {machine:#?}");
        assert_eq!(machine.status().to_string(), state.row.status, "seed {seed}: the log and the row agree");
        let program = state.program.unwrap();
        let list = brain_engine::receipts(*run, &[], &program, &state.log).unwrap();
        let mut succeeded = std::collections::BTreeSet::new();
        for receipt in list.iter().filter(|one| one.status.as_str() == "succeeded") {
            assert!(succeeded.insert(receipt.key), "seed {seed}: {} succeeded twice", receipt.step);
        }
        // A step has had its effect when it is done, and also when somebody else goes on with its result.
        let mut happened = std::collections::BTreeSet::new();
        for event in brain_engine::log::entries(&state.log).filter_map(|entry| entry.machine().unwrap()) {
            if let Event::JobDone { job, .. }
            | Event::StepsInjected { job, .. }
            | Event::ReviewAsked { job, .. }
            | Event::JobDelegated { job, .. } = event
            {
                happened.insert(job);
            }
        }
        let inline = happened
            .iter()
            .filter(|job| {
                let step = program.step(job.step);
                let place = if job.undo { &step.undo.as_ref().unwrap().place } else { &step.place };
                *place == Place::Inline
            })
            .count();
        let marks = store.records(&scope(), "mark", &RecordFilter::default(), 10_000, None).unwrap().items;
        let own = marks.iter().filter(|mark| mark.body["run"] == json!(run)).count();
        assert_eq!(own, inline, "seed {seed}: one record for each inline step that succeeded");
        let seen = host.seen.lock().unwrap();
        for (index, step) in program.steps.iter().enumerate() {
            for item in 0..3 {
                let key = brain_core::JobKey::derive(state.data.started, *run, "", &step.id, item, false).to_string();
                let effects = seen.effects.get(&key).copied().unwrap_or(0);
                // With a key the other side recognises a repetition: that is what the key is for.
                if let Place::Outside(Idempotency::None | Idempotency::Check(_)) = &step.place {
                    assert!(effects <= 1, "seed {seed}: {} of step {index} happened {effects} times", step.id);
                }
            }
        }
    }
}

/// What others do about runs that wait for them: late, twice, or not at all.
fn people_and_workers(
    driver: &mut Driver,
    store: &Arc<dyn Store>,
    dice: &mut SeededRandom,
    runs: &[RunId],
    now: Timestamp,
) {
    let engine = driver.engine().clone();
    let topics = ["work".to_owned()];
    if let Some(offer) = store.offers(&scope(), &topics, 10).unwrap().get(dice.below(3) as usize) {
        let lease = ToJob::Lease { until: Some(now.plus(Millis(200))), worker: "w".into() };
        let taken = driver.block_on(engine.tell_job(&scope(), offer.run, offer.key, lease), None);
        let attempt = taken.and_then(Result::ok).and_then(|news| news.answer["attempt"].as_u64());
        if dice.below(3) == 0 {
            // The worker takes too long: what it answers then is refused.
            driver.advance_to(now.plus(Millis(300)));
        }
        for _ in 0..1 + dice.below(2) {
            let outcome = match dice.below(4) {
                0 => JobOutcome::Failed(Failure::transient("busy", "busy")),
                _ => JobOutcome::Done(ToolResult::ok(json!({"worked": true}))),
            };
            let answer = ToJob::Answer { attempt: attempt.and_then(|n| u32::try_from(n).ok()).or(Some(99)), outcome };
            drop(driver.block_on(engine.tell_job(&scope(), offer.run, offer.key, answer), None));
        }
    }
    let run = runs[dice.below(runs.len() as u64) as usize];
    let state = engine.run_state(&scope(), run).unwrap();
    let (program, machine) = (state.program.unwrap(), state.state.unwrap());
    for (id, job) in &machine.jobs {
        let key = brain_engine::job_key(&program, run, state.data.started, *id);
        let no = || Failure::business("no", "no");
        let message = match (&job.status, dice.below(4)) {
            (JobStatus::Held, 0) => ToJob::Deny(no()),
            (JobStatus::Held, _) => ToJob::Grant,
            (JobStatus::Reviewing, 0) => ToJob::Deny(no()),
            (JobStatus::Reviewing, _) => {
                ToJob::Accept { corrections: json!({"seen": true}), by: "p".into(), note: String::new() }
            }
            (JobStatus::Delegated { .. }, 0) => ToJob::Answer { attempt: None, outcome: JobOutcome::Failed(no()) },
            (JobStatus::Delegated { .. }, 1) => continue,
            (JobStatus::Delegated { .. }, _) => {
                ToJob::Answer { attempt: None, outcome: JobOutcome::Done(ToolResult::ok(json!({"back": true}))) }
            }
            _ => continue,
        };
        for _ in 0..1 + dice.below(2) {
            drop(driver.block_on(engine.tell_job(&scope(), run, key, message.clone()), None));
        }
    }
}

#[test]
fn nothing_is_lost_or_done_twice_in_any_of_these_worlds() {
    for seed in 0..300 {
        live_through(seed);
    }
}
