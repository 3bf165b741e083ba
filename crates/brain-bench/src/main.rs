//! Benchmarks of Brain. Each figure is compared with a limit or an earlier figure that was measured in the same
//! process: absolute figures differ between machines, ratios much less.
//!
//! `cargo xtask bench` runs these with peers and prints a table; see `docs/benchmarks.md`.

mod cli;
mod entities;
mod ground;
mod growth;
mod http;
mod probe;
mod runs;
mod said;
mod show;
mod timers;
mod understand;
mod vm;
mod waiting;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use clap::Parser;

use crate::cli::{BenchCommand, Cli};

/// The allocator of the `brain` binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // `waiting` starts a server from this binary.
    if std::env::args().nth(1).is_some_and(|first| first == "serve") {
        return brain::main();
    }
    let Cli { global, command } = Cli::parse();
    let done = match &command {
        BenchCommand::Runs(args) => runs::run(&global, args),
        BenchCommand::Waiting(args) => waiting::run(&global, args),
        BenchCommand::Timers(args) => timers::run(&global, args),
        BenchCommand::Growth(args) => growth::run(&global, args),
        BenchCommand::Understand(args) => understand::run(&global, args),
        BenchCommand::Entities(args) => entities::run(&global, args),
        BenchCommand::Vm(args) => vm::run(&global, args),
        BenchCommand::Http(args) => http::run(&global, args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The Tokio runtime for kernels.
fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().enable_all().build()?)
}

/// The result of `work`, and its duration in milliseconds.
fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let began = Instant::now();
    let value = work()?;
    Ok((began.elapsed().as_secs_f64() * 1e3, value))
}
