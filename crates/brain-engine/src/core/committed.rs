//! What follows a commit: the actions it promised, or another decision.

use std::sync::Arc;

use brain_core::{RunId, Timestamp};
use brain_store::{Conflict, Outcome, Precondition, RunRow, RunSchedule, StoreError};

use super::live::{InFlight, Live, Queued, Work};
use super::messages::{Action, CheckAction, StepOutput};
use super::next::Next;
use super::{BACK_OFF, Core, MAX_REDECISIONS};
use crate::engine::EngineError;
use crate::turn::Handover;
use crate::watchers::RunNews;

impl Core {
    /// Handles the answer of the store to the commit of a run.
    pub(super) fn committed(
        &mut self,
        now: Timestamp,
        run: RunId,
        result: Result<Outcome, StoreError>,
        output: &mut StepOutput,
    ) -> Next {
        let Some(mut live) = self.live.remove(&run) else { return Next::Forget };
        let Some(in_flight) = live.in_flight.take() else { return Next::Forget };
        if !matches!(result, Ok(Outcome::Committed)) {
            for Handover { context, .. } in &in_flight.handovers {
                self.flow().release((run, context.job, context.attempt), false);
            }
        }
        match result {
            Ok(Outcome::Committed) if in_flight.parks => self.parked(run, live, in_flight.work, output),
            Ok(Outcome::Committed) => self.settle(run, live, in_flight, output),
            Ok(Outcome::Conflict(conflict)) => self.conflict(now, run, live, in_flight, &conflict, output),
            Ok(Outcome::Refused(why)) => self.turned_down(now, run, live, in_flight, why, output),
            Ok(Outcome::Blocked(why)) => {
                tracing::warn!(%run, why, "a commit needs locked rows and will be retried");
                self.again(now, live, in_flight.work, Some(StoreError::Locked(why)), output)
            }
            Err(error) => {
                tracing::warn!(%run, %error, "a commit failed and will be retried");
                self.again(now, live, in_flight.work, Some(error), output)
            }
        }
    }

    /// The commit is durable: performs the actions it promised.
    fn settle(&mut self, run: RunId, mut live: Live, in_flight: InFlight, output: &mut StepOutput) -> Next {
        live.redecided = 0;
        live.at_cap.clear();
        self.answered(run, &in_flight.work);
        let mut moved = false;
        for item in &in_flight.work {
            match &item.work {
                Work::Start(submission) => {
                    live.row = Some(RunRow {
                        id: run,
                        tenant: live.scope.tenant().clone(),
                        created_at: in_flight.at,
                        updated_at: in_flight.at,
                        status: in_flight.status,
                        program: None,
                        request: submission.request.clone(),
                        erased: false,
                        schedule: RunSchedule::default(),
                    });
                }
                Work::Command(command) => moved |= command.program.is_some(),
                _ => {}
            }
        }
        live.tell_observers(run, &in_flight, output);
        if live.row.as_ref().is_some_and(|row| row.schedule.queued.is_some()) {
            self.flow().forget(live.scope.tenant(), run);
        }
        if let Some(place) = &in_flight.queued {
            self.flow().wait(live.scope.tenant(), run, place.order, &place.limit);
        }
        if let Some(row) = &mut live.row {
            row.updated_at = in_flight.at;
            row.schedule = in_flight.schedule.clone();
            row.status = in_flight.status;
            row.program = in_flight.program.or(row.program);
        }
        live.log.extend(in_flight.appended);
        let scope = live.scope.clone();
        if in_flight.unfinished {
            live.unfinished += 1;
            live.queue.push_back(Queued::without_reply(Work::Tick));
        } else {
            live.unfinished = 0;
        }
        if in_flight.delegated {
            // An external system may have answered before this commit.
            live.queue.push_back(Queued::without_reply(Work::Signals));
        }
        let at_rest = live.state.as_ref().is_none_or(|state| live.data.is_at_rest(state));
        let again = !live.queue.is_empty();
        // A migrated run is loaded again, with its earlier programs.
        let stays = again || (in_flight.schedule.owner == Some(self.node) && !moved);
        let is_reported = at_rest || in_flight.work.iter().any(|item| item.reply.is_some());
        let (state, next) = match (again, stays) {
            (false, false) => ((is_reported && !moved).then(|| live.into_state()).flatten(), Next::Forget),
            (again, _) => {
                let state = (is_reported && !moved).then(|| live.snapshot()).flatten();
                (state, if again { Next::Decide(live) } else { Next::Keep(live) })
            }
        };
        let news = RunNews {
            run,
            status: in_flight.status,
            at_rest,
            offered: in_flight.offered,
            answer: in_flight.answer,
            state: state.map(Arc::new),
        };
        for reply in in_flight.work.into_iter().filter_map(|item| item.reply) {
            output.actions.push(Action::Reply(reply, Ok(news.clone())));
        }
        output.actions.push(Action::Notify(news));
        for mut handover in in_flight.handovers {
            handover.fence = in_flight.schedule.fence;
            self.in_hand.insert((run, handover.context.job, handover.context.attempt));
            self.calls.push_back(handover);
        }
        for check in in_flight.checks {
            self.in_hand.insert((run, check.context.job, check.context.attempt));
            output.actions.push(Action::Check(Box::new(CheckAction(check))));
        }
        if let Some(at) = in_flight.schedule.wake_at {
            output.actions.push(Action::WakeAt(scope.clone(), run, at));
        }
        for run in in_flight.signalled {
            output.actions.push(Action::Signal(scope.clone(), run));
        }
        next
    }

