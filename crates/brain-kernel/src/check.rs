//! Check: validates a plan against schemas, records, costs and limits before anyone is asked or anything runs.

use brain_core::{FailureClass, JobKey, Millis};
use brain_engine::{JobContext, RecordView, RunInput, Work, blob_writes};
use brain_registry::model::{Consent, Effect};
use brain_vm::StepId;
use serde_json::Value;

use crate::NextAction;
use crate::budget::budget;
use crate::draft::Draft;
use crate::eligible;
use crate::intake::{Mode, Request};
use crate::kernel::Kernel;
use crate::narrate::{PlannedCall, Problem, describe_call};
use crate::plan::{Planned, Shape, Wanted, plan};
use crate::stage::shortened;

impl Kernel {
    /// Plans, checks and asks for consent.
    pub(crate) fn check(&self, request: &Request, draft: &mut Draft, wanted: Vec<Wanted>) {
        let mut planned = match plan(self.registry(), request.scope.tenant().as_str(), wanted, request.policy) {
            Ok(planned) if request.undo_of.is_some() => planned.into_undo(),
            Ok(planned) => planned,
            Err(problems) => return draft.refuse(&problems),
        };
        let mut problems = eligible::problems(self.registry(), &request.actor, &planned.calls);
        // In a compensation, a record that is gone fails one undo and must not prevent the others.
        let compensates = request.undo_of.is_some() && request.parent.is_some();
        if !compensates {
            let (store, scope) = (self.store().as_ref(), &request.scope);
            problems.extend(eligible::unknown_records(self.registry(), store, scope, &planned.calls));
        }
        if problems.is_empty()
            && let (Shape::Playbook { name, .. }, Work::Playbook(input)) = (&planned.shape, &planned.input.work)
        {
            let (store, scope) = (self.store().as_ref(), &request.scope);
            problems = eligible::unknown_in(self.registry(), store, scope, name, &input.schema, &input.slots, &[]);
        }
        // The minimum cost decides whether the plan is refused now; the maximum is shown and reserved.
        let limit = request.limits.max_tool_calls;
        let least = eligible::cost(self.registry(), &self.toolbox, &planned.calls, 0);
        let cost = eligible::cost(self.registry(), &self.toolbox, &planned.calls, limit);
        if let Some(limit) = &request.limits.max_cost {
            problems.extend(eligible::too_expensive(self.registry(), &self.toolbox, &least, limit));
        }
        problems.extend(planned.too_many_steps());
        if !problems.is_empty() {
            draft.calls(&planned);
            return draft.refuse(&problems);
        }
        let waits = self.waits(request, &planned);
        // An approval also caps the cost at the maximum shown.
        let own = eligible::own_currency(self.registry());
        // A price that only an earlier step can supply is shown when that step asks for its own approval.
        let open = eligible::unpriced(self.registry(), &self.toolbox, &planned.calls);
        let is_shown_later = open.iter().any(|tool| tool.def.consent == Consent::Approver);
        let ceiling = cost.get(&own).filter(|_| waits && !is_shown_later && request.limits.max_cost.is_none());
        if let Some(budget) = budget(self.registry(), request, draft.run, &planned, ceiling.map(String::as_str)) {
            planned.input.max_tool_calls = budget.calls;
            planned.input.budget = Some(budget);
        }
        let flags = request.context.as_object().filter(|_| self.registry().names_flags());
        planned.input = RunInput {
            asked_by: request.actor.name.clone(),
            bounds: request.actor.bounds(),
            conversation: request.conversation.clone(),
            trace: request.trace.clone(),
            context: flags.cloned().unwrap_or_default(),
            needs_approver: planned.consent == Consent::Approver,
            cost,
            ..planned.input
        };
        // From here on the input does not change: the same value is run, approved and logged.
        if planned.input.is_large() {
            // The first turn works on the values themselves: the blobs are in the store by then.
            draft.input = Some(planned.input.clone());
            let mut large = Vec::new();
            planned.input.offload(&mut large);
            draft.writes.extend(blob_writes(large, self.clock().now()));
        }
        let known = |call: &PlannedCall| u64::from(call.times.unwrap_or(0));
        let count: u64 = planned.calls.iter().map(known).sum();
        if count > u64::from(limit) {
            let calls = if count == 1 { "call" } else { "calls" };
            let message = format!("This would take {count} tool {calls}; the limit of the request is {limit}.");
            draft.calls(&planned);
            return draft.refuse(&[Problem::new("too_many_tool_calls", message)]);
        }
        // An undo sees the settings of the run that it undoes.
        let undone = request.undo_of.as_ref().and_then(|undo| undo["settings"].as_str()?.parse().ok());
        let settings = undone.unwrap_or_else(|| self.toolbox.settings().digest());
        let (hash, program) = match self.program(&planned, settings) {
            Ok(found) => found,
            Err(error) => return draft.refuse(&[Problem::new("bad_plan", error.to_string())]),
        };
        draft.program = Some((hash, program));
        draft.calls(&planned);
        match request.mode {
            Mode::Answer => {
                let lines: Vec<String> =
                    planned.calls.iter().map(|call| self.describe(&call.tool, &call.input)).collect();
                let text = format!("This is what would be done:\n{}\nNothing was done.", shortened(&lines));
                draft.answer(&text, vec![NextAction::Do]);
                draft.program = None;
            }
            _ if waits => match self.unmet(request, draft, &planned) {
                // A call that would be refused after the approval is refused before anyone is asked.
                Some(problem) => return draft.refuse(&[problem]),
                None => self.stage(request, draft, &planned, hash),
            },
            _ => draft.start = true,
        }
        draft.planned = Some(planned);
    }

