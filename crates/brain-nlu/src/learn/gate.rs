//! The gates that a candidate passes before it may become a phrase.

use brain_core::{Millis, Timestamp};
use serde::{Deserialize, Serialize};

use super::blocklist::Blocklist;
use super::candidate::{Candidate, State};
use super::phrase::{same, stop_share, words};

/// Minimum evidence for a new phrase.
#[derive(Clone, Debug, PartialEq)]
pub struct Gates {
    /// Minimum and maximum number of words. Shorter phrases match too much, longer ones too little.
    pub words: (usize, usize),
    /// Maximum share of function words.
    pub stop_share: f64,
    /// Minimum number of turns that count.
    pub seen: u32,
    /// Minimum success rate.
    pub success: f64,
    /// Minimum age: a burst in one afternoon is not a habit.
    pub age: Millis,
    /// Similarity to another target's phrase that counts as a collision.
    pub collision: f64,
    /// Minimum number of people, unless one of them is trusted.
    pub actors: usize,
}

impl Default for Gates {
    fn default() -> Self {
        Self {
            words: (3, 15),
            stop_share: 0.70,
            seen: 5,
            success: 0.80,
            age: Millis::from_secs(24 * 60 * 60),
            collision: 0.92,
            actors: 2,
        }
    }
}

/// A phrase and the target it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnedPhrase {
    /// The phrase.
    pub phrase: String,
    /// The target.
    pub target: String,
}

/// The phrases and blocks that exist.
pub struct Known<'a> {
    /// Every phrase of every target.
    pub phrases: &'a [OwnedPhrase],
    /// Blocked phrases.
    pub blocked: &'a Blocklist,
    /// Similarity of two phrases, 0 to 1.
    pub alike: &'a dyn Fn(&str, &str) -> f64,
}

impl Known<'_> {
    /// An equivalent phrase: equal except for politeness and slot names.
    pub(super) fn same(&self, phrase: &str) -> Option<&OwnedPhrase> {
        self.phrases.iter().find(|known| same(&known.phrase, phrase))
    }

    /// The most similar phrase of another target, and its similarity.
    pub(super) fn nearest_other(&self, phrase: &str, target: &str) -> Option<(&OwnedPhrase, f64)> {
        let others = self.phrases.iter().filter(|known| known.target != target);
        let scored = others.map(|known| (known, (self.alike)(phrase, &known.phrase)));
        scored.max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.phrase.cmp(&a.0.phrase)))
    }
}

/// The result of the gates, with reasons in plain sentences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum GateResult {
    /// It may become a phrase if no corpus gets worse.
    Promote,
    /// More time and turns may settle it.
    Wait { why: Vec<String> },
    /// A person must decide.
    Review { why: Vec<String> },
    /// It cannot be promoted automatically.
    Refuse { why: Vec<String> },
}

impl GateResult {
    /// The state of a candidate with this verdict.
    pub fn state(&self) -> State {
        match self {
            Self::Promote => State::Ready,
            Self::Wait { .. } => State::Gathering,
            Self::Review { .. } => State::Review,
            Self::Refuse { .. } => State::Rejected,
        }
    }
}

/// Applies the gates to a candidate. Permanent defects are refused, missing evidence waits, and judgement calls go to
/// a person.
pub fn gate(candidate: &Candidate, now: Timestamp, gates: &Gates, known: &Known<'_>) -> GateResult {
    let refuse = shape(candidate, gates, known);
    if !refuse.is_empty() {
        return GateResult::Refuse { why: refuse };
    }
    let wait = patience(candidate, now, gates);
    if !wait.is_empty() {
        return GateResult::Wait { why: wait };
    }
    let review = doubts(candidate, gates, known);
    if review.is_empty() { GateResult::Promote } else { GateResult::Review { why: review } }
}

/// Permanent defects.
fn shape(candidate: &Candidate, gates: &Gates, known: &Known<'_>) -> Vec<String> {
    let mut why = Vec::new();
    let (fewest, most) = gates.words;
    let count = words(&candidate.phrase).len();
    if count < fewest {
        why.push(format!("It has {count} words; phrases with fewer than {fewest} match too much."));
    } else if count > most {
        why.push(format!("It has {count} words; phrases with more than {most} match only themselves."));
    }
    let share = stop_share(&candidate.phrase);
    if share >= gates.stop_share {
        why.push(format!("{} % of its words say nothing about what is asked for.", percent(share)));
    }
    if known.same(&candidate.phrase).is_some_and(|phrase| phrase.target == candidate.target) {
        why.push(format!("It is already a phrase of `{}`.", candidate.target));
    }
    if let Some(blocked) = known.blocked.blocks(&candidate.phrase, &candidate.target, known.alike) {
        why.push(format!("{} blocked “{}” for it: {}", blocked.by, blocked.phrase, blocked.why));
    }
    why
}

/// Missing evidence.
fn patience(candidate: &Candidate, now: Timestamp, gates: &Gates) -> Vec<String> {
    let mut why = Vec::new();
    if candidate.turns < gates.seen {
        let times = if candidate.turns == 1 { "once".to_owned() } else { format!("{} times", candidate.turns) };
        why.push(format!("It was used {times}; it needs at least {} uses.", gates.seen));
    }
    let age = now.since(candidate.first_seen);
    if age < gates.age {
        let ago = match hours(age) {
            0 => "less than an hour".to_owned(),
            1 => "an hour".to_owned(),
            several => format!("{several} hours"),
        };
        why.push(format!("It was first used {ago} ago; it needs at least {} hours.", hours(gates.age)));
    }
    why
}

