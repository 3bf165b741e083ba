//! The feed of log rows.

use std::time::{Duration, Instant};

use super::sample::{self, scope};
use super::{Store, SystemScope, Write, commit};

/// How long a store may take to assign feed positions to committed rows.
const PATIENCE: Duration = Duration::from_secs(10);

/// Reads the feed after a position until it has `count` rows: run and number of each, and the next position.
fn read(store: &dyn Store, scope: &crate::Scope, after: u64, count: usize) -> (Vec<(brain_core::RunId, u64)>, u64) {
    let began = Instant::now();
    let (mut rows, mut upto) = (Vec::new(), after);
    while rows.len() < count && began.elapsed() < PATIENCE {
        let page = store.feed(scope, upto, count - rows.len()).expect("reads");
        assert!(
            page.items.iter().all(|(position, _)| *position > upto && *position <= page.upto),
            "positions increase"
        );
        assert!(page.items.is_sorted_by(|a, b| a.0 < b.0), "in order");
        rows.extend(page.items.into_iter().map(|(_, row)| (row.run, row.seq)));
        upto = page.upto;
    }
    (rows, upto)
}

pub(super) fn the_feed_resumes_after_a_position(store: &dyn Store) {
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    for (scope, n) in [(&ours, 1), (&theirs, 2), (&ours, 3)] {
        let row = Write::NewRun(Box::new(sample::run(scope, n)));
        commit(store, scope, vec![], vec![row, Write::Append(sample::log(n, 0).into())]);
    }
    let (first, upto) = read(store, &ours, 0, 1);
    assert_eq!(first, [(sample::run_id(1), 0)]);
    let (second, upto) = read(store, &ours, upto, 1);
    assert_eq!(second, [(sample::run_id(3), 0)], "another tenant's rows are not shown");
    let nothing = store.feed(&ours, upto, 10).expect("reads");
    assert_eq!(nothing.items, []);

    commit(store, &ours, vec![], vec![Write::Append(sample::log(1, 2).into())]);
    commit(store, &theirs, vec![], vec![Write::Append(sample::log(2, 2).into())]);
    let (later, _) = read(store, &ours, nothing.upto, 1);
    assert_eq!(later, [(sample::run_id(1), 2)], "resumes after the last row read");
    assert_eq!(read(store, &theirs, 0, 2).0.len(), 2);
    let page = store.feed(&theirs, 0, 10).expect("reads");
    let began = Instant::now();
    let mut end = 0;
    while end < page.upto && began.elapsed() < PATIENCE {
        end = store.feed_end(SystemScope).expect("reads");
    }
    assert!(end >= page.upto);
}
