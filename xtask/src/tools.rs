//! The programs that the steps need. What is missing is installed where that is possible, and named where it is not.
//!
//! A fresh machine has cargo and a C compiler. Nothing is installed twice: what answers is left alone.

use std::process::Command;

use anyhow::Result;

use crate::report::{Outcome, Step};
use crate::shell::{answers, succeeds};

/// Looks for everything at once, so that what is missing is known before the long steps begin.
pub(crate) fn step() -> Step {
    Step::new("tools", || {
        let mut missing = 0;
        for component in ["rustfmt", "clippy"] {
            if !component_there(component)? {
                missing += 1;
                eprintln!("{component} is missing: run `rustup component add {component}`");
            }
        }
        for (there, what) in [(curl()?, "curl"), (node()?, "node with npm"), (nextest(), "cargo-nextest")] {
            eprintln!("{what}: {}", if there { "found" } else { "not found (what needs it says so below)" });
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

/// Whether tests can run with cargo-nextest. It is only faster, so it is not installed.
pub(crate) fn nextest() -> bool {
    answers("cargo", &["nextest", "--version"])
}

/// Whether curl is there, by now.
pub(crate) fn curl() -> Result<bool> {
    package("curl", &["curl"])
}

/// Whether node and npm are there, by now.
pub(crate) fn node() -> Result<bool> {
    Ok(package("node", &["nodejs", "npm"])? && package("npm", &["npm"])?)
}

fn package(program: &str, packages: &[&str]) -> Result<bool> {
    let there = || answers(program, &["--version"]);
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
