//! The command line.

mod bench;
mod groups;
mod learning;
mod model;
#[cfg(test)]
mod named_tests;
mod pack;
mod settle;
mod understanding;

use brain_core::{ContractStatus, RunStatus, StatusError};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Deserialize;

use crate::config::{Config, Given, Settings};

pub(crate) use self::bench::{BenchCommand, BenchRunsArgs};
pub(crate) use self::groups::{AdminCommand, CompletionsArgs, DevCommand, RunCommand, ToolsCommand};
pub(crate) use self::learning::{CorrectArgs, DecideArgs, LearningArgs, LearningCommand, RejectArgs, StateArg};
pub(crate) use self::model::{InstallArgs, ModelCommand};
pub(crate) use self::pack::{
    DocsArgs, ImportCommand, ImportDmnArgs, ImportPlaybookArgs, ImportRegistryArgs, PackCommand, SchemaArgs,
};
pub(crate) use self::understanding::{EvalArgs, SetArg, TeachArgs, TierArg, UnteachArgs};

/// Turns plain-language requests into durable work, with a receipt for every step.
#[derive(Parser)]
#[command(
    version,
    about,
    after_help = "Examples:\n  brain demo                                  see it work\n  brain do \"create task: Call Bob\"            one request\n  brain serve --addr 127.0.0.1:7700           HTTP API\n  brain pack new shop && brain pack check shop\n\nExit codes: 0 done, 1 not done (failed, not understood, a question is open), 2 usage error.",
    propagate_version = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command accepts. Most are keys of the configuration too; [`Cli::settle`] fills those that were not
/// given from the environment and from `brain.yaml`.
#[derive(Args, Clone)]
pub(crate) struct Global {
    /// The store for runs and records: `sqlite:PATH`, `postgres://USER@HOST/DATABASE`, or `memory:` (lost when the
    /// process ends).
    /// [env: BRAIN_STORE] [default: a SQLite file in the user's data folder]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) store: Option<String>,
    /// Configuration file. [default: brain.yaml in this folder or the nearest one above]
    #[arg(long, global = true, env = "BRAIN_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Set a key of the configuration, such as `slots=64` or `times.request=300s`. Can be repeated.
    #[arg(long, short = 'c', global = true, value_name = "KEY=VALUE", value_parser = Given::set, hide_short_help = true)]
    pub(crate) setting: Vec<Given>,
    /// A pack to load; may be given more than once. In the environment, `:` separates several.
    /// [env: BRAIN_PACK] [default: the built-in `trades` pack]
    #[arg(long = "pack", global = true, value_name = "DIR")]
    pub(crate) packs: Vec<PathBuf>,
    /// Tenant to act for. [env: BRAIN_TENANT] [default: default]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) tenant: Option<String>,
    /// Talk to a running server instead of opening the store. [env: BRAIN_SERVER]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Token for the server: the token itself, `env:NAME` or `file:PATH`. [env: BRAIN_TOKEN]
    #[arg(long, global = true, value_name = "TOKEN")]
    pub(crate) token: Option<String>,
    /// Use the server and token of a profile in brain.yaml. [env: BRAIN_PROFILE]
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "server")]
    pub(crate) profile: Option<String>,
    /// Installed sentence encoder to use. [env: BRAIN_MODEL] [default: the built-in embedding table]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Name of the actor, used for caps, consent and the log. [env: BRAIN_AS] [default: your user name]
    #[arg(long = "as", global = true, value_name = "NAME", hide_short_help = true)]
    pub(crate) acting_as: Option<String>,
    /// Machine-readable output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only the answer.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print details: how a request was understood, what was planned, what each step did.
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_short_help = true)]
    pub(crate) color: ColorArg,
    /// Let tools call loopback and private addresses that their pack declares. [env: BRAIN_ALLOW_PRIVATE_HOSTS]
    #[arg(long, global = true)]
    pub(crate) allow_private_hosts: bool,
    /// Base URL under which other systems reach this server, used for callbacks. [env: BRAIN_PUBLIC_URL]
    #[arg(long, global = true, value_name = "URL", hide_short_help = true)]
    pub(crate) public_url: Option<String>,
    /// Format of log lines on standard error. BRAIN_LOG sets levels, such as `warn,brain_engine=debug`.
    /// [env: BRAIN_LOG_FORMAT] [default: text]
    #[arg(long, global = true, value_enum, hide_short_help = true)]
    pub(crate) log_format: Option<LogFormatArg>,
    /// Whether scheduling is paused: set by `serve --paused`.
    #[arg(skip)]
    pub(crate) paused: bool,
    /// The effective configuration.
    #[arg(skip)]
    pub(crate) settings: Arc<Settings>,
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogFormatArg {
    /// Plain text.
    Text,
    /// One JSON object per line.
    Json,
}

