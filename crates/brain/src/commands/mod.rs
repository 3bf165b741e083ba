//! The commands, one file each.

mod approve;
mod audit;
mod backup;
mod bench;
mod blob;
mod demo;
mod dlq;
mod do_;
mod doctor;
mod eval;
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
mod reference;
mod reload;
mod runs;
mod serve;
mod show_records;
mod store;
mod stuck;
mod teach;
mod token;
mod tools;
mod tune;
mod undo;

use std::time::Duration;

use anyhow::{Context, Result};
use brain_core::RunId;
use brain_kernel::{Kernel, Report};
use brain_store::Scope;

use crate::cli::{BlobCommand, Cli, Command, DevCommand, Global, RecordsCommand, StoreCommand, TokenCommand};
use crate::{open, show};

/// How long a command waits for the run that it resumed.
pub(crate) const WAIT: Duration = Duration::from_secs(30);

/// Runs a command. `false` if it failed and has already reported why.
pub(crate) fn run(cli: Cli) -> Result<bool> {
    let global = &cli.global;
    if needs_store(&cli.command) {
        open::expect_store(global)?;
    }
    match cli.command {
        Command::Do(args) => do_::run(global, &args),
        Command::Serve(args) => serve::run(global, &args),
        Command::Demo(args) => demo::run(global, &args),
        Command::Runs(args) => runs::run(global, args),
        Command::Explain { text } => explain::run(global, &text),
        Command::Learning(args) => learning::run(global, args.command),
        Command::Eval(args) => eval::run(global, &args),
        Command::Tune => tune::run(global),
        Command::Teach(args) => teach::teach(global, &args),
        Command::Unteach(args) => teach::unteach(global, &args),
        Command::WhyWaiting { run } => stuck::why(global, &run),
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
        Command::Records(RecordsCommand::List(args)) => show_records::list(global, &args),
        Command::Records(RecordsCommand::Get { record_type, id }) => show_records::get(global, &record_type, &id),
        Command::Tools { name } => tools::run(global, name.as_deref()),
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
        Command::Reload(args) => reload::run(global, &args),
        Command::Doctor => doctor::run(global),
        Command::Migrate { dry_run } => migrate::run(global, dry_run),
        Command::Bench(command) => bench::run(global, &command),
    }
}

/// Whether a command reads an existing store; it does not create one.
fn needs_store(command: &Command) -> bool {
    match command {
        Command::Runs(_)
        | Command::WhyWaiting { .. }
        | Command::Inspect { .. }
        | Command::Replay { .. }
        | Command::Approve(_)
        | Command::Undo { .. }
        | Command::Review(_)
        | Command::Expansion { .. }
        | Command::Cancel { .. }
        | Command::Dlq(_)
        | Command::Gc(_)
        | Command::Audit { .. }
        | Command::Records(_)
        | Command::Unteach(_) => true,
        Command::Blob(command) => matches!(command, BlobCommand::Get { .. }),
        Command::Token(command) => !matches!(command, TokenCommand::New { .. }),
        _ => false,
    }
}

/// A run id from the command line.
fn run_id(text: &str) -> Result<RunId> {
    text.parse().with_context(|| "give the id of a run; `brain runs` lists them")
}

/// Waits until a resumed run settles, prints it, and stops this process's engine.
async fn conclude(global: &Global, kernel: &Kernel, scope: &Scope, run: RunId) -> Result<Report> {
    // On a timeout, the report shows the run's present status.
    drop(tokio::time::timeout(WAIT, kernel.engine().wait(scope, run)).await);
    let report = kernel.report(scope, run)?;
    if global.json {
        show::report_as_json(report.clone());
    } else {
        show::report(&report);
    }
    kernel.engine().stop();
    Ok(report)
}
