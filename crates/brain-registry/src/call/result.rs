//! The result of a tool.

use brain_core::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The result of one attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Whether it succeeded.
    pub success: bool,
    /// The answer: merged into `state`, kept as `steps.<id>.result`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
    /// One sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The failure, if it did not succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// The records it created, changed, found or read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// Tokens that a language model used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<Box<TokenUsage>>,
    /// Steps to inject into the run; the tool must declare `may_inject`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_steps: Vec<Value>,
    /// Another engine continues the work; a callback completes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate: Option<Value>,
    /// A question for a reviewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Value>,
    /// The HTTP status of the external system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_status: Option<u16>,
}

/// A record in a result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Artifact {
    /// The record type.
    #[serde(rename = "type")]
    pub record_type: String,
    /// The record's id.
    pub id: String,
    /// Its role in the result.
    pub role: ArtifactRole,
    /// The record's revision after a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
}

/// The role of a record in a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactRole {
    /// Created.
    Created,
    /// Changed.
    Updated,
    /// Found by something other than its id.
    Resolved,
    /// Read.
    Input,
}

/// Tokens that a language model used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenUsage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl ToolResult {
    /// A success with this answer.
    pub fn ok(data: Value) -> Self {
        Self {
            success: true,
            data,
            summary: None,
            error: None,
            artifacts: Vec::new(),
            token_usage: None,
            new_steps: Vec::new(),
            delegate: None,
            review: None,
            api_status: None,
        }
    }

    /// A failure.
    pub fn failed(failure: Failure) -> Self {
        Self { success: false, error: Some(failure), ..Self::ok(Value::Null) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_plain_success_is_short_and_comes_back() {
        let mut result = ToolResult::ok(json!({"task_id": "x"}));
        assert_eq!(serde_json::to_value(&result).unwrap(), json!({"success": true, "data": {"task_id": "x"}}));
        let (record_type, id) = ("task".to_owned(), "x".to_owned());
        result.artifacts.push(Artifact { record_type, id, role: ArtifactRole::Created, revision: Some(1) });
        let json = serde_json::to_value(&result).unwrap();
        assert_eq!(json["artifacts"], json!([{"type": "task", "id": "x", "role": "created", "revision": 1}]));
        let old: Artifact = serde_json::from_value(json!({"type": "task", "id": "x", "role": "created"})).unwrap();
        assert_eq!(old.revision, None);
        assert_eq!(serde_json::from_value::<ToolResult>(json).unwrap(), result);
    }

    #[test]
    fn a_failure_carries_its_class() {
        let json = serde_json::to_value(ToolResult::failed(Failure::business("wrong_state", "no"))).unwrap();
        assert_eq!(
            json,
            json!({"success": false, "error": {"class": "business", "code": "wrong_state", "message": "no"}})
        );
    }
}
