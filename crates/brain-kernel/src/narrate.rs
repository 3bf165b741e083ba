//! Narrate: describes a run in words and facts, all read from the run's own log.

mod message;
mod not_undone;

use std::collections::BTreeMap;

use brain_core::{Confidence, Failure, Redactor, RunId, RunStatus, Timestamp};
use brain_engine::log::entries;
use brain_engine::{CHILD_FAILED, PipeEvent, Receipt, ReceiptStatus, RunState, job_key};
use brain_registry::model::ToolDef;
use brain_registry::{Registry, TokenUsage};
use brain_tools::{Toolbox, sum_of_tokens};
use brain_vm::{End, Happened, JobId, JobStatus, Phase, StepId, StepState};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use self::message::Message;
pub use self::message::ended;
use crate::NextAction;
use crate::draft::Draft;
use crate::intake::Mode;

/// A tool call that the plan of a run will make.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedCall {
    /// The tool.
    pub tool: String,
    /// The step that makes it.
    pub step: String,
    /// Its arguments.
    pub input: Value,
    /// How often it is made: once per item of a list. `None` if only an earlier step can tell.
    pub times: Option<u32>,
    /// Whether it depends on a condition, its own or that of an enclosing step.
    pub conditional: bool,
}

/// A call that was accepted for execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Enqueued {
    /// Its key, the same in every receipt.
    pub call_id: String,
    /// The tool.
    pub tool: String,
}

/// A receipt as callers see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceiptView {
    /// The key of the call.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The step.
    pub step: String,
    /// Which attempt.
    pub attempt: u32,
    /// Whether this undid a step.
    pub undo: bool,
    /// `succeeded`, `failed` or `in_doubt`.
    pub status: &'static str,
    /// The arguments, without personal values and secrets.
    pub input: Value,
    /// What it answered.
    pub result: Value,
    /// The records it created, changed or used, by role.
    pub effects: Value,
    /// One sentence.
    pub summary: Option<String>,
    /// Why it failed.
    pub error: Option<Failure>,
    /// When it started.
    pub started_at: Timestamp,
    /// When it was finished.
    pub finished_at: Timestamp,
    /// The HTTP status of the external system's response, if there was one.
    pub api_status: Option<u16>,
    /// What a language model used for it.
    pub token_usage: Option<TokenUsage>,
}

/// A reason why a request cannot continue.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Stable, machine-readable.
    pub code: String,
    /// For people: what was wrong and what to do.
    pub message: String,
    /// The tool or playbook.
    pub tool: Option<String>,
    /// The argument.
    pub field: Option<String>,
    /// Zero-based index of the request in the message.
    pub call: Option<usize>,
}

impl Problem {
    /// A problem with a request as a whole.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), tool: None, field: None, call: None }
    }

    pub(crate) fn in_call(self, call: usize) -> Self {
        Self { call: Some(call), ..self }
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut map = Map::new();
        map.insert("code".into(), json!(self.code));
        map.insert("message".into(), json!(self.message));
        for (name, value) in [("tool", &self.tool), ("field", &self.field)] {
            if let Some(value) = value {
                map.insert(name.into(), json!(value));
            }
        }
        if let Some(call) = self.call {
            map.insert("call".into(), json!(call));
        }
        Value::Object(map)
    }

    fn from_json(value: &Value) -> Self {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        Self {
            code: text("code").unwrap_or_default(),
            message: text("message").unwrap_or_default(),
            tool: text("tool"),
            field: text("field"),
            call: value["call"].as_u64().and_then(|n| usize::try_from(n).ok()),
        }
    }
}

/// The state of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// The run.
    pub run: RunId,
    /// Whether it succeeded. `false` for a run in progress; `true` for a plan that is waiting for approval, because
    /// nothing more can happen until then.
    pub ok: bool,
    /// Its status in the life of a run.
    pub status: RunStatus,
    /// When it was received.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The request as received.
    pub request: Value,
    /// Whether its payloads were erased by retention; digests remain.
    pub erased: bool,
    /// The mode used: the one requested, or `answer` if nothing could be planned.
    pub mode_used: String,
    /// How the request was understood, or why it went no further.
    pub reason: String,
    /// `high`, `medium`, `low` or `none`.
    pub confidence: Confidence,
    /// The calls of the plan, executed or not.
    pub planned: Vec<PlannedCall>,
    /// The calls accepted for execution.
    pub enqueued: Vec<Enqueued>,
    /// The receipts, attempt by attempt.
    pub receipts: Vec<ReceiptView>,
    /// The message for the user.
    pub message: String,
    /// What to do next.
    pub next_actions: Vec<NextAction>,
    /// What prevents the request.
    pub errors: Vec<Problem>,
    /// The pending approval.
    pub approval: Option<String>,
    /// Finished steps and all steps.
    pub progress: (usize, usize),
    /// The outcome of a batch.
    pub batch: Option<Value>,
    /// What the open steps wait for.
    pub waits_for: Vec<String>,
    /// What language models used for all of it.
    pub token_usage: Option<TokenUsage>,
}

