//! The plan: the one form that playbooks, runbooks and tool-call batches take before they are compiled.
//!
//! A plan is a graph of steps. It holds no concrete values: what a request brought along is in the run's input, so
//! that a thousand requests of the same shape share one program.

use brain_core::{Digest, Millis};
use serde::{Deserialize, Serialize};

use crate::binding::Binding;

/// A graph of steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What people call it: the playbook's name, or the tools of a runbook.
    pub name: String,
    /// The steps, in the order in which they were written.
    pub steps: Vec<PlanStep>,
    /// How long the whole run may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Millis>,
    /// Hard stop on the number of jobs, injected ones included.
    pub max_steps: u32,
    /// All of it is one commit, or none of it happens.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub atomic: bool,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanStep {
    /// Unique in the plan, stable.
    pub id: String,
    /// The tool and the definition of it that is meant.
    pub tool: ToolRef,
    /// Arguments over `input`, `slots`, `state`, `steps`, `item`, `index`, `settings`.
    pub args: Args,
    /// Steps that must be done first.
    pub after: Vec<String>,
    /// Skipped, with a null result, unless this is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Binding>,
    /// Done once for each item of this list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreach: Option<Foreach>,
    /// What a failure does to the run.
    pub on_failure: OnFailure,
    /// How transient failures are retried.
    pub retry: RetryPolicy,
    /// How long one attempt may take.
    pub timeout: Millis,
    /// Where it is done.
    pub place: Place,
    /// The tool that tells whether it happened, for `idempotency: check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<PlanCheck>,
    /// The tool that takes it back, if there is one and the step is to be compensated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<PlanUndo>,
    /// Steps whose results it uses: in a best-effort batch it is skipped when one of them failed or was skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Somebody who may approve must say yes to this very call before it starts.
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

    /// The call that does the step, or the one that takes it back.
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
    /// They are those of the request's call with this number; the first is 0.
    Call(u32),
    /// They are evaluated when the step starts.
    Binding(Binding),
}

/// What a step calls, forward or back, and how.
#[derive(Clone, Copy, Debug)]
pub struct StepCall<'p> {
    /// The tool.
    pub tool: &'p ToolRef,
    /// Where it is done.
    pub place: &'p Place,
    /// How transient failures are retried.
    pub retry: &'p RetryPolicy,
    /// How long one attempt may take.
    pub timeout: Millis,
    /// The tool that tells whether it happened.
    pub check: Option<&'p PlanCheck>,
    /// Whether somebody who may approve must say yes to this very call before it starts.
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

/// How it is found out whether a call happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanCheck {
    /// The tool that tells.
    pub tool: ToolRef,
    /// How often it is asked when it gives no answer, and when.
    pub retry: RetryPolicy,
}

/// A step done once for each item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Foreach {
    /// FEEL that gives a list.
    pub items: Binding,
    /// How many items at a time.
    pub at_a_time: u16,
}

/// How a step is taken back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanUndo {
    /// The tool that does it.
    pub tool: ToolRef,
    /// Its arguments over `input` and `result` of the step.
    pub args: Binding,
    /// Where that tool is done.
    pub place: Place,
    /// The tool that tells whether it happened, for `idempotency: check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<PlanCheck>,
    /// How its transient failures are retried.
    pub retry: RetryPolicy,
    /// How long one attempt may take.
    pub timeout: Millis,
    /// Somebody who may approve must say yes to this very call before it starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gate: bool,
}

/// Where a step is done, and what follows for its safety.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Decided in process; its effect and its checkpoint are one commit.
    Inline,
    /// Done outside, after a commit that says so and before one that says how it went.
    Outside(Idempotency),
    /// Offered to external workers, who take it for a time and answer.
    Worker {
        /// What workers ask for.
        topic: String,
        /// How long one may keep it before it is offered again.
        lease: Millis,
    },
}

/// What to do when the outcome of an outside call is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Idempotency {
    /// Ask again with the same key: the other side recognises it.
    Key,
    /// Ask this tool whether it happened.
    Check(String),
    /// A person decides.
    None,
}

/// What the failure of a step does to the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The run fails; what was done stays.
    Stop,
    /// The step counts as done with a null result.
    Continue,
    /// What was done is taken back, in reverse order.
    Undo,
}

/// How transient failures are retried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryPolicy {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// How the wait grows.
    pub backoff: Backoff,
    /// The first wait.
    pub delay: Millis,
    /// The longest wait.
    pub max_delay: Millis,
    /// Share of the wait that is random, in percent.
    pub jitter: u8,
    /// Failure codes that are retried; empty means every transient failure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
}

/// How the wait between attempts grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backoff {
    /// Always the same.
    Fixed,
    /// One more delay each time.
    Linear,
    /// Twice as long each time.
    Exponential,
}

impl Default for RetryPolicy {
    /// Four attempts, 2 s, 4 s, 8 s apart, a fifth of each wait random, never more than a minute.
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
    /// How long to wait before attempt `next` (the second is 2). `noise` is a random number, recorded by the caller.
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
