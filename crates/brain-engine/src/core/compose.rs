//! One turn of a run as one member of a commit.

use std::collections::BTreeSet;
use std::sync::Arc;

use brain_core::{Digest, Failure, RunId, RunStatus, Timestamp};
use brain_store::{Member, Precondition, QueuePlace, RunRow, RunSchedule, SignalRow, StoreError, Write};
use brain_vm::{Code, Input, JobStatus, Machine, Need, Phase, State};
use serde_json::{Value, json};

use super::live::{InFlight, Live, Queued, Work, lost_checks, lost_jobs, never_made, not_made};
use super::messages::{Submission, TurnInput};
use super::{ANY, BACK_OFF, Core, MAX_REDECISIONS, MAX_UNFINISHED, PRIORITY_STEP, parent, unstarted};
use crate::data::RunData;
use crate::engine::EngineError;
use crate::log::{NewEvent, PipeEvent, pack};
use crate::overlay::RecordView;
use crate::reads::{Read, Reader};
use crate::turn::{Finished, Handover, Turn};

impl Core {
    /// One turn as one member of a commit; without changes, the answer to the callers instead.
    pub(super) fn compose(
        &mut self,
        now: Timestamp,
        run: RunId,
        live: &mut Live,
        work: &[Queued],
    ) -> Result<(Member, InFlight), Undecided> {
        let reserved = work.iter().any(|item| matches!(item.work, Work::Slot)) && self.flow().is_called(run);
        let mut preconditions = Vec::new();
        let mut writes = Vec::new();
        let mut prelude = Vec::new();
        let mut status = live.row.as_ref().map_or(RunStatus::Running, |row| row.status);
        let mut schedule = live.row.as_ref().map(|row| row.schedule.clone()).unwrap_or_default();
        let mut program_hash = None;
        let mut new_row = None;
        let mut inputs: Vec<TurnInput> = Vec::new();
        let mut rechecks = Vec::new();
        for item in work {
            match &item.work {
                Work::Start(submission) => {
                    preconditions.push(Precondition::RunAbsent(run));
                    if let Some((key, digest)) = &submission.key {
                        preconditions.push(Precondition::KeyFree(key.clone()));
                        writes.push(Write::TakeKey { key: key.clone(), digest: *digest, run });
                    }
                    writes.extend(submission.writes.iter().cloned());
                    prelude.extend(submission.prelude.iter().cloned());
                    status = submission.status;
                    schedule.priority = submission.priority;
                    schedule.wake_at = submission.expires_at.filter(|_| !submission.start);
                    live.calls = submission.calls.clone();
                    live.data = RunData { input: submission.input.clone(), ..RunData::default() };
                    if let Some((hash, program)) = &submission.program {
                        program_hash = Some(*hash);
                        let code = Code::new(*hash, program.clone());
                        live.state = Some(State::new(&code));
                        live.code = Some(code);
                        self.programs.cache(*hash, program);
                        if submission.start {
                            inputs.push(TurnInput::Input(Input::Start, None));
                        }
                    }
                    new_row = Some(submission.clone());
                }
                Work::Command(command) => {
                    preconditions.extend(command.preconditions.iter().cloned());
                    writes.extend(command.writes.iter().cloned());
                    prelude.extend(command.prelude.iter().cloned());
                    inputs.extend(command.inputs.iter().cloned());
                    if item.unparks() {
                        rechecks.extend(lost_checks(live.state.as_ref()));
                    }
                    if let Some((hash, program, moved, input)) = &command.program {
                        program_hash = Some(*hash);
                        live.code = Some(Code::new(*hash, program.clone()));
                        live.state = Some(moved.state.clone());
                        live.data.migrate(&moved.map, &moved.steps);
                        live.data.input = input.clone();
                        self.programs.cache(*hash, program);
                    }
                    status = command.status.unwrap_or(status);
                }
                Work::Job(job, attempt, outcome) => inputs.push(TurnInput::Outcome(*job, *attempt, outcome.clone())),
                Work::NotMade(job, attempt) => inputs.push(not_made(*job, *attempt)),
                Work::Check(job, attempt, answer, asked) => {
                    inputs.push(TurnInput::Check(*job, *attempt, answer.clone(), *asked));
                }
                Work::Tick => inputs.push(TurnInput::Input(Input::Tick, None)),
                Work::Signals => inputs.push(TurnInput::Signals),
                Work::Slot => {}
                Work::TakeOver(from) => {
                    // The run may have changed concurrently; and a run that is taken over did not belong to this node
                    // before.
                    let owner = live.row.as_ref().and_then(|row| row.schedule.owner);
                    if schedule.owner != Some(*from) || owner != Some(*from) {
                        continue;
                    }
                    let jobs = if *from == self.node {
                        let in_hand = |job, attempt| self.in_hand.contains(&(run, job, attempt));
                        let checks = lost_checks(live.state.as_ref()).into_iter();
                        rechecks.extend(checks.filter(|(job, attempt)| !in_hand(*job, *attempt)));
                        never_made(live.state.as_ref(), in_hand)
                    } else {
                        schedule.fence += 1;
                        schedule.owner = Some(self.node);
                        rechecks.extend(lost_checks(live.state.as_ref()));
                        lost_jobs(live.state.as_ref())
                    };
                    if *from != self.node || !rechecks.is_empty() {
                        let data = json!({"from": from, "to": self.node});
                        prelude.push(NewEvent::pipe(PipeEvent::TakenOver, data, None));
                    }
                    // A stop that its parent wrote into its inbox comes before anything else, so that nothing new starts.
                    inputs.push(TurnInput::Stops);
                    inputs.extend(jobs);
                    inputs.push(TurnInput::Input(Input::Tick, None));
                }
            }
        }
        if let Some(row) = &live.row {
            let RunSchedule { seq, fence, .. } = row.schedule;
            preconditions.push(Precondition::RunAt { run, seq, fence });
            if live.state.as_ref().is_none_or(|state| state.phase() == Phase::New) {
                let has_machine = live.state.is_some();
                prelude.extend(unstarted::end(&mut status, &mut schedule, &mut inputs, has_machine, now));
            }
        }
        // Another node owns the run: the request is decided here, external calls start there.
        let guest = schedule.owner.is_some_and(|owner| owner != self.node);
        if live.redecided > MAX_REDECISIONS && live.is_atomic() {
            let message = "Concurrent changes to the same records kept this from being written; nothing was done. Try again in a moment.";
            let failure = Failure { retry_after: Some(BACK_OFF), ..Failure::transient("contention", message) };
            inputs.push(TurnInput::Input(Input::Halt(0, failure), None));
        }
        let runs_away = work.iter().all(|item| matches!(item.work, Work::Tick)) && live.unfinished > MAX_UNFINISHED;
        let had_doubts = live.state.as_ref().is_some_and(parent::has_doubts);
        let mut finished = match (&mut live.code, &mut live.state) {
            (Some(code), Some(state)) => {
                let mut turn = Turn {
                    scope: &live.scope,
                    run,
                    code,
                    state,
                    data: &mut live.data,
                    calls: &live.calls,
                    host: &self.host,
                    random: self.random.as_mut(),
                    now,
                    records: RecordView::over(Reader::of_turn(self.store.as_ref(), &live.scope, run, &live.known))
                        .without(&live.taken),
                    events: prelude,
                    writes,
                    preconditions: Vec::new(),
                    handovers: Vec::new(),
                    checks: Vec::new(),
                    unfinished: false,
                    priority: schedule.priority,
                    batch: None,
                    answer: Value::Null,
                    offered: false,
                    delegated: false,
                    flow: (!guest).then_some(self.flow.as_ref()),
                    later: BTreeSet::new(),
                    limit: None,
                    away: None,
                    refused: None,
                    answered: None,
                    bytes: 0,
                    signalled: Vec::new(),
                    at_cap: &live.at_cap,
                };
                for input in inputs {
                    turn.process(input);
                }
                for (job, attempt) in rechecks {
                    turn.request_check(job, attempt);
                }
                if runs_away {
                    turn.run_away();
                } else {
                    turn.advance();
                }
                let request = new_row.as_ref().map(|new| &new.request).or(live.row.as_ref().map(|row| &row.request));
                if request.is_some_and(|request| request.get("parent").is_some() && request.get("undo_of").is_some()) {
                    turn.end_with_letters();
                }
                turn.finish()
            }
            _ => Finished { events: prelude, writes, ..Finished::default() },
        };
        finished.had_doubts = had_doubts;
        if work.iter().any(|item| matches!(item.work, Work::Slot)) {
            let tenant = live.scope.tenant();
            if finished.missed.is_empty() {
                self.flow().release_reserved_slot(run);
            } else {
                let limit = schedule.queued.as_ref().map_or(ANY, |place| place.limit.as_str());
                self.flow().call_again(tenant, run, limit, reserved);
            }
        }
        let missed = std::mem::take(&mut finished.missed);
        let undecided = (!missed.is_empty())
            .then_some(Undecided::Unread(missed))
            .or_else(|| finished.away.take().map(Undecided::Away))
            .or_else(|| finished.refused.take().map(Undecided::Refused));
        if let Some(undecided) = undecided {
            for Handover { context, .. } in &finished.handovers {
                self.flow().release((run, context.job, context.attempt), false);
            }
            return Err(undecided);
        }
        if finished.events.is_empty() && finished.writes.is_empty() && new_row.is_none() {
            // Called, but without a slot after all: it keeps waiting. If it waits for a different limit than its row says, the
            // row is written, so that nodes with free slots find it.
            let waits_for = finished.limit.as_ref().zip(schedule.queued.as_ref());
            let called = work.iter().all(|item| matches!(item.work, Work::Slot));
            if waits_for.is_none_or(|(limit, place)| *limit == place.limit) || !called {
                if let Some((limit, place)) = waits_for {
                    self.flow().wait(live.scope.tenant(), run, place.order, limit);
                }
                return Err(Undecided::Nothing(finished.answer));
            }
        }
        Ok(self.member(now, run, live, Parts { finished, preconditions, status, schedule, program_hash, new_row }))
    }