impl Report {
    /// The answer to a request that was just accepted. By the contract, mode `enqueue` returns at once; progress made
    /// meanwhile shows when the run is read.
    pub fn as_accepted(mut self) -> Self {
        if self.mode_used == Mode::Enqueue.as_str() && !self.enqueued.is_empty() {
            self.receipts.clear();
            if self.ok {
                self.message = match self.enqueued.len() {
                    1 => "Accepted; it runs in the background.".into(),
                    several => format!("Accepted; {several} calls run in the background."),
                };
                self.next_actions = vec![NextAction::Inspect { run: self.run }];
            }
        }
        self
    }
}

/// Builds the report of a run.
pub(crate) fn report(registry: &Registry, toolbox: &Toolbox, redactor: &Redactor, state: &RunState) -> Report {
    let mut report = Report {
        run: state.row.id,
        ok: true,
        status: state.row.status,
        created_at: state.row.created_at,
        updated_at: state.row.updated_at,
        request: state.row.request.clone(),
        erased: state.row.erased,
        mode_used: state.row.request["mode"].as_str().unwrap_or("enqueue_and_wait").to_owned(),
        reason: String::new(),
        confidence: Confidence::None,
        planned: Vec::new(),
        enqueued: Vec::new(),
        receipts: Vec::new(),
        message: String::new(),
        next_actions: Vec::new(),
        errors: Vec::new(),
        approval: None,
        progress: state.state.as_ref().map_or((0, 0), brain_vm::State::progress),
        batch: None,
        waits_for: Vec::new(),
        token_usage: None,
    };
    if let Some(context) = report.request.get_mut("context") {
        *context = redactor.redact(context);
    }
    read_pipe(&mut report, state);
    // A run that ended before it started has only the reason to report.
    let unstarted = entries(&state.log).any(|entry| entry.is(PipeEvent::Expired) || entry.is(PipeEvent::Cancelled));
    if let (Some(_), Some(machine)) = (&state.code, &state.state)
        && machine.phase() != Phase::New
        && !unstarted
    {
        let list = state.receipts().unwrap_or_default();
        report.enqueued = enqueued(state, &list);
        report.receipts = list.iter().map(|receipt| receipt_view(receipt, redactor)).collect();
        report.token_usage = sum_of_tokens(report.receipts.iter().filter_map(|one| one.token_usage.as_ref()));
        report.batch = crate::batch::outcome(state, &list);
        read_machine(&mut report, registry, toolbox, state, &list);
    }
    report
}

