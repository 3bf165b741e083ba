//! The question “What are you trying to do?”: its answers with the number of tools, and the choice in a request's
//! context.

use brain_nlu::{Question, TierId};
use serde_json::Value;

use crate::NextAction;
use crate::intake::Request;
use crate::kernel::Kernel;
use crate::narrate::Problem;

/// The field of a request's context with the chosen kind of action.
pub const INTENT_TIER: &str = "intent_tier";

/// `1 tool`, `2 tools`.
fn tools(count: usize) -> String {
    if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") }
}

impl Kernel {
    /// The kind of action that a request chooses.
    pub(crate) fn chosen_tier(&self, request: &Request) -> Result<Option<TierId>, Problem> {
        let named = match &request.context[INTENT_TIER] {
            Value::Null => return Ok(None),
            Value::String(text) => TierId::new(text.trim()),
            _ => return Err(Problem::new("unknown_tier", format!("`context.{INTENT_TIER}` must be text."))),
        };
        if self.vocabulary().has_tier(&named) {
            return Ok(Some(named));
        }
        Err(Problem::new("unknown_tier", format!("There is no kind of action `{named}`.")))
    }

    /// The text of a question with the kinds of action to choose from, and what to do next. A kind with one tool needs no
    /// further choice: its example is offered.
    pub(crate) fn tier_question(&self, question: &Question) -> (String, Vec<NextAction>) {
        let mut text = question.text.clone();
        let mut next = Vec::new();
        for option in &question.tiers {
            let count = tools(option.targets.len());
            let about = [&option.description, &option.hint].map(|part| part.trim().trim_end_matches('.'));
            let about: Vec<&str> = about.into_iter().filter(|part| !part.is_empty()).collect();
            let about = if about.is_empty() { String::new() } else { format!(": {}", about.join(". ")) };
            text.push_str(&format!("\n  {} ({count}){about}", option.title));
            next.push(NextAction::ChooseTier {
                tier: option.tier.to_string(),
                label: option.title.clone(),
                tools: option.targets.len(),
            });
        }
        (text, next)
    }
}