impl Global {
    /// The tenant to act for.
    pub(crate) fn tenant(&self) -> &str {
        self.tenant.as_deref().unwrap_or("default")
    }

    /// The configuration.
    pub(crate) fn config(&self) -> &Config {
        self.settings.config()
    }
}

/// When to use colours.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ColorArg {
    /// Only in a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run one request in plain words.
    #[command(
        after_help = "Examples:\n  brain do \"create task: Call Bob\"\n  brain do \"new lead: Bob Smith 0412 345 678 in Parramatta\" --mode plan\n  brain do \"list leads\" --json"
    )]
    Do(DoArgs),
    /// Serve the HTTP API.
    #[command(
        after_help = "Examples:\n  brain serve\n  brain serve --store sqlite:shop.db --pack packs/shop --addr 127.0.0.1:7700\n\nAnything but a loopback address needs bearer tokens: make one first with `brain admin token new`."
    )]
    Serve(ServeArgs),
    /// Run a short demo with the built-in pack, then start a server to experiment with.
    Demo(DemoArgs),
    /// List runs, newest first; inspect, retry, undo or cancel them.
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  brain runs --status waiting\n  brain runs waiting                   runs that wait for a person\n  brain runs retry RUN                retry failed steps\n  brain runs skip RUN                 continue without the failed steps\n  brain runs abort RUN                end the run"
    )]
    Runs(RunsArgs),
    /// Explain how Brain understands a request, or how it understood the request of a run. Nothing is executed.
    #[command(
        after_help = "Examples:\n  brain explain \"pls creat a task for bob\"\n  brain explain \"remove lead 5\" --json\n  brain explain RUN            how the request of this run was understood"
    )]
    Explain {
        /// A request, or the id of a run.
        #[arg(value_name = "TEXT|RUN")]
        text: String,
        /// Consider only the tools of this kind of action. A question about an ambiguous request lists the kinds.
        #[arg(long, value_name = "TIER")]
        intent_tier: Option<String>,
    },
    /// Measure understanding on a pack's corpus or a data set.
    #[command(hide = true)]
    Eval(EvalArgs),
    /// Find the thresholds that work best on the packs' tuning corpus. Changes nothing.
    #[command(hide = true)]
    Tune,
    /// Teach a phrase for a tool or playbook; it takes effect immediately.
    #[command(
        after_help = "Examples:\n  brain teach \"ring {title}\" os.create_task\n  brain teach \"my jobs\" os.list_tasks --own\n  brain teach --file phrases.yaml\n  brain teach                                 list taught phrases\n\n--replace moves a phrase that belongs to another tool. Every change is audited."
    )]
    Teach(TeachArgs),
    /// Remove a taught phrase.
    #[command(after_help = "Examples:\n  brain unteach \"ring {title}\" --note \"too general\"")]
    Unteach(UnteachArgs),
    /// Review and promote phrases learned from real requests.
    #[command(
        after_help = "Examples:\n  brain learning                            accuracy by week, phrases to review\n  brain learning candidates                 list candidate phrases\n  brain learning correct RUN --meant TOOL   correct a misunderstood request\n  brain learning run --dry-run              show what would be learned\n\nA phrase is learned only if no corpus gets worse: neither the packs' own nor the corrections recorded here."
    )]
    Learning(LearningArgs),
    /// Show what a run is waiting for.
    #[command(hide = true)]
    WhyWaiting {
        /// Id of the run, as `brain runs` lists it.
        run: String,
    },
    /// Show what happened in a run, step by step.
    #[command(hide = true)]
    Inspect {
        /// Id of the run, as `brain runs` lists it.
        run: String,
    },
    /// Rebuild the state of a run from its log and compare. Nothing is executed.
    #[command(hide = true)]
    Replay {
        /// Id of the run, as `brain runs` lists it.
        run: String,
    },
    /// Approve or reject a plan; without an id, list pending approvals.
    #[command(
        after_help = "Examples:\n  brain approve                       list pending approvals\n  brain approve ID                    approve and run it\n  brain approve ID --reject --note \"wrong customer\""
    )]
    Approve(ApproveArgs),
    /// Undo a run: shows the plan first, `--yes` executes it.
    #[command(hide = true)]
    Undo {
        /// The run, or RUN/STEP.
        run: String,
        /// Undo without asking first.
        #[arg(long)]
        yes: bool,
    },
    /// Accept, correct or reject a result that waits for review.
    #[command(hide = true)]
    Review(ReviewArgs),
    /// Show how a request was expanded into steps: digests, policy, records in lock order.
    #[command(hide = true)]
    Expansion {
        /// Id of the run, as `brain runs` lists it.
        run: String,
    },
    /// Cancel a run. Finished steps are not undone.
    #[command(hide = true)]
    Cancel {
        /// Id of the run, as `brain runs` lists it.
        run: String,
    },
    /// Inspect and resolve dead letters: steps that failed for good or whose outcome is unknown.
    #[command(subcommand)]
    Dlq(DlqCommand),
    /// Store and fetch files and other large values.
    #[command(subcommand)]
    Blob(BlobCommand),
    /// Manage bearer tokens for the HTTP API.
    #[command(subcommand, hide = true)]
    Token(TokenCommand),
    /// Write, check and test packs.
    #[command(subcommand)]
    Pack(PackCommand),
    /// Install and list sentence encoders.
    #[command(subcommand)]
    Model(ModelCommand),
    /// List runs' events, or follow them as they happen.
    #[command(
        after_help = "Examples:\n  brain events --follow\n  brain events --follow --json | jq .name\n  brain events --since 1042             what happened since\n  brain events --run RUN\n\nEvents are immutable and totally ordered. With --since, no event is missed or repeated."
    )]
    Events(EventsArgs),
    /// List, show, import, export and reindex records.
    #[command(subcommand)]
    Records(RecordsCommand),
    /// Apply the configured retention: erase payloads and delete runs past their retention period.
    #[command(hide = true)]
    Gc(GcArgs),
    /// List administrative actions on all tenants' data, newest first.
    #[command(hide = true)]
    Audit {
        /// Maximum number to list.
        #[arg(long, default_value_t = 50, value_parser = at_least_one)]
        limit: usize,
    },
    /// Copy one store to another.
    #[command(subcommand, hide = true)]
    Store(StoreCommand),
    /// Back up the store to one file while servers keep running.
    #[command(hide = true)]
    Backup(BackupArgs),
    /// Restore the store from a backup.
    #[command(hide = true)]
    Restore(RestoreArgs),
    /// Make a running server reload its packs.
    #[command(
        after_help = "Examples:\n  brain reload\n  brain reload --server http://127.0.0.1:7701\n\nWithout --server, reloads the server that runs on the store, or else the one at http://127.0.0.1:7700. The server reloads the folders that it was started with. If a pack has an error, nothing changes. Runs in progress keep the definitions that they were planned with. SIGHUP does the same; the outcome is logged."
    )]
    Reload,
    /// List tools and playbooks, or show one of them.
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  brain tools                      list everything\n  brain tools os.create_task       show inputs, phrases and effect\n  brain tools lookup create_task   find a tool by what it may be called"
    )]
    Tools {
        /// A tool or playbook.
        name: Option<String>,
        #[command(subcommand)]
        command: Option<ToolsCommand>,
    },
    /// Manage the store: backup, restore, gc, audit, migrate, copy, tokens.
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Developer tools: evaluation, benchmarks, man pages.
    #[command(subcommand)]
    Dev(DevCommand),
    /// Print shell completions.
    #[command(
        after_help = "Examples:\n  brain completions bash > /etc/bash_completion.d/brain\n  brain completions zsh > \"${fpath[1]}/_brain\"\n  brain completions fish > ~/.config/fish/completions/brain.fish"
    )]
    Completions(CompletionsArgs),
    /// Show the effective configuration, or write a starter file.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check packs, store, secrets, hosts and clock.
    Doctor,
    /// Upgrade the tables of the store. Every command does this when it opens the store.
    #[command(hide = true)]
    Migrate {
        /// Show what would change, without changing it.
        #[arg(long)]
        dry_run: bool,
    },
    /// Measure this machine.
    #[command(subcommand, hide = true)]
    Bench(BenchCommand),
}

