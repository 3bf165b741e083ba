//! External workers: they lease jobs, execute them and report results. A job whose lease expires is offered again.

use std::time::Duration;

use brain_core::{Digest, JobKey, Millis, RunId, Timestamp, canonical_digest, planted};
use brain_engine::core::ToJob;
use brain_engine::{EngineError, JobOutcome, RunState};
use brain_store::Scope;
use brain_store::blob::offload;
use serde_json::Value;

use crate::error::KernelError;
use crate::kernel::Kernel;

/// How often the store is polled while a worker waits, as a fallback for notifications.
const POLL: Duration = Duration::from_millis(500);

/// Extra offers to fetch beyond those wanted.
const SPARE: usize = 32;

/// A job leased by a worker.
#[derive(Clone, Debug, PartialEq)]
pub struct JobLease {
    /// Its key, the same for every attempt, so that a worker can recognise work it has done before.
    pub key: JobKey,
    /// The lease that the worker names when it answers; an older one is refused.
    pub lease: String,
    /// The run it belongs to.
    pub run: RunId,
    /// Which attempt.
    pub attempt: u32,
    /// When the lease expires.
    pub until: Timestamp,
    /// The topic.
    pub topic: String,
    /// The tool.
    pub tool: String,
    /// The step.
    pub step: String,
    /// The arguments.
    pub args: Value,
    /// The digest of their canonical JSON; an answer may name it.
    pub args_hash: Digest,
}

/// Parses a lease: a run and an attempt.
fn parse_lease(lease: &str) -> Option<(RunId, u32)> {
    let (run, attempt) = lease.split_once('.')?;
    Some((run.parse().ok()?, attempt.parse().ok()?))
}

impl Kernel {
    /// Leases up to `max` jobs of these topics to a worker; waits until there is at least one, or the timeout has
    /// passed.
    pub async fn activate(
        &self,
        scope: &Scope,
        topics: &[String],
        worker: &str,
        max: usize,
        lease: Option<Millis>,
        wait: Duration,
    ) -> Result<Vec<JobLease>, KernelError> {
        let deadline = tokio::time::Instant::now() + wait;
        loop {
            // Subscribe before reading, so that nothing is missed in between.
            let news = self.engine().offers();
            let taken = self.take(scope, topics, worker, max, lease).await?;
            if !taken.is_empty() || tokio::time::Instant::now() >= deadline {
                return Ok(taken);
            }
            let pause = tokio::time::sleep_until(deadline.min(tokio::time::Instant::now() + POLL));
            tokio::select! {
                () = news => {}
                () = pause => {}
                () = self.engine().retired() => return Ok(taken),
            }
        }
    }

    /// Leases what is available now, without waiting.
    pub(crate) async fn take(
        &self,
        scope: &Scope,
        topics: &[String],
        worker: &str,
        max: usize,
        lease: Option<Millis>,
    ) -> Result<Vec<JobLease>, KernelError> {
        let mut taken = Vec::new();
        // Fetch a few more than wanted: offers that others take must not hide the rest.
        for offer in self.store().offers(scope, topics, max + SPARE)? {
            if taken.len() == max {
                break;
            }
            let until = lease.map(|lease| self.clock().now().plus(lease));
            let message = ToJob::Lease { until, worker: worker.to_owned() };
            let sent = self.engine().tell_job(scope, offer.run, offer.key, message).await;
            let answer = match sent {
                Ok(news) => news.answer,
                // Another worker or process was faster.
                Err(EngineError::NothingToDo(_) | EngineError::NoSuchRun(_)) => continue,
                // A run that cannot be read or is parked must not block other offers.
                Err(
                    error @ (EngineError::Parked(_)
                    | EngineError::Unreadable(..)
                    | EngineError::NoProgram(_)
                    | EngineError::Refused(..)),
                ) if !planted("closed-topic") => {
                    tracing::warn!(run = %offer.run, %error, "an offered job cannot be leased");
                    continue;
                }
                // Jobs leased so far belong to the worker, so they must be returned.
                Err(error) if !taken.is_empty() => {
                    tracing::warn!(run = %offer.run, %error, "a job could not be leased");
                    break;
                }
                Err(error) => return Err(error.into()),
            };
            let Some(attempt) = answer["attempt"].as_u64().and_then(|n| u32::try_from(n).ok()) else { continue };
            let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
            taken.push(JobLease {
                key: offer.key,
                lease: format!("{}.{attempt}", offer.run),
                run: offer.run,
                attempt,
                until: serde_json::from_value(answer["until"].clone()).unwrap_or_default(),
                topic: offer.topic,
                tool: text("tool"),
                step: text("step"),
                args_hash: canonical_digest(&answer["args"]),
                args: answer["args"].clone(),
            });
        }
        Ok(taken)
    }

    /// Accepts a worker's result. If it names the digest of the arguments, they must be those of the job. Returns the
    /// run.
    pub async fn answer_job(
        &self,
        scope: &Scope,
        key: JobKey,
        lease: &str,
        args_hash: Option<Digest>,
        outcome: JobOutcome,
    ) -> Result<RunId, KernelError> {
        let (run, attempt) = parse_lease(lease).ok_or_else(|| lost(key))?;
        if let Some(named) = args_hash {
            let (kernel, scope) = (self.engine().clone(), scope.clone());
            let known = kernel.run_state(&scope, run).map(|state| hash_of_args(&state, key))?;
            if known.is_some_and(|known| known != named) {
                return Err(KernelError::Conflict(format!(
                    "`input_hash` does not match the input of job {key}, so the work was done for different arguments; \
                     nothing changed"
                )));
            }
        }
        let message = ToJob::Answer { attempt: Some(attempt), outcome };
        let news = self.engine().tell_job(scope, run, key, message).await?;
        if news.answer["taken"] == true { Ok(run) } else { Err(lost(key)) }
    }

    /// Extends a worker's lease. Returns its new end.
    pub async fn extend_job(
        &self,
        scope: &Scope,
        key: JobKey,
        lease: &str,
        by: Option<Millis>,
    ) -> Result<Timestamp, KernelError> {
        let (run, attempt) = parse_lease(lease).ok_or_else(|| lost(key))?;
        let until = by.map(|by| self.clock().now().plus(by));
        let sent = self.engine().tell_job(scope, run, key, ToJob::Extend { attempt, until }).await;
        match sent {
            Ok(news) => serde_json::from_value(news.answer["until"].clone()).map_err(|_| lost(key)),
            Err(EngineError::NothingToDo(_)) => Err(lost(key)),
            Err(error) => Err(error.into()),
        }
    }
}

/// The digest of an open job's arguments, as workers receive them.
fn hash_of_args(state: &RunState, key: JobKey) -> Option<Digest> {
    let jobs = state.state.as_ref()?.jobs.keys();
    let job = jobs.into_iter().find(|job| state.job_key(**job) == Some(key))?;
    let mut args = state.data.args.get(job)?.clone();
    offload(&mut args, 1, &mut Vec::new());
    Some(canonical_digest(&args))
}

fn lost(key: JobKey) -> KernelError {
    KernelError::Conflict(format!(
        "job {key} is not held with this lease: it was answered, was offered again when the lease ended, or its run is \
         over; nothing changed"
    ))
}
