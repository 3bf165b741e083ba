//! The command line.

mod bench;
mod groups;
mod learning;
mod model;
mod pack;
mod understanding;

use brain_core::{ContractStatus, RunStatus, StatusError};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use self::bench::{BenchCommand, BenchRunsArgs};
pub(crate) use self::groups::{AdminCommand, CompletionsArgs, DevCommand, RunCommand};
pub(crate) use self::learning::{CorrectArgs, DecideArgs, LearningArgs, LearningCommand, RejectArgs, StateArg};
pub(crate) use self::model::{InstallArgs, ModelCommand};
pub(crate) use self::pack::{
    DocsArgs, ImportCommand, ImportDmnArgs, ImportPlaybookArgs, ImportRegistryArgs, PackCommand, SchemaArgs,
};
pub(crate) use self::understanding::{EvalArgs, SetArg, TeachArgs, TierArg, UnteachArgs};

/// Turns what people ask, in plain language, into work that gets done: safely, durably, with a receipt for everything.
#[derive(Parser)]
#[command(
    version,
    about,
    after_help = "Examples:\n  brain demo                                  see it work\n  brain do \"create task: Call Bob\"            one request\n  brain serve --addr 127.0.0.1:7700           HTTP API\n  brain pack new shop && brain pack check shop\n\nExit codes: 0 done, 1 not done (failed, not understood, a question is open), 2 wrong usage.",
    propagate_version = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Args, Clone)]
pub(crate) struct Global {
    /// Where runs and records are kept: `sqlite:PATH`, `postgres://USER@HOST/DATABASE`, or `memory:` for nothing that
    /// lasts.
    /// [default: sqlite: in the user's data folder]
    #[arg(long, global = true, env = "BRAIN_STORE", value_name = "URL", hide_env_values = true)]
    pub(crate) store: Option<String>,
    /// How this server is run: slots, and what each tenant may use and keep. See the operations guide.
    #[arg(long, global = true, env = "BRAIN_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// A pack to load; may be given more than once. In the environment, `:` separates several.
    /// [default: the built-in `trades` pack]
    #[arg(long = "pack", global = true, value_name = "DIR", env = "BRAIN_PACK", value_delimiter = ':')]
    pub(crate) packs: Vec<PathBuf>,
    /// Whose data.
    #[arg(long, global = true, env = "BRAIN_TENANT", value_name = "NAME", help = "Whose data. [default: default]")]
    pub(crate) tenant: Option<String>,
    /// The installed sentence encoder that tells how texts are alike. [default: the table in the binary]
    #[arg(long, global = true, env = "BRAIN_MODEL", value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Who asks: caps, consent and the log go by this name. [default: local]
    #[arg(long = "as", global = true, env = "BRAIN_AS", value_name = "NAME", hide_short_help = true)]
    pub(crate) acting_as: Option<String>,
    /// Machine-readable output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only the answer.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_short_help = true)]
    pub(crate) color: ColorArg,
    /// Let tools call loopback and private addresses that their pack declares.
    #[arg(long, global = true)]
    pub(crate) allow_private_hosts: bool,
    /// How other systems reach this server; callbacks are addressed to it.
    #[arg(long, global = true, env = "BRAIN_PUBLIC_URL", value_name = "URL", hide_short_help = true)]
    pub(crate) public_url: Option<String>,
    /// How log lines on standard error are written. Levels are set with BRAIN_LOG, such as `warn,brain_engine=debug`.
    #[arg(long, global = true, env = "BRAIN_LOG_FORMAT", value_enum, default_value = "text", hide_short_help = true)]
    pub(crate) log_format: LogFormatArg,
    /// Whether nothing is started: set by `serve --paused`.
    #[arg(skip)]
    pub(crate) paused: bool,
}

/// How log lines are written.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum LogFormatArg {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Global {
    /// Whose data.
    pub(crate) fn tenant(&self) -> &str {
        self.tenant.as_deref().unwrap_or("default")
    }
}

