//! The labels of one target and what the model says of them: the best sequence, and probabilities by the
//! forward-backward algorithm.
//!
//! Label 0 is "no slot". Slot `k` of the target has the labels `1 + 2k` (its value begins here) and `2 + 2k` (its value
//! goes on). A label's score is a sum of parts that labels share, so that few examples go far: that a value of any slot
//! begins after "called" is learned once.

use super::arithmetic::exp;

/// The slots that a target may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Labels<'a> {
    pub(super) target: u32,
    pub(super) slots: &'a [u16],
}

/// Parts with a dense row: no slot, begins, goes on.
const GENERAL: usize = 3;
/// Dense rows of a slot: begins, goes on, either.
const OF_SLOT: usize = 3;

pub(super) fn dense_rows(slots: usize) -> usize {
    GENERAL + OF_SLOT * slots
}

impl Labels<'_> {
    /// The number of labels.
    pub(super) fn len(&self) -> usize {
        1 + 2 * self.slots.len()
    }

    pub(super) fn parts(&self) -> usize {
        1 + GENERAL + OF_SLOT * self.slots.len()
    }

    /// The parts of a label, with [`Labels::parts`] as their number.
    pub(super) fn of(&self, label: usize) -> [Option<usize>; 3] {
        if label == 0 {
            return [Some(0), Some(GENERAL), None];
        }
        let (slot, goes_on) = ((label - 1) / 2, (label - 1) % 2);
        let first = 1 + GENERAL + OF_SLOT * slot;
        [Some(1 + goes_on), Some(first + goes_on), Some(first + 2)]
    }

    /// The key of a part, by which its weights are found.
    pub(super) fn key(&self, part: usize) -> u32 {
        match self.dense_row(part) {
            Some(row) => row as u32,
            // No slot, in this target.
            None => 0x8000_0000 | self.target,
        }
    }

    /// The dense row of a part.
    pub(super) fn dense_row(&self, part: usize) -> Option<usize> {
        match part {
            0..GENERAL => Some(part),
            GENERAL => None,
            part => {
                let (slot, which) = ((part - GENERAL - 1) / OF_SLOT, (part - GENERAL - 1) % OF_SLOT);
                Some(GENERAL + OF_SLOT * usize::from(self.slots[slot]) + which)
            }
        }
    }

    /// Whether a label may follow another (`None`: the beginning).
    pub(super) fn may_follow(before: Option<usize>, label: usize) -> bool {
        let goes_on = label > 0 && label.is_multiple_of(2);
        !goes_on || before.is_some_and(|before| before == label || before == label - 1)
    }

    /// The keys of the weights of a transition.
    pub(super) fn transition(&self, before: Option<usize>, label: usize) -> [(u32, u32); 3] {
        let kind = |label: usize| if label == 0 { 0 } else { 2 - (label as u32 % 2) };
        let own = |label: usize| self.key(self.of(label)[1].expect("each label has two parts"));
        let of = match before {
            None => 9,
            // The same slot again, or going on.
            Some(before) if label > 0 && before > 0 && (before - 1) / 2 == (label - 1) / 2 => 4 + kind(before),
            Some(before) => kind(before),
        };
        let before = before.map_or(9, own);
        [(0x0a00 + of, 0x4000_0000 + kind(label)), (0x0b00 + of, own(label)), (before ^ 0x2000_0000, own(label))]
    }
}

/// Scores of the labels of an utterance.
#[derive(Clone, Debug)]
pub(super) struct Scores {
    pub(super) labels: usize,
    /// `tokens × labels`.
    pub(super) emissions: Vec<f32>,
    /// `labels × labels`, then one row for the beginning. Negative infinity where a label may not follow.
    pub(super) transitions: Vec<f32>,
}

impl Scores {
    fn tokens(&self) -> usize {
        self.emissions.len() / self.labels
    }

    fn of(&self, token: usize) -> &[f32] {
        &self.emissions[token * self.labels..(token + 1) * self.labels]
    }

    fn start(&self) -> &[f32] {
        &self.transitions[self.labels * self.labels..]
    }

