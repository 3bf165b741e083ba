//! Compares our FEEL with `feelin`, an independent implementation, on the shared table of expressions.

use std::path::Path;
use std::process::Command;

use crate::report::{Outcome, Step};
use crate::shell::{root, tee};
use crate::tools;

/// Words in npm's errors that mean the network is unavailable. Any other error is a failure.
const OFFLINE: [&str; 6] = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH", "ECONNRESET"];

/// The comparison step.
pub(crate) fn step() -> Step {
    Step::new("feelin", || {
        if !tools::node()? {
            return Ok(Outcome::Skipped("node and npm are missing and could not be installed".into()));
        }
        let folder = root().join("crates/brain-lang/tests/feelin");
        if !installed(&folder) {
            let mut npm = Command::new("npm");
            npm.args(["ci", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=30000"])
                .current_dir(&folder);
            let said = tee(&mut npm)?;
            if !said.success {
                if OFFLINE.iter().any(|word| said.text.contains(word)) {
                    return Ok(Outcome::Skipped("npm could not reach its registry to fetch feelin".into()));
                }
                return Ok(Outcome::of(false));
            }
        }
        Ok(Outcome::of(tee(Command::new("node").arg("compare.mjs").current_dir(&folder))?.success))
    })
}

/// Whether npm has installed the versions of the lock file.
fn installed(folder: &Path) -> bool {
    let changed = |path: &str| folder.join(path).metadata().and_then(|file| file.modified());
    match (changed("node_modules/.package-lock.json"), changed("package-lock.json")) {
        (Ok(there), Ok(wanted)) => there >= wanted,
        _ => false,
    }
}
