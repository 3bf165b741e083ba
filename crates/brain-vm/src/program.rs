//! A program: what plans compile to. Immutable, addressed by the hash of its canonical form.

use std::fmt;

use brain_core::{Digest, Millis, canonical_digest};
use brain_lang::plan::PlanStep;
use serde::{Deserialize, Serialize};

/// The address of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgramId(pub Digest);

impl fmt::Display for ProgramId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Code and the tables it refers to. The steps pin the hashes of the tool definitions they use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// What people call it.
    pub name: String,
    /// The instructions; execution starts at 0.
    pub code: Vec<Op>,
    /// How many fibers each join waits for.
    pub joins: Vec<u16>,
    /// The steps that instructions refer to.
    pub steps: Vec<PlanStep>,
    /// Which step each instruction belongs to.
    pub debug_map: Vec<Option<u16>>,
    /// How long a run may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Millis>,
    /// Hard stop on the number of jobs.
    pub max_steps: u32,
    /// All of it is one commit, or none of it happens.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub atomic: bool,
}

/// One instruction. The numbers are part of the stored format: never reused, never changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Goes on at several places at once.
    Fork(Vec<u32>),
    /// Goes on elsewhere.
    Jump(u32),
    /// Waits until all fibers of this join have arrived; the last one goes on.
    Join(u16),
    /// Yields for a condition; if it does not hold the step is skipped.
    When {
        /// The step whose condition is meant.
        step: u16,
        /// Where to go on when it does not hold.
        otherwise: u32,
    },
    /// Yields for one job.
    Job(u16),
    /// Yields for a list, then for one job an item.
    Each(u16),
    /// The fiber ends.
    End,
}

impl Program {
    /// The address.
    pub fn id(&self) -> ProgramId {
        ProgramId(canonical_digest(self))
    }

    /// The index of a step by its id.
    pub fn step_index(&self, id: &str) -> Option<u16> {
        self.steps.iter().position(|step| step.id == id).and_then(|index| u16::try_from(index).ok())
    }

    /// The step at an index that this program's own code or events named.
    pub fn step(&self, index: u16) -> &PlanStep {
        &self.steps[usize::from(index)]
    }

    /// One line an instruction, for people and golden files.
    pub fn listing(&self) -> String {
        let mut text = String::new();
        for (pc, op) in self.code.iter().enumerate() {
            let line = match op {
                Op::Fork(targets) => format!("fork  {targets:?}"),
                Op::Jump(to) => format!("jump  {to}"),
                Op::Join(join) => format!("join  j{join} x{}", self.joins[usize::from(*join)]),
                Op::When { step, otherwise } => format!("when  {} else {otherwise}", self.step(*step).id),
                Op::Job(step) => format!("job   {} = {}", self.step(*step).id, self.step(*step).tool.name),
                Op::Each(step) => format!("each  {} = {}", self.step(*step).id, self.step(*step).tool.name),
                Op::End => "end".to_owned(),
            };
            text.push_str(&format!("{pc:>3}  {line}\n"));
        }
        text
    }
}
