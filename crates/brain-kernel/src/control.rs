//! Control: cancelling a run and deciding about its dead letters.

use brain_core::{JobKey, RunId};
use brain_engine::{LetterDecision, NewEvent};
use brain_store::Scope;
use serde_json::Value;

use crate::error::KernelError;
use crate::kernel::Kernel;
use crate::narrate::Report;

impl Kernel {
    /// Cancels a run. Finished steps are not undone.
    pub async fn cancel(&self, scope: &Scope, run: RunId) -> Result<Report, KernelError> {
        self.cancel_saying(scope, run, Vec::new()).await
    }

    /// Cancels a run with additional events.
    pub(crate) async fn cancel_saying(
        &self,
        scope: &Scope,
        run: RunId,
        saying: Vec<NewEvent>,
    ) -> Result<Report, KernelError> {
        let row = self.store().run(scope, run)?.ok_or(KernelError::NoSuchRun(run))?;
        if row.status.is_over() {
            return Err(KernelError::Conflict(format!("run {run} has already ended ({})", row.status)));
        }
        // The same commit cancels the child runs that it waits for and withdraws its approvals.
        self.engine().cancel(scope, run, saying, Vec::new()).await?;
        self.report(scope, run)
    }

    /// Decides about a dead letter and reports the state of its run afterwards.
    pub async fn decide_letter(
        &self,
        scope: &Scope,
        letter: JobKey,
        decision: LetterDecision,
        by: &str,
        note: &str,
    ) -> Result<Report, KernelError> {
        if let LetterDecision::Resolve(Some(data)) = &decision {
            self.fits_letter(scope, letter, data)?;
        }
        let news = self.engine().decide_letter(scope, letter, decision, by, note).await?;
        self.report(scope, news.run)
    }

    /// Whether a result given by a person fits the tool's declared output: later steps rely on it.
    fn fits_letter(&self, scope: &Scope, letter: JobKey, data: &Value) -> Result<(), KernelError> {
        let none = || KernelError::NoSuchLetter(letter.to_string());
        let row = self.store().dead_letter(scope, letter)?.ok_or_else(none)?;
        let state = self.engine().run_state(scope, row.run)?;
        let (Some(code), Some(machine)) = (&state.code, &state.state) else { return Err(none()) };
        let at = row.body["step"].as_str().and_then(|step| machine.find_step(code, step)).ok_or_else(none)?;
        let undo = row.body["undo"] == true;
        let tool = self.tool_of(machine.step(code, at).call(undo).tool)?;
        tool.validate_output(data.clone()).map(drop).map_err(|problems| {
            let list: Vec<String> = problems.iter().map(ToString::to_string).collect();
            KernelError::Refused(format!("this is not a valid result of `{}`: {}", tool.def.name, list.join("; ")))
        })
    }
}
