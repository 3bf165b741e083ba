//! The tenant's own corpus: corrections become test cases.

use brain_core::RunId;
use brain_nlu::Understanding;
use brain_nlu::learn::{Expect, LearnedCase, Outcome, Reading, Row, cases};
use brain_store::Scope;

use super::turns::Turn;
use crate::error::KernelError;
use crate::kernel::Kernel;

impl Kernel {
    /// The cases from corrections, including those that do not count yet.
    pub fn learned_cases(&self, scope: &Scope) -> Result<Vec<LearnedCase>, KernelError> {
        let corrections: Vec<Outcome> =
            self.corrected_turns(scope)?.into_iter().flat_map(Turn::into_corrections).collect();
        Ok(cases(&corrections))
    }

    /// The cases without the personal values of the runs that they come from, for people to read.
    pub fn shown_cases(&self, scope: &Scope) -> Result<Vec<LearnedCase>, KernelError> {
        let mut found = self.learned_cases(scope)?;
        let runs: Vec<RunId> = self.corrections_by_run(scope)?.into_keys().collect();
        for run in runs {
            let redaction = self.redaction_for(scope, run);
            let Some(row) = self.store().run(scope, run)? else { continue };
            let message = row.request["message"].as_str().unwrap_or_default();
            for case in found.iter_mut().filter(|case| !case.say.is_empty() && message.contains(&case.say)) {
                case.say = redaction.text(&case.say);
            }
        }
        Ok(found)
    }
}

/// The target that a case is understood as.
pub(super) fn read(case: &LearnedCase, understanding: &Understanding) -> Row {
    let chosen = match understanding {
        Understanding::Clear { intents } => match intents.as_slice() {
            [one] => Some(one.target.as_str()),
            // Several requests are not the single one that was meant.
            _ => Some(""),
        },
        _ => None,
    };
    let (say, reading) = match &case.expect {
        Expect::Target(target) => match chosen {
            Some(chosen) if chosen == target => (case.say.clone(), Reading::Right),
            Some(_) => (case.say.clone(), Reading::Wrong),
            None => (case.say.clone(), Reading::Asked),
        },
        Expect::NotTarget(target) => {
            let reading = if chosen == Some(target.as_str()) { Reading::Wrong } else { Reading::Right };
            (format!("{} (not {target})", case.say), reading)
        }
    };
    Row { say, reading }
}
