//! Happenings: events that operators care about, each with a log line and a call of every [`Observer`]. They are
//! derived from log rows after the commit is durable, so each is reported once, by the node that committed it. They
//! carry ids, tool names and codes; never arguments, results or messages.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use brain_core::{JobKey, NodeId, RunId, RunStatus, TenantId, Timestamp};
use brain_store::LogRow;
use brain_vm::{Code, Event, JobId, State};
use serde::Deserialize;

use crate::log::{LogEntry, PipeEvent, entries};

/// An event that operators care about.
#[derive(Clone, Debug)]
pub struct Happening {
    /// The tenant.
    pub tenant: TenantId,
    /// The run.
    pub run: RunId,
    /// The trace id of the caller's request, if it has one.
    pub trace: Option<String>,
    /// When it was decided.
    pub at: Timestamp,
    /// The kind of event.
    pub what: What,
}

/// The kind of a happening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A request became a run.
    Accepted {
        /// Its status after its first commit.
        status: RunStatus,
    },
    /// An attempt failed and will be retried.
    Retrying {
        /// The tool.
        tool: String,
        /// The attempt that failed.
        attempt: u32,
        /// The code of the failure.
        code: String,
        /// When the next attempt starts.
        next: Timestamp,
    },
    /// A job became a dead letter.
    LetterOpened {
        /// The letter.
        letter: JobKey,
        /// The tool.
        tool: String,
        /// Who can help: `support`, `engineering` or `business`.
        intervention: String,
    },
    /// A person decided about a dead letter.
    LetterDecided {
        /// The letter.
        letter: JobKey,
        /// `retried`, `resolved`, `abandoned` or `escalated`.
        outcome: String,
    },
    /// A plan or a step waits for approval.
    ApprovalAsked {
        /// The tool, if it is about one step.
        tool: Option<String>,
    },
    /// A person approved or rejected a plan or a step.
    ApprovalDecided {
        /// Whether it was approved.
        approved: bool,
    },
    /// A result waits for a review.
    ReviewAsked {
        /// The tool.
        tool: String,
    },
    /// This node took the run over from another one.
    TakenOver {
        /// The previous owner.
        from: Option<NodeId>,
    },
}

impl What {
    /// A short name for metrics and notifications.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Accepted { .. } => "accepted",
            Self::Retrying { .. } => "retrying",
            Self::LetterOpened { .. } => "dead_letter",
            Self::LetterDecided { .. } => "dead_letter_decided",
            Self::ApprovalAsked { .. } => "approval",
            Self::ApprovalDecided { .. } => "approval_decided",
            Self::ReviewAsked { .. } => "review",
            Self::TakenOver { .. } => "taken_over",
        }
    }
}

/// Called on deciding threads, so implementations must be fast and must not block.
pub trait Observer: Send + Sync {
    /// Something happened to a run, and is durable.
    fn happened(&self, _: &Happening) {}

    /// An external call ended. The outcome is `done`, `failed`, `unknown` or `done_badly`.
    fn outside_call(&self, _tool: &str, _outcome: &'static str, _took: Duration) {}

    /// A batch of commits was written, or failed.
    fn commit(&self, _took: Duration, _written: bool) {}
}

/// Durations above which something is logged as slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slow {
    /// A commit.
    pub commit: Duration,
    /// An external call.
    pub outside: Duration,
}

impl Default for Slow {
    fn default() -> Self {
        Self { commit: Duration::from_secs(1), outside: Duration::from_secs(10) }
    }
}

/// The observers of an engine, and its log.
#[derive(Default)]
pub(crate) struct Observers {
    all: RwLock<Vec<Arc<dyn Observer>>>,
    slow: Slow,
}

impl Observers {
    pub(crate) fn new(slow: Slow) -> Self {
        Self { all: RwLock::default(), slow }
    }

    pub(crate) fn add(&self, observer: Arc<dyn Observer>) {
        self.all.write().unwrap_or_else(PoisonError::into_inner).push(observer);
    }

    fn each(&self, call: impl Fn(&dyn Observer)) {
        for observer in self.all.read().unwrap_or_else(PoisonError::into_inner).iter() {
            call(observer.as_ref());
        }
    }

    pub(crate) fn happened(&self, happening: &Happening) {
        log(happening);
        self.each(|observer| observer.happened(happening));
    }

    pub(crate) fn outside_call(&self, run: RunId, tool: &str, outcome: &'static str, took: Duration) {
        if took >= self.slow.outside {
            let took_ms = took.as_millis() as u64;
            tracing::info!(%run, tool, outcome, took_ms, "slow external call");
        }
        self.each(|observer| observer.outside_call(tool, outcome, took));
    }