#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every key, its value and where it comes from. Secrets are masked.
    #[command(
        after_help = "Examples:\n  brain config show\n  brain config show --json\n  brain config show --config other.yaml --setting slots=64\n\nFlags beat environment variables, which beat brain.yaml, which beats the defaults."
    )]
    Show,
    /// Write a starter file with every key, commented out.
    #[command(after_help = "Examples:\n  brain config init\n  brain config init deploy/brain.yaml")]
    Init {
        /// The file. [default: brain.yaml]
        file: Option<PathBuf>,
    },
}

/// How far to take a request.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ModeArg {
    /// Only show what would be done.
    #[value(name = "answer")]
    Answer,
    /// Stage the plan for approval.
    #[value(name = "plan")]
    Plan,
    /// Start it and return at once.
    #[value(name = "enqueue")]
    Enqueue,
    /// Run it and wait for the result.
    #[value(name = "enqueue_and_wait")]
    EnqueueAndWait,
}

#[derive(Args)]
pub(crate) struct DoArgs {
    /// The request; `-` reads it from standard input.
    pub(crate) message: String,
    /// How far to take the request.
    #[arg(long, value_enum, default_value = "enqueue_and_wait")]
    pub(crate) mode: ModeArg,
    /// Conversation that the request belongs to.
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Values that fill slots of the same name, as a JSON object.
    #[arg(long, value_name = "JSON")]
    pub(crate) context: Option<String>,
    /// Consider only the tools of this kind of action. A question about an ambiguous request lists the kinds.
    #[arg(long, value_name = "TIER")]
    pub(crate) intent_tier: Option<String>,
    /// Maximum number of tool calls.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) max_tool_calls: u32,
    /// Maximum time to wait until the run ends or waits for somebody.
    #[arg(long, default_value_t = 30_000, value_name = "MS")]
    pub(crate) wait_timeout_ms: u64,
    /// Idempotency key: a repeated request with the same key returns the first run.
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// File to attach; fills an input of type `file`. Can be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Vec<PathBuf>,
    /// Maximum cost, in the currency of the pack settings.
    #[arg(long, value_name = "AMOUNT")]
    pub(crate) max_cost: Option<String>,
    /// How several requests in one message depend on each other.
    #[arg(long, value_enum, default_value = "plain")]
    pub(crate) policy: PolicyArg,
}

