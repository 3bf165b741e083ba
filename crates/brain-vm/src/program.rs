//! The program that a plan compiles to. Immutable, addressed by the hash of its canonical form.

use std::fmt;
use std::sync::Arc;

use brain_core::{Digest, Millis, canonical_digest};
use brain_lang::plan::PlanStep;
use serde::{Deserialize, Serialize};

/// The hash that identifies a program.
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
    /// A display name.
    pub name: String,
    /// The instructions; execution starts at 0.
    pub code: Vec<Op>,
    /// Number of fibers that each join waits for.
    pub joins: Vec<u16>,
    /// The steps that instructions refer to.
    pub steps: Vec<PlanStep>,
    /// The step that each instruction belongs to.
    pub debug_map: Vec<Option<u16>>,
    /// Addresses of blocks: code that runs in a scope of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<u32>,
    /// Time limit of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Millis>,
    /// Maximum number of jobs.
    pub max_steps: u32,
    /// Whether all steps are one commit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub atomic: bool,
    /// The settings that it was planned with, by the digest of their definition. Programs of injected steps have none:
    /// they use the settings of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Digest>,
}

/// An instruction. The names are part of the stored format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Continues at several addresses in parallel.
    Fork(Vec<u32>),
    /// Continues at this address.
    Jump(u32),
    /// Waits until all fibers of this join have arrived in the same scope; only the last one continues.
    Join(u16),
    /// Waits for a condition; if it does not hold, the step is skipped.
    When {
        /// The step with the condition.
        step: u16,
        /// Address to continue at if it does not hold.
        otherwise: u32,
    },
    /// Waits for the job of a step.
    Job(u16),
    /// Waits for a step's list, then for one job per item.
    Each(u16),
    /// Waits for the first of several arms; the others are withdrawn.
    Await(Vec<Arm>),
    /// Ends the fiber.
    End,
}

/// One arm of an [`Op::Await`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arm {
    /// What it waits for.
    pub on: Trigger,
    /// Address to continue at if this arm comes first.
    pub to: u32,
}

/// What can end a wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// A block ended, run in a scope of its own.
    Enter(u16),
    /// A block ended for every item of a step's list, each run in a scope of its own.
    EnterEach {
        /// The step whose `foreach` gives the list and the concurrency.
        step: u16,
        /// The block.
        block: u16,
    },
    /// A scope that this wait opened failed, with this code or any.
    Error(Option<String>),
    /// This much time passed.
    Timer(Millis),
    /// A message with this name arrived.
    Message(String),
}

/// Why a stored program cannot be executed. The compiler never produces such a program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("instruction {at} of program `{name}`: {why}")]
pub struct BadProgram {
    name: String,
    at: usize,
    why: &'static str,
}

impl Program {
    /// The program's address: the hash of its canonical form.
    pub fn id(&self) -> ProgramId {
        ProgramId(canonical_digest(self))
    }

    /// The index of a step by its id.
    pub fn step_index(&self, id: &str) -> Option<u16> {
        self.steps.iter().position(|step| step.id == id).and_then(|index| u16::try_from(index).ok())
    }

    /// The step at an index taken from this program's code or from an event of its run.
    pub fn step(&self, index: u16) -> &PlanStep {
        &self.steps[usize::from(index)]
    }

    /// Checks what execution relies on: every index is valid, and every fiber yields after a bounded number of
    /// instructions. Called once for each program that is loaded from a store.
    pub fn check(&self) -> Result<(), BadProgram> {
        let bad = |at: usize, why: &'static str| BadProgram { name: self.name.clone(), at, why };
        let inside = |at: usize, to: u32| {
            if (to as usize) < self.code.len() { Ok(()) } else { Err(bad(at, "a target lies outside the code")) }
        };
        let step = |at: usize, step: u16| {
            if usize::from(step) < self.steps.len() { Ok(()) } else { Err(bad(at, "there is no such step")) }
        };
        if self.code.is_empty() {
            return Err(bad(0, "there is no code"));
        }
        for &entry in &self.blocks {
            inside(0, entry)?;
        }
        for (at, op) in self.code.iter().enumerate() {
            match op {
                Op::Fork(targets) if targets.is_empty() => return Err(bad(at, "a fork without targets")),
                Op::Fork(targets) => targets.iter().try_for_each(|&to| inside(at, to))?,
                Op::Jump(to) => inside(at, *to)?,
                Op::Join(join) => {
                    if self.joins.get(usize::from(*join)).is_none_or(|&count| count == 0) {
                        return Err(bad(at, "there is no such join"));
                    }
                    inside(at, at as u32 + 1)?;
                }
                Op::When { step: number, otherwise } => {
                    step(at, *number)?;
                    inside(at, *otherwise)?;
                    inside(at, at as u32 + 1)?;
                }
                Op::Job(number) | Op::Each(number) => {
                    step(at, *number)?;
                    inside(at, at as u32 + 1)?;
                }
                Op::Await(arms) => self.check_arms(at, arms, &bad, &inside, &step)?,
                Op::End => {}
            }
        }
        self.check_progress(&bad)?;
        self.check_activations(&bad)
    }

