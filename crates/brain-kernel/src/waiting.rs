//! What a run is waiting for, and which runs wait for a person.

use std::collections::BTreeMap;

use brain_core::{ApprovalId, ApprovalStatus, RunId, RunStatus, Timestamp};
use brain_engine::log::entries;
use brain_engine::{EngineError, LetterDecision, NewEvent, PipeEvent, RunState};
use brain_store::{DeadLetterRow, RunRow, Scope, SystemScope};
use brain_vm::{Happened, Job, JobId, JobStatus, Phase};
use serde_json::json;

use crate::NextAction;
use crate::{Kernel, KernelError, Report};

/// One thing that a run is waiting for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The step; empty for the whole run.
    pub step: String,
    /// The tool; empty for the whole run.
    pub tool: String,
    /// `slot`, `call`, `check`, `retry`, `letter`, `worker`, `delegate`, `approval`, `review`, `steps`, `input`,
    /// `parked` or `nothing`.
    pub on: &'static str,
    /// One sentence.
    pub says: String,
    /// When it continues or expires without anyone's action, if it does.
    pub until: Option<Timestamp>,
    /// Actions that help.
    pub then: Vec<NextAction>,
}

/// A run that waits for a person.
#[derive(Clone, Debug)]
pub struct AwaitsPerson {
    /// The run.
    pub run: RunId,
    /// What was asked for, without personal values; empty if tools were called by name.
    pub message: String,
    /// Its status.
    pub status: RunStatus,
    /// Since when.
    pub since: Timestamp,
    /// Why.
    pub why: String,
    /// The tool that failed; empty if the run as a whole is parked.
    pub tool: String,
    /// Whether the outcome is unknown.
    pub in_doubt: bool,
    /// The dead letters.
    pub letters: Vec<String>,
    /// The approval of a step that it waits for, if it does.
    pub approval: Option<ApprovalId>,
    /// What it waits for: `person` (parked), `letter`, `approval`, `review` or `input`.
    pub on: &'static str,
    /// When it expires, if it does.
    pub until: Option<Timestamp>,
}

impl Kernel {
    /// What a run is waiting for. Always has an entry: `nothing` if it is not waiting.
    pub fn why_waiting(&self, scope: &Scope, run: RunId) -> Result<Vec<Waiting>, KernelError> {
        let row = self.store().run(scope, run)?.ok_or(KernelError::NoSuchRun(run))?;
        if row.status == RunStatus::Parked {
            let says = format!("It is parked: {}", self.why_parked(scope, run));
            return Ok(vec![whole("parked", says, vec![NextAction::Retry { run }, NextAction::Abort { run }])]);
        }
        if row.status.is_over() {
            return Ok(vec![whole("nothing", format!("The run has ended; its status is {}.", row.status), Vec::new())]);
        }
        let state = self.engine().run_state(scope, run)?;
        let (Some(_), Some(machine)) = (&state.code, &state.state) else {
            return Ok(vec![self.before_start(scope, &row)]);
        };
        if machine.phase() == Phase::New {
            return Ok(vec![self.before_start(scope, &row)]);
        }
        let open = machine.jobs.iter().filter(|(_, job)| !matches!(job.status, JobStatus::Growing { .. }));
        let mut list: Vec<Waiting> = open.map(|(id, job)| self.about(scope, &state, *id, job)).collect();
        if let Phase::Stopping(_) = machine.phase() {
            for one in &mut list {
                one.says.push_str(" The run will stop once this has ended.");
            }
        }
        if list.is_empty() {
            list.push(whole("nothing", "Nothing: it is about to continue.".into(), Vec::new()));
        }
        Ok(list)
    }

    /// What a run that has not started is waiting for, and until when.
    fn before_start(&self, scope: &Scope, row: &RunRow) -> Waiting {
        let run = row.id;
        let waiting = match row.status {
            RunStatus::Staged => {
                let pending = self.store().approvals_of(scope, run).unwrap_or_default();
                let pending = pending.into_iter().find(|row| row.status == ApprovalStatus::Pending);
                let id = pending.map_or_else(|| run.to_string(), |row| row.id.to_string());
                let says = "It is waiting for approval before it starts.".into();
                whole("approval", says, vec![NextAction::Approve { approval: id }, NextAction::Cancel { run }])
            }
            RunStatus::NeedsInput => {
                let says = "It is waiting for an answer to a question.".into();
                let again = NextAction::say("Repeat the request with the missing information.");
                whole("input", says, vec![again, NextAction::Cancel { run }])
            }
            other => whole("nothing", format!("It has not started: {other}."), Vec::new()),
        };
        Waiting { until: row.schedule.wake_at, ..waiting }
    }