/// How several requests in one message depend on each other.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum PolicyArg {
    /// One after the other; the first failure stops the run.
    Plain,
    /// All of them in one commit, or none of them.
    Atomic,
    /// Each is tried, even if another one fails.
    BestEffort,
}

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on. [env: BRAIN_ADDRESS] [default: 127.0.0.1:7700]
    #[arg(long)]
    pub(crate) addr: Option<SocketAddr>,
    /// Listen on a non-loopback address even though the store has no tokens yet. All requests are refused until one
    /// exists.
    #[arg(long)]
    pub(crate) without_tokens: bool,
    /// Unix socket for commands on this machine; `off` opens none. [env: BRAIN_SOCKET] [default: next to the store]
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<String>,
    /// Maximum size of an uploaded file, in mebibytes. [env: BRAIN_MAX_BLOB_MIB] [default: 1024]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=262_144))]
    pub(crate) max_blob_mib: Option<u64>,
    /// Start paused: no external calls, timers or take-overs until the server is resumed.
    #[arg(long)]
    pub(crate) paused: bool,
    /// How long to wait for external calls in flight after SIGTERM or Ctrl-C; a second signal stops at once.
    /// [env: BRAIN_DRAIN] [default: 30s]
    #[arg(long, value_name = "DURATION")]
    pub(crate) drain: Option<brain_core::Millis>,
    /// POST a notification to this URL for each dead letter, approval and review. [env: BRAIN_NOTIFY_WEBHOOK]
    #[arg(long, value_name = "URL")]
    pub(crate) notify_webhook: Option<String>,
    /// The secret that signs notifications: `env:NAME` or `file:PATH`. [env: BRAIN_NOTIFY_SECRET]
    #[arg(long, value_name = "REF")]
    pub(crate) notify_secret: Option<String>,
    /// Run this shell command for each notification and pass it the notification on standard input.
    /// [env: BRAIN_NOTIFY_COMMAND]
    #[arg(long, value_name = "COMMAND")]
    pub(crate) notify_command: Option<String>,
}