    pub(crate) fn commit(&self, took: Duration, written: bool) {
        if took >= self.slow.commit {
            tracing::info!(took_ms = took.as_millis() as u64, written, "slow commit");
        }
        self.each(|observer| observer.commit(took, written));
    }
}

fn log(happening: &Happening) {
    let Happening { tenant, run, trace, what, .. } = happening;
    let trace = trace.as_deref();
    match what {
        What::Accepted { status } => tracing::info!(%run, %tenant, trace, %status, "run accepted"),
        What::Retrying { tool, attempt, code, next } => {
            tracing::info!(%run, %tenant, trace, tool, attempt, code, %next, "attempt failed; will retry");
        }
        What::LetterOpened { letter, tool, intervention } => {
            tracing::warn!(%run, %tenant, trace, tool, %letter, intervention, "dead letter opened");
        }
        What::LetterDecided { letter, outcome } => {
            tracing::info!(%run, %tenant, trace, %letter, outcome, "dead letter decided");
        }
        What::ApprovalAsked { tool } => {
            tracing::info!(%run, %tenant, trace, tool = tool.as_deref(), "waiting for approval");
        }
        What::ApprovalDecided { approved: true } => tracing::info!(%run, %tenant, trace, "approved"),
        What::ApprovalDecided { approved: false } => tracing::info!(%run, %tenant, trace, "rejected"),
        What::ReviewAsked { tool } => tracing::info!(%run, %tenant, trace, tool, "waiting for review"),
        What::TakenOver { from } => {
            let from = from.map(|node| node.to_string());
            tracing::warn!(%run, %tenant, trace, from, "run taken over from another node");
        }
    }
}

/// The happenings in a row of a run's log. `status` is the run's status after it; `code` and `state` are those of the
/// machine and give the tool of a job.
pub(crate) fn happenings(row: &LogRow, status: RunStatus, code: Option<&Code>, state: Option<&State>) -> Vec<What> {
    let tool = |job: JobId| {
        let (code, state) = code.zip(state)?;
        Some(state.step(code, job.at()).call(job.undo).tool.name.clone())
    };
    entries(std::slice::from_ref(row)).filter_map(|entry| happening(&entry, status, &tool)).collect()
}

#[derive(Deserialize)]
struct Opened {
    letter: JobKey,
    tool: String,
    intervention: String,
}

#[derive(Deserialize)]
struct Decided {
    letter: JobKey,
    outcome: String,
}

#[derive(Deserialize)]
struct Taken {
    from: Option<NodeId>,
}

/// Compares event numbers first, so that only relevant events are parsed.
fn happening(entry: &LogEntry<'_>, status: RunStatus, tool: &dyn Fn(JobId) -> Option<String>) -> Option<What> {
    const RECEIVED: u16 = PipeEvent::Received as u16;
    const STAGED: u16 = PipeEvent::Staged as u16;
    const APPROVED: u16 = PipeEvent::Approved as u16;
    const REJECTED: u16 = PipeEvent::Rejected as u16;
    const TAKEN_OVER: u16 = PipeEvent::TakenOver as u16;
    const DECIDED: u16 = PipeEvent::LetterDecided as u16;
    const OPENED: u16 = PipeEvent::LetterOpened as u16;
    Some(match entry.number {
        RECEIVED => What::Accepted { status },
        STAGED => What::ApprovalAsked { tool: None },
        APPROVED => What::ApprovalDecided { approved: true },
        REJECTED => What::ApprovalDecided { approved: false },
        TAKEN_OVER => What::TakenOver { from: entry.read::<Taken>()?.from },
        DECIDED => {
            let Decided { letter, outcome } = entry.read()?;
            What::LetterDecided { letter, outcome }
        }
        OPENED => {
            let Opened { letter, tool, intervention } = entry.read()?;
            What::LetterOpened { letter, tool, intervention }
        }
        _ => match Event::name(entry.number)? {
            "JobRetrying" | "JobHeld" | "ReviewAsked" => match entry.machine().ok()?? {
                Event::JobRetrying { job, attempt, failure, at, .. } => {
                    What::Retrying { tool: tool(job).unwrap_or_default(), attempt, code: failure.code, next: at }
                }
                Event::JobHeld { job, .. } => What::ApprovalAsked { tool: tool(job) },
                Event::ReviewAsked { job, .. } => What::ReviewAsked { tool: tool(job).unwrap_or_default() },
                _ => return None,
            },
            _ => return None,
        },
    })
}
