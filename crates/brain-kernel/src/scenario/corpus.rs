//! Measures understanding against a pack's held-out corpus.

mod grade;
mod values;

use brain_nlu::{Intent, Understanding};
use brain_registry::Registry;
use brain_registry::model::{CorpusRow, CorpusSet, Expectation};
use serde_json::{Map, Value};

/// How one utterance was read, compared with its expectation; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Understood as expected.
    Right,
    /// Brain asked, and what was expected is among the answers.
    Offered,
    /// Brain asked something else, although the answer was clear.
    Asked,
    /// Brain did not understand, although the request was clear.
    NotUnderstood,
    /// Misunderstood, and Brain would have executed it.
    Wrong,
}

impl Grade {
    /// Every grade, the best first.
    pub const ALL: [Self; 5] = [Self::Right, Self::Offered, Self::Asked, Self::NotUnderstood, Self::Wrong];

    /// Its name in a table.
    pub fn title(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Offered => "asked, with the right one offered",
            Self::Asked => "asked",
            Self::NotUnderstood => "not understood",
            Self::Wrong => "wrong",
        }
    }
}

/// The score of one row.
#[derive(Clone, Debug)]
pub struct RowScore {
    /// The utterance.
    pub say: String,
    /// The file of the corpus that it is in.
    pub group: String,
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

    /// The share of rows with this verdict, in %; 0 if there are no rows.
    pub fn share(&self, verdict: Grade) -> f64 {
        100.0 * self.count(verdict) as f64 / self.total().max(1) as f64
    }

    /// The scores of each file, by name.
    pub fn groups(&self) -> std::collections::BTreeMap<&str, Self> {
        let mut found: std::collections::BTreeMap<&str, Self> = std::collections::BTreeMap::new();
        for row in &self.rows {
            found.entry(&row.group).or_default().rows.push(row.clone());
        }
        found
    }

    /// The rows that were misunderstood and would have been executed.
    pub fn wrong(&self) -> impl Iterator<Item = &RowScore> {
        self.rows.iter().filter(|row| row.verdict == Grade::Wrong)
    }
}

/// Scores every utterance of one set of the packs.
pub fn score(registry: &Registry, set: CorpusSet, understand: impl Fn(&str) -> Understanding) -> CorpusScore {
    score_rows(registry, registry.corpus().iter().filter(|row| row.set == set), understand)
}

/// Scores these utterances.
pub fn score_rows<'a>(
    registry: &Registry,
    rows: impl Iterator<Item = &'a CorpusRow>,
    understand: impl Fn(&str) -> Understanding,
) -> CorpusScore {
    let rows = rows.map(|row| {
        let understanding = understand(&row.say);
        let target = row.expect.target();
        RowScore {
            say: row.say.clone(),
            group: row.group.clone(),
            verdict: grade::grade(registry, &row.expect, &understanding),
            wanted: wanted(&row.expect),
            target: target.map(|(name, _)| name.to_owned()),
            slots: target.map(|(_, slots)| slots.clone()).unwrap_or_default(),
            read: read(&understanding),
        }
    });
    CorpusScore { rows: rows.collect() }
}

fn said(intent: &Intent) -> Value {
    intent.slots.iter().map(|slot| (slot.name.clone(), slot.value.clone())).collect::<Map<_, _>>().into()
}

fn wanted(expect: &Expectation) -> String {
    let list = |members: &[Expectation], word: &str| members.iter().map(wanted).collect::<Vec<_>>().join(word);
    match expect {
        Expectation::Tool { name, slots } | Expectation::Playbook { name, slots } => {
            format!("{name} {}", Value::Object(slots.clone()))
        }
        Expectation::None => "nothing".into(),
        Expectation::Ask(among) => format!("a question {among:?}"),
        Expectation::Calls(members) => list(members, " + "),
        Expectation::Either(members) => list(members, " or "),
        Expectation::Question(types) => format!("an answer about {}", types.join(", ")),
        Expectation::Nothing(tools) => format!("nothing done, not even {}", tools.join(", ")),
    }
}

fn read(understanding: &Understanding) -> String {
    match understanding {
        Understanding::Clear { intents } => {
            let one = |intent: &Intent| {
                let invalid: Vec<String> =
                    intent.invalid.iter().map(|slot| format!(" ({} “{}”?)", slot.name, slot.text)).collect();
                format!("{} {}{}", intent.target, said(intent), invalid.concat())
            };
            intents.iter().map(one).collect::<Vec<_>>().join(" + ")
        }
        Understanding::Ask(question) => {
            let options: Vec<&str> = question.options.iter().map(|option| option.target.as_str()).collect();
            format!("asks: {} [{}]", question.text, options.join(", "))
        }
        Understanding::SmallTalk { talk } => format!("{talk:?}"),
        Understanding::Unknown { .. } => "nothing".into(),
    }
}
