//! `brain inspect` and `brain replay`: the history of a run, and the check that its log rebuilds the same state.

use anyhow::{Context, Result};
use brain_core::{Redactor, RunId, RunStatus, Timestamp, canonical_digest};
use brain_engine::log::{LogEntry, entries};
use brain_engine::{PipeEvent, RunState};
use brain_kernel::Kernel;
use brain_server::wire;
use brain_store::Scope;
use brain_vm::{Event, Happened, JobId, StepId};
use serde_json::Value;

use crate::cli::Global;
use crate::show::{BOLD, DIM, GREEN, RED, YELLOW};
use crate::{open, show};

pub(crate) fn inspect(global: &Global, run: &str) -> Result<bool> {
    let run = super::run_id(run)?;
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        if global.json {
            let state = kernel.engine().run_state(&scope, run)?;
            let response = show::response(kernel.report(&scope, run)?);
            let redactor = kernel.redactor_of(&state);
            let shown = |value: &Value| wire::shown_request(value, &state.log, &redactor);
            let response = shown(&serde_json::to_value(response)?);
            let events = wire::run_events(&state.log, &redactor);
            show::json(&serde_json::json!({"run": response, "request": shown(&state.row.request), "events": events}));
        } else {
            timeline(&kernel, &scope, run)?;
        }
        kernel.engine().stop();
        Ok(true)
    })
}

/// Prints the history of a run, event by event.
pub(crate) fn timeline(kernel: &Kernel, scope: &Scope, run: RunId) -> Result<()> {
    let state = kernel.engine().run_state(scope, run)?;
    let row = &state.row;
    let took = row.updated_at.since(row.created_at);
    anstream::println!(
        "{BOLD}Run {run}{BOLD:#}  {} {DIM}in {}{DIM:#}",
        show::status(row.status.as_str()),
        show::span(took)
    );
    let redactor = &kernel.redactor_of(&state);
    let request = wire::shown_request(&row.request, &state.log, redactor);
    let text = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
    let said = text("message");
    let said = if said.is_empty() { "called by name".to_owned() } else { format!("“{said}”") };
    if row.request["erased"].is_string() {
        let at = show::moment(row.created_at);
        anstream::println!("{DIM}requested at {at}; payloads were erased, digests remain{DIM:#}\n");
    } else {
        anstream::println!(
            "{said} {DIM}by {} ({}, {}) at {}{DIM:#}\n",
            text("actor"),
            text("channel"),
            text("mode"),
            show::moment(row.created_at)
        );
    }
    for entry in entries(&state.log) {
        event(&state, &entry, row.created_at, redactor);
    }
    if let Some(machine) = &state.state
        && !machine.is_ended()
        && let Some(at) = machine.wake_at()
    {
        anstream::println!("{DIM}scheduled again at {at}{DIM:#}");
    }
    Ok(())
}

