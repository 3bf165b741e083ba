//! Child runs of a run that is being stopped: they are stopped with it, also if it is unknown whether they were started.

use brain_core::{Failure, planted};
use brain_registry::ToolResult;
use brain_store::{Precondition, SignalRow, Write};
use brain_vm::{Event, Happened, JobId, JobStatus, Machine, Phase, ScopeId};
use serde_json::{Value, json};

use super::grow::payload as with_result;
use super::{Turn, guarded};
use crate::core::{CHILD_IN_DOUBT, ChildStart, never_started};
use crate::host::Starts;

impl Turn<'_> {
    /// Cancels the child runs of what stops, in the same commit.
    pub(super) fn stop_children(&mut self, event: &Event) {
        match event {
            Event::ScopeStopped { scope, .. } => {
                let mut children = self.jobs_that(|status| matches!(status, JobStatus::Delegated { child: true, .. }));
                children.retain(|job| self.state.contains(*scope, job.scope));
                for job in children {
                    self.stop_child(job, "cancel");
                }
            }
            // The child is no longer awaited, unless its own answer caused this event: then it has ended.
            Event::JobStuck { job, .. } if self.answered != Some(*job) => {
                let open = self.state.jobs.get(job).map(|open| &open.status);
                if matches!(open, Some(JobStatus::Delegated { child: true, .. })) {
                    // It was cancelled when the scope stopped; now its stop is forced too.
                    self.stop_child(*job, if self.is_stopped(*job) { "force" } else { "cancel" });
                }
            }
            _ => {}
        }
    }

    /// Cancels a child run whose start is reported after its step was stopped.
    pub(super) fn stop_late_child(&mut self, event: &Event) {
        if let Event::JobDelegated { job, child: true, .. } = event
            && self.is_stopped(*job)
            && !planted("late-child")
        {
            self.stop_child(*job, "cancel");
        }
    }

    /// Whether a step was stopped, so that its answer is only awaited. An undo is what the scope still does.
    fn is_stopped(&self, job: JobId) -> bool {
        !job.undo && self.state.phase_of(job) != Phase::Running
    }

    fn stop_child(&mut self, job: JobId, how: &str) {
        let child = self.data.pending.get(&job).and_then(|it| it["delegate"]["child_run"].as_str()?.parse().ok());
        let Some(child) = child else { return };
        // The second signal is another cancellation, which forces the stop.
        let id = format!("{how} {}", self.key(job));
        let body = json!({"cancel": {"run": self.run}});
        self.writes.push(Write::Signal(SignalRow { run: child, id, at: self.now, body }));
        self.signalled.push(child);
    }

    /// Events with their payloads; the payload belongs to the first. A step that was to start a child run and whose
    /// outcome is unknown does not become, or stay, a dead letter when its scope stops: the child is found by its key,
    /// or its key is taken, so that it is never started.
    pub(super) fn with_children_found(
        &mut self,
        events: Vec<Event>,
        mut payload: Option<Value>,
    ) -> Vec<(Event, Option<Value>)> {
        let stops = events.iter().filter_map(|event| match event {
            Event::ScopeStopped { scope, .. } => Some(*scope),
            _ => None,
        });
        let stops: Vec<ScopeId> = stops.collect();
        let within = |turn: &Self, job: JobId| stops.iter().any(|scope| turn.state.contains(*scope, job.scope));
        let mut all = Vec::with_capacity(events.len());
        if !stops.is_empty() {
            let mut stuck = self.jobs_that(|status| *status == JobStatus::Stuck { happened: Happened::Maybe });
            stuck.retain(|job| within(self, *job));
            for job in stuck {
                let last = self.data.attempts.get(&job).and_then(|list| list.last());
                // The child has ended, and has letters of its own.
                if last.is_some_and(|attempt| attempt.failure.code == CHILD_IN_DOUBT) {
                    continue;
                }
                let attempt = self.state.jobs[&job].attempt;
                all.extend(self.find_child(job, attempt).into_iter().flatten());
            }
        }
        for event in events {
            if let Event::JobStuck { job, attempt, happened: Happened::Maybe, failure } = &event
                && failure.code != CHILD_IN_DOUBT
                && (within(self, *job) || self.is_stopped(*job))
                && let Some(found) = self.find_child(*job, *attempt)
            {
                all.extend(found);
                continue;
            }
            all.push((event, payload.take()));
        }
        all
    }

    /// What follows for a step that may have started a child run; `None` if it starts none, or has heard of it before.
    fn find_child(&mut self, job: JobId, attempt: u32) -> Option<Vec<(Event, Option<Value>)>> {
        let open = self.state.jobs.get(&job).filter(|open| open.delegated != attempt && !job.undo)?;
        if matches!(open.status, JobStatus::Delegated { .. }) {
            return None;
        }
        let tool = &self.state.step(self.code, job.at()).tool;
        let args = self.data.args.get(&job).unwrap_or(&Value::Null);
        let starts = guarded(|| Ok::<_, Failure>(self.host.starts(tool, args))).unwrap_or_default();
        if starts == Starts::Nothing {
            return None;
        }
        let start = self.records.reader.child(self.key(job), starts == Starts::Child);
        let start = start.map_err(|error| self.away = Some(error)).ok()?;
        let machine = Machine::new(self.code);
        match start {
            ChildStart::Run(run) => {
                let mut result = ToolResult::ok(json!({"run_id": run, "status": "started"}));
                let events = match starts {
                    Starts::Child => {
                        result.delegate = Some(json!({"child_run": run}));
                        machine.child_found(self.state, job, attempt)
                    }
                    // Nobody waits for it, and it goes on.
                    _ if self.is_stopped(job) => vec![Event::JobDone { job, attempt }],
                    _ => return None,
                };
                let mut payload = Some(with_result(None, &result));
                Some(events.into_iter().map(|event| (event, payload.take())).collect())
            }
            ChildStart::Free(key) => {
                let events = machine.child_not_started(self.state, job, attempt);
                self.preconditions.push(Precondition::KeyFree(key.clone()));
                self.writes.push(Write::TakeKey { key, digest: never_started(), run: self.run });
                Some(events.into_iter().map(|event| (event, None)).collect())
            }
            ChildStart::Never => None,
        }
    }
}
