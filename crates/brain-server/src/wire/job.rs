//! Jobs as external workers see them, callbacks, reviews and undo.

use brain_kernel::JobLease;
use brain_registry::Artifact;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::run::TokenUsage;

/// Which jobs a worker wants.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Activate {
    /// What it can do: the topics of its jobs, 1 to 100.
    #[schema(min_items = 1, max_items = 100)]
    pub topics: Vec<String>,
    /// Its name, for the log.
    #[schema(min_length = 1, max_length = 200)]
    pub worker: String,
    /// How many at most, 1 to 100; default 1.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 1, maximum = 100)]
    pub max_jobs: Option<u64>,
    /// How long it keeps them before they are offered to others, 1000 to 86400000; default: what the tool says.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 1_000, maximum = 86_400_000)]
    pub lease_ms: Option<u64>,
    /// How long to wait for a job if there is none, 0 to 120000; default 30000.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 0, maximum = 120_000)]
    pub wait_timeout_ms: Option<u64>,
}

/// The jobs that a worker has now.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Activated {
    /// None, if none came in time.
    pub jobs: Vec<Job>,
}

/// A job that a worker has.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Job {
    /// Its key: the same for every attempt, so that a worker recognises work that it has done before.
    #[schema(format = "uuid")]
    pub job_id: String,
    /// What answers must name. A later worker gets another one; an old one is refused.
    pub lease: String,
    /// The run it belongs to.
    #[schema(format = "uuid")]
    pub run_id: String,
    /// The topic.
    pub topic: String,
    /// The tool.
    pub tool_name: String,
    /// The step.
    pub step: String,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// When it is offered to others again.
    #[schema(format = DateTime)]
    pub leased_until: String,
    /// The arguments.
    #[schema(value_type = Value)]
    pub input: Value,
    /// The SHA-256 of their canonical JSON (RFC 8785). A completion may name it.
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

/// A worker has done its job.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompleteJob {
    /// The lease that it holds.
    pub lease: String,
    /// What came of it; must be what the tool declares.
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
    /// A question for a person who should look at the result before the run goes on.
    #[serde(default)]
    #[schema(max_length = 4096)]
    pub review: Option<String>,
    /// The records that it made, changed, found or read.
    #[serde(default, deserialize_with = "super::object::optional_list")]
    #[schema(max_items = 100)]
    pub artifacts: Option<Vec<ArtifactLink>>,
    /// What a language model used for it.
    #[serde(default, deserialize_with = "super::object::optional")]
    pub token_usage: Option<TokenUsage>,
    /// The `input_hash` of the job that was worked on. If the job has other arguments, the answer is refused.
    #[serde(default)]
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub input_hash: Option<String>,
}

/// A record that a result is about.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactLink {
    /// The record type.
    #[serde(rename = "type")]
    pub record_type: String,
    /// The record.
    #[schema(format = "uuid")]
    pub id: String,
    /// What it is to the result.
    pub role: ArtifactRole,
}

/// What a record is to a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactRole {
    /// It was made.
    Created,
    /// It was changed.
    Updated,
    /// It was found by something else than its id.
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

/// A worker could not do its job.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FailJob {
    /// The lease that it holds.
    pub lease: String,
    /// Why.
    #[serde(deserialize_with = "super::object::required")]
    pub error: JobError,
}

/// Why a job was not done.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobError {
    /// `transient` is tried again by the tool's policy, `contract` is a mistake that a person must see, `business` is
    /// final and the plan decides. Default `transient`.
    #[serde(default)]
    pub class: Option<JobErrorClass>,
    /// Machine-readable.
    #[serde(default)]
    #[schema(max_length = 200)]
    pub code: Option<String>,
    /// For people.
    #[schema(max_length = 4096)]
    pub message: String,
    /// Try again after so long, 0 to 86400000, without counting it as a failed attempt.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 0, maximum = 86_400_000)]
    pub retry_after_ms: Option<u64>,
}

/// The class of a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobErrorClass {
    /// Worth another attempt.
    #[default]
    Transient,
    /// A bug.
    Contract,
    /// Final.
    Business,
}

/// A worker needs more time.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtendJob {
    /// The lease that it holds.
    pub lease: String,
    /// How much longer from now, 1000 to 86400000; default: what the tool says.
    #[serde(default, deserialize_with = "super::whole::optional")]
    #[schema(minimum = 1_000, maximum = 86_400_000)]
    pub lease_ms: Option<u64>,
}

/// Until when a worker has its job now.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Extended {
    /// When it is offered to others again.
    #[schema(format = DateTime)]
    pub leased_until: String,
}

/// The answer of a worker was taken.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobTaken {
    /// The run it belongs to.
    #[schema(format = "uuid")]
    pub run_id: String,
}

/// How delegated work went: a result or an error.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Callback {
    /// What came of it; must be what the tool declares.
    #[serde(default)]
    #[schema(value_type = Option<Value>)]
    pub result: Option<Value>,
    /// Why it failed: `{code, message, class}`.
    #[serde(default)]
    #[schema(value_type = Option<Value>)]
    pub error: Option<Value>,
}

/// Whether somebody waited for a callback.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CallbackTaken {
    /// `false`: it came late or twice, and changed nothing.
    pub taken: bool,
}

/// What a reviewer says about a result.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// There is no default: without a verdict nothing goes on.
    pub verdict: Verdict,
    /// The step, if several wait.
    #[serde(default)]
    pub step: Option<String>,
    /// Fields of the result that are replaced.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub corrections: Option<Map<String, Value>>,
    /// Why, for the log.
    #[serde(default)]
    #[schema(max_length = 4096)]
    pub note: Option<String>,
}

/// A verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Go on.
    Accept,
    /// It is no good.
    Reject,
}

/// What is to be undone.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoRun {
    /// One step of the run; absent: all of it, last step first.
    #[serde(default)]
    pub step: Option<String>,
}
