//! Workers: they lease offered jobs, and die, delay, lie, answer twice, answer late, or extend their lease.

use std::time::Duration;

use brain_core::{Failure, Millis, Timestamp};
use brain_engine::JobOutcome;
use brain_kernel::JobLease;
use brain_registry::ToolResult;
use brain_store::Scope;
use serde_json::json;

use super::asks::{Answer, Then};
use super::{World, pack};

#[derive(Default)]
pub(super) struct Worker {
    /// Whether it waits for the answer to a lease request.
    pub(super) asked: bool,
    jobs: Vec<Taken>,
}

struct Taken {
    scope: Scope,
    lease: JobLease,
    /// When it sends its next message.
    at: Timestamp,
    extends: bool,
}

impl World {
    /// Lets every worker act.
    pub(super) fn let_work(&mut self) {
        for number in 0..self.workers.len() {
            for job in std::mem::take(&mut self.workers[number].jobs) {
                if job.at <= self.now() {
                    self.speak(number, job);
                } else {
                    self.workers[number].jobs.push(job);
                }
            }
            let idle = self.workers[number].jobs.is_empty() && !self.workers[number].asked;
            if idle && (self.calm || self.dice.one_in(3)) {
                self.look(number);
            }
        }
    }

    fn look(&mut self, worker: usize) {
        let place = self.dice.below(self.scopes.len() as u64) as usize;
        let scope = self.scopes[place].clone();
        let lease = (!self.calm && self.dice.one_in(2)).then(|| Millis(self.dice.between(500, 6_000)));
        let max = self.dice.between(1, 3) as usize;
        let (of, who) = (scope.clone(), format!("w{worker}"));
        let what = format!("worker {who} wants jobs");
        self.workers[worker].asked = self.ask(format!("worker {worker}"), what, Then::Took(worker, scope), |kernel| {
            Box::pin(async move {
                let topics = [pack::TOPIC.to_owned()];
                kernel.activate(&of, &topics, &who, max, lease, Duration::ZERO).await.map(Answer::Jobs)
            })
        });
    }

    /// Processes the jobs that a worker leased.
    pub(super) fn took(&mut self, worker: usize, scope: &Scope, jobs: Vec<JobLease>) {
        self.workers[worker].asked = false;
        for lease in jobs {
            if !self.calm && self.dice.one_in(6) {
                let run = lease.run;
                self.listing.note(&format!("w{worker}"), |listing| format!("dies with a job of {}", listing.run(run)));
                continue;
            }
            let wait = match self.dice.below(6) {
                _ if self.calm => 0,
                0 => self.dice.between(3_000, 20_000),
                _ => self.dice.between(0, 2_000),
            };
            let (at, extends) = (self.now().plus(Millis(wait)), !self.calm && self.dice.one_in(4));
            self.workers[worker].jobs.push(Taken { scope: scope.clone(), lease, at, extends });
        }
    }

    fn speak(&mut self, worker: usize, job: Taken) {
        let Taken { scope, lease, extends, .. } = job;
        let (who, key, name) = (format!("w{worker}"), lease.key, self.listing.run(lease.run));
        if extends {
            let (of, held) = (scope.clone(), lease.lease.clone());
            let by = self.dice.one_in(2).then(|| Millis(self.dice.between(500, 6_000)));
            self.ask(format!("{who} {key}"), format!("{who} wants more time for {name}"), Then::Nothing, |kernel| {
                Box::pin(async move {
                    let run = lease_run(&held);
                    kernel.extend_job(&of, key, &held, by).await.map(|_| Answer::Run(run))
                })
            });
            let at = self.now().plus(Millis(self.dice.between(0, 4_000)));
            self.workers[worker].jobs.push(Taken { scope, lease, at, extends: false });
            return;
        }
        let times = if !self.calm && self.dice.one_in(4) { 2 } else { 1 };
        for _ in 0..times {
            // A transient failure or an invalid answer may be followed by a better one.
            let (is_final, outcome) = match self.dice.below(12) {
                _ if self.calm => (true, JobOutcome::Done(ToolResult::ok(json!({"value": 1})))),
                0 | 1 => (false, JobOutcome::Failed(Failure::transient("busy", "busy"))),
                2 | 3 => (true, JobOutcome::Failed(Failure::business("refused", "no"))),
                4 => (false, JobOutcome::Done(ToolResult::ok(json!({"lie": true})))),
                _ => (true, JobOutcome::Done(ToolResult::ok(json!({"value": self.dice.below(8)})))),
            };
            let attempt = lease.attempt;
            let (of, held) = (scope.clone(), lease.lease.clone());
            let then = if is_final { Then::Answered(key, attempt) } else { Then::Nothing };
            let answered = self.ask(format!("{who} {key}"), format!("{who} answers for {name}"), then, |kernel| {
                Box::pin(async move { kernel.answer_job(&of, key, &held, None, outcome).await.map(Answer::Run) })
            });
            if self.calm && !answered {
                let at = self.now();
                self.workers[worker].jobs.push(Taken {
                    scope: scope.clone(),
                    lease: lease.clone(),
                    at,
                    extends: false,
                });
            }
        }
    }
}

fn lease_run(lease: &str) -> brain_core::RunId {
    let run = lease.split('.').next().and_then(|run| run.parse().ok());
    run.expect("a lease begins with its run")
}