    /// A precondition failed: the turn is decided again, unless that cannot help.
    fn conflict(
        &mut self,
        now: Timestamp,
        run: RunId,
        mut live: Live,
        in_flight: InFlight,
        conflict: &Conflict,
        output: &mut StepOutput,
    ) -> Next {
        if let Conflict::OverLimit { account, .. } = conflict {
            live.at_cap.insert(account.clone());
        }
        if let Conflict::Precondition(Precondition::Record { kind, id, revision: None }) = conflict
            && live.redecided >= MAX_REDECISIONS
            && !live.is_atomic()
        {
            live.taken.insert((kind.clone(), *id));
        }
        let answer = match conflict {
            // A turn may require that a child run was not started under this key.
            Conflict::Precondition(Precondition::KeyFree(key))
                if in_flight.work.iter().any(|item| matches!(item.work, Work::Start(_))) =>
            {
                Some(EngineError::KeyTaken(key.clone()))
            }
            Conflict::Precondition(Precondition::RunAbsent(_)) => Some(EngineError::RunExists(run)),
            Conflict::Precondition(Precondition::ApprovalPending(_)) => Some(EngineError::AlreadyDecided),
            Conflict::Precondition(Precondition::LetterOpen(_)) => Some(EngineError::AlreadyDecided),
            // A precondition of the caller failed, not one of the turn: deciding again cannot help.
            Conflict::Precondition(failed) if in_flight.work.iter().any(|item| item.relied_on(failed)) => {
                Some(EngineError::Moved)
            }
            _ => None,
        };
        if let Some(error) = answer {
            return self.refuse(now, live, in_flight.work, &error, output);
        }
        tracing::debug!(%run, ?conflict, "a turn is decided again");
        self.again(now, live, in_flight.work, None, output)
    }

    /// Answers the caller with the reason; other work is decided again.
    pub(super) fn refuse(
        &mut self,
        now: Timestamp,
        live: Live,
        work: Vec<Queued>,
        error: &EngineError,
        output: &mut StepOutput,
    ) -> Next {
        let (asked, rest): (Vec<Queued>, Vec<Queued>) = work.into_iter().partition(Queued::is_request);
        for reply in asked.into_iter().filter_map(|item| item.reply) {
            output.actions.push(Action::Reply(reply, Err(error.clone())));
        }
        if rest.is_empty() && live.queue.is_empty() {
            return Next::Forget;
        }
        self.again(now, live, rest, None, output)
    }

    /// Has work decided again, from the run as the store has it. After a failure of the store this waits a moment.
    pub(super) fn again(
        &mut self,
        now: Timestamp,
        live: Live,
        work: Vec<Queued>,
        error: Option<StoreError>,
        output: &mut StepOutput,
    ) -> Next {
        let Live { scope, queue: mut later, redecided, at_cap, taken, .. } = live;
        let failed = error.is_some();
        if failed {
            // A commit reported as failed may still have been written (the connection broke at that moment). Its calls
            // were not made, and nobody else would take them over.
            later.push_back(Queued::without_reply(Work::TakeOver(self.node)));
        }
        let is_new = work.iter().any(|item| matches!(item.work, Work::Start(_)));
        let mut fresh = Live::empty(scope);
        (fresh.redecided, fresh.at_cap, fresh.taken) = (redecided + 1, at_cap, taken);
        for mut item in work.into_iter().chain(later) {
            // It is unknown whether a new run was written; the caller can decide what to do.
            match (&error, item.reply.take()) {
                (Some(error), Some(reply)) if is_new => {
                    output.actions.push(Action::Reply(reply, Err(EngineError::Store(error.clone()))));
                }
                (_, reply) => {
                    item.reply = reply;
                    fresh.queue.push_back(item);
                }
            }
        }
        if failed { Next::Wait(fresh, now.plus(BACK_OFF)) } else { Next::Decide(fresh) }
    }
}