/// Prints one event in one or two lines.
fn event(state: &RunState, entry: &LogEntry<'_>, start: Timestamp, redactor: &Redactor) {
    let at = format!("+{}", show::span(entry.at.since(start)));
    let line = |what: &str, more: &str| anstream::println!("  {DIM}{at:>9}{DIM:#}  {what:<12} {more}");
    let detail = |name: &str, value: &str| {
        if !value.is_empty() {
            anstream::println!("             {DIM}{name:<11}  {value}{DIM:#}");
        }
    };
    // Personal values are redacted for readers of the log.
    let payload = &wire::shown_payload(entry.payload.unwrap_or(&Value::Null), &state.log, redactor);
    let data = entry.value();
    let text = |name: &str| data[name].as_str().unwrap_or_default();
    let Ok(machine) = entry.machine() else {
        return line("unknown", &format!("event {} version {}", entry.number, entry.version));
    };
    let Some(machine) = machine else {
        if entry.is(PipeEvent::Received) {
            line("received", "");
        } else if entry.is(PipeEvent::Understood) {
            understood(payload, &line);
        } else if entry.is(PipeEvent::Planned) {
            let calls = payload["calls"].as_array().map_or(0, Vec::len);
            let program: String = text("program").chars().take(12).collect();
            let plural = if calls == 1 { "" } else { "s" };
            line(
                "planned",
                &format!(
                    "{calls} tool call{plural} {DIM}· {} confidence · program {program}{DIM:#}",
                    text("confidence")
                ),
            );
        } else if entry.is(PipeEvent::Refused) {
            line("refused", &format!("{RED}nothing was done{RED:#}"));
            for error in payload["errors"].as_array().into_iter().flatten() {
                detail(error["code"].as_str().unwrap_or_default(), error["message"].as_str().unwrap_or_default());
            }
        } else if entry.is(PipeEvent::Staged) {
            line(
                "staged",
                &format!(
                    "{YELLOW}waits for the {}'s approval{YELLOW:#} {DIM}· approval {}{DIM:#}",
                    text("consent"),
                    text("approval")
                ),
            );
        } else if entry.is(PipeEvent::Approved) {
            line("approved", &format!("by {}", text("by")));
        } else if entry.is(PipeEvent::Rejected) {
            line("rejected", &format!("by {}", text("by")));
            detail("note", payload["note"].as_str().unwrap_or_default());
        } else if entry.is(PipeEvent::Expired) {
            let what = if text("was") == "staged" { "not approved" } else { "not answered" };
            line("expired", &format!("{RED}✗{RED:#} {what} by {}", text("until")));
        } else if entry.is(PipeEvent::Cancelled) {
            line("cancelled", "before any step ran");
        } else if entry.is(PipeEvent::LetterOpened) {
            line("told", &format!("{} that `{}` waits for a person", text("to"), text("tool")));
        } else if entry.is(PipeEvent::Answered) {
            line("answered", "nothing was done");
        } else if entry.is(PipeEvent::TakenOver) {
            line("taken over", "its process had stopped");
        } else if entry.is(PipeEvent::Parked) {
            line("parked", text("why"));
        } else if entry.is(PipeEvent::Unparked) {
            line("reloaded", &format!("by {}", text("by")));
        } else if entry.is(PipeEvent::Aborted) {
            line("aborted", &format!("by {}", text("by")));
            detail("note", payload["note"].as_str().unwrap_or_default());
        } else if entry.is(PipeEvent::Checkpoint) {
            line("compacted", &format!("{} earlier events were compacted; receipts remain", data["events"]));
        } else if entry.is(PipeEvent::Archived) {
            let count = data["receipts"].as_array().map_or(0, Vec::len);
            line("archived", &format!("{count} receipts of compacted events"));
        } else if entry.is(PipeEvent::Migrated) {
            let to: String = text("to").chars().take(12).collect();
            line("moved", &format!("to program {to} by {}", text("by")));
        } else if entry.is(PipeEvent::Reviewed) {
            line("reviewed", &format!("{} by {}", text("outcome"), text("by")));
            detail("corrections", &show::fields(&payload["corrections"]));
            detail("note", payload["note"].as_str().unwrap_or_default());
        } else if entry.is(PipeEvent::LetterDecided) {
            line("decided", &format!("{} by {}", text("outcome"), text("by")));
            detail("note", payload["note"].as_str().unwrap_or_default());
        }
        return;
    };
    let part_of =
        |scope: u32| if scope == 0 { String::new() } else { format!("{}: ", end_of(&state.scope_path(scope))) };
    let step = |at: StepId| state.step_at(entry.seq, at).map_or_else(String::new, |(id, _)| end_of(&id));
    let call = |job: JobId, attempt: u32| name(state, entry.seq, job, attempt);
    match machine {
        Event::RunStarted { .. } => line("started", ""),
        Event::ConditionMet { .. } => {}
        Event::StepSkipped { at } => line("skipped", &format!("{}: its condition does not hold", step(at))),
        Event::EachOpened { at, count } => line("list", &format!("{}: {count} items", step(at))),
        Event::JobStarted { job, attempt, .. } => {
            line("handed over", &call(job, attempt));
            detail("args", &show::fields(&payload["args"]));
        }
        Event::JobDone { job, attempt } => {
            line("done", &format!("{GREEN}✓{GREEN:#} {}", call(job, attempt)));
            detail("args", &show::fields(&payload["args"]));
            detail("result", &show::fields(&payload["result"]["data"]));
            for artifact in payload["result"]["artifacts"].as_array().into_iter().flatten() {
                let part = |name: &str| artifact[name].as_str().unwrap_or_default().to_owned();
                detail(&part("role"), &format!("{} {}", part("type"), part("id")));
            }
        }
        Event::JobDoneBadly { job, attempt, failure } => {
            line("done badly", &format!("{YELLOW}!{YELLOW:#} {}: {failure}", call(job, attempt)));
        }
        Event::JobRetrying { job, attempt, failure, at, unsettled } => {
            line(
                if unsettled { "lost" } else { "failed" },
                &format!("{RED}✗{RED:#} {}: {failure}", call(job, attempt)),
            );
            detail("again at", &at.to_string());
        }
        Event::JobFailed { job, attempt, failure } => {
            line("failed", &format!("{RED}✗{RED:#} {}: {failure}", call(job, attempt)));
        }
        Event::JobStuck { job, attempt, failure, happened } => {
            let what = if happened == Happened::Maybe { "in doubt" } else { "dead letter" };
            line(what, &format!("{YELLOW}!{YELLOW:#} {}: {failure}", call(job, attempt)));
        }
        Event::JobReopened { job } => line("again", &call(job, 0)),
        Event::JobDismissed { job } => line("dismissed", &call(job, 0)),
        Event::JobChecking { job, attempt, failure } => {
            line("checking", &format!("{}: {failure}", call(job, attempt)));
        }
        Event::CheckPostponed { job, attempt, at, failure: Some(failure) } => {
            let call = call(job, attempt);
            line("no answer", &format!("{call}: the check failed ({failure}); next check at {at}"));
        }
        Event::CheckPostponed { job, attempt, at, failure: None } => {
            line("not yet", &format!("{} may still take effect; next check at {at}", call(job, attempt)));
        }
        Event::CheckDenied { job, attempt } => line("not done", &format!("{} had not happened", call(job, attempt))),
        Event::ScopeStopped { scope, stop, failure } => {
            let why = failure.map_or_else(String::new, |failure| format!(": {failure}"));
            line("stopping", &format!("{}{}{why}", part_of(scope), format!("{stop:?}").to_lowercase()));
        }
        Event::StopForced { scope } => line("forced", &format!("{}no longer waiting", part_of(scope))),
        Event::ScopeEnded { scope, end } => {
            line("ended", &format!("{}{}", part_of(scope), format!("{end:?}").to_lowercase()));
        }
        Event::WaitArmed { .. } => line("waiting", "for the first of several things"),
        Event::WaitWon { arm, .. } => line("came first", &format!("number {}", arm + 1)),
        Event::CompensationStarted { .. } => line("undoing", "finished steps are undone, last first"),
        Event::RunEnded { end } => line(&format!("{end:?}").to_lowercase(), ""),
        Event::SignalIgnored { what, .. } => line("ignored", &format!("{what}: it changed nothing")),
        Event::ScopeOpened { job, attempt, .. } => {
            line("grew", &format!("{} added steps", call(job, attempt)));
            detail("args", &show::fields(&payload["args"]));
        }
        Event::JobOffered { job } => {
            line("offered", &format!("{} waits for a worker", call(job, 0)));
            detail("args", &show::fields(&payload["args"]));
        }
        Event::JobLeased { job, attempt, until } => {
            let worker = payload["worker"].as_str().unwrap_or("a worker");
            line("taken", &format!("{} by {worker} until {until}", call(job, attempt)));
        }
        Event::LeaseExtended { job, attempt, until } => {
            line("extended", &format!("{} until {until}", call(job, attempt)));
        }
        Event::JobDelegated { job, attempt, .. } => {
            line("delegated", &format!("{YELLOW}…{YELLOW:#} {}", call(job, attempt)));
            detail("to", &show::fields(&payload["result"]["delegate"]));
        }
        Event::JobHeld { job, .. } => {
            line("held", &format!("{YELLOW}!{YELLOW:#} {} waits for an approval", call(job, 0)));
            detail("args", &show::fields(&payload["args"]));
        }
        Event::JobGranted { job } => line("granted", &call(job, 0)),
        Event::ReviewAsked { job, attempt } => {
            line("review", &format!("{YELLOW}!{YELLOW:#} {} waits for review", call(job, attempt)));
            detail("ask", payload["result"]["review"]["ask"].as_str().unwrap_or_default());
            detail("result", &show::fields(&payload["result"]["data"]));
        }
        Event::StepBypassed { at, because } => {
            line("left out", &format!("{}: `{}` did not succeed", step(at), step(StepId { step: because, ..at })));
        }
        Event::BatchRolledBack { .. } => line("rolled back", "no write of the batch was kept"),
    }
}

