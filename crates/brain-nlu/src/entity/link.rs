//! Entity linking: resolves a mention to one entity, to several to choose from, or to none.

use std::collections::BTreeMap;

use brain_core::Timestamp;
use serde::Serialize;

use super::card::{Card, Lookup};
use super::index::{alike_keys, near_keys};
use super::mention::said_name;
use super::score::{Candidate, How, Said, boost, fit};

/// Minimum lead of the best candidate.
const MARGIN: f32 = 0.05;
/// Maximum number of forms tried for a mention.
const MAX_NAMES: usize = 3;
/// Maximum number of results of one lookup.
const LIMIT: usize = 20;
/// Maximum number of names with a similar word.
const MAX_NEAR: usize = 12;
/// Up to this many words, one may be left out.
const MAX_WORDS: usize = 6;
/// Maximum number of candidates and of suggestions returned.
const MAX_CANDIDATES: usize = 8;

/// An entity type and its nouns.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// Singular nouns for it: `lead`, `site visit`.
    pub nouns: Vec<String>,
}

/// A mention and its context.
pub struct Asked<'a> {
    /// The mention.
    pub mention: &'a str,
    /// The entity types that the tool accepts. Others are not looked up.
    pub kinds: &'a [Kind],
    /// The current time.
    pub now: Timestamp,
    /// Entities mentioned recently.
    pub focus: &'a [Card],
    /// Whether an entity belongs to what is being worked on.
    pub in_scope: &'a dyn Fn(&Card) -> bool,
}

/// The result for a mention.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Linked {
    /// The mention.
    pub mention: String,
    /// Candidates, best first.
    pub candidates: Vec<Candidate>,
    /// Similar entities: suggestions only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<Candidate>,
    /// The outcome.
    pub verdict: Resolution,
}

/// The outcome of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// The first candidate is meant.
    One,
    /// Ambiguous: ask.
    Several,
    /// No such entity.
    None,
}

impl Linked {
    /// The linked entity.
    pub fn one(&self) -> Option<&Candidate> {
        self.candidates.first().filter(|_| self.verdict == Resolution::One)
    }

    /// Whether the name was misspelt: somebody should confirm before anything changes.
    pub fn is_guess(&self) -> bool {
        self.one().is_some_and(|one| one.how >= How::Fuzzy)
    }
}

/// Links a mention.
pub fn link(asked: &Asked<'_>, lookup: &dyn Lookup) -> Linked {
    let mut found = Finding { asked, by_id: BTreeMap::new() };
    for kind in asked.kinds {
        let names = names(asked.mention, kind);
        for said in &names {
            found.take(said, kind, asked.focus.iter().filter(|card| card.kind == kind.name).cloned());
            if !said.normal.is_empty() {
                found.take(said, kind, lookup.exact(&kind.name, &said.normal));
            }
            if said.may_identify() {
                let value = super::normal_identifier(&said.text);
                found.take(said, kind, lookup.identifier(&kind.name, &value));
            }
        }
        // An exact or partial name needs no further lookup.
        for said in names.iter().filter(|said| !said.words.is_empty()) {
            if found.best() > How::Identifier {
                found.take(said, kind, lookup.words(&kind.name, &said.words, LIMIT));
            }
        }
        for said in names.iter().filter(|said| !said.words.is_empty()) {
            if found.best() > How::Words {
                found.take(said, kind, lookup.searched(&kind.name, &said.words, LIMIT));
            }
            if found.best() > How::Words {
                found.take(said, kind, lookup.alike(&kind.name, &alike_keys(&said.text), LIMIT));
            }
            // One word may not be part of the name: a place, or a wrong word.
            if found.best() > How::Fuzzy && (2..=MAX_WORDS).contains(&said.words.len()) {
                for left_out in 0..said.words.len() {
                    let mut rest = said.words.clone();
                    rest.remove(left_out);
                    found.take(said, kind, lookup.words(&kind.name, &rest, LIMIT));
                }
            }
            if found.best() > How::Fuzzy {
                found.take(said, kind, lookup.alike(&kind.name, &near_keys(&said.text), MAX_NEAR));
            }
        }
    }
    found.conclude()
}

/// The forms of a mention to try: without the words around a name, as written, and up to a possessive.
fn names(mention: &str, kind: &Kind) -> Vec<Said> {
    let whole = mention.trim();
    let owner = ["'s ", "’s "].iter().find_map(|sign| whole.find(sign)).map(|end| &whole[..end]);
    let mut texts = vec![said_name(whole, &kind.nouns).unwrap_or(whole), whole];
    texts.extend(owner);
    let mut names: Vec<Said> = Vec::new();
    for said in texts.into_iter().map(Said::new).take(MAX_NAMES) {
        if names.iter().all(|known| known.text != said.text) {
            names.push(said);
        }
    }
    names
}

