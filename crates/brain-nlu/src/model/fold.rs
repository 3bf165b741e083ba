//! Cross-validation: what a model predicts for phrases it has not seen, and for labels it does not know.

use super::fixed::Fixed;
use super::nearest::Nearest;
use super::svm::Dice;
use super::{Heads, Raw, Training};

/// Up to this many phrases, each is held out once; beyond it, one fold is enough.
const FEW: usize = 2000;
/// Number of folds.
const PARTS: usize = 5;
/// With many phrases, one in this many is held out.
const SHARE: usize = 7;
/// Rounds in which whole labels are held out.
const LABEL_ROUNDS: usize = 3;

/// A held-out text.
pub(super) struct Held {
    pub(super) raw: Raw,
    pub(super) vector: Fixed,
    pub(super) label: u16,
    /// Labels that the model was fitted to.
    pub(super) knew: std::sync::Arc<Vec<bool>>,
    pub(super) nearest: std::sync::Arc<Nearest>,
}

/// Predictions for held-out texts.
#[derive(Default)]
pub(super) struct HeldOut {
    /// Phrases of known labels.
    pub(super) inside: Vec<Held>,
    /// Phrases of unknown labels, and out-of-scope texts.
    pub(super) outside: Vec<Held>,
}

/// Fits models to parts of the phrases and evaluates them on the rest.
pub(super) fn hold_out(training: &Training, outside: &[(Vec<String>, Vec<f32>)]) -> HeldOut {
    let mut held = HeldOut::default();
    let phrases = written(training);
    let few = phrases.len() <= FEW;
    let parts = if few { PARTS } else { SHARE };
    for part in 0..if few { PARTS } else { 1 } {
        let mut out = vec![false; training.labels.len()];
        // Round-robin within each label, so that every fold keeps some of its phrases.
        let mut of_label = vec![0_usize; training.count];
        for row in &phrases {
            let turn = &mut of_label[usize::from(training.labels[*row])];
            out[*row] = *turn % parts == part;
            *turn += 1;
        }
        // A label's only phrase is never held out.
        for row in &phrases {
            if of_label[usize::from(training.labels[*row])] < 2 {
                out[*row] = false;
            }
        }
        let (heads, knew) = fit_without(training, &out);
        let nearest = std::sync::Arc::new(heads.nearest.clone());
        for row in phrases.iter().copied().filter(|row| out[*row]) {
            held.inside.push(read(training, row, &heads, &knew, &nearest));
        }
        if part == 0 {
            for (words, vector) in outside {
                let vector = Fixed::of(vector);
                let raw = heads.look(words, &vector);
                let (knew, nearest) = (knew.clone(), nearest.clone());
                held.outside.push(Held { raw, vector, label: u16::MAX, knew, nearest });
            }
        }
    }
    if training.count < 4 {
        return held;
    }
    let mut order: Vec<u16> = (0..training.count as u16).collect();
    Dice(7).shuffle(&mut order);
    for round in 0..if few { LABEL_ROUNDS } else { 1 } {
        let mut gone = vec![false; training.count];
        order.iter().skip(round).step_by(4).for_each(|label| gone[usize::from(*label)] = true);
        let out: Vec<bool> = training.labels.iter().map(|label| gone[usize::from(*label)]).collect();
        let (heads, knew) = fit_without(training, &out);
        let nearest = std::sync::Arc::new(heads.nearest.clone());
        for row in phrases.iter().copied().filter(|row| out[*row]) {
            held.outside.push(read(training, row, &heads, &knew, &nearest));
        }
    }
    held
}

/// Phrases written by people, in a pseudo-random order.
fn written(training: &Training) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..training.labels.len()).filter(|row| training.weights[*row] >= 1.0).collect();
    Dice(3).shuffle(&mut rows);
    rows
}

fn fit_without(training: &Training, out: &[bool]) -> (Heads, std::sync::Arc<Vec<bool>>) {
    let rows: Vec<usize> = (0..out.len()).filter(|row| !out[*row]).collect();
    let mut knew = vec![false; training.count];
    rows.iter().for_each(|row| knew[usize::from(training.labels[*row])] = true);
    (Heads::fit(training, &rows), std::sync::Arc::new(knew))
}

fn read(
    training: &Training,
    row: usize,
    heads: &Heads,
    knew: &std::sync::Arc<Vec<bool>>,
    nearest: &std::sync::Arc<Nearest>,
) -> Held {
    let vector = Fixed::of(training.vector(row));
    let raw = heads.look(&training.words[row], &vector);
    Held { raw, vector, label: training.labels[row], knew: knew.clone(), nearest: nearest.clone() }
}
