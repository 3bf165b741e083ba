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
fn readings_of_the_corpora_get_no_worse() {
    // In %: at most this share wrong, at least this share right. The aims are 0.5 and 88.
    for (pack, wrong, right) in [("trades", 0.5, 71.0), ("desk", 0.7, 63.0)] {
        let registry = registry(&format!("../../packs/{pack}"));
        let reader = brain_kernel::scenario::corpus_vocabulary(&registry, LanguageConfig::default().encoder);
        let tune = score(&registry, CorpusSet::Tune, |text| reader.read(text));
        assert_eq!(tune.count(Grade::Wrong), 0, "{pack}: {:?}", tune.wrong().collect::<Vec<_>>());
        let test = score(&registry, CorpusSet::Test, |text| reader.read(text));
        for row in test.wrong() {
            println!("  “{}”\n    wanted {}\n    read   {}", row.say, row.wanted, row.read);
        }
        // Nothing that is asked for plainly, and nothing that is no request, may be read wrongly.
        let groups = test.groups();
        for name in ["asked_plainly", "incomplete", "named", "out_of_scope", "not_a_request"] {
            let wrong = groups.get(name).map_or(0, |group| group.count(Grade::Wrong));
            assert_eq!(wrong, 0, "{pack}: {name}");
        }
        assert!(test.total() >= 400, "{pack}: only {} rows", test.total());
        assert!(test.share(Grade::Wrong) <= wrong, "{pack}: {:.2} % wrong", test.share(Grade::Wrong));
        assert!(test.share(Grade::Right) >= right, "{pack}: {:.2} % right", test.share(Grade::Right));
    }
}