    fn about(&self, scope: &Scope, state: &RunState, id: JobId, job: &Job) -> Waiting {
        let call = state.step(id).map(|step| step.call(id.undo));
        let tool = call.map_or_else(String::new, |call| call.tool.name.clone());
        let timeout = call.map_or_else(brain_core::Millis::default, |call| call.timeout);
        let run = state.row.id;
        let key = state.job_key(id).map_or_else(String::new, |key| key.to_string());
        let (on, says, until, then) = match &job.status {
            JobStatus::Ready => match &state.row.schedule.queued {
                Some(place) => ("slot", self.about_limit(&place.limit, scope), None, Vec::new()),
                None => ("slot", format!("`{tool}` is about to be called."), None, Vec::new()),
            },
            JobStatus::Running => {
                let whose = match state.row.schedule.owner {
                    Some(owner) if owner == self.engine().node() => "This server".to_owned(),
                    Some(owner) => self.about_node(owner),
                    None => "A server".to_owned(),
                };
                let says = format!("{whose} is calling `{tool}` (attempt {}, timeout {}).", job.attempt, timeout);
                ("call", says, None, Vec::new())
            }
            JobStatus::Checking { again } => {
                ("check", format!("Brain is checking whether `{tool}` happened."), *again, Vec::new())
            }
            JobStatus::Retrying { at } => {
                let says = format!("`{tool}` failed; attempt {} is at {at}.", job.attempt + 1);
                ("retry", says, Some(*at), vec![NextAction::Inspect { run }])
            }
            JobStatus::Stuck { happened } => {
                let says = match happened {
                    Happened::Maybe => format!("It is unknown whether `{tool}` happened; a person must decide."),
                    Happened::Yes => format!("`{tool}` was done, but its answer cannot be used; a person must decide."),
                    Happened::No => format!("`{tool}` failed; a person must decide."),
                };
                (
                    "letter",
                    says,
                    None,
                    vec![
                        NextAction::Decide { letter: key },
                        NextAction::Retry { run },
                        NextAction::Skip { run },
                        NextAction::Abort { run },
                    ],
                )
            }
            JobStatus::Offered => {
                let topic = match call.map(|call| call.place) {
                    Some(brain_lang::plan::Place::Worker { topic, .. }) => topic.as_str(),
                    _ => "",
                };
                ("worker", format!("`{tool}` is waiting for a worker for topic `{topic}`."), None, Vec::new())
            }
            JobStatus::Leased { until } => {
                ("worker", format!("A worker has `{tool}` until {until}."), Some(*until), Vec::new())
            }
            JobStatus::Delegated { until, .. } => {
                let child = state.data.pending.get(&id).and_then(|it| it["delegate"]["child_run"].as_str());
                let says = match child {
                    Some(child) => format!("It is waiting for its child run {child}."),
                    None => format!("An external system is working on `{tool}` and will call back."),
                };
                let then = child.and_then(|child| child.parse().ok()).map(|run| NextAction::Why { run });
                let then = then.into_iter().collect();
                ("delegate", says, *until, then)
            }
            JobStatus::Held { until } => {
                let pending = self.store().approvals_of(scope, run).unwrap_or_default();
                let mut pending = pending.into_iter().filter(|row| row.status == ApprovalStatus::Pending);
                let then = pending.find(|row| row.body["job"] == key.as_str());
                let then = then.map(|row| NextAction::Approve { approval: row.id.to_string() });
                let then = then.into_iter().collect();
                ("approval", format!("`{tool}` is waiting for approval."), *until, then)
            }
            JobStatus::Reviewing => {
                let says = format!("The result of `{tool}` is waiting for review.");
                ("review", says, None, vec![NextAction::AcceptResult { run }, NextAction::RejectResult { run }])
            }
            JobStatus::Growing { .. } => ("steps", "The steps that it added are in progress.".into(), None, Vec::new()),
        };
        Waiting { step: state.step_id(id), tool, on, says, until, then }
    }

