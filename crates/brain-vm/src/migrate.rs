//! Migrates a run from one program to another by mapping its position in the old program to the new one. Nothing is
//! executed. A step that cannot be mapped prevents the migration.

use std::collections::BTreeMap;

use crate::fibers::Wait;
use crate::job::{JobId, JobStatus, StepId};
use crate::{Code, Phase, Program, State, StepState};

/// The new name of a step of the old program, or `None` if the step is dropped on purpose. Steps that are absent from
/// the map keep their names.
pub type StepMap = BTreeMap<String, Option<String>>;

/// A migrated run.
#[derive(Clone, Debug)]
pub struct Migration {
    /// The state in the new program.
    pub state: State,
    /// The numbers of all started steps, from the old program to the new one.
    pub steps: BTreeMap<u16, u16>,
}

impl Migration {
    /// Maps a job of the old program to the new one.
    pub fn job(&self, old: JobId) -> Option<JobId> {
        self.steps.get(&old.step).map(|&step| JobId { step, ..old })
    }
}

/// Migrates a run, or returns every reason why it cannot be migrated. `items` gives the list length of a finished
/// `foreach` step.
pub fn migrate(
    old: &Program,
    state: &State,
    new: &Code,
    map: &StepMap,
    items: impl Fn(u16) -> u32,
) -> Result<Migration, Vec<String>> {
    let mut problems = Vec::new();
    for name in map.keys().filter(|name| old.step_index(name).is_none()) {
        problems.push(format!("the mapping names `{name}`, which is not a step of the run's program"));
    }
    match state.phase() {
        Phase::New => {
            let migration = Migration { state: State::new(new), steps: BTreeMap::new() };
            return if problems.is_empty() { Ok(migration) } else { Err(problems) };
        }
        Phase::Running => {}
        Phase::Stopping(_) => problems.push("it is stopping".into()),
        Phase::Compensating => problems.push("its finished steps are being undone".into()),
        Phase::Ended(_) => problems.push("it is over".into()),
    }
    if state.scopes.len() > 1 {
        problems.push("it has steps that were added while it ran".into());
    }
    let steps = correspond(old, state, new.root(), map, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mover = Mover { state, new, from: steps.iter().map(|(old, new)| (*new, *old)).collect() };
    let mut moved = mover.replay(&items);
    for (&before, &after) in &steps {
        let (was, is) = (state.step_state(in_run(before)), moved.step_state(in_run(after)));
        if *is == StepState::Pending || (was.is_over() && !is.is_over()) {
            problems.push(format!(
                "`{}` has begun, but in the new version it comes after a step that has not",
                old.step(before).id
            ));
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let migration = Migration { state: State::new(new), steps };
    moved.jobs.extend(state.jobs.iter().filter_map(|(id, job)| Some((migration.job(*id)?, job.clone()))));
    moved.done = state.done.iter().filter_map(|id| migration.job(*id)).collect();
    moved.started = state.started;
    moved.last_job = state.last_job;
    Ok(Migration { state: moved, ..migration })
}

/// A step of the run itself.
fn in_run(step: u16) -> StepId {
    StepId { scope: 0, step }
}

/// Maps every started step to the new program.
fn correspond(
    old: &Program,
    state: &State,
    new: &Program,
    map: &StepMap,
    problems: &mut Vec<String>,
) -> BTreeMap<u16, u16> {
    let mut steps = BTreeMap::new();
    for (&number, at) in state.scope(0).steps.iter().filter(|(_, at)| **at != StepState::Pending) {
        let step = old.step(number);
        let open: Vec<_> = state.jobs.iter().filter(|(id, _)| id.step == number).map(|(_, job)| job).collect();
        if open.iter().any(|job| {
            matches!(job.status, JobStatus::Running | JobStatus::Checking { .. } | JobStatus::Growing { .. })
        }) {
            problems.push(format!("`{}` is under way; try again when it has ended", step.id));
            continue;
        }
        if matches!(at, StepState::Each { .. }) || (*at == StepState::Active && step.foreach.is_some()) {
            problems.push(format!("the list of `{}` is being worked on; try again when it has ended", step.id));
            continue;
        }
        let name = match map.get(&step.id) {
            Some(None) if open.is_empty() => continue,
            Some(None) => {
                problems.push(format!("`{}` has begun and cannot be left out", step.id));
                continue;
            }
            Some(Some(name)) => name,
            None => &step.id,
        };
        // Dead letters, approvals, leases and outside keys are derived from the step's name.
        if !open.is_empty() && *name != step.id {
            problems.push(format!("`{}` has begun, so it keeps its name", step.id));
            continue;
        }
        let Some(found) = new.step_index(name) else {
            problems.push(format!(
                "`{}` has begun, but the new version has no step `{name}`; map it to another with {}=STEP, or leave it \
                 out with {}=",
                step.id, step.id, step.id
            ));
            continue;
        };
        let other = new.step(found);
        if other.tool.name != step.tool.name {
            problems.push(format!(
                "`{}` calls `{}`, but in the new version it calls `{}`, so it is a different step",
                step.id, step.tool.name, other.tool.name
            ));
        } else if other.foreach.is_some() != step.foreach.is_some() {
            problems.push(format!("`{}` uses `foreach` in only one of the two versions", step.id));
        } else if steps.values().any(|taken| *taken == found) {
            problems.push(format!("two steps would become `{name}`"));
        }
        steps.insert(number, found);
    }
    steps
}

/// Moves through the new program as the run moved through the old one.
struct Mover<'a> {
    state: &'a State,
    new: &'a Code,
    /// Old numbers of started steps, by their new number.
    from: BTreeMap<u16, u16>,
}

impl Mover<'_> {
    fn was(&self, step: u16) -> Option<&StepState> {
        self.from.get(&step).map(|old| self.state.step_state(in_run(*old)))
    }

    fn replay(&self, items: &impl Fn(u16) -> u32) -> State {
        let mut state = State::new(self.new);
        state.scope_mut(0).phase = Phase::Running;
        state.deadline = self.state.deadline;
        state.spawn(0, 0);
        state.settle(self.new);
        // Every pass settles at least one step, so the loop ends.
        while self.pass(&mut state, items) {
            state.settle(self.new);
        }
        state
    }

    fn pass(&self, state: &mut State, items: &impl Fn(u16) -> u32) -> bool {
        let waits: Vec<Wait> = state.fibers.values().map(|fiber| fiber.wait.clone()).collect();
        for wait in waits {
            match wait {
                Wait::Condition(step) => match self.was(step) {
                    None | Some(StepState::Pending) => {}
                    Some(over @ (StepState::Skipped | StepState::Bypassed)) => {
                        state.set_step(in_run(step), over.clone());
                        state.skip(self.new, in_run(step));
                        return true;
                    }
                    Some(_) => {
                        state.release(in_run(step), &wait);
                        return true;
                    }
                },
                Wait::Items(step) if self.was(step).is_some_and(StepState::is_over) => {
                    state.open_each(self.new, in_run(step), items(self.from[&step]));
                    return true;
                }
                _ => {}
            }
        }
        let ready: Vec<JobId> = state.jobs.keys().copied().collect();
        for id in ready {
            let Some(was) = self.was(id.step).filter(|was| was.is_over()).cloned() else { continue };
            state.finish_job(self.new, id, was == StepState::Done);
            // Skipped and failed steps stay as they are; a failure that stops a run would have stopped this one.
            let lone = self.new.root().step(id.step).foreach.is_none();
            if lone && was != StepState::Done {
                state.set_step(id.at(), was);
            }
            return true;
        }
        false
    }
}
