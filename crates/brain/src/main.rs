//! The `brain` command: reads the command line, opens what a command needs, and shows what came of it.
//!
//! Exit codes: 0 all is well, 1 it did not work out, 2 the command line is wrong.

mod cli;
mod commands;
mod open;
mod show;
mod system;

use std::process::ExitCode;

use clap::Parser;

/// Requests and records are many small values: this allocator is markedly quicker with them than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    system::start_logging(&cli.global);
    match commands::run(cli) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            show::error(&error);
            ExitCode::from(1)
        }
    }
}
