//! Search: ranks labels by their similarity to a text. A lexical and a semantic head are fitted to the phrases and
//! their probabilities averaged; similarity to single phrases reranks the best labels. Confidence is calibrated on
//! held-out phrases.

pub(crate) mod bulk;
mod calibrate;
pub(crate) mod encoder;
pub(crate) mod features;
pub(crate) mod fixed;
mod fold;
mod fuse;
pub(crate) mod lexical;
mod nearest;
mod ridge;
pub(crate) mod semantic;
mod softmax;
mod svm;

use serde::{Deserialize, Serialize};

pub(crate) use self::calibrate::{Calibration, Signals};
use self::fixed::Fixed;
use self::fuse::Fusion;
use self::lexical::Lexical;
use self::nearest::Nearest;
use self::semantic::Semantic;

/// Maximum number of candidates returned.
pub(crate) const CLOSE: usize = 10;
/// Number of candidates whose phrases are compared.
pub(crate) const NEAR: usize = 4;

/// Training data: one entry for each phrase.
#[derive(Clone, Debug, Default)]
pub(crate) struct Training {
    pub(crate) labels: Vec<u16>,
    pub(crate) words: Vec<Vec<String>>,
    /// `phrases × dim`.
    pub(crate) vectors: Vec<f32>,
    pub(crate) dim: usize,
    /// Training weight of each; below 1 for generated phrases.
    pub(crate) weights: Vec<f32>,
    /// The number of labels.
    pub(crate) count: usize,
}

impl Training {
    fn vector(&self, row: usize) -> &[f32] {
        &self.vectors[row * self.dim..(row + 1) * self.dim]
    }
}

/// Both heads and the phrase vectors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Heads {
    pub(crate) lexical: Lexical,
    semantic: Semantic,
    pub(crate) nearest: Nearest,
}

impl Heads {
    fn fit(training: &Training, rows: &[usize]) -> Self {
        let labels: Vec<u16> = rows.iter().map(|row| training.labels[*row]).collect();
        let weights: Vec<f32> = rows.iter().map(|row| training.weights[*row]).collect();
        let words: Vec<&[String]> = rows.iter().map(|row| training.words[*row].as_slice()).collect();
        let inputs: Vec<f32> = rows.iter().flat_map(|row| training.vector(*row)).copied().collect();
        let (dim, count) = (training.dim, training.count);
        let (lexical, semantic) = std::thread::scope(|scope| {
            let other = scope.spawn(|| Semantic::fit(&inputs, dim, &labels, &weights, count));
            let lexical = Lexical::fit(&words, &labels, &weights, count);
            (lexical, other.join().expect("fitting does not panic"))
        });
        Self { lexical, semantic, nearest: Nearest::new(&inputs, dim, &labels, rows, count) }
    }

    /// The scores of both heads.
    fn look(&self, words: &[String], vector: &Fixed) -> Raw {
        let row = self.lexical.table.row(words);
        Raw {
            lexical: self.lexical.scores(&row),
            semantic: self.semantic.scores(vector),
            known: self.lexical.table.known(words).words,
        }
    }
}

/// Scores of both heads for every label.
#[derive(Clone, Debug)]
struct Raw {
    lexical: Vec<f32>,
    semantic: Vec<f32>,
    known: f32,
}

/// A fitted model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Model {
    pub(crate) heads: Heads,
    fusion: Fusion,
    pub(crate) calibration: Calibration,
}

/// One candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scored {
    pub(crate) label: u16,
    /// Probability among the labels, 0 to 1.
    pub(crate) score: f32,
    /// Raw scores of the heads.
    pub(crate) lexical: f32,
    pub(crate) semantic: f32,
    /// Similarity to its nearest phrase, and which phrase that is; 0 for candidates that were not compared.
    pub(crate) alike: f32,
    pub(crate) phrase: u32,
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The best, best first.
    pub(crate) best: Vec<Scored>,
    /// Probability that the first is right, given that the text is in scope.
    pub(crate) confidence: f32,
    /// Probability that the text is in scope.
    pub(crate) scope: f32,
    /// Whether both were calibrated on enough rows to be probabilities.
    pub(crate) calibrated: bool,
}

impl Model {
    /// Fits a model. `outside` are out-of-scope texts, as words and vectors.
    pub(crate) fn fit(training: &Training, outside: &[(Vec<String>, Vec<f32>)]) -> Self {
        let all: Vec<usize> = (0..training.labels.len()).collect();
        let held = fold::hold_out(training, outside);
        let fusion = Fusion::fit(&held.inside);
        let calibration = Calibration::fit(&fusion, &held);
        Self { heads: Heads::fit(training, &all), fusion, calibration }
    }

    /// Fits the heads to slightly different phrases and keeps the calibration.
    pub(crate) fn refit(&self, training: &Training) -> Self {
        let all: Vec<usize> = (0..training.labels.len()).collect();
        Self { heads: Heads::fit(training, &all), fusion: self.fusion.clone(), calibration: self.calibration.clone() }
    }

    /// The best labels for a text, without excluded ones.
    pub(crate) fn search(&self, words: &[String], vector: &[f32], out: impl Fn(u16) -> bool + Copy) -> Found {
        let vector = &Fixed::of(vector);
        let raw = self.heads.look(words, vector);
        let ranked = self.fusion.ranked(&raw, &self.heads.nearest, vector, out);
        if ranked.best.is_empty() {
            return Found::default();
        }
        let signals = Signals::of(&raw, &ranked);
        let best = ranked.best.iter().map(|(label, near)| {
            let (alike, phrase) = near.unwrap_or((0.0, u32::MAX));
            let at = usize::from(*label);
            let [lexical, semantic] = self.fusion.parts(&raw, at);
            Scored { label: *label, score: round(ranked.scores[at]), lexical, semantic, alike: round(alike), phrase }
        });
        Found {
            best: best.collect(),
            confidence: round(self.calibration.confidence(&signals)),
            scope: round(self.calibration.scope(&signals)),
            calibrated: self.calibration.is_trusted(),
        }
    }
}

/// Rounds away the last digits, which differ between machines, so that decisions do not.
pub(crate) fn round(score: f32) -> f32 {
    (score * 1e4).round() / 1e4
}

/// The labels with the highest scores, without those that score 0.
fn top(scores: &[f32], count: usize) -> Vec<u16> {
    let mut best: Vec<u16> = Vec::with_capacity(count + 1);
    for (label, score) in scores.iter().enumerate() {
        if *score <= 0.0 || (best.len() == count && *score <= scores[usize::from(best[count - 1])]) {
            continue;
        }
        let at = best.partition_point(|other| scores[usize::from(*other)] >= *score);
        best.insert(at, label as u16);
        best.truncate(count);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first_and_ties_keep_their_order() {
        assert_eq!(top(&[0.1, 0.5, 0.0, 0.5, 0.3], 3), [1, 3, 4]);
        assert!(top(&[], 3).is_empty());
    }
}
