//! Terminal output. Colours are dropped when standard output is not a terminal.

use anstyle::{AnsiColor, Style};
use brain_core::{Clock as _, Millis, Timestamp};
use brain_engine::EngineError;
use brain_kernel::KernelError;
use brain_server::wire::{Confidence, ProblemDocument, Receipt, RunResponse};
use brain_store::StoreError;
use serde_json::{Map, Value};

use crate::cli::{ColorArg, Global};
use crate::commands::Usage;
use crate::hint;
use crate::next_action::in_terminal;
use crate::open::PacksRefused;
use crate::remote::Refused;
use crate::system::SystemClock;
use crate::table::{Table, wide, width, wrap};

/// Secondary text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Emphasis.
pub(crate) const BOLD: Style = Style::new().bold();
/// Success.
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
/// Failure.
pub(crate) const RED: Style = AnsiColor::Red.on_default().bold();
/// Waiting, or a warning.
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();

/// Prints an error: as text to standard error, or as a problem document to standard output.
pub(crate) fn error(error: &anyhow::Error, as_json: bool) {
    if as_json {
        if let Some(Refused(document)) = error.downcast_ref::<Refused>() {
            return json(document);
        }
        let detail = format!("{error:#}");
        if let Some(PacksRefused(report)) = error.downcast_ref::<PacksRefused>() {
            return json(&ProblemDocument::of_packs(report, &detail));
        }
        if error.is::<Usage>() {
            return json(&ProblemDocument::of_usage(&detail));
        }
        let of_engine = || error.downcast_ref::<EngineError>().map(|error| KernelError::from(error.clone()));
        let of_store = || error.downcast_ref::<StoreError>().map(|error| KernelError::from(error.clone()));
        let known = error.downcast_ref::<KernelError>().cloned().or_else(of_engine).or_else(of_store);
        let known = known.map(|error| ProblemDocument::of_kernel(error, &detail));
        return json(&known.unwrap_or_else(|| ProblemDocument::of_command(&detail)));
    }
    let text = match error.downcast_ref::<Refused>() {
        // A sentence of the API goes on after the word "error".
        Some(_) => uncapitalised(&format!("{error:#}")),
        None => format!("{error:#}"),
    };
    anstream::eprintln!("{RED}error:{RED:#} {}", hint::targeted(&text));
}

/// A text that begins with a small letter, unless its first word is a name such as `Brain-Actor`.
fn uncapitalised(text: &str) -> String {
    let mut letters = text.chars();
    let is_word = text.split(' ').next().is_some_and(|word| word.chars().skip(1).all(char::is_lowercase));
    match letters.next().filter(|_| is_word) {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => text.to_owned(),
    }
}

