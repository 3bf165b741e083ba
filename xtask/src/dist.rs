//! `cargo xtask dist`: the binary that is handed out.

use crate::report::{Outcome, Step};
use crate::shell::{cargo, succeeds};

/// A build with all features and whole-program optimisation.
pub(crate) fn steps() -> Vec<Step> {
    vec![Step::new("dist", || {
        let built =
            succeeds(cargo().args(["build", "--profile", "dist", "--locked", "--package", "brain", "--all-features"]))?;
        if built {
            println!("{}", crate::docs::target_folder()?.join("dist").join("brain").display());
        }
        Ok(Outcome::of(built))
    })]
}