    fn about_limit(&self, limit: &str, scope: &Scope) -> String {
        if let Some(tool) = limit.strip_prefix("tool ") {
            let limits = self.registry().tool(tool).and_then(|tool| tool.def.limits).unwrap_or_default();
            let running = limits.running.map(|count| format!("{count} at a time"));
            let all: Vec<String> = running.into_iter().chain(limits.rate.map(|rate| rate.to_string())).collect();
            return format!("It is waiting for its turn: `{tool}` is limited to {}.", all.join(", "));
        }
        match limit {
            "tenant" => {
                format!("It is waiting for its turn: the limits of tenant `{}` are used up.", scope.tenant().as_str())
            }
            "pause" => "The server is paused.".into(),
            _ => "It is waiting for a free slot: all slots of its tenant are in use.".into(),
        }
    }

    fn about_node(&self, owner: brain_core::NodeId) -> String {
        let nodes = self.store().nodes(SystemScope, self.clock().now()).unwrap_or_default();
        match nodes.into_iter().find(|node| node.id == owner) {
            Some(node) if node.lapsed.is_none() => format!("The server {owner}"),
            _ => format!("The server {owner}, whose lease has expired (its runs will be taken over),"),
        }
    }

    /// Why a run is parked.
    pub(crate) fn why_parked(&self, scope: &Scope, run: RunId) -> String {
        let log = self.store().log(scope, run).unwrap_or_default();
        let said = entries(&log).filter(|entry| entry.is(PipeEvent::Parked)).last();
        let why = said.and_then(|entry| entry.value()["why"].as_str().map(str::to_owned));
        why.or_else(|| self.engine().run_state(scope, run).err().map(|error| error.to_string())).unwrap_or_default()
    }

    /// Runs that wait for a person: parked runs, runs with open dead letters, plans to approve, and questions to
    /// answer; newest first within each group, up to a maximum.
    pub fn awaiting_person(&self, scope: &Scope, limit: usize) -> Result<Vec<AwaitsPerson>, KernelError> {
        let unread = self.store().runs(scope, Some(RunStatus::Parked), limit, None)?.items;
        let mut list: Vec<AwaitsPerson> = unread
            .into_iter()
            .map(|row| AwaitsPerson {
                run: row.id,
                message: self.asked_in(scope, &row),
                why: self.why_parked(scope, row.id),
                status: row.status,
                since: row.updated_at,
                tool: String::new(),
                in_doubt: false,
                letters: Vec::new(),
                approval: None,
                on: "person",
                until: None,
            })
            .collect();
        let mut of_runs: BTreeMap<RunId, Vec<DeadLetterRow>> = BTreeMap::new();
        for letter in self.store().dead_letters(scope, Some(true), limit, None)?.items {
            of_runs.entry(letter.run).or_default().push(letter);
        }
        for (run, letters) in of_runs.into_iter().rev() {
            let Some(row) = self.store().run(scope, run)? else { continue };
            let Some(first) = letters.first() else { continue };
            list.push(AwaitsPerson {
                run,
                message: self.asked_in(scope, &row),
                status: row.status,
                since: first.opened_at,
                why: self.redaction_for(scope, run).text(first.body["failure"]["message"].as_str().unwrap_or_default()),
                tool: first.tool.clone(),
                in_doubt: letters.iter().any(|letter| letter.body["happened"] == "maybe"),
                letters: letters.iter().map(|letter| letter.id.to_string()).collect(),
                approval: None,
                on: "letter",
                until: letters.iter().filter_map(|letter| self.letter_expires(letter)).min(),
            });
        }
        list.extend(self.steps_awaiting_person(scope, limit)?);
        for status in [RunStatus::Staged, RunStatus::NeedsInput] {
            for row in self.store().runs(scope, Some(status), limit, None)?.items {
                let waiting = self.before_start(scope, &row);
                list.push(AwaitsPerson {
                    run: row.id,
                    message: self.asked_in(scope, &row),
                    status: row.status,
                    since: row.created_at,
                    why: waiting.says,
                    tool: String::new(),
                    in_doubt: false,
                    letters: Vec::new(),
                    approval: None,
                    on: waiting.on,
                    until: waiting.until,
                });
            }
        }
        Ok(list)
    }

