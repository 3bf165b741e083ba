//! `cargo xtask sim`: runs simulated worlds with faults.

use crate::report::{Outcome, Step};
use crate::shell::{cargo, succeeds};

/// Runs many worlds, or one with its listing.
pub(crate) fn steps(args: &[&str]) -> Vec<Step> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    vec![Step::new("sim", move || {
        let mut sim = cargo();
        sim.args(["run", "--quiet", "--package", "brain-sim", "--features", "planted-bugs", "--"]).args(&args);
        Ok(Outcome::of(succeeds(&mut sim)?))
    })]
}
