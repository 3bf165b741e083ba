//! Candidates: what people say for a target, and how often it was right.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::{TenantId, Timestamp};
use serde::{Deserialize, Serialize};

use super::outcome::{How, Outcome, turns};

/// Turns of one person that count towards a candidate: the latest ones. A candidate therefore needs several people,
/// and nobody can outvote others by repetition.
pub const TURNS_PER_ACTOR: usize = 3;

/// The state of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not enough evidence yet.
    Gathering,
    /// Passed its gates; the corpora are next.
    Ready,
    /// Needs a decision by a person.
    Review,
    /// Became a phrase.
    Promoted,
    /// Will not become a phrase.
    Rejected,
}

/// A wording that people use for a target and that is not one of its phrases yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The tenant.
    pub tenant: TenantId,
    /// The phrase in canonical form.
    pub phrase: String,
    /// The target.
    pub target: String,
    /// All turns.
    pub turns: u32,
    /// Turns that count: at most [`TURNS_PER_ACTOR`] of each person, all turns of trusted people.
    pub seen: u32,
    /// Turns that count and were right.
    pub succeeded: u32,
    /// Right turns that a person picked or corrected to: the strongest evidence.
    pub chosen: u32,
    /// Turns that count and were corrected to something else.
    pub corrected: u32,
    /// People with right turns.
    pub actors: BTreeSet<String>,
    /// Whether one of them may teach.
    pub trusted: bool,
    /// Time of the first turn.
    pub first_seen: Timestamp,
    /// Time of the latest turn.
    pub last_seen: Timestamp,
    /// Its state.
    pub state: State,
}

impl Candidate {
    /// Success rate, 0 to 1. Explicit choices and corrections count twice.
    pub fn success(&self) -> f64 {
        let right = self.succeeded + self.chosen;
        let all = self.seen + self.chosen + self.corrected;
        if all == 0 { 0.0 } else { f64::from(right) / f64::from(all) }
    }
}

/// The evidence of one turn about one target.
struct Sign<'a> {
    outcome: &'a Outcome,
    right: bool,
    /// Whether a person stated it explicitly.
    said: bool,
}

/// The evidence of a turn about its targets.
fn signs(outcome: &Outcome) -> Vec<(&str, Sign<'_>)> {
    let sign = |right: bool, said: bool| Sign { outcome, right, said };
    let chosen = outcome.chosen.as_deref();
    match outcome.how {
        How::Confirmed | How::Succeeded => chosen.map(|target| (target, sign(true, false))).into_iter().collect(),
        How::Failed => chosen.map(|target| (target, sign(false, false))).into_iter().collect(),
        How::Abandoned => {
            let all = chosen.into_iter().chain(outcome.offered.iter().map(String::as_str));
            let all: BTreeSet<&str> = all.collect();
            all.into_iter().map(|target| (target, sign(false, false))).collect()
        }
        How::Picked => {
            let others = outcome.offered.iter().map(String::as_str).filter(|other| Some(*other) != chosen);
            let others: BTreeSet<&str> = others.collect();
            let picked = chosen.map(|target| (target, sign(true, true)));
            picked.into_iter().chain(others.into_iter().map(|target| (target, sign(false, false)))).collect()
        }
        How::Corrected => {
            let meant = outcome.meant.as_deref();
            let away = chosen.filter(|target| Some(*target) != meant).map(|target| (target, sign(false, true)));
            let to = meant.map(|target| (target, sign(true, true)));
            away.into_iter().chain(to).collect()
        }
    }
}

/// Folds outcomes into candidates, ordered by tenant, phrase and target.
pub fn candidates(outcomes: &[Outcome]) -> Vec<Candidate> {
    let mut signs_of: BTreeMap<(String, String, String), Vec<Sign<'_>>> = BTreeMap::new();
    for outcome in turns(outcomes) {
        let phrase = outcome.phrase();
        if phrase.is_empty() {
            continue;
        }
        for (target, sign) in signs(outcome) {
            let key = (outcome.tenant.as_str().to_owned(), phrase.clone(), target.to_owned());
            signs_of.entry(key).or_default().push(sign);
        }
    }
    let folded = signs_of.into_iter().filter_map(|((_, phrase, target), signs)| candidate(phrase, target, &signs));
    folded.collect()
}

