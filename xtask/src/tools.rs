//! The programs that the steps need. Missing ones are installed where possible, and named where not.
//!
//! A fresh machine has cargo and a C compiler. A program that already works is left alone.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::report::{Outcome, Step};
use crate::shell::{answers, succeeds};

/// Looks for everything first, so that missing programs are known before the long steps.
pub(crate) fn step() -> Step {
    Step::new("tools", || {
        let mut missing = 0;
        for component in ["rustfmt", "clippy"] {
            if !component_there(component)? {
                missing += 1;
                eprintln!("{component} is missing: run `rustup component add {component}`");
            }
        }
        let found = [
            (curl()?, "curl"),
            (node()?, "node with npm"),
            (postgres()?, "PostgreSQL's server"),
            (nextest(), "cargo-nextest"),
            (weights(), "weights of all-MiniLM-L6-v2"),
        ];
        for (there, what) in found {
            eprintln!("{what}: {}", if there { "found" } else { "not found (steps that need it are skipped below)" });
        }
        Ok(Outcome::Checked { passed: 2 - missing, failed: missing })
    })
}

fn component_there(component: &str) -> Result<bool> {
    let command = if component == "rustfmt" { "fmt" } else { "clippy" };
    let there = || answers("cargo", &[command, "--version"]);
    if there() {
        return Ok(true);
    }
    if answers("rustup", &["--version"]) {
        succeeds(Command::new("rustup").args(["component", "add", component]))?;
    }
    Ok(there())
}

/// Whether cargo-nextest is available. It is only faster, so it is not installed.
pub(crate) fn nextest() -> bool {
    answers("cargo", &["nextest", "--version"])
}

/// Whether curl is available, after trying to install it.
pub(crate) fn curl() -> Result<bool> {
    package("curl", &["curl"])
}

/// Whether node and npm are available, after trying to install them.
pub(crate) fn node() -> Result<bool> {
    Ok(package("node", &["nodejs", "npm"])? && package("npm", &["npm"])?)
}

/// Whether PostgreSQL's server is available, after trying to install it. Tests start their own server.
pub(crate) fn postgres() -> Result<bool> {
    install("postgres", &["postgresql"], postgres_there)
}

/// Debian keeps the server outside the path, in a folder per version; elsewhere `pg_config` knows it.
fn postgres_there() -> bool {
    let said = Command::new("pg_config").arg("--bindir").output().ok();
    let said = said.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let folders = said.into_iter().chain(versions.map(|version| version.path().join("bin")));
    folders.into_iter().any(|folder| folder.join("postgres").is_file() && folder.join("initdb").is_file())
}

/// Whether the weights for tests of transformers are available, after trying to download them.
fn weights() -> bool {
    brain_testbed::minilm().inspect_err(|error| eprintln!("{error}")).is_ok()
}

fn package(program: &str, packages: &[&str]) -> Result<bool> {
    install(program, packages, || answers(program, &["--version"]))
}

fn install(program: &str, packages: &[&str], there: impl Fn() -> bool) -> Result<bool> {
    if there() {
        return Ok(true);
    }
    if !is_root() || !answers("apt-get", &["--version"]) {
        return Ok(false);
    }
    eprintln!("{program} is missing; installing {}", packages.join(" "));
    let install = || {
        let mut apt = Command::new("apt-get");
        apt.args(["install", "-y", "--no-install-recommends"]).args(packages).env("DEBIAN_FRONTEND", "noninteractive");
        succeeds(&mut apt)
    };
    if !install()? && succeeds(Command::new("apt-get").arg("update"))? {
        install()?;
    }
    Ok(there())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
