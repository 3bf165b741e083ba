//! Runs that were loaded from the store, or could not be.

use std::collections::VecDeque;

use brain_core::{RunId, RunStatus, Timestamp, planted};
use brain_store::{Member, Precondition, Write};

use super::live::{Live, Queued};
use super::messages::{Action, Loaded, StepOutput};
use super::next::Next;
use super::{BACK_OFF, Core, MAX_REDECISIONS};
use crate::engine::EngineError;
use crate::run_state::NotLoaded;

impl Core {
    /// Handles a run that was loaded, or could not be.
    pub(super) fn loaded(&mut self, now: Timestamp, loaded: Loaded, output: &mut StepOutput) -> Next {
        let Loaded { run, state: result, answers } = loaded;
        self.loads = self.loads.saturating_sub(1);
        let Some(mut live) = self.live.remove(&run) else { return Next::Forget };
        live.loading = false;
        // Reads for an earlier state of the run are stale: its inbox has changed with it.
        if let Some(Ok(state)) = &result {
            let seq = Some(state.row.schedule.seq);
            if live.known_at != seq {
                live.known.clear();
            }
            live.known_at = seq;
        }
        live.known.extend(answers);
        let state = match result {
            None => return Next::Decide(live),
            Some(Err(failed)) => return self.not_loaded(now, run, live, failed, output),
            Some(Ok(state)) => state,
        };
        let waiting = std::mem::take(&mut live.queue);
        live.fill(state);
        self.requeue(run, &mut live, waiting);
        if live.queue.is_empty() {
            return Next::Forget;
        }
        if live.redecided > MAX_REDECISIONS && !live.is_atomic() {
            return Next::Wait(live, now.plus(BACK_OFF));
        }
        Next::Decide(live)
    }

    /// A run could not be loaded: callers get the error, and outcomes of calls are kept if a later attempt can help.
    fn not_loaded(
        &mut self,
        now: Timestamp,
        run: RunId,
        mut live: Live,
        failed: NotLoaded,
        output: &mut StepOutput,
    ) -> Next {
        let NotLoaded { error, row, log } = failed;
        let mut rest = VecDeque::new();
        for mut item in std::mem::take(&mut live.queue) {
            match item.reply.take() {
                Some(reply) => output.actions.push(Action::Reply(reply, Err(error.clone()))),
                None => rest.push_back(item),
            }
        }
        match error {
            EngineError::Store(error) if error.is_transient() && !rest.is_empty() => {
                tracing::warn!(%run, %error, "the store is unavailable; this run will be retried");
                live.queue = rest;
                return Next::Wait(live, now.plus(BACK_OFF));
            }
            EngineError::Store(error) if error.is_transient() => {}
            EngineError::NoSuchRun(_) => {
                if rest.iter().any(Queued::is_signal) {
                    // The run was deleted, and then a child of it ended: nobody will read its inbox.
                    let preconditions = vec![Precondition::RunAbsent(run)];
                    let writes = vec![Write::DropRun(run)];
                    self.next_commit += 1;
                    let member = Member { scope: live.scope.clone(), preconditions, writes };
                    output.commits.push((self.next_commit, member));
                }
            }
            error => {
                if let Some(row) = row.filter(|row| row.status != RunStatus::Parked) {
                    let why = error.to_string();
                    tracing::error!(%run, why, "this run cannot be read and is parked");
                    return Self::park(now, live, &row, log.as_deref(), rest.into(), &why);
                }
            }
        }
        self.answered(run, rest.make_contiguous());
        Next::Forget
    }

    /// Queues work again for the reloaded run; drops what another node is responsible for.
    fn requeue(&mut self, run: RunId, fresh: &mut Live, items: impl IntoIterator<Item = Queued>) {
        let lost = fresh.owned_by_other(self.node);
        for item in items {
            if lost && !item.concerns_everybody() {
                tracing::info!(%run, "an answer came too late: another node owns this run");
                if !planted("answered-forgotten") {
                    self.answered(run, std::slice::from_ref(&item));
                }
                continue;
            }
            fresh.queue.push_back(item);
        }
    }
}