#[derive(Args)]
pub(crate) struct BackupArgs {
    /// The backup file.
    pub(crate) file: PathBuf,
    /// Overwrite an existing backup file.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct RestoreArgs {
    /// The backup file.
    pub(crate) file: PathBuf,
    /// Overwrite the existing store.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct GcArgs {
    /// Only show what would be deleted.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// All tenants, not only that of --tenant. Recorded in the audit log.
    #[arg(long)]
    pub(crate) all: bool,
    /// Return free space to the file system afterwards.
    #[arg(long)]
    pub(crate) compact: bool,
    /// How long an unreferenced blob is kept. A day by default; tests shorten it.
    #[arg(long, hide = true, value_name = "DURATION")]
    pub(crate) blob_grace: Option<brain_core::Millis>,
}

#[derive(Subcommand)]
pub(crate) enum RecordsCommand {
    /// List records of a type, oldest first.
    #[command(after_help = "Examples:\n  brain records list lead\n  brain records list lead --state won --json")]
    List(ListRecordsArgs),
    /// Show one record.
    Get {
        /// Name of the record type, such as `lead`.
        #[arg(value_name = "TYPE")]
        record_type: String,
        /// The record.
        id: String,
    },
    /// Import records from CSV or JSON lines, without running tools.
    #[command(
        after_help = "Examples:\n  brain records import lead leads.csv --dry-run     check every line\n  brain records import lead leads.csv --key phone   update by phone, or create\n  brain records import lead - --format jsonl < leads.jsonl\n\nThe first line of a CSV file names the fields. Each record is checked like one that a tool writes; rejected lines are reported by number; the rest are imported. `brain records export` writes files that can be imported again."
    )]
    Import(ImportArgs),
    /// Export records as CSV or JSON lines.
    #[command(
        after_help = "Examples:\n  brain records export lead > leads.csv\n  brain records export lead -o leads.jsonl\n  brain records export lead --state won --format jsonl"
    )]
    Export(ExportArgs),
    /// Rebuild record lookup indexes after a pack changed label, aliases, identifiers, keys, indexed fields or search.
    #[command(
        after_help = "Examples:\n  brain records reindex --dry-run            count stale records\n  brain records reindex lead\n  brain records reindex --all                for every tenant\n\nThe records themselves do not change. The command can be interrupted and repeated, also while a server runs. Start the server with the new pack first."
    )]
    Reindex(ReindexArgs),
}

#[derive(Args)]
pub(crate) struct ListRecordsArgs {
    /// Name of the record type, such as `lead`.
    #[arg(value_name = "TYPE")]
    pub(crate) record_type: String,
    /// Only records in this state.
    #[arg(long)]
    pub(crate) state: Option<String>,
    /// Maximum number to list.
    #[arg(long, default_value_t = 50, value_parser = at_least_one)]
    pub(crate) limit: usize,
    /// Cursor printed at the end of the previous page.
    #[arg(long)]
    pub(crate) cursor: Option<String>,
}