/// When to use colours.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ColorArg {
    /// In a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// One request in plain words.
    #[command(
        after_help = "Examples:\n  brain do \"create task: Call Bob\"\n  brain do \"new lead: Bob Smith 0412 345 678 in Parramatta\" --mode plan\n  brain do \"list leads\" --json"
    )]
    Do(DoArgs),
    /// Serve the HTTP API.
    #[command(
        after_help = "Examples:\n  brain serve\n  brain serve --store sqlite:shop.db --pack packs/shop --addr 127.0.0.1:7700\n\nAnything but a loopback address needs bearer tokens: make one first with `brain token new`."
    )]
    Serve(ServeArgs),
    /// See it work: a short story on the built-in pack, then a server to try.
    Demo(DemoArgs),
    /// List runs, newest first; decide about those that are stuck.
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  brain runs --status waiting\n  brain runs parked                   what waits for a person because it went wrong\n  brain runs retry RUN                try again what failed\n  brain runs skip RUN                 go on without it\n  brain runs abort RUN                give it up"
    )]
    Runs(RunsArgs),
    /// Say how an utterance is understood, or why a run did what it did. Nothing is done.
    #[command(
        after_help = "Examples:\n  brain explain \"pls creat a task for bob\"\n  brain explain \"remove lead 5\" --json\n  brain explain RUN                           how the request of this run was read, from what it kept"
    )]
    Explain {
        /// What somebody might say, or the id of a run.
        #[arg(value_name = "TEXT|RUN")]
        text: String,
    },
    /// Measure how well utterances are understood: a pack's corpus, or a data set.
    #[command(
        hide = true,
        after_help = "Examples:\n  brain eval                                  the corpus of the built-in pack\n  brain eval --pack packs/shop --json > before.json\n  brain eval --pack packs/shop --compare before.json\n  brain eval --teach-file more.yaml           what failed, as phrases for `brain teach --file`\n  brain eval --train train.tsv --test test.tsv --oos oos.tsv\n  brain eval --train train.tsv --test test.tsv --shots 5 --draws 5"
    )]
    Eval(EvalArgs),
    /// Try thresholds of understanding on the packs' tuning corpus; say which are best. Changes nothing.
    #[command(hide = true)]
    Tune,
    /// Teach a phrase: what people here say for a tool or playbook. Used at once.
    #[command(
        after_help = "Examples:\n  brain teach \"ring {title}\" os.create_task\n  brain teach \"my jobs\" os.list_tasks --own\n  brain teach --file phrases.yaml\n  brain teach                                 what was taught\n\nA phrase that belongs to another tool is taken away from it only with --replace. Everything is audited."
    )]
    Teach(TeachArgs),
    /// Take back a phrase that was taught.
    #[command(after_help = "Examples:\n  brain unteach \"ring {title}\" --why \"too general\"")]
    Unteach(UnteachArgs),
    /// Review and promote phrases learned from real requests.
    #[command(
        after_help = "Examples:\n  brain learning                              how it goes, and what waits for a person\n  brain learning candidates                   what people say that is no phrase yet\n  brain learning correct RUN --meant TOOL     it was read wrongly\n  brain learning run --dry-run                what would be learned\n\nNothing is learned that makes a corpus worse: the packs' own, or what people here corrected."
    )]
    Learning(LearningArgs),
    /// Say what a run waits for.
    #[command(hide = true)]
    WhyWaiting {
        /// The run.
        run: String,
    },
    /// Show what happened in a run, step by step.
    #[command(hide = true)]
    Inspect {
        /// The run.
        run: String,
    },
    /// Rebuild the state of a run from its log and compare. Nothing is executed.
    #[command(hide = true)]
    Replay {
        /// The run.
        run: String,
    },
    /// Say yes or no to what waits for approval; without an id, list it.
    #[command(
        after_help = "Examples:\n  brain approve                       what waits\n  brain approve ID                    run it\n  brain approve ID --reject --note \"wrong customer\""
    )]
    Approve(ApproveArgs),
    /// Take back what a run did: staged first, with everything that will happen.
    #[command(
        hide = true,
        after_help = "Examples:\n  brain undo RUN                      show what would be taken back, last step first\n  brain undo RUN/s2                   one step of it\n  brain undo RUN --yes                and do it at once\n\nRefused, by name, if someone changed a record since."
    )]
    Undo {
        /// The run, or RUN/STEP.
        run: String,
        /// Do it at once.
        #[arg(long)]
        yes: bool,
    },
    /// Look at a result that a run has put before you, and say what becomes of it.
    #[command(
        hide = true,
        after_help = "Examples:\n  brain review RUN                    what waits\n  brain review RUN --accept           go on\n  brain review RUN --set name=Acme    go on with this corrected\n  brain review RUN --reject --note \"wrong form\""
    )]
    Review(ReviewArgs),
    /// Show how a request was expanded into steps: digests, policy, records in the order of their locks.
    #[command(hide = true)]
    Expansion {
        /// The run.
        run: String,
    },
    /// Stop a run. What was done stays.
    #[command(hide = true)]
    Cancel {
        /// The run.
        run: String,
    },
    /// Steps that failed for good or whose outcome is in doubt.
    #[command(subcommand)]
    Dlq(DlqCommand),
    /// Files and other large values.
    #[command(subcommand)]
    Blob(BlobCommand),
    /// Bearer tokens for the HTTP API.
    #[command(subcommand, hide = true)]
    Token(TokenCommand),
    /// Write, check and test packs.
    #[command(subcommand)]
    Pack(PackCommand),
    /// Sentence encoders beside the built-in table.
    #[command(subcommand)]
    Model(ModelCommand),
    /// List, show and reindex records.
    #[command(subcommand)]
    Records(RecordsCommand),
    /// Erase and delete what has been kept long enough, as the configuration says.
    #[command(
        hide = true,
        after_help = "Examples:\n  brain gc --config brain.yaml --dry-run     what would go\n  brain gc --config brain.yaml --all         for every tenant\n  brain gc --config brain.yaml --all --compact\n\nIn the configuration:\n  tenants:\n    \"*\": {keep: {payloads: 30d, runs: 365d}}\n\nA server with such a configuration does this once an hour by itself."
    )]
    Gc(GcArgs),
    /// Who did what to everyone's data: newest first.
    #[command(hide = true)]
    Audit {
        /// How many at most.
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Move everything from one store to another.
    #[command(subcommand, hide = true)]
    Store(StoreCommand),
    /// Write the store into one file, while servers use it.
    #[command(
        hide = true,
        after_help = "Examples:\n  brain backup brain-backup.db\n  brain backup nightly.db --force     replace the last one\n  brain backup b.db --store sqlite:/var/lib/brain/brain.db --json\n\nThe file is a whole store as it was at one moment, large values included. A store in PostgreSQL is backed up with pg_dump;\nthis prints the command."
    )]
    Backup(BackupArgs),
    /// Make the store from a backup.
    #[command(
        hide = true,
        after_help = "Examples:\n  brain restore brain-backup.db\n  brain restore brain-backup.db --store sqlite:/var/lib/brain/brain.db\n  brain restore brain-backup.db --force    replace what is there\n\nThe backup is checked first. Runs whose outside call was under way are taken over by the next server, as after a crash."
    )]
    Restore(BackupArgs),
    /// Have a running server load its packs again, without a restart.
    #[command(
        after_help = "Examples:\n  brain reload\n  brain reload --server http://127.0.0.1:7701\n\nThe server reads the folders that it was started with. If a pack has an error, nothing changes. Runs under way keep\nthe definitions that they were planned with. Sending the server SIGHUP does the same; its log says what came of it."
    )]
    Reload(ReloadArgs),
    /// List tools and playbooks, or show one of them.
    #[command(
        after_help = "Examples:\n  brain tools                                 what can be asked for\n  brain tools os.create_task                  its inputs, phrases and effect"
    )]
    Tools {
        /// A tool or playbook.
        name: Option<String>,
    },
    /// Look after a store: backup, restore, gc, audit, migrate, copy, tokens.
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Measure understanding and this machine; write man pages.
    #[command(subcommand)]
    Dev(DevCommand),
    /// Print shell completions.
    #[command(
        after_help = "Examples:\n  brain completions bash > /etc/bash_completion.d/brain\n  brain completions zsh > \"${fpath[1]}/_brain\"\n  brain completions fish > ~/.config/fish/completions/brain.fish"
    )]
    Completions(CompletionsArgs),
    /// Check that everything Brain needs is in order.
    Doctor,
    /// Bring the tables of the store up to date. Every command does so when it opens the store; this does only that.
    #[command(
        hide = true,
        after_help = "Examples:\n  brain migrate --dry-run             what would be done\n  brain migrate --store postgres://brain@db.internal/brain"
    )]
    Migrate {
        /// Say what would be done and change nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Measure this machine.
    #[command(subcommand, hide = true)]
    Bench(BenchCommand),
}

