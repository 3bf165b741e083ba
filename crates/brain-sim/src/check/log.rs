//! The log of a run: no gaps, the right order, and a fold that matches the row.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use brain_engine::RunState;
use brain_engine::log::{PipeEvent, entries};
use brain_store::LogRow;
use brain_vm::{Event, JobId};

use crate::Tally;

pub(super) fn check(state: &RunState, tally: &mut Tally) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seq = 0;
    for row in &state.log {
        if row.seq != seq {
            problems.push(format!("its log has a row at {} after {seq} events", row.seq));
        }
        seq = row.seq + row.events.len() as u64;
    }
    if seq != state.row.schedule.seq {
        problems.push(format!("its log has {seq} events, but its row says {}", state.row.schedule.seq));
    }
    tally.taken_over += entries(&state.log).filter(|entry| entry.is(PipeEvent::TakenOver)).count() as u64;
    problems.extend(order(&state.log));
    problems.extend(fold(state));
    problems.extend(succeeded_twice(state));
    problems
}

/// Checks that the row matches the fold of the log.
pub(crate) fn fold(state: &RunState) -> Vec<String> {
    let Some(machine) = &state.state else { return vec!["it has no state".into()] };
    let mut problems = Vec::new();
    if machine.status() != state.row.status {
        problems.push(format!("its log says {}, its row {}", machine.status(), state.row.status));
    }
    if machine.wake_at() != state.row.schedule.wake_at {
        problems.push(format!("its log wakes at {:?}, its row at {:?}", machine.wake_at(), state.row.schedule.wake_at));
    }
    if machine.is_ended() && state.row.schedule.owner.is_some() {
        problems.push("it is over and still owned".into());
    }
    problems
}

/// Checks that a step succeeds at most once per scope. A retried undo repeats its steps in a new scope under the same
/// keys.
pub(crate) fn succeeded_twice(state: &RunState) -> Vec<String> {
    let (Some(code), Some(machine)) = (&state.code, &state.state) else { return Vec::new() };
    let scopes = |step: &str| {
        let inside = step.rsplit_once('/').map_or("", |(inside, _)| inside);
        (0..machine.scopes.len() as u32).filter(|scope| machine.path(code, *scope) == inside).count()
    };
    let list = match state.receipts() {
        Ok(list) => list,
        Err(error) => return vec![format!("its receipts cannot be read: {error}")],
    };
    let mut keys = BTreeMap::new();
    let succeeded = list.iter().filter(|receipt| receipt.status.as_str() == "succeeded");
    succeeded
        .filter(|receipt| {
            let times = keys.entry(receipt.key).or_insert(0);
            *times += 1;
            *times > 1 && *times > scopes(&receipt.step)
        })
        .map(|receipt| format!("step {} succeeded twice", receipt.step))
        .collect()
}

/// The job and the attempt of an event.
fn about(event: &Event) -> Option<(JobId, Option<u32>)> {
    let attempt = match event {
        Event::JobStarted { attempt, .. }
        | Event::JobDone { attempt, .. }
        | Event::JobDoneBadly { attempt, .. }
        | Event::JobRetrying { attempt, .. }
        | Event::JobFailed { attempt, .. }
        | Event::JobStuck { attempt, .. }
        | Event::JobChecking { attempt, .. }
        | Event::CheckPostponed { attempt, .. }
        | Event::CheckDenied { attempt, .. }
        | Event::ScopeOpened { attempt, .. }
        | Event::JobLeased { attempt, .. }
        | Event::LeaseExtended { attempt, .. }
        | Event::JobDelegated { attempt, .. }
        | Event::ReviewAsked { attempt, .. } => Some(*attempt),
        _ => None,
    };
    Some((event.job()?, attempt))
}

/// Checks that a run starts and ends once, that an ended job stays ended, and that attempts increase one by one.
pub(crate) fn order(log: &[Arc<LogRow>]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut started = false;
    let mut ended = false;
    let mut over = BTreeSet::new();
    let mut left = BTreeSet::new();
    let mut attempts: BTreeMap<JobId, u32> = BTreeMap::new();
    for entry in entries(log) {
        if entry.is(PipeEvent::Migrated) {
            // The new program numbers its steps anew.
            let steps: BTreeMap<u16, u16> = serde_json::from_value(entry.value()["steps"].clone()).unwrap_or_default();
            let moved = |job: &JobId| steps.get(&job.step).map(|step| JobId { step: *step, ..*job });
            over = over.iter().filter_map(moved).collect();
            left = left.iter().filter_map(moved).collect();
            attempts = attempts.iter().filter_map(|(job, attempt)| Some((moved(job)?, *attempt))).collect();
        }
        let event = match entry.machine() {
            Ok(Some(event)) => event,
            Ok(None) => continue,
            Err(error) => {
                problems.push(format!("event {} cannot be read: {error}", entry.seq));
                continue;
            }
        };
        let mut wrong = |what: &str| problems.push(format!("event {} {}: {what}", entry.seq, entry.name()));
        match &event {
            Event::RunStarted { .. } if started => wrong("it had begun before"),
            Event::RunStarted { .. } => started = true,
            Event::SignalIgnored { .. } => {}
            // A plan may be dropped before it starts.
            Event::ScopeStopped { .. } if !started => {}
            Event::RunEnded { .. } if !started => ended = true,
            _ if !started => wrong("it had not begun"),
            // A job in doubt may be settled at any time.
            Event::JobDone { job, .. } | Event::JobFailed { job, .. } | Event::JobDismissed { job }
                if ended && left.contains(job) => {}
            // An undo that turns out to have failed stays a dead letter.
            Event::JobStuck { job, happened: brain_vm::Happened::No, .. }
                if ended && job.undo && (left.contains(job) || over.contains(&job.forward())) => {}
            _ if ended => wrong("it had ended"),
            Event::RunEnded { .. } => ended = true,
            _ => {}
        }
        let Some((job, attempt)) = about(&event) else { continue };
        if matches!(event, Event::JobStuck { .. } | Event::JobDoneBadly { .. }) {
            left.insert(job);
        }
        if over.contains(&job) {
            wrong("the job was over");
        }
        if let Some(attempt) = attempt {
            let last = attempts.entry(job).or_insert(0);
            let starts = matches!(event, Event::JobStarted { .. } | Event::JobLeased { .. });
            if (starts && attempt != *last + 1) || attempt < *last || attempt > *last + 1 {
                wrong("attempts do not follow one another");
            }
            *last = attempt;
        }
        if matches!(event, Event::JobDone { .. } | Event::JobFailed { .. } | Event::JobDismissed { .. }) {
            over.insert(job);
        }
    }
    problems
}
