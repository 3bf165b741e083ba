//! Child runs are undone with the step that started them: all of what they did, each once, or a dead letter asks a person.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use brain_core::{JobKey, Millis, RunId, Timestamp};
use brain_engine::log::entries;
use brain_registry::{SPAWN_CHILD_RUN, UNDO_CHILD_RUN};
use brain_store::LogRow;
use brain_vm::{End, Event, JobId, Phase, StepId};

use super::Story;
use crate::kernel::{SKEW, World};

pub(super) fn check(world: &World, stories: &[Story]) -> Vec<String> {
    let mut problems = Vec::new();
    let by_run: BTreeMap<RunId, &Story> = stories.iter().map(|story| (story.state.row.id, story)).collect();
    // How often each job was undone; 0 if a person settled its undo without doing it.
    let mut undone: BTreeMap<RunId, BTreeMap<JobKey, u32>> = BTreeMap::new();
    for story in stories {
        let name = world.listing.run(story.state.row.id);
        problems.extend(untried(story).into_iter().map(|problem| format!("{name}: {problem}")));
        let undo = &story.state.row.request["undo_of"];
        let Some(of) = undo["run"].as_str().and_then(|run| run.parse::<RunId>().ok()) else { continue };
        for (job, done) in undone_by(story, &undo["jobs"]) {
            *undone.entry(of).or_default().entry(job).or_default() += u32::from(done);
        }
    }
    for (run, jobs) in &undone {
        for (job, times) in jobs.iter().filter(|(_, times)| **times > 1) {
            let what = by_run.get(run).and_then(|story| Some(story.name(*story.keys.get(job)?)));
            problems.push(format!(
                "{} {}: it was undone {times} times",
                world.listing.run(*run),
                what.unwrap_or_default()
            ));
        }
    }
    for story in stories {
        problems.extend(left_running(world, &by_run, story));
    }
    let nothing = BTreeMap::new();
    for story in stories {
        for child in undone_children(story).into_iter().filter_map(|child| by_run.get(&child)) {
            let covered = undone.get(&child.state.row.id).unwrap_or(&nothing);
            for job in left_behind(child)
                .into_iter()
                .filter(|job| child.state.job_key(*job).is_some_and(|key| !covered.contains_key(&key)))
            {
                let (parent, name) = (world.listing.run(story.state.row.id), world.listing.run(child.state.row.id));
                let what = child.name(job);
                problems.push(format!("{parent} says that its child run {name} was undone, but {what} was not"));
            }
        }
    }
    problems
}

/// A child run whose step was stopped before its end must be told to stop: whether the parent knew of it, learned of it
/// later, or never got an answer.
fn left_running(world: &World, by_run: &BTreeMap<RunId, &Story>, story: &Story) -> Option<String> {
    let request = &story.state.row.request["parent"];
    let parent = by_run.get(&request["run"].as_str()?.parse::<RunId>().ok()?).filter(|parent| !parent.is_cut())?;
    let job = parent.keys.get(&request["job"].as_str()?.parse::<JobKey>().ok()?).filter(|job| !job.undo)?;
    let machine = parent.state.state.as_ref()?;
    // A migration may have given the step another number.
    if story.is_cut() || world.moved.iter().any(|(run, _)| *run == parent.state.row.id) {
        return None;
    }
    let mut answered = false;
    let stopped = timed(&parent.log).find_map(|(at, event)| {
        match &event {
            Event::ScopeStopped { scope, .. } if machine.contains(*scope, job.scope) => {
                return (!answered).then_some(Some(at)).or(Some(None));
            }
            Event::JobReopened { job: own } if own == job => answered = false,
            Event::JobDone { job: own, .. }
            | Event::JobDoneBadly { job: own, .. }
            | Event::JobFailed { job: own, .. }
            | Event::JobDismissed { job: own }
                if own == job =>
            {
                answered = true;
            }
            _ => {}
        }
        None
    });
    let stopped = stopped??;
    let notified = story.events.iter().any(|event| match event {
        Event::ScopeStopped { scope: 0, .. } | Event::StopForced { scope: 0 } => true,
        Event::SignalIgnored { what, .. } => what == "a cancellation",
        _ => false,
    });
    // Its end may have been on its way to the parent. Clocks differ.
    let before = stopped.plus(Millis(2 * SKEW as u64));
    let ended = timed(&story.log).any(|(at, event)| matches!(event, Event::RunEnded { .. }) && at <= before);
    let started = !story.events.is_empty();
    (started && !notified && !ended).then(|| {
        let (child, name) = (world.listing.run(story.state.row.id), world.listing.run(parent.state.row.id));
        format!("{name} was stopped while {} had a child run, but {child} was not stopped", parent.name(*job))
    })
}

