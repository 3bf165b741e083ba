//! `brain dev reference`: the page `docs/reference/cli.md`, from the definitions of the commands.
//!
//! `cargo xtask docs` compares the page with this output.

use std::fmt::Write as _;

use anyhow::Result;
use clap::{Arg, ArgAction, Command, CommandFactory as _};

use crate::cli::Cli;

const INTRODUCTION: &str = "\
# Commands

Every command and option of `brain`. `brain dev reference` writes this page from the same definitions as `--help`; do not edit it.
[Using the command line](../guide/command-line.md) explains output, exit codes and settings, with examples.
";

/// Prints the page.
pub(crate) fn run() -> Result<bool> {
    outln!("{}", page().trim_end());
    Ok(true)
}

fn page() -> String {
    let mut root = Cli::command();
    root.build();
    let mut page = INTRODUCTION.to_owned();
    page.push_str("\n## Options of every command\n\n");
    table(&mut page, root.get_arguments().filter(|arg| arg.is_global_set()));
    page.push_str("\n## All commands\n\n");
    for command in visible(&root) {
        let name = command.get_name();
        let _ = writeln!(page, "- [`brain {name}`](#brain-{name}): {}", about(command));
    }
    for command in visible(&root) {
        section(&mut page, command, &format!("brain {}", command.get_name()), 2);
    }
    page
}

/// One command, then its subcommands.
fn section(page: &mut String, command: &Command, name: &str, level: usize) {
    let _ = writeln!(page, "\n{} `{name}`\n\n{}", "#".repeat(level), about(command));
    if !command.is_subcommand_required_set() {
        let _ = writeln!(page, "\n```text\n{}\n```", usage(command, name));
    }
    let own: Vec<&Arg> =
        command.get_arguments().filter(|arg| !arg.is_global_set() && !arg.is_hide_set() && is_own(arg)).collect();
    if !own.is_empty() {
        page.push('\n');
        table(page, own.into_iter());
    }
    if let Some(after) = command.get_after_help() {
        closing(page, after.to_string().trim());
    }
    for subcommand in visible(command) {
        section(page, subcommand, &format!("{name} {}", subcommand.get_name()), (level + 1).min(4));
    }
}

/// The text after the options: examples as they are, the rest as paragraphs.
fn closing(page: &mut String, text: &str) {
    for paragraph in text.split("\n\n") {
        let _ = match paragraph.contains("\n  ") {
            true => writeln!(page, "\n```text\n{paragraph}\n```"),
            false => writeln!(page, "\n{paragraph}"),
        };
    }
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

/// Not `--help` and `--version`, which clap adds.
fn is_own(arg: &Arg) -> bool {
    !matches!(arg.get_action(), ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version)
}

fn about(command: &Command) -> String {
    let text = command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string).unwrap_or_default();
    sentence(&text)
}

/// The usage line without the options that every command accepts.
fn usage(command: &Command, name: &str) -> String {
    let mut line = name.to_owned();
    if command.get_arguments().any(|arg| !arg.is_positional() && !arg.is_global_set() && is_own(arg)) {
        line.push_str(" [OPTIONS]");
    }
    for arg in command.get_positionals() {
        let value = value_name(arg);
        let more = if matches!(arg.get_action(), ArgAction::Append) { "…" } else { "" };
        let _ = if arg.is_required_set() { write!(line, " {value}{more}") } else { write!(line, " [{value}{more}]") };
    }
    if command.has_subcommands() {
        line.push_str(" [COMMAND]");
    }
    line
}

fn table<'a>(page: &mut String, args: impl Iterator<Item = &'a Arg>) {
    page.push_str("| option | meaning |\n|---|---|\n");
    for arg in args {
        let _ = writeln!(page, "| {} | {} |", label(arg), meaning(arg));
    }
}

/// `--mode MODE`, `-o FILE`, `TEXT`.
fn label(arg: &Arg) -> String {
    if arg.is_positional() {
        return format!("`{}`", cell(&value_name(arg)));
    }
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let mut label = [short, long].into_iter().flatten().collect::<Vec<_>>().join(", ");
    if arg.get_action().takes_values() {
        let _ = write!(label, " {}", value_name(arg));
    }
    format!("`{}`", cell(&label))
}

fn value_name(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    if names.is_empty() {
        return arg.get_id().as_str().to_uppercase();
    }
    names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" ")
}

/// Its help, then what it may be, what it is by default, and the variable that sets it.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let (help, variable) = without_variable(&help);
    let mut parts = vec![sentence(&help)];
    let values: Vec<_> = arg.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect();
    if arg.get_action().takes_values() && !values.is_empty() {
        let named = values.iter().map(|value| match value.get_help().map(ToString::to_string) {
            // A help that only repeats the name.
            Some(help) if lower(help.trim_end_matches('.')) == value.get_name() => format!("`{}`", value.get_name()),
            Some(help) => format!("`{}` ({})", value.get_name(), lower(help.trim_end_matches('.'))),
            None => format!("`{}`", value.get_name()),
        });
        parts.push(format!("One of {}.", named.collect::<Vec<_>>().join(", ")));
    }
    let defaults = arg.get_default_values();
    if arg.get_action().takes_values() && !defaults.is_empty() && !arg.is_hide_default_value_set() {
        let defaults: Vec<_> = defaults.iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
        parts.push(format!("Default: {}.", defaults.join(", ")));
    }
    let variable = variable.or_else(|| arg.get_env().map(|variable| variable.to_string_lossy().into_owned()));
    if let Some(variable) = variable {
        parts.push(format!("Also `{variable}`."));
    }
    cell(&parts.join(" "))
}

/// A help text without `[env: NAME]`, and the name.
fn without_variable(help: &str) -> (String, Option<String>) {
    let Some((before, rest)) = help.split_once("[env: ") else { return (help.to_owned(), None) };
    let (name, after) = rest.split_once(']').unwrap_or((rest, ""));
    (format!("{before}{after}"), Some(name.to_owned()))
}

/// One line that ends with a full stop.
fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace("[default: ", "Default: ").trim_end_matches(']').to_owned();
    if text.is_empty() || text.ends_with(['.', ')']) { text } else { text + "." }
}

/// With a small first letter, unless the word has more capitals.
fn lower(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), text.chars().nth(1)) {
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// Safe inside a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', r"\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_visible_command_and_no_hidden_one() {
        let page = page();
        for wanted in ["## `brain do`", "### `brain runs show`", "#### `brain admin token new`", "`--store URL`"] {
            assert!(page.contains(wanted), "{wanted} is missing");
        }
        for hidden in ["brain inspect", "brain why-waiting", "brain dev reference`", "brain help"] {
            assert!(!page.contains(&format!("# `{hidden}")), "{hidden} is hidden");
        }
    }

    #[test]
    fn a_row_says_what_an_option_takes_and_where_it_comes_from() {
        let page = page();
        let mode = page.lines().find(|line| line.contains("`--mode MODE`")).unwrap();
        assert!(mode.contains("`plan` (stage the plan for approval)"), "{mode}");
        assert!(mode.contains("Default: `enqueue_and_wait`."), "{mode}");
        assert!(
            page.lines().any(|line| line.starts_with("| `--tenant NAME`") && line.contains("Also `BRAIN_TENANT`."))
        );
    }
}
