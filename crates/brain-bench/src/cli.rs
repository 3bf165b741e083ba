//! The command line of `brain-bench`.

use brain::bench::Tools;
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "brain-bench", about = "Benchmarks of Brain beside probes and peers", version)]
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
    /// Durable runs per second, beside a probe that commits the same rows and bytes.
    #[command(
        after_help = "Examples:\n  brain-bench runs\n  brain-bench runs --in-flight 256 --tools outside\n  brain-bench runs --store postgres://me@localhost/bench"
    )]
    Runs(BenchRunsArgs),
    /// What many waiting runs cost a server that starts.
    #[command(after_help = "Examples:\n  brain-bench waiting\n  brain-bench waiting --runs 1000 --json")]
    Waiting(BenchWaitingArgs),
    /// How long very many timers take that are due in the same moment.
    #[command(after_help = "Examples:\n  brain-bench timers --runs 10000\n  brain-bench timers --json")]
    Timers(BenchTimersArgs),
    /// What a run costs when few are stored, and when many are.
    #[command(after_help = "Examples:\n  brain-bench growth --many 100000\n  brain-bench growth --json")]
    Growth(BenchGrowthArgs),
    /// What the machine alone does, in memory.
    #[command(after_help = "Examples:\n  brain-bench vm --runs 100000")]
    Vm(BenchVmArgs),
    /// What reading an utterance costs with a large vocabulary, and what the vocabulary costs.
    #[command(
        after_help = "Examples:\n  brain-bench understand\n  brain-bench understand --tools 100 --phrases 1000 --json"
    )]
    Understand(BenchUnderstandArgs),
    /// What it costs to find a record by its name among very many.
    #[command(after_help = "Examples:\n  brain-bench entities\n  brain-bench entities --records 1000000 --json")]
    Entities(BenchEntitiesArgs),
    /// Requests per second to any HTTP server, over connections that are kept.
    #[command(
        after_help = "Examples:\n  brain-bench http http://127.0.0.1:7700/v1/runs --body '{\"message\": \"list tasks\"}' --in-flight 8"
    )]
    Http(BenchHttpArgs),
}

#[derive(Args, Clone)]
pub(crate) struct BenchRunsArgs {
    /// Steps in a run.
    #[arg(long, default_value_t = 5)]
    pub(crate) steps: usize,
    /// Runs in all.
    #[arg(long, default_value_t = 2000)]
    pub(crate) runs: usize,
    /// Runs at the same time.
    #[arg(long, default_value_t = 32)]
    pub(crate) in_flight: usize,
    /// What a step does.
    #[arg(long, value_enum, default_value = "record")]
    pub(crate) tools: Tools,
}

#[derive(Args, Clone)]
pub(crate) struct BenchUnderstandArgs {
    /// Tools in the vocabulary.
    #[arg(long, default_value_t = 1083)]
    pub(crate) tools: usize,
    /// Their phrases, in all.
    #[arg(long, default_value_t = 14_593)]
    pub(crate) phrases: usize,
    /// Utterances that are read.
    #[arg(long, default_value_t = 3000)]
    pub(crate) utterances: usize,
    /// An installed sentence encoder; without it, the built-in table.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Load this snapshot instead of compiling: how the benchmark asks itself, in a process that has compiled nothing.
    #[arg(long, hide = true)]
    pub(crate) snapshot: Option<std::path::PathBuf>,
}

#[derive(Args, Clone)]
pub(crate) struct BenchEntitiesArgs {
    /// Records with a name.
    #[arg(long, default_value_t = 100_000)]
    pub(crate) records: usize,
    /// Names that are looked up, of each kind.
    #[arg(long, default_value_t = 500)]
    pub(crate) lookups: usize,
}

#[derive(Args, Clone)]
pub(crate) struct BenchWaitingArgs {
    /// Runs that wait for a year.
    #[arg(long, default_value_t = 100_000)]
    pub(crate) runs: usize,
    /// Runs that wait for some seconds: how late they are woken is measured.
    #[arg(long, default_value_t = 200)]
    pub(crate) soon: usize,
}

#[derive(Args, Clone)]
pub(crate) struct BenchTimersArgs {
    /// Runs whose time comes in the same moment.
    #[arg(long, default_value_t = 100_000)]
    pub(crate) runs: usize,
}

#[derive(Args, Clone)]
pub(crate) struct BenchGrowthArgs {
    /// Stored runs at first.
    #[arg(long, default_value_t = 1000)]
    pub(crate) few: usize,
    /// Stored runs in the end.
    #[arg(long, default_value_t = 1_000_000)]
    pub(crate) many: usize,
    /// Runs that are measured at each size.
    #[arg(long, default_value_t = 5000)]
    pub(crate) runs: usize,
}

#[derive(Args, Clone)]
pub(crate) struct BenchVmArgs {
    /// Steps in a run.
    #[arg(long, default_value_t = 5)]
    pub(crate) steps: usize,
    /// Runs in all.
    #[arg(long, default_value_t = 100_000)]
    pub(crate) runs: usize,
}

#[derive(Args, Clone)]
pub(crate) struct BenchHttpArgs {
    /// Where to, `http://HOST:PORT/PATH`.
    pub(crate) url: String,
    /// What to send each time.
    #[arg(long, default_value = "{}", value_name = "JSON")]
    pub(crate) body: String,
    /// Requests in all.
    #[arg(long, default_value_t = 2000)]
    pub(crate) runs: usize,
    /// Requests at the same time.
    #[arg(long, default_value_t = 32)]
    pub(crate) in_flight: usize,
}