/// What to do with a request.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ModeArg {
    /// Say what would be done.
    #[value(name = "answer")]
    Answer,
    /// Prepare it for approval.
    #[value(name = "plan")]
    Plan,
    /// Do it, do not wait.
    #[value(name = "enqueue")]
    Enqueue,
    /// Do it and wait.
    #[value(name = "enqueue_and_wait")]
    EnqueueAndWait,
}

#[derive(Args)]
pub(crate) struct DoArgs {
    /// What should be done; `-` reads it from standard input.
    pub(crate) message: String,
    /// What to do with it.
    #[arg(long, value_enum, default_value = "enqueue_and_wait")]
    pub(crate) mode: ModeArg,
    /// The conversation it belongs to.
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Values that fill slots of the same name, as a JSON object.
    #[arg(long, value_name = "JSON")]
    pub(crate) context: Option<String>,
    /// Tool calls at most.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) max_tool_calls: u32,
    /// How long to wait for receipts.
    #[arg(long, default_value_t = 30_000, value_name = "MS")]
    pub(crate) wait_timeout_ms: u64,
    /// The same key never does the same twice.
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// A file that comes with it; fills an input of type `file`. May be given several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Vec<PathBuf>,
    /// What it may cost at most, in the currency of the settings.
    #[arg(long, value_name = "AMOUNT")]
    pub(crate) max_cost: Option<String>,
    /// What several requests in one message are to each other.
    #[arg(long, value_enum, default_value = "plain")]
    pub(crate) policy: PolicyArg,
}

