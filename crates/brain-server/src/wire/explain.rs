//! Explanations of how a text is understood.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::RunId;
use brain_engine::PipeEvent;
use brain_engine::log::entries;
use brain_kernel::{Kernel, KernelError};
use brain_store::Scope;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A text to explain.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"text": "pls creat a task: Call Bob"}))]
pub struct ExplainRequest {
    /// The text, at most 64 KiB.
    #[schema(max_length = 65_536)]
    pub text: String,
    /// The kind of action, as a question named it: only its tools are considered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_tier: Option<String>,
}

/// How a text is understood, with the evidence.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Explanation {
    /// The text.
    pub text: String,
    /// The run with this request, or null.
    #[schema(required, format = "uuid")]
    pub run_id: Option<String>,
    /// The understanding: `kind` is `clear` (with `intents`), `ask` (with `options`), `small_talk` or `unknown`. Each
    /// intent has its `target`, `slots` with their `span`, `confidence`, and `evidence`: the phrase, the stage that
    /// found it, the runner-up, excluded targets, and corrected words.
    #[schema(value_type = Object)]
    pub understanding: Value,
    /// The titles of the tools and playbooks that it names.
    #[serde(default)]
    pub titles: BTreeMap<String, String>,
    /// Slots of its intents that were not given.
    #[serde(default)]
    pub missing: Vec<MissingSlot>,
}

/// A slot that was not given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MissingSlot {
    /// The tool or playbook.
    pub target: String,
    /// The slot.
    pub name: String,
    /// Whether a default is used; otherwise it is asked for.
    pub default: bool,
}

impl Explanation {
    /// An understanding with what is needed to tell people about it.
    pub(crate) fn of(kernel: &Kernel, text: &str, run: Option<RunId>, understanding: Value) -> Self {
        let vocabulary = kernel.vocabulary();
        let targets = vocabulary.targets();
        let mut named = BTreeSet::new();
        texts(&understanding, &mut named);
        let titles = targets.iter().filter(|target| named.contains(target.name.as_str()));
        let titles = titles.map(|target| (target.name.clone(), target.title.clone())).collect();
        let mut missing = Vec::new();
        for intent in understanding["intents"].as_array().into_iter().flatten() {
            let Some(target) = targets.iter().find(|target| intent["target"] == target.name.as_str()) else { continue };
            let said = |name: &str| {
                let lists = [&intent["slots"], &intent["invalid"]];
                lists.into_iter().filter_map(Value::as_array).flatten().any(|slot| slot["name"] == name)
            };
            let open = target.slots.iter().filter(|(name, slot)| (slot.has_default || slot.required) && !said(name));
            missing.extend(open.map(|(name, slot)| MissingSlot {
                target: target.name.clone(),
                name: name.clone(),
                default: slot.has_default,
            }));
        }
        Self { text: text.to_owned(), run_id: run.map(|run| run.to_string()), understanding, titles, missing }
    }

    /// How the request of a run was understood, from its log; personal values are redacted.
    pub fn of_run(kernel: &Kernel, scope: &Scope, run: RunId) -> Result<Self, KernelError> {
        let row = kernel.store().run(scope, run)?.ok_or(KernelError::NoSuchRun(run))?;
        let log = kernel.store().log(scope, run)?;
        let understood = entries(&log).find(|entry| entry.is(PipeEvent::Understood));
        let evidence = understood.and_then(|entry| entry.payload?.get("evidence"));
        let evidence = evidence.filter(|evidence| evidence["kind"] != "called");
        match (row.request["message"].as_str(), evidence) {
            (Some(text), Some(evidence)) if !text.is_empty() => {
                let (text, understanding) = kernel.redaction_for(scope, run).reading(text, evidence);
                Ok(Self::of(kernel, &text, Some(run), understanding))
            }
            _ => Err(KernelError::Conflict(format!(
                "run {run} has no text: its tools were called directly, or it was erased"
            ))),
        }
    }
}

/// Every text in a value, names of fields too.
fn texts<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
    match value {
        Value::String(text) => drop(found.insert(text)),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(map) => {
            for (name, inner) in map {
                found.insert(name);
                texts(inner, found);
            }
        }
        _ => {}
    }
}
