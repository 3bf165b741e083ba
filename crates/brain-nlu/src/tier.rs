//! Kinds of action: what people are asked about first if too many targets of different kinds are likely. A pack may
//! declare its own, with a second level; targets that name none have the built-in kind of their action.

use std::fmt;

use brain_english::actions::Tier;
use serde::{Deserialize, Serialize};

use crate::phrase::vocabulary::Target;

/// Identifies a kind of action: `navigate`, or `navigate.client_book` on the second level.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TierId(String);

impl TierId {
    /// The id that a text names.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first level.
    pub fn first(&self) -> Self {
        Self(self.0.split('.').next().unwrap_or_default().to_owned())
    }

    /// Whether it has a second level.
    pub fn is_second(&self) -> bool {
        self.0.contains('.')
    }

    /// Whether `other` is this kind, or one within it.
    pub fn contains(&self, other: &Self) -> bool {
        other.0.strip_prefix(&self.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

impl fmt::Display for TierId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Tier> for TierId {
    fn from(tier: Tier) -> Self {
        Self(tier.id().to_owned())
    }
}

/// A kind of action that a pack declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentTier {
    /// Its id on its level.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// What belongs to it.
    pub description: String,
    /// An example, or a hint for choosing it.
    pub hint: String,
    /// The second level.
    pub kinds: Vec<IntentTier>,
}

/// One kind of action to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TierOption {
    /// The kind of action.
    pub tier: TierId,
    /// Its name for people.
    pub title: String,
    /// What belongs to it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// An example, or a hint for choosing it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// The candidates of this kind.
    pub targets: Vec<String>,
}

/// The kinds of action of a vocabulary.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tiers(Vec<IntentTier>);

impl Tiers {
    pub(crate) fn new(declared: Vec<IntentTier>) -> Self {
        Self(declared)
    }

    /// Whether the packs declare any.
    pub(crate) fn is_declared(&self) -> bool {
        !self.0.is_empty()
    }

    /// The kind of a target, with its second level if it names one.
    pub(crate) fn of(&self, target: &Target) -> TierId {
        target.intent_tier.clone().unwrap_or_else(|| target.tier().into())
    }

    fn declared(&self, id: &TierId) -> Option<&IntentTier> {
        let mut parts = id.0.split('.');
        let first = self.0.iter().find(|tier| Some(tier.id.as_str()) == Some(id.first().as_str()))?;
        match parts.nth(1) {
            Some(second) => first.kinds.iter().find(|kind| kind.id == second),
            None => Some(first),
        }
    }

    /// The name of a kind for people.
    pub(crate) fn title(&self, id: &TierId) -> String {
        let built_in = || Tier::ALL.into_iter().find(|tier| tier.id() == id.0).map(|tier| tier.title().to_owned());
        self.declared(id).map(|tier| tier.label.clone()).or_else(built_in).unwrap_or_else(|| id.0.replace('_', " "))
    }

    /// Whether some target may be of this kind.
    pub(crate) fn has(&self, id: &TierId) -> bool {
        self.declared(id).is_some() || Tier::ALL.into_iter().any(|tier| tier.id() == id.0)
    }

    /// The kinds to choose from: the first level, or within a chosen kind the second. `None` where a candidate has no
    /// second level.
    ///
    /// Declared kinds come first, in their order.
    pub(crate) fn options(&self, candidates: &[&Target], within: Option<&TierId>) -> Option<Vec<TierOption>> {
        let mut list: Vec<TierOption> = Vec::new();
        for target in candidates {
            let whole = self.of(target);
            let tier = if within.is_some() { whole } else { whole.first() };
            if within.is_some_and(|within| within.is_second() || !tier.is_second()) {
                return None;
            }
            match list.iter_mut().find(|option| option.tier == tier) {
                Some(option) => option.targets.push(target.name.clone()),
                None => {
                    let declared = self.declared(&tier);
                    list.push(TierOption {
                        title: self.title(&tier),
                        description: declared.map(|tier| tier.description.clone()).unwrap_or_default(),
                        hint: declared.map(|tier| tier.hint.clone()).unwrap_or_default(),
                        targets: vec![target.name.clone()],
                        tier,
                    });
                }
            }
        }
        list.sort_by_key(|option| self.position(&option.tier));
        Some(list)
    }

    /// Where a kind is named in a list.
    fn position(&self, id: &TierId) -> (usize, usize, TierId) {
        let first = self.0.iter().position(|tier| tier.id == id.first().0);
        let second = first.and_then(|at| {
            let kinds = &self.0[at].kinds;
            kinds.iter().position(|kind| id.0.split('.').nth(1) == Some(kind.id.as_str()))
        });
        let built_in = || self.0.len() + Tier::ALL.into_iter().position(|tier| tier.id() == id.0).unwrap_or_default();
        (first.unwrap_or_else(built_in), second.unwrap_or_default(), id.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str, tier: &str) -> Target {
        let intent_tier = (!tier.is_empty()).then(|| TierId::new(tier));
        Target { name: name.into(), intent_tier, ..Target::default() }
    }

    fn tiers() -> Tiers {
        let kind = |id: &str, label: &str, kinds: Vec<IntentTier>| IntentTier {
            id: id.into(),
            label: label.into(),
            kinds,
            ..IntentTier::default()
        };
        let kinds = vec![kind("one", "One fund", vec![]), kind("book", "A client's book", vec![])];
        Tiers::new(vec![kind("navigate", "Navigate and view", kinds), kind("create", "Set something up", vec![])])
    }

    fn shown(options: Option<Vec<TierOption>>) -> Vec<(String, String, usize)> {
        let show = |option: TierOption| (option.tier.to_string(), option.title, option.targets.len());
        options.unwrap_or_default().into_iter().map(show).collect()
    }

    #[test]
    fn declared_kinds_are_named_first_and_the_action_decides_for_other_targets() {
        let all = [
            target("fund.update", ""),
            target("fund.create", ""),
            target("fund.load_book", "navigate.book"),
            target("fund.load", "navigate.one"),
            target("fund.open", "navigate.one"),
        ];
        let all: Vec<&Target> = all.iter().collect();
        let text = |id: &str, title: &str, count| (id.to_owned(), title.to_owned(), count);
        assert_eq!(
            shown(tiers().options(&all, None)),
            [
                text("navigate", "Navigate and view", 3),
                text("create", "Set something up", 1),
                text("modify", "change something that exists", 1)
            ]
        );
        let within = TierId::new("navigate");
        assert_eq!(
            shown(tiers().options(&all[2..], Some(&within))),
            [text("navigate.one", "One fund", 2), text("navigate.book", "A client's book", 1)]
        );
        assert_eq!(tiers().options(&all, Some(&within)), None, "a candidate without a second level");
        assert!(within.contains(&TierId::new("navigate.one")) && !within.contains(&TierId::new("navigates")));
        assert!(tiers().has(&TierId::new("modify")) && !tiers().has(&TierId::new("navigate.two")));
    }
}