/// What several requests in one message are to each other.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum PolicyArg {
    /// One after the other; the first failure stops the run.
    Plain,
    /// All of them in one commit, or none of them.
    Atomic,
    /// Each is tried, whatever becomes of the others.
    BestEffort,
}

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// Where to listen.
    #[arg(long, default_value = "127.0.0.1:7700")]
    pub(crate) addr: SocketAddr,
    /// Listen on another address than loopback although the store has no token yet: nobody gets in until one is made.
    #[arg(long)]
    pub(crate) without_tokens: bool,
    /// The largest file that is taken in, in mebibytes.
    #[arg(long, default_value_t = 1024, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=262_144))]
    pub(crate) max_blob_mib: u64,
    /// Look first: nothing is started, woken or taken over until somebody says so.
    #[arg(long)]
    pub(crate) paused: bool,
    /// How long to wait for outside calls under way after SIGTERM or Ctrl-C; a second signal ends at once. Default: `drain`
    /// of the configuration, or 30s.
    #[arg(long, value_name = "DURATION")]
    pub(crate) drain: Option<brain_core::Millis>,
    /// POST a notification to this address for each dead letter, approval and review. Also `notify` in the configuration.
    #[arg(long, env = "BRAIN_NOTIFY_WEBHOOK", value_name = "URL", hide_env_values = true)]
    pub(crate) notify_webhook: Option<String>,
    /// The secret that signs notifications: `env:NAME` or `file:PATH`.
    #[arg(long, value_name = "REF")]
    pub(crate) notify_secret: Option<String>,
    /// Run this shell command for each of them, with the notification on its standard input.
    #[arg(long, env = "BRAIN_NOTIFY_COMMAND", value_name = "COMMAND", hide_env_values = true)]
    pub(crate) notify_command: Option<String>,
}

