//! Moving a run from one program to another.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::collections::BTreeMap;

use brain_core::Failure;
use brain_lang::plan::Plan;
use brain_vm::{Code, Input, Machine, Need, StepMap, StepState, compile, migrate};
use common::{World, code_of, each, plan, step, tool, when};

fn no_map() -> StepMap {
    BTreeMap::new()
}

fn to(world: &World, new: &Plan, map: &StepMap) -> Result<(Code, brain_vm::Migration), Vec<String>> {
    let code = code_of(compile(new).unwrap());
    let migration = migrate(world.code.root(), &world.state, &code, map, |_| 3)?;
    Ok((code, migration))
}

/// Fails a step's call: the step has started, but is not under way.
fn rest(world: &mut World, step: &str) {
    world.answer(step, 0, |job, attempt| Input::Failed(job, attempt, Failure::transient("busy", "busy")));
}

/// The names of the steps that are open.
fn open(code: &Code, state: &brain_vm::State) -> Vec<String> {
    state.jobs.keys().map(|job| state.step(code, job.at()).id.clone()).collect()
}

#[test]
fn started_steps_go_on_and_new_steps_run_in_their_place() {
    let mut world = World::new(&plan(vec![step("a", &[]), step("b", &["a"]), step("c", &["b"])]));
    world.done("a");
    rest(&mut world, "b");
    let new = plan(vec![step("a", &[]), step("b", &["a"]), step("x", &["b"]), step("c", &["x"]), step("y", &["a"])]);
    let (program, moved) = to(&world, &new, &no_map()).unwrap();
    let mut open_now = open(&program, &moved.state);
    open_now.sort();
    assert_eq!(open_now, ["b", "y"], "`a` is done; `y` follows it in the new version");
    assert_eq!(moved.state.done.len(), 1);
    // The migrated run reaches its end.
    let mut state = moved.state;
    for _ in 0..20 {
        let machine = Machine::new(&program);
        let later = brain_core::Timestamp::from_millis(i64::MAX / 2);
        let events = match machine.next(&state) {
            Some(Need::Start(job, attempt)) => {
                let started = machine.decide(&state, Input::Handed(job, attempt), later, 0);
                started.iter().for_each(|event| state.apply(&program, event));
                Machine::new(&program).decide(&state, Input::Done(job, attempt), later, 0)
            }
            Some(Need::Proceed(scope)) => machine.proceed(&state, scope),
            Some(_) => unreachable!("there are no conditions and lists"),
            None if state.is_ended() => break,
            None => machine.decide(&state, Input::Tick, later, 0),
        };
        for event in events {
            state.apply(&program, &event);
        }
    }
    assert!(state.is_ended());
    let steps = &state.scope(0).steps;
    assert!(steps.len() == 5 && steps.values().all(|step| *step == StepState::Done), "{steps:?}");
}

#[test]
fn a_run_migrated_to_its_own_program_is_unchanged() {
    let old = plan(vec![step("a", &[]), when(step("b", &["a"])), each(step("e", &["b"]), 2), step("c", &["e"])]);
    let mut world = World::new(&old);
    world.items = 3;
    world.flag = false;
    world.done("a");
    for item in 0..3 {
        world.answer("e", item, Input::Done);
    }
    rest(&mut world, "c");
    let (program, moved) = to(&world, &old, &no_map()).unwrap();
    assert_eq!(moved.state.scope(0).steps, world.state.scope(0).steps);
    assert_eq!(moved.state.jobs, world.state.jobs);
    assert_eq!(moved.state.done, world.state.done);
    assert_eq!(Machine::new(&program).next(&moved.state), Machine::new(&world.code).next(&world.state));
}

#[test]
fn a_finished_step_may_be_renamed_or_dropped() {
    let mut world = World::new(&plan(vec![step("a", &[]), step("b", &["a"]), step("c", &["b"])]));
    world.done("a");
    world.done("b");
    rest(&mut world, "c");
    let mut new = plan(vec![step("first", &[]), step("c", &["first"])]);
    new.steps[0].tool = tool("t.a");
    let refused = to(&world, &new, &no_map()).unwrap_err();
    assert_eq!(refused.len(), 2, "both are named: {refused:?}");
    let map = StepMap::from([("a".into(), Some("first".into())), ("b".into(), None)]);
    let (program, moved) = to(&world, &new, &map).unwrap();
    assert_eq!(open(&program, &moved.state), ["c"]);
}

#[test]
fn a_step_that_cannot_be_mapped_prevents_the_migration() {
    let mut world = World::new(&plan(vec![step("a", &[]), step("b", &["a"]), step("c", &["b"])]));
    world.done("a");
    world.done("b");
    rest(&mut world, "c");
    let because = |new: &Plan, map: &StepMap, part: &str| {
        let problems = to(&world, new, map).unwrap_err();
        assert!(problems.iter().any(|problem| problem.contains(part)), "{problems:?} should say `{part}`");
    };
    // A new step before a finished one would run too late, and the finished one would run again.
    let late = plan(vec![step("a", &[]), step("new", &["a"]), step("b", &["new"]), step("c", &["b"])]);
    because(&late, &no_map(), "comes after a step that has not");
    let mut other = plan(vec![step("a", &[]), step("b", &["a"]), step("c", &["b"])]);
    other.steps[1].tool = tool("t.other");
    because(&other, &no_map(), "a different step");
    let same = plan(vec![step("a", &[]), step("b", &["a"]), step("c", &["b"])]);
    because(&same, &StepMap::from([("zzz".into(), None)]), "not a step of the run's program");
    let renamed = plan(vec![step("a", &[]), step("b", &["a"]), step("d", &["b"])]);
    because(&renamed, &StepMap::from([("c".into(), Some("d".into()))]), "keeps its name");
    let list = plan(vec![step("a", &[]), each(step("b", &["a"]), 2), step("c", &["b"])]);
    because(&list, &no_map(), "`foreach` in only one");
}

#[test]
fn a_run_with_a_job_under_way_is_not_migrated() {
    let mut world = World::new(&plan(vec![step("a", &[]), each(step("e", &["a"]), 2)]));
    world.items = 3;
    world.done("a");
    world.answer("e", 0, Input::Done);
    let same = plan(vec![step("a", &[]), each(step("e", &["a"]), 2)]);
    assert!(to(&world, &same, &no_map()).unwrap_err()[0].contains("try again"));
}
