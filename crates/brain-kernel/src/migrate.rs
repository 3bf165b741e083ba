//! Migrates runs in progress to the loaded packs. Never automatic: a deploy leaves runs alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use brain_core::{Digest, RunId, RunStatus};
use brain_engine::{Engine, EngineError, RunInput, RunState, Work};
use brain_lang::plan::OnFailure;
use brain_registry::model::BatchPolicy;
use brain_store::Scope;
use brain_vm::{Phase, Program, StepId, StepMap, StepState};
use serde_json::Value;

use crate::plan::{Wanted, plan};
use crate::{Kernel, KernelError, Report};

/// The effect of migrating a run.
#[derive(Clone, Debug)]
pub struct Move {
    /// The run.
    pub run: RunId,
    /// What it runs: a playbook, or calls.
    pub name: String,
    /// Its current program.
    pub from: Digest,
    /// Its new program; `None` if there is none.
    pub to: Option<Digest>,
    /// Steps that have started and stay unchanged.
    pub unchanged: Vec<String>,
    /// Steps still to be done.
    pub ahead: Vec<String>,
    /// Why it cannot be migrated.
    pub problems: Vec<String>,
}

impl Move {
    /// Whether it is already up to date.
    pub fn is_there(&self) -> bool {
        self.to == Some(self.from)
    }
}

/// The target of a migration.
struct Target {
    hash: Digest,
    program: Arc<Program>,
    input: RunInput,
}

impl Kernel {
    /// The effect of migrating a run to the loaded packs. Changes nothing.
    pub fn plan_move(&self, scope: &Scope, run: RunId, map: &StepMap) -> Result<Move, KernelError> {
        let state = self.engine().run_state(scope, run)?;
        Ok(self.look_at_move(scope, &state, map).0)
    }

    fn look_at_move(&self, scope: &Scope, state: &RunState, map: &StepMap) -> (Move, Option<Target>) {
        let name = state.program().map_or_else(String::new, |program| program.name.clone());
        let mut about = Move {
            run: state.row.id,
            name,
            from: state.row.program.unwrap_or_else(|| Digest::of(b"")),
            to: None,
            unchanged: Vec::new(),
            ahead: Vec::new(),
            problems: Vec::new(),
        };
        match state.state.as_ref().map(brain_vm::State::phase) {
            None => about.problems.push("nothing was planned for it".into()),
            Some(Phase::New) => {
                about.problems.push("its plan is waiting for approval; reject it and make the request again".into());
            }
            Some(_) => {}
        }
        if !about.problems.is_empty() {
            return (about, None);
        }
        let target = match self.target(scope, state) {
            Ok(target) => target,
            Err(problems) => {
                about.problems = problems;
                return (about, None);
            }
        };
        about.to = Some(target.hash);
        if about.is_there() {
            return (about, None);
        }
        match Engine::migration(state, &(target.hash, target.program.clone()), map) {
            Ok(migration) => {
                for (number, step) in target.program.steps.iter().enumerate() {
                    let at = StepId { scope: 0, step: number as u16 };
                    let begun = *migration.state.step_state(at) != StepState::Pending;
                    let mapped = migration.steps.values().any(|to| usize::from(*to) == number);
                    if begun && mapped { &mut about.unchanged } else { &mut about.ahead }.push(step.id.clone());
                }
                (about, Some(target))
            }
            Err(problems) => {
                about.problems = problems;
                (about, None)
            }
        }
    }

    /// The program that the same request would get now.
    fn target(&self, scope: &Scope, state: &RunState) -> Result<Target, Vec<String>> {
        let program = state.program().ok_or_else(|| vec!["it has no program".to_owned()])?;
        let mut input = state.data.input.clone();
        let args = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let tenant = scope.tenant().as_str();
        let wanted: Vec<Wanted> = match &input.work {
            Work::Calls(calls) => {
                let steps = program.steps.iter().zip(calls);
                steps
                    .map(|(step, call)| Wanted {
                        target: step.tool.name.clone(),
                        args: args(call),
                        unclear: BTreeMap::new(),
                        in_words: false,
                    })
                    .collect()
            }
            Work::Playbook(playbook) if self.registry().playbook_for(tenant, &program.name).is_some() => {
                vec![Wanted {
                    target: program.name.clone(),
                    args: args(&playbook.slots),
                    unclear: BTreeMap::new(),
                    in_words: false,
                }]
            }
            Work::Playbook(_) => {
                return Err(vec![format!("the packs no longer have the playbook `{}`", program.name)]);
            }
        };
        if program.atomic {
            return Err(vec!["it is an atomic batch".into()]);
        }
        let policy = match program.steps.first().map(|step| step.on_failure) {
            Some(OnFailure::Continue) if input.playbook().is_none() => BatchPolicy::BestEffort,
            _ => BatchPolicy::Plain,
        };
        let undoes = program.steps.first().is_some_and(|step| step.on_failure == OnFailure::Letter);
        let planned = plan(self.registry(), tenant, wanted, policy)
            .map(|planned| if undoes { planned.into_undo() } else { planned })
            .map_err(|problems| problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>())?;
        let (hash, program) =
            self.program(&planned, self.toolbox().settings().digest()).map_err(|error| vec![error.to_string()])?;
        // The rest of the request stays: actor, conversation, limits.
        input.work = planned.input.work;
        Ok(Target { hash, program, input })
    }

    /// Migrates a run. Steps in progress continue in the new version; finished steps are not repeated.
    pub async fn move_run(&self, scope: &Scope, run: RunId, map: &StepMap, by: &str) -> Result<Report, KernelError> {
        let state = self.engine().run_state(scope, run)?;
        let (about, target) = self.look_at_move(scope, &state, map);
        if !about.problems.is_empty() {
            return Err(KernelError::Conflict(format!("run {run} cannot be migrated: {}", about.problems.join("; "))));
        }
        let Some(Target { hash, program, input }) = target else { return self.report(scope, run) };
        let definitions = self.definitions(hash, &program);
        let moved = self.engine().migrate(scope, run, (hash, program), map, input, definitions, by).await;
        match moved {
            Ok(_) => self.report(scope, run),
            Err(error @ EngineError::NotMovable(..)) => Err(KernelError::Conflict(error.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    /// Runs in progress with a program of this name, newest first, up to a maximum.
    pub fn under_way(&self, scope: &Scope, name: &str, limit: usize) -> Result<Vec<RunId>, KernelError> {
        let mut found = Vec::new();
        for status in [RunStatus::Running, RunStatus::Waiting, RunStatus::Delegated] {
            let mut cursor = None;
            loop {
                let page = self.store().runs(scope, Some(status), 200, cursor.as_deref())?;
                for row in page.items {
                    let Some(hash) = row.program else { continue };
                    if self.engine().program(hash).is_ok_and(|program| program.name == name) {
                        found.push(row.id);
                    }
                    if found.len() >= limit {
                        return Ok(found);
                    }
                }
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
        }
        Ok(found)
    }
}
