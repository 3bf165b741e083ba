//! The plan: the common form of playbooks, runbooks and tool-call batches before compilation.
//!
//! A plan is a graph of steps without concrete values: the values of a request are in the run's input, so that a
//! thousand requests of the same shape share one program.

use brain_core::{Digest, Millis};
use serde::{Deserialize, Serialize};

use crate::binding::Binding;

/// A graph of steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Its name for people: the playbook's name, or the tools of a runbook.
    pub name: String,
    /// The steps, in source order.
    pub steps: Vec<PlanStep>,
    /// Time limit of the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Millis>,
    /// Maximum number of jobs, injected ones included.
    pub max_steps: u32,
    /// Whether all steps are one commit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub atomic: bool,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanStep {
    /// Stable and unique in the plan.
    pub id: String,
    /// The tool, pinned to a definition.
    pub tool: ToolRef,
    /// Arguments over `input`, `slots`, `state`, `steps`, `item`, `index`, `settings`.
    pub args: Args,
    /// Steps that must be done first.
    pub after: Vec<String>,
    /// A condition; the step is skipped, with a null result, unless it is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Binding>,
    /// Runs once for each item of this list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreach: Option<Foreach>,
    /// What a failure does to the run.
    pub on_failure: OnFailure,
    /// How transient failures are retried.
    pub retry: RetryPolicy,
    /// Time limit of one attempt.
    pub timeout: Millis,
    /// Where it is executed.
    pub place: Place,
    /// The tool that checks whether it happened, for `idempotency: check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<PlanCheck>,
    /// The tool that undoes it, if the step is to be compensated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<PlanUndo>,
    /// Steps whose results it uses: in a best-effort batch it is skipped if one of them failed or was skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Whether an approver must agree to this call before it starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gate: bool,
}

impl PlanStep {
    /// Every tool that the step may call.
    pub fn tools(&self) -> impl Iterator<Item = &ToolRef> {
        let undo = self
            .undo
            .iter()
            .flat_map(|undo| std::iter::once(&undo.tool).chain(undo.check.as_ref().map(|check| &check.tool)));
        std::iter::once(&self.tool).chain(self.check.as_ref().map(|check| &check.tool)).chain(undo)
    }

    /// The call that does the step, or the one that undoes it.
    pub fn call(&self, undo: bool) -> StepCall<'_> {
        match &self.undo {
            Some(back) if undo => StepCall {
                tool: &back.tool,
                place: &back.place,
                retry: &back.retry,
                timeout: back.timeout,
                check: back.check.as_ref(),
                gate: back.gate,
            },
            _ => StepCall {
                tool: &self.tool,
                place: &self.place,
                retry: &self.retry,
                timeout: self.timeout,
                check: self.check.as_ref(),
                gate: self.gate,
            },
        }
    }
}

/// Where the arguments of a step come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Args {
    /// Those of the request's call with this number; the first is 0.
    Call(u32),
    /// Evaluated when the step starts.
    Binding(Binding),
}

/// A call of a step, forward or undo.
#[derive(Clone, Copy, Debug)]
pub struct StepCall<'p> {
    /// The tool.
    pub tool: &'p ToolRef,
    /// Where it is executed.
    pub place: &'p Place,
    /// How transient failures are retried.
    pub retry: &'p RetryPolicy,
    /// Time limit of one attempt.
    pub timeout: Millis,
    /// The tool that checks whether it happened.
    pub check: Option<&'p PlanCheck>,
    /// Whether an approver must agree to this call before it starts.
    pub gate: bool,
}

/// A tool by name, pinned to one definition by hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRef {
    /// `domain.name`.
    pub name: String,
    /// The definition.
    pub hash: Digest,
}

/// How to find out whether a call happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanCheck {
    /// The tool that checks.
    pub tool: ToolRef,
    /// How often it is asked if it does not answer.
    pub retry: RetryPolicy,
}

/// A step that runs once for each item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Foreach {
    /// FEEL that yields a list.
    pub items: Binding,
    /// Maximum number of items in parallel.
    pub at_a_time: u16,
}

/// How a step is undone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanUndo {
    /// The tool that undoes it.
    pub tool: ToolRef,
    /// Its arguments over `input` and `result` of the step.
    pub args: Binding,
    /// Where that tool is executed.
    pub place: Place,
    /// The tool that checks whether it happened, for `idempotency: check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<PlanCheck>,
    /// How its transient failures are retried.
    pub retry: RetryPolicy,
    /// Time limit of one attempt.
    pub timeout: Millis,
    /// Whether an approver must agree to this call before it starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gate: bool,
}

