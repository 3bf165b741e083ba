//! People and other systems that a run waits for: they decide dead letters, approve, review, call back and cancel,
//! sometimes twice, sometimes after it was needed. When the world is calm they answer everything.

use std::sync::Arc;

use brain_core::{ApprovalStatus, Failure, JobKey, RunId, RunStatus};
use brain_engine::core::{Command, ToJob, TurnInput};
use brain_engine::{Engine, EngineError, JobOutcome, LetterDecision, NewEvent, PipeEvent, RunNews, job_key};
use brain_registry::ToolResult;
use brain_store::{ApprovalRow, DeadLetterRow, Member, Precondition, Scope, SignalRow, Write};
use brain_vm::JobStatus;
use serde_json::{Value, json};

use crate::clients::{Pending, good, poll};
use crate::world::World;

/// A pending request.
pub(crate) struct Ask {
    /// Identifies the request. A world without faults does not repeat a request while it is pending.
    pub(crate) subject: String,
    what: String,
    pending: Pending,
    then: Then,
}

/// What the sender does with the answer.
pub(crate) enum Then {
    Nothing,
    /// A worker wanted this job.
    Leased {
        worker: usize,
        scope: Scope,
        run: RunId,
        key: JobKey,
    },
    /// A worker answered for this attempt.
    Answered {
        key: JobKey,
        attempt: u32,
    },
}

impl World {
    /// Sends a request to any node.
    pub(crate) fn ask(&mut self, subject: String, what: String, then: Then, make: impl FnOnce(Arc<Engine>) -> Pending) {
        if self.calm && self.asks.iter().any(|ask| ask.subject == subject) {
            return;
        }
        let Some((node, engine)) = self.any_engine(None) else { return };
        self.listing.note(&node, |_| format!("gets a request: {what}"));
        self.asks.push(Ask { subject, what, pending: make(engine), then });
    }

    /// Processes answers.
    pub(crate) fn take_answers(&mut self) {
        for mut ask in std::mem::take(&mut self.asks) {
            let Some(result) = poll(&mut ask.pending) else {
                self.asks.push(ask);
                continue;
            };
            if let Err(error) = &result {
                self.listing.note("people", |_| format!("get an error about {}: {error}", ask.what));
            }
            self.follow(ask.then, result);
        }
    }

    fn follow(&mut self, then: Then, result: Result<RunNews, EngineError>) {
        match (then, result) {
            (Then::Leased { worker, scope, run, key }, Ok(news)) => self.leased(worker, scope, run, key, &news.answer),
            (Then::Leased { worker, .. }, Err(_)) => self.workers[worker].asked = false,
            (Then::Answered { key, attempt }, Ok(news))
                if news.answer["taken"] == true && news.answer["final"] == true =>
            {
                let taken = self.taken.entry((key, attempt)).or_insert(0);
                *taken += 1;
                if *taken > 1 {
                    self.problems
                        .push(format!("the answer for attempt {attempt} of job {key} was taken {taken} times"));
                }
            }
            _ => {}
        }
    }

    /// What people and other systems do in this round.
    pub(crate) fn live_with_people(&mut self) {
        for scope in self.scopes.clone() {
            let open = self.open_runs(&scope);
            // In the end nobody cleans up after ended runs: what they leave is about the outside world, or a bug.
            let wanted = |calm: bool, run: RunId| !calm || open.contains(&run);
            if self.calm || self.dice.one_in(8) {
                let letters = self.disk.base.dead_letters(&scope, Some(true), 50, None).map(|page| page.items);
                let mut letters = letters.unwrap_or_default();
                letters.retain(|letter| wanted(self.calm, letter.run));
                for letter in self.some(letters) {
                    self.decide_letter(&scope, &letter);
                }
            }
            if self.calm || self.dice.one_in(8) {
                let rows =
                    self.disk.base.approvals(&scope, Some(ApprovalStatus::Pending), 50, None).map(|page| page.items);
                let mut rows = rows.unwrap_or_default();
                rows.retain(|row| wanted(self.calm, row.run));
                for row in self.some(rows) {
                    self.approve(&scope, row);
                }
            }
            if self.calm || self.dice.one_in(8) {
                let rows = self.disk.base.runs(&scope, Some(RunStatus::Parked), 50, None).map(|page| page.items);
                let aside = rows.unwrap_or_default().iter().map(|row| row.id).collect();
                for run in self.some(aside) {
                    self.look_again(&scope, run);
                }
            }
            if self.calm || self.dice.one_in(4) {
                for run in self.some(open.clone()) {
                    self.answer_jobs(&scope, run);
                }
            }
            if !self.calm
                && self.dice.permille(12)
                && let Some(&run) = self.dice.pick(&open)
            {
                let what = format!("cancel {}", self.listing.run(run));
                self.ask(what.clone(), what, Then::Nothing, |engine| {
                    Box::pin(async move { engine.cancel(&scope, run, Vec::new(), Vec::new()).await })
                });
            }
        }
    }

    /// All of these in a calm world; otherwise at most one.
    fn some<T: Clone>(&mut self, list: Vec<T>) -> Vec<T> {
        if self.calm { list } else { self.dice.pick(&list).cloned().into_iter().collect() }
    }

    fn times(&mut self) -> u64 {
        if self.calm || !self.dice.one_in(4) { 1 } else { 2 }
    }

