//! Invariants at the end of a world.
//!
//! One file per subject. What can no longer be seen at the end (who was served first) is checked on the way.

mod effects;
pub(crate) mod fairness;
pub(crate) mod log;
mod rows;

use brain_engine::RunState;
use brain_store::Scope;

use crate::host::CHECKS;
use crate::world::World;

/// Checks everything.
pub(crate) fn all(world: &mut World) {
    let mut problems = rows::clients(world);
    if world.outside.seen().too_many {
        problems.push("a node had more calls under way than it has slots".into());
    }
    let checks = world.outside.seen().checks;
    if checks > CHECKS as usize {
        problems.push(format!("{checks} calls of a tool were under way, {CHECKS} at a time are allowed"));
    }
    for scope in world.scopes.clone() {
        let rows = world.disk.base.runs(&scope, None, 10_000, None).map(|page| page.items).unwrap_or_default();
        let mut counted = effects::Counted::default();
        for row in rows {
            let name = world.listing.run(row.id);
            world.tally.runs += 1;
            let Some(state) = world.state_of(&scope, row.id) else { continue };
            world.tally.events += state.row.schedule.seq;
            let mut found = log::check(&state, &mut world.tally);
            found.extend(stuck(&state));
            found.extend(effects::of_run(world, &scope, &state, &mut counted));
            found.extend(rows::of_run(world, &scope, &state));
            problems.extend(found.into_iter().map(|problem| format!("{name}: {problem}")));
        }
        problems.extend(effects::of_tenant(world, &scope, &counted));
        problems.extend(patiently(&world.options, || feed(world, &scope)));
    }
    world.problems.extend(problems);
}

fn stuck(state: &RunState) -> Option<String> {
    let machine = state.state.as_ref()?;
    (!machine.is_ended()).then(|| {
        let jobs: Vec<String> = machine.jobs.iter().map(|(id, job)| format!("{id:?} {:?}", job.status)).collect();
        format!("it never ended; {:?}, {:?}, jobs: {}", machine.phase(), state.row.schedule, jobs.join(", "))
    })
}

/// Polls for a while, because a database assigns feed positions shortly after the commit.
pub(crate) fn patiently<T: Default + PartialEq>(options: &crate::Options, mut look: impl FnMut() -> T) -> T {
    let times = if options.postgres.is_some() { 200 } else { 1 };
    let mut found = look();
    for _ in 1..times {
        if found == T::default() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
        found = look();
    }
    found
}

/// Checks that the feed has every row of every log exactly once.
fn feed(world: &World, scope: &Scope) -> Option<String> {
    let base = &world.disk.base;
    let page = base.feed(scope, 0, 1_000_000).ok()?;
    let runs = base.runs(scope, None, 10_000, None).ok()?.items;
    let rows: usize = runs.iter().filter_map(|row| base.log(scope, row.id).ok()).map(|log| log.len()).sum();
    (page.items.len() != rows).then(|| format!("the feed has {} rows, the logs have {rows}", page.items.len()))
}
