//! The command line of `brain dev bench`.

use clap::{Args, Subcommand};

use crate::bench::Tools;

#[derive(Subcommand)]
pub(crate) enum BenchCommand {
    /// Measure durable runs per second on this machine and store.
    #[command(
        after_help = "Examples:\n  brain dev bench runs\n  brain dev bench runs --in-flight 256 --tools outside\n  brain dev bench runs --store postgres://me@localhost/bench"
    )]
    Runs(BenchRunsArgs),
}

#[derive(Args, Clone)]
pub(crate) struct BenchRunsArgs {
    /// Steps per run.
    #[arg(long, default_value_t = 5)]
    pub(crate) steps: usize,
    /// Total number of runs.
    #[arg(long, default_value_t = 2000)]
    pub(crate) runs: usize,
    /// Concurrent runs.
    #[arg(long, default_value_t = 32)]
    pub(crate) in_flight: usize,
    /// What a step does.
    #[arg(long, value_enum, default_value = "record")]
    pub(crate) tools: Tools,
}
