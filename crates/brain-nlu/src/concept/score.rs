//! Scores targets by the concepts of a clause.

use super::lexicon::{Expressed, expressed, kind_of};
use super::profile::{Choice, Profiles};
use super::signature::Signature;
use crate::phrase::vocabulary::Target;
use crate::text::tokens::Token;
use brain_english::modality::{INVERTED, QUESTION_WORDS};
use brain_english::thesaurus::Kind;
use brain_slot::Surroundings;

/// Share of each kind of evidence.
const ACTION: f32 = 0.45;
const THING: f32 = 0.4;
const STATE: f32 = 0.3;
const SIGNATURE: f32 = 0.35;
/// A question speaks for a target that reads.
const QUESTION: f32 = 0.35;
/// Maximum number of targets returned.
const CLOSE: usize = 6;

/// A target, and how well the concepts of a clause describe it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConceptScore {
    pub(crate) target: usize,
    /// 0 to 1.
    pub(crate) score: f32,
    /// The choice of a slot that the clause names.
    pub(crate) choice: Option<ChoiceSaid>,
    /// Whether action or state, and thing or values, both speak for it.
    pub(crate) is_complete: bool,
    /// Whether the clause asks for something to be shown: it is a question, or says so.
    pub(crate) asks: bool,
    /// What of it the action, the thing, the state and the types of the values contribute, each at most 1.
    pub(crate) parts: [f32; 4],
}

/// The choice of a slot that a clause names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChoiceSaid {
    /// The group that names it.
    pub(crate) group: u16,
    pub(crate) slot: String,
    pub(crate) token: String,
}

/// The concepts of a clause.
#[derive(Default)]
pub(crate) struct Concepts {
    pub(crate) found: Vec<Expressed>,
    signature: Signature,
    pub(crate) is_question: bool,
}

#[derive(Clone, Default)]
struct Parts<'p> {
    action: f32,
    thing: f32,
    state: f32,
    choice: Option<(u16, &'p Choice)>,
}

impl Concepts {
    pub(crate) fn of(tokens: &[Token], chars: &[char], around: &Surroundings) -> Self {
        let words: Vec<&str> = tokens.iter().map(|token| if token.quoted { "" } else { token.word.as_str() }).collect();
        let head = words.iter().find(|word| !word.is_empty()).copied().unwrap_or_default();
        let marked = chars.iter().rev().find(|c| !c.is_whitespace()) == Some(&'?');
        let is_question = QUESTION_WORDS.contains(&head) || (INVERTED.contains(&head) && marked);
        Self { found: expressed(&words), signature: Signature::of(chars, around), is_question }
    }

    /// The targets that these concepts describe, best first.
    pub(crate) fn score(
        &self,
        profiles: &Profiles,
        targets: &[Target],
        out: impl Fn(usize) -> bool,
    ) -> Vec<ConceptScore> {
        let mut parts: Vec<Parts<'_>> = vec![Parts::default(); targets.len()];
        for one in &self.found {
            let kind = kind_of(one.group);
            let described = profiles.targets(one.group);
            // What describes many targets distinguishes none.
            let rare = 1.0 - 0.5 * (described.len() as f32 / targets.len().max(8) as f32).min(1.0);
            for (target, weight) in described {
                let part = &mut parts[usize::from(*target)];
                let value = one.strength * weight;
                match kind {
                    Kind::Action => part.action = part.action.max(value),
                    Kind::Thing => part.thing = part.thing.max(value * rare),
                    Kind::State => part.state = part.state.max(0.8 * value),
                }
            }
            for choice in profiles.choices(one.group) {
                let part = &mut parts[usize::from(choice.target)];
                if one.strength > part.state {
                    part.state = one.strength;
                    part.choice = Some((one.group, choice));
                }
            }
        }
        let mut list: Vec<ConceptScore> = parts
            .iter()
            .enumerate()
            // Without phrases, a tool is called by name only.
            .filter(|(target, part)| {
                !out(*target) && !targets[*target].phrases.is_empty() && (part.action > 0.0 || part.thing > 0.0 || part.state > 0.0)
            })
            .map(|(number, part)| self.combined(number, part, &targets[number], profiles))
            .filter(|one| one.score > 0.0)
            .collect();
        list.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.target.cmp(&b.target)));
        list.truncate(CLOSE);
        list
    }

    fn combined(&self, number: usize, part: &Parts<'_>, target: &Target, profiles: &Profiles) -> ConceptScore {
        let mut action = part.action;
        if target.reads_only && self.is_question {
            action = action.max(QUESTION / ACTION);
        }
        if !target.reads_only && self.is_question {
            action *= 0.5;
        }
        let suits = self.signature.suits(target);
        let mut sum = ACTION * action + THING * part.thing + STATE * part.state + SIGNATURE * suits;
        // Something must be asked for: an action, a state, or values that only this takes.
        let asks = action > 0.3 || part.state > 0.4 || suits > 0.5 || !profiles.acts(number);
        if !asks {
            sum *= 0.5;
        }
        // An order is no question: “mark the lead as won” lists nothing.
        let is_order = target.reads_only && !self.is_question && part.action < 0.3;
        if is_order {
            sum *= 0.4;
        }
        let is_complete = !is_order && (action > 0.4 || part.state > 0.4) && (part.thing > 0.3 || suits > 0.5);
        ConceptScore {
            target: number,
            score: crate::model::round(sum.clamp(0.0, 1.0)),
            choice: part.choice.map(|(group, choice)| ChoiceSaid {
                group,
                slot: choice.slot.clone(),
                token: choice.token.clone(),
            }),
            is_complete,
            asks: self.is_question || part.action >= 0.3,
            parts: [part.action, part.thing, part.state, suits],
        }
    }
}
