//! The command line of understanding.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Args)]
pub(crate) struct EvalArgs {
    /// Phrases to learn from: rows of `intent<TAB>text`. Without it, the packs' held-out corpus is read.
    #[arg(long, value_name = "FILE", requires = "test")]
    pub(crate) train: Option<PathBuf>,
    /// Utterances to read: rows of `intent<TAB>text`.
    #[arg(long, value_name = "FILE", requires = "train")]
    pub(crate) test: Option<PathBuf>,
    /// Utterances that no intent answers.
    #[arg(long, value_name = "FILE", requires = "train")]
    pub(crate) oos: Option<PathBuf>,
    /// Learn from so many phrases of each intent only, drawn at random.
    #[arg(long, value_name = "N", requires = "train")]
    pub(crate) shots: Option<usize>,
    /// Draw so often; figures are means.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "shots")]
    pub(crate) draws: u64,
    /// What tells how texts are alike; `transformer` is the model that --model names, or the only one. [default:
    /// transformer with --model, else static]
    #[arg(long, value_enum)]
    pub(crate) tier: Option<TierArg>,
    /// The part of the packs' corpus that is read. [default: test; with --teach-file: tune]
    #[arg(long, value_enum, conflicts_with = "train")]
    pub(crate) set: Option<SetArg>,
    /// Say what got better and what got worse since this report (written with --json).
    #[arg(long, value_name = "FILE", conflicts_with = "train")]
    pub(crate) compare: Option<PathBuf>,
    /// Write what was asked about or read wrongly as phrases for `brain teach --file`, to be looked through. Of the tuning
    /// rows: what is taught from the test rows is not measured by them any more, so that takes `--set test`.
    #[arg(long, value_name = "FILE", conflicts_with = "train")]
    pub(crate) teach_file: Option<PathBuf>,
}

/// What tells how texts are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TierArg {
    /// The table in the binary.
    Static,
    /// An installed sentence encoder.
    Transformer,
}

/// A part of a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SetArg {
    /// What measures.
    Test,
    /// What sets thresholds.
    Tune,
}

#[derive(Args)]
pub(crate) struct TeachArgs {
    /// What people say, with `{slots}` where values stand. Without it, what was taught is listed.
    #[arg(requires = "target", conflicts_with = "file")]
    pub(crate) phrase: Option<String>,
    /// The tool or playbook that it asks for.
    pub(crate) target: Option<String>,
    /// For you only, not for everybody of the tenant.
    #[arg(long)]
    pub(crate) own: bool,
    /// Take it away from the tool or playbook that it belongs to.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Many at once: a YAML list of `{phrase, target}`.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct UnteachArgs {
    /// The phrase.
    pub(crate) phrase: String,
    /// Why.
    #[arg(long, default_value = "")]
    pub(crate) why: String,
}