/// Reads the events of the pipe before execution.
fn read_pipe(report: &mut Report, state: &RunState) {
    for entry in entries(&state.log).filter(|entry| !entry.is_machine()) {
        let (data, payload) = (entry.value(), entry.payload.unwrap_or(&Value::Null));
        if let Some(confidence) = data["confidence"].as_str().and_then(|word| word.parse().ok()) {
            report.confidence = confidence;
        }
        if let Some(mode) = data["mode_used"].as_str() {
            report.mode_used = mode.to_owned();
        }
        if let Some(reason) = data["reason"].as_str() {
            report.reason = reason.to_owned();
        }
        if let Some(message) = payload["message"].as_str() {
            report.message = message.to_owned();
        }
        if let Some(list) = payload["next_actions"].as_array() {
            report.next_actions = list.iter().filter_map(|one| NextAction::deserialize(one).ok()).collect();
        }
        if entry.is(PipeEvent::Planned) {
            let calls = Draft::planned_calls(payload);
            report.planned = calls
                .iter()
                .map(|call| PlannedCall {
                    tool: call["tool"].as_str().unwrap_or_default().to_owned(),
                    step: call["step"].as_str().unwrap_or_default().to_owned(),
                    input: call["input"].clone(),
                    times: match &call["times"] {
                        Value::Null => Some(1),
                        times => times.as_u64().and_then(|times| u32::try_from(times).ok()),
                    },
                    conditional: call["conditional"] == true,
                })
                .collect();
        }
        if entry.is(PipeEvent::Refused) {
            report.ok = false;
            report.errors = payload["errors"].as_array().into_iter().flatten().map(Problem::from_json).collect();
        }
        if entry.is(PipeEvent::Staged) {
            report.approval = data["approval"].as_str().map(str::to_owned);
        }
        if entry.is(PipeEvent::Approved) || entry.is(PipeEvent::Rejected) {
            report.approval = None;
        }
        if entry.is(PipeEvent::Expired) {
            let until = data["until"].as_str().map_or_else(|| entry.at.to_string(), str::to_owned);
            let what = if data["was"] == RunStatus::Staged.as_str() { "approved it" } else { "answered" };
            report.message = format!(
                "The request expired: nobody {what} by {until}, so nothing was done. Send it again if you still want \
                 it."
            );
            report.ok = false;
            report.approval = None;
            report.next_actions.clear();
            report.errors = vec![Problem::new("expired", report.message.clone())];
        }
        if entry.is(PipeEvent::Cancelled) {
            report.ok = false;
            report.approval = None;
            report.next_actions.clear();
            // A rejection is the reason, if there is one.
            match report.errors.iter().find(|problem| problem.code == "rejected") {
                Some(no) => report.message = format!("{} Nothing was done.", no.message),
                None => {
                    report.message = "It was cancelled before anything was done.".into();
                    report.errors = vec![Problem::new("cancelled", report.message.clone())];
                }
            }
        }
        if entry.is(PipeEvent::Rejected) {
            report.ok = false;
            let by = data["by"].as_str().unwrap_or("someone");
            let note = payload["note"].as_str().filter(|note| !note.is_empty());
            let why = note.map_or_else(String::new, |note| format!(": {note}"));
            report.errors.push(Problem::new("rejected", format!("{by} rejected it{why}.")));
        }
    }
}

/// One line about a call, for people.
pub(crate) fn describe_call(tool: &ToolDef, input: &Value) -> String {
    let args: Vec<String> = input
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, value)| format!("{name}: {}", value.as_str().map_or_else(|| value.to_string(), readable)))
        .collect();
    let (title, name) = (&tool.title, &tool.name);
    if args.is_empty() { format!("{title} ({name})") } else { format!("{title} ({name}): {}", args.join(", ")) }
}

/// A value that only a later step can supply, in words; any other text unchanged.
fn readable(text: &str) -> String {
    let is_template = text.contains("{{");
    if !text.starts_with('=') && !is_template {
        return text.to_owned();
    }
    let mut steps: Vec<&str> = Vec::new();
    for part in text.split("steps.").skip(1) {
        let id = part.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        if !id.is_empty() && !steps.contains(&id) {
            steps.push(id);
        }
    }
    match steps.as_slice() {
        [] => "(computed when it runs)".to_owned(),
        [one] => format!("(from step `{one}`)"),
        several => format!("(from steps `{}`)", several.join("`, `")),
    }
}

/// Every job that has been started.
fn enqueued(state: &RunState, list: &[Receipt]) -> Vec<Enqueued> {
    let mut found: Vec<Enqueued> = Vec::new();
    let mut add = |call_id: String, tool: &str| {
        if !found.iter().any(|one| one.call_id == call_id) {
            found.push(Enqueued { call_id, tool: tool.to_owned() });
        }
    };
    for receipt in list.iter().filter(|receipt| !receipt.job.undo) {
        add(receipt.key.to_string(), &receipt.tool);
    }
    if let (Some(code), Some(machine)) = (&state.code, &state.state) {
        let program = code.root();
        let key_of = |job| job_key(code, machine, state.row.id, state.data.started, job);
        for job in machine.jobs.keys().filter(|job| !job.undo) {
            add(key_of(*job).to_string(), &machine.step(code, job.at()).tool.name);
        }
        for (index, step) in program.steps.iter().enumerate() {
            let at = StepId { scope: 0, step: index as u16 };
            let coming = *machine.step_state(at) == StepState::Pending;
            if coming && step.foreach.is_none() && !machine.is_ended() {
                add(key_of(at.job(0)).to_string(), &step.tool.name);
            }
        }
    }
    found
}

