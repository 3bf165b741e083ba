//! Finds the values of slots by the words around them: a linear-chain conditional random field, fitted to phrases.
//!
//! Patterns find a value only where a phrase has a slot. This model also finds values in wordings that no phrase has.
//! It is one model for all targets; a text is labelled with the slots of one target. A label's score is a sum over
//! the features of a token (`features`: words, shapes, affixes, known and typed values, the built-in embedding table)
//! and over parts of labels (`lattice`), so that targets and slots learn from each other. Phrases come with slots but
//! without values; variants with generated values are fitted (`case`, `phrases`).
//!
//! Words are embedded by the built-in table even if another encoder is installed: a sentence encoder says little about
//! a single word. Fitting is a fixed sequence of additions and multiplications, so the same phrases give the same
//! bytes on every machine.

mod arithmetic;
mod calibrate;
mod case;
mod features;
mod gazetteer;
mod lattice;
mod learner;
mod phrases;
mod tokens;
mod weights;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use brain_core::{Random as _, SeededRandom};
use brain_slot::Normal;
use serde::{Deserialize, Serialize};

use self::calibrate::Calibration;
use self::case::{Case, Piece, Pools};
use self::features::Features;
use self::gazetteer::Gazetteer;
use self::lattice::{Labels, dense_rows};
use self::learner::Learner;
pub(crate) use self::phrases::{cases, slot_name};
use self::tokens::{Token, tokens};
use self::weights::Weights;

/// Steps of a fit, if that is neither more nor fewer rounds than below.
const STEPS: usize = 60_000;
const LEAST_ROUNDS: usize = 4;
/// Most rounds for utterances with values, and for phrases, whose values are generated.
const MOST_ROUNDS: usize = 40;
const MOST_ROUNDS_OF_PHRASES: usize = 12;
/// Rounds after a small change, and how many unchanged examples are fitted with each changed one.
const ROUNDS_AGAIN: usize = 4;
const OTHERS: usize = 4;
/// Share of values that are replaced in each round, with few examples and with many.
const REPLACED_FEW: f32 = 0.6;
const REPLACED_MANY: f32 = 0.1;
/// Up to this many examples are few.
const FEW: usize = 300;
/// One in this many examples is held out for calibration, and at most so many are fitted and read for it.
const HELD_OUT: usize = 5;
const MOST_FOR_CALIBRATION: usize = 600;
/// With fewer examples, there is no calibration.
const LEAST_FOR_CALIBRATION: usize = 20;
/// The table of sparse weights has `2^BITS` places: about `PLACES_PER_TOKEN` for each token of the examples.
const BITS: std::ops::RangeInclusive<u32> = 14..=21;
const PLACES_PER_TOKEN: usize = 64;
/// Longer utterances are not labelled.
const MAX_TOKENS: usize = 64;

/// An utterance whose values are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labelled {
    /// What it asks for: a number of the caller's.
    pub target: u32,
    /// The utterance.
    pub text: String,
    /// Slots, with the bytes where their values stand.
    pub slots: Vec<(String, Range<usize>)>,
}

/// A value that the model found.
#[derive(Clone, Debug, PartialEq)]
pub struct Span<'a> {
    /// The slot.
    pub slot: &'a str,
    /// Where the value stands, in bytes of the utterance.
    pub range: Range<usize>,
    /// The probability that exactly these words are the slot's value, calibrated.
    pub confidence: f32,
}

/// A fitted model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SequenceModel {
    /// Names of slots.
    slots: Vec<String>,
    /// The slots of each target.
    targets: Vec<Vec<u16>>,
    gazetteer: Gazetteer,
    weights: Weights,
    calibration: Calibration,
}

/// What a model is fitted to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cases {
    pub(crate) slots: Vec<String>,
    pub(crate) targets: Vec<Vec<u16>>,
    pub(crate) cases: Vec<Case>,
    pub(crate) pools: Pools,
    /// Values that are known to belong to a slot, besides those of the cases.
    pub(crate) known: Vec<(u16, Vec<String>)>,
    /// Most rounds of a fit.
    pub(crate) most_rounds: usize,
}

impl SequenceModel {
    /// Fits a model to utterances whose values are known. Variants exchange the values of a slot.
    pub fn fit(examples: &[Labelled]) -> Self {
        Self::of(&labelled(examples))
    }

