//! Random plans with every kind of step, in any order.

use std::sync::{Arc, OnceLock};

use brain_core::Millis;
use brain_lang::binding::Binding;
use brain_lang::plan::{
    Args, Backoff, Foreach, Idempotency, OnFailure, Place, Plan, PlanCheck, PlanStep, PlanUndo, RetryPolicy,
};
use brain_vm::{Program, compile};
use serde_json::json;

use crate::dice::Dice;
use crate::host::tool_ref;

/// The topic of the workers.
pub(crate) const TOPIC: &str = "work";

/// Where a tool runs.
fn place_of(tool: &str) -> Place {
    match tool {
        "key" | "child" => Place::Outside(Idempotency::Key),
        "check" => Place::Outside(Idempotency::Check("t.check".into())),
        "none" => Place::Outside(Idempotency::None),
        "work" => Place::Worker { topic: TOPIC.into(), lease: Millis(3_000) },
        _ => Place::Inline,
    }
}

fn step(id: &str, after: Vec<String>, tool: &str) -> PlanStep {
    let place = place_of(tool);
    PlanStep {
        id: id.into(),
        tool: tool_ref(tool),
        args: Args::Binding(nothing()),
        after,
        when: None,
        foreach: None,
        on_failure: OnFailure::Stop,
        retry: RetryPolicy {
            attempts: 3,
            backoff: Backoff::Exponential,
            delay: Millis(200),
            max_delay: Millis(3_000),
            jitter: 20,
            on: vec![],
        },
        timeout: Millis(1_500),
        check: matches!(place, Place::Outside(Idempotency::Check(_))).then(|| PlanCheck {
            tool: tool_ref(tool),
            retry: RetryPolicy { delay: Millis(200), max_delay: Millis(3_000), ..RetryPolicy::default() },
        }),
        place,
        undo: None,
        needs: Vec::new(),
        gate: false,
    }
}

fn nothing() -> Binding {
    Binding::parse(&json!({})).expect("an empty object is a binding")
}

fn a_value() -> Binding {
    Binding::parse(&json!("= null")).expect("`= null` is a binding")
}

/// A random program.
pub(crate) fn any_program(dice: &mut Dice, may_have_children: bool) -> Arc<Program> {
    if dice.one_in(8) {
        return batch(dice);
    }
    let steps = (0..dice.between(1, 5)).map(|number| any_step(number, dice, may_have_children)).collect();
    let timeout = dice.one_in(8).then(|| Millis(dice.between(5_000, 60_000)));
    compiled(Plan { name: "any".into(), steps, timeout, max_steps: 60, atomic: false })
}

fn any_step(number: u64, dice: &mut Dice, may_have_children: bool) -> PlanStep {
    let tool = match dice.below(9) {
        0 | 1 => "key",
        2 => "none",
        3 => "check",
        4 => "work",
        5 if may_have_children => "child",
        _ => "mark",
    };
    let earlier: Vec<String> = (0..number).map(|n| format!("s{n}")).collect();
    let after: Vec<String> = earlier.iter().filter(|_| dice.one_in(3)).cloned().collect();
    let mut step = step(&format!("s{number}"), after.clone(), tool);
    step.on_failure = match dice.below(3) {
        0 => OnFailure::Stop,
        1 => OnFailure::Continue,
        _ => OnFailure::Undo,
    };
    if dice.one_in(3) {
        let tool = ["mark", "key", "none"][dice.below(3) as usize];
        step.undo = Some(PlanUndo {
            tool: tool_ref(tool),
            args: nothing(),
            place: place_of(tool),
            check: None,
            retry: step.retry.clone(),
            timeout: step.timeout,
            gate: false,
        });
    }
    if dice.one_in(4) {
        step.foreach = Some(Foreach { items: a_value(), at_a_time: 2 });
    }
    if dice.one_in(6) {
        step.when = Some(a_value());
    }
    if dice.one_in(4) {
        step.needs = after;
    }
    step.gate = dice.one_in(7);
    step
}

/// A program with calls only, in sequence or in parallel.
pub(crate) fn calls(dice: &mut Dice) -> Arc<Program> {
    let steps = (0..dice.between(2, 4)).map(|number| {
        let tool = if dice.one_in(6) { "check" } else { "key" };
        let after = if number == 0 || dice.one_in(3) { Vec::new() } else { vec![format!("s{}", number - 1)] };
        let mut step = step(&format!("s{number}"), after, tool);
        if dice.one_in(5) {
            step.foreach = Some(Foreach { items: a_value(), at_a_time: 2 });
        }
        step
    });
    compiled(Plan { name: "calls".into(), steps: steps.collect(), timeout: None, max_steps: 60, atomic: false })
}

/// An atomic batch.
fn batch(dice: &mut Dice) -> Arc<Program> {
    let steps = (0..dice.between(2, 5)).map(|number| {
        let after = if number == 0 { Vec::new() } else { vec![format!("batch{}", number - 1)] };
        step(&format!("batch{number}"), after, "mark")
    });
    compiled(Plan { name: "batch".into(), steps: steps.collect(), timeout: None, max_steps: 60, atomic: true })
}

/// The program of injected steps.
pub(crate) fn fragment() -> Arc<Program> {
    static FRAGMENT: OnceLock<Arc<Program>> = OnceLock::new();
    let make = || {
        let mut gated = step("y", vec!["x".into()], "mark");
        gated.gate = true;
        let steps = vec![step("x", Vec::new(), "mark"), gated, step("z", Vec::new(), "key")];
        compiled(Plan { name: "more".into(), steps, timeout: None, max_steps: 60, atomic: false })
    };
    FRAGMENT.get_or_init(make).clone()
}

fn compiled(plan: Plan) -> Arc<Program> {
    match compile(&plan) {
        Ok(program) => Arc::new(program),
        Err(error) => panic!("the simulation wrote a plan that does not compile: {error:?}"),
    }
}
