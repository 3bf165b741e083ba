//! Scores how well an entity matches a mention, with evidence.
//!
//! The kinds of match are so far apart that other evidence (recently mentioned, recently used) ranks entities within
//! one kind and never overrides an exact name.

use brain_core::Timestamp;
use serde::Serialize;

use super::card::Card;
use super::index::words;
use super::name::{normal_identifier, normal_name, plain_name};
use brain_english::names::JOINING;

/// Minimum similarity of a misspelt name.
const ALIKE: f32 = 0.8;
/// Minimum similarity of a suggestion.
const NEAR: f32 = 0.6;
/// Maximum boost from evidence other than the name.
const MAX_BOOST: f32 = 0.06;
/// Boost for belonging to what is being worked on; it outweighs recent use.
const IN_SCOPE: f32 = 0.058;

/// The kind of match, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// By its name.
    Exact,
    /// By an alias.
    Alias,
    /// By a number or address.
    Identifier,
    /// By some words of its name, with no other words.
    Words,
    /// By a misspelt name.
    Fuzzy,
    /// Only similar: a suggestion.
    Near,
}

/// A candidate for a mention.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The entity.
    pub card: Card,
    /// The kind of match.
    pub how: How,
    /// The score, 0 to 1.
    pub score: f32,
    /// Reasons, for people.
    pub evidence: Vec<String>,
}

/// A mention in its canonical forms.
pub(super) struct Said {
    pub(super) text: String,
    pub(super) normal: String,
    plain: String,
    pub(super) words: Vec<String>,
}

impl Said {
    pub(super) fn new(text: &str) -> Self {
        let plain = plain_name(text);
        Self { text: text.to_owned(), normal: normal_name(text), words: telling(text), plain }
    }

    /// Whether it may be a number or address.
    pub(super) fn may_identify(&self) -> bool {
        self.text.contains('@') || self.text.contains(|c: char| c.is_ascii_digit())
    }
}

/// The words of a text that distinguish names.
fn telling(text: &str) -> Vec<String> {
    let all = words(text);
    let joins = |word: &str| JOINING.contains(&word);
    let some: Vec<String> = all.iter().filter(|word| !joins(word)).cloned().collect();
    if some.is_empty() { all } else { some }
}

/// Matches an entity.
pub(super) fn fit(said: &Said, card: &Card) -> Option<Candidate> {
    if said.normal.is_empty() {
        return None;
    }
    let found = by_name(said, card)
        .or_else(|| by_alias(said, card))
        .or_else(|| by_identifier(said, card))
        .or_else(|| by_words(said, card))
        .or_else(|| by_likeness(said, card));
    let (how, score, reason) = found?;
    Some(Candidate { card: card.clone(), how, score, evidence: vec![reason] })
}

type Fit = Option<(How, f32, String)>;

fn by_name(said: &Said, card: &Card) -> Fit {
    if normal_name(&card.name) != said.normal {
        return None;
    }
    // `Acme` matches Acme Ltd, unless another entity is called just Acme.
    let whole = plain_name(&card.name) == said.plain;
    Some((How::Exact, if whole { 0.94 } else { 0.88 }, "exact name".into()))
}

fn by_alias(said: &Said, card: &Card) -> Fit {
    let alias = card.aliases.iter().find(|alias| normal_name(alias) == said.normal)?;
    Some((How::Alias, 0.82, format!("alias “{alias}”")))
}

fn by_identifier(said: &Said, card: &Card) -> Fit {
    let said = normal_identifier(&said.text);
    let one = card.identifiers.iter().find(|one| !said.is_empty() && normal_identifier(one) == said)?;
    Some((How::Identifier, 0.81, format!("identifier {one}")))
}

fn by_words(said: &Said, card: &Card) -> Fit {
    // A number beside a name is a value of the request, not what somebody owes.
    let in_words = card.hints.iter().filter(|hint| hint.contains(char::is_alphabetic));
    let hints: Vec<String> = in_words.flat_map(|hint| words(hint)).collect();
    let best = std::iter::once(&card.name).chain(&card.aliases).filter_map(|name| {
        let of_name = words(name);
        let mut named = 0;
        let mut reasons = Vec::new();
        for word in &said.words {
            let initial = word.chars().count() == 1 && of_name.iter().any(|one| one.starts_with(word.as_str()));
            if of_name.contains(word) || initial {
                named += 1;
            } else if hints.contains(word) {
                reasons.push(format!("“{word}” fits"));
            } else {
                return None;
            }
        }
        // A place or a state alone is not a name.
        let share = named as f32 / of_name.len().max(1) as f32;
        reasons.insert(0, format!("{named} of {} words", of_name.len()));
        (named > 0).then(|| (How::Words, 0.64 + 0.06 * share.min(1.0), reasons.join(", ")))
    });
    best.max_by(|a, b| a.1.total_cmp(&b.1))
}

