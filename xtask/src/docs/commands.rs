//! The reference of the commands, `docs/reference/cli.md`. The binary writes it from its own definitions.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

const PAGE: &str = "docs/reference/cli.md";

/// Compares the page with what the binary writes, or replaces it.
pub(super) fn check(binary: &Path, root: &Path, update: bool) -> Result<()> {
    let mut command = Command::new(binary);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("BRAIN_")) {
        command.env_remove(name);
    }
    let output = command.args(["dev", "reference"]).output().context("the binary cannot be started")?;
    if !output.status.success() {
        bail!("brain dev reference failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let page = root.join(PAGE);
    let (written, wanted) = (std::fs::read_to_string(&page).unwrap_or_default(), String::from_utf8(output.stdout)?);
    if written == wanted {
        return Ok(());
    }
    if !update {
        bail!("{PAGE} is out of date: run `cargo xtask docs --update`");
    }
    eprintln!("{PAGE}: updated");
    Ok(std::fs::write(page, wanted)?)
}
