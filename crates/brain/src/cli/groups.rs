//! Groups of commands. The old flat names still work; they are left out of the help.

use std::path::PathBuf;

use clap::Subcommand;
use clap_complete::Shell;

use super::{BackupArgs, BenchCommand, Command, EvalArgs, GcArgs, ReviewArgs, StoreCommand, TokenCommand};

/// Looking after a store and its tenants.
#[derive(Subcommand)]
pub(crate) enum AdminCommand {
    /// Erase and delete what has been kept long enough, as the configuration says.
    #[command(
        after_help = "Examples:\n  brain admin gc --config brain.yaml --dry-run     what would go\n  brain admin gc --config brain.yaml --all         for every tenant\n\nIn the configuration:\n  tenants:\n    \"*\": {keep: {payloads: 30d, runs: 365d}}\n\nA server with such a configuration does this once an hour by itself."
    )]
    Gc(GcArgs),
    /// List administrative actions on all tenants' data, newest first.
    Audit {
        /// How many at most.
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Upgrade the tables of the store. Every command does so when it opens the store; this does only that.
    Migrate {
        /// Say what would be done and change nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Copy a store to another one.
    #[command(subcommand)]
    Store(StoreCommand),
    /// Manage bearer tokens for the HTTP API.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Write the store into one file, while servers use it.
    Backup(BackupArgs),
    /// Make the store from a backup.
    Restore(BackupArgs),
}

/// Measuring and packaging.
#[derive(Subcommand)]
pub(crate) enum DevCommand {
    /// Measure how well requests are understood: a pack's corpus, or a data set.
    Eval(EvalArgs),
    /// Find the best understanding thresholds for the packs' tuning corpus. Changes nothing.
    Tune,
    /// Measure this machine.
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Write man pages into a folder.
    Man {
        /// The folder.
        folder: PathBuf,
    },
}

/// What can be done with one run.
#[derive(Subcommand)]
pub(crate) enum RunCommand {
    /// Show what happened in a run, step by step.
    Show {
        /// The run.
        run: String,
    },
    /// Say what a run waits for.
    Why {
        /// The run.
        run: String,
    },
    /// Rebuild the state of a run from its log and compare. Nothing is executed.
    Replay {
        /// The run.
        run: String,
    },
    /// Undo what a run did: staged first, with everything that will happen.
    #[command(
        after_help = "Examples:\n  brain runs undo RUN                 show what would be undone, last step first\n  brain runs undo RUN/s2              one step of it\n  brain runs undo RUN --yes           and do it at once\n\nRefused, by name, if someone changed a record since."
    )]
    Undo {
        /// The run, or RUN/STEP.
        run: String,
        /// Do it at once.
        #[arg(long)]
        yes: bool,
    },
    /// Stop a run. Finished steps stay.
    Cancel {
        /// The run.
        run: String,
    },
    /// Accept, correct or reject a result that waits for review.
    Review(ReviewArgs),
    /// Show how a request was expanded into steps.
    Expansion {
        /// The run.
        run: String,
    },
}

/// Shell completions.
#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: Shell,
}

impl From<AdminCommand> for Command {
    fn from(command: AdminCommand) -> Self {
        match command {
            AdminCommand::Gc(args) => Self::Gc(args),
            AdminCommand::Audit { limit } => Self::Audit { limit },
            AdminCommand::Migrate { dry_run } => Self::Migrate { dry_run },
            AdminCommand::Store(command) => Self::Store(command),
            AdminCommand::Token(command) => Self::Token(command),
            AdminCommand::Backup(args) => Self::Backup(args),
            AdminCommand::Restore(args) => Self::Restore(args),
        }
    }
}

impl From<RunCommand> for Command {
    fn from(command: RunCommand) -> Self {
        match command {
            RunCommand::Show { run } => Self::Inspect { run },
            RunCommand::Why { run } => Self::WhyWaiting { run },
            RunCommand::Replay { run } => Self::Replay { run },
            RunCommand::Undo { run, yes } => Self::Undo { run, yes },
            RunCommand::Cancel { run } => Self::Cancel { run },
            RunCommand::Review(args) => Self::Review(args),
            RunCommand::Expansion { run } => Self::Expansion { run },
        }
    }
}
