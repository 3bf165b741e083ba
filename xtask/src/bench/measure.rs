//! One round: everything that is compared, in sequence, on the same machine within a minute.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use brain_testbed::Postgres;
use serde_json::{Value, json};

use super::figures::{Aim, Figures};
use super::peers::{Dbos, Restate};
use super::{Asked, output};

/// Steps per run, for Brain and its peers.
const STEPS: usize = 5;

/// The programs and servers to measure.
pub(super) struct Ground {
    binary: PathBuf,
    pack: PathBuf,
    scratch: tempfile::TempDir,
    postgres: Option<Postgres>,
    restate: Option<Restate>,
    dbos: Option<Dbos>,
}

impl Ground {
    /// Installs and starts everything. What cannot be installed is noted, and the rest is measured.
    pub(super) fn prepare(asked: &Asked, binary: PathBuf, root: PathBuf, figures: &mut Figures) -> Result<Self> {
        let scratch = tempfile::tempdir()?;
        let restate_wanted = ["sqlite", "postgres", "http"].iter().any(|name| asked.wants(name));
        let mut there = |what: &str, wanted: bool, found: &dyn Fn() -> Result<()>| {
            wanted
                && match found() {
                    Ok(()) => true,
                    Err(error) => {
                        figures.note(format!("{what} is not measured: {error:#}"));
                        false
                    }
                }
        };
        let installed = there("PostgreSQL", asked.wants("postgres") || asked.wants("timers"), &|| {
            anyhow::ensure!(crate::tools::postgres()?, "it is not installed");
            Ok(())
        });
        let restate = there("Restate", restate_wanted, &|| Restate::install(&root).map(drop));
        let dbos = there("DBOS", installed && asked.wants("postgres"), &|| Dbos::install(&root).map(drop));
        let postgres = if installed { Some(Postgres::start_durable().map_err(anyhow::Error::msg)?) } else { None };
        Ok(Self {
            restate: if restate { Some(Restate::install(&root)?) } else { None },
            dbos: if dbos { Some(Dbos::install(&root)?) } else { None },
            postgres,
            pack: root.join("benches/pack"),
            binary,
            scratch,
        })
    }