struct Finding<'a> {
    asked: &'a Asked<'a>,
    by_id: BTreeMap<(String, String), Candidate>,
}

impl Finding<'_> {
    fn take(&mut self, said: &Said, kind: &Kind, cards: impl IntoIterator<Item = Card>) {
        for card in cards.into_iter().filter(|card| card.kind == kind.name) {
            let Some(mut candidate) = fit(said, &card) else { continue };
            let in_focus = self.asked.focus.iter().any(|one| (&one.kind, &one.id) == (&card.kind, &card.id));
            boost(&mut candidate, self.asked.now, in_focus, (self.asked.in_scope)(&card));
            let noun = kind.nouns.first().unwrap_or(&kind.name);
            let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            candidate.evidence.push(format!("is {article} {noun}, as the tool expects"));
            let known = self.by_id.entry((card.kind, card.id)).or_insert_with(|| candidate.clone());
            if (candidate.how, known.score) < (known.how, candidate.score) {
                *known = candidate;
            }
        }
    }

    /// The best kind of match found.
    fn best(&self) -> How {
        self.by_id.values().map(|candidate| candidate.how).min().unwrap_or(How::Near)
    }

    fn conclude(self) -> Linked {
        conclude(self.asked.mention, self.by_id.into_values().collect())
    }
}

/// The result for a mention, from its candidates in any order.
pub fn conclude(mention: &str, mut all: Vec<Candidate>) -> Linked {
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.card.id.cmp(&b.card.id)));
    let (mut candidates, mut near): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.how != How::Near);
    let verdict = match candidates.as_slice() {
        [] => Resolution::None,
        [_] => Resolution::One,
        [first, second, ..] if first.score - second.score > MARGIN - f32::EPSILON => Resolution::One,
        _ => Resolution::Several,
    };
    candidates.truncate(MAX_CANDIDATES);
    near.truncate(if verdict == Resolution::None { MAX_CANDIDATES } else { 0 });
    Linked { mention: mention.to_owned(), candidates, near, verdict }
}

#[cfg(test)]
mod tests {
    use super::super::{keys, normal_identifier, normal_name, words};
    use super::*;

    struct Shelf(Vec<Card>);

    impl Shelf {
        fn those(&self, kind: &str, fits: impl Fn(&Card) -> bool) -> Vec<Card> {
            self.0.iter().filter(|card| card.kind == kind && fits(card)).cloned().collect()
        }
    }

    fn all_names(card: &Card) -> impl Iterator<Item = &String> {
        std::iter::once(&card.name).chain(&card.aliases)
    }

    impl Lookup for Shelf {
        fn exact(&self, kind: &str, normal: &str) -> Vec<Card> {
            self.those(kind, |card| all_names(card).any(|name| normal_name(name) == normal))
        }

        fn identifier(&self, kind: &str, value: &str) -> Vec<Card> {
            self.those(kind, |card| card.identifiers.iter().any(|one| normal_identifier(one) == value))
        }

        fn words(&self, kind: &str, wanted: &[String], limit: usize) -> Vec<Card> {
            let has = |card: &Card| {
                let there: Vec<String> = all_names(card).flat_map(|name| words(name)).collect();
                wanted.iter().all(|word| there.contains(word))
            };
            self.those(kind, has).into_iter().take(limit).collect()
        }

        fn searched(&self, _: &str, _: &[String], _: usize) -> Vec<Card> {
            Vec::new()
        }

        fn alike(&self, kind: &str, wanted: &[String], limit: usize) -> Vec<Card> {
            let has = |card: &Card| keys(&card.name).iter().any(|key| wanted.contains(key));
            self.those(kind, has).into_iter().take(limit).collect()
        }
    }

    fn card(kind: &str, id: &str, name: &str, hint: &str) -> Card {
        Card { kind: kind.into(), id: id.into(), name: name.into(), hints: vec![hint.into()], ..Card::default() }
    }

    fn shelf() -> Shelf {
        Shelf(vec![
            card("lead", "1", "Kim Park", "Ryde"),
            card("lead", "2", "Kim Park", "Manly"),
            card("lead", "3", "Bob Smith", "Ryde"),
            card("lead", "4", "Anna Smith", "Auburn"),
            card("lead", "5", "Lena Fischer", "Hornsby"),
            card("company", "6", "Acme Pty Ltd", ""),
            card("company", "7", "Acme Holdings", ""),
            card("lead", "8", "Smith", "Penrith"),
            Card { aliases: vec!["Big Bank".into()], ..card("company", "9", "Commonwealth Bank", "") },
            Card { identifiers: vec!["Q-1042".into()], ..card("quote", "10", "Roof", "") },
        ])
    }

