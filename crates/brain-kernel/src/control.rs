//! Control: cancelling a run and deciding about its dead letters.

use brain_core::{JobKey, RunId};
use brain_engine::{LetterDecision, NewEvent, Receipt, ReceiptStatus, last_child};
use brain_registry::SPAWN_CHILD_RUN;
use brain_registry::model::{Behavior, Effect};
use brain_store::Scope;
use brain_vm::{JobId, Opener};
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
        match &decision {
            LetterDecision::Resolve(Some(data)) => self.fits_letter(scope, letter, data)?,
            LetterDecision::Retry => self.repeats_nothing(scope, letter)?,
            _ => {}
        }
        let news = self.engine().decide_letter(scope, letter, decision, by, note).await?;
        self.report(scope, news.run)
    }

    /// Refuses the retry of a step that ran steps of its own, or a child run, of which some have had an effect: it would
    /// have that effect again. `core.undo_child_run` does only what is left.
    pub(crate) fn repeats_nothing(&self, scope: &Scope, letter: JobKey) -> Result<(), KernelError> {
        let none = || KernelError::NoSuchLetter(letter.to_string());
        let row = self.store().dead_letter(scope, letter)?.ok_or_else(none)?;
        let state = self.engine().run_state(scope, row.run)?;
        let (Some(code), Some(machine)) = (&state.code, &state.state) else { return Ok(()) };
        let Some(at) = row.body["step"].as_str().and_then(|step| machine.find_step(code, step)) else { return Ok(()) };
        let undo = row.body["undo"] == true;
        let item = u32::try_from(row.body["item"].as_u64().unwrap_or(0)).unwrap_or(0);
        let job = JobId { undo, ..at.job(item) };
        let name = &machine.step(code, at).call(undo).tool.name;
        let opened = |receipt: &&Receipt| {
            let scopes = machine.outward(receipt.job.scope);
            scopes.into_iter().any(|id| machine.scope(id).opener == Opener::Job(job))
        };
        let mut done: Vec<String> = Vec::new();
        let receipts = state.receipts().unwrap_or_default();
        done.extend(
            self.with_effect(receipts.iter().filter(opened).filter(|receipt| !machine.undone.contains(&receipt.job))),
        );
        if name == SPAWN_CHILD_RUN
            && let Some(child) = last_child(self.store().as_ref(), scope, letter)?
        {
            let child = self.engine().run_state(scope, child)?;
            let undone = |job: &JobId| child.state.as_ref().is_some_and(|state| state.undone.contains(job));
            let receipts = child.receipts().unwrap_or_default();
            done.extend(self.with_effect(receipts.iter().filter(|receipt| !undone(&receipt.job))));
        }
        if done.is_empty() {
            return Ok(());
        }
        Err(KernelError::Conflict(format!(
            "a part of `{name}` was done, or may have been, and a retry would do it again: {}. Finish the rest by hand and resolve the dead \
             letter as done, or abandon it",
            done.join(", ")
        )))
    }

    /// The calls among these receipts that have, or may have, had an effect, in words.
    fn with_effect<'r>(&self, receipts: impl Iterator<Item = &'r Receipt>) -> Vec<String> {
        let changes = |receipt: &&Receipt| {
            let def = self.registry().tool(&receipt.tool).map(|tool| &tool.def);
            let reads =
                def.is_some_and(|def| def.effect == Effect::Read || matches!(def.behavior, Behavior::Playbook(_)));
            let may_have_happened = receipt.happened() || receipt.status == ReceiptStatus::InDoubt;
            may_have_happened && !receipt.job.undo && !reads
        };
        receipts.filter(changes).map(|receipt| format!("`{}` (step {})", receipt.tool, receipt.step)).collect()
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
