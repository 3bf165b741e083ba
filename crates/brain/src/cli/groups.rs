//! Groups of commands. The old flat names still work but are hidden from the help.

use std::path::PathBuf;

use clap::Subcommand;
use clap_complete::Shell;

use super::{BackupArgs, BenchCommand, Command, EvalArgs, GcArgs, RestoreArgs, ReviewArgs, StoreCommand, TokenCommand};

/// Managing the store and its tenants.
#[derive(Subcommand)]
pub(crate) enum AdminCommand {
    /// Apply the configured retention: erase payloads and delete runs past their retention period.
    #[command(
        after_help = "Examples:\n  brain admin gc --dry-run     show what would be deleted\n  brain admin gc --all         for every tenant\n\nIn brain.yaml:\n  tenants:\n    \"*\": {keep: {payloads: 30d, runs: 365d}}\n\nA server with such a configuration does this automatically, once an hour."
    )]
    Gc(GcArgs),
    /// List administrative actions on all tenants' data, newest first.
    Audit {
        /// Maximum number to list.
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Upgrade the tables of the store. Every command does this when it opens the store.
    #[command(
        after_help = "Examples:\n  brain admin migrate --dry-run             show what would change\n  brain admin migrate --store postgres://brain@db.internal/brain"
    )]
    Migrate {
        /// Show what would change, without changing it.
        #[arg(long)]
        dry_run: bool,
    },
    /// Copy one store to another.
    #[command(subcommand)]
    Store(StoreCommand),
    /// Manage bearer tokens for the HTTP API.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Back up the store to one file while servers keep running.
    #[command(
        after_help = "Examples:\n  brain admin backup brain-backup.db\n  brain admin backup nightly.db --force     overwrite the previous backup\n  brain admin backup b.db --store sqlite:/var/lib/brain/brain.db --json\n\nThe file is a consistent snapshot of the whole store, large values included. A store in PostgreSQL is backed up with pg_dump; this prints the command."
    )]
    Backup(BackupArgs),
    /// Restore the store from a backup.
    #[command(
        after_help = "Examples:\n  brain admin restore brain-backup.db\n  brain admin restore brain-backup.db --store sqlite:/var/lib/brain/brain.db\n  brain admin restore brain-backup.db --force    overwrite the existing store\n\nThe backup is verified first. The next server takes over runs with an external call in flight, as after a crash."
    )]
    Restore(RestoreArgs),
}

/// More about tools.
#[derive(Subcommand)]
pub(crate) enum ToolsCommand {
    /// Find a tool or playbook by candidate names: exact, then similar, then by synonym. The first name that matches wins.
    #[command(
        after_help = "Examples:\n  brain tools lookup create_task\n  brain tools lookup add_todo new_task --json\n\nA similar name is at least 80 % similar. Case, `_`, `-`, `.` and spaces make no difference."
    )]
    Lookup {
        /// Candidate names, the most likely first.
        #[arg(required = true, num_args = 1..=3, value_name = "NAME")]
        names: Vec<String>,
    },
}

/// Measuring and packaging.
#[derive(Subcommand)]
pub(crate) enum DevCommand {
    /// Measure how well requests are understood, on a pack's corpus or a data set.
    #[command(
        after_help = "Examples:\n  brain dev eval                          the corpus of the built-in pack\n  brain dev eval --pack packs/shop --json > before.json\n  brain dev eval --pack packs/shop --compare before.json\n  brain dev eval --teach-file more.yaml   write failures as phrases to teach\n  brain dev eval --train train.tsv --test test.tsv --oos oos.tsv\n  brain dev eval --train train.tsv --test test.tsv --shots 5 --draws 5\n  brain dev eval --frames --train train.jsonl --test test.jsonl"
    )]
    Eval(EvalArgs),
    /// Find the thresholds that work best on the packs' tuning corpus. Changes nothing.
    Tune,
    /// Measure this machine.
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Write man pages into a folder.
    Man {
        /// Folder to write the pages to.
        folder: PathBuf,
    },
    /// Print the reference of all commands, as Markdown.
    #[command(hide = true)]
    Reference,
}

/// Commands about one run.
#[derive(Subcommand)]
pub(crate) enum RunCommand {
    /// Show what happened in a run, step by step.
    Show {
        /// Id of the run, as `brain runs` lists it.
        run: String,
    },
    /// Show what a run is waiting for.
    Why {
        /// Id of the run, as `brain runs` lists it.
        run: String,
    },
    /// Rebuild the state of a run from its log and compare. Nothing is executed.
    Replay {
        /// Id of the run, as `brain runs` lists it.
        run: String,
    },
    /// Undo a run: shows the plan first, `--yes` executes it.
    #[command(
        after_help = "Examples:\n  brain runs undo RUN                 show what would be undone, last step first\n  brain runs undo RUN/s2              undo one step\n  brain runs undo RUN --yes           undo without asking\n\nRefused if a record has changed since; the error names the record."
    )]
    Undo {
        /// The run, or RUN/STEP.
        run: String,
        /// Undo without asking first.
        #[arg(long)]
        yes: bool,
    },
    /// Cancel a run. Finished steps are not undone.
    Cancel {
        /// Id of the run, as `brain runs` lists it.
        run: String,
    },
    /// Accept, correct or reject a result that waits for review.
    #[command(
        after_help = "Examples:\n  brain runs review RUN                    show the result\n  brain runs review RUN --accept           continue\n  brain runs review RUN --set name=Acme    correct a field and continue\n  brain runs review RUN --reject --note \"wrong form\""
    )]
    Review(ReviewArgs),
    /// Show how a request was expanded into steps.
    Expansion {
        /// Id of the run, as `brain runs` lists it.
        run: String,
    },
}

/// Shell completions.
#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell to write completions for.
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