/// Uses colours always, never, or in a terminal only.
pub(crate) fn use_colours(when: ColorArg) {
    let choice = match when {
        ColorArg::Auto => anstream::ColorChoice::Auto,
        ColorArg::Always => anstream::ColorChoice::Always,
        ColorArg::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// Prints JSON, indented.
pub(crate) fn json(value: &impl serde::Serialize) {
    crate::out::text(format_args!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default()));
}

/// A number of things: `1 tool`, `2 tools`.
pub(crate) fn count<N: std::fmt::Display + PartialEq + From<u8>>(number: N, thing: &str) -> String {
    let ending = if number == N::from(1) { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

/// A status in its colour.
pub(crate) fn status(status: &str) -> String {
    let style = match status {
        "completed" | "succeeded" => GREEN,
        "failed" | "compensated" | "cancelled" | "in_doubt" => RED,
        _ => YELLOW,
    };
    format!("{style}{status}{style:#}")
}

/// `name: value, …`; if that is long, the fields that fit and `…`.
pub(crate) fn fields(value: &Value) -> String {
    const LONGEST: usize = 160;
    let Value::Object(map) = value else {
        return if value.is_null() { String::new() } else { plain(value) };
    };
    let mut text = String::new();
    for (name, value) in map {
        let part = format!("{name}: {}", plain(value));
        if !text.is_empty() && text.chars().count() + part.chars().count() > LONGEST {
            return format!("{text}, …");
        }
        text = if text.is_empty() { part } else { format!("{text}, {part}") };
    }
    text
}

pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".into(),
        Value::Array(items) if items.len() == 1 => "1 item".into(),
        Value::Array(items) => format!("{} items", items.len()),
        other => other.to_string(),
    }
}

/// A duration in its largest suitable unit.
pub(crate) fn span(length: Millis) -> String {
    match length.0 {
        ms if ms < 1_000 => format!("{ms} ms"),
        ms if ms < 60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        ms if ms < 3_600_000 => format!("{} min", ms / 60_000),
        ms if ms < 86_400_000 => format!("{} h", ms / 3_600_000),
        ms => format!("{} d", ms / 86_400_000),
    }
}

/// The same for a sentence: `6 days`, `1 hour`.
pub(crate) fn span_in_words(length: Millis) -> String {
    match length.0 {
        ms if ms < 60_000 => count(ms.div_ceil(1_000), "second"),
        ms if ms < 3_600_000 => count(ms / 60_000, "minute"),
        ms if ms < 86_400_000 => count(ms / 3_600_000, "hour"),
        ms => count(ms / 86_400_000, "day"),
    }
}

/// A time of the API without its milliseconds.
pub(crate) fn moment_text(text: &str) -> String {
    text.split('.').next().unwrap_or(text).trim_end_matches('Z').replace('T', " ")
}

/// A time of the API.
pub(crate) fn time(text: &str) -> Option<Timestamp> {
    serde_json::from_value(Value::from(text)).ok()
}

/// How long ago a time of the API was.
pub(crate) fn ago(text: &str) -> String {
    match time(text) {
        Some(at) => format!("{} ago", span(SystemClock.now().since(at))),
        None => moment_text(text),
    }
}

/// Rows of a list in an answer that are shown.
pub(crate) const ROWS: usize = 10;

/// Prints the items of a list in columns, as many as fit a screen: names first, ids last.
fn rows(receipt: &Receipt) {
    let result = &receipt.result;
    for list in result.as_object().into_iter().flat_map(|map| map.values()).filter_map(Value::as_array) {
        let items: Vec<&Map<String, Value>> = list.iter().filter_map(Value::as_object).collect();
        if items.is_empty() {
            continue;
        }
        let mut columns: Vec<&str> = Vec::new();
        for name in items.iter().take(ROWS).flat_map(|item| item.keys()).map(String::as_str) {
            if !columns.contains(&name) && !HIDDEN.contains(&name) {
                columns.push(name);
            }
        }
        columns.sort_by_key(|name| importance(name, items.iter().find_map(|item| item.get(*name))));
        let mut table = Table::new(columns.iter().copied());
        for item in items.iter().take(ROWS) {
            let cell = |name: &&str| item.get(*name).filter(|value| !value.is_null()).map(plain).unwrap_or_default();
            table.push(columns.iter().map(cell).collect());
        }
        table.print(2);
        if items.len() > ROWS {
            let more = items.len() - ROWS;
            outln!("  {DIM}… and {more} more in this response, which --json shows{DIM:#}");
            let kinds = receipt.effects.as_object().into_iter().flat_map(Map::values);
            let kind = kinds.filter_map(|list| list[0]["type"].as_str()).next().unwrap_or("TYPE");
            let command = crate::hint::command(&format!("records list {kind}"));
            outln!("  {DIM}→{DIM:#} to page through all: {command}");
        }
    }
}

/// Fields that say little to people.
const HIDDEN: [&str; 3] = ["created_at", "updated_at", "revision"];

/// The order of columns: names, states, other values, ids.
fn importance(name: &str, value: Option<&Value>) -> u8 {
    let is_id = || value.and_then(Value::as_str).is_some_and(|text| text.parse::<brain_core::RecordId>().is_ok());
    match name {
        "name" | "title" | "label" => 0,
        "state" | "status" => 1,
        "id" => 4,
        _ if is_id() => 3,
        _ => 2,
    }
}

/// An answer of the API, with next actions worded as commands.
pub(crate) fn in_commands(response: RunResponse) -> RunResponse {
    let next_actions = response.actions.iter().map(in_terminal).collect();
    RunResponse { next_actions, ..response }
}

/// Prints the answer to a request, as the options say.
pub(crate) fn answer(global: &Global, response: RunResponse) {
    if global.json {
        json(&in_commands(response));
    } else if global.quiet {
        outln!("{}", response.assistant_message);
        response.receipts.iter().for_each(rows);
    } else {
        report(&response, global.verbose);
    }
}

/// Prints the answer to a request. `verbose` adds how it was understood, the plan and the receipts.
pub(crate) fn report(response: &RunResponse, verbose: bool) {
    let RunResponse { decision, planned_tool_calls: planned, receipts, .. } = response;
    if verbose {
        if !planned.is_empty() {
            let confidence = word(&decision.confidence);
            outln!("{DIM}understood{DIM:#}  {} {DIM}({confidence} confidence){DIM:#}", decision.reason);
        }
        for (number, call) in planned.iter().enumerate() {
            let head = if number == 0 { "plan      " } else { "          " };
            let (number, input) = (number + 1, fields(&call.input));
            let fits = 15 + wide(&call.tool_name) + 2 + wide(&input) <= width();
            let beside = if fits { input.as_str() } else { "" };
            outln!("{DIM}{head}{DIM:#}  {number}. {BOLD}{}{BOLD:#}  {beside}", call.tool_name);
            if !fits {
                lines(&input, 15);
            }
        }
        for receipt in receipts {
            let mark =
                if receipt.status == "succeeded" { format!("{GREEN}✓{GREEN:#}") } else { format!("{RED}✗{RED:#}") };
            let undo = if receipt.undo { " (undo)" } else { "" };
            let took = span(Millis(receipt.duration_ms));
            outln!("{DIM}receipt   {DIM:#}  {mark} {}{undo}  {DIM}{took}{DIM:#}", receipt.tool_name);
            lines(&fields(&receipt.result), 14);
        }
        if !planned.is_empty() {
            outln!();
        }
    }
    // A run that goes on is not ok yet, but nothing is wrong with it.
    let fine = response.ok || (response.errors.is_empty() && !response.status.is_over());
    let style = if fine { Style::new() } else { RED };
    for (number, line) in response.assistant_message.lines().enumerate() {
        if number == 0 { outln!("{style}{line}{style:#}") } else { outln!("{line}") }
    }
    receipts.iter().for_each(rows);
    if decision.confidence != Confidence::None {
        for action in response.actions.iter().map(in_terminal).filter(|action| !action.trim().is_empty()) {
            outln!("{DIM}→{DIM:#} {action}");
        }
    }
    outln!("{DIM}run {} · {}{DIM:#}", response.run_id, status(response.status.as_str()));
}

/// Prints indented secondary text, in lines that fit.
fn lines(text: &str, indent: usize) {
    for line in wrap(text, width().saturating_sub(indent)) {
        outln!("{:indent$}{DIM}{line}{DIM:#}", "");
    }
}

/// A word of the API.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
