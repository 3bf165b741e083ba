//! Ridge regression of rows to sentences, solved by conjugate gradients: the sum of a sentence's rows, divided by the
//! root of their number, should be close to the transformer's embedding of the sentence, and each row close to its
//! initial value.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Columns solved together. Each is an independent problem, so threads do not affect the result.
const COLUMNS: usize = 16;
/// Penalty for moving a row.
const STIFFNESS: f32 = 2.0;
const STEPS: usize = 30;

type Block = Vec<[f32; COLUMNS]>;

/// The refitted rows. Rows and targets must have a multiple of 16 components.
pub(super) fn refit(rows: &[Vec<f32>], sentences: &[Vec<usize>], targets: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let dim = rows.first().map_or(0, Vec::len);
    let factors: Vec<f32> = sentences.iter().map(|sentence| 1.0 / (sentence.len().max(1) as f32).sqrt()).collect();
    let problem = Problem { sentences, factors };
    let columns = |list: &[Vec<f32>], at: usize| -> Block {
        list.iter().map(|row| std::array::from_fn(|n| row[at * COLUMNS + n])).collect()
    };
    let scale = problem.scale(rows, targets, columns);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= dim / COLUMNS {
                return done;
            }
            let mut start = columns(rows, at);
            start.as_flattened_mut().iter_mut().for_each(|value| *value *= scale);
            done.push((at, problem.solve(start, centred(columns(targets, at)))));
        }
    };
    let mut fitted = vec![vec![0.0; dim]; rows.len()];
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            for (at, block) in worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)) {
                for (row, values) in fitted.iter_mut().zip(block) {
                    row[at * COLUMNS..][..COLUMNS].copy_from_slice(&values);
                }
            }
        }
    });
    fitted
}

/// Subtracts the mean of all targets.
fn centred(mut targets: Block) -> Block {
    let mut mean = [0.0_f64; COLUMNS];
    for row in &targets {
        mean.iter_mut().zip(row).for_each(|(sum, value)| *sum += f64::from(*value));
    }
    let count = targets.len().max(1) as f64;
    for row in &mut targets {
        row.iter_mut().zip(&mean).for_each(|(value, sum)| *value -= (sum / count) as f32);
    }
    targets
}

struct Problem<'a> {
    sentences: &'a [Vec<usize>],
    factors: Vec<f32>,
}

impl Problem<'_> {
    /// The sentences composed of these rows.
    fn compose(&self, rows: &Block) -> Block {
        let mut composed = vec![[0.0; COLUMNS]; self.sentences.len()];
        for ((sentence, factor), sum) in self.sentences.iter().zip(&self.factors).zip(&mut composed) {
            for piece in sentence {
                sum.iter_mut().zip(&rows[*piece]).for_each(|(sum, value)| *sum += factor * value);
            }
        }
        composed
    }

    /// The transpose of `compose`.
    fn ask(&self, sentences: &Block, pieces: usize) -> Block {
        let mut asked = vec![[0.0; COLUMNS]; pieces];
        for ((sentence, factor), wish) in self.sentences.iter().zip(&self.factors).zip(sentences) {
            for piece in sentence {
                asked[*piece].iter_mut().zip(wish).for_each(|(sum, value)| *sum += factor * value);
            }
        }
        asked
    }

    /// The common factor of all rows that minimises the error.
    fn scale(&self, rows: &[Vec<f32>], targets: &[Vec<f32>], columns: impl Fn(&[Vec<f32>], usize) -> Block) -> f32 {
        let (mut with, mut own) = (0.0, 0.0);
        for at in 0..rows.first().map_or(0, Vec::len) / COLUMNS {
            let composed = self.compose(&columns(rows, at));
            with += inner(&composed, &centred(columns(targets, at))).iter().sum::<f64>();
            own += inner(&composed, &composed).iter().sum::<f64>();
        }
        if own > 0.0 { (with / own) as f32 } else { 1.0 }
    }

    fn solve(&self, start: Block, targets: Block) -> Block {
        let mut left = targets;
        for (left, composed) in left.iter_mut().zip(self.compose(&start)) {
            left.iter_mut().zip(composed).for_each(|(left, composed)| *left -= composed);
        }
        let mut solution = start;
        let mut residual = self.ask(&left, solution.len());
        let mut direction = residual.clone();
        let mut length = inner(&residual, &residual);
        for _ in 0..STEPS {
            let mut image = self.ask(&self.compose(&direction), solution.len());
            add(&mut image, &direction, [STIFFNESS; COLUMNS]);
            let step = ratio(&length, &inner(&direction, &image));
            add(&mut solution, &direction, step);
            add(&mut residual, &image, step.map(|step| -step));
            let now = inner(&residual, &residual);
            let keep = ratio(&now, &length);
            for (direction, residual) in direction.iter_mut().zip(&residual) {
                for n in 0..COLUMNS {
                    direction[n] = residual[n] + keep[n] * direction[n];
                }
            }
            length = now;
        }
        solution
    }
}

/// The dot product of each column.
fn inner(a: &Block, b: &Block) -> [f64; COLUMNS] {
    let mut sums = [0.0; COLUMNS];
    for (a, b) in a.iter().zip(b) {
        for n in 0..COLUMNS {
            sums[n] += f64::from(a[n]) * f64::from(b[n]);
        }
    }
    sums
}

fn ratio(above: &[f64; COLUMNS], below: &[f64; COLUMNS]) -> [f32; COLUMNS] {
    std::array::from_fn(|n| if below[n] > 0.0 { (above[n] / below[n]) as f32 } else { 0.0 })
}

fn add(to: &mut Block, what: &Block, factors: [f32; COLUMNS]) {
    for (to, what) in to.iter_mut().zip(what) {
        for n in 0..COLUMNS {
            to[n] += factors[n] * what[n];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_comes_nearer_to_its_targets_and_leaves_alone_what_nobody_mentions() {
        let row = |x: f32| (0..COLUMNS).map(|n| x * (n as f32 + 1.0)).collect::<Vec<f32>>();
        let rows = vec![row(0.1), row(0.2), row(0.3)];
        let sentences: Vec<Vec<usize>> = (0..50).map(|n| if n % 2 == 0 { vec![0, 1] } else { vec![1] }).collect();
        let targets: Vec<Vec<f32>> = (0..50).map(|n| if n % 2 == 0 { row(0.4) } else { row(-0.4) }).collect();
        let distance = |rows: &[Vec<f32>]| -> f32 {
            let first = |sentence: &Vec<usize>| sentence.iter().map(|piece| rows[*piece][0]).sum::<f32>();
            let both = sentences.iter().zip(&targets);
            both.map(|(sentence, target)| (first(sentence) / (sentence.len() as f32).sqrt() - target[0]).powi(2)).sum()
        };
        let fitted = refit(&rows, &sentences, &targets);
        assert!(distance(&fitted) < 0.1 * distance(&rows), "{} {}", distance(&fitted), distance(&rows));
        let scale = fitted[2][0] / rows[2][0];
        assert!(fitted[2].iter().zip(&rows[2]).all(|(new, old)| (new - scale * old).abs() < 1e-6));
    }
}
