//! Compares the sums with an enumeration of every sequence.

use super::*;

const LABELS: Labels<'static> = Labels { target: 0, slots: &[0, 1] };
const TOKENS: usize = 4;

fn scores() -> Scores {
    let count = LABELS.len();
    let number = |seed: usize| ((seed * 7919 + 13) % 101) as f32 / 30.0 - 1.5;
    let mut transitions = Vec::new();
    for before in (0..count).map(Some).chain([None]) {
        for label in 0..count {
            let score = number(before.map_or(77, |before| before * 11) + label);
            transitions.push(if Labels::may_follow(before, label) { score } else { f32::NEG_INFINITY });
        }
    }
    Scores { labels: count, emissions: (0..TOKENS * count).map(|at| number(at + 500)).collect(), transitions }
}

/// Every sequence with its weight.
fn every(scores: &Scores) -> Vec<(Vec<usize>, f64)> {
    let count = scores.labels;
    let mut all = vec![(Vec::new(), 0.0_f64)];
    for token in 0..TOKENS {
        let longer = all.into_iter().flat_map(|(path, sum): (Vec<usize>, f64)| {
            (0..count).map(move |label| {
                let before = path.last().map_or(count, |before| *before);
                let step = scores.transitions[before * count + label] + scores.emissions[token * count + label];
                let mut path = path.clone();
                path.push(label);
                (path, sum + f64::from(step))
            })
        });
        all = longer.filter(|(_, sum)| sum.is_finite()).collect();
    }
    let total: f64 = all.iter().map(|(_, sum)| sum.exp()).sum();
    all.into_iter().map(|(path, sum)| (path, sum.exp() / total)).collect()
}

#[test]
fn the_best_sequence_is_the_most_likely_one() {
    let scores = scores();
    let all = every(&scores);
    let best = all.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert_eq!(scores.best(), best.0);
}

#[test]
fn probabilities_are_those_of_all_sequences() {
    let scores = scores();
    let (sums, all) = (scores.sums(), every(&scores));
    let share =
        |test: &dyn Fn(&[usize]) -> bool| all.iter().filter(|(path, _)| test(path)).map(|(_, p)| p).sum::<f64>();
    for label in 0..scores.labels {
        for token in 0..TOKENS {
            let exact = share(&|path| path[token] == label);
            assert!((f64::from(sums.of(token, label)) - exact).abs() < 1e-4);
        }
        for next in 0..scores.labels {
            let exact = share(&|path| path[1] == label && path[2] == next);
            assert!((f64::from(sums.of_pair(1, label, next)) - exact).abs() < 1e-4);
        }
    }
    for (from, to) in [(0, 1), (0, 3), (1, 3), (2, 4), (0, 4)] {
        let is_span = |path: &[usize]| {
            path[from] == 3 && path[from + 1..to].iter().all(|label| *label == 4) && path.get(to) != Some(&4)
        };
        let exact = share(&is_span);
        assert!((f64::from(sums.of_span(from, to, 3)) - exact).abs() < 1e-4, "{from}..{to}");
    }
}

#[test]
fn a_value_goes_on_only_where_one_began() {
    assert!(!Labels::may_follow(None, 2) && !Labels::may_follow(Some(0), 2) && !Labels::may_follow(Some(3), 2));
    assert!(Labels::may_follow(Some(1), 2) && Labels::may_follow(Some(2), 2) && Labels::may_follow(Some(2), 1));
}
