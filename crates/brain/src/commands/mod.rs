//! The commands, one file each.

mod approve;
mod audit;
mod backup;
mod bench;
mod blob;
mod config;
mod demo;
mod dlq;
mod do_;
mod doctor;
mod eval;
mod events;
mod explain;
mod gc;
mod housekeeping;
mod inspect;
mod learning;
mod manual;
mod migrate;
mod migrate_runs;
mod model;
mod pack;
mod pack_docs;
mod pack_explain;
mod pack_import;
mod pack_schema;
mod records;
mod records_file;
mod reference;
mod reload;
mod runs;
mod serve;
mod show_records;
mod store;
mod teach;
mod token;
mod tools;
mod tune;
mod undo;
mod upkeep;
mod waiting;

use std::time::Duration;

use anyhow::Result;
use brain_core::RunId;
use brain_server::wire::RunResponse;

use crate::cli::{Cli, Command, DevCommand, Global, RecordsCommand, StoreCommand, ToolsCommand};
use crate::remote::{Client, Need, Refused, Target, listens, target};
use crate::{open, show};

/// A command that was used wrongly: exit code 2.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Whether a command was used wrongly: by its own judgement, or because the server cannot use a value of an option.
pub(crate) fn is_wrong_usage(error: &anyhow::Error) -> bool {
    let code = error.downcast_ref::<Refused>().map(|Refused(document)| document.code.as_str());
    error.is::<Usage>() || matches!(code, Some("bad_cursor" | "bad_id"))
}

/// How long a command waits for the run that it resumed.
pub(crate) const WAIT: Duration = Duration::from_secs(30);

/// Runs a command. `false` if it failed and has already reported why.
pub(crate) fn run(cli: Cli) -> Result<bool> {
    let global = &cli.global;
    refuse_remote(global, &cli.command)?;
    match cli.command {
        Command::Do(args) => do_::run(global, &args),
        Command::Serve(args) => serve::run(global, &args),
        Command::Demo(args) => demo::run(global, &args),
        Command::Runs(args) => runs::run(global, args),
        Command::Explain { text, intent_tier } => explain::run(global, &text, intent_tier.as_deref()),
        Command::Learning(args) => learning::run(global, args.command),
        Command::Eval(args) => eval::run(global, &args),
        Command::Tune => tune::run(global),
        Command::Teach(args) => teach::teach(global, &args),
        Command::Unteach(args) => teach::unteach(global, &args),
        Command::WhyWaiting { run } => waiting::why(global, &run),
        Command::Inspect { run } => inspect::inspect(global, &run),
        Command::Replay { run } => inspect::replay(global, &run),
        Command::Approve(args) => approve::run(global, &args),
        Command::Undo { run, yes } => undo::undo(global, &run, yes),
        Command::Review(args) => undo::review(global, &args),
        Command::Expansion { run } => undo::expansion(global, &run),
        Command::Cancel { run } => runs::cancel(global, &run),
        Command::Dlq(command) => dlq::run(global, command),
        Command::Blob(command) => blob::run(global, command),
        Command::Token(command) => token::run(global, command),
        Command::Pack(command) => pack::run(global, command),
        Command::Model(command) => model::run(global, command),
        Command::Records(RecordsCommand::Reindex(args)) => records::run(global, &args),
        Command::Events(args) => events::run(global, &args),
        Command::Records(RecordsCommand::Import(args)) => records_file::import(global, &args),
        Command::Records(RecordsCommand::Export(args)) => records_file::export(global, &args),
        Command::Records(RecordsCommand::List(args)) => show_records::list(global, &args),
        Command::Records(RecordsCommand::Get { record_type, id }) => show_records::get(global, &record_type, &id),
        Command::Tools { command: Some(ToolsCommand::Lookup { names }), .. } => tools::look_up(global, &names),
        Command::Tools { name, .. } => tools::run(global, name.as_deref()),
        Command::Admin(command) => run(Cli { global: cli.global, command: command.into() }),
        Command::Dev(DevCommand::Eval(args)) => eval::run(global, &args),
        Command::Dev(DevCommand::Tune) => tune::run(global),
        Command::Dev(DevCommand::Bench(command)) => bench::run(global, &command),
        Command::Dev(DevCommand::Man { folder }) => manual::man(global, &folder),
        Command::Dev(DevCommand::Reference) => reference::run(),
        Command::Completions(args) => manual::completions(args.shell),
        Command::Gc(args) => gc::run(global, &args),
        Command::Audit { limit } => audit::run(global, limit),
        Command::Store(StoreCommand::Copy(args)) => store::copy(global, &args),
        Command::Backup(args) => backup::backup(global, &args),
        Command::Restore(args) => backup::restore(global, &args),
        Command::Reload => reload::run(global),
        Command::Config(command) => config::run(global, &command),
        Command::Doctor => doctor::run(global),
        Command::Migrate { dry_run } => migrate::run(global, dry_run),
        Command::Bench(command) => bench::run(global, &command),
    }
}

