//! `brain dev tune`: finds thresholds for the packs' tuning corpus. Prints the frontier; changes nothing.

use anyhow::{Result, ensure};
use brain_kernel::scenario::corpus::{Grade, score};
use brain_kernel::scenario::{Reader, corpus_vocabulary};
use brain_nlu::Thresholds;
use brain_registry::Registry;
use brain_registry::model::CorpusSet;
use serde::Serialize;

use crate::cli::Global;
use crate::show::{BOLD, DIM, GREEN};
use crate::{open, show};

const CLEAR: [f32; 7] = [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9];
const SCOPE: [f32; 5] = [0.3, 0.4, 0.5, 0.6, 0.7];
const MARGIN: [f32; 4] = [0.05, 0.1, 0.15, 0.25];
const PATTERN: [u32; 4] = [15, 22, 30, 38];

/// The score of one setting.
#[derive(Clone, Debug, Serialize)]
struct Tried {
    thresholds: Thresholds,
    right: usize,
    asked: usize,
    wrong: usize,
}

pub(crate) fn run(global: &Global) -> Result<bool> {
    let registry = open::registry(global)?;
    let rows = registry.corpus().iter().filter(|row| row.set == CorpusSet::Tune).count();
    ensure!(rows > 0, "the packs have no tuning corpus; write rows to corpus/tune/*.yaml");
    let reader = corpus_vocabulary(&registry, open::default_encoder(global)?);
    let now = tried(&registry, &reader, reader.thresholds().clone());
    let mut all = Vec::new();
    for clear in CLEAR {
        for scope in SCOPE {
            for margin in MARGIN {
                for pattern in PATTERN {
                    let thresholds = Thresholds { pattern, clear, margin, scope, ..reader.thresholds().clone() };
                    all.push(tried(&registry, &reader, thresholds));
                }
            }
        }
    }
    let frontier = frontier(all);
    // Never accept more confidently wrong answers than now, however much else improves.
    let best = frontier.iter().filter(|one| one.wrong <= now.wrong).max_by_key(|one| (one.right, one.asked));
    let better = best.filter(|best| (best.right, now.wrong) > (now.right, best.wrong) || best.wrong < now.wrong);
    if global.json {
        show::json(&serde_json::json!({"rows": rows, "now": now, "frontier": frontier, "suggested": better}));
        return Ok(true);
    }
    outln!("{rows} rows of corpus/tune. {DIM}right / asked / confidently wrong{DIM:#}\n");
    outln!("  now       {:>4} / {:>3} / {:>3}", now.right, now.asked, now.wrong);
    for one in &frontier {
        let t = &one.thresholds;
        outln!(
            "  possible  {:>4} / {:>3} / {:>3}   {DIM}clear {} scope {} margin {} pattern {}{DIM:#}",
            one.right,
            one.asked,
            one.wrong,
            t.clear,
            t.scope,
            t.margin,
            t.pattern
        );
    }
    match better {
        None => outln!("\n{GREEN}The current settings are already the best.{GREEN:#}"),
        Some(best) => {
            let t = &best.thresholds;
            outln!("\nBetter, without adding any confidently wrong answers. In {BOLD}pack.yaml{BOLD:#}, for review:\n");
            outln!(
                "settings:\n  understanding: {{clear: {}, scope: {}, margin: {}, pattern: {}}}\n\nThen: brain dev eval",
                t.clear,
                t.scope,
                t.margin,
                t.pattern
            );
        }
    }
    Ok(true)
}

fn tried(registry: &Registry, reader: &Reader, thresholds: Thresholds) -> Tried {
    let result = score(registry, CorpusSet::Tune, |text| reader.read_with(text, &thresholds));
    Tried {
        right: result.count(Grade::Right),
        asked: result.total() - result.count(Grade::Right) - result.count(Grade::Wrong),
        wrong: result.count(Grade::Wrong),
        thresholds,
    }
}

/// The Pareto frontier of right and wrong answers; of equal settings, the most careful.
fn frontier(mut all: Vec<Tried>) -> Vec<Tried> {
    all.sort_by(|a, b| {
        let careful =
            b.thresholds.clear.total_cmp(&a.thresholds.clear).then(b.thresholds.scope.total_cmp(&a.thresholds.scope));
        a.wrong.cmp(&b.wrong).then(b.right.cmp(&a.right)).then(careful)
    });
    let mut best: Vec<Tried> = Vec::new();
    for one in all {
        if best.last().is_none_or(|last| one.right > last.right) {
            best.push(one);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nothing_beats_is_on_the_frontier() {
        let one = |right, wrong| Tried { thresholds: Thresholds::default(), right, asked: 0, wrong };
        let found = frontier(vec![one(5, 2), one(4, 0), one(3, 0), one(5, 1), one(9, 3)]);
        let found: Vec<(usize, usize)> = found.iter().map(|one| (one.right, one.wrong)).collect();
        assert_eq!(found, [(4, 0), (5, 1), (9, 3)]);
    }
}
