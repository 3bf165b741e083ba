//! Tools as callers see them.

use brain_nlu::{NameMatch, TargetKind};
use brain_registry::Tool;
use brain_registry::model::{Behavior, Playbook, ToolDef};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// A tool in a list.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ToolSummary {
    /// `domain.name`.
    pub name: String,
    /// Its display name.
    pub title: String,
    /// A longer explanation.
    pub description: String,
    /// Its effect: `read`, `write`, `external` or `irreversible`.
    pub effect: String,
    /// Who must approve it: `none`, `user` or `approver`.
    pub consent: String,
    /// Example phrases.
    pub phrases: Vec<String>,
    /// Whether it was made from a record type instead of being declared.
    #[serde(default)]
    pub generated: bool,
}

impl From<&Tool> for ToolSummary {
    fn from(tool: &Tool) -> Self {
        Self {
            name: tool.def.name.clone(),
            title: tool.def.title.clone(),
            description: tool.def.description.clone(),
            effect: word(&tool.def.effect),
            consent: word(&tool.def.consent),
            phrases: tool.def.phrases.clone(),
            generated: tool.def.is_generated(),
        }
    }
}

/// The definition of a tool as callers see it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ToolDetail {
    /// `domain.name`.
    pub name: String,
    /// The pack it belongs to.
    pub pack: String,
    /// Its display name.
    pub title: String,
    /// A longer explanation.
    pub description: String,
    /// JSON Schema of the arguments.
    #[schema(value_type = Object)]
    pub input_schema: Value,
    /// JSON Schema of the result; null if none is declared.
    #[schema(required, value_type = Option<Object>)]
    pub output_schema: Option<Value>,
    /// Example phrases.
    pub phrases: Vec<String>,
    /// Its behavior, such as `record`, `expr` or `http`; `query` if it was generated.
    pub behavior: String,
    /// Its effect: `read`, `write`, `external` or `irreversible`.
    pub effect: String,
    /// Who must approve it: `none`, `user` or `approver`.
    pub consent: String,
    /// How it is undone; null if it cannot be.
    #[schema(required, value_type = Option<Object>)]
    pub undo: Option<Value>,
    /// Its preconditions, each with an error message.
    #[schema(value_type = Vec<Object>)]
    pub requires: Vec<Value>,
    /// How a call with an unknown outcome is handled.
    #[schema(value_type = Value)]
    pub idempotency: Value,
    /// The retry policy.
    #[schema(value_type = Object)]
    pub retry: Value,
    /// Timeout of one attempt, in milliseconds.
    pub timeout_ms: u64,
    /// 1 (lowest) to 10 (highest).
    pub priority: u8,
    /// Free labels.
    pub tags: Vec<String>,
    /// Further declared attributes, as written.
    #[schema(value_type = Object)]
    pub attributes: Map<String, Value>,
    /// The digest of the definition, which runs pin.
    pub hash: String,
}

impl From<&Tool> for ToolDetail {
    fn from(tool: &Tool) -> Self {
        let ToolDef { name, pack, title, description, phrases, timeout, priority, tags, .. } = tool.def.clone();
        let json = |value: Result<Value, serde_json::Error>| value.unwrap_or(Value::Null);
        Self {
            name,
            pack,
            title,
            description,
            input_schema: tool.def.input.clone(),
            output_schema: tool.def.output.clone(),
            phrases,
            behavior: kind(&tool.def.behavior).to_owned(),
            effect: word(&tool.def.effect),
            consent: word(&tool.def.consent),
            undo: tool.def.undo.as_ref().map(|undo| json!(undo)),
            requires: tool.def.requires.iter().map(|one| json(serde_json::to_value(one))).collect(),
            idempotency: json(serde_json::to_value(&tool.def.idempotency)),
            retry: json(serde_json::to_value(&tool.def.retry)),
            timeout_ms: timeout.0,
            priority,
            tags,
            attributes: tool.def.attributes(),
            hash: tool.hash.to_string(),
        }
    }
}

/// How a candidate name matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchType {
    /// It is the tool's name or title.
    Exact,
    /// It is at least 80 % similar to the tool's name.
    Fuzzy,
    /// It is a synonym of the tool, or an alias of the playbook.
    Synonym,
    /// No candidate matches.
    NotFound,
}

/// The tool or playbook that candidate names lead to.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ToolLookup {
    /// `domain.name`; null if no candidate matches.
    #[schema(required)]
    pub tool: Option<String>,
    /// How it was found.
    pub match_type: MatchType,
    /// The candidate that found it.
    #[schema(required)]
    pub name: Option<String>,
    /// Its display name.
    #[schema(required)]
    pub title: Option<String>,
    /// Whether it is a playbook.
    pub playbook: bool,
    /// Similarity of the candidate and the name, in percent; 100 unless the match is fuzzy, 0 if there is none.
    pub similarity: u32,
}

impl ToolLookup {
    /// The result for candidate names.
    pub(crate) fn of(found: Option<&NameMatch<'_>>, names: &[&str]) -> Self {
        let Some(found) = found else {
            let match_type = MatchType::NotFound;
            return Self { tool: None, match_type, name: None, title: None, playbook: false, similarity: 0 };
        };
        Self {
            tool: Some(found.target.name.clone()),
            match_type: match found.match_type {
                brain_nlu::MatchType::Exact => MatchType::Exact,
                brain_nlu::MatchType::Fuzzy => MatchType::Fuzzy,
                brain_nlu::MatchType::Synonym => MatchType::Synonym,
                brain_nlu::MatchType::NotFound => MatchType::NotFound,
            },
            name: names.get(found.candidate).map(|name| (*name).to_owned()),
            title: Some(found.target.title.clone()),
            playbook: found.target.kind == TargetKind::Playbook,
            similarity: found.ratio,
        }
    }
}

/// A playbook: a named plan that can be asked for like a tool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlaybookDetail {
    /// `domain.name`.
    pub name: String,
    /// The pack it comes from.
    pub pack: String,
    /// What people call it.
    pub title: String,
    /// A longer explanation.
    pub description: String,
    /// How people ask for it.
    pub phrases: Vec<String>,
    /// JSON Schema of the slots.
    #[schema(value_type = Object)]
    pub input_schema: Value,
    /// The tools of its steps, in order.
    pub tools: Vec<String>,
}

impl From<&Playbook> for PlaybookDetail {
    fn from(playbook: &Playbook) -> Self {
        Self {
            name: playbook.name.clone(),
            pack: playbook.pack.clone(),
            title: playbook.title.clone(),
            description: playbook.description.clone(),
            phrases: playbook.phrases.clone(),
            input_schema: playbook.slots.clone(),
            tools: playbook.steps.iter().map(|step| step.tool.clone()).collect(),
        }
    }
}

fn kind(behavior: &Behavior) -> &'static str {
    match behavior {
        Behavior::Record(_) => "record",
        Behavior::Expr(_) => "expr",
        Behavior::Http(_) => "http",
        Behavior::Decide(_) => "decide",
        Behavior::Playbook(_) => "playbook",
        Behavior::Worker(_) => "worker",
        Behavior::Native(_) => "native",
        Behavior::Query(_) => "query",
    }
}

/// The serialised name of a unit variant.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
