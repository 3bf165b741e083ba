//! Corrections become corpus cases, so that the same mistake is measured from then on.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::TenantId;
use serde::{Deserialize, Serialize};

use super::outcome::{How, Outcome, turns};
use super::phrase::plain;

/// The expected reading of an utterance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expect {
    /// This target.
    Target(String),
    /// Any target but this one.
    NotTarget(String),
}

/// A corrected utterance and its expected reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearnedCase {
    /// The tenant.
    pub tenant: TenantId,
    /// The utterance.
    pub say: String,
    /// The expected reading.
    pub expect: Expect,
    /// Who corrected it.
    pub actors: BTreeSet<String>,
    /// Whether one of them may teach.
    pub trusted: bool,
    /// Whether others contradicted.
    pub contested: bool,
}

impl LearnedCase {
    /// Whether the case counts in a corpus: two people agree, or one trusted person, and nobody contradicts. A single
    /// person could otherwise block what everybody else wants.
    pub fn counts(&self) -> bool {
        (self.trusted || self.actors.len() >= 2) && !self.contested
    }
}

/// The cases from all corrections, ordered by tenant, utterance and expectation.
pub fn cases(outcomes: &[Outcome]) -> Vec<LearnedCase> {
    let mut by_expectation: BTreeMap<(String, String, Expect), LearnedCase> = BTreeMap::new();
    for outcome in turns(outcomes).into_iter().filter(|outcome| outcome.how == How::Corrected) {
        let Some(expect) = expectation(outcome) else { continue };
        let key = (outcome.tenant.as_str().to_owned(), plain(&outcome.said), expect.clone());
        let case = by_expectation.entry(key).or_insert_with(|| LearnedCase {
            tenant: outcome.tenant.clone(),
            say: outcome.said.clone(),
            expect,
            actors: BTreeSet::new(),
            trusted: false,
            contested: false,
        });
        case.actors.insert(outcome.actor.clone());
        case.trusted |= outcome.trusted;
    }
    let others: Vec<((String, String), Expect, bool)> = by_expectation
        .iter()
        .map(|((tenant, say, expect), case)| ((tenant.clone(), say.clone()), expect.clone(), case.trusted))
        .collect();
    for ((tenant, say, expect), case) in &mut by_expectation {
        let key = (tenant.clone(), say.clone());
        // A trusted correction wins over untrusted ones.
        let against = |trusted: bool| trusted || !case.trusted;
        case.contested =
            others.iter().any(|(of, other, trusted)| *of == key && contradicts(expect, other) && against(*trusted));
    }
    by_expectation.into_values().collect()
}

fn expectation(outcome: &Outcome) -> Option<Expect> {
    match (&outcome.meant, &outcome.chosen) {
        (Some(meant), _) => Some(Expect::Target(meant.clone())),
        (None, Some(chosen)) => Some(Expect::NotTarget(chosen.clone())),
        (None, None) => None,
    }
}

/// Whether two expectations of one utterance cannot both be met.
fn contradicts(one: &Expect, other: &Expect) -> bool {
    match (one, other) {
        (Expect::Target(a), Expect::Target(b)) => a != b,
        (Expect::Target(a), Expect::NotTarget(b)) | (Expect::NotTarget(a), Expect::Target(b)) => a == b,
        (Expect::NotTarget(_), Expect::NotTarget(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::tests::corrected;

    #[test]
    fn a_correction_is_a_case_that_counts_when_two_agree() {
        let list = [
            corrected("t1", "Load the book", "b.b", Some("a.a"), "ann"),
            corrected("t2", "load the book", "b.b", Some("a.a"), "bob"),
            corrected("t3", "show the sun", "c.c", None, "ann"),
        ];
        let found = cases(&list);
        assert_eq!(found[0].expect, Expect::Target("a.a".into()));
        assert!(found[0].counts());
        assert_eq!((&found[1].expect, found[1].counts()), (&Expect::NotTarget("c.c".into()), false));
        let trusted = Outcome { trusted: true, ..list[2].clone() };
        assert!(cases(&[trusted])[0].counts());
    }

    #[test]
    fn contradicted_cases_count_only_for_trusted_people() {
        let mut list = vec![
            corrected("t1", "load the book", "b.b", Some("a.a"), "ann"),
            corrected("t2", "load the book", "b.b", Some("a.a"), "bob"),
            corrected("t3", "load the book", "a.a", Some("c.c"), "eve"),
        ];
        assert!(cases(&list).iter().all(|case| !case.counts()));
        list[0].trusted = true;
        let counting: Vec<Expect> =
            cases(&list).into_iter().filter(LearnedCase::counts).map(|case| case.expect).collect();
        assert_eq!(counting, [Expect::Target("a.a".into())]);
    }
}