#[derive(Args)]
pub(crate) struct ReloadArgs {
    /// The server.
    #[arg(long, env = "BRAIN_SERVER", value_name = "URL", default_value = "http://127.0.0.1:7700")]
    pub(crate) server: String,
    /// A token with the permission `admin`; not needed on the machine of the server.
    #[arg(long, env = "BRAIN_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
}

#[derive(Args)]
pub(crate) struct BackupArgs {
    /// The backup.
    pub(crate) file: PathBuf,
    /// Replace what is there.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct GcArgs {
    /// Only say what would go.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Every tenant; it is noted in the audit. Without this: the one of --tenant.
    #[arg(long)]
    pub(crate) all: bool,
    /// Afterwards, give free space back to the file system.
    #[arg(long)]
    pub(crate) compact: bool,
    /// How long a large value that nothing refers to is kept: a day, but tests cannot wait that long.
    #[arg(long, hide = true, value_name = "DURATION")]
    pub(crate) blob_grace: Option<brain_core::Millis>,
}

#[derive(Subcommand)]
pub(crate) enum RecordsCommand {
    /// List records of a type, newest first.
    #[command(after_help = "Examples:\n  brain records list lead\n  brain records list lead --state won --json")]
    List(ListRecordsArgs),
    /// Show one record.
    Get {
        /// The record type.
        #[arg(value_name = "TYPE")]
        record_type: String,
        /// The record.
        id: String,
    },
    /// Index older records anew, after a pack has changed what records are found by: label, aliases, identifiers, keys,
    /// indexed fields, search.
    #[command(
        after_help = "Examples:\n  brain records reindex --dry-run            how many are behind\n  brain records reindex lead\n  brain records reindex --all                for every tenant\n\nThe records themselves stay as they are. It may be stopped and run again, also while a server works: start the server\nwith the new pack first."
    )]
    Reindex(ReindexArgs),
}

#[derive(Args)]
pub(crate) struct ListRecordsArgs {
    /// The record type.
    #[arg(value_name = "TYPE")]
    pub(crate) record_type: String,
    /// Only records in this state.
    #[arg(long)]
    pub(crate) state: Option<String>,
    /// How many at most.
    #[arg(long, default_value_t = 50)]
    pub(crate) limit: usize,
    /// Where the last list ended.
    #[arg(long)]
    pub(crate) cursor: Option<String>,
}

#[derive(Args)]
pub(crate) struct ReindexArgs {
    /// The record type. [default: all of them]
    #[arg(value_name = "TYPE")]
    pub(crate) record_type: Option<String>,
    /// Only count.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Every tenant; it is noted in the audit. Without this: the one of --tenant.
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Subcommand)]
pub(crate) enum StoreCommand {
    /// Copy everything, or one tenant, into another store, and compare.
    #[command(
        after_help = "Examples:\n  brain store copy sqlite:brain.db postgres://brain@db/brain\n  brain store copy postgres://brain@db/brain sqlite:acme.db --tenant acme\n  brain store copy sqlite:brain.db sqlite:new.db --dry-run\n\nStop the servers of the source first. The source is only read; its audit notes the copy."
    )]
    Copy(CopyArgs),
}

#[derive(Args)]
pub(crate) struct CopyArgs {
    /// Where it is.
    pub(crate) from: String,
    /// Where it shall be; a tenant that has anything there is refused.
    pub(crate) to: String,
    /// Only say what would be copied.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Go on with a copy that was interrupted: what is there is left as it is.
    #[arg(long = "continue")]
    pub(crate) go_on: bool,
    /// Copy although a process works on the source: what it does meanwhile may be missing.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct DemoArgs {
    /// Tell the story and end.
    #[arg(long)]
    pub(crate) once: bool,
    /// Where to listen afterwards.
    #[arg(long, default_value = "127.0.0.1:7700")]
    pub(crate) addr: SocketAddr,
}