/// Refuses commands that cannot talk to a server, if one was asked for. What works on a store of this machine must not
/// silently work on another store than the one that the user named.
fn refuse_remote(global: &Global, command: &Command) -> Result<()> {
    let (name, on_store) = match command {
        Command::Backup(_) => ("admin backup", true),
        Command::Restore(_) => ("admin restore", true),
        Command::Migrate { .. } => ("admin migrate", true),
        Command::Store(_) => ("admin store copy", false),
        Command::Serve(_) => ("serve", false),
        Command::Demo(_) => ("demo", false),
        Command::Pack(_) => ("pack", false),
        Command::Model(_) => ("model", false),
        Command::Eval(_) | Command::Dev(DevCommand::Eval(_)) => ("dev eval", false),
        Command::Tune | Command::Dev(DevCommand::Tune) => ("dev tune", false),
        Command::Bench(_) | Command::Dev(DevCommand::Bench(_)) => ("dev bench", false),
        _ => return Ok(()),
    };
    let asked = [&global.server, &global.profile].into_iter().any(Option::is_some);
    if asked || (on_store && matches!(target(global)?, Target::Server { .. })) {
        let hint = if on_store { ": run it on the server's machine, with --store" } else { "; leave --server out" };
        return Err(
            Usage(format!("`brain {name}` works on this machine only and cannot talk to a server{hint}")).into()
        );
    }
    Ok(())
}

/// Whether a command was asked to talk to a server.
fn is_remote(global: &Global) -> Result<bool> {
    Ok(matches!(target(global)?, Target::Server { .. }))
}

/// Whether a server does the work: one that was asked for, or that of the store.
fn has_server(global: &Global) -> Result<bool> {
    Ok(is_remote(global)? || listens(global)?)
}

/// A run id from the command line.
fn run_id(text: &str) -> Result<String> {
    let id: RunId = id(text, "run", "brain runs")?;
    Ok(id.to_string())
}

/// An id from the command line. A text that is not an id is wrong usage.
fn id<T: std::str::FromStr>(text: &str, thing: &str, list: &str) -> Result<T> {
    let wrong = || Usage(format!("`{text}` is not the id of a {thing}; `{list}` lists them"));
    text.trim().parse().map_err(|_| wrong().into())
}

/// Runs a command over the API: on a server, or in this process.
fn talk<T>(global: &Global, need: Need, work: impl AsyncFnOnce(&Client) -> Result<T>) -> Result<T> {
    let runtime = open::runtime()?;
    // Not in an asynchronous context: a store that cannot be opened may have a runtime of its own to drop.
    let client = {
        let _context = runtime.enter();
        Client::open(global, need)?
    };
    let done = runtime.block_on(work(&client));
    client.close();
    done
}

/// Waits until a run settles and prints where it stands.
async fn settle(global: &Global, client: &Client, run: &str) -> Result<RunResponse> {
    let answer = settled(client, run, false).await?;
    show::answer(global, answer.clone());
    Ok(answer)
}

/// Waits until a run settles. `redacted`: without personal values, for people who operate it.
async fn settled(client: &Client, run: &str, redacted: bool) -> Result<RunResponse> {
    let wait = ("wait_timeout_ms", Some(WAIT.as_millis().to_string()));
    client.ask(&format!("/v1/runs/{run}"), &[wait, ("redacted", redacted.then(|| "true".to_owned()))]).await
}