/// One candidate from its evidence, in order of time.
fn candidate(phrase: String, target: String, signs: &[Sign<'_>]) -> Option<Candidate> {
    let (first, last) = (signs.first()?.outcome, signs.last()?.outcome);
    let mut folded = Candidate {
        tenant: first.tenant.clone(),
        phrase,
        target,
        turns: u32::try_from(signs.len()).unwrap_or(u32::MAX),
        seen: 0,
        succeeded: 0,
        chosen: 0,
        corrected: 0,
        actors: BTreeSet::new(),
        trusted: false,
        first_seen: first.at,
        last_seen: last.at,
        state: State::Gathering,
    };
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    for sign in signs.iter().rev() {
        let turns = counted.entry(&sign.outcome.actor).or_default();
        *turns += 1;
        if *turns > TURNS_PER_ACTOR && !sign.outcome.trusted {
            continue;
        }
        folded.seen += 1;
        folded.succeeded += u32::from(sign.right);
        folded.chosen += u32::from(sign.right && sign.said);
        folded.corrected += u32::from(!sign.right && sign.said);
        if sign.right {
            folded.actors.insert(sign.outcome.actor.clone());
            folded.trusted |= sign.outcome.trusted;
        }
    }
    Some(folded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::tests::{by, corrected, outcome};

    fn fold(outcomes: &[Outcome]) -> Vec<(String, u32, u32)> {
        candidates(outcomes).into_iter().map(|one| (one.target, one.seen, one.succeeded)).collect()
    }

    #[test]
    fn a_choice_is_a_success_and_the_others_are_not() {
        let mut picked = outcome("t1", "load the book", "session.load", How::Picked);
        picked.offered = vec!["session.load".into(), "session.open".into()];
        assert_eq!(fold(&[picked.clone()]), [("session.load".into(), 1, 1), ("session.open".into(), 1, 0)]);
        assert_eq!(candidates(&[picked])[0].chosen, 1);
    }

    #[test]
    fn a_correction_counts_against_one_target_and_for_another() {
        let one = corrected("t1", "load the book", "session.open", Some("session.load"), "ann");
        let found = candidates(&[one]);
        assert_eq!((found[0].target.as_str(), found[0].succeeded, found[0].chosen), ("session.load", 1, 1));
        assert_eq!((found[1].target.as_str(), found[1].succeeded, found[1].corrected), ("session.open", 0, 1));
        let only_against = corrected("t1", "load the book", "session.open", None, "ann");
        assert_eq!(fold(&[only_against]), [("session.open".into(), 1, 0)]);
    }

    #[test]
    fn an_abandoned_choice_counts_against_every_option() {
        let mut left = outcome("t1", "load the book", "", How::Abandoned);
        left.chosen = None;
        left.offered = vec!["session.load".into(), "session.open".into()];
        assert_eq!(fold(&[left]), [("session.load".into(), 1, 0), ("session.open".into(), 1, 0)]);
    }

    #[test]
    fn explicit_choices_count_twice() {
        let list = [
            corrected("t1", "load it all", "b.b", Some("a.a"), "ann"),
            by("bob", outcome("t2", "load it all", "a.a", How::Failed)),
        ];
        let candidate = &candidates(&list)[0];
        assert!((candidate.success() - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn only_the_latest_turns_of_a_person_count() {
        let turn = |n: u32, how: How| outcome(&format!("t{n}"), "load it all", "a.a", how);
        let mut list: Vec<Outcome> = (0..50).map(|n| turn(n, How::Failed)).collect();
        list.extend((50..53).map(|n| turn(n, How::Succeeded)));
        for (n, one) in list.iter_mut().enumerate() {
            one.at = Timestamp::from_millis(n as i64);
        }
        let candidate = &candidates(&list)[0];
        assert_eq!((candidate.turns, candidate.seen, candidate.succeeded), (53, 3, 3));
        let trusted: Vec<Outcome> = list.into_iter().map(|one| Outcome { trusted: true, ..one }).collect();
        assert_eq!(candidates(&trusted)[0].seen, 53);
    }

    #[test]
    fn tenants_are_separate_and_politeness_is_ignored() {
        let here = outcome("t1", "Please load it all", "a.a", How::Succeeded);
        let there = Outcome { tenant: "other".parse().unwrap(), ..here.clone() };
        let again = by("bob", outcome("t2", "load it all!", "a.a", How::Succeeded));
        let found = candidates(&[here, there, again]);
        assert_eq!(found.iter().map(|one| one.seen).collect::<Vec<_>>(), [2, 1]);
    }
}
