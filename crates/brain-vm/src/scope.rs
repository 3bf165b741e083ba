//! Scopes: activations of a piece of program. The run is the root; a loop round, an item of a list of blocks, and the
//! steps that a result brought along are its descendants. Stopping and compensating act on a scope and what lies below.

use std::collections::BTreeMap;

use brain_core::Failure;
use serde::{Deserialize, Serialize};

use crate::job::{JobId, ScopeId};
use crate::{Code, Program, State, StepId};

/// How a scope ends once no job of it is under way any more, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It failed.
    Fail,
    /// Someone cancelled it.
    Cancel,
    /// What was done is taken back first.
    Compensate,
}

/// How a run or another scope ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Everything was done.
    Completed,
    /// Something failed; what was done and is not listed as taken back stays.
    Failed,
    /// Someone cancelled it; what was done stays.
    Cancelled,
    /// Something failed and everything that was done was taken back.
    Compensated,
}

/// What a scope is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not started. Only a run can be.
    New,
    /// Fibers move.
    Running,
    /// Nothing new starts; jobs that are under way are awaited.
    Stopping(Stop),
    /// What was done is taken back.
    Compensating,
    /// It is over.
    Ended(End),
}

/// What opened a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opener {
    /// Whoever started the run.
    Run,
    /// The result of this job brought steps along.
    Job(JobId),
    /// This fiber waits for a block of its program, for this item if there is one for each.
    Fiber {
        /// The fiber.
        fiber: u32,
        /// The item, or 0.
        item: u32,
    },
}

/// Where a step stands in a scope. A step that is not noted has not been reached.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Not reached.
    Pending,
    /// Reached.
    Active,
    /// Reached; one job (or block) an item.
    Each {
        /// How many items.
        count: u32,
        /// The next item to start.
        next: u32,
        /// How many are finished.
        finished: u32,
    },
    /// Finished.
    Done,
    /// Its condition did not hold.
    Skipped,
    /// A step whose result it uses failed or was bypassed.
    Bypassed,
    /// It failed.
    Failed,
}

impl StepState {
    /// Whether nothing more happens to it.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Done | Self::Skipped | Self::Bypassed | Self::Failed)
    }
}

/// One activation of a piece of program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Scope {
    /// The scope it lies in; none for the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ScopeId>,
    /// What opened it.
    pub opener: Opener,
    /// The program it runs, by its number in [`Code`].
    pub code: u16,
    /// What it is doing.
    pub phase: Phase,
    /// Whether nothing waits for people, workers or other engines any more on the way to its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    /// Whether it came to take back what was done in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub took_back: bool,
    /// How many fibers it has.
    pub fibers: u32,
    /// How many fibers have arrived at each join.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub joins: BTreeMap<u16, u16>,
    /// Where its steps stand, as far as they were reached.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub steps: BTreeMap<u16, StepState>,
    /// Why it stopped, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl Scope {
    pub(crate) fn new(parent: Option<ScopeId>, opener: Opener, code: u16) -> Self {
        Self {
            parent,
            opener,
            code,
            phase: if parent.is_some() { Phase::Running } else { Phase::New },
            forced: false,
            took_back: false,
            fibers: 0,
            joins: BTreeMap::new(),
            steps: BTreeMap::new(),
            failure: None,
        }
    }

    /// Whether it takes back something: what happens in it is not part of what is being taken back.
    pub fn is_undo(&self) -> bool {
        matches!(self.opener, Opener::Job(job) if job.undo)
    }

    /// Whether a failure in it stops it rather than the scope around it.
    pub(crate) fn catches(&self) -> bool {
        !matches!(self.opener, Opener::Job(job) if !job.undo)
    }

    /// Whether it is on its way to its end.
    pub(crate) fn is_winding_down(&self) -> bool {
        matches!(self.phase, Phase::Stopping(_) | Phase::Compensating)
    }
}