    /// The precondition of the plan's calls that does not hold now, if any. Calls after the first one with an effect are
    /// left to execution, because that effect may fulfil their preconditions; so are calls whose arguments or conditions
    /// are known only then. Execution checks all of them again.
    fn unmet(&self, request: &Request, draft: &Draft, planned: &Planned) -> Option<Problem> {
        if request.undo_of.is_some() {
            return None;
        }
        let now = self.clock().now();
        for call in &planned.calls {
            let tool = self.registry().tool(&call.tool)?;
            let call =
                (!call.conditional && call.times == Some(1)).then(|| tool.validate(call.input.clone()).ok())??;
            let job = JobContext {
                scope: request.scope.clone(),
                run: draft.run,
                key: JobKey::derive(now, draft.run, "", &call.tool().def.name, 0, false),
                job: StepId { scope: 0, step: 0 }.job(0),
                step: String::new(),
                conversation: request.conversation.clone(),
                trace: None,
                attempt: 1,
                started: now,
                now,
                timeout: Millis(0),
                settings: None,
            };
            let mut records = RecordView::new(self.store().as_ref(), &request.scope);
            // A failure of another class is not a refusal: the call may wait, or the store is away.
            if let Err(failure) = self.toolbox.admit(&call, &job, &mut records)
                && failure.class == FailureClass::Business
            {
                let problem = Problem::new(&failure.code, failure.message);
                return Some(Problem { tool: Some(tool.def.name.clone()), ..problem });
            }
            if tool.def.effect != Effect::Read {
                return None;
            }
        }
        None
    }

    /// Whether a plan waits for a decision.
    pub(crate) fn waits(&self, request: &Request, planned: &Planned) -> bool {
        let acknowledged =
            |call: &PlannedCall| self.registry().tool(&call.tool).is_some_and(|tool| tool.def.acknowledge.is_some());
        planned.consent == Consent::Approver || planned.calls.iter().any(acknowledged) || request.mode == Mode::Plan
    }

    /// One line about a call, for people.
    pub(crate) fn describe(&self, tool: &str, input: &Value) -> String {
        let line = self.registry().tool(tool).map(|tool| describe_call(&tool.def, input));
        format!("  {}", line.unwrap_or_else(|| tool.to_owned()))
    }
}
