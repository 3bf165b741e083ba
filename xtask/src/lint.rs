//! `cargo xtask lint`: clippy and rustdoc, with warnings as errors.

use crate::report::{Outcome, Step};
use crate::shell::{cargo, succeeds};

/// Clippy over everything, including tests; then the documentation.
pub(crate) fn steps() -> Vec<Step> {
    vec![
        Step::new("clippy", || {
            let args = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
            Ok(Outcome::of(succeeds(cargo().args(args))?))
        }),
        Step::new("rustdoc", || {
            let mut doc = cargo();
            doc.args(["doc", "--workspace", "--no-deps", "--all-features"]).env("RUSTDOCFLAGS", "-D warnings");
            Ok(Outcome::of(succeeds(&mut doc)?))
        }),
    ]
}
