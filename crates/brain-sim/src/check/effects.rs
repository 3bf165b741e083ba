//! Effects of a run: exactly once in records, and never twice outside unless a person retried.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::{JobKey, RecordId};
use brain_engine::log::{PipeEvent, entries};
use brain_engine::{RunState, job_key};
use brain_lang::plan::Place;
use brain_store::{RecordFilter, Scope};
use brain_vm::{Event, JobId};

use crate::host::counters;
use crate::outside::Wish;
use crate::world::World;

/// The records that a tenant must have, according to the logs of its runs.
#[derive(Default)]
pub(super) struct Counted {
    marks: BTreeSet<JobKey>,
    counters: BTreeMap<RecordId, u64>,
}

pub(super) fn of_run(world: &World, _: &Scope, state: &RunState, counted: &mut Counted) -> Vec<String> {
    let (Some(code), Some(machine)) = (&state.code, &state.state) else { return Vec::new() };
    let run = state.row.id;
    if !machine.rolled_back {
        for job in happened(state) {
            if *machine.step(code, job.at()).call(job.undo).place != Place::Inline {
                continue;
            }
            let key = job_key(code, machine, run, state.data.started, job);
            counted.marks.insert(key);
            if let Some(counter) = world.host.counter(key) {
                *counted.counters.entry(counter).or_default() += 1;
            }
        }
    }
    outside(world, state)
}

/// Jobs that have had their effect: done ones, and those whose result is delegated, reviewed or expanded. A stuck job
/// that a person settled by hand is done, but had no effect.
fn happened(state: &RunState) -> BTreeSet<JobId> {
    let (mut stuck, mut happened) = (BTreeSet::new(), BTreeSet::new());
    for event in entries(&state.log).filter_map(|entry| entry.machine().ok().flatten()) {
        match event {
            Event::JobStuck { job, .. } => drop(stuck.insert(job)),
            Event::JobReopened { job } => drop(stuck.remove(&job)),
            Event::JobDone { job, .. } if stuck.contains(&job) => {}
            Event::JobDone { job, .. }
            | Event::JobDoneBadly { job, .. }
            | Event::ScopeOpened { job, .. }
            | Event::ReviewAsked { job, .. }
            | Event::JobDelegated { job, .. } => drop(happened.insert(job)),
            _ => {}
        }
    }
    happened
}

fn outside(world: &World, state: &RunState) -> Vec<String> {
    let (Some(code), Some(machine)) = (&state.code, &state.state) else { return Vec::new() };
    let run = state.row.id;
    let mut retried: BTreeMap<String, u32> = BTreeMap::new();
    for entry in entries(&state.log).filter(|entry| entry.is(PipeEvent::LetterDecided)) {
        if entry.value()["outcome"] == "retried" {
            *retried.entry(entry.value()["letter"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    let mut problems = Vec::new();
    let seen = world.outside.seen();
    let wishes = seen.deeds.iter().filter(|(wish, _)| wish.run == run);
    for (Wish { step, item, undo, .. }, deeds) in wishes {
        let Some(at) = machine.find_step(code, step) else {
            problems.push(format!("a call was made for step {step}, which the run does not have"));
            continue;
        };
        let key = job_key(code, machine, run, state.data.started, JobId { undo: *undo, ..at.job(*item) });
        // Each retry by a person allows one more effect.
        let allowed = 1 + retried.get(&key.to_string()).copied().unwrap_or(0);
        let what = format!("{} of step {step}[{item}]{}", deeds.tool, if *undo { " undo" } else { "" });
        match deeds.tool.as_str() {
            "key" if deeds.effects > 1 => problems.push(format!("{what} happened {} times", deeds.effects)),
            "check" | "none" if deeds.effects > allowed => {
                problems.push(format!("{what} happened {} times, {allowed} allowed", deeds.effects));
            }
            "none" if deeds.open_calls > allowed => {
                problems.push(format!("{what} was asked for {} times, {allowed} allowed", deeds.open_calls));
            }
            _ => {}
        }
        if deeds.args.len() > 1 {
            problems.push(format!("{what} was asked for with different arguments"));
        }
    }
    problems
}

/// Checks that the records of a tenant are exactly those that the logs imply.
pub(super) fn of_tenant(world: &World, scope: &Scope, counted: &Counted) -> Vec<String> {
    let base = &world.disk.base;
    let mut problems = Vec::new();
    let marks = base.records(scope, "mark", &RecordFilter::default(), 100_000, None).map(|page| page.items);
    let mut there = BTreeSet::new();
    for mark in marks.unwrap_or_default() {
        if let Some(key) = mark.body["key"].as_str().and_then(|key| key.parse::<JobKey>().ok())
            && !there.insert(key)
        {
            problems.push(format!("job {key} has left two marks"));
        }
    }
    for key in there.symmetric_difference(&counted.marks) {
        let how = if there.contains(key) { "left a mark, but the log does not say so" } else { "left no mark" };
        problems.push(format!("job {key} {how}"));
    }
    for counter in counters() {
        let row = base.record(scope, "counter", counter).ok().flatten();
        let found = row.map_or(0, |row| row.body["count"].as_u64().unwrap_or(0));
        let wanted = counted.counters.get(&counter).copied().unwrap_or(0);
        if found != wanted {
            problems.push(format!("counter {counter} is {found}; {wanted} jobs incremented it"));
        }
    }
    problems
}
