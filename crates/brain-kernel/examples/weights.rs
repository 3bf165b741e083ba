//! Fits the weights of `brain-nlu/src/read/rank/weights.rs` to the corpora of `packs` and `benches/fit`, and prints them:
//!
//! ```text
//! cargo run --release -p brain-kernel --example weights
//! ```
//!
//! It also prints how weights that were fitted to all other packs read each pack. Plain gradient descent on 64-bit numbers,
//! rounded to three decimals: every machine prints the same.
#![allow(clippy::unwrap_used, reason = "it may stop at the first thing that is not as expected")]
#![expect(clippy::print_stdout, reason = "printing is its purpose")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use brain_kernel::LanguageConfig;
use brain_kernel::scenario::corpus::{Grade, score_rows};
use brain_kernel::scenario::corpus_vocabulary;
use brain_nlu::{Intent, Understanding};
use brain_registry::Registry;
use brain_registry::model::{CorpusSet, Expectation};

/// Weight of the square of the weights, when readings are ranked, judged, and worth a question.
const SHRINK: [f64; 3] = [0.003, 0.001, 0.01];
/// Weight of an utterance that asks for nothing, beside one that asks for something.
const NOTHING: f64 = 3.0;

/// One utterance.
struct Case {
    readings: Vec<Reading>,
    /// Whether a single request is expected.
    wanted: bool,
    /// Whether nothing is.
    nothing: bool,
}

struct Reading {
    features: Vec<f64>,
    /// Whether the target is right, and whether all of it is.
    target: bool,
    right: bool,
    wrong: bool,
    may_act: bool,
}

/// The limits for which the readings acted on are counted.
const LIMITS: [f64; 6] = [0.5, 0.6, 0.7, 0.75, 0.85, 0.92];

fn main() {
    let packs: Vec<(String, Vec<Case>)> =
        folders().into_iter().map(|folder| (name_of(&folder), cases(&folder))).collect();
    // How weights that never saw a pack read it.
    let mut sums = [[0; 3]; LIMITS.len()];
    for (left_out, (name, test)) in packs.iter().enumerate() {
        let others = packs.iter().enumerate().filter(|(at, _)| *at != left_out);
        let train: Vec<&Case> = others.flat_map(|(_, (_, cases))| cases).collect();
        let found = acted(&Weights::fit(&train), &test.iter().collect::<Vec<_>>());
        println!("{name}, fitted to the others: {}", list_of(&found));
        for (sum, found) in sums.iter_mut().zip(&found) {
            sum.iter_mut().zip(found).for_each(|(sum, found)| *sum += found);
        }
    }
    println!("sum: {}", list_of(&sums));
    let all: Vec<&Case> = packs.iter().flat_map(|(_, cases)| cases).collect();
    let weights = Weights::fit(&all);
    println!("all, fitted to all: {}", list_of(&acted(&weights, &all)));
    for (name, list) in [("RANK", &weights.rank), ("ACT", &weights.act), ("ASK", &weights.ask)] {
        let list: Vec<String> = list.iter().map(|weight| format!("{:?}", rounded(*weight))).collect();
        println!("pub(super) const {name}: &[f32] = &[{}];", list.join(", "));
    }
}

/// The packs whose corpora the weights are fitted to.
fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let fit = std::fs::read_dir(root.join("benches/fit")).unwrap().map(|entry| entry.unwrap().path());
    let mut fit: Vec<PathBuf> = fit.filter(|path| path.is_dir()).collect();
    fit.sort();
    ["packs/trades", "packs/desk"].iter().map(|pack| root.join(pack)).chain(fit).collect()
}

fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap().to_string_lossy().into_owned()
}

/// For each limit: how many readings are acted on, how many of them are right, and how many wrong.
fn acted(weights: &Weights, cases: &[&Case]) -> [[usize; 3]; LIMITS.len()] {
    LIMITS.map(|limit| {
        let acted = || cases.iter().filter(|case| case.acts(weights, limit)).map(|case| case.first(weights));
        [acted().count(), acted().filter(|one| one.right).count(), acted().filter(|one| one.wrong).count()]
    })
}

fn list_of(found: &[[usize; 3]; LIMITS.len()]) -> String {
    let one =
        |(limit, [all, right, wrong]): (&f64, &[usize; 3])| format!("at {limit} {all} = {right} right + {wrong} wrong");
    LIMITS.iter().zip(found).map(one).collect::<Vec<_>>().join("; ")
}

/// A weight with three decimals, without a negative zero.
fn rounded(weight: f64) -> f64 {
    (weight * 1000.0).round() / 1000.0 + 0.0
}

struct Weights {
    rank: Vec<f64>,
    act: Vec<f64>,
    ask: Vec<f64>,
}

impl Weights {
    fn fit(cases: &[&Case]) -> Self {
        let mut found = Self { rank: rank(cases), act: Vec::new(), ask: Vec::new() };
        let act: Vec<_> = cases.iter().map(|case| (case.outlook(&found), case.first(&found).right, 1.0)).collect();
        let clear = cases.iter().filter(|case| case.wanted || case.nothing);
        let ask: Vec<_> =
            clear.map(|case| (case.outlook(&found), !case.nothing, if case.nothing { NOTHING } else { 1.0 })).collect();
        found.act = logistic(&act, SHRINK[1]);
        found.ask = logistic(&ask, SHRINK[2]);
        found
    }
}

impl Case {
    /// The readings with their probabilities, best first.
    fn ranked(&self, weights: &Weights) -> Vec<(f64, f64, &Reading)> {
        let scores: Vec<f64> = self.readings.iter().map(|one| dot(&weights.rank, &one.features)).collect();
        let top = scores.iter().copied().fold(f64::MIN, f64::max);
        let all: f64 = scores.iter().map(|score| (score - top).exp()).sum();
        let mut list: Vec<_> =
            scores.iter().zip(&self.readings).map(|(score, one)| ((score - top).exp() / all, *score, one)).collect();
        list.sort_by(|a, b| b.0.total_cmp(&a.0));
        list
    }

