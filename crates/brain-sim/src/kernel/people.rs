//! People and other engines that a run waits for: they decide dead letters, approve, review, call back, cancel, abort
//! and undo, sometimes late, sometimes twice, sometimes after it was needed. When the world is calm they answer
//! everything.

use brain_core::{ApprovalStatus, Failure, RunId, RunStatus};
use brain_engine::core::ToJob;
use brain_engine::{JobOutcome, LetterDecision};
use brain_kernel::{Actor, Decision, Verdict};
use brain_registry::{SPAWN_CHILD_RUN, ToolResult};
use brain_store::{ApprovalRow, DeadLetterRow, Scope};
use brain_vm::{JobStatus, Phase};
use serde_json::json;

use super::World;
use super::asks::{Answer, Then};

fn somebody() -> Actor {
    Actor { name: "somebody".into(), ..Actor::local() }
}

impl World {
    /// What people and other engines do in this round.
    pub(super) fn live_with_people(&mut self) {
        for scope in self.scopes.clone() {
            let open = self.open_runs(&scope);
            // In the end nobody cleans up after ended runs: what they leave is about the outside world, or a bug.
            let wanted = |calm: bool, run: RunId| !calm || open.contains(&run);
            if self.calm || self.dice.one_in(6) {
                let mut letters =
                    self.disk.base.dead_letters(&scope, Some(true), 100, None).map_or(Vec::new(), |page| page.items);
                letters.retain(|letter| wanted(self.calm, letter.run));
                for letter in self.some(letters) {
                    self.decide_letter(&scope, &letter);
                }
            }
            if self.calm || self.dice.one_in(6) {
                let rows = self.disk.base.approvals(&scope, Some(ApprovalStatus::Pending), 100, None);
                let mut rows = rows.map_or(Vec::new(), |page| page.items);
                rows.retain(|row| wanted(self.calm, row.run));
                for row in self.some(rows) {
                    self.approve(&scope, &row);
                }
            }
            if self.calm || self.dice.one_in(8) {
                let rows = self
                    .disk
                    .base
                    .runs(&scope, Some(RunStatus::Parked), 50, None)
                    .map_or(Vec::new(), |page| page.items);
                let aside = rows.iter().map(|row| row.id).collect();
                for run in self.some(aside) {
                    self.look_again(&scope, run);
                }
            }
            if self.calm || self.dice.one_in(4) {
                for run in self.some(open.clone()) {
                    self.answer_jobs(&scope, run);
                }
            }
            self.stop_some(&scope, &open);
        }
    }

    /// All of these in a calm world; otherwise at most one.
    fn some<T: Clone>(&mut self, list: Vec<T>) -> Vec<T> {
        if self.calm { list } else { self.dice.pick(&list).cloned().into_iter().collect() }
    }

    fn times(&mut self) -> u64 {
        if self.calm || !self.dice.one_in(4) { 1 } else { 2 }
    }

    /// Occasionally cancels, forces, aborts or undoes a run.
    fn stop_some(&mut self, scope: &Scope, open: &[RunId]) {
        if self.calm {
            return;
        }
        if self.dice.permille(20)
            && let Some(&run) = self.dice.pick(open)
        {
            // A second cancellation forces it.
            for _ in 0..self.times() {
                let (scope, name) = (scope.clone(), self.listing.run(run));
                let gives_up = self.dice.one_in(4);
                let what = format!("{} {name}", if gives_up { "give up" } else { "cancel" });
                self.ask(what.clone(), what, Then::Nothing, |kernel| {
                    Box::pin(async move {
                        let report = match gives_up {
                            true => kernel.abort(&scope, run, "somebody", "").await?,
                            false => kernel.cancel(&scope, run).await?,
                        };
                        Ok(Answer::Run(report.run))
                    })
                });
            }
        }
        self.stop_starting(scope, open);
        if self.dice.permille(15) {
            let over =
                self.disk.base.runs(scope, Some(RunStatus::Completed), 20, None).map_or(Vec::new(), |page| page.items);
            let Some(run) = self.dice.pick(&over).map(|row| row.id) else { return };
            let (scope, name) = (scope.clone(), self.listing.run(run));
            self.ask(format!("undo {run}"), format!("undo {name}"), Then::Nothing, |kernel| {
                Box::pin(async move { Ok(Answer::Run(kernel.undo(&scope, run, None, &somebody()).await?.run)) })
            });
        }
    }

