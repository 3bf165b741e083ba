//! `cargo xtask golden`: writes the golden files of stored formats. Read the difference before you commit it: a format that
//! exists is only added to (`docs/adr/0024-formats-are-frozen.md`).

use crate::report::{Outcome, Step};
use crate::shell::{cargo, succeeds};

/// Runs the tests that own the files, in the mode in which they write them.
pub(crate) fn steps() -> Vec<Step> {
    vec![Step::new("golden", || {
        let mut test = cargo();
        test.args(["test", "--workspace", "--all-features", "--quiet", "frozen"]).env("BRAIN_UPDATE", "1");
        Ok(Outcome::of(succeeds(&mut test)?))
    })]
}
