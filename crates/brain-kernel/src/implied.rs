//! What a generated phrase implies besides its slots: “how many leads” says `measure: count`.

use std::collections::BTreeMap;

use brain_nlu::{Intent, SlotValue, Understanding};
use brain_registry::Registry;
use serde_json::{Map, Value};

/// Shown as the source of an implied value.
const SOURCE: &str = "the question says so";

/// Adds the values that the matched phrases imply. `implied` knows them by tool and phrase.
pub(crate) fn imply<'r>(found: &mut Understanding, implied: impl Fn(&str, &str) -> Option<&'r Map<String, Value>>) {
    let intents: &mut [Intent] = match found {
        Understanding::Clear { intents } => intents,
        Understanding::Ask(question) => &mut question.options,
        Understanding::SmallTalk { .. } | Understanding::Unknown { .. } => return,
    };
    for intent in intents {
        for (name, value) in implied(&intent.target, &intent.evidence.phrase).into_iter().flatten() {
            if intent.slots.iter().all(|slot| slot.name != *name) {
                let span = intent.span.end..intent.span.end;
                let (name, value, inferred) = (name.clone(), value.clone(), Some(SOURCE.to_owned()));
                intent.slots.push(SlotValue { name, value, span, inferred });
            }
        }
    }
}

/// The values that the phrases of a registry imply, by tool and phrase.
#[derive(Default)]
pub(crate) struct Implied(BTreeMap<String, BTreeMap<String, Map<String, Value>>>);

impl Implied {
    pub(crate) fn of(registry: &Registry) -> Self {
        let of_tool = |name: &String| {
            let phrases = registry.generated_phrases(name);
            phrases.filter_map(|phrase| Some((phrase.to_owned(), registry.implied(name, phrase)?.clone()))).collect()
        };
        Self(registry.tools().keys().map(|name| (name.clone(), of_tool(name))).collect())
    }

    pub(crate) fn get(&self, tool: &str, phrase: &str) -> Option<&Map<String, Value>> {
        self.0.get(tool)?.get(phrase)
    }
}