    /// Sometimes cancels a run that is starting a child run right now, which is a short moment.
    fn stop_starting(&mut self, scope: &Scope, open: &[RunId]) {
        if !self.ambush.permille(300) {
            return;
        }
        for &run in open {
            let Some(state) = self.state_of(scope, run) else { continue };
            let Some(machine) = &state.state else { continue };
            let starts = machine.jobs.iter().any(|(id, job)| {
                let spawns = state.step(*id).is_some_and(|step| step.call(id.undo).tool.name == SPAWN_CHILD_RUN);
                job.status == JobStatus::Running && spawns
            });
            if machine.phase() != Phase::Running || !starts || !self.ambush.one_in(4) {
                continue;
            }
            let what = format!("cancel {}, which starts a child", self.listing.run(run));
            let scope = scope.clone();
            self.ask(what.clone(), what, Then::Nothing, |kernel| {
                Box::pin(async move { Ok(Answer::Run(kernel.cancel(&scope, run).await?.run)) })
            });
        }
    }

    /// Unparks a run or aborts it.
    fn look_again(&mut self, scope: &Scope, run: RunId) {
        // A rejected abort would leave a row whose log has no end, so abort only when nothing is rejected.
        let (gives_up, scope) = (self.calm && self.dice.one_in(5), scope.clone());
        let what = format!("{} {}", if gives_up { "give up" } else { "look again at" }, self.listing.run(run));
        self.ask(format!("aside {run}"), what, Then::Nothing, |kernel| {
            Box::pin(async move {
                let report = match gives_up {
                    true => kernel.abort(&scope, run, "somebody", "").await?,
                    false => kernel.retry_run(&scope, run, "somebody", "").await?,
                };
                Ok(Answer::Run(report.run))
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
                10 if !self.calm => LetterDecision::Escalate("somebody".into()),
                _ => LetterDecision::Resolve(None),
            };
            let (id, scope) = (letter.id, scope.clone());
            let what = format!("letter of {} {}: {decision:?}", self.listing.run(letter.run), letter.body["step"]);
            self.ask(format!("letter {id}"), what, Then::Nothing, |kernel| {
                Box::pin(async move {
                    let decided = kernel.decide_letter(&scope, id, decision, "somebody", "a note").await?;
                    Ok(Answer::Run(decided.run))
                })
            });
        }
    }

    fn approve(&mut self, scope: &Scope, row: &ApprovalRow) {
        for _ in 0..self.times() {
            let decision = if self.dice.one_in(5) { Decision::Reject } else { Decision::Approve };
            let (id, scope) = (row.id.to_string(), scope.clone());
            let what = format!("approval of {} {}: {decision:?}", self.listing.run(row.run), row.body["step"]);
            self.ask(format!("approval {id}"), what, Then::Nothing, |kernel| {
                Box::pin(async move {
                    Ok(Answer::Run(kernel.decide(&scope, &id, None, decision, &somebody(), "").await?.run))
                })
            });
        }
    }

    /// Answers single jobs of a run: reviews and callbacks.
    fn answer_jobs(&mut self, scope: &Scope, run: RunId) {
        let Some(state) = self.state_of(scope, run) else { return };
        let Some(machine) = &state.state else { return };
        for (id, job) in &machine.jobs {
            let Some(key) = state.job_key(*id) else { continue };
            match &job.status {
                JobStatus::Reviewing => {
                    let verdict =
                        if self.dice.one_in(5) { Verdict::Reject } else { Verdict::Accept(json!({"value": 2})) };
                    let (scope, step) = (scope.clone(), state.job_name(*id));
                    let what = format!("review of {} {step}: {verdict:?}", self.listing.run(run));
                    self.ask(format!("review {key}"), what, Then::Nothing, |kernel| {
                        Box::pin(async move {
                            let reviewed = kernel.review(&scope, run, Some(&step), verdict, &somebody(), "").await?;
                            Ok(Answer::Run(reviewed.run))
                        })
                    });
                }
                // A child run answers by itself; another engine may take a while.
                JobStatus::Delegated { child: false, .. } if self.calm || self.dice.one_in(2) => {
                    for _ in 0..self.times() {
                        let outcome = match self.dice.one_in(6) {
                            true => JobOutcome::Failed(Failure::business("no", "no")),
                            false => JobOutcome::Done(ToolResult::ok(json!({"value": 3}))),
                        };
                        let message = ToJob::Answer { attempt: None, outcome };
                        let (scope, what) = (scope.clone(), format!("callback for {}", self.listing.run(run)));
                        self.ask(format!("callback {key}"), what, Then::Nothing, |kernel| {
                            Box::pin(async move {
                                Ok(Answer::Run(kernel.engine().tell_job(&scope, run, key, message).await?.run))
                            })
                        });
                    }
                }
                _ => {}
            }
        }
    }
}