/// The events of the machine with their times.
fn timed(log: &[Arc<LogRow>]) -> impl Iterator<Item = (Timestamp, Event)> + '_ {
    entries(log).filter_map(|entry| Some((entry.at, entry.machine().ok().flatten()?)))
}

/// The steps of an undo that were never tried, although nobody stopped it: a step that fails does not stop the others.
fn untried(story: &Story) -> Vec<String> {
    let (Some(machine), Some(program)) = (&story.state.state, story.state.program()) else { return Vec::new() };
    // The end of a letter in doubt stops its run.
    let stopped = machine.failure().is_some_and(|failure| failure.code == "never_decided");
    let ended = matches!(machine.phase(), Phase::Ended(End::Completed | End::Failed));
    if story.state.row.request.get("undo_of").is_none() || story.is_cut() || stopped || !ended {
        return Vec::new();
    }
    let jobs = (0..program.steps.len()).map(|step| StepId { scope: 0, step: step as u16 }.job(0));
    let known = |job: &JobId| story.events.iter().any(|event| event.job() == Some(*job));
    jobs.filter(|job| !known(job)).map(|job| format!("{} of an undo was never tried", story.name(job))).collect()
}

/// The jobs whose undo this run has done (`true`) or a person has settled (`false`).
fn undone_by(story: &Story, jobs: &serde_json::Value) -> BTreeMap<JobKey, bool> {
    let jobs = serde_json::from_value::<Vec<JobKey>>(jobs.clone()).unwrap_or_default();
    let Some(machine) = story.state.state.as_ref().filter(|machine| !machine.rolled_back) else {
        return BTreeMap::new();
    };
    let dismissed = story.events.iter().filter_map(|event| match event {
        Event::JobDismissed { job } => Some((*job, false)),
        _ => None,
    });
    let settled = dismissed.chain(machine.done.iter().map(|job| (*job, true)));
    let own = settled.filter(|(job, _)| job.scope == 0 && !job.undo);
    own.filter_map(|(job, done)| Some((*jobs.get(usize::from(job.step))?, done))).collect()
}

/// The child runs that this run says were undone.
fn undone_children(story: &Story) -> BTreeSet<RunId> {
    let Some(machine) = &story.state.state else { return BTreeSet::new() };
    let results = &story.state.data.results;
    let child = |job: &JobId| results.get(job).and_then(|data| data["run_id"].as_str()?.parse().ok());
    // A person may have said that it is done, or that it need not be.
    let said = |job: JobId| {
        story.events.contains(&Event::JobDismissed { job })
            || story.events.iter().any(|event| matches!(event, Event::JobStuck { job: stuck, .. } if *stuck == job))
    };
    let by_undo = |job: &&JobId| {
        let undo = JobId { undo: true, ..**job };
        story.tool(**job) == SPAWN_CHILD_RUN && story.tool(undo) == UNDO_CHILD_RUN && !said(undo) && !said(**job)
    };
    machine.undone.iter().filter(by_undo).filter_map(child).collect()
}

/// What a run did, has not undone itself, and has no letter about. What turned out to be done after its end has one.
fn left_behind(story: &Story) -> Vec<JobId> {
    let Some(machine) = story.state.state.as_ref().filter(|machine| !machine.rolled_back) else { return Vec::new() };
    let end = story.events.iter().position(|event| matches!(event, Event::RunEnded { .. })).unwrap_or(usize::MAX);
    let late: BTreeSet<JobId> = story.events.iter().skip(end).filter_map(Event::job).collect();
    let of_undo = |job: &JobId| machine.outward(job.scope).any(|scope| machine.scope(scope).is_undo());
    let stays = |job: &&JobId| {
        !machine.undone.contains(job) && !machine.not_undone.contains(job) && !of_undo(job) && !late.contains(job)
    };
    let undoable = |job: &&JobId| story.state.step(**job).is_some_and(|step| step.undo.is_some());
    machine.done.iter().filter(stays).filter(undoable).copied().collect()
}
