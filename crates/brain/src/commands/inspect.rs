//! `brain runs show` and `brain runs replay`: the history of a run, and the check that its log rebuilds the same state.

use anyhow::Result;
use brain_core::{ContractStatus, RunStatus, Timestamp};
use brain_engine::PipeEvent;
use brain_server::wire::{Page, Replay, RunEvent, RunResponse, WhyWaiting};
use brain_vm::{Event, EventError, Happened, VM_EVENTS};
use serde_json::{Value, json};

use crate::cli::Global;
use crate::remote::{Client, Need};
use crate::show;
use crate::show::{BOLD, DIM, GREEN, RED, YELLOW};
use crate::table::{width, wrap, wrap_all};

/// The column where the text of an event begins.
const COLUMN: usize = 26;

pub(crate) fn inspect(global: &Global, run: &str) -> Result<bool> {
    let run = super::run_id(run)?;
    super::talk(global, Need::Existing, async |client| {
        if !global.json {
            timeline(client, &run).await?;
            return Ok(true);
        }
        let shown: RunResponse =
            client.ask(&format!("/v1/runs/{run}"), &[("redacted", Some("true".to_owned()))]).await?;
        let request: Value = client.get(&format!("/v1/runs/{run}/request")).await?;
        let shown = show::in_commands(shown);
        let events = events(client, &run).await?;
        show::json(&json!({"run": shown, "request": request, "events": events}));
        Ok(true)
    })
}

/// Every event of a run.
async fn events(client: &Client, run: &str) -> Result<Vec<RunEvent>> {
    let (mut all, mut cursor) = (Vec::new(), None);
    loop {
        let query = [("limit", Some("200".to_owned())), ("cursor", cursor)];
        let page: Page<RunEvent> = client.ask(&format!("/v1/runs/{run}/events"), &query).await?;
        all.extend(page.items);
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => return Ok(all),
        }
    }
}

/// Prints the history of a run, event by event.
pub(crate) async fn timeline(client: &Client, run: &str) -> Result<()> {
    let response: RunResponse = client.get(&format!("/v1/runs/{run}")).await?;
    let request: Value = client.get(&format!("/v1/runs/{run}/request")).await?;
    let begun = show::time(&response.created_at).unwrap_or_default();
    let took = show::time(&response.updated_at).unwrap_or_default().since(begun);
    outln!(
        "{BOLD}Run {run}{BOLD:#}  {} {DIM}{} {}{DIM:#}",
        show::status(response.status.as_str()),
        lasted(response.status),
        show::span(took)
    );
    let text = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
    let at = show::moment_text(&response.created_at);
    if response.erased {
        outln!("{DIM}requested at {at}; payloads were erased, digests remain{DIM:#}\n");
    } else {
        let said = text("message");
        let said = if said.is_empty() { "direct tool call".to_owned() } else { format!("“{said}”") };
        for line in wrap(&said, width()) {
            outln!("{line}");
        }
        outln!("{DIM}by {} ({}, {}) at {at}{DIM:#}\n", text("actor"), text("channel"), text("mode"));
    }
    for one in events(client, run).await? {
        event(&one, begun);
    }
    if !matches!(response.contract_status, ContractStatus::Completed | ContractStatus::Failed) {
        let why: WhyWaiting = client.get(&format!("/v1/runs/{run}/why")).await?;
        if let Some(at) = why.waits.iter().filter_map(|one| one.until.as_deref()).min() {
            outln!("{DIM}scheduled again at {}{DIM:#}", show::moment_text(at));
        }
    }
    Ok(())
}

/// The preposition before a run's duration: “completed in 3 s”, but “waiting for 3 s”.
fn lasted(status: RunStatus) -> &'static str {
    if status.is_over() { "in" } else { "for" }
}

/// The event of the machine, if the machine wrote it.
fn machine_event(one: &RunEvent) -> Result<Option<Event>, EventError> {
    if VM_EVENTS.contains(&one.number) {
        let data = serde_json::value::to_raw_value(&one.data).map_err(|_| unknown(one))?;
        return Event::read(one.number, one.version, &data).map(Some);
    }
    match PipeEvent::name(one.number) {
        Some(_) if one.version == 1 => Ok(None),
        _ => Err(unknown(one)),
    }
}

fn unknown(one: &RunEvent) -> EventError {
    EventError::Unknown { number: one.number, version: one.version }
}

