//! Blocks, waits and error routes, which processes need. The plan language cannot express them yet, so the programs are
//! written by hand.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use brain_core::{Failure, Millis};
use brain_lang::plan::{OnFailure, PlanStep};
use brain_vm::{Arm, Op, Program, Trigger};
use common::{World, code_of, each, step, undoable, when};

fn program(steps: Vec<PlanStep>, blocks: Vec<u32>, code: Vec<Op>) -> Program {
    Program {
        name: "by hand".into(),
        debug_map: vec![None; code.len()],
        code,
        joins: vec![2],
        steps,
        blocks,
        timeout: None,
        max_steps: 50,
        atomic: false,
        settings: None,
    }
}

fn arm(on: Trigger, to: u32) -> Arm {
    Arm { on, to }
}

/// A block with the given steps, awaited together with other arms, followed by the step `z`.
fn guarded(mut inner: Vec<PlanStep>, mut others: Vec<Arm>) -> World {
    let count = inner.len() as u16;
    inner.push(step("z", &[]));
    others.insert(0, arm(Trigger::Enter(0), 1));
    // 0: await … → 1; 1: z; 2: end; 3: the block with its steps in sequence; then end.
    let mut code = vec![Op::Await(others), Op::Job(count), Op::End];
    code.extend((0..count).map(Op::Job));
    code.push(Op::End);
    World::of(code_of(program(inner, vec![3], code)))
}

fn business() -> Failure {
    Failure::business("no_stock", "none left")
}

#[test]
fn a_step_in_a_loop_is_done_once_per_round_and_joins_reset() {
    // 0: await block; 1: when s2 (the loop's condition) else 3; 2: jump 0; 3: end. Block: fork a, b; join; end.
    let steps = vec![step("a", &[]), step("b", &[]), when(step("again", &[]))];
    let code = vec![
        Op::Await(vec![arm(Trigger::Enter(0), 1)]),
        Op::When { step: 2, otherwise: 3 },
        Op::Jump(0),
        Op::End,
        Op::Fork(vec![5, 7]),
        Op::Job(0),
        Op::Jump(8),
        Op::Job(1),
        Op::Join(0),
        Op::End,
    ];
    let mut world = World::of(code_of(program(steps, vec![4], code)));
    for round in 1..=3_u32 {
        assert_eq!(world.open.len(), 2, "round {round}");
        assert!(world.open.iter().all(|(job, _)| job.scope == round), "a scope a round");
        world.flag = round < 3;
        while let Some((job, attempt)) = world.open.first().copied() {
            if job.scope != round {
                break;
            }
            world.open.remove(0);
            world.input(brain_vm::Input::Done(job, attempt));
        }
        world.assert_replays();
    }
    assert_eq!(world.status(), "completed");
    assert_eq!(world.state.done.len(), 6, "two steps, three times");
}

#[test]
fn a_block_runs_once_for_each_item_a_few_at_a_time_and_shares_its_code() {
    let steps = vec![each(step("list", &[]), 2), step("a", &[]), step("z", &[])];
    let block = Trigger::EnterEach { step: 0, block: 0 };
    let code = vec![Op::Await(vec![arm(block, 1)]), Op::Job(2), Op::End, Op::Job(1), Op::End];
    let mut world = World::new(&common::plan(vec![step("warm", &[])]));
    assert_eq!(world.state.scopes.len(), 1);
    world = World::of(code_of(program(steps, vec![3], code)));
    assert_eq!(world.open.len(), 2, "two at a time");
    for _ in 0..3 {
        let (job, attempt) = world.open.remove(0);
        world.input(brain_vm::Input::Done(job, attempt));
    }
    assert_eq!(world.open_steps(), ["z"]);
    assert!(world.state.scopes.iter().all(|scope| scope.code == 0), "no copies");
    world.done("z");
    assert_eq!(world.status(), "completed");
    world.assert_replays();
}

#[test]
fn an_empty_list_of_blocks_is_done_at_once() {
    let steps = vec![each(step("list", &[]), 2), step("a", &[])];
    let block = Trigger::EnterEach { step: 0, block: 0 };
    let code = vec![Op::Job(1), Op::Await(vec![arm(block, 2)]), Op::End, Op::Job(1), Op::End];
    let mut world = World::of(code_of(program(steps, vec![3], code)));
    world.items = 0;
    world.done("a");
    assert_eq!(world.status(), "completed");
    world.assert_replays();
}

