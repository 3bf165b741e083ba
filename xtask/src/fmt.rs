//! `cargo xtask fmt`: formats the code.

use crate::report::{Outcome, Step};
use crate::shell::{cargo, succeeds};

/// Formats the code.
pub(crate) fn write() -> Vec<Step> {
    vec![Step::new("format", || Ok(Outcome::of(succeeds(cargo().args(["fmt", "--all"]))?)))]
}

/// Checks the formatting.
pub(crate) fn check() -> Step {
    Step::new("format", || {
        let formatted = succeeds(cargo().args(["fmt", "--all", "--check"]))?;
        if !formatted {
            eprintln!("run `cargo xtask fmt`");
        }
        Ok(Outcome::of(formatted))
    })
}