/// Judgement calls for a person.
fn doubts(candidate: &Candidate, gates: &Gates, known: &Known<'_>) -> Vec<String> {
    let mut why = Vec::new();
    let people = candidate.actors.len();
    if !candidate.trusted && people < gates.actors {
        let who = match people {
            0 => "Nobody used it successfully".to_owned(),
            1 => "Only one person uses it".to_owned(),
            n => format!("Only {n} people use it"),
        };
        why.push(format!("{who}; it needs {}, or one who is trusted to teach.", gates.actors));
    } else if candidate.seen < gates.seen {
        why.push(format!(
            "It was used {} times, but mostly by the same people: {} uses count; it needs at least {}.",
            candidate.turns, candidate.seen, gates.seen
        ));
    }
    if candidate.success() < gates.success {
        let (got, least) = (percent(candidate.success()), percent(gates.success));
        why.push(format!("It was right in {got} % of its uses; it needs at least {least} %."));
    }
    if let Some(owner) = known.same(&candidate.phrase).filter(|phrase| phrase.target != candidate.target) {
        why.push(format!("It is a phrase of `{}`.", owner.target));
    } else if let Some((other, alike)) = known.nearest_other(&candidate.phrase, &candidate.target)
        && alike >= gates.collision
    {
        why.push(format!("It is too similar to “{}” of `{}` ({alike:.2}).", other.phrase, other.target));
    }
    why
}

fn percent(share: f64) -> u32 {
    // A share is between 0 and 1: the cast cannot truncate.
    (share * 100.0).floor() as u32
}

fn hours(length: Millis) -> u64 {
    length.0 / 3_600_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::Blocked;

    const DAY: i64 = 86_400_000;

    fn candidate() -> Candidate {
        Candidate {
            tenant: "acme".parse().unwrap(),
            phrase: "spin up a fund for {name}".into(),
            target: "fund.create".into(),
            turns: 6,
            seen: 5,
            succeeded: 5,
            chosen: 0,
            corrected: 0,
            actors: ["ann".to_owned(), "bob".to_owned()].into(),
            trusted: false,
            first_seen: Timestamp::from_millis(0),
            last_seen: Timestamp::from_millis(DAY),
            state: State::Gathering,
        }
    }

    fn decide(candidate: &Candidate, now: i64) -> GateResult {
        let owned = |phrase: &str, target: &str| OwnedPhrase { phrase: phrase.into(), target: target.into() };
        let phrases = [owned("create a fund called {name}", "fund.create"), owned("close the fund", "fund.close")];
        let blocked = Blocklist {
            entries: vec![Blocked {
                phrase: "square the books today".into(),
                target: "fund.create".into(),
                why: "too generic".into(),
                by: "ann".into(),
                at: Timestamp::default(),
            }],
        };
        let alike =
            |a: &str, b: &str| if a == b || (a.starts_with("shut") && b.starts_with("close")) { 0.95 } else { 0.3 };
        gate(
            candidate,
            Timestamp::from_millis(now),
            &Gates::default(),
            &Known { phrases: &phrases, blocked: &blocked, alike: &alike },
        )
    }

    fn why(verdict: GateResult) -> String {
        match verdict {
            GateResult::Promote => String::new(),
            GateResult::Wait { why } => format!("wait: {}", why.join(" ")),
            GateResult::Review { why } => format!("review: {}", why.join(" ")),
            GateResult::Refuse { why } => format!("refuse: {}", why.join(" ")),
        }
    }

    #[test]
    fn a_good_candidate_is_promoted() {
        assert_eq!(decide(&candidate(), DAY), GateResult::Promote);
        assert_eq!(GateResult::Promote.state(), State::Ready);
    }

    #[test]
    fn young_and_rare_candidates_wait() {
        assert_eq!(
            why(decide(&candidate(), DAY - 1)),
            "wait: It was first used 23 hours ago; it needs at least 24 hours."
        );
        let rare = Candidate { turns: 4, seen: 4, ..candidate() };
        assert_eq!(why(decide(&rare, DAY)), "wait: It was used 4 times; it needs at least 5 uses.");
    }

    #[test]
    fn permanent_defects_are_refused() {
        let with = |phrase: &str| why(decide(&Candidate { phrase: phrase.into(), ..candidate() }, DAY));
        assert_eq!(with("spin up"), "refuse: It has 2 words; phrases with fewer than 3 match too much.");
        assert!(with(&"spin ".repeat(16)).starts_with("refuse: It has 16 words"));
        assert!(with("what is it that you do").starts_with("refuse: 100 % of its words say nothing"));
        assert_eq!(with("create a fund called {x}"), "refuse: It is already a phrase of `fund.create`.");
        assert_eq!(with("square the books today"), "refuse: ann blocked “square the books today” for it: too generic");
    }

    #[test]
    fn judgement_calls_go_to_a_person() {
        let review = |candidate: Candidate| why(decide(&candidate, DAY));
        let alone = Candidate { actors: ["ann".to_owned()].into(), ..candidate() };
        assert!(review(alone.clone()).starts_with("review: Only one person uses it; it needs 2"));
        assert_eq!(review(Candidate { trusted: true, ..alone }), "", "someone who is trusted is enough");
        let few = Candidate { turns: 40, seen: 4, succeeded: 4, ..candidate() };
        assert!(review(few).starts_with("review: It was used 40 times, but mostly by the same people"));
        let unsure = Candidate { succeeded: 3, ..candidate() };
        assert_eq!(review(unsure), "review: It was right in 60 % of its uses; it needs at least 80 %.");
        let near = Candidate { phrase: "shut down the fund".into(), ..candidate() };
        assert_eq!(review(near), "review: It is too similar to “close the fund” of `fund.close` (0.95).");
        let theirs = Candidate { phrase: "close the fund".into(), ..candidate() };
        assert_eq!(review(theirs), "review: It is a phrase of `fund.close`.");
    }
}
