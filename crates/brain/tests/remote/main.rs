//! The command line with a project file, over the Unix socket of a server, and against a server elsewhere.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

#[path = "../common/mod.rs"]
mod common;
mod config;
mod events;
mod records;
mod screen;
mod server;
mod socket;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::Server;

/// A folder of a project, with nothing of this machine's configuration.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The binary in this folder.
    fn brain(&self) -> Command {
        self.brain_in(self.folder.path())
    }

    /// The binary in another folder.
    fn brain_in(&self, folder: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brain"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("BRAIN_")) {
            command.env_remove(name);
        }
        command.current_dir(folder).stdin(Stdio::null());
        command.env("HOME", self.folder.path()).env("BRAIN_CACHE", env!("CARGO_TARGET_TMPDIR"));
        for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "COLUMNS"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.brain().args(args).output().unwrap()
    }

    /// Runs a command that must succeed.
    fn ok(&self, args: &[&str]) -> Output {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", common::text(&output));
        output
    }

    /// A server in this folder.
    fn serve(&self, args: &[&str]) -> Server {
        Server::from_command(self.brain(), args)
    }

    /// A pack that keeps memos. `brain do "jot buy milk"` makes one.
    fn write_pack(&self) -> PathBuf {
        self.write("memos/pack.yaml", "name: memos\nversion: 1.0.0\ntitle: Memos\n");
        let fields = "  text: {type: string, max_length: 500}\n  number: {type: string, optional: true, indexed: true}\n  fee: {type: money, optional: true}\n  count: {type: integer, optional: true}\n";
        self.write(
            "memos/records/memo.yaml",
            &format!("record: memo\ntitle: Memo\nfields:\n{fields}key: [[number]]\nlabel: text\nsearch: [text]\nstates: {{initial: open, transitions: {{open: [done], done: []}}}}\n"),
        );
        self.write(
            "memos/tools/memos.yaml",
            "domain: memos\ntools:\n  jot:\n    title: Jot something down\n    input: {text: {type: string}}\n    phrases: [\"jot {text}\"]\n    behavior: {record: {insert: memo}}\n    undo: none\n    summary: \"Jotted down.\"\n  wipe:\n    title: Wipe a memo\n    input: {memo_id: {type: uuid, entity: memo}}\n    phrases: [\"wipe {memo_id}\"]\n    behavior: {record: {delete: memo}}\n    consent: approver\n    undo: none\n",
        );
        self.path("memos")
    }
}
