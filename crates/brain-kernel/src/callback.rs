//! Callbacks: another engine says how delegated work went. Its signature is its only credential, so everything about a
//! callback that is wrong, late or a repetition changes nothing and leaves an event.

use brain_core::{Failure, JobKey, RunId, hmac_sha256};
use brain_engine::JobOutcome;
use brain_engine::core::ToJob;
use brain_engine::log::entries;
use brain_registry::ToolResult;
use brain_store::Scope;
use brain_tools::resolve_secret;
use brain_vm::{Event, JobStatus};
use serde_json::Value;
use subtle::ConstantTimeEq;

use crate::kernel::{Kernel, KernelError};

/// How far the clock of the other side may be off, and how long a callback can be sent again, in seconds.
pub const CALLBACK_WINDOW: i64 = 300;
/// Forged callbacks that a run keeps in its log at most: a log must not be a place that strangers can fill.
const MAX_FORGED: usize = 20;

impl Kernel {
    /// Takes a callback in. `signature` is `t=SECONDS,v1=HEX`, an HMAC-SHA256 of `SECONDS.BODY` with the secret that
    /// the tool names. Returns whether somebody waited for it.
    pub async fn callback(
        &self,
        scope: &Scope,
        run: RunId,
        key: JobKey,
        signature: &str,
        body: &[u8],
    ) -> Result<bool, KernelError> {
        let state = self.engine().run_state(scope, run)?;
        let unknown = || KernelError::NoSuchRun(run);
        let step = state.delegated_step(key).ok_or_else(unknown)?;
        let tool = self.tool_of(&step.tool)?;
        let delegate = tool.def.delegate.as_ref().ok_or_else(unknown)?;
        let secret = resolve_secret(&delegate.secret).map_err(|error| KernelError::Internal(error.to_string()))?;
        if let Err(why) = verify(&secret, signature, body, self.clock().now().as_millis() / 1000) {
            let forged = entries(&state.log)
                .filter(|entry| matches!(entry.machine(), Ok(Some(Event::SignalIgnored { what })) if what.contains("signature")))
                .count();
            if forged < MAX_FORGED {
                self.engine().tell_job(scope, run, key, ToJob::Forged).await?;
            }
            return Err(KernelError::NotAllowed(why.into()));
        }
        let outcome = parse(body)?;
        let told = self.engine().tell_job(scope, run, key, ToJob::Answer { attempt: None, outcome }).await;
        Ok(told?.answer["taken"] == true)
    }
}

impl Kernel {
    /// The key of the first job of a run that another system works on.
    pub(crate) fn delegated(&self, scope: &Scope, run: RunId) -> Option<JobKey> {
        let state = self.engine().run_state(scope, run).ok()?;
        let machine = state.state.as_ref()?;
        let job = machine.jobs.iter().find(|(_, job)| matches!(job.status, JobStatus::Delegated { .. }));
        // A run that has ended may still get a late answer: that of the step that was delegated last.
        let job = job.map(|(id, _)| *id).or_else(|| {
            entries(&state.log).filter_map(|entry| entry.machine().ok().flatten()).fold(None, |last, event| match event
            {
                Event::JobDelegated { job, .. } => Some(job),
                _ => last,
            })
        })?;
        state.job_key(job)
    }
}

/// The header that signs a body at a moment.
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
        return Err("the signature is wrong");
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

/// A failure as workers and other engines tell it; without a class it is final.
pub fn failure(value: &Value) -> Failure {
    let text = |name: &str, otherwise: &str| value[name].as_str().unwrap_or(otherwise).to_owned();
    let message = value.as_str().map_or_else(|| text("message", "The other side said that it failed."), str::to_owned);
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