    /// Measures everything that is compared with something else.
    pub(super) fn round(&self, asked: &Asked, figures: &mut Figures) -> Result<()> {
        figures.now.clear();
        let mut measure = |name: &'static str, value: Option<f64>| {
            if let Some(value) = value {
                eprintln!("  {name}: {value:.1}");
                figures.now.insert(name, value);
            }
        };
        let runs = asked.amount(6000, 1500);
        if asked.wants("sqlite") || asked.wants("in-flight") {
            let found = self.runs(runs, 32, "record", None)?;
            measure("sqlite 32", number(&found, "/runs_per_second"));
            measure("sqlite 32 probe", number(&found, "/probe/runs_per_second"));
            let found = self.runs(runs, 32, "outside", None)?;
            measure("sqlite 32 outside", number(&found, "/runs_per_second"));
            measure("sqlite 32 outside probe", number(&found, "/probe/runs_per_second"));
        }
        if asked.wants("in-flight") {
            measure("sqlite 256", number(&self.runs(runs, 256, "record", None)?, "/runs_per_second"));
            measure("sqlite 256 outside", number(&self.runs(runs, 256, "outside", None)?, "/runs_per_second"));
            measure("sqlite 8", number(&self.runs(runs, 8, "record", None)?, "/runs_per_second"));
        }
        if asked.wants("alone") {
            let found = self.runs(asked.amount(2000, 500), 1, "outside", None)?;
            measure("alone", number(&found, "/p50_ms"));
            measure("alone probe", number(&found, "/probe/p50_ms"));
        }
        if asked.wants("http") {
            measure("http 32", self.brain_over_http(runs, None)?);
        }
        if let Some(restate) = &self.restate {
            let running = restate.start(self.scratch.path())?;
            let found = self.http(&running.url, "{}", asked.amount(2000, 600))?;
            measure("restate 32", number(&found, "/runs_per_second"));
        }
        if let Some(postgres) = self.postgres.as_ref().filter(|_| asked.wants("postgres")) {
            let url = postgres.url(&postgres.new_database());
            let found = self.runs(runs, 32, "record", Some(&url))?;
            measure("postgres 32", number(&found, "/runs_per_second"));
            measure("postgres 32 probe", number(&found, "/probe/runs_per_second"));
            let url = postgres.url(&postgres.new_database());
            let found = self.runs(runs, 32, "outside", Some(&url))?;
            measure("postgres 32 outside", number(&found, "/runs_per_second"));
            let url = postgres.url(&postgres.new_database());
            measure("postgres http 32", self.brain_over_http(runs, Some(&url))?);
            if let Some(dbos) = &self.dbos {
                let url = postgres.url(&postgres.new_database());
                measure("dbos 32", Some(dbos.measure(&url, 32, asked.amount(6, 4))?));
            }
        }
        ratios(figures);
        Ok(())
    }

    /// Measures what is compared with itself. It takes long, and once is enough.
    pub(super) fn once(&self, asked: &Asked, figures: &mut Figures) -> Result<()> {
        if asked.wants("waiting") {
            let runs = asked.amount(100_000, 20_000);
            let found = self.bench(&["waiting", "--runs", &runs.to_string()], None)?;
            let mut value = |what: &str, path: &str, aim: Aim, unit: &'static str| {
                if let Some(value) = number(&found, path) {
                    figures.value(&format!("{runs} waiting runs: {what}"), value, aim, unit);
                }
            };
            value("a server is ready", "/ready_ms", Aim::AtMost(1000.0), "ms");
            value("more memory", "/memory_mb_more", Aim::AtMost(100.0), "MB");
            value("timers fire late, p99", "/late_p99_ms", Aim::None, "ms");
        }
        if asked.wants("timers") {
            let runs = asked.amount(100_000, 10_000);
            let database = self.postgres.as_ref().map(|postgres| postgres.url(&postgres.new_database()));
            let stores = [("SQLite", None, 20.0), ("PostgreSQL", database.as_deref(), 45.0)];
            for (name, store, aim) in stores.into_iter().filter(|(name, store, _)| *name == "SQLite" || store.is_some())
            {
                let found = self.bench(&["timers", "--runs", &runs.to_string()], store)?;
                let what = |what: &str| format!("{runs} timers due in one moment, {name}: {what}");
                if let (Some(fired), Some(others)) =
                    (number(&found, "/fired_seconds"), number(&found, "/others_max_ms"))
                {
                    figures.value(&what("all fired"), fired, Aim::AtMost(aim), "s");
                    figures.value(&what("another run waits at most"), others, Aim::AtMost(1000.0), "ms");
                }
            }
        }
        if asked.wants("growth") {
            let many = asked.amount(1_000_000, 100_000);
            let found = self.bench(&["growth", "--many", &many.to_string()], None)?;
            figures.now.clear();
            for (field, few, many_runs, what, aim) in [
                ("run_ms", "few run", "many run", "cost of a run", Aim::AtMost(1.2)),
                ("due_ms", "few due", "many due", "asking what is due", Aim::None),
                ("list_ms", "few list", "many list", "listing runs", Aim::None),
                ("get_ms", "few get", "many get", "reading a run", Aim::None),
                ("start_ms", "few start", "many start", "starting", Aim::None),
            ] {
                figures.now.extend(number(&found, &format!("/few/{field}")).map(|value| (few, value)));
                figures.now.extend(number(&found, &format!("/many/{field}")).map(|value| (many_runs, value)));
                figures.ratio(&format!("{many} stored runs against 1000: {what}"), many_runs, few, aim, "ms");
            }
        }
        if asked.wants("vm") {
            let found = self.bench(&["vm"], None)?;
            if let Some(value) = number(&found, "/turns_per_second") {
                figures.value("machine turns in memory, one thread", value, Aim::None, "/s");
            }
        }
        Ok(())
    }

    fn runs(&self, runs: usize, in_flight: usize, tools: &str, store: Option<&str>) -> Result<Value> {
        let (runs, in_flight, steps) = (runs.to_string(), in_flight.to_string(), STEPS.to_string());
        let args = ["runs", "--runs", &runs, "--in-flight", &in_flight, "--steps", &steps, "--tools", tools];
        self.bench(&args, store)
    }

    fn bench(&self, args: &[&str], store: Option<&str>) -> Result<Value> {
        let mut command = Command::new(self.binary.with_file_name("brain-bench"));
        // Measure on the disk of the build folder, not in a temporary folder that may be in memory.
        command.env_remove("BRAIN_STORE").env("TMPDIR", self.disk()?);
        if let Some(store) = store {
            command.env("BRAIN_STORE", store);
        }
        let text = output(command.arg("--json").args(args))?;
        serde_json::from_str(&text).with_context(|| format!("`brain-bench {}` printed {text}", args.join(" ")))
    }

    fn disk(&self) -> Result<PathBuf> {
        let folder = self.binary.parent().unwrap_or(Path::new(".")).join("bench");
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// The HTTP load generator with 32 concurrent requests.
    fn http(&self, url: &str, body: &str, runs: usize) -> Result<Value> {
        self.bench(&["http", url, "--body", body, "--in-flight", "32", "--runs", &runs.to_string()], None)
    }

    fn brain_over_http(&self, runs: usize, store: Option<&str>) -> Result<Option<f64>> {
        let folder = tempfile::tempdir_in(self.disk()?)?;
        let mut command = Command::new(&self.binary);
        command.args(["--json", "serve", "--addr", "127.0.0.1:0", "--pack"]).arg(&self.pack);
        let file = format!("sqlite:{}", folder.path().join("http.db").display());
        command.env("BRAIN_STORE", store.unwrap_or(&file));
        let mut server = Process(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?);
        let mut line = String::new();
        BufReader::new(server.0.stdout.take().context("its output")?).read_line(&mut line)?;
        let started: Value = serde_json::from_str(&line).with_context(|| format!("the server printed {line:?}"))?;
        let url = format!("http://{}/v1/runs", started["listening"].as_str().context("where it listens")?);
        let call = |step| json!({"tool_name": "bench.add", "input": {"text": format!("entry of step {step}")}});
        let calls: Vec<Value> = (0..STEPS).map(call).collect();
        let body = json!({"message": "", "calls": calls, "mode": "enqueue_and_wait"}).to_string();
        Ok(number(&self.http(&url, &body, runs)?, "/runs_per_second"))
    }
}

