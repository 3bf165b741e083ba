//! Every effect is known: the log says that the job is done, or there is a dead letter. A job in doubt is never settled
//! without a person or an answer.

use brain_engine::log::entries;
use brain_store::Scope;
use brain_vm::Event;

use super::Story;
use crate::kernel::World;

pub(super) fn check(world: &World, scope: &Scope, story: &Story) -> Vec<String> {
    let mut problems = Vec::new();
    if story.is_cut() {
        return problems;
    }
    let seen = world.systems.seen();
    for (key, job) in &story.keys {
        if seen.deeds.get(&key.to_string()).is_none_or(|deeds| deeds.effects == 0) {
            continue;
        }
        let known = story.events.iter().filter(|event| event.job() == Some(*job)).any(|event| {
            matches!(
                event,
                Event::JobDone { .. }
                    | Event::JobDoneBadly { .. }
                    | Event::JobDelegated { .. }
                    | Event::ReviewAsked { .. }
                    | Event::ScopeOpened { .. }
            ) || matches!(event, Event::JobStuck { happened, .. } if *happened != brain_vm::Happened::No)
        });
        if !known {
            problems.push(format!("{} happened, but neither the log nor a dead letter says so", story.name(*job)));
        }
    }
    drop(seen);
    let letters = world.disk.base.dead_letters_of(scope, story.state.row.id).unwrap_or_default();
    for letter in letters {
        let step = &letter.body["step"];
        let by_nobody = letter.body["resolution"]["outcome"] == "run_ended";
        if !letter.open && by_nobody && letter.body["happened"] == "maybe" {
            problems.push(format!("the dead letter of {step}, which may have happened, was closed with its run"));
        }
        if !letter.open && letter.body["resolution"].is_null() {
            problems.push(format!("the dead letter of {step} is closed, but nobody decided it"));
        }
    }
    // Every job in doubt must have an open dead letter, or an expired one: nobody decided about it in time.
    let expired = |key: &brain_core::JobKey| {
        entries(&story.log).filter(|entry| entry.name() == "LetterDecided").any(|entry| {
            let value = entry.value();
            value["outcome"] == "never_decided" && value["letter"] == key.to_string()
        })
    };
    let Some(machine) = &story.state.state else { return problems };
    let open = world.disk.base.dead_letters_of(scope, story.state.row.id).unwrap_or_default();
    for job in machine.left.keys() {
        let Some(key) = story.state.job_key(*job) else { continue };
        let is_open = open.iter().any(|letter| letter.id == key && letter.open);
        if !story.state.row.erased && !is_open && !expired(&key) {
            problems.push(format!("{} is in doubt, but has no open dead letter", story.name(*job)));
        }
    }
    problems
}
