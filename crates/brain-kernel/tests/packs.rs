//! Packs through the whole pipe: every scenario of `trades` and of the `flow` test pack, and the held-out corpus.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

use std::path::Path;
use std::sync::Arc;

use brain_kernel::LanguageConfig;
use brain_kernel::scenario::corpus::{Grade, score};
use brain_kernel::scenario::run_scenario;
use brain_registry::model::CorpusSet;

fn registry(folder: &str) -> Arc<brain_registry::Registry> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    match brain_registry::load_with(&[folder], &brain_tools::natives()) {
        Ok(loaded) => Arc::new(loaded.registry),
        Err(report) => panic!("{}", report.render(false)),
    }
}

#[test]
fn every_scenario_of_the_trades_pack_passes() {
    all_pass(&registry("../../packs/trades"));
}

#[test]
fn every_scenario_of_the_flow_pack_passes() {
    all_pass(&registry("tests/packs/flow"));
}

#[test]
fn every_scenario_of_the_grow_pack_passes() {
    all_pass(&registry("tests/packs/grow"));
}

fn all_pass(registry: &Arc<brain_registry::Registry>) {
    assert!(!registry.scenarios().is_empty());
    let mut failed = 0;
    for scenario in registry.scenarios() {
        let outcome = run_scenario(registry, scenario);
        for (line, problem) in &outcome.failures {
            println!("{}:{line}: {}: {problem}", outcome.file, outcome.name);
        }
        failed += usize::from(!outcome.failures.is_empty());
    }
    assert_eq!(failed, 0, "scenarios failed");
}

#[test]
fn no_corpus_row_is_read_wrongly_with_confidence() {
    let registry = registry("../../packs/trades");
    let outcome = brain_kernel::scenario::corpus_vocabulary(&registry, LanguageConfig::default().encoder);
    for set in [CorpusSet::Tune, CorpusSet::Test] {
        let result = score(&registry, set, |text| outcome.read(text));
        for row in result.wrong() {
            println!("  “{}”\n    wanted {}\n    read   {}", row.say, row.wanted, row.read);
        }
        assert_eq!(result.count(Grade::Wrong), 0);
        assert!(set == CorpusSet::Tune || result.total() >= 120, "only {} rows", result.total());
    }
}
