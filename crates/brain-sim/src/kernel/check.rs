//! Invariants of a kernel world, one file per subject.

mod children;
mod compensation;
mod doubt;
mod effects;
mod records;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use brain_core::{JobKey, RunId};
use brain_engine::RunState;
use brain_engine::log::{PipeEvent, entries};
use brain_store::{LogRow, RunRow, Scope};
use brain_vm::{Event, JobId};
use serde_json::Value;

use super::{Slot, World};
use crate::check::{log, patiently};

/// Maximum number of events in one commit of a run.
const MAX_EVENTS_A_ROW: usize = 800;
/// Maximum number of commits after a forced stop.
const MAX_ROWS_FORCED: usize = 60;

/// A reader of a tenant's feed: its position, and what it found.
#[derive(Default)]
pub(super) struct Followed {
    upto: u64,
    rows: BTreeMap<RunId, Vec<u64>>,
}

/// A run with everything that was ever written to its log.
pub(super) struct Story {
    pub(super) state: Arc<RunState>,
    pub(super) log: Vec<Arc<LogRow>>,
    pub(super) events: Vec<Event>,
    /// The keys of the jobs that its events are about.
    pub(super) keys: BTreeMap<JobKey, JobId>,
    /// The keys of jobs whose steps a migration dropped.
    pub(super) dropped: BTreeSet<JobKey>,
    /// Dead letters that a person retried, and how often.
    pub(super) retried: BTreeMap<String, u32>,
}

/// The machine events of a log, with the numbers that their steps have in the present program. Those of steps that a
/// migration dropped are left out.
fn present_events(log: &[Arc<LogRow>]) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for entry in entries(log) {
        if entry.is(PipeEvent::Migrated) {
            let steps: BTreeMap<u16, u16> = serde_json::from_value(entry.value()["steps"].clone()).unwrap_or_default();
            events = events.into_iter().filter_map(|event| renumbered(event, &steps)).collect();
        }
        events.extend(entry.machine().ok().flatten());
    }
    events
}

fn renumbered(event: Event, steps: &BTreeMap<u16, u16>) -> Option<Event> {
    let Some(job) = event.job() else { return Some(event) };
    let step = *steps.get(&job.step)?;
    let mut fields: Value = serde_json::from_str(event.data().get()).ok()?;
    fields["job"]["step"] = step.into();
    let fields = serde_json::value::to_raw_value(&fields).ok()?;
    Event::read(event.number(), event.version(), &fields).ok()
}

