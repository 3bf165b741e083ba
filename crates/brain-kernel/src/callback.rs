//! Callbacks: another engine reports the outcome of delegated work. The signature is the only credential, so a callback
//! that is wrong, late or repeated changes nothing and leaves an event.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

use brain_core::{Digest, Failure, JobKey, RunId, hmac_sha256};
use brain_engine::JobOutcome;
use brain_engine::core::ToJob;
use brain_engine::log::entries;
use brain_registry::model::Behavior;
use brain_registry::{Tool, ToolResult};
use brain_store::Scope;
use brain_tools::resolve_secret;
use brain_vm::{Event, Job, JobStatus, Stray};
use serde_json::Value;
use subtle::ConstantTimeEq;

use crate::error::KernelError;
use crate::kernel::Kernel;

/// Tolerated clock skew of the external system, and the replay window of a callback, in seconds.
pub const CALLBACK_WINDOW: i64 = 300;
/// Maximum number of forged callbacks logged per run: strangers must not be able to fill a log.
const MAX_FORGED: usize = 20;
/// Maximum number of runs remembered as having reached [`MAX_FORGED`].
const MAX_FORGED_RUNS: usize = 10_000;
const WRONG: &str = "the signature is wrong";

impl Kernel {
    /// Accepts a callback. `signature` is `t=SECONDS,v1=HEX`, an HMAC-SHA256 of `SECONDS.BODY` with the secret that the
    /// tool names. Returns whether a step was waiting for it.
    pub async fn callback(
        &self,
        scope: &Scope,
        run: RunId,
        key: JobKey,
        signature: &str,
        body: &[u8],
    ) -> Result<bool, KernelError> {
        let unknown = || KernelError::NoSuchRun(run);
        let row = self.store().run(scope, run)?.ok_or_else(unknown)?;
        let now = self.clock().now().as_millis() / 1000;
        // Without the secret, a caller costs one row and a few digests. The run is read only after a valid signature.
        let signers = self.signers(row.program.ok_or_else(unknown)?)?;
        if let Err(why) = signers.check(|secret| verify(secret, signature, body, now)) {
            self.note_forged(scope, run, key).await;
            return Err(KernelError::NotAllowed(why.into()));
        }
        let state = self.engine().run_state(scope, run)?;
        let known = state.delegated_step(key);
        let early = if known.is_none() { state.open_job(key) } else { None };
        let step = known.or_else(|| state.step(early?)).ok_or_else(unknown)?;
        let tool = self.tool_of(&step.tool)?;
        let delegate = tool.def.delegate.as_ref().ok_or_else(unknown)?;
        let secret = resolve_secret(&delegate.secret).map_err(|error| KernelError::Internal(error.to_string()))?;
        // The secret of another tool of the run is not valid for this step.
        if let Err(why) = verify(&secret, signature, body, now) {
            self.note_forged(scope, run, key).await;
            return Err(KernelError::NotAllowed(why.into()));
        }
        let outcome = parse(body)?;
        let machine = state.state.as_ref();
        if early.and_then(|job| machine?.jobs.get(&job)).is_some_and(is_between_attempts) {
            // It answers an attempt that was given up: the answer waits in the inbox until the next one is delegated or
            // in doubt.
            self.engine().leave_answer(scope, run, key, outcome).await?;
            return Ok(true);
        }
        let answer = self.engine().tell_job(scope, run, key, ToJob::Answer { attempt: None, outcome }).await;
        Ok(answer?.answer["taken"] == true)
    }
}

/// Whether a call has been made, and will be made again.
fn is_between_attempts(job: &Job) -> bool {
    matches!(job.status, JobStatus::Retrying { .. })
}

/// The secrets that a callback for a run may be signed with.
struct Signers {
    secrets: BTreeSet<String>,
    /// Whether the run may have steps that its program does not name, with definitions that no loaded pack has.
    open: bool,
}

impl Signers {
    /// Whether one of these secrets signed it; else why not.
    fn check(&self, verify: impl Fn(&str) -> Result<(), &'static str>) -> Result<(), &'static str> {
        let mut why = if self.open { Ok(()) } else { Err(WRONG) };
        for secret in &self.secrets {
            match verify(secret) {
                Ok(()) => return Ok(()),
                // An expired signature is more informative than a wrong one.
                Err(reason) if reason != WRONG => why = Err(reason),
                Err(_) => {}
            }
        }
        why
    }
}

impl Kernel {
    /// The secrets of runs with this program: those of its tools and of tools that it may add.
    fn signers(&self, program: Digest) -> Result<Signers, KernelError> {
        let program = self.engine().program(program)?;
        let mut tools = Vec::new();
        for reference in program.steps.iter().flat_map(|step| step.tools()) {
            tools.push(self.tool_of(reference)?);
        }
        let grows = |tool: &Arc<Tool>| tool.def.may_inject || matches!(tool.def.behavior, Behavior::Playbook(_));
        let open = tools.iter().any(grows);
        if open {
            tools.extend(self.registry().tools().values().cloned());
        }
        let delegates = tools.iter().filter_map(|tool| tool.def.delegate.as_ref());
        let secrets = delegates.filter_map(|delegate| resolve_secret(&delegate.secret).ok()).collect();
        Ok(Signers { secrets, open })
    }