    /// Fits a model.
    pub(crate) fn of(all: &Cases) -> Self {
        let few: Vec<&Case> = spread(&all.cases, MOST_FOR_CALIBRATION);
        let calibration = if few.len() < LEAST_FOR_CALIBRATION {
            Calibration::default()
        } else {
            let (held, kept): (Vec<_>, Vec<_>) = few.iter().enumerate().partition(|(number, _)| number % HELD_OUT == 0);
            let kept: Vec<&Case> = kept.into_iter().map(|(_, case)| *case).collect();
            let model = Self::without_calibration(all, &kept);
            let mut random = SeededRandom::new(3);
            let mut spans = Vec::new();
            for (_, case) in held {
                let variant = case.variant(&all.pools, 0.0, &mut random);
                for (slot, range, probability) in model.spans(&variant.words, case.target) {
                    spans.push((probability, variant.values.contains(&(slot, range))));
                }
            }
            Calibration::fit(&spans)
        };
        let cases: Vec<&Case> = all.cases.iter().collect();
        Self { calibration, ..Self::without_calibration(all, &cases) }
    }

    /// Fits a model again after a small change of the phrases, beginning with `previous`: `changed` are the numbers of the
    /// cases that are new. `None` if the slots are others.
    pub(crate) fn refit(previous: &Self, all: &Cases, changed: &[usize]) -> Option<Self> {
        if previous.slots != all.slots || previous.targets != all.targets {
            return None;
        }
        let mut found = previous.clone();
        if changed.is_empty() {
            return Some(found);
        }
        let others = spread(&all.cases, changed.len() * OTHERS);
        let cases: Vec<&Case> = changed.iter().map(|number| &all.cases[*number]).chain(others).collect();
        let mut learner = Learner::resume(&previous.weights);
        run(&mut learner, all, &cases, &previous.gazetteer, ROUNDS_AGAIN);
        found.weights = learner.finish();
        Some(found)
    }

    fn without_calibration(all: &Cases, cases: &[&Case]) -> Self {
        let size: usize = cases.iter().flat_map(|case| &case.pieces).map(Piece::len).sum();
        let bits = (size * PLACES_PER_TOKEN).max(1).ilog2().clamp(*BITS.start(), *BITS.end());
        let rounds = (STEPS / cases.len().max(1)).clamp(LEAST_ROUNDS, all.most_rounds);
        let mut learner = Learner::new(bits, dense_rows(all.slots.len()));
        let gazetteer = gazetteer(all, cases);
        run(&mut learner, all, cases, &gazetteer, rounds);
        Self {
            slots: all.slots.clone(),
            targets: all.targets.clone(),
            gazetteer,
            weights: learner.finish(),
            calibration: Calibration::default(),
        }
    }

    /// The values in an utterance that asks for a target. Values do not overlap.
    pub fn read(&self, text: &str, target: u32) -> Vec<Span<'_>> {
        let normal = Normal::new(text);
        let found = self.read_chars(&normal.chars, target).into_iter();
        found.map(|(slot, range, confidence)| Span { slot, range: normal.span(range), confidence }).collect()
    }

    /// The values in folded characters, with their places.
    pub(crate) fn read_chars(&self, chars: &[char], target: u32) -> Vec<(&str, Range<usize>, f32)> {
        let tokens = tokens(chars);
        let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
        let found = self.spans(&words, target).into_iter();
        let found = found.map(|(slot, range, probability)| {
            let place = tokens[range.start].range.start..tokens[range.end - 1].range.end;
            (self.slots[usize::from(slot)].as_str(), place, self.calibration.confidence(probability))
        });
        found.collect()
    }

    /// Values as tokens, with uncalibrated probabilities.
    fn spans(&self, words: &[&str], target: u32) -> Vec<(u16, Range<usize>, f32)> {
        let Some(slots) = self.targets.get(target as usize) else { return Vec::new() };
        if slots.is_empty() || words.is_empty() || words.len() > MAX_TOKENS {
            return Vec::new();
        }
        let labels = Labels { target, slots };
        let features = Features::new(words, &self.gazetteer, &[]);
        let scores = self.weights.scores(labels, &features);
        let best = scores.best();
        let sums = scores.sums();
        let mut found = Vec::new();
        let mut at = 0;
        while at < best.len() {
            let (from, label) = (at, best[at]);
            at += 1;
            if label == 0 {
                continue;
            }
            while best.get(at).is_some_and(|next| *next == label + 1) {
                at += 1;
            }
            found.push((slots[(label - 1) / 2], from..at, sums.of_span(from, at, label)));
        }
        found
    }
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Value { words, .. } => words.len().max(1),
        }
    }
}

