//! External effects: never more than once, unless a person retried.

use std::collections::BTreeSet;

use super::Story;
use crate::kernel::World;

pub(super) fn check(world: &World, story: &Story) -> Vec<String> {
    let mut problems = Vec::new();
    let seen = world.systems.seen();
    for (key, job) in &story.keys {
        let Some(deeds) = seen.deeds.get(&key.to_string()) else { continue };
        // Each retry by a person allows one more effect.
        let allowed = 1 + story.retried.get(&key.to_string()).copied().unwrap_or(0);
        let what = format!("`{}` of {}", deeds.what, story.name(*job));
        if deeds.what.starts_with("key") && deeds.effects > 1 {
            problems.push(format!("{what} happened {} times", deeds.effects));
        } else if deeds.effects > allowed {
            problems.push(format!("{what} happened {} times, {allowed} allowed", deeds.effects));
        } else if deeds.what.starts_with("none") && deeds.open_calls > allowed {
            problems.push(format!("{what} was asked for {} times, {allowed} allowed", deeds.open_calls));
        }
        if deeds.bodies.len() > 1 {
            problems.push(format!("{what} was asked for with different arguments"));
        }
    }
    problems
}

/// Checks that every effect belongs to a run. Called once, with the runs of all tenants.
pub(super) fn unknown(world: &mut World, stories: &[Story]) -> Vec<String> {
    let known = stories.iter().flat_map(|story| story.keys.keys().chain(&story.dropped));
    let known: BTreeSet<String> = known.map(ToString::to_string).collect();
    world.known.extend(known);
    if world.scopes.last().map(|scope| scope.tenant())
        != stories.last().and_then(|story| world.tenant_of(story.state.row.id)).as_ref()
    {
        return Vec::new();
    }
    let seen = world.systems.seen();
    let strays = seen.deeds.iter().filter(|(key, deeds)| deeds.effects > 0 && !world.known.contains(*key));
    strays.map(|(key, deeds)| format!("`{}` happened under {key}, which no run knows", deeds.what)).collect()
}