fn understood(payload: &Value, line: &dyn Fn(&str, &str)) {
    let evidence = &payload["evidence"];
    for intent in evidence["intents"].as_array().into_iter().flatten() {
        let part = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        line(
            "understood",
            &format!(
                "{BOLD}{}{BOLD:#} {DIM}by the phrase “{}”{DIM:#}",
                part(&intent["target"]),
                part(&intent["evidence"]["phrase"])
            ),
        );
    }
    match evidence["kind"].as_str() {
        Some("ask") => line("understood", "ambiguous: asked"),
        Some("unknown") => line("understood", "not understood"),
        _ => {}
    }
}

fn name(state: &RunState, seq: u64, job: JobId, attempt: u32) -> String {
    let Some((id, step)) = state.step_at(seq, job.at()) else { return String::new() };
    let tool = &step.call(job.undo).tool.name;
    let item = if step.foreach.is_some() { format!(" item {}", job.item + 1) } else { String::new() };
    let attempt = if attempt > 1 { format!(" attempt {attempt}") } else { String::new() };
    format!("{BOLD}{tool}{BOLD:#} {DIM}{}{item}{attempt}{DIM:#}", end_of(&id))
}

/// The end of a step's path, so that deeply nested steps fit the line; `--json` has the whole path.
fn end_of(path: &str) -> String {
    const LONGEST: usize = 28;
    let count = path.chars().count();
    if count <= LONGEST {
        return path.to_owned();
    }
    let tail: String = path.chars().skip(count - (LONGEST - 2)).collect();
    match tail.find('/') {
        Some(at) => format!("…{}", &tail[at..]),
        None => format!("…{tail}"),
    }
}