#[derive(Args)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,
    /// Only runs with this status.
    #[arg(long, value_parser = one_of::<RunStatus>(RunStatus::ALL.iter().map(|status| status.as_str())))]
    pub(crate) status: Option<RunStatus>,
    /// Only runs with this status in the words of the run contract.
    #[arg(long, conflicts_with = "status", value_parser = one_of::<ContractStatus>(ContractStatus::ALL.iter().map(|status| status.as_str())))]
    pub(crate) contract_status: Option<ContractStatus>,
    /// How many at most.
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: usize,
    /// Where the last list ended.
    #[arg(long)]
    pub(crate) cursor: Option<String>,
}

/// Reads a status by its name and lists the names in the help.
fn one_of<T: FromStr<Err = StatusError> + Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

/// What becomes of runs that are stuck.
#[derive(Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs that wait for a person: failures, plans to decide about, questions to answer.
    Parked {
        /// How many at most.
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Try again what failed, with the same keys; or read again what could not be read.
    Retry(StuckArgs),
    /// Go on without what failed.
    Skip(StuckArgs),
    /// Give it up. What was done stays.
    Abort(StuckArgs),
    #[command(flatten)]
    One(RunCommand),
    /// Move runs that are under way to what the packs say now. A deploy never does that by itself.
    #[command(
        after_help = "Examples:\n  brain runs migrate --playbook shop.order --dry-run\n  brain runs migrate --playbook shop.order --map pack=wrap --map label=\n  brain runs migrate RUN\n\nWhat has begun goes on in the new version; nothing is done again. A run that cannot be moved says why and stays."
    )]
    Migrate {
        /// The runs.
        #[arg(required_unless_present = "playbook")]
        runs: Vec<String>,
        /// All runs of this playbook that are under way.
        #[arg(long, conflicts_with = "runs")]
        playbook: Option<String>,
        /// A step with another name in the new version: OLD=NEW; OLD= if it is not there any more.
        #[arg(long = "map", value_name = "OLD=NEW")]
        map: Vec<String>,
        /// Say what would be done, and change nothing.
        #[arg(long)]
        dry_run: bool,
        /// How many at most.
        #[arg(long, default_value_t = 100_000)]
        limit: usize,
    },
}

#[derive(Args)]
pub(crate) struct StuckArgs {
    /// The run.
    pub(crate) run: String,
    /// Why.
    #[arg(long, default_value = "")]
    pub(crate) note: String,
}

#[derive(Args)]
pub(crate) struct ReviewArgs {
    /// The run.
    pub(crate) run: String,
    /// The step, if several wait.
    #[arg(long)]
    pub(crate) step: Option<String>,
    /// Let it go on as it is.
    #[arg(long, conflicts_with = "reject")]
    pub(crate) accept: bool,
    /// Let it go on with a field replaced: JSON, or text as it is. May be given several times.
    #[arg(long = "set", value_name = "FIELD=VALUE", conflicts_with = "reject")]
    pub(crate) corrections: Vec<String>,
    /// It is no good.
    #[arg(long)]
    pub(crate) reject: bool,
    /// Why, for the log.
    #[arg(long, default_value = "")]
    pub(crate) note: String,
}

#[derive(Args)]
pub(crate) struct ApproveArgs {
    /// The approval, or the run that waits for it.
    pub(crate) id: Option<String>,
    /// Say no.
    #[arg(long)]
    pub(crate) reject: bool,
    /// The digest you were shown: if it is not that of the approval, nothing is decided.
    #[arg(long)]
    pub(crate) digest: Option<String>,
    /// Why.
    #[arg(long, default_value = "")]
    pub(crate) note: String,
}

