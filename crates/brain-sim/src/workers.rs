//! Workers: they lease offered jobs, and die, delay, answer twice, answer late or for an attempt that has ended.

use brain_core::{Failure, JobKey, Millis, RunId, Timestamp};
use brain_engine::JobOutcome;
use brain_engine::core::ToJob;
use brain_registry::ToolResult;
use brain_store::Scope;
use serde_json::{Value, json};

use crate::clients::good;
use crate::people::Then;
use crate::plans::TOPIC;
use crate::world::World;

#[derive(Default)]
pub(crate) struct Worker {
    /// Whether it waits for the answer to a lease request.
    pub(crate) asked: bool,
    job: Option<Taken>,
}

struct Taken {
    scope: Scope,
    run: RunId,
    key: JobKey,
    attempt: u32,
    /// When it sends its next message.
    at: Timestamp,
    extends: bool,
}

impl World {
    /// Lets every worker act.
    pub(crate) fn let_work(&mut self) {
        for number in 0..self.workers.len() {
            match self.workers[number].job.take() {
                Some(job) if job.at <= self.now() => self.speak(number, job),
                Some(job) => self.workers[number].job = Some(job),
                None if !self.workers[number].asked && (self.calm || self.dice.one_in(3)) => self.look(number),
                None => {}
            }
        }
    }

    fn look(&mut self, worker: usize) {
        let place = self.dice.below(self.scopes.len() as u64) as usize;
        let scope = self.scopes[place].clone();
        let offers = self.disk.base.offers(&scope, &[TOPIC.to_owned()], 10).unwrap_or_default();
        let Some(offer) = self.dice.pick(&offers).cloned() else { return };
        let (run, key) = (offer.run, offer.key);
        let until = self.dice.one_in(2).then(|| self.now().plus(Millis(self.dice.between(500, 6_000))));
        let until = until.filter(|_| !self.calm);
        let lease = ToJob::Lease { until, worker: format!("w{worker}") };
        self.workers[worker].asked = true;
        let then = Then::Leased { worker, scope: scope.clone(), run, key };
        let what = format!("worker w{worker} wants a job of {}", self.listing.run(run));
        let asks = self.asks.len();
        self.ask(format!("worker {worker}"), what, then, |engine| {
            Box::pin(async move { engine.tell_job(&scope, run, key, lease).await })
        });
        // No node was up.
        self.workers[worker].asked = self.asks.len() > asks;
    }

    /// Processes the answer to a lease request.
    pub(crate) fn leased(&mut self, worker: usize, scope: Scope, run: RunId, key: JobKey, answer: &Value) {
        self.workers[worker].asked = false;
        let Some(attempt) = answer["attempt"].as_u64().and_then(|attempt| u32::try_from(attempt).ok()) else { return };
        if !self.calm && self.dice.one_in(6) {
            self.listing.note(&format!("w{worker}"), |listing| format!("dies with a job of {}", listing.run(run)));
            return;
        }
        let wait = match self.dice.below(6) {
            _ if self.calm => 0,
            0 => self.dice.between(3_000, 20_000),
            _ => self.dice.between(0, 2_000),
        };
        let extends = !self.calm && self.dice.one_in(4);
        let at = self.now().plus(Millis(wait));
        self.workers[worker].job = Some(Taken { scope, run, key, attempt, at, extends });
    }

    fn speak(&mut self, worker: usize, job: Taken) {
        let Taken { scope, run, key, attempt, .. } = job;
        let who = format!("worker w{worker}");
        if job.extends {
            let message = ToJob::Extend { attempt, until: None };
            let what = format!("{who} wants more time for {}#{attempt}", self.listing.run(run));
            let of = scope.clone();
            self.ask(format!("{who} {key}"), what, Then::Nothing, |engine| {
                Box::pin(async move { engine.tell_job(&of, run, key, message).await })
            });
            let at = self.now().plus(Millis(self.dice.between(0, 4_000)));
            self.workers[worker].job = Some(Taken { scope, run, key, attempt, at, extends: false });
            return;
        }
        let times = if !self.calm && self.dice.one_in(4) { 2 } else { 1 };
        for _ in 0..times {
            let outcome = match self.dice.below(10) {
                _ if self.calm => JobOutcome::Done(ToolResult::ok(good("worked"))),
                0 | 1 => JobOutcome::Failed(Failure::transient("busy", "busy")),
                2 => JobOutcome::Failed(Failure::business("refused", "no")),
                3 => JobOutcome::Done(ToolResult::ok(json!({"lie": true}))),
                _ => JobOutcome::Done(ToolResult::ok(good("worked"))),
            };
            // A confused worker answers for an earlier attempt.
            let attempt = if !self.calm && self.dice.one_in(10) { attempt.saturating_sub(1) } else { attempt };
            let message = ToJob::Answer { attempt: Some(attempt), outcome };
            let what = format!("{who} answers for {}#{attempt}", self.listing.run(run));
            let of = scope.clone();
            self.ask(format!("{who} {key}"), what, Then::Answered { key, attempt }, |engine| {
                Box::pin(async move { engine.tell_job(&of, run, key, message).await })
            });
        }
    }
}
