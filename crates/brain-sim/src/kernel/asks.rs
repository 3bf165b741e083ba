//! Requests of clients, people, workers and operators to a kernel, and their answers.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use brain_core::{JobKey, RunId};
use brain_engine::Receipt;
use brain_kernel::{JobLease, Kernel, KernelError};
use brain_store::Scope;

use super::World;

/// The answer to a request.
pub(super) enum Answer {
    /// The run that was accepted or changed.
    Run(RunId),
    /// The jobs that a worker leased.
    Jobs(Vec<JobLease>),
}

pub(super) type Pending = Pin<Box<dyn Future<Output = Result<Answer, KernelError>>>>;

/// A pending request.
pub(super) struct Ask {
    /// Identifies the request. A world without faults does not repeat a request while it is pending.
    subject: String,
    what: String,
    pending: Pending,
    then: Then,
}

/// What the sender does with the answer.
pub(super) enum Then {
    Nothing,
    /// A client wanted a run.
    Accepted(usize),
    /// A worker wanted jobs.
    Took(usize, Scope),
    /// A worker answered for this attempt.
    Answered(JobKey, u32),
    /// A run was migrated; these are its receipts before.
    Moved(RunId, Vec<Receipt>),
}

impl World {
    /// Sends a request to any node; returns whether one was up.
    pub(super) fn ask(
        &mut self,
        subject: String,
        what: String,
        then: Then,
        make: impl FnOnce(Arc<Kernel>) -> Pending,
    ) -> bool {
        if self.calm && self.asks.iter().any(|ask| ask.subject == subject) {
            return false;
        }
        let Some((node, kernel)) = self.any_kernel() else { return false };
        self.listing.note(&node, |_| format!("gets a request: {what}"));
        self.asks.push(Ask { subject, what, pending: make(kernel), then });
        true
    }

    /// Processes answers.
    pub(super) fn take_answers(&mut self) {
        for mut ask in std::mem::take(&mut self.asks) {
            match ask.pending.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Pending => self.asks.push(ask),
                Poll::Ready(result) => {
                    if let Err(error) = &result {
                        self.listing.note("people", |_| format!("get an error about {}: {error}", ask.what));
                    }
                    self.follow(ask.then, result);
                }
            }
        }
    }

    fn follow(&mut self, then: Then, result: Result<Answer, KernelError>) {
        match (then, result) {
            (Then::Accepted(client), Ok(Answer::Run(run))) => self.accepted(client, run),
            (Then::Accepted(client), Err(error)) => self.not_accepted(client, &error),
            (Then::Took(worker, scope), Ok(Answer::Jobs(jobs))) => self.took(worker, &scope, jobs),
            (Then::Took(worker, _), Err(error)) => {
                self.workers[worker].asked = false;
                // A node that is shutting down and a store failure may reject any request; a single run that cannot go
                // on must not.
                let nobody_can = matches!(error, KernelError::Internal(_) | KernelError::Store(_) | KernelError::Busy);
                if !nobody_can || (self.calm && !matches!(error, KernelError::Internal(_))) {
                    self.problems.push(format!("a worker that asks for jobs is turned away: {error}"));
                }
            }
            (Then::Answered(key, attempt), Ok(_)) => {
                let taken = self.taken.entry((key, attempt)).or_insert(0);
                *taken += 1;
                if *taken > 1 {
                    self.problems
                        .push(format!("the answer for attempt {attempt} of job {key} was taken {taken} times"));
                }
            }
            (Then::Moved(run, before), Ok(_)) => {
                self.tally.moved += 1;
                self.moved.push((run, before));
            }
            _ => {}
        }
    }
}
