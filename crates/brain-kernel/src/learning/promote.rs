//! Promotion: candidates that passed the gates become phrases, unless a corpus gets worse.

use std::collections::BTreeMap;

use brain_nlu::TaughtPhrase;
use brain_nlu::learn::{
    Blocklist, Candidate, GateResult, Gates, Known, Outcome, OwnedPhrase, State, Teach, candidates, gate, plain, shape,
};
use brain_store::Scope;
use serde::Serialize;

use super::corpora::{Effect, Scale, Words};
use super::records::Changes;
use super::teach::{TaughtRow, put};
use super::turns::Turn;
use crate::error::KernelError;
use crate::kernel::Kernel;

/// The actor of automatic promotions.
const LEARNING: &str = "learning";
/// The length of a run id in text.
const RUN_ID: usize = 36;

/// A candidate and the verdict of the gates.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The candidate, with its state.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// Its success rate, from 0 to 1.
    pub success: f64,
    /// Why it is not a phrase yet.
    pub why: Vec<String>,
}

impl Judged {
    /// Sort key: decidable candidates first, then undecided, then decided ones; the most frequent first.
    pub fn order(&self) -> (u8, std::cmp::Reverse<u32>, &str, &str) {
        let Candidate { seen, phrase, target, .. } = &self.candidate;
        (place(self.candidate.state), std::cmp::Reverse(*seen), phrase, target)
    }
}

