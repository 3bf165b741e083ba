//! `cargo xtask dist`: the binary that is handed out.

use crate::report::{Outcome, Step};
use crate::shell::{cargo, succeeds};

/// A release build with all features.
pub(crate) fn steps() -> Vec<Step> {
    vec![Step::new("dist", || {
        let built = succeeds(cargo().args(["build", "--release", "--locked", "--package", "brain", "--all-features"]))?;
        if built {
            println!("{}", crate::docs::target_folder()?.join("release").join("brain").display());
        }
        Ok(Outcome::of(built))
    })]
}