/// Prints one event in one or two lines.
fn event(one: &RunEvent, start: Timestamp) {
    let at = show::time(&one.at).map_or_else(String::new, |at| format!("+{}", show::span(at.since(start))));
    let line = |what: &str, more: &str| {
        for line in entry(&at, what, more, width()) {
            outln!("{line}");
        }
    };
    let detail = |name: &str, value: &str| {
        if !value.is_empty() {
            let mut name = name;
            for line in wrap(value, width().saturating_sub(COLUMN)) {
                outln!("             {DIM}{name:<11}  {line}{DIM:#}");
                name = "";
            }
        }
    };
    let (payload, data) = (&one.payload, &one.data);
    let text = |name: &str| data[name].as_str().unwrap_or_default();
    let Ok(machine) = machine_event(one) else {
        return line("unknown", &format!("event {} version {}", one.number, one.version));
    };
    let is = |event: PipeEvent| one.number == event as u16;
    let Some(machine) = machine else {
        if is(PipeEvent::Received) {
            line("received", "");
        } else if is(PipeEvent::Understood) {
            understood(payload, &line);
        } else if is(PipeEvent::Planned) {
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
            // The arguments of calls by name; those of later steps are shown with the step.
            for call in payload["calls"].as_array().into_iter().flatten() {
                if let Some(number) = call["call"].as_u64() {
                    let args = &payload["input"]["work"]["calls"][number as usize];
                    detail(call["step"].as_str().unwrap_or_default(), &show::fields(args));
                }
            }
        } else if is(PipeEvent::Refused) {
            line("refused", &format!("{RED}nothing was done{RED:#}"));
            for error in payload["errors"].as_array().into_iter().flatten() {
                detail(error["code"].as_str().unwrap_or_default(), error["message"].as_str().unwrap_or_default());
            }
        } else if is(PipeEvent::Staged) {
            line(
                "staged",
                &format!(
                    "{YELLOW}waiting for the {}'s approval{YELLOW:#} {DIM}· approval {}{DIM:#}",
                    text("consent"),
                    text("approval")
                ),
            );
        } else if is(PipeEvent::Approved) {
            line("approved", &format!("by {}", text("by")));
        } else if is(PipeEvent::Rejected) {
            line("rejected", &format!("by {}", text("by")));
            detail("note", payload["note"].as_str().unwrap_or_default());
        } else if is(PipeEvent::Expired) {
            let what = if text("was") == "staged" { "not approved" } else { "not answered" };
            line("expired", &format!("{RED}✗{RED:#} {what} by {}", text("until")));
        } else if is(PipeEvent::Cancelled) {
            line("cancelled", "before any step ran");
        } else if is(PipeEvent::LetterOpened) {
            line("dead letter", &format!("`{}` is waiting for a person; event for {}", text("tool"), text("to")));
        } else if is(PipeEvent::Answered) {
            line("answered", "nothing was done");
        } else if is(PipeEvent::TakenOver) {
            line("taken over", "its process had stopped");
        } else if is(PipeEvent::Parked) {
            line("parked", text("why"));
        } else if is(PipeEvent::Unparked) {
            line("reloaded", &format!("by {}", text("by")));
        } else if is(PipeEvent::Aborted) {
            line("aborted", &format!("by {}", text("by")));
            detail("note", payload["note"].as_str().unwrap_or_default());
        } else if is(PipeEvent::Checkpoint) {
            let events = show::count(data["events"].as_u64().unwrap_or_default(), "earlier event");
            line("compacted", &format!("{events} compacted; receipts remain"));
        } else if is(PipeEvent::Archived) {
            let count = data["receipts"].as_array().map_or(0, Vec::len);
            line("archived", &format!("{} of compacted events", show::count(count, "receipt")));
        } else if is(PipeEvent::Migrated) {
            let to: String = text("to").chars().take(12).collect();
            line("moved", &format!("to program {to} by {}", text("by")));
        } else if is(PipeEvent::Reviewed) {
            line("reviewed", &format!("{} by {}", text("outcome"), text("by")));
            detail("corrections", &show::fields(&payload["corrections"]));
            detail("note", payload["note"].as_str().unwrap_or_default());
        } else if is(PipeEvent::LetterDecided) {
            line("decided", &format!("{} by {}", text("outcome"), text("by")));
            detail("note", payload["note"].as_str().unwrap_or_default());
        }
        return;
    };
    let step = || one.step.as_deref().map(end_of).unwrap_or_default();
    let part_of = || one.step.as_deref().map(|path| format!("{}: ", end_of(path))).unwrap_or_default();
    let call = |attempt: u32| name(one, attempt);
    match machine {
        Event::RunStarted { .. } => line("started", ""),
        Event::ConditionMet { .. } => {}
        Event::StepSkipped { .. } => line("skipped", &format!("{}: its condition does not hold", step())),
        Event::EachOpened { count, .. } => line("list", &format!("{}: {}", step(), show::count(count, "item"))),
        Event::JobStarted { attempt, .. } => {
            line("called", &call(attempt));
            detail("args", &show::fields(&payload["args"]));
        }
        Event::JobDone { attempt, .. } => {
            line("done", &format!("{GREEN}✓{GREEN:#} {}", call(attempt)));
            detail("args", &show::fields(&payload["args"]));
            detail("result", &show::fields(&payload["result"]["data"]));
            for artifact in payload["result"]["artifacts"].as_array().into_iter().flatten() {
                let part = |name: &str| artifact[name].as_str().unwrap_or_default().to_owned();
                detail(&part("role"), &format!("{} {}", part("type"), part("id")));
            }
        }
        Event::JobDoneBadly { attempt, failure, .. } => {
            line("done badly", &format!("{YELLOW}!{YELLOW:#} {}: {failure}", call(attempt)));
        }
        Event::JobRetrying { attempt, failure, at, unsettled, .. } => {
            let (what, outcome) = if unsettled { ("unknown", ", outcome unknown") } else { ("failed", "") };
            line(what, &format!("{RED}✗{RED:#} {}{outcome}: {failure}", call(attempt)));
            detail("retry at", &at.to_string());
        }
        Event::JobFailed { attempt, failure, .. } => {
            line("failed", &format!("{RED}✗{RED:#} {}: {failure}", call(attempt)));
        }
        Event::JobStuck { attempt, failure, happened, .. } => {
            let what = if happened == Happened::Maybe { "in doubt" } else { "dead letter" };
            line(what, &format!("{YELLOW}!{YELLOW:#} {}: {failure}", call(attempt)));
        }
        Event::JobReopened { .. } => line("retried", &call(0)),
        Event::JobDismissed { .. } => line("dismissed", &call(0)),
        Event::JobChecking { attempt, failure, .. } => {
            line("checking", &format!("{}: {failure}", call(attempt)));
        }
        Event::CheckPostponed { attempt, at, failure: Some(failure), .. } => {
            let call = call(attempt);
            line("no answer", &format!("{call}: the check failed ({failure}); next check at {at}"));
        }
        Event::CheckPostponed { attempt, at, failure: None, .. } => {
            line("not yet", &format!("{} may still take effect; next check at {at}", call(attempt)));
        }
        Event::CheckDenied { attempt, .. } => line("not done", &format!("{} had not happened", call(attempt))),
        Event::ScopeStopped { stop, failure, .. } => {
            let why = failure.map_or_else(String::new, |failure| format!(": {failure}"));
            line("stopping", &format!("{}{}{why}", part_of(), format!("{stop:?}").to_lowercase()));
        }
        Event::StopForced { .. } => line("forced", &format!("{}no longer waiting", part_of())),
        Event::ScopeEnded { end, .. } => {
            line("ended", &format!("{}{}", part_of(), format!("{end:?}").to_lowercase()));
        }
        Event::WaitArmed { .. } => line("waiting", "for whichever of several events comes first"),
        Event::WaitWon { arm, .. } => line("came first", &format!("number {}", arm + 1)),
        Event::CompensationStarted { .. } => line("undoing", "finished steps are undone, last first"),
        Event::RunEnded { end } => line(&format!("{end:?}").to_lowercase(), ""),
        Event::SignalIgnored { what, .. } => line("ignored", &format!("{what}: it changed nothing")),
        Event::ScopeOpened { attempt, .. } => {
            line("grew", &format!("{} added steps", call(attempt)));
            detail("args", &show::fields(&payload["args"]));
        }
        Event::JobOffered { .. } => {
            line("offered", &format!("{} is waiting for a worker", call(0)));
            detail("args", &show::fields(&payload["args"]));
        }
        Event::JobLeased { attempt, until, .. } => {
            let worker = payload["worker"].as_str().unwrap_or("a worker");
            line("taken", &format!("{} by {worker} until {until}", call(attempt)));
        }
        Event::LeaseExtended { attempt, until, .. } => {
            line("extended", &format!("{} until {until}", call(attempt)));
        }
        Event::JobDelegated { attempt, .. } => {
            line("delegated", &format!("{YELLOW}…{YELLOW:#} {}", call(attempt)));
            detail("to", &show::fields(&payload["result"]["delegate"]));
        }
        Event::JobHeld { .. } => {
            line("held", &format!("{YELLOW}!{YELLOW:#} {} is waiting for approval", call(0)));
            detail("args", &show::fields(&payload["args"]));
        }
        Event::JobGranted { .. } => line("granted", &call(0)),
        Event::ReviewAsked { attempt, .. } => {
            line("review", &format!("{YELLOW}!{YELLOW:#} {} is waiting for review", call(attempt)));
            detail("ask", payload["result"]["review"]["ask"].as_str().unwrap_or_default());
            detail("result", &show::fields(&payload["result"]["data"]));
        }
        Event::StepBypassed { .. } => {
            line(
                "left out",
                &format!("{}: `{}` did not succeed", step(), one.because.as_deref().map(end_of).unwrap_or_default()),
            );
        }
        Event::BatchRolledBack { .. } => line("rolled back", "no write of the batch was kept"),
    }
}

