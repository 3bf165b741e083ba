//! The command line of understanding.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Args)]
pub(crate) struct EvalArgs {
    /// Training phrases: rows of `intent<TAB>text`. [default: evaluate the packs' held-out corpus]
    #[arg(long, value_name = "FILE", requires = "test")]
    pub(crate) train: Option<PathBuf>,
    /// Test utterances: rows of `intent<TAB>text`.
    #[arg(long, value_name = "FILE", requires = "train")]
    pub(crate) test: Option<PathBuf>,
    /// Out-of-scope utterances.
    #[arg(long, value_name = "FILE", requires = "train")]
    pub(crate) oos: Option<PathBuf>,
    /// Measure slots too: `--train` and `--test` are files with one JSON object per line, `{"text", "intent", "slots":
    /// [{"name", "start", "end"}]}`, whose positions count characters.
    #[arg(long, requires = "train", conflicts_with_all = ["oos", "shots", "draws"])]
    pub(crate) frames: bool,
    /// Write what was understood, one JSON object per test row: `{"intent", "slots"}`.
    #[arg(long, value_name = "FILE", requires = "frames")]
    pub(crate) predictions: Option<PathBuf>,
    /// Few-shot: train on N random phrases per intent.
    #[arg(long, value_name = "N", requires = "train")]
    pub(crate) shots: Option<usize>,
    /// Number of random draws; figures are means.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "shots")]
    pub(crate) draws: u64,
    /// Embedding backend; `transformer` uses the model named by --model, or the only one installed. [default:
    /// transformer with --model, else static]
    #[arg(long, value_enum)]
    pub(crate) tier: Option<TierArg>,
    /// Part of the packs' corpus to evaluate. [default: test; with --teach-file: tune]
    #[arg(long, value_enum, conflicts_with = "train")]
    pub(crate) set: Option<SetArg>,
    /// Compare with an earlier report (written with --json).
    #[arg(long, value_name = "FILE", conflicts_with = "train")]
    pub(crate) compare: Option<PathBuf>,
    /// Write misunderstood rows as phrases for `brain teach --file`, for review. Uses the tuning rows; `--set test` uses
    /// the test rows; once taught, they can no longer be used for measuring.
    #[arg(long, value_name = "FILE", conflicts_with = "train")]
    pub(crate) teach_file: Option<PathBuf>,
}

/// Embedding backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TierArg {
    /// The built-in embedding table.
    Static,
    /// An installed sentence encoder.
    Transformer,
}

/// A part of a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SetArg {
    /// Held out for measuring.
    Test,
    /// For choosing thresholds.
    Tune,
}

#[derive(Args)]
pub(crate) struct TeachArgs {
    /// The phrase, with `{slots}` for values. Without it, taught phrases are listed.
    #[arg(requires = "target", conflicts_with = "file")]
    pub(crate) phrase: Option<String>,
    /// The tool or playbook that the phrase means.
    pub(crate) target: Option<String>,
    /// Teach it only for yourself, not for the whole tenant.
    #[arg(long)]
    pub(crate) own: bool,
    /// If another tool or playbook has the phrase, move it to this one.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Teach many phrases: a YAML list of `{phrase, target}`.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct UnteachArgs {
    /// The phrase, as it is listed.
    pub(crate) phrase: String,
    /// Reason, for the log.
    #[arg(long, alias = "why", default_value = "", hide_default_value = true)]
    pub(crate) note: String,
}