    fn first(&self, weights: &Weights) -> &Reading {
        self.ranked(weights)[0].2
    }

    /// The features of the whole list, as in `brain-nlu`.
    fn outlook(&self, weights: &Weights) -> Vec<f64> {
        let list = self.ranked(weights);
        let mut features = list[0].2.features.clone();
        features.extend([list[0].0, list.get(1).map_or(0.0, |second| second.0), list[0].1 / 5.0, 1.0]);
        features
    }

    fn acts(&self, weights: &Weights, limit: f64) -> bool {
        self.first(weights).may_act && sigmoid(dot(&weights.act, &self.outlook(weights))) >= limit
    }
}

/// Weights with which the right target has the highest score.
fn rank(cases: &[&Case]) -> Vec<f64> {
    let both =
        |case: &&&Case| case.readings.iter().any(|one| one.target) && case.readings.iter().any(|one| !one.target);
    let cases: Vec<&&Case> = cases.iter().filter(both).collect();
    let size = cases[0].readings[0].features.len();
    descend(size, 1500, |weights, slope| {
        shrink(weights, slope, SHRINK[0], size);
        for case in &cases {
            let scores: Vec<f64> = case.readings.iter().map(|one| dot(weights, &one.features)).collect();
            let top = scores.iter().copied().fold(f64::MIN, f64::max);
            let parts: Vec<f64> = scores.iter().map(|score| (score - top).exp()).collect();
            let all: f64 = parts.iter().sum();
            let good: f64 = parts.iter().zip(&case.readings).filter(|(_, one)| one.target).map(|(part, _)| part).sum();
            for (part, one) in parts.iter().zip(&case.readings) {
                let off = part / all - if one.target { part / good } else { 0.0 };
                add(slope, &one.features, off / cases.len() as f64);
            }
        }
    })
}

/// Weights with which a sum says how probable something is; the last feature is constant.
fn logistic(rows: &[(Vec<f64>, bool, f64)], strength: f64) -> Vec<f64> {
    let size = rows[0].0.len();
    let all: f64 = rows.iter().map(|(_, _, weight)| weight).sum();
    descend(size, 3000, |weights, slope| {
        shrink(weights, slope, strength, size - 1);
        for (features, is, weight) in rows {
            let off = sigmoid(dot(weights, features)) - f64::from(u8::from(*is));
            add(slope, features, weight * off / all);
        }
    })
}

fn descend(size: usize, steps: usize, mut slope_at: impl FnMut(&[f64], &mut [f64])) -> Vec<f64> {
    let (mut weights, mut speed) = (vec![0.0; size], vec![0.0; size]);
    for _ in 0..steps {
        let mut slope = vec![0.0; size];
        slope_at(&weights, &mut slope);
        for ((weight, speed), slope) in weights.iter_mut().zip(&mut speed).zip(&slope) {
            *speed = 0.9 * *speed - 0.3 * slope;
            *weight += *speed;
        }
    }
    weights
}

fn shrink(weights: &[f64], slope: &mut [f64], strength: f64, size: usize) {
    slope.iter_mut().zip(weights).take(size).for_each(|(slope, weight)| *slope += strength * weight);
}

fn add(slope: &mut [f64], features: &[f64], by: f64) {
    slope.iter_mut().zip(features).for_each(|(slope, feature)| *slope += by * feature);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn sigmoid(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

/// The utterances of a pack that no phrase decides.
fn cases(folder: &Path) -> Vec<Case> {
    let registry = registry(folder);
    let reader = corpus_vocabulary(&registry, LanguageConfig::default().encoder);
    let rows = registry.corpus().iter().filter(|row| row.set == CorpusSet::Test);
    rows.filter_map(|row| {
        let is_decided = match reader.read(&row.say) {
            Understanding::Clear { intents } => !matches!(intents.as_slice(), [one] if one.evidence.account.is_some()),
            Understanding::SmallTalk { .. } => true,
            Understanding::Ask(_) | Understanding::Unknown { .. } => false,
        };
        let weighed = reader.weighed(&row.say);
        if is_decided || weighed.is_empty() {
            return None;
        }
        let names = targets(&row.expect);
        let grade = |intent: &Intent| {
            let read = |_: &str| Understanding::Clear { intents: vec![intent.clone()] };
            score_rows(&registry, std::iter::once(row), read).rows[0].verdict
        };
        let readings = weighed.into_iter().map(|one| {
            let verdict = grade(&one.intent);
            Reading {
                features: one.features.iter().map(|feature| f64::from(*feature)).collect(),
                target: names.contains(&one.intent.target),
                right: verdict == Grade::Right,
                wrong: verdict == Grade::Wrong,
                may_act: one.may_act,
            }
        });
        Some(Case { readings: readings.collect(), wanted: !names.is_empty(), nothing: row.expect == Expectation::None })
    })
    .collect()
}

/// The targets of an expectation, if one request is expected.
fn targets(expect: &Expectation) -> Vec<String> {
    match expect {
        Expectation::Tool { name, .. } | Expectation::Playbook { name, .. } => vec![name.clone()],
        Expectation::Either(members) => members.iter().flat_map(targets).collect(),
        _ => Vec::new(),
    }
}

fn registry(folder: &Path) -> Arc<Registry> {
    match brain_registry::load_with(&[folder.to_owned()], &brain_tools::natives()) {
        Ok(loaded) => Arc::new(loaded.registry),
        Err(report) => panic!("{}", report.render(false)),
    }
}
