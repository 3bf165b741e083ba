//! An operator's day, with the real binary: logs, metrics, traces, reloading packs, readiness, bulk retries,
//! notifications.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

#[path = "../common/mod.rs"]
mod common;
mod dead_letters;
mod doctor;
mod logs;
mod metrics;
mod notify;
mod outside;
mod personal;
mod reload;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Server, brain};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

/// A server with its own pack and a log file.
struct Site {
    folder: tempfile::TempDir,
    server: Server,
}

impl Site {
    fn pack(&self) -> PathBuf {
        self.folder.path().join("pack")
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("s.db")
    }

    /// Starts a server with the pack of [`outside::write_pack`].
    fn start(outside: &outside::Outside, args: &[&str], env: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let pack = folder.path().join("pack");
        outside.write_pack(&pack);
        let server = serve(folder.path(), &pack, args, env);
        Self { folder, server }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    async fn post(&self, path: &str, body: &Value) -> reqwest::Response {
        client().post(format!("{}{path}", self.server.url)).json(body).send().await.unwrap()
    }

    async fn get(&self, path: &str) -> Value {
        client().get(format!("{}{path}", self.server.url)).send().await.unwrap().json().await.unwrap()
    }

    /// Calls a tool by name and waits until the run settles.
    async fn call(&self, tool: &str, input: Value) -> Value {
        let body = json!({"message": "", "calls": [{"tool_name": tool, "input": input}]});
        self.post("/v1/runs", &body).await.json().await.unwrap()
    }

    /// Waits for a log line that contains all of these.
    async fn logged(&self, parts: &[&str]) -> String {
        until(&format!("a line with {parts:?}"), async || {
            let log = self.log();
            log.lines().find(|line| parts.iter().all(|part| line.contains(part))).map(str::to_owned)
        })
        .await
    }
}

/// Starts a server on `s.db` in a folder; its log is `log` there.
fn serve(folder: &Path, pack: &Path, args: &[&str], env: &[(&str, &str)]) -> Server {
    let mut command = brain(&folder.join("s.db"));
    command.envs(env.iter().copied()).arg("--pack").arg(pack).arg("--allow-private-hosts");
    let log = std::fs::OpenOptions::new().create(true).append(true).open(folder.join("log")).unwrap();
    command.stderr(Stdio::from(log));
    Server::from_command(command, args)
}

fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}
