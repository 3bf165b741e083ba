//! Runs other programs.

use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use anyhow::{Context, Result};

/// The root of the checkout.
pub(crate) fn root() -> PathBuf {
    // `cargo run` sets the package's current path; the compiled-in path is for a binary that is called directly.
    let package =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), Into::into);
    package.parent().map_or_else(|| package.clone(), Path::to_path_buf)
}

/// The cargo that runs this program, in the root of the checkout.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    // Variables that describe the package xtask must not reach a build: build scripts that watch them (ring's does)
    // would run again, and everything that depends on them would be recompiled.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    if std::io::stderr().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    command
}

/// Runs a program with inherited output; returns whether it succeeded.
pub(crate) fn succeeds(command: &mut Command) -> Result<bool> {
    let status = command.status().with_context(|| format!("{} cannot be started", name(command)))?;
    Ok(status.success())
}

/// Whether a program can be run; discards its output.
pub(crate) fn answers(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The output of a program, and whether it succeeded.
pub(crate) struct Said {
    pub(crate) success: bool,
    /// Standard output and standard error, interleaved by line, without colours.
    pub(crate) text: String,
}

/// Runs a program, showing and recording its output.
pub(crate) fn tee(command: &mut Command) -> Result<Said> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("{} cannot be started", name(command)))?;
    let text = Mutex::new(String::new());
    let copy = |source: Box<dyn Read + Send>| {
        for line in BufReader::new(source).split(b'\n').map_while(std::io::Result::ok) {
            let line = String::from_utf8_lossy(&line);
            eprintln!("{line}");
            if let Ok(mut text) = text.lock() {
                text.push_str(&without_colours(&line));
                text.push('\n');
            }
        }
    };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        for source in [stdout.map(|s| Box::new(s) as Box<dyn Read + Send>), stderr.map(|s| Box::new(s) as _)] {
            let copy = &copy;
            source.map(|source| scope.spawn(move || copy(source)));
        }
    });
    let success = child.wait()?.success();
    Ok(Said { success, text: text.into_inner().unwrap_or_default() })
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

/// Removes terminal colours from a line.
fn without_colours(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        // An escape sequence ends with its first letter.
        rest = after.find(|c: char| c.is_ascii_alphabetic()).map_or("", |end| &after[end + 1..]);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_removed() {
        assert_eq!(without_colours("a \u{1b}[1;32mgreen\u{1b}[0m b"), "a green b");
        assert_eq!(without_colours("plain"), "plain");
    }
}