/// Format of a file with records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// Comma-separated values; the first line names the fields.
    Csv,
    /// One JSON object per line.
    Jsonl,
}

#[derive(Args)]
pub(crate) struct ImportArgs {
    /// Name of the record type, such as `lead`.
    #[arg(value_name = "TYPE")]
    pub(crate) record_type: String,
    /// The file; `-` is standard input.
    pub(crate) file: PathBuf,
    /// Update the record with the same value in this field: `id`, a key or an indexed field. [default: create all]
    #[arg(long, value_name = "FIELD")]
    pub(crate) key: Option<String>,
    /// Check every line and show what would be done, without writing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Format of the file. [default: by its name, else csv]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArg>,
}

#[derive(Args)]
pub(crate) struct ExportArgs {
    /// Name of the record type, such as `lead`.
    #[arg(value_name = "TYPE")]
    pub(crate) record_type: String,
    /// Only records in this state.
    #[arg(long)]
    pub(crate) state: Option<String>,
    /// Output file; overwritten if it exists. [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the file. [default: by its name, else csv]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArg>,
}

#[derive(Args)]
pub(crate) struct EventsArgs {
    /// Keep printing events as they happen, until Ctrl-C.
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// Begin after this event: the id that an earlier call printed. [default: the first; with --follow: now]
    #[arg(long, value_name = "ID")]
    pub(crate) since: Option<String>,
    /// Only events of this run.
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Maximum number to list.
    #[arg(long, default_value_t = 100, value_parser = at_least_one)]
    pub(crate) limit: usize,
}

#[derive(Args)]
pub(crate) struct ReindexArgs {
    /// The record type. [default: all of them]
    #[arg(value_name = "TYPE")]
    pub(crate) record_type: Option<String>,
    /// Only count stale records.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// All tenants, not only that of --tenant. Recorded in the audit log.
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Subcommand)]
pub(crate) enum StoreCommand {
    /// Copy everything, or one tenant, into another store, and verify the copy.
    #[command(
        after_help = "Examples:\n  brain admin store copy sqlite:brain.db postgres://brain@db/brain\n  brain admin store copy postgres://brain@db/brain sqlite:acme.db --tenant acme\n  brain admin store copy sqlite:brain.db sqlite:new.db --dry-run\n\nStop the servers of the source first. The source is only read; its audit log records the copy."
    )]
    Copy(CopyArgs),
}

#[derive(Args)]
pub(crate) struct CopyArgs {
    /// The source store.
    pub(crate) from: String,
    /// The target store; refused if it already has data for a tenant being copied.
    pub(crate) to: String,
    /// Only show what would be copied.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Continue an interrupted copy; rows already copied are skipped.
    #[arg(long = "continue")]
    pub(crate) go_on: bool,
    /// Copy even though a process is using the source; concurrent writes may be missing.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Args)]
pub(crate) struct DemoArgs {
    /// Exit after the demo, without starting a server.
    #[arg(long)]
    pub(crate) once: bool,
    /// Address that the server listens on.
    #[arg(long, default_value = "127.0.0.1:7700")]
    pub(crate) addr: SocketAddr,
}

#[derive(Args)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,
    #[command(flatten)]
    pub(crate) list: RunsListArgs,
}

/// Which runs to list.
#[derive(Args)]
pub(crate) struct RunsListArgs {
    /// Only runs with this status.
    #[arg(long, value_parser = one_of::<RunStatus>(RunStatus::ALL.iter().map(|status| status.as_str())))]
    pub(crate) status: Option<RunStatus>,
    /// Only runs with this status of the run contract.
    #[arg(long, conflicts_with = "status", value_parser = one_of::<ContractStatus>(ContractStatus::ALL.iter().map(|status| status.as_str())))]
    pub(crate) contract_status: Option<ContractStatus>,
    /// Maximum number to list.
    #[arg(long, default_value_t = 20, value_parser = at_least_one)]
    pub(crate) limit: usize,
    /// Cursor printed at the end of the previous page.
    #[arg(long)]
    pub(crate) cursor: Option<String>,
}