    /// Runs in progress with a step that waits for its approval, and those with a result that waits for a review. Of runs
    /// that wait, only the newest are looked at, up to the maximum.
    fn steps_awaiting_person(&self, scope: &Scope, limit: usize) -> Result<Vec<AwaitsPerson>, KernelError> {
        let entry = |row: &RunRow, on, tool: String, why: String, since, until| AwaitsPerson {
            run: row.id,
            message: self.asked_in(scope, row),
            status: row.status,
            since,
            why,
            tool,
            in_doubt: false,
            letters: Vec::new(),
            approval: None,
            on,
            until,
        };
        let mut list = Vec::new();
        for approval in self.store().approvals(scope, Some(ApprovalStatus::Pending), limit, None)?.items {
            let Some(step) = approval.body["step"].as_str() else { continue };
            let Some(row) = self.store().run(scope, approval.run)?.filter(|row| row.status != RunStatus::Staged) else {
                continue;
            };
            let why = format!("Step {step} is waiting for approval.");
            let until = serde_json::from_value(approval.body["expires_at"].clone()).ok();
            let entry = entry(&row, "approval", String::new(), why, approval.asked_at, until);
            list.push(AwaitsPerson { approval: Some(approval.id), ..entry });
        }
        for row in self.store().runs(scope, Some(RunStatus::Waiting), limit, None)?.items {
            for review in self.waiting_reviews(scope, row.id).unwrap_or_default() {
                let why = format!("Its result is waiting for a review: {}", review.ask);
                list.push(entry(&row, "review", review.tool, why, row.updated_at, None));
            }
        }
        Ok(list)
    }

    /// What was asked for in a run, without personal values.
    fn asked_in(&self, scope: &Scope, row: &RunRow) -> String {
        self.redaction_for(scope, row.id).text(row.request["message"].as_str().unwrap_or_default())
    }

    fn open_letters(&self, scope: &Scope, run: RunId) -> Result<Vec<DeadLetterRow>, KernelError> {
        let row = self.store().run(scope, run)?.ok_or(KernelError::NoSuchRun(run))?;
        let state = self.engine().run_state(scope, row.id)?;
        let Some(machine) = &state.state else { return Ok(Vec::new()) };
        let known = machine.jobs.iter().chain(&machine.left);
        let keys = known.filter(|(_, job)| job.status.is_stuck()).filter_map(|(id, _)| state.job_key(*id));
        let mut letters = Vec::new();
        for key in keys {
            letters.extend(self.store().dead_letter(scope, key)?.filter(|letter| letter.open));
        }
        Ok(letters)
    }

    /// Retries the failed steps of a run that waits for a person: every open dead letter with its key, or the whole run if it is
    /// parked.
    pub async fn retry_run(&self, scope: &Scope, run: RunId, by: &str, note: &str) -> Result<Report, KernelError> {
        let row = self.store().run(scope, run)?.ok_or(KernelError::NoSuchRun(run))?;
        if row.status == RunStatus::Parked {
            match self.engine().unpark(scope, run, by).await {
                Ok(_) => return self.report(scope, run),
                Err(error @ EngineError::Unreadable(..)) => return Err(KernelError::Conflict(error.to_string())),
                Err(error) => return Err(error.into()),
            }
        }
        self.decide_letters(scope, run, &LetterDecision::Retry, by, note).await
    }

    /// Continues without the failed steps.
    pub async fn skip_failed(&self, scope: &Scope, run: RunId, by: &str, note: &str) -> Result<Report, KernelError> {
        self.decide_letters(scope, run, &LetterDecision::Resolve(None), by, note).await
    }

    async fn decide_letters(
        &self,
        scope: &Scope,
        run: RunId,
        decision: &LetterDecision,
        by: &str,
        note: &str,
    ) -> Result<Report, KernelError> {
        let letters = self.open_letters(scope, run)?;
        if letters.is_empty() {
            let message = format!("run {run} has no failed step that is waiting for a decision");
            return Err(KernelError::Conflict(message));
        }
        // All or nothing: a run is not half retried.
        for letter in letters.iter().filter(|_| matches!(decision, LetterDecision::Retry)) {
            self.repeats_nothing(scope, letter.id)?;
        }
        for letter in letters {
            self.engine().decide_letter(scope, letter.id, decision.clone(), by, note).await?;
        }
        self.report(scope, run)
    }

    /// Ends a run. Finished steps are not undone; pending ones do not start.
    pub async fn abort(&self, scope: &Scope, run: RunId, by: &str, note: &str) -> Result<Report, KernelError> {
        let row = self.store().run(scope, run)?.ok_or(KernelError::NoSuchRun(run))?;
        let event = NewEvent::pipe(PipeEvent::Aborted, json!({"by": by}), Some(json!({"note": note})));
        if row.status == RunStatus::Parked {
            self.engine().abort_parked(scope, run, by, event).await?;
            return self.report(scope, run);
        }
        self.cancel_saying(scope, run, vec![event]).await
    }
}

fn whole(on: &'static str, says: String, then: Vec<NextAction>) -> Waiting {
    Waiting { step: String::new(), tool: String::new(), on, says, until: None, then }
}
