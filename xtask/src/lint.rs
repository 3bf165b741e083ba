//! `cargo xtask lint`: clippy and rustdoc, with warnings as errors.

use std::path::PathBuf;
use std::process::Command;

use crate::report::{Outcome, Step};
use crate::shell::{cargo, succeeds};

/// `-- -D warnings`, as `cargo clippy` hands it on.
const CLIPPY_ARGS: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";

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
            // Documentation needs every crate checked, and cargo takes what clippy checked only for the same wrapper.
            // Without it, the whole workspace is checked a second time.
            if let Some(driver) = clippy_driver() {
                doc.env("RUSTC_WORKSPACE_WRAPPER", driver).env("CLIPPY_ARGS", CLIPPY_ARGS);
            }
            Ok(Outcome::of(succeeds(&mut doc)?))
        }),
    ]
}

/// The compiler that `cargo clippy` runs, if it is where rustup puts it.
fn clippy_driver() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let driver = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()).join("bin/clippy-driver");
    driver.is_file().then_some(driver)
}