impl State {
    /// A scope that this run's own events named.
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id as usize]
    }

    pub(crate) fn scope_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.scopes[id as usize]
    }

    /// The scopes around this one, itself first, the run last.
    pub fn outward(&self, id: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(id), |id| self.scope(*id).parent)
    }

    /// Whether a scope is another one or lies in it.
    pub(crate) fn is_within(&self, inner: ScopeId, outer: ScopeId) -> bool {
        // A scope is numbered after the one it lies in.
        self.outward(inner).take_while(|id| *id >= outer).any(|id| id == outer)
    }

    /// Whether a scope is another one or contains it.
    pub fn contains(&self, outer: ScopeId, inner: ScopeId) -> bool {
        self.is_within(inner, outer)
    }

    /// The scope that stops when something in this one fails.
    pub(crate) fn catcher(&self, id: ScopeId) -> ScopeId {
        self.outward(id).find(|id| self.scope(*id).catches()).unwrap_or(0)
    }

    /// The scope whose phase decides what may happen to a job: the nearest one that is winding down, or the outermost.
    /// Taking something back goes on whatever the scopes around it do.
    pub(crate) fn governor(&self, job: JobId) -> ScopeId {
        let mut last = job.scope;
        for id in self.outward(job.scope) {
            last = id;
            let scope = self.scope(id);
            // A job that takes something back is governed by the compensation that it is part of.
            if scope.is_winding_down() || (scope.is_undo() && !job.undo) {
                break;
            }
        }
        last
    }

    /// The phase that decides what may happen to a job.
    pub fn phase_of(&self, job: JobId) -> Phase {
        self.scope(self.governor(job)).phase
    }

    /// The program of a scope.
    pub fn program<'c>(&self, code: &'c Code, id: ScopeId) -> &'c Program {
        code.program(self.scope(id).code)
    }

    /// The plan step of a job.
    pub fn step<'c>(&self, code: &'c Code, at: StepId) -> &'c brain_lang::plan::PlanStep {
        self.program(code, at.scope).step(at.step)
    }

    /// Where a step stands.
    pub fn step_state(&self, at: StepId) -> &StepState {
        self.scope(at.scope).steps.get(&at.step).unwrap_or(&StepState::Pending)
    }

    /// The path of a scope as people see it: the ids of the steps that lead to it, with the item where there is a list.
    /// Empty for the run.
    pub fn path(&self, code: &Code, id: ScopeId) -> String {
        let mut parts: Vec<String> = Vec::new();
        for id in self.outward(id) {
            let scope = self.scope(id);
            match scope.opener {
                Opener::Run => {}
                Opener::Job(job) => {
                    let step = self.step(code, job.at());
                    let item = if step.foreach.is_some() { format!("[{}]", job.item + 1) } else { String::new() };
                    let undo = if job.undo { ":undo" } else { "" };
                    parts.push(format!("{}{item}{undo}", step.id));
                }
                Opener::Fiber { item, .. } => parts.push(format!("#{id}[{}]", item + 1)),
            }
        }
        parts.reverse();
        parts.join("/")
    }

    /// The full id of a step: the path of its scope and its own id.
    pub fn step_path(&self, code: &Code, at: StepId) -> String {
        let id = &self.step(code, at).id;
        if at.scope == 0 { id.clone() } else { format!("{}/{id}", self.path(code, at.scope)) }
    }

    /// The step with this full id, if the run has come that far.
    pub fn find_step(&self, code: &Code, path: &str) -> Option<StepId> {
        let (inside, id) = path.rsplit_once('/').unwrap_or(("", path));
        // Trying to take something back once more opens a scope of the same path: the latest is meant.
        let scopes = (0..self.scopes.len() as ScopeId).rev();
        scopes.filter(|scope| self.path(code, *scope) == inside).find_map(|scope| {
            let step = self.program(code, scope).step_index(id)?;
            Some(StepId { scope, step })
        })
    }
}