    /// The best sequence of labels.
    pub(super) fn best(&self) -> Vec<usize> {
        let (labels, tokens) = (self.labels, self.tokens());
        if tokens == 0 {
            return Vec::new();
        }
        let mut scores: Vec<f32> = self.start().iter().zip(self.of(0)).map(|(start, score)| start + score).collect();
        let mut from = vec![0; labels * tokens];
        for token in 1..tokens {
            let mut next = vec![f32::NEG_INFINITY; labels];
            for (before, score) in scores.iter().enumerate() {
                for label in 0..labels {
                    let sum = score + self.transitions[before * labels + label];
                    if sum > next[label] {
                        next[label] = sum;
                        from[token * labels + label] = before;
                    }
                }
            }
            next.iter_mut().zip(self.of(token)).for_each(|(next, score)| *next += score);
            scores = next;
        }
        // The first of equals.
        let best = (0..labels).rev().max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0);
        let mut path = vec![best; tokens];
        for token in (1..tokens).rev() {
            path[token - 1] = from[token * labels + path[token]];
        }
        path
    }

    /// Probabilities of all sequences together.
    pub(super) fn sums(&self) -> Sums {
        let (labels, tokens) = (self.labels, self.tokens());
        let mut found = Sums {
            labels,
            emissions: Vec::with_capacity(self.emissions.len()),
            transitions: self
                .transitions
                .iter()
                .map(|score| if *score == f32::NEG_INFINITY { 0.0 } else { exp(*score) })
                .collect(),
            forward: vec![0.0; labels * tokens],
            backward: vec![1.0; labels * tokens],
            totals: vec![0.0; tokens],
        };
        for token in 0..tokens {
            let largest = self.of(token).iter().fold(f32::MIN, |largest, score| largest.max(*score));
            found.emissions.extend(self.of(token).iter().map(|score| exp(score - largest)));
        }
        found.run(tokens);
        found
    }
}

/// What the forward-backward algorithm computes, scaled at each token.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    labels: usize,
    emissions: Vec<f32>,
    transitions: Vec<f32>,
    forward: Vec<f32>,
    backward: Vec<f32>,
    totals: Vec<f32>,
}

impl Sums {
    fn run(&mut self, tokens: usize) {
        let labels = self.labels;
        for token in 0..tokens {
            let (done, now) = self.forward.split_at_mut(token * labels);
            let now = &mut now[..labels];
            if token == 0 {
                now.copy_from_slice(&self.transitions[labels * labels..]);
            } else {
                for (before, row) in done[(token - 1) * labels..].iter().zip(self.transitions.chunks_exact(labels)) {
                    now.iter_mut().zip(row).for_each(|(now, step)| *now += before * step);
                }
            }
            now.iter_mut().zip(&self.emissions[token * labels..]).for_each(|(now, score)| *now *= score);
            let total = now.iter().sum::<f32>().max(1e-30);
            now.iter_mut().for_each(|now| *now /= total);
            self.totals[token] = total;
        }
        let mut ahead = vec![0.0; labels];
        for token in (0..tokens.saturating_sub(1)).rev() {
            for (label, ahead) in ahead.iter_mut().enumerate() {
                *ahead = self.ahead(token, label);
            }
            for (label, row) in self.transitions.chunks_exact(labels).take(labels).enumerate() {
                let sum: f32 = row.iter().zip(&ahead).map(|(step, ahead)| step * ahead).sum();
                self.backward[token * labels + label] = sum;
            }
        }
    }

    /// What comes from the token after this one, if it has this label.
    fn ahead(&self, token: usize, label: usize) -> f32 {
        let at = (token + 1) * self.labels + label;
        self.emissions[at] * self.backward[at] / self.totals[token + 1]
    }

    /// The probability that a token has a label.
    pub(super) fn of(&self, token: usize, label: usize) -> f32 {
        self.forward[token * self.labels + label] * self.backward[token * self.labels + label]
    }

    /// The probability that a token has a label and the next token another.
    pub(super) fn of_pair(&self, token: usize, label: usize, next: usize) -> f32 {
        self.forward[token * self.labels + label]
            * self.transitions[label * self.labels + next]
            * self.ahead(token, next)
    }

    /// The probability that exactly these tokens are the value of a slot, which begins with this label.
    pub(super) fn of_span(&self, from: usize, to: usize, begins: usize) -> f32 {
        let (labels, goes_on) = (self.labels, begins + 1);
        let mut found = self.forward[from * labels + begins];
        let mut label = begins;
        for token in from..to - 1 {
            found *= self.transitions[label * labels + goes_on] * self.emissions[(token + 1) * labels + goes_on]
                / self.totals[token + 1];
            label = goes_on;
        }
        if (to * labels) == self.emissions.len() {
            return found;
        }
        let ends = (0..labels).filter(|next| *next != goes_on);
        found * ends.map(|next| self.transitions[label * labels + next] * self.ahead(to - 1, next)).sum::<f32>()
    }
}

#[cfg(test)]
mod tests;
