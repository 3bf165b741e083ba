//! Integrity checks across all packs.

mod arguments;
mod atomic;
mod attributes;
mod corpus;
mod decide;
mod expansion;
mod expressions;
mod groups;
mod packs;
mod phrases;
mod playbooks;
mod record_behavior;
mod records;
mod scenarios;
mod slots;
mod step_list;
mod steps;
mod tiers;
mod times;
mod tools;
mod vocabulary;

use crate::diagnostic::Diagnostic;
use crate::world::World;

/// All problems.
pub(crate) fn check(world: &World) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    packs::check(world, &mut found);
    records::check(world, &mut found);
    tools::check(world, &mut found);
    times::check(world, &mut found);
    playbooks::check(world, &mut found);
    tiers::check(world, &mut found);
    phrases::check(world, &mut found);
    corpus::check(world, &mut found);
    scenarios::check(world, &mut found);
    found
}