fn by_likeness(said: &Said, card: &Card) -> Fit {
    let best = std::iter::once(&card.name).chain(&card.aliases).map(|name| likeness(said, name));
    let (alike, wrong) = best.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let reason = match wrong {
        1 => "one letter differs".to_owned(),
        n => format!("{n} letters differ"),
    };
    if alike >= ALIKE {
        return Some((How::Fuzzy, 0.45 + 0.12 * (alike - ALIKE) / (1.0 - ALIKE), reason));
    }
    (alike >= NEAR).then_some((How::Near, 0.4 * alike, reason))
}

/// Similarity of a mention to a name, or to as many words of it, and the edit distance.
fn likeness(said: &Said, name: &str) -> (f32, usize) {
    let name = normal_name(name);
    let whole = compare(&said.normal, &name);
    let (mut letters, mut wrong) = (0, 0);
    for word in &said.words {
        let best = name.split(' ').map(|one| strsim::osa_distance(word, one)).min().unwrap_or_default();
        letters += word.chars().count();
        wrong += best;
    }
    let by_word = (1.0 - wrong as f32 / letters.max(1) as f32, wrong);
    // One word of several is weaker evidence than all of them.
    if said.words.len() < 2 && by_word.0 < 1.0 || whole.0 >= by_word.0 {
        return if whole.0 >= NEAR { whole } else { (by_word.0.min(ALIKE - 0.01), by_word.1) };
    }
    by_word
}

fn compare(a: &str, b: &str) -> (f32, usize) {
    let longer = a.chars().count().max(b.chars().count()).max(1);
    let wrong = strsim::osa_distance(a, b);
    (1.0 - wrong as f32 / longer as f32, wrong)
}

/// Adds evidence other than the name. Recency orders the options; a recent mention or belonging to the current work
/// decides.
pub(super) fn boost(candidate: &mut Candidate, now: Timestamp, in_focus: bool, in_scope: bool) {
    let mut more = 0.0;
    if in_focus {
        more += MAX_BOOST;
        candidate.evidence.push("was just mentioned".into());
    }
    let minutes = candidate.card.last_used.map(|used| now.as_millis().saturating_sub(used.as_millis()) / 60_000);
    if let Some(minutes @ 0..=1440) = minutes {
        more += match minutes {
            0..=10 => 0.006,
            11..=60 => 0.004,
            _ => 0.002,
        };
        candidate.evidence.push(ago(minutes));
    }
    if in_scope {
        more += IN_SCOPE;
        candidate.evidence.push("is in the current scope".into());
    }
    candidate.score = ((candidate.score + f32::min(more, MAX_BOOST)) * 1000.0).round() / 1000.0;
}

fn ago(minutes: i64) -> String {
    match minutes {
        0 => "used just now".into(),
        1 => "used a minute ago".into(),
        2..=59 => format!("used {minutes} minutes ago"),
        60..=119 => "used an hour ago".into(),
        _ => format!("used {} hours ago", minutes / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(said: &str, card: &Card) -> Option<(How, String)> {
        fit(&Said::new(said), card).map(|found| (found.how, found.evidence.join("; ")))
    }

    fn card() -> Card {
        Card {
            kind: "lead".into(),
            id: "1".into(),
            name: "Kim Min Park".into(),
            aliases: vec!["KMP Roofing Pty Ltd".into()],
            identifiers: vec!["0412 345 678".into(), "Q-1042".into()],
            hints: vec!["North Ryde".into()],
            ..Card::default()
        }
    }

    #[test]
    fn each_kind_of_match_has_its_evidence() {
        let card = card();
        for (said, how, reason) in [
            ("kim min park", How::Exact, "exact name"),
            ("KMP Roofing", How::Alias, "alias “KMP Roofing Pty Ltd”"),
            ("q1042", How::Identifier, "identifier Q-1042"),
            ("+61412345678", How::Identifier, "identifier 0412 345 678"),
            ("Park", How::Words, "1 of 3 words"),
            ("K. Park", How::Words, "2 of 3 words"),
            ("Kim Park in Ryde", How::Words, "2 of 3 words, “ryde” fits"),
            ("Kim Min Prak", How::Fuzzy, "one letter differs"),
            ("Kmi Min Prak", How::Fuzzy, "2 letters differ"),
            ("Prak", How::Near, "one letter differs"),
        ] {
            assert_eq!(fits(said, &card), Some((how, reason.to_owned())), "{said}");
        }
        for said in ["Lena Fischer", "Ryde", "Kim Smith", "", "Park in Manly"] {
            assert!(fits(said, &card).is_none_or(|(how, _)| how == How::Near), "{said}: {:?}", fits(said, &card));
        }
    }

    #[test]
    fn other_evidence_never_beats_an_exact_name() {
        let now = Timestamp::from_millis(1_000_000);
        let mut exact = fit(&Said::new("Park"), &Card { name: "Park".into(), ..Card::default() }).unwrap();
        boost(&mut exact, now, false, false);
        let mut words = fit(&Said::new("Park"), &Card { last_used: Some(now), ..card() }).unwrap();
        boost(&mut words, now, true, true);
        assert!(exact.score - words.score > 0.05, "{} {}", exact.score, words.score);
        assert_eq!(words.evidence, ["1 of 3 words", "was just mentioned", "used just now", "is in the current scope"]);
        assert!(exact.score <= 1.0);
    }
}
