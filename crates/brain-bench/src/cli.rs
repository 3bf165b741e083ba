//! The command line of `brain-bench`.

use brain::bench::Tools;
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "brain-bench", about = "Benchmarks of Brain, compared with probes and peers", version)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

#[derive(Args)]
pub(crate) struct Global {
    /// Print JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The store to measure: sqlite:PATH or postgres://USER@HOST/DATABASE. Without it, a scratch file.
    #[arg(long, global = true, env = "BRAIN_STORE", hide_env_values = true, value_name = "URL")]
    pub(crate) store: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum BenchCommand {
    /// Durable runs per second, compared with a probe that commits the same rows and bytes.
    #[command(
        after_help = "Examples:\n  brain-bench runs\n  brain-bench runs --in-flight 256 --tools outside\n  brain-bench runs --store postgres://me@localhost/bench"
    )]
    Runs(BenchRunsArgs),
    /// Cost of many waiting runs for a server that starts.
    #[command(after_help = "Examples:\n  brain-bench waiting\n  brain-bench waiting --runs 1000 --json")]
    Waiting(BenchWaitingArgs),
    /// Time until very many timers that are due at once have fired.
    #[command(after_help = "Examples:\n  brain-bench timers --runs 10000\n  brain-bench timers --json")]
    Timers(BenchTimersArgs),
    /// Cost of a run with few and with many stored runs.
    #[command(after_help = "Examples:\n  brain-bench growth --many 100000\n  brain-bench growth --json")]
    Growth(BenchGrowthArgs),
    /// Speed of the machine alone, in memory.
    #[command(after_help = "Examples:\n  brain-bench vm --runs 100000")]
    Vm(BenchVmArgs),
    /// Cost of understanding with a large vocabulary, and of the vocabulary.
    #[command(
        after_help = "Examples:\n  brain-bench understand\n  brain-bench understand --tools 100 --phrases 1000 --json"
    )]
    Understand(BenchUnderstandArgs),
    /// Cost of finding a record by name among very many.
    #[command(after_help = "Examples:\n  brain-bench entities\n  brain-bench entities --records 1000000 --json")]
    Entities(BenchEntitiesArgs),
    /// Requests per second to any HTTP server, over persistent connections.
    #[command(
        after_help = "Examples:\n  brain-bench http http://127.0.0.1:7700/v1/runs --body '{\"message\": \"list tasks\"}' --in-flight 8"
    )]
    Http(BenchHttpArgs),
}

#[derive(Args, Clone)]
pub(crate) struct BenchRunsArgs {
    /// Steps per run.
    #[arg(long, default_value_t = 5)]
    pub(crate) steps: usize,
    /// Total number of runs.
    #[arg(long, default_value_t = 2000)]
    pub(crate) runs: usize,
    /// Number of concurrent runs.
    #[arg(long, default_value_t = 32)]
    pub(crate) in_flight: usize,
    /// The kind of steps.
    #[arg(long, value_enum, default_value = "record")]
    pub(crate) tools: Tools,
}

#[derive(Args, Clone)]
pub(crate) struct BenchUnderstandArgs {
    /// Tools in the vocabulary.
    #[arg(long, default_value_t = 1083)]
    pub(crate) tools: usize,
    /// Total number of phrases.
    #[arg(long, default_value_t = 14_593)]
    pub(crate) phrases: usize,
    /// Number of utterances.
    #[arg(long, default_value_t = 3000)]
    pub(crate) utterances: usize,
    /// An installed sentence encoder; without it, the built-in table.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Taught phrases: reading is measured without and with them.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) taught: usize,
    /// Load this snapshot instead of compiling. The benchmark calls itself with it, to measure a fresh process.
    #[arg(long, hide = true)]
    pub(crate) snapshot: Option<std::path::PathBuf>,
}

#[derive(Args, Clone)]
pub(crate) struct BenchEntitiesArgs {
    /// Number of named records.
    #[arg(long, default_value_t = 100_000)]
    pub(crate) records: usize,
    /// Lookups of each kind.
    #[arg(long, default_value_t = 500)]
    pub(crate) lookups: usize,
}

#[derive(Args, Clone)]
pub(crate) struct BenchWaitingArgs {
    /// Runs that wait for a year.
    #[arg(long, default_value_t = 100_000)]
    pub(crate) runs: usize,
    /// Runs that wait for a few seconds, to measure how late they wake.
    #[arg(long, default_value_t = 200)]
    pub(crate) soon: usize,
}

#[derive(Args, Clone)]
pub(crate) struct BenchTimersArgs {
    /// Runs that are due at the same time.
    #[arg(long, default_value_t = 100_000)]
    pub(crate) runs: usize,
}

#[derive(Args, Clone)]
pub(crate) struct BenchGrowthArgs {
    /// Stored runs for the first measurement.
    #[arg(long, default_value_t = 1000)]
    pub(crate) few: usize,
    /// Stored runs for the second measurement.
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) many: usize,
    /// Runs measured at each size.
    #[arg(long, default_value_t = 5000)]
    pub(crate) runs: usize,
}

#[derive(Args, Clone)]
pub(crate) struct BenchVmArgs {
    /// Steps per run.
    #[arg(long, default_value_t = 5)]
    pub(crate) steps: usize,
    /// Total number of runs.
    #[arg(long, default_value_t = 100_000)]
    pub(crate) runs: usize,
}

#[derive(Args, Clone)]
pub(crate) struct BenchHttpArgs {
    /// The target, `http://HOST:PORT/PATH`.
    pub(crate) url: String,
    /// The body of each request.
    #[arg(long, default_value = "{}", value_name = "JSON")]
    pub(crate) body: String,
    /// Total number of requests.
    #[arg(long, default_value_t = 2000)]
    pub(crate) runs: usize,
    /// Number of concurrent requests.
    #[arg(long, default_value_t = 32)]
    pub(crate) in_flight: usize,
}
