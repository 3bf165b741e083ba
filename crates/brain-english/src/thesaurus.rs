//! A thesaurus of requests at work: the ways people ask for an action, name a thing, or say what state something is in.
//!
//! Written by hand for this project from general knowledge of English as spoken at work in Australia, Britain, Ireland
//! and the United States, from no other source and without looking at any corpus, so that corpora can measure it.
//!
//! Expressions are in lower case and American spelling, without punctuation (a hyphen is a space). Verbs are infinitives
//! and nouns singular; [`crate::inflection`] knows the regular forms, and irregular ones are expressions of their own.
//! What people report instead of asking ("is sorted", "went cold") is listed under the action too. An expression may
//! belong to several groups, and a state's group may share its name with an action's or a thing's.

use std::collections::BTreeSet;
use std::sync::LazyLock;

mod nouns_1;
mod nouns_2;
mod nouns_3;
mod states_1;
mod states_2;
mod verbs_1;
mod verbs_2;
mod verbs_of_people_1;
mod verbs_of_people_2;
mod verbs_of_trade;
mod verbs_of_work_1;
mod verbs_of_work_2;

/// A semantic group: expressions that mean the same action, thing or state in requests at work.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The group's name: its plainest expression. Unique among the groups of its kind.
    pub name: &'static str,
    /// What its expressions name.
    pub kind: Kind,
    /// Expressions that nearly always mean it.
    pub strong: &'static [&'static str],
    /// Expressions that often mean it.
    pub weak: &'static [&'static str],
}

/// What the expressions of a group name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// What someone wants done, or has done.
    Action,
    /// What it is done to.
    Thing,
    /// How that is.
    State,
}

type Words = &'static [&'static str];

const fn action(name: &'static str, strong: Words, weak: Words) -> Group {
    Group { name, kind: Kind::Action, strong, weak }
}

const fn thing(name: &'static str, strong: Words, weak: Words) -> Group {
    Group { name, kind: Kind::Thing, strong, weak }
}

const fn state(name: &'static str, strong: Words, weak: Words) -> Group {
    Group { name, kind: Kind::State, strong, weak }
}

static GROUPS: LazyLock<Vec<&'static Group>> = LazyLock::new(|| {
    let mut groups: Vec<&Group> = [
        &nouns_1::GROUPS[..],
        &nouns_2::GROUPS[..],
        &nouns_3::GROUPS[..],
        &states_1::GROUPS[..],
        &states_2::GROUPS[..],
        &verbs_1::GROUPS[..],
        &verbs_2::GROUPS[..],
        &verbs_of_people_1::GROUPS[..],
        &verbs_of_people_2::GROUPS[..],
        &verbs_of_trade::GROUPS[..],
        &verbs_of_work_1::GROUPS[..],
        &verbs_of_work_2::GROUPS[..],
    ]
    .into_iter()
    .flatten()
    .collect();
    groups.sort_by_key(|group| (group.kind, group.name));
    groups
});

/// Every group, sorted by kind and name.
pub fn groups() -> impl Iterator<Item = &'static Group> {
    GROUPS.iter().copied()
}

/// The first words of all expressions for actions.
static FIRST_WORDS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let actions = groups().filter(|group| group.kind == Kind::Action);
    let expressions = actions.flat_map(|group| group.strong.iter().chain(group.weak));
    expressions.filter_map(|expression| expression.split(' ').next()).collect()
});

/// Whether an expression for an action begins with this word: “push” back, “scrap”.
pub fn begins_action(word: &str) -> bool {
    FIRST_WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::actions::ACTIONS;
    use crate::spelling::american;

    fn expressions(group: &Group) -> impl Iterator<Item = &'static str> + use<> {
        group.strong.iter().chain(group.weak).copied()
    }

    #[test]
    fn groups_are_sorted_and_their_names_unique_in_a_kind() {
        assert!(groups().is_sorted_by(|a, b| (a.kind, a.name) < (b.kind, b.name)));
    }

    #[test]
    fn a_name_is_a_strong_expression_of_its_group() {
        for group in groups() {
            assert!(group.strong.contains(&group.name), "{}", group.name);
        }
    }

    #[test]
    fn expressions_are_sorted_and_unique_in_a_group() {
        for group in groups() {
            assert!(group.strong.is_sorted_by(|a, b| a < b), "{}", group.name);
            assert!(group.weak.is_sorted_by(|a, b| a < b), "{}", group.name);
            let both = group.strong.iter().find(|expression| group.weak.contains(expression));
            assert_eq!(both, None, "{}", group.name);
        }
    }

    #[test]
    fn expressions_are_one_to_five_plain_words_in_american_spelling() {
        for group in groups() {
            for expression in expressions(group) {
                assert!((1..=5).contains(&expression.split(' ').count()), "{}: {expression}", group.name);
                for word in expression.split(' ') {
                    let plain = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
                    assert!(plain && !word.is_empty(), "{}: {expression}", group.name);
                    assert_eq!(american(word.to_owned()), word, "{}: {expression}", group.name);
                }
            }
        }
    }

    #[test]
    fn no_expression_is_in_more_than_four_groups_nor_strong_in_more_than_two_of_a_kind() {
        let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut strong: BTreeMap<(Kind, &str), Vec<&str>> = BTreeMap::new();
        for group in groups() {
            for expression in expressions(group) {
                all.entry(expression).or_default().push(group.name);
            }
            for expression in group.strong {
                strong.entry((group.kind, expression)).or_default().push(group.name);
            }
        }
        for (expression, names) in all {
            assert!(names.len() <= 4, "{expression}: {names:?}");
        }
        for ((_, expression), names) in strong {
            assert!(names.len() <= 2, "{expression}: {names:?}");
        }
    }

    #[test]
    fn every_verb_of_the_tools_is_in_an_action() {
        let listed = |verb: &str| {
            let verb: Vec<String> = verb.split(' ').map(|word| american(word.to_owned())).collect();
            let verb = verb.join(" ");
            groups().any(|group| group.kind == Kind::Action && expressions(group).any(|known| known == verb))
        };
        for (action, _, ways) in ACTIONS {
            assert!(groups().any(|group| group.kind == Kind::Action && group.strong.contains(&action)), "{action}");
            for way in ways {
                assert!(listed(way), "{way}");
            }
        }
    }

    #[test]
    fn the_thesaurus_is_large() {
        let count = |kind| groups().filter(|group| group.kind == kind).count();
        assert!(count(Kind::Action) >= 170 && count(Kind::Thing) >= 100 && count(Kind::State) >= 75);
        assert!(groups().map(|group| expressions(group).count()).sum::<usize>() >= 9_000);
    }
}
