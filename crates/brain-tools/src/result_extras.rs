//! Reads what an external response contains besides its data: a summary, records, further steps, a question for a
//! reviewer, token usage.

use brain_core::{Failure, RecordId};
use brain_lang::binding::Binding;
use brain_registry::model::Also;
use brain_registry::{Artifact, TokenUsage, ToolResult};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Toolbox;
use crate::values::{Evaluation, to_failure};

impl Toolbox {
    /// Evaluates a tool's `also` over a response and puts the values into the result.
    pub(crate) fn take_also(
        &self,
        also: &Also,
        evaluation: &mut Evaluation,
        result: &mut ToolResult,
    ) -> Result<(), Failure> {
        let mut read = |name: &str, binding: &Option<Binding>| match binding {
            Some(binding) => {
                let value = evaluation.json(binding).map_err(|error| to_failure(&format!("also.{name}"), &error))?;
                Ok(Some(value).filter(|value| !value.is_null()))
            }
            None => Ok(None),
        };
        if let Some(value) = read("summary", &also.summary)? {
            result.summary = Some(shaped("summary", value, "a text")?);
        }
        if let Some(value) = read("review", &also.review)? {
            let ask: String = shaped("review", value, "a question, as text")?;
            result.review = Some(json!({"ask": ask}));
        }
        if let Some(value) = read("token_usage", &also.token_usage)? {
            result.token_usage = Some(Box::new(shaped("token_usage", value, "`{input, output, model}`")?));
        }
        if let Some(value) = read("new_steps", &also.new_steps)? {
            result.new_steps = shaped("new_steps", value, "a list of steps")?;
        }
        if let Some(value) = read("artifacts", &also.artifacts)? {
            let artifacts: Vec<Artifact> = shaped("artifacts", value, "a list of `{type, id, role}`")?;
            self.check_artifacts(&artifacts)?;
            result.artifacts = artifacts;
        }
        Ok(())
    }

    /// Checks artifacts that an external system named: the record type must exist, and the id must be a record id.
    pub fn check_artifacts(&self, artifacts: &[Artifact]) -> Result<(), Failure> {
        for artifact in artifacts {
            if self.registry().record(&artifact.record_type).is_none() {
                let message = format!("There is no record type `{}`.", artifact.record_type);
                return Err(Failure::contract("bad_artifacts", message));
            }
            if artifact.id.parse::<RecordId>().is_err() {
                let message = format!("`{}` is not the id of a record.", artifact.id);
                return Err(Failure::contract("bad_artifacts", message));
            }
        }
        Ok(())
    }
}

fn shaped<T: DeserializeOwned>(name: &str, value: Value, wanted: &str) -> Result<T, Failure> {
    serde_json::from_value::<T>(value).map_err(|error| {
        let message = format!("`also.{name}` must be {wanted}, but the value does not fit: {error}");
        Failure::contract("bad_answer", message)
    })
}

/// The sum of several receipts' token usage; `None` if no receipt reports any.
pub fn sum_of_tokens<'u>(all: impl Iterator<Item = &'u TokenUsage>) -> Option<TokenUsage> {
    let mut sum: Option<TokenUsage> = None;
    for one in all {
        let sum = sum.get_or_insert_with(TokenUsage::default);
        sum.input = sum.input.saturating_add(one.input);
        sum.output = sum.output.saturating_add(one.output);
        let Some(model) = &one.model else { continue };
        match &mut sum.model {
            None => sum.model = Some(model.clone()),
            Some(known) if known.split(", ").any(|known| known == model) => {}
            Some(known) => known.push_str(&format!(", {model}")),
        }
    }
    sum
}
