//! `brain-bench vm`: the speed of the machine alone in memory, without store, host or threads. An upper bound for
//! everything above it.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, bail};
use brain::bench::round;
use brain_core::{Digest, Millis, Timestamp};
use brain_lang::binding::Binding;
use brain_lang::plan::{Backoff, Idempotency, OnFailure, Place, Plan, PlanStep, RetryPolicy, ToolRef};
use brain_vm::{Code, Event, Input, Machine, Need, State};
use serde_json::{Value, json};

use crate::cli::{BenchVmArgs, Global};
use crate::show;
use crate::show::{BOLD, DIM};

pub(crate) fn run(global: &Global, args: &BenchVmArgs) -> Result<()> {
    if args.steps == 0 || args.steps > 100 || args.runs == 0 {
        bail!("--steps must be 1 to 100, --runs at least 1");
    }
    let program = brain_vm::compile(&plan(args.steps)?)?;
    let code = Code::new(program.id().0, Arc::new(program));
    let began = Instant::now();
    let (mut turns, mut events) = (0_u64, 0_u64);
    for _ in 0..args.runs {
        let (t, e) = play(&code)?;
        turns += t;
        events += e;
    }
    let seconds = began.elapsed().as_secs_f64();
    let per_second = |count: f64| count / seconds;
    if global.json {
        show::json(&json!({
            "steps": args.steps, "runs": args.runs, "turns_per_second": round(per_second(turns as f64)),
            "events_per_second": round(per_second(events as f64)), "runs_per_second": round(per_second(args.runs as f64)),
        }));
        return Ok(());
    }
    anstream::println!("{BOLD}{} runs of {} steps, in memory{BOLD:#}", args.runs, args.steps);
    anstream::println!(
        "  {:.0} turns/s   {:.0} runs/s   {DIM}{:.0} events/s, one thread{DIM:#}",
        per_second(turns as f64),
        per_second(args.runs as f64),
        per_second(events as f64)
    );
    Ok(())
}

/// Sequential outside steps.
fn plan(steps: usize) -> Result<Plan> {
    let tool = ToolRef { name: "bench.call".into(), hash: Digest::of(b"bench.call") };
    let delay = Millis(100);
    let retry =
        RetryPolicy { attempts: 3, backoff: Backoff::Fixed, delay, max_delay: delay, jitter: 0, on: Vec::new() };
    let args = Binding::parse(&Value::from("x")).map_err(|error| anyhow::anyhow!("{error:?}"))?;
    let step = |n: usize| PlanStep {
        id: format!("s{n}"),
        tool: tool.clone(),
        args: brain_lang::plan::Args::Binding(args.clone()),
        after: n.checked_sub(1).map(|before| format!("s{before}")).into_iter().collect(),
        when: None,
        foreach: None,
        on_failure: OnFailure::Stop,
        retry: retry.clone(),
        timeout: Millis(1000),
        place: Place::Outside(Idempotency::Key),
        check: None,
        undo: None,
        needs: Vec::new(),
        gate: false,
    };
    let steps = (0..steps).map(step).collect();
    Ok(Plan { name: "bench".into(), steps, timeout: None, max_steps: 100, atomic: false })
}

/// Plays one run from start to end; returns the numbers of inputs and events.
fn play(code: &Code) -> Result<(u64, u64)> {
    let machine = Machine::new(code);
    let mut state = State::new(code);
    let now = Timestamp::from_millis(1_000);
    let (mut turns, mut events) = (0, 0);
    let fold = |state: &mut State, decided: Vec<Event>| {
        for event in &decided {
            state.apply(code, event);
        }
        decided.len() as u64
    };
    let mut input = Some(Input::Start);
    while !state.is_ended() {
        let decided = match input.take() {
            Some(input) => machine.decide(&state, input, now, 0),
            None => match machine.next(&state) {
                Some(Need::Start(job, attempt)) => {
                    input = Some(Input::Done(job, attempt));
                    machine.decide(&state, Input::Handed(job, attempt), now, 0)
                }
                Some(Need::Proceed(scope)) => machine.proceed(&state, scope),
                other => bail!("a plan of plain steps needs {other:?}"),
            },
        };
        turns += 1;
        events += fold(&mut state, decided);
    }
    Ok((turns, events))
}
