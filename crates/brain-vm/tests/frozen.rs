//! The stored formats of events and programs. The numbers, names and fields of events and the form of programs are frozen.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::path::{Path, PathBuf};

use brain_core::{Digest, Failure, Millis};
use brain_lang::plan::{Args, Backoff, Idempotency, OnFailure, Place, Plan, PlanStep};
use brain_testbed::assert_golden;
use brain_vm::{Arm, Event, Happened, JobId, Op, Program, StepId, Stray, Trigger, VM_EVENTS};
use common::{check, each, plan, step, undoable, when};

fn golden(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file)
}

#[test]
fn the_form_of_events_is_frozen() {
    let job = JobId { scope: 4, step: 3, item: 2, undo: true };
    let at = StepId { scope: 0, step: 1 };
    let failure = || Failure::transient("c", "m");
    let time = brain_core::Timestamp::from_millis(0);
    let hash = brain_core::Digest::of(b"x");
    let stop = brain_vm::Stop::Fail;
    let events = [
        Event::RunStarted { deadline: Some(time) },
        Event::ConditionMet { at },
        Event::StepSkipped { at: StepId { scope: 2, ..at } },
        Event::EachOpened { at, count: 9 },
        Event::JobStarted { job, attempt: 1, lands_until: time },
        Event::JobDone { job, attempt: 1 },
        Event::JobRetrying { job, attempt: 1, failure: failure(), at: time, unsettled: true },
        Event::JobFailed { job, attempt: 1, failure: failure() },
        Event::JobStuck { job, attempt: 1, failure: failure(), happened: Happened::Maybe },
        Event::JobReopened { job },
        Event::JobDismissed { job },
        Event::JobChecking { job, attempt: 1, failure: failure() },
        Event::ScopeStopped { scope: 0, stop, failure: None },
        Event::CompensationStarted { scope: 0 },
        Event::RunEnded { end: brain_vm::End::Completed },
        Event::SignalIgnored { code: Stray::Forged, what: "x".into() },
        Event::ScopeOpened { job, attempt: 1, code: hash },
        Event::JobOffered { job },
        Event::JobLeased { job, attempt: 1, until: time },
        Event::LeaseExtended { job, attempt: 1, until: time },
        Event::JobDelegated { job, attempt: 1, until: None, child: true },
        Event::JobHeld { job, until: Some(time) },
        Event::JobGranted { job },
        Event::ReviewAsked { job, attempt: 1 },
        Event::StepBypassed { at, because: 0 },
        Event::BatchRolledBack { failure: None },
        Event::JobDoneBadly { job, attempt: 1, failure: failure() },
        Event::CheckPostponed { job, attempt: 1, at: time, failure: None },
        Event::CheckDenied { job, attempt: 1 },
        Event::StopForced { scope: 0 },
        Event::ScopeEnded { scope: 1, end: brain_vm::End::Failed },
        Event::WaitArmed { fiber: 3, timers: vec![time] },
        Event::WaitWon { fiber: 3, arm: 1 },
    ];
    let written: Vec<String> = events
        .iter()
        .map(|event| format!("{} {} {}", event.number(), Event::name(event.number()).unwrap(), event.data()))
        .collect();
    assert_golden(&golden("events.txt"), &written.join("\n"));
    let numbers: Vec<u16> = events.iter().map(Event::number).collect();
    let known: Vec<u16> = VM_EVENTS.filter(|number| Event::name(*number).is_some()).collect();
    assert_eq!(numbers, known, "every event is in the golden file, in the order of its number");
    for event in events {
        assert_eq!(Event::read(event.number(), 1, &event.data()), Ok(event));
    }
    let nothing = serde_json::value::to_raw_value(&serde_json::json!({})).unwrap();
    assert!(Event::read(106, 2, &nothing).is_err(), "a newer version is not guessed at");
    assert!(Event::read(199, 1, &nothing).is_err());
}

#[test]
fn the_form_of_programs_is_frozen() {
    let mut text = String::new();
    for program in [every_step(), batch(), every_instruction()] {
        program.check().unwrap();
        let json = String::from_utf8(brain_core::canonical_bytes(&program)).unwrap();
        text.push_str(&format!("# {} {}\n{}{json}\n\n", program.name, program.id(), program.listing()));
        assert_eq!(serde_json::from_str::<Program>(&json).unwrap(), program);
    }
    assert_golden(&golden("programs.txt"), &text);
}

/// Every attribute of a step, as the compiler lowers it.
fn every_step() -> Program {
    let mut inline = when(step("inline", &[]));
    inline.place = Place::Inline;
    inline.args = Args::Call(1);
    let mut checked = undoable(step("checked", &["inline"]));
    checked.place = Place::Outside(Idempotency::Check("t.check".into()));
    checked.check = Some(check());
    checked.on_failure = OnFailure::Undo;
    if let Some(undo) = &mut checked.undo {
        undo.check = Some(check());
        undo.gate = true;
    }
    let mut worker = each(step("worker", &["inline"]), 4);
    worker.place = Place::Worker { topic: "topic".into(), lease: Millis(60_000) };
    worker.on_failure = OnFailure::Continue;
    let mut last = step("last", &["checked", "worker"]);
    last.place = Place::Outside(Idempotency::None);
    last.needs = vec!["worker".into()];
    last.gate = true;
    last.retry.backoff = Backoff::Linear;
    last.retry.on = vec!["http_503".into()];
    last.retry.jitter = 20;
    let plan = Plan {
        name: "every_step".into(),
        timeout: Some(Millis(86_400_000)),
        ..plan(vec![inline, checked, worker, last])
    };
    brain_vm::compile(&plan).unwrap()
}

/// An atomic batch with the settings that it was planned with.
fn batch() -> Program {
    let inline = |mut step: PlanStep| {
        step.place = Place::Inline;
        step.retry.backoff = Backoff::Fixed;
        step
    };
    let plan =
        Plan { name: "batch".into(), atomic: true, ..plan(vec![inline(step("a", &[])), inline(step("b", &["a"]))]) };
    Program { settings: Some(Digest::of(b"settings")), ..brain_vm::compile(&plan).unwrap() }
}

/// The instructions that no plan needs yet.
fn every_instruction() -> Program {
    let arm = |on, to| Arm { on, to };
    let code = vec![
        Op::Await(vec![
            arm(Trigger::Enter(0), 2),
            arm(Trigger::Error(Some("code".into())), 1),
            arm(Trigger::Error(None), 1),
            arm(Trigger::Timer(Millis(500)), 1),
            arm(Trigger::Message("paid".into()), 2),
        ]),
        Op::End,
        Op::Await(vec![arm(Trigger::EnterEach { step: 1, block: 1 }, 1)]),
        Op::Job(0),
        Op::End,
        Op::Job(1),
        Op::End,
    ];
    Program {
        name: "every_instruction".into(),
        debug_map: code.iter().map(|op| if let Op::Job(step) = op { Some(*step) } else { None }).collect(),
        code,
        joins: vec![],
        steps: vec![step("a", &[]), each(step("b", &[]), 2)],
        blocks: vec![3, 5],
        timeout: None,
        max_steps: 50,
        atomic: false,
        settings: None,
    }
}