/// Reads a number of items; an empty list answers no question.
fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("it must be at least 1".into()),
        Ok(number) => Ok(number),
        Err(_) => Err("it must be a whole number".into()),
    }
}

/// Reads a status by its name and lists the names in the help.
fn one_of<T: FromStr<Err = StatusError> + Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

/// Decisions about parked runs, and commands about one run.
#[derive(Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs, newest first.
    List(RunsListArgs),
    /// List runs that wait for a person: failures, plans to approve, questions to answer.
    #[command(alias = "parked")]
    Waiting {
        /// Maximum number to list.
        #[arg(long, default_value_t = 50, value_parser = at_least_one)]
        limit: usize,
    },
    /// Retry failed steps with the same idempotency keys, or reload a run that could not be read.
    Retry(StuckArgs),
    /// Continue without the failed steps.
    Skip(StuckArgs),
    /// End the run. Finished steps are not undone.
    Abort(StuckArgs),
    #[command(flatten)]
    One(RunCommand),
    /// Migrate runs in progress to the loaded packs. A deploy never does this automatically.
    #[command(
        after_help = "Examples:\n  brain runs migrate --playbook shop.order --dry-run\n  brain runs migrate --playbook shop.order --map pack=wrap --map label=\n  brain runs migrate RUN\n\nSteps in progress continue in the new version; finished steps are not repeated. A run that cannot be migrated is left unchanged, with the reason."
    )]
    Migrate {
        /// Ids of the runs, as `brain runs` lists them.
        #[arg(required_unless_present = "playbook")]
        runs: Vec<String>,
        /// All runs of this playbook that are in progress.
        #[arg(long, conflicts_with = "runs")]
        playbook: Option<String>,
        /// Renamed step: OLD=NEW; OLD= if the step was removed.
        #[arg(long = "map", value_name = "OLD=NEW")]
        map: Vec<String>,
        /// Show what would change, without changing it.
        #[arg(long)]
        dry_run: bool,
        /// Maximum number of runs.
        #[arg(long, default_value_t = 100_000)]
        limit: usize,
    },
}

#[derive(Args)]
pub(crate) struct StuckArgs {
    /// Id of the run, as `brain runs` lists it.
    pub(crate) run: String,
    /// Reason, for the log.
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(crate) note: String,
}

#[derive(Args)]
pub(crate) struct ReviewArgs {
    /// Id of the run, as `brain runs` lists it.
    pub(crate) run: String,
    /// The step, if several wait for review.
    #[arg(long)]
    pub(crate) step: Option<String>,
    /// Accept the result unchanged.
    #[arg(long, conflicts_with = "reject")]
    pub(crate) accept: bool,
    /// Accept the result with a field replaced. The value is JSON or plain text. Can be repeated.
    #[arg(long = "set", value_name = "FIELD=VALUE", conflicts_with = "reject")]
    pub(crate) corrections: Vec<String>,
    /// Reject the result.
    #[arg(long)]
    pub(crate) reject: bool,
    /// Reason, for the log.
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(crate) note: String,
}

#[derive(Args)]
pub(crate) struct ApproveArgs {
    /// The approval, or the run that waits for it.
    pub(crate) id: Option<String>,
    /// Reject it.
    #[arg(long)]
    pub(crate) reject: bool,
    /// Digest of the plan you were shown; refused if the approval's digest differs.
    #[arg(long)]
    pub(crate) digest: Option<String>,
    /// Reason, for the log.
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(crate) note: String,
}

