//! The result of any tool, whatever its behavior.

use brain_core::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The result of one attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Whether it did what it should.
    pub success: bool,
    /// What it answered: merged into `state`, kept as `steps.<id>.result`.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
    /// One sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Why it did not, if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// The records it made, changed, found or read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// What a language model used for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<Box<TokenUsage>>,
    /// Steps to add to the run (only from a tool that says `may_inject`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_steps: Vec<Value>,
    /// Another engine works on; a callback ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate: Option<Value>,
    /// A person should look at this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Value>,
    /// The HTTP status of the outside system's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_status: Option<u16>,
}

/// A record that a result is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Artifact {
    /// The record type.
    #[serde(rename = "type")]
    pub record_type: String,
    /// The record.
    pub id: String,
    /// What it is to the result.
    pub role: ArtifactRole,
    /// The record's revision after the change, if the tool made or changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
}

/// What a record is to a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactRole {
    /// The tool made it.
    Created,
    /// The tool changed it.
    Updated,
    /// The tool found it by something else than its id.
    Resolved,
    /// The tool read it.
    Input,
}

/// What a language model used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenUsage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Which model.
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
