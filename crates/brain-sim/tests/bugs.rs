//! Mistakes that were planted on purpose are found, each within a bounded number of worlds.

use brain_sim::{Bug, Options, live_all};

/// Fails unless some of so many worlds have a problem that says this.
fn finds(bug: Bug, worlds: u64, says: &str) {
    let (failed, lived, _) = live_all(0, worlds, 3, &Options { bug: Some(bug), ..Options::default() });
    assert!(!failed.is_empty(), "{} was not found in {lived} worlds", bug.name());
    let problems: Vec<&String> = failed.iter().flat_map(|lived| &lived.problems).collect();
    assert!(problems.iter().any(|problem| problem.contains(says)), "{problems:#?}");
}

#[test]
fn a_store_that_compares_no_fences_is_found() {
    finds(Bug::NoFences, 40, "its log has a row at");
}

#[test]
fn a_store_that_loses_a_write_is_found() {
    finds(Bug::LostWrite, 60, "");
}

#[test]
fn a_store_that_says_written_too_early_is_found() {
    finds(Bug::FalseWord, 60, "");
}

#[test]
fn a_store_that_compares_no_revisions_is_found() {
    finds(Bug::LostUpdate, 400, "counter");
}

#[test]
fn a_caller_that_repeats_blindly_is_found() {
    finds(Bug::BlindRetry, 40, "allowed");
}

#[test]
fn keys_that_change_with_every_attempt_are_found() {
    finds(Bug::NewKeys, 40, "happened 2 times");
}

#[test]
fn nodes_that_look_after_nothing_are_found() {
    finds(Bug::NoKeeper, 40, "");
}

#[test]
fn a_check_that_does_not_look_is_found() {
    finds(Bug::WrongCheck, 120, "happened 2 times");
}

#[test]
fn a_store_that_forgets_keys_is_found() {
    finds(Bug::ForgottenKey, 60, "runs were made under");
}

#[test]
fn a_tenant_that_is_given_more_than_its_part_is_found() {
    finds(Bug::Favourite, 60, "is not fair");
}

#[test]
fn a_limit_that_nobody_keeps_is_found() {
    finds(Bug::NoLimit, 120, "at a time are allowed");
}