    /// Checks that a scope activates each step at most once: repeated steps must be in a block.
    fn check_activations(&self, bad: &impl Fn(usize, &'static str) -> BadProgram) -> Result<(), BadProgram> {
        let next = |at: usize| -> Vec<usize> {
            match &self.code[at] {
                Op::Fork(targets) => targets.iter().map(|&to| to as usize).collect(),
                Op::Jump(to) => vec![*to as usize],
                Op::When { otherwise, .. } => vec![at + 1, *otherwise as usize],
                Op::Join(_) | Op::Job(_) | Op::Each(_) => vec![at + 1],
                Op::Await(arms) => arms.iter().map(|arm| arm.to as usize).collect(),
                Op::End => Vec::new(),
            }
        };
        // Code that only jumps forward, like that of plans, repeats nothing.
        let backward = (0..self.code.len()).any(|at| next(at).into_iter().any(|to| to <= at));
        if !backward {
            return Ok(());
        }
        let steps = (0..self.code.len()).filter(|at| matches!(self.code[*at], Op::Job(_) | Op::Each(_)));
        for start in steps {
            let mut seen = vec![false; self.code.len()];
            let mut stack = next(start);
            while let Some(at) = stack.pop() {
                if at == start {
                    return Err(bad(at, "a step is repeated outside a block"));
                }
                if !std::mem::replace(&mut seen[at], true) {
                    stack.extend(next(at));
                }
            }
        }
        Ok(())
    }

    fn check_arms(
        &self,
        at: usize,
        arms: &[Arm],
        bad: &impl Fn(usize, &'static str) -> BadProgram,
        inside: &impl Fn(usize, u32) -> Result<(), BadProgram>,
        step: &impl Fn(usize, u16) -> Result<(), BadProgram>,
    ) -> Result<(), BadProgram> {
        let mut scopes = 0;
        for arm in arms {
            inside(at, arm.to)?;
            let block = match &arm.on {
                Trigger::Enter(block) => block,
                Trigger::EnterEach { step: number, block } => {
                    step(at, *number)?;
                    block
                }
                _ => continue,
            };
            scopes += 1;
            if usize::from(*block) >= self.blocks.len() {
                return Err(bad(at, "there is no such block"));
            }
        }
        match (arms.len(), scopes) {
            (0, _) => Err(bad(at, "a wait has no arms")),
            (_, 2..) => Err(bad(at, "a wait opens at most one block")),
            _ => Ok(()),
        }
    }

    /// Checks that every cycle of instructions yields.
    fn check_progress(&self, bad: &impl Fn(usize, &'static str) -> BadProgram) -> Result<(), BadProgram> {
        // 0: not visited, 1: on the current path, 2: leads to a yield.
        let mut seen = vec![0_u8; self.code.len()];
        for start in 0..self.code.len() {
            let mut stack = vec![(start, false)];
            while let Some((at, leaving)) = stack.pop() {
                if leaving {
                    seen[at] = 2;
                    continue;
                }
                match seen[at] {
                    2 => continue,
                    1 => return Err(bad(at, "a loop never yields")),
                    _ => {}
                }
                let next: Vec<usize> = match &self.code[at] {
                    Op::Fork(targets) => targets.iter().map(|&to| to as usize).collect(),
                    Op::Jump(to) => vec![*to as usize],
                    Op::Join(_) => vec![at + 1],
                    _ => Vec::new(),
                };
                seen[at] = 1;
                stack.push((at, true));
                for to in next {
                    if seen[to] == 1 {
                        return Err(bad(at, "a loop never yields"));
                    }
                    stack.push((to, false));
                }
            }
        }
        Ok(())
    }

    /// One line per instruction, for people and golden files.
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
                Op::Await(arms) => {
                    let arms: Vec<String> = arms.iter().map(|arm| format!("{} -> {}", arm.on, arm.to)).collect();
                    format!("await {}", arms.join(", "))
                }
                Op::End => "end".to_owned(),
            };
            text.push_str(&format!("{pc:>3}  {line}\n"));
        }
        text
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Enter(block) => write!(f, "b{block}"),
            Self::EnterEach { step, block } => write!(f, "b{block} for each of s{step}"),
            Self::Error(None) => f.write_str("error"),
            Self::Error(Some(code)) => write!(f, "error {code}"),
            Self::Timer(after) => write!(f, "{} ms", after.0),
            Self::Message(name) => write!(f, "message {name}"),
        }
    }
}

/// The programs that one run executes: its own, and those of injected steps. Each program is listed once, however many
/// scopes run it.
#[derive(Clone, Debug)]
pub struct Code {
    /// Shared, because a turn reads the code while it changes the state.
    programs: Arc<Vec<(Digest, Arc<Program>)>>,
}

impl Code {
    /// The code of a run of this program.
    pub fn new(hash: Digest, program: Arc<Program>) -> Self {
        Self { programs: Arc::new(vec![(hash, program)]) }
    }

    /// The run's own program.
    pub fn root(&self) -> &Arc<Program> {
        &self.programs[0].1
    }

    /// Adds a program unless it is listed already.
    pub fn add(&mut self, hash: Digest, program: &Arc<Program>) {
        if self.index_of(hash).is_none() {
            Arc::make_mut(&mut self.programs).push((hash, program.clone()));
        }
    }

    /// The index of a program by its hash.
    pub fn index_of(&self, hash: Digest) -> Option<u16> {
        self.programs.iter().position(|(known, _)| *known == hash).and_then(|index| u16::try_from(index).ok())
    }

    /// The program at an index that a scope of the same run names.
    pub fn program(&self, number: u16) -> &Arc<Program> {
        &self.programs[usize::from(number)].1
    }

    /// The hashes of all programs, the run's own first.
    pub fn hashes(&self) -> impl Iterator<Item = Digest> + '_ {
        self.programs.iter().map(|(hash, _)| *hash)
    }
}