#[derive(Subcommand)]
pub(crate) enum DlqCommand {
    /// What waits for a person.
    List {
        /// Also what has been decided.
        #[arg(long)]
        all: bool,
        /// How many at most.
        #[arg(long, default_value_t = 20)]
        limit: usize,
        /// Where the last list ended.
        #[arg(long)]
        cursor: Option<String>,
    },
    /// One letter with its history.
    Show {
        /// The letter.
        id: String,
    },
    /// Try again, with the same idempotency key: one letter, or many.
    #[command(
        after_help = "Examples:\n  brain dlq retry ID\n  brain dlq retry --tool texts.send --dry-run\n  brain dlq retry --tool texts.send --since 2h\n  brain dlq retry --all\n\nOf many, a call that may have happened and must not be repeated is skipped."
    )]
    Retry {
        /// The letter.
        #[arg(required_unless_present_any = ["tool", "since", "all"], conflicts_with_all = ["tool", "since", "all", "dry_run"])]
        id: Option<String>,
        /// All open letters of this tool.
        #[arg(long, value_name = "TOOL")]
        tool: Option<String>,
        /// All open letters since: a duration such as `2h`, or a moment such as `2026-03-02T09:00:00Z`.
        #[arg(long, value_name = "WHEN")]
        since: Option<String>,
        /// All open letters.
        #[arg(long)]
        all: bool,
        /// Only say what would be retried.
        #[arg(long)]
        dry_run: bool,
        /// Why.
        #[arg(long, default_value = "")]
        note: String,
    },
    /// Close it by hand.
    Resolve {
        /// The letter.
        id: String,
        /// What was done about it.
        #[arg(long)]
        note: String,
        /// `skip`: go on without it. `done`: go on as if it had succeeded. `abandon`: give it up.
        #[arg(long, value_enum, default_value = "skip")]
        outcome: OutcomeArg,
        /// With `done`: the result, as JSON.
        #[arg(long, value_name = "JSON")]
        result: Option<String>,
    },
    /// Hand it to someone; it stays open.
    Escalate {
        /// The letter.
        id: String,
        /// To whom.
        #[arg(long)]
        to: String,
        /// Why.
        #[arg(long, default_value = "")]
        note: String,
    },
}

/// How a letter is closed by hand.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum OutcomeArg {
    /// Go on without it.
    Skip,
    /// Go on as if it had succeeded.
    Done,
    /// Give it up: `on_failure` decides.
    Abandon,
}

#[derive(Subcommand)]
pub(crate) enum BlobCommand {
    /// Store a file; its hash is its name from then on.
    #[command(
        after_help = "Examples:\n  brain blob put photo.jpg\n  brain blob put export.dat --media-type text/csv --json\n  tar c folder | brain blob put - --media-type application/x-tar"
    )]
    Put {
        /// The file; `-` is standard input.
        file: PathBuf,
        /// What it is. [default: by the end of the file's name]
        #[arg(long, value_name = "TYPE")]
        media_type: Option<String>,
    },
    /// Write a file out: to standard output, or to a file.
    #[command(
        after_help = "Examples:\n  brain blob get HASH > photo.jpg\n  brain blob get HASH -o photo.jpg --json\n\nHASH is what `brain blob put` has shown, or what stands after `$blob` in a reference."
    )]
    Get {
        /// Its SHA-256, 64 hexadecimal digits.
        hash: String,
        /// Where to; replaced if it is there.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

#[derive(Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token; it is shown once.
    New {
        /// What it is for.
        #[arg(long, default_value = "token")]
        label: String,
        /// It may approve what needs an approver.
        #[arg(long)]
        approver: bool,
        /// A permission it has; may be given several times. Without any it has all.
        #[arg(long = "permission", value_name = "NAME")]
        permissions: Vec<String>,
        /// The tier of whoever holds it; without one, any.
        #[arg(long)]
        tier: Option<String>,
        /// When it ends, such as `30d`.
        #[arg(long, value_name = "DURATION")]
        expires_in: Option<String>,
    },
    /// All tokens.
    List,
    /// Take one back.
    Revoke {
        /// The public half: what `brain token list` shows.
        id: String,
    },
}