fn ratios(figures: &mut Figures) {
    let (runs, ms) = ("runs/s", "ms");
    for (what, ours, peer, aim, unit) in [
        ("SQLite, 32 in flight, in process: against Restate", "sqlite 32", "restate 32", Aim::AtLeast(25.0), runs),
        (
            "SQLite, 32 in flight, in process: against its probe",
            "sqlite 32",
            "sqlite 32 probe",
            Aim::AtLeast(0.8),
            runs,
        ),
        (
            "SQLite, 32 in flight, outside steps: against Restate",
            "sqlite 32 outside",
            "restate 32",
            Aim::AtLeast(14.0),
            runs,
        ),
        (
            "SQLite, 32 in flight, outside steps: against its probe",
            "sqlite 32 outside",
            "sqlite 32 outside probe",
            Aim::AtLeast(0.8),
            runs,
        ),
        (
            "PostgreSQL, 32 in flight, in process: against Restate",
            "postgres 32",
            "restate 32",
            Aim::AtLeast(14.0),
            runs,
        ),
        ("PostgreSQL, 32 in flight, in process: against DBOS", "postgres 32", "dbos 32", Aim::AtLeast(110.0), runs),
        (
            "PostgreSQL, 32 in flight, in process: against its probe",
            "postgres 32",
            "postgres 32 probe",
            Aim::None,
            runs,
        ),
        (
            "PostgreSQL, 32 in flight, outside steps: against DBOS",
            "postgres 32 outside",
            "dbos 32",
            Aim::AtLeast(50.0),
            runs,
        ),
        ("PostgreSQL, 32 in flight, over HTTP: against DBOS", "postgres http 32", "dbos 32", Aim::AtLeast(50.0), runs),
        ("SQLite, 32 in flight, over HTTP: against Restate", "http 32", "restate 32", Aim::AtLeast(14.0), runs),
        ("one run alone, outside steps, SQLite: p50 against its probe", "alone", "alone probe", Aim::AtMost(1.6), ms),
        ("256 in flight against 32, SQLite", "sqlite 256", "sqlite 32", Aim::AtLeast(1.0), runs),
        (
            "256 in flight against 32, SQLite, outside steps",
            "sqlite 256 outside",
            "sqlite 32 outside",
            Aim::AtLeast(1.0),
            runs,
        ),
        ("8 in flight against 32, SQLite", "sqlite 8", "sqlite 32", Aim::None, runs),
    ] {
        figures.ratio(what, ours, peer, aim, unit);
    }
}

fn number(value: &Value, path: &str) -> Option<f64> {
    value.pointer(path).and_then(Value::as_f64)
}

/// A process that is killed when it is dropped.
pub(super) struct Process(pub(super) Child);

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