    /// Records a forged callback in the log, up to a maximum per run. Runs that reached it are remembered, so the log
    /// is not read again.
    async fn note_forged(&self, scope: &Scope, run: RunId, key: JobKey) {
        if let Err(error) = self.mark_forged(scope, run, key).await {
            tracing::warn!(%run, %error, "a forged callback could not be logged");
        }
    }

    async fn mark_forged(&self, scope: &Scope, run: RunId, key: JobKey) -> Result<(), KernelError> {
        let known = self.forged.lock().unwrap_or_else(PoisonError::into_inner).contains(&run);
        if known {
            return Ok(());
        }
        let log = self.store().log(scope, run)?;
        let forged = |event: Event| matches!(event, Event::SignalIgnored { code: Stray::Forged, .. });
        let marks = entries(&log).filter(|entry| entry.machine().is_ok_and(|event| event.is_some_and(forged))).count();
        if marks < MAX_FORGED {
            self.engine().tell_job(scope, run, key, ToJob::Forged).await?;
            return Ok(());
        }
        let mut full = self.forged.lock().unwrap_or_else(PoisonError::into_inner);
        if full.len() >= MAX_FORGED_RUNS {
            full.clear();
        }
        full.insert(run);
        Ok(())
    }

    /// The key of the first job of a run that another system works on.
    pub(crate) fn delegated(&self, scope: &Scope, run: RunId) -> Option<JobKey> {
        let state = self.engine().run_state(scope, run).ok()?;
        let machine = state.state.as_ref()?;
        let job = machine.jobs.iter().find(|(_, job)| matches!(job.status, JobStatus::Delegated { .. }));
        // A run that has ended may still get a late answer to its last delegated step.
        let job = job.map(|(id, _)| *id).or_else(|| state.delegated_jobs().pop())?;
        state.job_key(job)
    }
}

/// The signature header for a body at a given time.
pub fn sign_callback(secret: &str, seconds: i64, body: &[u8]) -> String {
    let signed = [format!("{seconds}.").as_bytes(), body].concat();
    format!("t={seconds},v1={}", hmac_sha256(secret.as_bytes(), &signed))
}

fn verify(secret: &str, signature: &str, body: &[u8], now: i64) -> Result<(), &'static str> {
    let part = |name: &str| signature.split(',').find_map(|one| one.trim().strip_prefix(name)?.strip_prefix('='));
    let (Some(seconds), Some(given)) = (part("t").and_then(|text| text.parse::<i64>().ok()), part("v1")) else {
        return Err("the signature must look like `t=SECONDS,v1=HEX`");
    };
    let signed = [format!("{seconds}.").as_bytes(), body].concat();
    let right = hmac_sha256(secret.as_bytes(), &signed).to_string();
    if !bool::from(right.as_bytes().ct_eq(given.to_ascii_lowercase().as_bytes())) {
        return Err(WRONG);
    }
    if (now - seconds).abs() > CALLBACK_WINDOW {
        return Err("the signature is too old, or its time is in the future");
    }
    Ok(())
}

/// `{"result": {…}}`, or `{"error": {"code", "message", "class"}}`.
fn parse(body: &[u8]) -> Result<JobOutcome, KernelError> {
    let wrong = |why: &str| KernelError::Conflict(format!("{why}; send {{\"result\": {{…}}}} or {{\"error\": {{…}}}}"));
    let value: Value =
        serde_json::from_slice(body).map_err(|error| wrong(&format!("the body is not JSON: {error}")))?;
    if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
        return Ok(JobOutcome::Failed(failure(error)));
    }
    match value.get("result") {
        Some(data) => Ok(JobOutcome::Done(ToolResult::ok(data.clone()))),
        None => Err(wrong("the body has neither a result nor an error")),
    }
}

/// A failure as reported by workers and other engines; without a class it is final.
pub fn failure(value: &Value) -> Failure {
    let text = |name: &str, otherwise: &str| value[name].as_str().unwrap_or(otherwise).to_owned();
    let message =
        value.as_str().map_or_else(|| text("message", "The external system reported a failure."), str::to_owned);
    let code = text("code", "failed");
    match value["class"].as_str() {
        Some("transient") => Failure {
            retry_after: value["retry_after_ms"].as_u64().map(brain_core::Millis),
            ..Failure::transient(&code, message)
        },
        Some("contract") => Failure::contract(&code, message),
        _ => Failure::business(&code, message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_secret_body_and_time_pass() {
        let header = sign_callback("s3cret", 1000, b"{}");
        assert_eq!(verify("s3cret", &header, b"{}", 1000), Ok(()));
        assert_eq!(verify("s3cret", &header, b"{}", 1000 + CALLBACK_WINDOW), Ok(()));
        assert!(verify("s3cret", &header, b"{}", 1001 + CALLBACK_WINDOW).is_err());
        assert!(verify("s3cret", &header, b"{ }", 1000).is_err());
        assert!(verify("other", &header, b"{}", 1000).is_err());
        assert!(verify("s3cret", "v1=00", b"{}", 1000).is_err());
        assert!(verify("s3cret", "", b"{}", 1000).is_err());
    }
}