impl Story {
    fn new(state: Arc<RunState>, log: Vec<Arc<LogRow>>) -> Self {
        let events = present_events(&log);
        let jobs: BTreeSet<JobId> = events.iter().filter_map(Event::job).collect();
        let keys: BTreeMap<JobKey, JobId> =
            jobs.into_iter().filter_map(|job| Some((state.job_key(job)?, job))).collect();
        // Of a step that a migration dropped, only the receipt knows the key.
        let receipts = state.receipts().unwrap_or_default();
        let dropped: BTreeSet<JobKey> =
            receipts.iter().filter(|receipt| receipt.dropped).map(|receipt| receipt.key).collect();
        let mut retried: BTreeMap<String, u32> = BTreeMap::new();
        for entry in entries(&log).filter(|entry| entry.name() == "LetterDecided") {
            if entry.value()["outcome"] == "retried" {
                *retried.entry(entry.value()["letter"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
            }
        }
        Self { state, log, events, keys, dropped, retried }
    }

    /// Whether its log ends early because somebody aborted the unreadable run.
    pub(super) fn is_cut(&self) -> bool {
        let ended = self.state.state.as_ref().is_none_or(brain_vm::State::is_ended);
        self.state.row.status.is_over() && !ended
    }

    /// The display name of a job.
    pub(super) fn name(&self, job: JobId) -> String {
        let undo = if job.undo { " undo" } else { "" };
        format!("step {}[{}]{undo}", self.state.step_id(job), job.item)
    }

    /// The tool of a job.
    pub(super) fn tool(&self, job: JobId) -> &str {
        self.state.step(job).map_or("", |step| step.call(job.undo).tool.name.as_str())
    }
}

/// Checks while the world runs.
pub(super) fn on_the_way(world: &mut World) {
    let swept = std::mem::take(&mut world.gone().problems);
    world.problems.extend(swept);
}

/// Checks everything.
pub(super) fn all(world: &mut World) {
    on_the_way(world);
    let mut problems = rows::clients(world);
    for scope in world.scopes.clone() {
        let stories = stories(world, &scope);
        for story in &stories {
            let name = world.listing.run(story.state.row.id);
            world.tally.runs += 1;
            world.tally.events += story.events.len() as u64;
            world.tally.taken_over += entries(&story.log).filter(|entry| entry.name() == "TakenOver").count() as u64;
            let mut found = Vec::new();
            found.extend(stuck(&story.state));
            found.extend(of_log(story));
            found.extend(bounds(story));
            found.extend(compensation::check(world, story));
            found.extend(effects::check(world, story));
            found.extend(doubt::check(world, &scope, story));
            found.extend(rows::of_run(world, &scope, story));
            problems.extend(found.into_iter().map(|problem| format!("{name}: {problem}")));
        }
        problems.extend(rows::families(world, &stories));
        problems.extend(children::check(world, &stories));
        problems.extend(rows::moved(world, &stories));
        problems.extend(records::check(world, &scope, &stories));
        problems.extend(effects::unknown(world, &stories));
        let options = world.options.clone();
        problems.extend(patiently(&options, || {
            world.follow_feeds();
            feed(world, &scope)
        }));
    }
    world.problems.extend(problems);
    world.problems.extend(in_hand(world));
}

/// Checks that no node waits for an answer at the end.
fn in_hand(world: &World) -> Vec<String> {
    let over = world.is_over() && world.problems.is_empty();
    let nodes = world.slots.iter().filter_map(|slot| match slot {
        Slot::Up(node) if over && node.driver.in_hand() > 0 => Some(node),
        _ => None,
    });
    nodes
        .map(|node| format!("{} still waits for {} answers that it already got", node.name, node.driver.in_hand()))
        .collect()
}

/// Every run of a tenant that ever existed, in its last state.
fn stories(world: &mut World, scope: &Scope) -> Vec<Story> {
    let rows: Vec<RunRow> = world.disk.base.runs(scope, None, 10_000, None).map_or(Vec::new(), |page| page.items);
    let mut states: BTreeMap<RunId, Arc<RunState>> = BTreeMap::new();
    for (run, (state, _)) in &world.gone().runs {
        if world.tenant_of(*run).as_ref() == Some(scope.tenant()) {
            states.insert(*run, state.clone());
        }
    }
    for row in rows.into_iter().filter(|row| !row.erased) {
        if let Some(state) = world.state_of(scope, row.id) {
            states.insert(row.id, state);
        }
    }
    let history = world.disk.history.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let log = |run: RunId| history.get(&run).cloned().unwrap_or_default();
    states
        .into_values()
        .map(|state| {
            let log = log(state.row.id);
            Story::new(state, log)
        })
        .collect()
}

fn stuck(state: &RunState) -> Option<String> {
    if state.row.status.is_over() {
        return None;
    }
    let jobs = state.state.as_ref().map(|machine| &machine.jobs).into_iter().flatten();
    let jobs: Vec<String> = jobs.map(|(id, job)| format!("{id:?} {:?}", job.status)).collect();
    let (status, schedule) = (&state.row.status, &state.row.schedule);
    Some(format!("it never ended; {status}, {schedule:?}, jobs: {}", jobs.join(", ")))
}

fn of_log(story: &Story) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seq = 0;
    for row in &story.log {
        if row.seq != seq {
            problems.push(format!("its log has a row at {} after {seq} events", row.seq));
        }
        seq = row.seq + row.events.len() as u64;
    }
    if story.state.state.is_none() || story.is_cut() {
        return problems;
    }
    problems.extend(log::order(&story.log));
    problems.extend(log::fold(&story.state));
    problems.extend(log::succeeded_twice(&story.state));
    problems
}

/// Checks bounds: events per commit, commits after a forced stop, progress, and `max_steps`.
fn bounds(story: &Story) -> Vec<String> {
    let mut problems = Vec::new();
    for row in story.log.iter().filter(|row| row.events.len() > MAX_EVENTS_A_ROW) {
        problems.push(format!("one turn wrote {} events", row.events.len()));
    }
    let names = |row: &LogRow, name: &str| entries(std::slice::from_ref(row)).any(|entry| entry.name() == name);
    if let Some(forced) = story.log.iter().position(|row| names(row, "StopForced")) {
        let end = story.log.iter().position(|row| names(row, "RunEnded")).unwrap_or(story.log.len());
        if end.saturating_sub(forced) > MAX_ROWS_FORCED {
            problems.push(format!("it took {} turns to end after its stop was forced", end - forced));
        }
    }
    let runaway = story.events.iter().any(|event| match event {
        Event::ScopeStopped { failure: Some(failure), .. } => failure.code == "runaway",
        _ => false,
    });
    if runaway {
        problems.push("it looped without progress".into());
    }
    let stray = story.events.iter().filter(|event| matches!(event, Event::SignalIgnored { .. })).count();
    if stray > 200 {
        problems.push(format!("{stray} inputs were not expected"));
    }
    if let (Some(program), Some(machine)) = (story.state.program(), &story.state.state) {
        // Undos do not count.
        let within_undo = |job: &JobId| machine.scopes.get(job.scope as usize).is_some_and(|scope| scope.is_undo());
        let forward: BTreeSet<JobId> = story
            .events
            .iter()
            .filter(|event| matches!(event, Event::JobStarted { .. } | Event::JobDone { .. } | Event::JobLeased { .. }))
            .filter_map(Event::job)
            .filter(|job| !job.undo && !within_undo(job))
            .collect();
        if forward.len() > program.max_steps as usize {
            problems.push(format!("it did {} steps, its plan allows {}", forward.len(), program.max_steps));
        }
    }
    problems
}

/// Checks that a reader of the feed has seen every row once and in order.
fn feed(world: &World, scope: &Scope) -> Vec<String> {
    let history = world.disk.history.lock().unwrap_or_else(PoisonError::into_inner);
    let empty = Followed::default();
    let seen = world.followed.get(scope.tenant()).unwrap_or(&empty);
    let mut problems = Vec::new();
    for (run, rows) in history.iter().filter(|(run, _)| world.tenant_of(**run).as_ref() == Some(scope.tenant())) {
        let written: Vec<u64> = rows.iter().map(|row| row.seq).collect();
        let found = seen.rows.get(run).cloned().unwrap_or_default();
        // Only rows that retention deleted may be missing.
        let swept = world.disk.base.run(scope, *run).ok().flatten().is_none_or(|row| row.erased);
        let compacted =
            rows.iter().any(|row| entries(std::slice::from_ref(row)).any(|entry| entry.name() == "Checkpoint"));
        if found != written && !swept && !compacted {
            let name = world.listing.run(*run);
            problems.push(format!("{name}: the feed has the rows {found:?}, its log {written:?}"));
        }
    }
    problems
}

impl World {
    /// The tenant of a run.
    pub(super) fn tenant_of(&self, run: RunId) -> Option<brain_core::TenantId> {
        self.disk.tenants.lock().unwrap_or_else(PoisonError::into_inner).get(&run).cloned()
    }

    /// Reads the feed of every tenant.
    pub(super) fn follow_feeds(&mut self) {
        for scope in self.scopes.clone() {
            let followed = self.followed.entry(scope.tenant().clone()).or_default();
            while let Ok(page) = self.disk.feed(&scope, followed.upto, 20) {
                let done = page.items.len() < 20;
                for (_, row) in page.items {
                    followed.rows.entry(row.run).or_default().push(row.seq);
                }
                followed.upto = page.upto;
                if done {
                    break;
                }
            }
        }
    }
}