    /// Unparks a run or aborts it.
    fn look_again(&mut self, scope: &Scope, run: RunId) {
        // A rejected abort would leave a row whose log has no end, so abort only when nothing is rejected.
        let (gives_up, scope) = (self.calm && self.dice.one_in(5), scope.clone());
        let what = format!("{} {}", if gives_up { "give up" } else { "look again at" }, self.listing.run(run));
        self.ask(format!("aside {run}"), what, Then::Nothing, |engine| {
            Box::pin(async move {
                if gives_up {
                    let event = NewEvent::pipe(PipeEvent::Aborted, json!({"by": "somebody"}), None);
                    engine.abort_parked(&scope, run, "somebody", event).await?;
                    let (status, answer) = (RunStatus::Cancelled, Value::Null);
                    return Ok(RunNews { answer, ..RunNews::of(run, status) });
                }
                engine.unpark(&scope, run, "somebody").await
            })
        });
    }

    fn decide_letter(&mut self, scope: &Scope, letter: &DeadLetterRow) {
        let in_doubt = letter.body["happened"] == "maybe";
        for _ in 0..self.times() {
            let decision = match self.dice.below(12) {
                0..=2 => LetterDecision::Retry,
                3..=5 if !in_doubt => LetterDecision::Retry,
                6 | 7 => LetterDecision::Abandon,
                8 | 9 => LetterDecision::Resolve(Some(good("settled"))),
                10 if !self.calm => LetterDecision::Escalate("somebody".into()),
                _ => LetterDecision::Resolve(None),
            };
            let (id, scope) = (letter.id, scope.clone());
            let what = format!("letter of {} {}: {decision:?}", self.listing.run(letter.run), letter.body["step"]);
            self.ask(format!("letter {id}"), what, Then::Nothing, |engine| {
                Box::pin(async move { engine.decide_letter(&scope, id, decision, "somebody", "a note").await })
            });
        }
    }

    fn approve(&mut self, scope: &Scope, mut row: ApprovalRow) {
        let Some(key) = row.body["job"].as_str().and_then(|key| key.parse::<JobKey>().ok()) else { return };
        for _ in 0..self.times() {
            let approved = !self.dice.one_in(5);
            row.status = if approved { ApprovalStatus::Approved } else { ApprovalStatus::Rejected };
            let (event, message) = if approved {
                (PipeEvent::Approved, ToJob::Grant)
            } else {
                (PipeEvent::Rejected, ToJob::Deny(Failure::business("rejected", "no")))
            };
            let command = Command {
                prelude: vec![NewEvent::pipe(event, json!({"approval": row.id}), None)],
                preconditions: vec![Precondition::ApprovalPending(row.id)],
                writes: vec![Write::PutApproval(row.clone())],
                inputs: vec![TurnInput::Job(key, message)],
                status: None,
                program: None,
            };
            let (run, scope) = (row.run, scope.clone());
            let what = format!("approval of {} {}: {}", self.listing.run(run), row.body["step"], row.status);
            self.ask(format!("approval {}", row.id), what, Then::Nothing, |engine| {
                Box::pin(async move { engine.command(&scope, run, command).await })
            });
        }
    }

    /// Answers single jobs of a run: reviews and callbacks.
    fn answer_jobs(&mut self, scope: &Scope, run: RunId) {
        let Some(state) = self.state_of(scope, run) else { return };
        let (Some(code), Some(machine)) = (&state.code, &state.state) else { return };
        for (id, job) in &machine.jobs {
            let key = job_key(code, machine, run, state.data.started, *id);
            let no = || Failure::business("no", "no");
            let yes = |what: &str| JobOutcome::Done(ToolResult::ok(good(what)));
            let message = match &job.status {
                JobStatus::Reviewing if self.dice.one_in(5) => ToJob::Deny(no()),
                JobStatus::Reviewing => {
                    ToJob::Accept { corrections: good("seen"), by: "somebody".into(), note: String::new() }
                }
                JobStatus::Delegated { child, .. } => {
                    // A child run answers by itself; another engine may take a while.
                    if *child || (!self.calm && self.dice.one_in(2)) {
                        continue;
                    }
                    if self.dice.one_in(3) {
                        self.signal(scope, run, key);
                        continue;
                    }
                    let outcome = if self.dice.one_in(6) { JobOutcome::Failed(no()) } else { yes("back") };
                    ToJob::Answer { attempt: None, outcome }
                }
                _ => continue,
            };
            for _ in 0..self.times() {
                let (scope, message) = (scope.clone(), message.clone());
                let what = format!("{} of {} step {}", name_of(&message), self.listing.run(run), id.step);
                self.ask(format!("job {key}"), what, Then::Nothing, |engine| {
                    Box::pin(async move { engine.tell_job(&scope, run, key, message).await })
                });
            }
        }
    }

    /// Puts the answer of another engine into the inbox of a run, possibly twice, which must count once.
    fn signal(&mut self, scope: &Scope, run: RunId, key: JobKey) {
        for _ in 0..self.times() {
            let body = json!({"job": key, "result": ToolResult::ok(good("back"))});
            let row = SignalRow { run, id: format!("callback {key}"), at: self.now(), body };
            let member = Member { scope: scope.clone(), preconditions: Vec::new(), writes: vec![Write::Signal(row)] };
            self.listing.note("people", |listing| format!("put an answer into the inbox of {}", listing.run(run)));
            drop(self.disk.base.commit_now(vec![member]));
        }
    }
}

fn name_of(message: &ToJob) -> &'static str {
    match message {
        ToJob::Accept { .. } => "review",
        ToJob::Deny(_) => "refusal",
        ToJob::Answer { .. } => "callback",
        _ => "message",
    }
}
