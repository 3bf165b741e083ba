//! Statistics of learning.

use std::collections::BTreeMap;

use brain_nlu::learn::{Decided, Decision, Outcome, State, Week, weekly};
use brain_store::Scope;
use serde::Serialize;

use super::promote::Judged;
use super::turns::Turn;
use crate::error::KernelError;
use crate::kernel::Kernel;

/// Statistics of learning: weekly figures and candidates.
#[derive(Clone, Debug, Serialize)]
pub struct Learning {
    /// The weeks with requests or decisions, oldest first.
    pub weeks: Vec<Week>,
    /// Number of candidates by state.
    pub states: BTreeMap<&'static str, usize>,
    /// The candidates: ready ones first, then those to review.
    pub candidates: Vec<Judged>,
}

impl Kernel {
    /// The statistics of a tenant, from the runs of the last 90 days.
    pub fn learning(&self, scope: &Scope) -> Result<Learning, KernelError> {
        let turns = self.turns(scope)?;
        let candidates = self.judged(scope, &turns)?;
        let names = [
            (State::Gathering, "gathering"),
            (State::Ready, "ready"),
            (State::Review, "review"),
            (State::Promoted, "promoted"),
            (State::Rejected, "rejected"),
        ];
        let count = |state: State| candidates.iter().filter(|one| one.candidate.state == state).count();
        let states = names.into_iter().map(|(state, name)| (name, count(state))).collect();
        let outcomes: Vec<Outcome> = turns.iter().filter_map(Turn::outcome).collect();
        Ok(Learning { weeks: weekly(&outcomes, &self.decisions(scope)?), states, candidates })
    }

    /// Decisions about candidates that are still in force.
    fn decisions(&self, scope: &Scope) -> Result<Vec<Decision>, KernelError> {
        let promoted = self.taught(scope)?.into_iter().filter(|row| row.learned).map(|row| Decision {
            phrase: row.phrase.text,
            target: row.phrase.target,
            decided: Decided::Promoted,
            by: Some(row.by),
            at: row.at,
        });
        let rejected = self.blocklist(scope)?.into_iter().map(|row| Decision {
            phrase: row.phrase,
            target: row.target,
            decided: Decided::Rejected,
            by: Some(row.by),
            at: row.at,
        });
        Ok(promoted.chain(rejected).collect())
    }
}