/// The lines of one event: when, what, and a text that stays in its column.
fn entry(at: &str, what: &str, more: &str, width: usize) -> Vec<String> {
    let mut texts = wrap_all(more, width.saturating_sub(COLUMN)).into_iter();
    let first = texts.next().unwrap_or_default();
    let mut lines = vec![format!("  {DIM}{at:>9}{DIM:#}  {what:<12} {first}").trim_end().to_owned()];
    lines.extend(texts.map(|text| format!("{:COLUMN$}{text}", "")));
    lines
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

fn name(one: &RunEvent, attempt: u32) -> String {
    let (Some(tool), Some(step)) = (&one.tool, &one.step) else { return String::new() };
    let item = one.item.map_or_else(String::new, |item| format!(" item {item}"));
    let attempt = if attempt > 1 { format!(" attempt {attempt}") } else { String::new() };
    format!("{BOLD}{tool}{BOLD:#} {DIM}{}{item}{attempt}{DIM:#}", end_of(step))
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
    super::talk(global, Need::Existing, async |client| {
        let done: Replay = client.get(&format!("/v1/runs/{run}/replay")).await?;
        if global.json {
            show::json(&done);
        } else if done.ok {
            let count = show::count(done.events, "event");
            outln!("{GREEN}✓{GREEN:#} Replayed {count} of run {run}: the log matches the stored state.");
            outln!(
                "{DIM}status {} · receipts: {} · state {}{DIM:#}",
                done.status,
                done.receipts,
                done.state_digest.get(..12).unwrap_or_default()
            );
            outln!("{DIM}Nothing was executed.{DIM:#}");
        } else {
            outln!("{RED}✗{RED:#} The log of run {run} does not match the stored state:");
            for difference in &done.differences {
                outln!("  {difference}");
            }
        }
        Ok(done.ok)
    })
}

#[cfg(test)]
mod tests {
    use brain_core::RunStatus;

    use super::{end_of, entry, lasted};

    #[test]
    fn a_run_that_is_not_over_has_been_waiting_for_some_time() {
        assert_eq!((lasted(RunStatus::Waiting), lasted(RunStatus::Completed)), ("for", "in"));
    }

    #[test]
    fn the_text_of_an_event_stays_in_its_column() {
        let lines = entry("+2 ms", "failed", "the gateway did not answer within the time limit of the tool", 60);
        assert!(lines[0].ends_with("failed       the gateway did not answer within"), "{lines:?}");
        assert_eq!(lines[1], format!("{:26}the time limit of the tool", ""));
        assert_eq!(entry("+0 ms", "started", "", 60).len(), 1);
    }

    #[test]
    fn a_path_is_cut_between_its_steps_and_keeps_its_end() {
        assert_eq!(end_of("a/b/c"), "a/b/c");
        let deep = ["expand_all"; 10].join("/");
        assert_eq!(end_of(&deep), "…/expand_all/expand_all");
        let long = format!("a/{}", "x".repeat(40));
        assert_eq!(end_of(&long), format!("…{}", "x".repeat(26)));
    }
}