fn receipt_view(receipt: &Receipt, redactor: &Redactor) -> ReceiptView {
    let mut effects = Map::new();
    for artifact in receipt.result["artifacts"].as_array().into_iter().flatten() {
        let role = artifact["role"].as_str().unwrap_or("input").to_owned();
        let link = json!({"type": artifact["type"], "id": artifact["id"]});
        if let Some(list) = effects.entry(role).or_insert_with(|| json!([])).as_array_mut() {
            list.push(link);
        }
    }
    ReceiptView {
        call_id: receipt.key.to_string(),
        tool: receipt.tool.clone(),
        step: receipt.step.clone(),
        attempt: receipt.attempt,
        undo: receipt.job.undo,
        status: receipt.status.as_str(),
        input: redactor.redact(&receipt.args),
        result: if receipt.result["erased"].is_string() {
            json!({"erased": receipt.result["erased"]})
        } else {
            receipt.result["data"].clone()
        },
        effects: Value::Object(effects),
        summary: receipt.result["summary"].as_str().map(str::to_owned),
        error: receipt.failure.clone(),
        started_at: receipt.started_at,
        finished_at: receipt.finished_at,
        api_status: api_status(receipt),
        token_usage: serde_json::from_value(receipt.result["token_usage"].clone()).ok(),
    }
}

/// The HTTP status of the external system: in the result of a success, in the code of a failure.
fn api_status(receipt: &Receipt) -> Option<u16> {
    let of_result = || receipt.result["api_status"].as_u64().and_then(|status| u16::try_from(status).ok());
    let of_failure = || receipt.failure.as_ref()?.code.strip_prefix("http_")?.parse().ok();
    of_result().or_else(of_failure)
}

/// Describes the outcome of execution.
fn read_machine(report: &mut Report, registry: &Registry, toolbox: &Toolbox, state: &RunState, list: &[Receipt]) {
    let (Some(code), Some(machine)) = (&state.code, &state.state) else { return };
    let done: Vec<&Receipt> =
        list.iter().filter(|one| one.status == ReceiptStatus::Succeeded && !one.job.undo).collect();
    let mut message = Message::default();
    let refused = !report.errors.is_empty();
    if machine.rolled_back {
        let total = report.planned.len().max(machine.planned as usize);
        message.say(format!("Nothing was done: one of {total} tool calls failed, so none of them was kept."));
    } else {
        message.lines(done.iter().filter_map(|receipt| receipt.result["summary"].as_str()));
        message.counts(machine);
        let (items, steps): (Vec<&Receipt>, Vec<&Receipt>) = tolerated_failures(machine, list)
            .into_iter()
            .partition(|one| machine.step(code, one.job.at()).foreach.is_some());
        if !items.is_empty() {
            let plural = if items.len() == 1 { "" } else { "s" };
            let text = format!("{} item{plural} of a list failed.", items.len());
            message.say(text.clone());
            report.errors.push(Problem::new("items_failed", text));
        }
        for step in steps {
            let text = format!("`{}` (step {}) failed and was skipped.", step.tool, step.step);
            message.say(text.clone());
            report.errors.push(Problem { tool: Some(step.tool.clone()), ..Problem::new("step_skipped", text) });
        }
    }
    // What an undo leaves is named with the rest of what it leaves.
    let undoes = machine.scope(0).took_back || state.row.request.get("undo_of").is_some();
    if !undoes || !machine.is_ended() {
        for receipt in doubts(machine, list) {
            let text = format!("It is unknown whether `{}` (step {}) happened.", receipt.tool, receipt.step);
            message.say(text.clone());
            report.errors.push(Problem { tool: Some(receipt.tool.clone()), ..Problem::new("in_doubt", text) });
        }
    }
    report.next_actions.clear();
    for receipt in &done {
        let Some(tool) = registry.tool(&receipt.tool) else { continue };
        let job = job_context(state, receipt);
        for template in &tool.def.next {
            let line = toolbox.sentence(tool, &receipt.args, &receipt.result["data"], template, &job);
            report.next_actions.extend(line.filter(|line| !line.trim().is_empty()).map(NextAction::say));
        }
    }
    // With best effort, failures are still reported.
    let batch = report.batch.as_ref().map_or(&Value::Null, |batch| &batch["failed"]);
    for failed in batch.as_array().into_iter().flatten().filter(|_| machine.phase() == Phase::Ended(End::Completed)) {
        report.ok = false;
        let text = |name: &str| failed[name].as_str().unwrap_or_default().to_owned();
        report.errors.push(Problem { tool: Some(text("tool")), ..Problem::new(&text("cause"), text("message")) });
    }
    let remaining = match machine.phase() {
        Phase::Ended(_) => not_undone::sentences(registry, state, list),
        _ => Vec::new(),
    };
    match machine.phase() {
        Phase::Ended(End::Completed) if remaining.is_empty() => {}
        Phase::Ended(End::Completed) => {
            message.say(format!("Not undone: {}", remaining.join(" ")));
            report.errors.extend(remaining.into_iter().map(|text| Problem::new("not_undone", text)));
        }
        Phase::Ended(end) => {
            report.ok = false;
            let failure = machine.failure().cloned().unwrap_or_else(|| match end {
                End::Cancelled => Failure::business("cancelled", "The run was cancelled."),
                _ => Failure::business("failed", "The run failed."),
            });
            if !refused {
                report.errors.insert(0, failed(&failure, list));
            }
            message.say(failure.message);
            let undone = match (end, remaining.is_empty()) {
                (End::Compensated, true) => Some("Finished steps were undone.".to_owned()),
                (End::Compensated, false) => {
                    Some(format!("Finished steps were undone, except: {}", remaining.join(" ")))
                }
                (_, true) => None,
                (_, false) => Some(format!("Not everything was undone: {}", remaining.join(" "))),
            };
            undone.into_iter().for_each(|sentence| message.say(sentence));
            report.errors.extend(remaining.into_iter().map(|text| Problem::new("not_undone", text)));
        }
        phase => {
            report.ok = false;
            if let Some(failure) = machine.failure() {
                report.errors.insert(0, failed(failure, list));
            }
            match phase {
                Phase::Stopping(_) => message.say("The run is stopping: no new steps start."),
                Phase::Compensating => message.say("The run is stopping: finished steps are being undone."),
                _ => {}
            }
            open_run(report, state, list, &mut message);
        }
    }
    report.message = message.finish(machine);
}

