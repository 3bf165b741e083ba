//! The groups that targets are described with: in their names, titles, nouns, synonyms, phrases and the labels of their
//! choices.

use serde::{Deserialize, Serialize};

use super::lexicon::{count, expressed, kind_of};
use crate::phrase::vocabulary::{Target, plain_text};
use brain_english::spelling::american;
use brain_english::thesaurus::Kind;
use brain_slot::{SlotKind, folded};

/// Weight of a group in a name or title, among the nouns of the domain, and the least in phrases.
const NAMED: f32 = 1.0;
const NOUN: f32 = 0.8;
const SAID: f32 = 0.35;

/// For each group the targets that are described with it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Profiles {
    /// By group: targets and weights.
    targets: Vec<Vec<(u16, f32)>>,
    /// By group: targets, and the choice of a slot that the group names.
    choices: Vec<Vec<Choice>>,
    /// By target: whether an action describes it.
    acts: Vec<bool>,
}

/// A choice of a slot that a group names: `lost` of `stage`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Choice {
    pub(crate) target: u16,
    pub(crate) slot: String,
    pub(crate) token: String,
}

impl Profiles {
    pub(crate) fn new(targets: &[Target]) -> Self {
        let mut found = Self {
            targets: vec![Vec::new(); count()],
            choices: vec![Vec::new(); count()],
            acts: vec![false; targets.len()],
        };
        for (number, target) in targets.iter().enumerate() {
            for (group, weight) in weights(target) {
                found.acts[number] |= kind_of(group) == Kind::Action;
                found.targets[usize::from(group)].push((number as u16, weight));
            }
            for (name, spec) in &target.slots {
                let SlotKind::Enum(values) = &spec.kind else { continue };
                for (token, labels) in values {
                    let mut groups: Vec<u16> =
                        labels.iter().chain([token]).flat_map(|text| groups_of(text)).map(|(group, _)| group).collect();
                    groups.sort_unstable();
                    groups.dedup();
                    for group in groups.into_iter().filter(|group| kind_of(*group) == Kind::State) {
                        let choice = Choice { target: number as u16, slot: name.clone(), token: token.clone() };
                        found.choices[usize::from(group)].push(choice);
                    }
                }
            }
        }
        found
    }

    /// The targets that a group describes.
    pub(super) fn targets(&self, group: u16) -> &[(u16, f32)] {
        self.targets.get(usize::from(group)).map_or(&[], Vec::as_slice)
    }

    /// Whether a group describes a target, or names one of its choices.
    pub(crate) fn describes(&self, group: u16, target: usize) -> bool {
        self.targets(group).iter().any(|(other, _)| usize::from(*other) == target)
            || self.choices(group).iter().any(|choice| usize::from(choice.target) == target)
    }

    /// The choices that a group names.
    pub(super) fn choices(&self, group: u16) -> &[Choice] {
        self.choices.get(usize::from(group)).map_or(&[], Vec::as_slice)
    }

    /// Whether an action describes a target.
    pub(super) fn acts(&self, target: usize) -> bool {
        self.acts.get(target).copied().unwrap_or(false)
    }
}

/// The groups of a target, each with its highest weight.
fn weights(target: &Target) -> Vec<(u16, f32)> {
    let mut found: Vec<(u16, f32)> = Vec::new();
    let mut add = |group: u16, weight: f32| match found.iter_mut().find(|(known, _)| *known == group) {
        Some((_, known)) => *known = known.max(weight),
        None => found.push((group, weight)),
    };
    let own = target.name.rsplit('.').next().unwrap_or_default();
    let domain = target.name.split('.').next().unwrap_or_default();
    for text in [own, target.title.as_str()].into_iter().chain(target.synonyms.iter().map(String::as_str)) {
        for (group, strength) in groups_of(text) {
            add(group, NAMED * strength);
        }
    }
    let kinds = target.slots.values().filter_map(|slot| slot.entity.as_deref());
    for text in kinds.chain([domain]).chain(target.nouns.iter().map(String::as_str)) {
        for (group, strength) in groups_of(text).into_iter().filter(|(group, _)| kind_of(*group) == Kind::Thing) {
            add(group, NOUN * strength);
        }
    }
    let mut said: Vec<(u16, f32)> = Vec::new();
    for phrase in &target.phrases {
        for (group, strength) in groups_of(&plain_text(phrase)) {
            match said.iter_mut().find(|(known, _)| *known == group) {
                Some((_, sum)) => *sum += strength,
                None => said.push((group, strength)),
            }
        }
    }
    for (group, sum) in said {
        let share = sum / target.phrases.len() as f32;
        add(group, (SAID + (1.0 - SAID) * share).min(1.0));
    }
    found
}

fn groups_of(text: &str) -> Vec<(u16, f32)> {
    let text = folded(&text.replace(['_', '-', '.', '/'], " "));
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric() && c != '\'').map(|word| american(word.replace('\'', ""))).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    expressed(&words).into_iter().map(|one| (one.group, one.strength)).collect()
}
