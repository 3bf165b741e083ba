//! The integrity check over all packs together: what one file says about another must be true.

mod arguments;
mod corpus;
mod expressions;
mod packs;
mod phrases;
mod playbooks;
mod record_behavior;
mod records;
mod scenarios;
mod steps;
mod tools;

use crate::diagnostic::Diagnostic;
use crate::world::World;

/// Everything that does not hold.
pub(crate) fn check(world: &World) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    packs::check(world, &mut found);
    records::check(world, &mut found);
    tools::check(world, &mut found);
    playbooks::check(world, &mut found);
    phrases::check(world, &mut found);
    corpus::check(world, &mut found);
    scenarios::check(world, &mut found);
    found
}