#[derive(Subcommand)]
pub(crate) enum DlqCommand {
    /// List open dead letters.
    List {
        /// Include closed letters.
        #[arg(long)]
        all: bool,
        /// Maximum number to list.
        #[arg(long, default_value_t = 20, value_parser = at_least_one)]
        limit: usize,
        /// Cursor printed at the end of the previous page.
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Show one dead letter with its history.
    Show {
        /// The dead letter.
        id: String,
    },
    /// Retry one or many dead letters with the same idempotency key.
    #[command(
        after_help = "Examples:\n  brain dlq retry ID\n  brain dlq retry --tool texts.send --dry-run\n  brain dlq retry --tool texts.send --since 2h\n  brain dlq retry --all\n\nA bulk retry skips calls that may have happened and must not be repeated."
    )]
    Retry {
        /// The dead letter.
        #[arg(required_unless_present_any = ["tool", "since", "all"], conflicts_with_all = ["tool", "since", "all", "dry_run"])]
        id: Option<String>,
        /// All open dead letters of this tool.
        #[arg(long, value_name = "TOOL")]
        tool: Option<String>,
        /// Only dead letters opened within a duration (`2h`) or since a time (`2026-03-02T09:00:00Z`).
        #[arg(long, value_name = "WHEN")]
        since: Option<String>,
        /// All open dead letters.
        #[arg(long)]
        all: bool,
        /// Only show what would be retried.
        #[arg(long)]
        dry_run: bool,
        /// Reason, for the log.
        #[arg(long, default_value = "", hide_default_value = true)]
        note: String,
    },
    /// Close a dead letter by hand.
    Resolve {
        /// The dead letter.
        id: String,
        /// How it was resolved.
        #[arg(long)]
        note: String,
        /// `skip`: continue without it. `done`: continue as if it had succeeded. `abandon`: fail the step.
        #[arg(long, value_enum, default_value = "skip")]
        outcome: OutcomeArg,
        /// With `done`: the result, as JSON.
        #[arg(long, value_name = "JSON")]
        result: Option<String>,
    },
    /// Assign a dead letter to someone; it stays open.
    Escalate {
        /// The dead letter.
        id: String,
        /// Person or team.
        #[arg(long)]
        to: String,
        /// Reason, for the log.
        #[arg(long, default_value = "", hide_default_value = true)]
        note: String,
    },
}

/// How a dead letter is closed by hand.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum OutcomeArg {
    /// Continue without it.
    Skip,
    /// Continue as if it had succeeded.
    Done,
    /// Fail the step; its `on_failure` applies.
    Abandon,
}

#[derive(Subcommand)]
pub(crate) enum BlobCommand {
    /// Store a file and print its hash.
    #[command(
        after_help = "Examples:\n  brain blob put photo.jpg\n  brain blob put export.dat --media-type text/csv --json\n  tar c folder | brain blob put - --media-type application/x-tar"
    )]
    Put {
        /// The file; `-` is standard input.
        file: PathBuf,
        /// Media type. [default: guessed from the file extension]
        #[arg(long, value_name = "TYPE")]
        media_type: Option<String>,
    },
    /// Fetch a blob by its hash, to standard output or a file.
    #[command(
        after_help = "Examples:\n  brain blob get HASH > photo.jpg\n  brain blob get HASH -o photo.jpg --json\n\nHASH is printed by `brain blob put` and follows `$blob` in references."
    )]
    Get {
        /// SHA-256 of the blob, 64 hexadecimal digits.
        hash: String,
        /// Output file; overwritten if it exists.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

#[derive(Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token; it is shown once.
    New {
        /// What it is for.
        #[arg(long, default_value = "token")]
        label: String,
        /// Allow the token to approve plans that need an approver.
        #[arg(long)]
        approver: bool,
        /// Permission to grant; can be repeated. [default: all but `admin`, which must be named]
        #[arg(long = "permission", value_name = "NAME")]
        permissions: Vec<String>,
        /// Tier of the actor: tools that name tiers accept only those. [default: any]
        #[arg(long)]
        tier: Option<String>,
        /// Lifetime, such as `30d`.
        #[arg(long, value_name = "DURATION")]
        expires_in: Option<String>,
    },
    /// List tokens.
    List,
    /// Revoke a token.
    Revoke {
        /// Id of the token, as shown by `brain admin token list`.
        id: String,
    },
}