/// The outcome of a promotion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Promotion {
    /// The phrase.
    pub phrase: String,
    /// The target.
    pub target: String,
    /// Whether it was promoted, or would be.
    pub promoted: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Kernel {
    /// Candidate phrases: ready ones first, then those to review.
    pub(super) fn judged(&self, scope: &Scope, turns: &[Turn]) -> Result<Vec<Judged>, KernelError> {
        let outcomes: Vec<Outcome> = turns.iter().flat_map(Turn::lessons).collect();
        let taught = self.taught(scope)?;
        let words = self.words(scope)?;
        let phrases = self.owned_phrases(&words.phrases);
        let blocked = Blocklist { entries: words.blocked };
        let alike = |a: &str, b: &str| f64::from(brain_nlu::alike(a, b));
        let mut by_shape: BTreeMap<String, Vec<OwnedPhrase>> = BTreeMap::new();
        for phrase in &phrases {
            by_shape.entry(shape(&phrase.phrase)).or_default().push(phrase.clone());
        }
        let (now, gates) = (self.clock().now(), Gates::default());
        let judge = |mut candidate: Candidate| {
            let same = by_shape.get(&shape(&candidate.phrase)).map_or(&[][..], Vec::as_slice);
            let is_it = |row: &&TaughtRow| {
                row.phrase.target == candidate.target && shape(&row.phrase.text) == shape(&candidate.phrase)
            };
            let own = taught.iter().filter(|row| row.learned).find(is_it);
            let of_packs = same.iter().any(|known| known.target == candidate.target);
            // Similar phrases matter only for frequent candidates: most are rare, and packs have many phrases.
            let phrases = if candidate.turns < gates.seen { same } else { &phrases };
            let known = Known { phrases, blocked: &blocked, alike: &alike };
            let why = match own {
                Some(row) => {
                    candidate.state = State::Promoted;
                    vec![format!("It has been a phrase since {}.", row.at)]
                }
                // An existing phrase of a pack needs no decision.
                _ if of_packs => return None,
                _ => {
                    let verdict = gate(&candidate, now, &gates, &known);
                    candidate.state = verdict.state();
                    match verdict {
                        GateResult::Promote => Vec::new(),
                        GateResult::Wait { why } | GateResult::Review { why } | GateResult::Refuse { why } => why,
                    }
                }
            };
            Some(Judged { success: candidate.success(), candidate, why })
        };
        let mut list: Vec<Judged> = candidates(&outcomes).into_iter().filter_map(judge).collect();
        list.sort_by(|a, b| a.order().cmp(&b.order()));
        Ok(list)
    }

    /// Redacts the personal values of the runs that candidates come from, for people to read.
    pub fn redact_candidates(&self, scope: &Scope, list: &mut [Judged]) -> Result<(), KernelError> {
        let originals: Vec<Candidate> = list.iter().map(|one| one.candidate.clone()).collect();
        for outcome in self.turns(scope)?.iter().flat_map(Turn::lessons) {
            // The turn begins with the id of its run.
            let Some(run) = outcome.turn.get(..RUN_ID).and_then(|text| text.parse().ok()) else { continue };
            for found in candidates(std::slice::from_ref(&outcome)) {
                let is_it = |one: &Candidate| one.phrase == found.phrase && one.target == found.target;
                if let Some(at) = originals.iter().position(is_it) {
                    let shown = &mut list[at].candidate.phrase;
                    *shown = self.redaction_for(scope, run).phrase(shown);
                }
            }
        }
        Ok(())
    }

    /// Promotes every candidate that passed the gates, unless a corpus gets worse. A dry run only returns the outcomes.
    pub fn promote_ready(&self, scope: &Scope, dry_run: bool) -> Result<Vec<Promotion>, KernelError> {
        let scale = Scale::new(self, scope, None)?;
        let mut words = self.words(scope)?;
        let mut done = Vec::new();
        for one in self.judged(scope, &self.turns(scope)?)? {
            let Candidate { phrase, target, state, .. } = one.candidate;
            if state != State::Ready {
                continue;
            }
            let why = match self.try_phrase(&scale, &words, &phrase, &target) {
                Ok(after) => {
                    if !dry_run {
                        self.put_learned(scope, LEARNING, &phrase, &target)?;
                    }
                    // The next one is measured together with this one: two that are fine alone may clash.
                    words = after;
                    None
                }
                Err(why) => Some(why),
            };
            done.push(Promotion { phrase, target, promoted: why.is_none(), why });
        }
        Ok(done)
    }

    /// Promotes a candidate by hand: bypasses the gates, but not the corpora.
    pub fn promote(&self, scope: &Scope, who: &str, phrase: &str, target: &str) -> Result<Promotion, KernelError> {
        let judged = self.judged(scope, &self.turns(scope)?)?;
        let is_it = |one: &&Judged| one.candidate.target == target && one.candidate.phrase == plain(phrase);
        let found = judged.iter().find(is_it).ok_or_else(|| {
            KernelError::Refused(format!(
                "“{phrase}” is not a candidate phrase of {target}; teach it instead, which needs no candidate"
            ))
        })?;
        let phrase = found.candidate.phrase.clone();
        if found.candidate.state == State::Promoted {
            return Err(KernelError::Conflict(format!("“{phrase}” is already a phrase of {target}")));
        }
        let scale = Scale::new(self, scope, None)?;
        self.try_phrase(&scale, &self.words(scope)?, &phrase, target)
            .map_err(|why| KernelError::Conflict(format!("“{phrase}” was not promoted. {why}")))?;
        self.put_learned(scope, who, &phrase, target)?;
        Ok(Promotion { phrase, target: target.to_owned(), promoted: true, why: None })
    }

    /// The phrases with one more, unless that one is invalid or makes a corpus worse.
    fn try_phrase(&self, scale: &Scale<'_>, before: &Words, phrase: &str, target: &str) -> Result<Words, String> {
        match self.check_lesson(phrase, target, before) {
            Teach::Fine | Teach::Near { .. } => {}
            refused => return Err(refused.to_string()),
        }
        let mut after = before.clone();
        after.phrases.push(TaughtPhrase { text: phrase.to_owned(), target: target.to_owned(), actor: None });
        match scale.effect(before, &after) {
            Effect::None => Ok(after),
            Effect::Worse(why) | Effect::Wrong(why) => Err(why),
        }
    }

    fn put_learned(&self, scope: &Scope, who: &str, phrase: &str, target: &str) -> Result<(), KernelError> {
        let phrase = TaughtPhrase { text: phrase.to_owned(), target: target.to_owned(), actor: None };
        let row = TaughtRow { phrase, by: who.to_owned(), at: self.clock().now(), learned: true };
        let mut changes = Changes::default();
        put(self, &mut changes, &row);
        self.commit_learning(scope, changes)?;
        self.note_learning(scope, who, "promote", &format!("“{}” for {target}", row.phrase.text))
    }

    /// Every phrase and title of every target: the most recently taught first, then the packs'.
    pub(super) fn owned_phrases(&self, taught: &[TaughtPhrase]) -> Vec<OwnedPhrase> {
        let owned = |phrase: &str, target: &str| OwnedPhrase { phrase: phrase.to_owned(), target: target.to_owned() };
        let taught = taught.iter().rev().map(|one| owned(&one.text, &one.target));
        let targets = self.vocabulary().targets().iter();
        let of_packs = targets
            .flat_map(|target| target.phrases.iter().chain([&target.title]).map(|phrase| owned(phrase, &target.name)));
        taught.chain(of_packs).collect()
    }
}

fn place(state: State) -> u8 {
    match state {
        State::Ready => 0,
        State::Review => 1,
        State::Gathering => 2,
        State::Promoted => 3,
        State::Rejected => 4,
    }
}
