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
    /// Fragments that this run has grown by. Always empty in a stored program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fragments: Vec<Fragment>,
}

/// Steps that a run has grown by: where they start in the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fragment {
    /// The instruction at which its first fiber sets out.
    pub entry: u32,
    /// The path of its steps: their ids start with this and a slash.
    pub path: String,
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
    /// All steps of a fragment are over: the step that brought them along can end.
    Return(u16),
}

impl Program {
    /// The address.
    pub fn id(&self) -> ProgramId {
        ProgramId(canonical_digest(self))
    }

    /// Appends the program of injected steps under `path`. Numbers of what is there do not change, so that every
    /// event written so far keeps its meaning.
    pub fn grow(&mut self, fragment: &Program, path: &str) {
        let (code, joins, steps) = (self.code.len() as u32, self.joins.len() as u16, self.steps.len() as u16);
        let number = self.fragments.len() as u16;
        let leaves = fragment.code.iter().filter(|op| **op == Op::End).count();
        let last = code + fragment.code.len() as u32;
        for op in &fragment.code {
            self.code.push(match op {
                Op::Fork(targets) => Op::Fork(targets.iter().map(|target| target + code).collect()),
                Op::Jump(to) => Op::Jump(to + code),
                Op::Join(join) => Op::Join(join + joins),
                Op::When { step, otherwise } => Op::When { step: step + steps, otherwise: otherwise + code },
                Op::Job(step) => Op::Job(step + steps),
                Op::Each(step) => Op::Each(step + steps),
                Op::End => Op::Jump(last),
                Op::Return(nested) => Op::Return(*nested),
            });
        }
        self.joins.extend(&fragment.joins);
        if leaves > 1 {
            self.code.push(Op::Join(self.joins.len() as u16));
            self.joins.push(leaves as u16);
        }
        self.code.push(Op::Return(number));
        self.debug_map.extend(fragment.debug_map.iter().map(|step| step.map(|step| step + steps)));
        self.debug_map.resize(self.code.len(), None);
        let under = |id: &String| format!("{path}/{id}");
        self.steps.extend(fragment.steps.iter().map(|step| PlanStep {
            id: under(&step.id),
            after: step.after.iter().map(under).collect(),
            needs: step.needs.iter().map(under).collect(),
            ..step.clone()
        }));
        self.fragments.push(Fragment { entry: code, path: path.to_owned() });
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
                Op::Return(fragment) => format!("ret   f{fragment}"),
            };
            text.push_str(&format!("{pc:>3}  {line}\n"));
        }
        text
    }
}
