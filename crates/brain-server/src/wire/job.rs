//! Jobs as external workers see them, callbacks, reviews and undo.

use brain_kernel::JobLease;
use brain_registry::Artifact;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::run::TokenUsage;

/// A worker's request for jobs.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Activate {
    /// The topics of the wanted jobs, 1 to 100.
    #[schema(min_items = 1, max_items = 100)]
    pub topics: Vec<String>,
    /// Its name, for the log.
    #[schema(min_length = 1, max_length = 200)]
    pub worker: String,
    /// Maximum number of jobs, 1 to 100; default 1.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 1, maximum = 100)]
    pub max_jobs: Option<u64>,
    /// Length of the lease, 1000 to 86400000; default: that of the tool.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 1_000, maximum = 86_400_000)]
    pub lease_ms: Option<u64>,
    /// How long to wait for a job, 0 to 120000; default 30000.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 0, maximum = 120_000)]
    pub wait_timeout_ms: Option<u64>,
}

/// The jobs that a worker leased.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Activated {
    /// The jobs; empty if there was none before the timeout.
    pub jobs: Vec<Job>,
}

/// A leased job.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Job {
    /// Its key: equal for every attempt, so that a worker recognises work that it has already done.
    #[schema(format = "uuid")]
    pub job_id: String,
    /// Identifies the lease; answers must name it. An answer with an expired lease is rejected.
    pub lease: String,
    /// The run it belongs to.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// The topic of the job.
    pub topic: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The id of the step.
    pub step: String,
    /// Counted from 1.
    pub attempt: u32,
    /// When the lease ends and the job is offered to others.
    #[schema(format = DateTime)]
    pub leased_until: String,
    /// The arguments.
    #[schema(value_type = Value)]
    pub input: Value,
    /// The SHA-256 of the arguments' canonical JSON (RFC 8785). A completion may name it.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub input_hash: String,
}

impl From<JobLease> for Job {
    fn from(job: JobLease) -> Self {
        Self {
            job_id: job.key.to_string(),
            lease: job.lease,
            run_id: job.run.to_string(),
            topic: job.topic,
            tool_name: job.tool,
            step: job.step,
            attempt: job.attempt,
            leased_until: job.until.to_string(),
            input: job.args,
            input_hash: job.args_hash.to_string(),
        }
    }
}

/// The result of a completed job.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompleteJob {
    /// The worker's lease.
    pub lease: String,
    /// The result; it must match the tool's declared output.
    #[serde(default)]
    #[schema(value_type = Value)]
    pub result: Value,
    /// One sentence for people.
    #[serde(default)]
    #[schema(max_length = 4096)]
    pub summary: Option<String>,
    /// Steps to add to the run, if the tool may: each `{tool, args, id, after, on_failure}`.
    #[serde(default)]
    #[schema(value_type = Option<Vec<Object>>, max_items = 100)]
    pub new_steps: Option<Vec<Value>>,
    /// A question for a reviewer; the run waits for the review.
    #[serde(default)]
    #[schema(max_length = 4096)]
    pub review: Option<String>,
    /// The records that it created, changed, found or read.
    #[serde(default, deserialize_with = "super::object::optional_list")]
    #[schema(max_items = 100)]
    pub artifacts: Option<Vec<ArtifactLink>>,
    /// The token usage of a language model.
    #[serde(default, deserialize_with = "super::object::optional")]
    pub token_usage: Option<TokenUsage>,
    /// The `input_hash` of the job. If it does not match, the answer is rejected.
    #[serde(default)]
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub input_hash: Option<String>,
}

/// A link from a result to a record.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactLink {
    /// The record type.
    #[serde(rename = "type")]
    pub record_type: String,
    /// The id of the record.
    #[schema(format = "uuid")]
    pub id: String,
    /// How the record was used.
    pub role: ArtifactRole,
}

/// How a record was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactRole {
    /// It was created.
    Created,
    /// It was changed.
    Updated,
    /// It was found by something other than its id.
    Resolved,
    /// It was read.
    Input,
}

impl From<ArtifactLink> for Artifact {
    fn from(link: ArtifactLink) -> Self {
        let role = match link.role {
            ArtifactRole::Created => brain_registry::ArtifactRole::Created,
            ArtifactRole::Updated => brain_registry::ArtifactRole::Updated,
            ArtifactRole::Resolved => brain_registry::ArtifactRole::Resolved,
            ArtifactRole::Input => brain_registry::ArtifactRole::Input,
        };
        Self { record_type: link.record_type, id: link.id, role, revision: None }
    }
}

/// The failure of a job.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FailJob {
    /// The worker's lease.
    pub lease: String,
    /// The error.
    #[serde(deserialize_with = "super::object::required")]
    pub error: JobError,
}

/// Why a job failed.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobError {
    /// `transient` is retried by the tool's policy, `contract` is a bug that becomes a dead letter, `business` is final
    /// and the plan decides. Default `transient`.
    #[serde(default)]
    pub class: Option<JobErrorClass>,
    /// Machine-readable.
    #[serde(default)]
    #[schema(max_length = 200)]
    pub code: Option<String>,
    /// For people.
    #[schema(max_length = 4096)]
    pub message: String,
    /// Delay before the next attempt, 0 to 86400000; the attempt then does not count as failed.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 0, maximum = 86_400_000)]
    pub retry_after_ms: Option<u64>,
}

/// The class of a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobErrorClass {
    /// Worth a retry.
    #[default]
    Transient,
    /// A bug.
    Contract,
    /// Final.
    Business,
}

/// A request for more time.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtendJob {
    /// The worker's lease.
    pub lease: String,
    /// The new length of the lease from now, 1000 to 86400000; default: that of the tool.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 1_000, maximum = 86_400_000)]
    pub lease_ms: Option<u64>,
}

/// The extended lease.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Extended {
    /// When the lease ends and the job is offered to others.
    #[schema(format = DateTime)]
    pub leased_until: String,
}

/// The confirmation of a worker's answer.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobTaken {
    /// The run it belongs to.
    #[schema(format = "uuid")]
    pub run_id: String,
}

/// The outcome of delegated work: a result or an error.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Callback {
    /// The result; it must match the tool's declared output.
    #[serde(default)]
    #[schema(value_type = Option<Value>)]
    pub result: Option<Value>,
    /// The error: `{code, message, class}`.
    #[serde(default)]
    #[schema(value_type = Option<Value>)]
    pub error: Option<Value>,
}

/// The confirmation of a callback.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CallbackTaken {
    /// `false` if it was late or repeated, and changed nothing.
    pub taken: bool,
}

/// A review of a result.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// Required: without a verdict the run does not go on.
    pub verdict: Verdict,
    /// The step, if several wait for a review.
    #[serde(default)]
    pub step: Option<String>,
    /// Fields of the result to replace.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub corrections: Option<Map<String, Value>>,
    /// The reason, for the log.
    #[serde(default)]
    #[schema(max_length = 4096)]
    pub note: Option<String>,
}

/// The verdict of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The result is accepted and the run goes on.
    Accept,
    /// The result is rejected.
    Reject,
}

/// What to undo.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoRun {
    /// One step of the run; absent: the whole run, last step first.
    #[serde(default)]
    pub step: Option<String>,
}
