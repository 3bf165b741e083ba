//! Brain as a library: the whole program, for a program of one's own with tools written in Rust.
//!
//! A function becomes a tool with [`tool`]; the program's `main` is [`main`]:
//!
//! ```
//! /// A text.
//! #[brain::data]
//! struct Text {
//!     /// The text to count.
//!     text: String,
//! }
//!
//! #[brain::data]
//! struct Count {
//!     words: usize,
//! }
//!
//! /// Counts the words of a text.
//! #[brain::tool(name = "text.word_count", phrases = ["count the words of {text}"])]
//! fn word_count(input: Text) -> Result<Count, brain::Failure> {
//!     Ok(Count { words: input.text.split_whitespace().count() })
//! }
//!
//! fn main() -> std::process::ExitCode {
//! #   if brain::natives().iter().any(|native| native.name == "text.word_count") { return 0.into(); }
//!     brain::main()
//! }
//! ```

#[macro_use]
mod out;

#[doc(hidden)]
pub mod bench;
mod cli;
mod commands;
mod config;
mod hint;
mod logging;
mod next_action;
mod notify;
mod open;
mod progress;
mod remote;
mod show;
mod system;
mod table;

use std::process::ExitCode;

pub use brain_core::Failure;
pub use brain_macros::{data, tool};
pub use brain_registry::ToolResult;
#[doc(hidden)]
pub use brain_tools::__native;
pub use brain_tools::{NativeContext, natives};
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, Parser};
pub use {schemars, serde, serde_json};

/// The whole command line. Exit codes: 0 done, 1 not done, 2 wrong usage.
pub fn main() -> ExitCode {
    system::end_quietly_without_reader();
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(without_old_names(error)),
    };
    show::use_colours(cli.global.color);
    system::outlive_file_size_limit();
    hint::remember(&cli.global);
    let as_json = cli.global.json;
    let done = cli.settle().and_then(|cli| {
        logging::start(&cli.global, &cli.command);
        commands::run(cli)
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) if system::is_broken_pipe(&error) => ExitCode::from(system::BROKEN_PIPE),
        Err(error) => {
            show::error(&error, as_json);
            ExitCode::from(if commands::is_wrong_usage(&error) { 2 } else { 1 })
        }
    }
}

/// The error without suggestions of old names, which the help does not show.
fn without_old_names(mut error: clap::Error) -> clap::Error {
    let invalid = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string);
    let mut args = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned());
    let first = args.find(|arg| !arg.starts_with('-'));
    if invalid.is_none() || invalid != first {
        return error;
    }
    let root = cli::Cli::command();
    let is_old = |name: &String| root.find_subcommand(name).is_some_and(clap::Command::is_hide_set);
    if let Some(ContextValue::Strings(names)) = error.remove(ContextKind::SuggestedSubcommand) {
        let shown: Vec<String> = names.into_iter().filter(|name| !is_old(name)).collect();
        if !shown.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(shown));
        }
    }
    error
}

/// Prints help, the version, or why the arguments cannot be used.
fn usage(error: clap::Error) -> ExitCode {
    let as_json = std::env::args_os().take_while(|arg| arg != "--").any(|arg| arg == "--json");
    if as_json && error.use_stderr() {
        let text = error.render().to_string();
        // The usage and the pointer to the help are for people.
        let what = text.split("\n\nUsage:").next().unwrap_or(&text).trim().trim_start_matches("error: ");
        show::json(&brain_server::wire::ProblemDocument::of_usage(what));
    } else if let Err(failed) = error.print()
        && !error.use_stderr()
    {
        out::end(&failed);
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
