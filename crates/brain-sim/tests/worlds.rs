//! Invariants over many worlds. A failure prints the seed; `cargo xtask sim --seed N` prints its listing.

use brain_sim::{Lived, Options, live, live_all};

/// Number of worlds per test run.
const WORLDS: u64 = 2_000;

fn told(failed: &[Lived]) -> String {
    failed.iter().map(|lived| format!("seed {}: {}\n", lived.seed, lived.problems.join("; "))).collect()
}

#[test]
fn nothing_is_lost_or_stuck_or_done_twice_in_two_thousand_worlds() {
    let (failed, lived, tally) = live_all(0, WORLDS, 5, &Options::default());
    assert!(failed.is_empty(), "{}", told(&failed));
    assert_eq!(lived, WORLDS);
    // Worlds without faults would prove nothing.
    assert!(tally.crashes > WORLDS && tally.pauses > WORLDS && tally.bad_commits > WORLDS, "{tally:?}");
    assert!(tally.refused > WORLDS / 10 && tally.choices > 3 * WORLDS, "{tally:?}");
    assert!(tally.runs > 3 * WORLDS && tally.calls > 3 * WORLDS && tally.taken_over > WORLDS / 2, "{tally:?}");
}

#[test]
fn the_invariants_hold_over_sqlite() {
    let (failed, ..) = live_all(0, 6, 5, &Options { sqlite: true, ..Options::default() });
    assert!(failed.is_empty(), "{}", told(&failed));
}

#[test]
fn the_same_seed_is_the_same_world() {
    let lines = |seed| {
        let lived = live(seed, &Options { listing: true, ..Options::default() });
        lived.lines.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for seed in [7, 1_000_004] {
        let first = lines(seed);
        assert!(first.len() > 100, "a world is eventful");
        assert_eq!(first, lines(seed));
    }
}

/// Number of kernel worlds per test run.
const KERNEL_WORLDS: u64 = 200;

#[test]
fn the_invariants_hold_in_kernel_worlds() {
    let options = Options { kernel: true, ..Options::default() };
    let (failed, lived, tally) = live_all(0, KERNEL_WORLDS, 5, &options);
    assert!(failed.is_empty(), "{}", told(&failed));
    assert_eq!(lived, KERNEL_WORLDS);
    assert!(tally.runs > 6 * KERNEL_WORLDS && tally.calls > 8 * KERNEL_WORLDS, "{tally:?}");
    assert!(tally.swept > KERNEL_WORLDS && tally.restarts > KERNEL_WORLDS && tally.moved > 0, "{tally:?}");
}

#[test]
fn the_invariants_hold_in_kernel_worlds_over_sqlite() {
    let (failed, ..) = live_all(0, 3, 5, &Options { kernel: true, sqlite: true, ..Options::default() });
    assert!(failed.is_empty(), "{}", told(&failed));
}

#[test]
fn the_invariants_hold_over_postgres() {
    let cluster = brain_testbed::Postgres::start().expect("a cluster of its own");
    for kernel in [false, true] {
        let url = cluster.url(&cluster.new_database());
        let (failed, ..) = live_all(0, 2, 5, &Options { kernel, postgres: Some(url), ..Options::default() });
        assert!(failed.is_empty(), "{}", told(&failed));
    }
}