    fn look(mention: &str, kinds: &[(&str, &str)], focus: &[Card]) -> (Resolution, String) {
        let kinds: Vec<Kind> = kinds
            .iter()
            .map(|(name, noun)| Kind { name: (*name).to_owned(), nouns: vec![(*noun).to_owned()] })
            .collect();
        let now = Timestamp::from_millis(0);
        let asked = Asked { mention, kinds: &kinds, now, focus, in_scope: &|_| false };
        let linked = link(&asked, &shelf());
        let ids: Vec<&str> = linked.candidates.iter().map(|one| one.card.id.as_str()).collect();
        let first = if linked.verdict == Resolution::One { ids[..1].join(",") } else { ids.join(",") };
        (linked.verdict, first)
    }

    const LEAD: &[(&str, &str)] = &[("lead", "lead")];

    #[test]
    fn a_name_finds_its_entity() {
        for (mention, kinds, id) in [
            ("Lena Fischer", LEAD, "5"),
            ("the lead lena fischer", LEAD, "5"),
            ("Lena", LEAD, "5"),
            ("Lena Fisher", LEAD, "5"),
            ("Smith", LEAD, "8"),
            ("Bob Smith's", LEAD, "3"),
            ("Kim Park in Ryde", LEAD, "1"),
            ("Acme", &[("company", "company")], "6"),
            ("Acme Ltd's account", &[("company", "account")], "6"),
            ("big bank", &[("company", "company")], "9"),
            ("quote q1042", &[("quote", "quote")], "10"),
            ("Lena Fischer", &[("company", "company"), ("lead", "lead")], "5"),
        ] {
            assert_eq!(look(mention, kinds, &[]), (Resolution::One, id.to_owned()), "{mention}");
        }
    }

    #[test]
    fn several_matches_are_ambiguous_unless_one_was_just_mentioned() {
        assert_eq!(look("Kim Park", LEAD, &[]), (Resolution::Several, "1,2".into()));
        assert_eq!(look("Kim", LEAD, &[]), (Resolution::Several, "1,2".into()));
        let focus = [card("lead", "2", "Kim Park", "Manly")];
        assert_eq!(look("Kim Park", LEAD, &focus), (Resolution::One, "2".into()));
        assert_eq!(look("Bob Smith", LEAD, &[card("lead", "4", "Anna Smith", "")]), (Resolution::One, "3".into()));
    }

    #[test]
    fn an_entity_of_the_current_work_is_preferred() {
        let roof = |id: &str, lead: &str, used: i64| Card {
            belongs_to: vec![lead.into()],
            last_used: Some(Timestamp::from_millis(used)),
            ..card("quote", id, "Roof", "")
        };
        let hour = 3_600_000;
        let shelf = Shelf(vec![roof("1", "kim", 0), roof("2", "lena", 47 * hour), roof("3", "bob", 48 * hour)]);
        let kinds = [Kind { name: "quote".into(), nouns: vec!["quote".into()] }];
        let now = Timestamp::from_millis(48 * hour);
        let look = |lead: &str| {
            let in_scope = |card: &Card| card.belongs_to.iter().any(|id| id == lead);
            let asked = Asked { mention: "roof quote", kinds: &kinds, now, focus: &[], in_scope: &in_scope };
            let linked = link(&asked, &shelf);
            let ids: Vec<String> = linked.candidates.iter().map(|one| one.card.id.clone()).collect();
            (linked.verdict, ids.join(","), linked.candidates[0].evidence.join("; "))
        };
        let (verdict, ids, evidence) = look("kim");
        assert_eq!((verdict, &*ids), (Resolution::One, "1,3,2"), "those used last come first behind it");
        assert!(evidence.contains("is in the current scope"), "{evidence}");
        let (verdict, ids, evidence) = look("nobody");
        assert_eq!((verdict, &*ids), (Resolution::Several, "3,2,1"));
        assert!(evidence.contains("used just now"), "{evidence}");
    }

    #[test]
    fn nothing_is_made_up() {
        for (mention, kinds) in
            [("Zoe Quill", LEAD), ("Kim Park", &[("company", "company")]), ("lead", LEAD), ("", LEAD), ("5", LEAD)]
        {
            assert_eq!(look(mention, kinds, &[]).0, Resolution::None, "{mention}");
        }
        let kinds = [Kind { name: "lead".into(), nouns: vec!["lead".into()] }];
        let now = Timestamp::from_millis(0);
        let linked =
            link(&Asked { mention: "Ficsher", kinds: &kinds, now, focus: &[], in_scope: &|_| false }, &shelf());
        assert_eq!((linked.verdict, linked.near[0].card.name.as_str()), (Resolution::None, "Lena Fischer"));
    }
}
