//! Any interleaving of completions, failures, timers, cancels and late answers leaves a state that replay reproduces,
//! and no job that succeeded is ever done again.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::collections::BTreeSet;

use brain_core::{Failure, Millis};
use brain_lang::plan::{Idempotency, OnFailure, Place, Plan, PlanStep};
use brain_vm::{Event, Input, JobStatus};
use common::{World, each, plan, step, tool, undoable, when};
use proptest::prelude::*;

fn any_step(number: usize) -> impl Strategy<Value = PlanStep> {
    let earlier = proptest::collection::vec(0..number.max(1), 0..3);
    (earlier, 0..3_u8, 0..3_u8, any::<bool>(), any::<bool>(), any::<bool>(), 0..8_u8).prop_map(
        move |(after, on_failure, idempotency, has_undo, has_when, has_each, kind)| {
            let after: BTreeSet<String> = after.into_iter().filter(|n| *n < number).map(|n| format!("s{n}")).collect();
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            let mut one = step(&format!("s{number}"), &after);
            one.on_failure = [OnFailure::Stop, OnFailure::Continue, OnFailure::Undo][usize::from(on_failure)];
            one.place = Place::Outside(match idempotency {
                0 => Idempotency::Key,
                1 => Idempotency::None,
                _ => {
                    one.check = Some(tool("t.check"));
                    Idempotency::Check("t.check".into())
                }
            });
            if kind == 0 {
                one.place = Place::Worker { topic: "t".into(), lease: Millis(500) };
                one.check = None;
            }
            one.gate = kind == 1;
            if has_undo {
                one = undoable(one);
            }
            if has_when {
                one = when(one);
            }
            if has_each {
                one = each(one, 2);
            }
            one
        },
    )
}

fn any_plan() -> impl Strategy<Value = Plan> {
    (1_usize..7).prop_flat_map(|count| (0..count).map(any_step).collect::<Vec<_>>()).prop_map(plan)
}

/// One move of the world: what is answered, and how.
fn any_moves() -> impl Strategy<Value = Vec<(u8, usize, u8)>> {
    proptest::collection::vec((0..18_u8, any::<usize>(), 0..3_u8), 1..60)
}

fn failure(kind: u8) -> Failure {
    match kind {
        0 => Failure::transient("t", "t"),
        1 => Failure::business("b", "b"),
        _ => Failure::contract("c", "c"),
    }
}

