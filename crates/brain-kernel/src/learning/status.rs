//! How learning goes.

use std::collections::BTreeMap;

use brain_nlu::learn::{Decided, Decision, Outcome, State, Week, weekly};
use brain_store::Scope;
use serde::Serialize;

use super::promote::Judged;
use super::turns::Turn;
use crate::error::KernelError;
use crate::kernel::Kernel;

/// How learning goes: week by week, and what people say that is no phrase yet.
#[derive(Clone, Debug, Serialize)]
pub struct Learning {
    /// The weeks in which something was asked or decided, oldest first.
    pub weeks: Vec<Week>,
    /// Candidates by where they stand.
    pub states: BTreeMap<&'static str, usize>,
    /// The candidates: what is ready first, then what waits for a person.
    pub candidates: Vec<Judged>,
}

impl Kernel {
    /// How learning goes for a tenant, from the runs of the last 90 days.
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
        let went: Vec<Outcome> = turns.iter().filter_map(Turn::went).collect();
        Ok(Learning { weeks: weekly(&went, &self.decisions(scope)?), states, candidates })
    }

    /// What was decided about candidates, as far as it still holds.
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
