//! Terminal output. Colours are dropped when standard output is not a terminal.

use anstyle::{AnsiColor, Style};
use brain_core::Confidence;
use brain_core::{Millis, Timestamp};
use brain_engine::EngineError;
use brain_kernel::{KernelError, Report};
use brain_server::wire::{ProblemDocument, RunResponse};
use brain_store::StoreError;
use serde_json::Value;

use crate::cli::ColorArg;
use crate::next_action::in_terminal;

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
        let detail = format!("{error:#}");
        let of_engine = || error.downcast_ref::<EngineError>().map(|error| KernelError::from(error.clone()));
        let of_store = || error.downcast_ref::<StoreError>().map(|error| KernelError::from(error.clone()));
        let known = error.downcast_ref::<KernelError>().cloned().or_else(of_engine).or_else(of_store);
        let known = known.map(|error| ProblemDocument::of_kernel(error, &detail));
        return json(&known.unwrap_or_else(|| ProblemDocument::of_command(&detail)));
    }
    anstream::eprintln!("{RED}error:{RED:#} {error:#}");
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
    println!("{}", serde_json::to_string_pretty(value).unwrap_or_default());
}

/// A number of things: `1 tool`, `2 tools`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
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

/// `name: value, …`, shortened if long.
pub(crate) fn fields(value: &Value) -> String {
    const LONGEST: usize = 160;
    let text = match value {
        Value::Object(map) => {
            let parts: Vec<String> = map.iter().map(|(name, value)| format!("{name}: {}", plain(value))).collect();
            parts.join(", ")
        }
        Value::Null => String::new(),
        other => plain(other),
    };
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain(['…']).collect()
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

/// A time without its milliseconds.
pub(crate) fn moment(at: Timestamp) -> String {
    let text = at.to_string();
    text.split('.').next().unwrap_or(&text).replace('T', " ")
}

/// Prints the rows of a list, as many as fit a screen.
fn rows(result: &Value) {
    const SHOWN: usize = 10;
    for list in result.as_object().into_iter().flat_map(|map| map.values()).filter_map(Value::as_array) {
        for item in list.iter().filter(|item| item.is_object()).take(SHOWN) {
            let mut item = item.clone();
            if let Some(map) = item.as_object_mut() {
                map.remove("created_at");
                map.remove("updated_at");
            }
            anstream::println!("              • {}", fields(&item));
        }
        if list.len() > SHOWN && list[0].is_object() {
            anstream::println!("              {DIM}… and {} more; --json shows all{DIM:#}", list.len() - SHOWN);
        }
    }
}

/// A report as in the API, with next actions worded as commands.
pub(crate) fn response(report: Report) -> RunResponse {
    let next_actions = report.next_actions.iter().map(in_terminal).collect();
    RunResponse { next_actions, ..RunResponse::from(report) }
}

/// A report as JSON.
pub(crate) fn report_as_json(report: Report) {
    json(&response(report));
}

/// Prints the answer to a request.
pub(crate) fn report(report: &Report) {
    let confidence = &report.confidence;
    if !report.planned.is_empty() {
        anstream::println!("{DIM}understood{DIM:#}  {} {DIM}({confidence} confidence){DIM:#}", report.reason);
        for (number, call) in report.planned.iter().enumerate() {
            let head = if number == 0 { "plan      " } else { "          " };
            anstream::println!(
                "{DIM}{head}{DIM:#}  {}. {BOLD}{}{BOLD:#}  {}",
                number + 1,
                call.tool,
                fields(&call.input)
            );
        }
    }
    for receipt in &report.receipts {
        let mark =
            if receipt.status == "succeeded" { format!("{GREEN}✓{GREEN:#}") } else { format!("{RED}✗{RED:#}") };
        let undo = if receipt.undo { " (undo)" } else { "" };
        let took = receipt.finished_at.since(receipt.started_at);
        anstream::println!("{DIM}receipt   {DIM:#}  {mark} {}{undo}  {DIM}{}{DIM:#}", receipt.tool, span(took));
        let shown = fields(&receipt.result);
        if !shown.is_empty() {
            anstream::println!("              {DIM}{shown}{DIM:#}");
        }
        rows(&receipt.result);
    }
    anstream::println!();
    let style = if report.ok { Style::new() } else { RED };
    for (number, line) in report.message.lines().enumerate() {
        if number == 0 { anstream::println!("{style}{line}{style:#}") } else { anstream::println!("{line}") }
    }
    if report.confidence != Confidence::None {
        for action in report.next_actions.iter().map(in_terminal) {
            anstream::println!("{DIM}→{DIM:#} {action}");
        }
    }
    anstream::println!("{DIM}run {} · {}{DIM:#}", report.run, status(report.status.as_str()));
}
