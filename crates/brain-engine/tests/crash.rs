//! Seeded worlds in which calls fail, get lost and never answer, and nodes die at any moment: no run is lost, no
//! record is written twice, nothing that must not be repeated is repeated, and every log folds to its run's row.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::{Arc, Mutex};

use brain_core::{Clock, Millis, Random, SeededRandom};
use brain_engine::{Driver, LetterDecision};
use brain_lang::plan::{Idempotency, OnFailure, Place, PlanStep};
use brain_store::{MemoryStore, RecordFilter, Store};
use common::{Fate, TestHost, clock, each, program, random, scope, step, submission, with_undo};

const RUNS: u64 = 6;

fn any_step(number: u64, random: &mut SeededRandom) -> PlanStep {
    let place = match random.below(4) {
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
    one
}

fn live_through(seed: u64) {
    let mut dice = SeededRandom::new(seed);
    let fates = Mutex::new(SeededRandom::new(seed ^ 0xfa7e));
    let host = Arc::new(TestHost::new(move |_| {
        let roll = fates.lock().unwrap().below(20);
        match roll {
            0..=10 => Fate::Done,
            11 | 12 => Fate::Busy,
            13 => Fate::Refused,
            14 | 15 => Fate::LostAfter,
            16 | 17 => Fate::LostBefore,
            _ => Fate::NoAnswer,
        }
    }));
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
    for round in 0..400 {
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
        let open = runs.iter().any(|run| {
            let row = store.run(&scope(), *run).unwrap().unwrap();
            matches!(row.status.as_str(), "running" | "waiting" | "compensating")
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
        let list = brain_engine::receipts(*run, &program, &state.log).unwrap();
        let mut succeeded = std::collections::BTreeSet::new();
        for receipt in list.iter().filter(|one| one.status.as_str() == "succeeded") {
            assert!(succeeded.insert(receipt.key), "seed {seed}: {} succeeded twice", receipt.step);
        }
        let inline = succeeded
            .iter()
            .filter(|key| {
                let receipt = list.iter().find(|one| one.key == **key).unwrap();
                let step = program.step(receipt.job.step);
                let place = if receipt.job.undo { &step.undo.as_ref().unwrap().place } else { &step.place };
                *place == Place::Inline
            })
            .count();
        let marks = store.records(&scope(), "mark", &RecordFilter::default(), 10_000, None).unwrap().items;
        let own = marks.iter().filter(|mark| mark.body["run"] == serde_json::json!(run)).count();
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

#[test]
fn nothing_is_lost_or_done_twice_in_any_of_these_worlds() {
    for seed in 0..300 {
        live_through(seed);
    }
}
