//! Measures understanding against a pack's held-out corpus.

use brain_nlu::{Confidence, Intent, Understanding};
use brain_registry::model::{CorpusRow, CorpusSet, Expectation};
use brain_registry::{Registry, normalise};
use serde_json::{Map, Value};

/// How one utterance was read, compared with its expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Understood as expected.
    Right,
    /// Brain asked or did not understand, although the answer was clear.
    Asked,
    /// Misunderstood, and Brain would have executed it.
    Wrong,
}

/// The score of one row.
#[derive(Clone, Debug)]
pub struct RowScore {
    /// The utterance.
    pub say: String,
    /// How it was read.
    pub verdict: Grade,
    /// What was expected.
    pub wanted: String,
    /// The tool or playbook that was expected, if one was.
    pub target: Option<String>,
    /// The slots that were expected with it.
    pub slots: Map<String, Value>,
    /// What was read.
    pub read: String,
}

/// The scores of a corpus.
#[derive(Clone, Debug, Default)]
pub struct CorpusScore {
    /// Each row.
    pub rows: Vec<RowScore>,
}

impl CorpusScore {
    /// How many rows there are.
    pub fn total(&self) -> usize {
        self.rows.len()
    }

    /// How many rows have this verdict.
    pub fn count(&self, verdict: Grade) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }

    /// The rows that were misunderstood with confidence.
    pub fn wrong(&self) -> impl Iterator<Item = &RowScore> {
        self.rows.iter().filter(|row| row.verdict == Grade::Wrong)
    }
}

/// Scores every utterance of one set.
pub fn score(registry: &Registry, set: CorpusSet, understand: impl Fn(&str) -> Understanding) -> CorpusScore {
    let rows = registry.corpus().iter().filter(|row| row.set == set).map(|row| {
        let understanding = understand(&row.say);
        RowScore {
            say: row.say.clone(),
            verdict: judge(registry, row, &understanding),
            wanted: wanted(&row.expect),
            target: match &row.expect {
                Expectation::Tool { name, .. } | Expectation::Playbook { name, .. } => Some(name.clone()),
                Expectation::None | Expectation::Ask(_) => None,
            },
            slots: match &row.expect {
                Expectation::Tool { slots, .. } | Expectation::Playbook { slots, .. } => slots.clone(),
                Expectation::None | Expectation::Ask(_) => Map::new(),
            },
            read: read(&understanding),
        }
    });
    CorpusScore { rows: rows.collect() }
}

fn judge(registry: &Registry, row: &CorpusRow, understanding: &Understanding) -> Grade {
    match (&row.expect, understanding) {
        (
            Expectation::Tool { name, slots } | Expectation::Playbook { name, slots },
            Understanding::Clear { intents },
        ) => match intents.as_slice() {
            [one] if one.target == *name && same_slots(registry, one, slots) => Grade::Right,
            [one] if one.target == *name && !one.invalid.is_empty() => Grade::Asked,
            _ => Grade::Wrong,
        },
        (Expectation::None, Understanding::Unknown { .. } | Understanding::SmallTalk { .. }) => Grade::Right,
        (Expectation::Ask(_), Understanding::Ask(_) | Understanding::Unknown { .. }) => Grade::Right,
        // Missing or invalid values are asked for before anything runs.
        (Expectation::Ask(among), Understanding::Clear { intents }) => {
            let asks = intents.iter().all(|intent| {
                (among.is_empty() || among.contains(&intent.target))
                    && (!intent.invalid.is_empty() || lacks_something(registry, intent))
            });
            if asks { Grade::Right } else { Grade::Wrong }
        }
        (Expectation::None, Understanding::Clear { intents })
            if intents.iter().all(|intent| intent.confidence > Confidence::Low) =>
        {
            Grade::Wrong
        }
        _ => Grade::Asked,
    }
}

fn schema<'a>(registry: &'a Registry, target: &str) -> Option<&'a Value> {
    let tool = registry.tool(target).map(|tool| &tool.def.input);
    tool.or_else(|| registry.playbook(target).map(|playbook| &playbook.slots))
}

fn said(intent: &Intent) -> Value {
    intent.slots.iter().map(|slot| (slot.name.clone(), slot.value.clone())).collect::<Map<_, _>>().into()
}

fn lacks_something(registry: &Registry, intent: &Intent) -> bool {
    let said = said(intent);
    let required = schema(registry, &intent.target).and_then(|schema| schema["required"].as_array());
    required.into_iter().flatten().filter_map(Value::as_str).any(|name| said.get(name).is_none())
}

fn same_slots(registry: &Registry, intent: &Intent, wanted: &Map<String, Value>) -> bool {
    let Some(schema) = schema(registry, &intent.target) else { return false };
    let got = normalise(schema, said(intent));
    let wanted = normalise(schema, Value::Object(wanted.clone()));
    got == wanted
}

fn wanted(expect: &Expectation) -> String {
    match expect {
        Expectation::Tool { name, slots } | Expectation::Playbook { name, slots } => {
            format!("{name} {}", Value::Object(slots.clone()))
        }
        Expectation::None => "nothing".into(),
        Expectation::Ask(among) => format!("a question {among:?}"),
    }
}

fn read(understanding: &Understanding) -> String {
    match understanding {
        Understanding::Clear { intents } => {
            let list: Vec<String> =
                intents.iter().map(|intent| format!("{} {}", intent.target, said(intent))).collect();
            list.join(" + ")
        }
        Understanding::Ask(question) => question.text.clone(),
        Understanding::SmallTalk { talk } => format!("{talk:?}"),
        Understanding::Unknown { .. } => "nothing".into(),
    }
}