    fn member(&self, now: Timestamp, run: RunId, live: &Live, parts: Parts) -> (Member, InFlight) {
        let Parts { mut finished, mut preconditions, mut status, mut schedule, program_hash, new_row } = parts;
        let mut nudge = false;
        if let Some(state) = live.state.as_ref().filter(|state| state.phase() != Phase::New) {
            status = state.status();
            schedule.wake_at = state.wake_at();
            let under_way = finished.unfinished
                || state
                    .jobs
                    .values()
                    .any(|job| matches!(job.status, JobStatus::Running | JobStatus::Checking { again: None }));
            let guest = schedule.owner.filter(|owner| *owner != self.node);
            let owner = under_way.then_some(guest.unwrap_or(self.node));
            if owner.is_some() && owner != schedule.owner {
                schedule.fence += 1;
            }
            schedule.owner = owner;
            let waits = finished.limit.take().filter(|_| {
                let next = live.code.as_ref().and_then(|code| Machine::new(code).next(state));
                !finished.unfinished && matches!(next, Some(Need::Start(..)))
            });
            let order = || now.as_millis() - i64::from(schedule.priority) * PRIORITY_STEP;
            let place = waits.map(|limit| QueuePlace {
                order: schedule.queued.as_ref().map_or_else(order, |place| place.order),
                limit,
            });
            if guest.is_some() && owner.is_some() && place.is_some() {
                nudge = true;
                schedule.queued = None;
            } else {
                schedule.queued = place;
            }
        }
        let parent = parent::tell_parent(now, run, live, new_row.as_deref(), &finished, self.host.as_ref());
        let first = schedule.seq;
        schedule.seq += finished.events.len() as u64;
        let mut writes = Vec::with_capacity(finished.writes.len() + 3);
        if nudge {
            // The owner of the run finds this in its inbox and continues.
            let body = json!({"go_on": true});
            writes.push(Write::Signal(SignalRow { run, id: format!("go on {}", schedule.seq), at: now, body }));
        }
        let mut signalled = std::mem::take(&mut finished.signalled);
        if let Some(signal) = parent {
            signalled.push(signal.run);
            writes.push(Write::Signal(signal));
        }
        match &new_row {
            Some(submission) => writes.push(Write::NewRun(Box::new(RunRow {
                id: run,
                tenant: live.scope.tenant().clone(),
                created_at: now,
                updated_at: now,
                status,
                program: program_hash,
                request: submission.request.clone(),
                erased: false,
                schedule: schedule.clone(),
            }))),
            None => writes.push(Write::UpdateRun {
                run,
                status,
                at: now,
                schedule: schedule.clone(),
                program: program_hash,
            }),
        }
        let mut appended = None;
        if !finished.events.is_empty() {
            let row = Arc::new(pack(run, first, now, finished.events));
            appended = Some(row.clone());
            writes.push(Write::Append(row));
        }
        writes.extend(finished.writes);
        preconditions.extend(finished.preconditions);
        let member = Member { scope: live.scope.clone(), preconditions, writes };
        let queued = schedule.queued.clone();
        let in_flight = InFlight {
            work: Vec::new(),
            at: now,
            appended,
            schedule,
            status,
            program: program_hash,
            handovers: finished.handovers,
            checks: finished.checks,
            unfinished: finished.unfinished,
            answer: finished.answer,
            offered: finished.offered,
            delegated: finished.delegated,
            queued,
            signalled,
            parks: false,
        };
        (member, in_flight)
    }
}

/// Why a turn has nothing to commit.
pub(super) enum Undecided {
    /// Nothing follows; the answer to the callers.
    Nothing(Value),
    /// Reads are missing.
    Unread(Vec<Read>),
    /// A read of the turn failed.
    Away(StoreError),
    /// The request conflicts with the state of the run.
    Refused(EngineError),
}

struct Parts {
    finished: Finished,
    preconditions: Vec<Precondition>,
    status: RunStatus,
    schedule: RunSchedule,
    program_hash: Option<Digest>,
    new_row: Option<Arc<Submission>>,
}
