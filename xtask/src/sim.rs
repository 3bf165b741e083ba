//! `cargo xtask sim`: seeded worlds in which everything goes wrong that can.

use crate::report::{Outcome, Step};
use crate::shell::{cargo, succeeds};

/// Lives through many worlds, or shows one.
pub(crate) fn steps(args: &[&str]) -> Vec<Step> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    vec![Step::new("sim", move || {
        let mut sim = cargo();
        sim.args(["run", "--quiet", "--package", "brain-sim", "--features", "planted-bugs", "--"]).args(&args);
        Ok(Outcome::of(succeeds(&mut sim)?))
    })]
}