pub(crate) fn replay(global: &Global, run: &str) -> Result<bool> {
    let run = super::run_id(run)?;
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let stored = kernel.engine().run_state(&scope, run)?;
        let events = entries(&stored.log).count();
        let outcome = rebuild(&kernel, &stored)?;
        let same = outcome.differences.is_empty();
        if global.json {
            show::json(&serde_json::json!({
                "ok": same, "run_id": run, "events": events, "status": outcome.status, "state_digest": outcome.digest,
                "receipts": outcome.receipts, "differences": outcome.differences, "executed": 0,
            }));
        } else if same {
            anstream::println!(
                "{GREEN}✓{GREEN:#} Replayed {events} events of run {run}: the log matches the stored state."
            );
            anstream::println!(
                "{DIM}status {} · receipts: {} · state {}{DIM:#}",
                outcome.status,
                outcome.receipts,
                outcome.digest.get(..12).unwrap_or_default()
            );
            anstream::println!("{DIM}Nothing was executed.{DIM:#}");
        } else {
            anstream::println!("{RED}✗{RED:#} The log of run {run} does not match the stored state:");
            for difference in &outcome.differences {
                anstream::println!("  {difference}");
            }
        }
        kernel.engine().stop();
        Ok(same)
    })
}

struct Rebuilt {
    status: RunStatus,
    digest: String,
    receipts: usize,
    differences: Vec<String>,
}

/// Folds the log and compares the result with the stored columns.
fn rebuild(kernel: &Kernel, stored: &RunState) -> Result<Rebuilt> {
    let row = &stored.row;
    let mut differences = Vec::new();
    let events = entries(&stored.log).last().map_or(0, |entry| entry.seq + 1);
    if events != row.schedule.seq {
        differences.push(format!("the log has {events} events, the row says {}", row.schedule.seq));
    }
    // Compaction leaves gaps before the last checkpoint, never after it.
    let compacted = entries(&stored.log).filter(|entry| entry.is(PipeEvent::Checkpoint)).last();
    let from = compacted.map_or(0, |entry| entry.seq);
    for (expected, entry) in (from..).zip(entries(&stored.log).filter(|entry| entry.seq >= from)) {
        if entry.seq != expected {
            differences.push(format!("found event {} instead of {expected}", entry.seq));
            break;
        }
    }
    let (Some(_), Some(state)) = (&stored.code, &stored.state) else {
        let digest = canonical_digest(&serde_json::json!({"status": row.status})).to_string();
        return Ok(Rebuilt { status: row.status, digest, receipts: 0, differences });
    };
    let started = state.phase() != brain_vm::Phase::New;
    let status = if started { state.status() } else { row.status };
    if status != row.status {
        differences.push(format!("the log gives status `{status}`, the row says `{}`", row.status));
    }
    if started && state.wake_at() != row.schedule.wake_at {
        differences.push("the log gives another wake-up time".into());
    }
    let hash = row.program.context("a run with a program names it")?;
    if kernel.engine().program(hash)?.id().0 != hash {
        differences.push("the stored program does not match its hash".into());
    }
    let receipts = stored.receipts()?.len();
    Ok(Rebuilt { status, digest: canonical_digest(state).to_string(), receipts, differences })
}

#[cfg(test)]
mod tests {
    use super::end_of;

    #[test]
    fn a_path_is_cut_between_its_steps_and_keeps_its_end() {
        assert_eq!(end_of("a/b/c"), "a/b/c");
        let deep = ["expand_all"; 10].join("/");
        assert_eq!(end_of(&deep), "…/expand_all/expand_all");
        let long = format!("a/{}", "x".repeat(40));
        assert_eq!(end_of(&long), format!("…{}", "x".repeat(26)));
    }
}