/// At most `count` cases, from everywhere.
fn spread(cases: &[Case], count: usize) -> Vec<&Case> {
    let count = count.min(cases.len());
    (0..count).map(|number| &cases[number * cases.len() / count]).collect()
}

fn gazetteer(all: &Cases, cases: &[&Case]) -> Gazetteer {
    let values = cases.iter().flat_map(|case| &case.pieces).filter_map(|piece| match piece {
        Piece::Value { slot, words } if !words.is_empty() => Some((*slot, words)),
        _ => None,
    });
    let values = values.chain(all.known.iter().map(|(slot, words)| (*slot, words)));
    Gazetteer::new(values.map(|(slot, words)| (slot, words.iter().map(String::as_str).collect())))
}

/// Fits rounds of variants; the second half of them is averaged.
fn run(learner: &mut Learner, all: &Cases, cases: &[&Case], gazetteer: &Gazetteer, rounds: usize) {
    let mut random = SeededRandom::new(1);
    let mut order: Vec<usize> = (0..cases.len()).collect();
    let share = if cases.len() <= FEW { REPLACED_FEW } else { REPLACED_MANY };
    for round in 0..rounds {
        for last in (1..order.len()).rev() {
            order.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
        }
        for case in order.iter().map(|at| cases[*at]) {
            let variant = case.variant(&all.pools, share, &mut random);
            let slots = &all.targets[case.target as usize];
            if slots.is_empty() || variant.words.is_empty() || variant.words.len() > MAX_TOKENS {
                continue;
            }
            let mut right = vec![0; variant.words.len()];
            for (slot, range) in &variant.values {
                let Some(at) = slots.iter().position(|other| other == slot) else { continue };
                right[range.clone()].fill(2 + 2 * at);
                right[range.start] = 1 + 2 * at;
            }
            let features = Features::new(&variant.words, gazetteer, &variant.values);
            learner.learn(Labels { target: case.target, slots }, &features, &right);
        }
        if 2 * round >= rounds {
            learner.average();
        }
    }
}

/// Utterances with values as cases.
fn labelled(examples: &[Labelled]) -> Cases {
    let names: BTreeSet<&str> =
        examples.iter().flat_map(|example| &example.slots).map(|(slot, _)| slot.as_str()).collect();
    let number: BTreeMap<&str, u16> = names.iter().enumerate().map(|(number, name)| (*name, number as u16)).collect();
    let count = examples.iter().map(|example| example.target as usize + 1).max().unwrap_or(0);
    let mut of_target = vec![BTreeSet::new(); count];
    let mut all = Cases { pools: vec![Vec::new(); names.len()], most_rounds: MOST_ROUNDS, ..Cases::default() };
    for example in examples {
        let normal = Normal::new(&example.text);
        let mut places: Vec<(u16, Range<usize>)> = example
            .slots
            .iter()
            .map(|(slot, range)| (number[slot.as_str()], normal.position(range.start)..normal.position(range.end)))
            .collect();
        places.sort_by_key(|(_, range)| range.start);
        of_target[example.target as usize].extend(places.iter().map(|(slot, _)| *slot));
        let pieces = pieces(&tokens(&normal.chars), &places);
        for piece in &pieces {
            if let Piece::Value { slot, words } = piece {
                all.pools[usize::from(*slot)].push(words.clone());
            }
        }
        all.cases.push(Case { target: example.target, pieces });
    }
    all.targets = of_target.into_iter().map(|slots| slots.into_iter().collect()).collect();
    all.slots = names.into_iter().map(str::to_owned).collect();
    all
}

/// Tokens as pieces. A token belongs to a value that covers its beginning.
fn pieces(tokens: &[Token], places: &[(u16, Range<usize>)]) -> Vec<Piece> {
    let place_of = |token: &Token| places.iter().position(|(_, range)| range.contains(&token.range.start));
    let mut pieces = Vec::new();
    for same in tokens.chunk_by(|a, b| place_of(a) == place_of(b)) {
        let words = same.iter().map(|token| token.text.clone()).collect();
        pieces.push(match place_of(&same[0]) {
            Some(place) => Piece::Value { slot: places[place].0, words },
            None => Piece::Words(words),
        });
    }
    pieces
}

#[cfg(test)]
mod tests;