/// A failure of a run as a problem, with the tool that failed.
fn failed(failure: &Failure, list: &[Receipt]) -> Problem {
    let failing = list.iter().rev().find(|one| one.failure.as_ref() == Some(failure));
    Problem {
        tool: failing.map(|receipt| receipt.tool.clone()),
        ..Problem::new(&failure.code, failure.message.clone())
    }
}

/// The last receipt of each job, excluding undo jobs.
fn last_receipts(list: &[Receipt]) -> impl Iterator<Item = &Receipt> {
    let mut last: BTreeMap<JobId, &Receipt> = BTreeMap::new();
    for receipt in list.iter().filter(|receipt| !receipt.job.undo && !receipt.dropped) {
        last.insert(receipt.job, receipt);
    }
    last.into_values()
}

/// The jobs whose last attempt failed although their step counts as done: items of a list, or steps that a person skipped.
fn tolerated_failures<'l>(machine: &brain_vm::State, list: &'l [Receipt]) -> Vec<&'l Receipt> {
    let failed = |receipt: &&Receipt| {
        matches!(receipt.status, ReceiptStatus::Failed | ReceiptStatus::DoneBadly) && receipt.retry_at.is_none()
    };
    let went_on = |receipt: &&Receipt| *machine.step_state(receipt.job.at()) == StepState::Done;
    last_receipts(list).filter(failed).filter(went_on).collect()
}

/// The calls that may have happened and that the run no longer waits for: a person skipped the step, nobody decided in
/// time, or the run has ended.
pub(crate) fn doubts<'l>(machine: &brain_vm::State, list: &'l [Receipt]) -> Vec<&'l Receipt> {
    let settled = |job: &JobId| machine.jobs.contains_key(job) || machine.done.contains(job) || machine.rolled_back;
    last_receipts(list).filter(|one| one.status == ReceiptStatus::InDoubt && !settled(&one.job)).collect()
}