/// Where a step is executed, which determines its guarantees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In process; its effect and its checkpoint are one commit.
    Inline,
    /// Outside; its start and its outcome are committed before and after.
    Outside(Idempotency),
    /// By external workers, under a lease.
    Worker {
        /// The topic that workers subscribe to.
        topic: String,
        /// How long a worker may hold the job before it is offered again.
        lease: Millis,
    },
}

/// What to do if the outcome of an external call is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Idempotency {
    /// Retry with the same key: the other side recognises it.
    Key,
    /// Ask this tool whether it happened.
    Check(String),
    /// A person decides.
    None,
}

/// What a step's failure does to the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The run fails; completed steps stay.
    Stop,
    /// The step counts as done with a null result.
    Continue,
    /// Completed steps are undone, in reverse order.
    Undo,
    /// The step becomes a dead letter, and the steps after it go on. The run fails at its end if the step was not done by
    /// then. Only the steps of an undo use this; packs cannot ask for it.
    Letter,
}

/// How transient failures are retried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryPolicy {
    /// Maximum number of attempts, the first included.
    pub attempts: u32,
    /// How the delay grows.
    pub backoff: Backoff,
    /// The first delay.
    pub delay: Millis,
    /// The longest delay.
    pub max_delay: Millis,
    /// Random share of the delay, in percent.
    pub jitter: u8,
    /// Failure codes that are retried; empty means every transient failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
}

/// How the delay between attempts grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backoff {
    /// Constant.
    Fixed,
    /// Grows by one delay each time.
    Linear,
    /// Doubles each time.
    Exponential,
}

impl Default for RetryPolicy {
    /// Four attempts, 2 s, 4 s and 8 s apart, with 20 % jitter and at most a minute.
    fn default() -> Self {
        Self {
            attempts: 4,
            backoff: Backoff::Exponential,
            delay: Millis::from_secs(2),
            max_delay: Millis::from_secs(60),
            jitter: 20,
            on: Vec::new(),
        }
    }
}

impl RetryPolicy {
    /// The delay before attempt `next` (the second is 2). `noise` is a random number, recorded by the caller.
    pub fn wait_before(&self, next: u32, noise: u64) -> Millis {
        let retries = next.saturating_sub(1).max(1);
        let base = match self.backoff {
            Backoff::Fixed => self.delay.0,
            Backoff::Linear => self.delay.0.saturating_mul(u64::from(retries)),
            Backoff::Exponential => self.delay.0.saturating_mul(1_u64.checked_shl(retries - 1).unwrap_or(u64::MAX)),
        };
        let capped = base.min(self.max_delay.0);
        let random_part =
            capped / 100 * u64::from(self.jitter.min(100)) + capped % 100 * u64::from(self.jitter.min(100)) / 100;
        Millis(capped - random_part + if random_part == 0 { 0 } else { noise % (random_part + 1) })
    }

    /// Whether a transient failure with this code is retried.
    pub fn covers(&self, code: &str) -> bool {
        self.on.is_empty() || self.on.iter().any(|one| one == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(backoff: Backoff) -> RetryPolicy {
        RetryPolicy { attempts: 9, backoff, delay: Millis(100), max_delay: Millis(1000), jitter: 0, on: vec![] }
    }

    #[test]
    fn waits_grow_as_the_backoff_says_and_stop_at_the_cap() {
        let waits = |backoff| (2..8).map(|n| policy(backoff).wait_before(n, 0).0).collect::<Vec<_>>();
        assert_eq!(waits(Backoff::Fixed), [100, 100, 100, 100, 100, 100]);
        assert_eq!(waits(Backoff::Linear), [100, 200, 300, 400, 500, 600]);
        assert_eq!(waits(Backoff::Exponential), [100, 200, 400, 800, 1000, 1000]);
        assert_eq!(policy(Backoff::Exponential).wait_before(u32::MAX, 0), Millis(1000));
    }

    #[test]
    fn jitter_only_ever_shortens_and_never_by_more_than_its_share() {
        let policy = RetryPolicy { jitter: 20, ..policy(Backoff::Fixed) };
        for noise in 0..200 {
            let wait = policy.wait_before(2, noise).0;
            assert!((80..=100).contains(&wait), "{wait}");
        }
    }
}
