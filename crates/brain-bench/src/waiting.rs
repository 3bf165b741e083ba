//! `brain-bench waiting`: the cost of many waiting runs for a server that starts: time, memory, and how late it wakes
//! runs that are due.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use brain::bench::{Measured, PACK, SystemClock, drive, kernel, request, round, scope};
use brain_core::{Clock, Millis, RunId, RunStatus, Timestamp};
use brain_kernel::Mode;
use brain_store::{SqliteStore, Store, SystemScope};
use serde_json::{Value, json};

use crate::cli::{BenchWaitingArgs, Global};
use crate::show::{BOLD, DIM};
use crate::{http, runtime, show};

/// Concurrent requests while the store is filled.
const AT_A_TIME: usize = 256;
/// Time limit for a server to become ready, and for the sample to wake.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a server may settle.
const SETTLE: Duration = Duration::from_secs(2);

/// The costs of starting a server.
struct Start {
    ready_ms: f64,
    /// Resident memory, if the system reports it.
    memory_mb: Option<f64>,
}

pub(crate) fn run(global: &Global, args: &BenchWaitingArgs) -> Result<()> {
    if global.store.is_some() {
        bail!("this benchmark fills its own file; leave --store out");
    }
    let scratch = tempfile::tempdir()?;
    let pack = scratch.path().join("pack");
    for (name, text) in PACK {
        let path = pack.join(name);
        std::fs::create_dir_all(path.parent().context("a folder")?)?;
        std::fs::write(path, text)?;
    }
    let few = scratch.path().join("few.db");
    let many = scratch.path().join("many.db");
    drop(fill(&few, 1, 0)?);
    let (fill_seconds, soon) = fill(&many, args.runs, args.soon)?;
    let (empty, server) = start(&few, &pack)?;
    drop(server);
    let (full, server) = start(&many, &pack)?;
    let late = woken(&many, &soon)?;
    drop(server);
    let more = full.memory_mb.zip(empty.memory_mb).map(|(full, empty)| full - empty);
    if global.json {
        show::json(&json!({
            "runs": args.runs, "filled_per_second": round(args.runs as f64 / fill_seconds),
            "ready_ms": round(full.ready_ms), "ready_ms_empty": round(empty.ready_ms),
            "memory_mb": full.memory_mb.map(round), "memory_mb_more": more.map(round),
            "woken": late.latencies.len(), "late_p50_ms": round(late.percentile(0.5)), "late_p99_ms": round(late.percentile(0.99)),
        }));
        return Ok(());
    }
    anstream::println!("{BOLD}{} waiting runs{BOLD:#}", args.runs);
    anstream::println!("  ready after {:.0} ms   {DIM}an empty store: {:.0} ms{DIM:#}", full.ready_ms, empty.ready_ms);
    if let Some((more, all)) = more.zip(full.memory_mb) {
        anstream::println!("  {more:.1} MB more memory   {DIM}{all:.0} MB in all{DIM:#}");
    }
    anstream::println!(
        "  {} woken, late by p50 {:.0} ms, p99 {:.0} ms",
        late.latencies.len(),
        late.percentile(0.5),
        late.percentile(0.99)
    );
    Ok(())
}

/// Fills a store with runs that wait for a year and `soon` runs that wait for seconds; returns those and their due
/// times.
fn fill(path: &Path, runs: usize, soon: usize) -> Result<(f64, Vec<(RunId, Timestamp)>)> {
    let store: std::sync::Arc<dyn Store> = std::sync::Arc::new(SqliteStore::open(path)?);
    let began = Instant::now();
    let scope = scope()?;
    let due = runtime()?.block_on(async {
        let kernel = kernel(&store, false)?;
        let later = request(vec![("bench.later".into(), json!({"text": "later"}))], Mode::Enqueue)?;
        drive(&kernel, &later, runs, AT_A_TIME).await?;
        let mut due = Vec::new();
        for n in 0..soon {
            // Due before the recheck, whenever that is.
            let due_at = SystemClock.now().plus(Millis(3_000)).to_string();
            let call = ("bench.soon".to_owned(), json!({"text": format!("soon {n}"), "due": due_at}));
            let begun = kernel.begin(&request(vec![call], Mode::Enqueue)?).await?;
            let row = store.run(&scope, begun.run)?.context("a run that was accepted")?;
            let wake = row.schedule.wake_at.with_context(|| format!("run {} is {}", begun.run, row.status))?;
            due.push((begun.run, wake));
        }
        kernel.engine().stop();
        // The figures are valid only if all runs wait.
        let counted = store.count_by_status(SystemScope)?;
        let waiting = counted.iter().find(|(status, _)| *status == RunStatus::Waiting).map_or(0, |(_, count)| *count);
        ensure!(waiting == (runs + soon) as u64, "of {} runs only {waiting} wait: {counted:?}", runs + soon);
        anyhow::Ok(due)
    })?;
    Ok((began.elapsed().as_secs_f64(), due))
}

/// A server process of this program. Killed when it is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn start(store: &Path, pack: &Path) -> Result<(Start, Server)> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["serve", "--json", "--tenant", "bench", "--addr", "127.0.0.1:0", "--pack"]).arg(pack);
    command.env("BRAIN_STORE", format!("sqlite:{}", store.display())).stdin(Stdio::null()).stdout(Stdio::piped());
    let began = Instant::now();
    let mut server = Server(command.spawn()?);
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().context("its output")?).read_line(&mut line)?;
    let line: Value = serde_json::from_str(&line).with_context(|| format!("the server printed {line:?}"))?;
    let addr = line["listening"].as_str().context("where it listens")?.to_owned();
    loop {
        let mut stream = TcpStream::connect(&addr)?;
        write!(stream, "GET /readyz HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\n\r\n")?;
        if http::answer(&mut BufReader::new(stream))?.0 == 200 {
            break;
        }
        ensure!(began.elapsed() < PATIENCE, "the server does not become ready");
        std::thread::sleep(Duration::from_millis(2));
    }
    let ready_ms = began.elapsed().as_secs_f64() * 1e3;
    std::thread::sleep(SETTLE);
    Ok((Start { ready_ms, memory_mb: memory_mb(server.0.id()) }, server))
}

fn memory_mb(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

/// Waits until the sample has ended; returns how late each was.
fn woken(path: &Path, soon: &[(RunId, Timestamp)]) -> Result<Measured> {
    let store = SqliteStore::open(path)?;
    let scope = scope()?;
    let began = Instant::now();
    let mut late = Vec::with_capacity(soon.len());
    for (run, due) in soon {
        loop {
            let row = brain_store::Runs::run(&store, &scope, *run)?.context("a run that was accepted")?;
            if row.status == RunStatus::Completed {
                late.push((row.updated_at.as_millis() - due.as_millis()) as f64);
                break;
            }
            ensure!(began.elapsed() < PATIENCE, "run {run} is {} and was due at {due}", row.status);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    Ok(Measured::new(began.elapsed().as_secs_f64(), late))
}
