//! The real binary, as a user runs it.
#![allow(dead_code, unreachable_pub, reason = "shared by test files that each use their own part")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// The binary with its own store and a clean environment.
pub fn brain(store: &Path) -> Command {
    brain_on(&format!("sqlite:{}", store.display()))
}

/// The same with any kind of store.
pub fn brain_on(url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brain"));
    command.env_remove("BRAIN_TENANT").env_remove("BRAIN_LOG").env("BRAIN_STORE", url);
    command.env("BRAIN_CACHE", env!("CARGO_TARGET_TMPDIR"));
    command
}

pub fn run(store: &Path, args: &[&str]) -> Output {
    brain(store).args(args).stdin(Stdio::null()).output().unwrap()
}

pub fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\nstdout: {text}\nstderr: {errors}"))
}

pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// A server on a free port. Killed without cleanup when it is dropped.
pub struct Server {
    child: Child,
    pub url: String,
}

impl Server {
    pub fn start(store: &Path, args: &[&str]) -> Self {
        Self::start_on(&format!("sqlite:{}", store.display()), args)
    }

    /// The same with any kind of store.
    pub fn start_on(url: &str, args: &[&str]) -> Self {
        Self::from_command(brain_on(url), args)
    }

    /// A server started by a custom command around the binary.
    pub fn from_command(mut command: Command, args: &[&str]) -> Self {
        let mut server = Self::begin(&mut command, args);
        let mut line = String::new();
        BufReader::new(server.child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("the server printed: {line:?}"));
        server.url = format!("http://{}", told["listening"].as_str().unwrap());
        server
    }

    /// A server that is still starting and does not listen yet.
    pub fn begin(command: &mut Command, args: &[&str]) -> Self {
        command.args(["--json", "serve", "--addr", "127.0.0.1:0"]).args(args);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        Self { child, url: String::new() }
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Asks the process to stop, as a service manager does.
    pub fn terminate(&self) {
        let sent = Command::new("kill").args(["-TERM", &self.pid().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits until the process has exited.
    pub fn ended(&mut self) -> std::process::ExitStatus {
        self.child.wait().unwrap()
    }

    /// `kill -9`.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