/// Describes an open run: what it waits for.
fn open_run(report: &mut Report, state: &RunState, list: &[Receipt], message: &mut Message) {
    let (Some(code), Some(machine)) = (&state.code, &state.state) else { return };
    let mut pending = 0;
    for (id, job) in &machine.jobs {
        let call = machine.step(code, id.at()).call(id.undo);
        let tool = &call.tool.name;
        let last = list.iter().rev().find(|receipt| receipt.job == *id && !receipt.dropped);
        let why = last.and_then(|receipt| receipt.failure.as_ref()).map_or("", |failure| failure.message.as_str());
        match &job.status {
            JobStatus::Stuck { happened } => {
                let key = job_key(code, machine, state.row.id, state.data.started, *id);
                report.waits_for.push(format!("a person to resolve `{tool}`"));
                let attempts =
                    if job.attempt == 1 { "one attempt".into() } else { format!("{} attempts", job.attempt) };
                let half = last.and_then(|receipt| receipt.failure.as_ref()).is_some_and(|it| it.code == CHILD_FAILED);
                let text = match happened {
                    Happened::Maybe if half => format!("`{tool}` was done only in part: {why}"),
                    Happened::Maybe => format!("It is unknown whether `{tool}` happened: {why}"),
                    Happened::Yes => format!("`{tool}` was done, but its answer cannot be used: {why}"),
                    Happened::No if job.attempt == 0 => format!("`{tool}` was not called: {why}"),
                    Happened::No => format!("`{tool}` failed after {attempts}: {why}"),
                };
                message.say(text.clone());
                let kind = if *happened == Happened::Maybe { "in_doubt" } else { "dead_letter" };
                let mut problem = Problem::new(kind, text);
                problem.tool = Some(tool.clone());
                report.errors.push(problem);
                report.next_actions.push(NextAction::Decide { letter: key.to_string() });
            }
            JobStatus::Held { .. } => {
                report.waits_for.push(format!("someone to approve `{tool}`"));
                message.say(format!("`{tool}` is waiting for an approver."));
            }
            JobStatus::Reviewing => {
                let pending = state.data.pending.get(id).cloned().unwrap_or_default();
                let ask = pending["review"]["ask"].as_str().unwrap_or("Please review the result.");
                let run = state.row.id;
                report.waits_for.push(format!("a person to review the result of `{tool}`"));
                message.say(ask);
                report.next_actions.push(NextAction::AcceptResult { run });
                report.next_actions.push(NextAction::CorrectResult { run });
                report.next_actions.push(NextAction::RejectResult { run });
            }
            JobStatus::Delegated { until, .. } => {
                let pending = state.data.pending.get(id).cloned().unwrap_or_default();
                let child = pending["delegate"]["child_run"].as_str().map(|run| format!("run {run}"));
                let named =
                    pending["delegate"]["reference"].as_str().map(|name| format!("the external system ({name})"));
                let whom = child.or(named).unwrap_or_else(|| "the external system".into());
                let until = until.map_or_else(String::new, |until| format!(" until {until}"));
                report.waits_for.push(format!("{whom} to finish `{tool}`{until}"));
                message.say(format!("`{tool}` is with {whom}{until}."));
            }
            JobStatus::Offered | JobStatus::Leased { .. } => {
                pending += 1;
                let topic = match call.place {
                    brain_lang::plan::Place::Worker { topic, .. } => topic.as_str(),
                    _ => "",
                };
                let doing = if job.status == JobStatus::Offered { "a worker to take" } else { "the worker that has" };
                report.waits_for.push(format!("{doing} `{tool}` (topic {topic})"));
            }
            JobStatus::Growing { .. } => {}
            JobStatus::Retrying { at } => {
                report.waits_for.push(format!("the next attempt of `{tool}` at {at}"));
                pending += 1;
                message.say(format!("`{tool}` will be retried at {at}: {why}"));
            }
            _ => pending += 1,
        }
    }
    if pending > 0 {
        message.say(match pending {
            1 => "1 step is not finished.".to_owned(),
            several => format!("{several} steps are not finished."),
        });
    }
}

fn job_context(state: &RunState, receipt: &Receipt) -> brain_engine::JobContext {
    brain_engine::JobContext {
        scope: brain_store::Scope::of(state.row.tenant.clone()),
        run: state.row.id,
        key: receipt.key,
        job: receipt.job,
        step: receipt.step.clone(),
        conversation: None,
        trace: None,
        attempt: receipt.attempt,
        started: state.data.started,
        now: receipt.finished_at,
        timeout: brain_core::Millis(0),
        settings: state.program().and_then(|program| program.settings),
    }
}