fn play(world: &mut World, (kind, pick, how): (u8, usize, u8)) {
    let parked: Vec<_> = world
        .state
        .jobs
        .iter()
        .filter(|(_, job)| matches!(job.status, JobStatus::Parked { .. }))
        .map(|(id, job)| (*id, job.attempt))
        .collect();
    let checking: Vec<_> = world
        .state
        .jobs
        .iter()
        .filter(|(_, job)| job.status == JobStatus::Checking)
        .map(|(id, job)| (*id, job.attempt))
        .collect();
    match kind {
        0..=6 if !world.open.is_empty() => {
            let at = pick % world.open.len();
            let (job, attempt) = world.open.remove(at);
            world.input(match kind {
                0..=3 => Input::Done(job, attempt),
                4 | 5 => Input::Failed(job, attempt, failure(how)),
                _ => Input::Unknown(job, attempt, failure(0)),
            });
        }
        7 => world.tick(250),
        8 if !parked.is_empty() => {
            let (job, attempt) = parked[pick % parked.len()];
            world.input(match how {
                0 => Input::Retry(job),
                1 => Input::Dismiss(job),
                _ => Input::Done(job, attempt),
            });
        }
        9 if !checking.is_empty() => {
            let (job, attempt) = checking[pick % checking.len()];
            world.input(match how {
                0 => Input::DidNotHappen(job, attempt),
                1 => Input::Done(job, attempt),
                _ => Input::Unknown(job, attempt, failure(0)),
            });
        }
        10 if how == 0 => world.input(Input::Cancel),
        12 | 13 if !world.open.is_empty() => {
            let at = pick % world.open.len();
            let (job, attempt) = world.open.remove(at);
            match (kind, how) {
                (12, _) if world.program.fragments.len() < 4 && !job.undo => {
                    let steps = match how {
                        0 => vec![step("a", &[])],
                        1 => vec![step("a", &[]), undoable(step("b", &[])), when(step("c", &["a"]))],
                        _ => vec![each(step("a", &[]), 2), step("b", &["a"])],
                    };
                    world.inject(job, attempt, &plan(steps));
                }
                (_, 0) => world.input(Input::Delegated(job, attempt, Some(world.now.plus(Millis(600))))),
                (_, 1) => world.input(Input::Delegated(job, attempt, None)),
                _ => world.input(Input::Review(job, attempt)),
            }
        }
        14 => {
            let others = world.jobs_that(|status| matches!(status, JobStatus::Delegated { .. } | JobStatus::Reviewing));
            if let Some((job, attempt)) = others.get(pick % others.len().max(1)).copied() {
                world.input(match how {
                    0 => Input::Done(job, attempt),
                    1 => Input::Failed(job, attempt, failure(1)),
                    _ => Input::Deny(job, failure(1)),
                });
            }
        }
        15 => {
            let offered = world.jobs_that(|status| *status == JobStatus::Offered);
            if let Some((job, _)) = offered.get(pick % offered.len().max(1)).copied() {
                world.input(Input::Lease(job, world.now.plus(Millis(300))));
            }
        }
        16 => {
            let leased = world.jobs_that(|status| matches!(status, JobStatus::Leased { .. }));
            if let Some((job, attempt)) = leased.get(pick % leased.len().max(1)).copied() {
                world.input(match how {
                    0 => Input::Done(job, attempt),
                    1 => Input::Extend(job, attempt, world.now.plus(Millis(400))),
                    _ => Input::Failed(job, attempt, failure(0)),
                });
            }
        }
        17 => {
            let held = world.jobs_that(|status| *status == JobStatus::Held);
            if let Some((job, _)) = held.get(pick % held.len().max(1)).copied() {
                world.input(if how == 0 { Input::Deny(job, failure(1)) } else { Input::Grant(job) });
            }
        }
        11 => {
            // An answer that nobody waits for.
            let known = world.log.iter().rev().find_map(|event| match event {
                Event::JobDone { job, attempt } => Some((*job, *attempt)),
                _ => None,
            });
            if let Some((job, attempt)) = known {
                world.input(Input::Done(job, attempt));
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn replay_equals_live(plan in any_plan(), moves in any_moves(), flag: bool, items in 0_u32..4) {
        let mut world = World::new(&plan);
        world.flag = flag;
        world.items = items;
        for one in moves {
            play(&mut world, one);
            world.assert_replays();
        }
        let done: Vec<_> = world.log.iter().filter_map(|event| match event {
            Event::JobDone { job, .. } => Some(*job),
            _ => None,
        }).collect();
        let once: BTreeSet<_> = done.iter().copied().collect();
        prop_assert_eq!(done.len(), once.len(), "a job that succeeded is not done again");
        let happened: BTreeSet<_> = world.log.iter().filter_map(|event| match event {
            Event::JobDone { job, .. } | Event::StepsInjected { job, .. } | Event::ReviewAsked { job, .. } => Some(*job),
            _ => None,
        }).collect();
        for undone in done.iter().filter(|job| job.undo) {
            let forward = brain_vm::JobId { undo: false, ..*undone };
            prop_assert!(happened.contains(&forward), "only what was done is taken back");
        }
    }

    #[test]
    fn every_run_can_be_brought_to_an_end(plan in any_plan(), moves in any_moves()) {
        let mut world = World::new(&plan);
        for one in moves {
            play(&mut world, one);
        }
        // From here on everything succeeds and every parked job is dismissed.
        for _ in 0..2_000 {
            if world.state.is_ended() {
                break;
            }
            if let Some((job, attempt)) = world.open.pop() {
                world.input(Input::Done(job, attempt));
                continue;
            }
            let mut jobs = world.state.jobs.iter().filter(|(_, job)| job.status != JobStatus::Growing);
            let waiting = jobs.next().map(|(id, job)| (*id, job.clone()));
            match waiting {
                Some((id, job)) => match job.status {
                    JobStatus::Parked { .. } => world.input(Input::Dismiss(id)),
                    JobStatus::Checking
                    | JobStatus::Delegated { .. }
                    | JobStatus::Reviewing
                    | JobStatus::Leased { .. } => world.input(Input::Done(id, job.attempt)),
                    JobStatus::Offered => world.input(Input::Lease(id, world.now.plus(Millis(300)))),
                    JobStatus::Held => world.input(Input::Grant(id)),
                    _ => world.tick(2_000),
                },
                None => world.tick(2_000),
            }
        }
        prop_assert!(world.state.is_ended(), "stuck: {:#?}", world.state);
    }
}