#[test]
fn a_timer_that_comes_first_stops_the_block_without_waiting_for_it() {
    let mut world = guarded(vec![step("a", &[])], vec![arm(Trigger::Timer(Millis(500)), 1)]);
    assert_eq!(world.state.wake_at(), Some(world.now.plus(Millis(500))));
    world.tick(500);
    assert_eq!(world.open_steps(), ["#1[1]/a", "z"], "the block's call is under way; the run goes on");
    world.done("z");
    assert_eq!(world.status(), "running", "the call is awaited before the run ends");
    world.done("#1[1]/a");
    assert_eq!(world.status(), "completed");
    world.assert_replays();
}

#[test]
fn a_message_that_comes_after_the_block_changes_nothing() {
    let mut world = guarded(vec![step("a", &[])], vec![arm(Trigger::Message("stop".into()), 2)]);
    world.done("#1[1]/a");
    assert_eq!(world.open_steps(), ["z"]);
    let before = world.state.clone();
    world.input(brain_vm::Input::Message("stop".into()));
    assert_eq!(world.state, before);
    assert_eq!(world.state.wake_at(), None, "no other arm is armed");
    world.assert_replays();
}

#[test]
fn a_message_that_comes_first_wins() {
    let mut world = guarded(vec![step("a", &[])], vec![arm(Trigger::Message("stop".into()), 2)]);
    world.input(brain_vm::Input::Message("stop".into()));
    world.done("#1[1]/a");
    assert_eq!(world.status(), "completed", "without z");
    world.assert_replays();
}

#[test]
fn an_error_takes_its_route_and_another_one_stops_the_run() {
    let route = || vec![arm(Trigger::Error(Some("no_stock".into())), 1)];
    let mut world = guarded(vec![step("a", &[])], route());
    world.fail("#1[1]/a", business());
    assert_eq!(world.open_steps(), ["z"], "the route for this code");
    world.done("z");
    assert_eq!(world.status(), "completed");
    world.assert_replays();

    let mut world = guarded(vec![step("a", &[])], route());
    world.fail("#1[1]/a", Failure::business("other", "other"));
    assert_eq!(world.status(), "failed");
    assert_eq!(world.state.failure().unwrap().code, "other");
    world.assert_replays();
}

#[test]
fn a_failed_block_undoes_only_its_own_jobs() {
    let mut failing = step("b", &[]);
    failing.on_failure = OnFailure::Undo;
    let inner = vec![undoable(step("a", &[])), failing];
    let mut world = guarded(inner, vec![arm(Trigger::Error(None), 1)]);
    world.done("#1[1]/a");
    world.fail("#1[1]/b", business());
    assert_eq!(world.open_steps(), ["-#1[1]/a"]);
    assert_eq!(world.status(), "running", "only the block is compensated");
    world.done("#1[1]/a");
    assert_eq!(world.open_steps(), ["z"]);
    world.done("z");
    assert_eq!(world.status(), "completed");
    world.assert_replays();
}

#[test]
fn programs_with_endless_loops_or_bad_targets_are_rejected() {
    let bad = |code: Vec<Op>| program(vec![step("a", &[])], vec![], code).check().unwrap_err().to_string();
    assert!(bad(vec![Op::Jump(0)]).contains("a loop never yields"));
    assert!(bad(vec![Op::Fork(vec![1, 2]), Op::Jump(2), Op::Jump(1)]).contains("a loop never yields"));
    assert!(bad(vec![Op::Job(0), Op::Jump(0)]).contains("repeated outside a block"));
    assert!(bad(vec![Op::Job(7), Op::End]).contains("no such step"));
    assert!(bad(vec![Op::Jump(9)]).contains("outside the code"));
    assert!(bad(vec![Op::Job(0)]).contains("outside the code"));
    assert!(bad(vec![Op::Await(vec![])]).contains("a wait has no arms"));
    assert!(bad(vec![Op::Await(vec![arm(Trigger::Enter(0), 0)])]).contains("no such block"));
    assert!(bad(vec![]).contains("no code"));
}
