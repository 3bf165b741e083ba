//! Moves fibers. Only instructions that need nothing from outside run here, so a replay of the same events moves the
//! fibers the same way.

use brain_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::job::{ScopeId, StepId};
use crate::program::{Arm, Trigger};
use crate::scope::{Opener, Phase, Scope};
use crate::{Code, End, Op, State, StepState};

/// A thread of execution within a scope.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fiber {
    /// The scope it runs in.
    #[serde(default)]
    pub scope: ScopeId,
    /// Its next instruction.
    pub pc: u32,
    /// What blocks it.
    pub wait: Wait,
}

/// What blocks a fiber.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// Nothing: it can move.
    Free,
    /// The value of a step's condition.
    Condition(u16),
    /// The job of a step.
    Job(u16),
    /// The list of a step.
    Items(u16),
    /// The jobs of all items of a step's list.
    Each(u16),
    /// The arming of its wait: due times of timers depend on the current time.
    Arming,
    /// The first of several arms.
    Armed(Vec<Armed>),
}

/// One arm of a wait.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Armed {
    /// The end of this scope.
    Scope(ScopeId),
    /// The end of one scope per item of a step's list.
    Scopes {
        /// The step with the list.
        step: u16,
        /// The address of the block.
        entry: u32,
    },
    /// A failure, with this code or any, of a scope that this wait opened.
    Error(Option<String>),
    /// A timer due at this time.
    Timer(Timestamp),
    /// A message with this name.
    Message(String),
}

impl Fiber {
    /// Due time of the earliest timer of its wait.
    pub(crate) fn timer(&self) -> Option<Timestamp> {
        let Wait::Armed(arms) = &self.wait else { return None };
        arms.iter().filter_map(|arm| if let Armed::Timer(at) = arm { Some(*at) } else { None }).min()
    }
}

impl State {
    pub(crate) fn spawn(&mut self, scope: ScopeId, pc: u32) {
        let number = self.next_fiber;
        self.fibers.insert(number, Fiber { scope, pc, wait: Wait::Free });
        self.next_fiber += 1;
        self.scope_mut(scope).fibers += 1;
        self.moving.push_back(number);
    }

    pub(crate) fn drop_fiber(&mut self, number: u32) {
        if let Some(fiber) = self.fibers.remove(&number) {
            self.scope_mut(fiber.scope).fibers -= 1;
        }
    }

    /// The fibers of a scope and of the scopes below it, except those of undos, which go on by themselves.
    pub(crate) fn fibers_within(&self, id: ScopeId) -> impl Iterator<Item = u32> + '_ {
        let governed = move |scope: ScopeId| {
            self.outward(scope).take_while(|one| *one >= id).find(|one| *one == id || self.scope(*one).is_undo())
                == Some(id)
        };
        self.fibers.iter().filter(move |(_, fiber)| governed(fiber.scope)).map(|(number, _)| *number)
    }

    /// Moves every fiber of a step's scope that is blocked by `wait` to its next instruction.
    pub(crate) fn release(&mut self, at: StepId, wait: &Wait) {
        for (number, fiber) in &mut self.fibers {
            if fiber.scope == at.scope && fiber.wait == *wait {
                fiber.pc += 1;
                fiber.wait = Wait::Free;
                self.moving.push_back(*number);
            }
        }
    }

    /// Moves the fibers that wait for a step's condition past the step.
    pub(crate) fn skip(&mut self, code: &Code, at: StepId) {
        let program = code.program(self.scope(at.scope).code);
        for (number, fiber) in &mut self.fibers {
            if fiber.scope == at.scope && fiber.wait == Wait::Condition(at.step) {
                if let Op::When { otherwise, .. } = &program.code[fiber.pc as usize] {
                    fiber.pc = *otherwise;
                }
                fiber.wait = Wait::Free;
                self.moving.push_back(*number);
            }
        }
    }

    /// Runs every free fiber until it blocks or ends.
    pub(crate) fn settle(&mut self, code: &Code) {
        while let Some(number) = self.moving.pop_front() {
            while self.fibers.get(&number).is_some_and(|fiber| fiber.wait == Wait::Free) {
                self.move_once(code, number);
            }
        }
    }

    fn move_once(&mut self, code: &Code, number: u32) {
        let Some(fiber) = self.fibers.get_mut(&number) else { return };
        let scope = fiber.scope;
        let program = code.program(self.scopes[scope as usize].code);
        match &program.code[fiber.pc as usize] {
            Op::Jump(to) => fiber.pc = *to,
            Op::Fork(targets) => {
                fiber.pc = targets[0];
                for &target in &targets[1..] {
                    self.spawn(scope, target);
                }
            }
            Op::Join(join) => {
                let arrived = self.scopes[scope as usize].joins.entry(*join).or_default();
                *arrived += 1;
                if *arrived == program.joins[usize::from(*join)] {
                    // The next iteration of a loop counts arrivals from zero.
                    *arrived = 0;
                    fiber.pc += 1;
                } else {
                    self.drop_fiber(number);
                }
            }
            Op::When { step, .. } => fiber.wait = Wait::Condition(*step),
            Op::Each(step) => {
                fiber.wait = Wait::Items(*step);
                self.set_step(StepId { scope, step: *step }, StepState::Active);
            }
            Op::Job(step) => {
                fiber.wait = Wait::Job(*step);
                let at = StepId { scope, step: *step };
                self.open_job(at.job(0));
                self.set_step(at, StepState::Active);
            }
            Op::Await(_) => fiber.wait = Wait::Arming,
            Op::End => {
                self.drop_fiber(number);
                self.scope_done(code, scope);
            }
        }
    }

    /// Starts a `foreach` whose list has `count` items.
    pub(crate) fn open_each(&mut self, code: &Code, at: StepId, count: u32) {
        if count == 0 {
            self.set_step(at, StepState::Done);
            self.release(at, &Wait::Items(at.step));
            if let Some((fiber, _, arm)) = self.block_of(at) {
                self.win(code, fiber, arm);
            }
            return;
        }
        self.set_step(at, StepState::Each { count, next: 0, finished: 0 });
        for fiber in self.fibers.values_mut() {
            if fiber.scope == at.scope && fiber.wait == Wait::Items(at.step) {
                fiber.wait = Wait::Each(at.step);
            }
        }
        self.open_items(code, at);
    }

    /// Opens jobs or scopes for the items of a list, up to the step's concurrency.
    pub(crate) fn open_items(&mut self, code: &Code, at: StepId) {
        let foreach = self.step(code, at).foreach.as_ref();
        let at_a_time = foreach.map_or(1, |each| u32::from(each.at_a_time.max(1)));
        let block = self.block_of(at);
        while let Some(StepState::Each { count, next, finished }) = self.scope_mut(at.scope).steps.get_mut(&at.step) {
            if *next >= *count || *next - *finished >= at_a_time {
                return;
            }
            let item = *next;
            *next += 1;
            match block {
                Some((fiber, entry, _)) => {
                    self.open_block(at.scope, fiber, item, entry);
                }
                None => {
                    self.open_job(at.job(item));
                }
            }
        }
    }

    /// The fiber that waits for one block per item of this step, the address of the block, and the index of the arm.
    fn block_of(&self, at: StepId) -> Option<(u32, u32, u8)> {
        self.fibers.iter().filter(|(_, fiber)| fiber.scope == at.scope).find_map(|(number, fiber)| {
            let Wait::Armed(arms) = &fiber.wait else { return None };
            arms.iter().enumerate().find_map(|(n, arm)| match arm {
                Armed::Scopes { step, entry } if *step == at.step => Some((*number, *entry, n as u8)),
                _ => None,
            })
        })
    }

    fn open_block(&mut self, parent: ScopeId, fiber: u32, item: u32, entry: u32) -> ScopeId {
        let id = self.scopes.len() as ScopeId;
        let code = self.scope(parent).code;
        self.scopes.push(Scope::new(Some(parent), Opener::Fiber { fiber, item }, code));
        self.spawn(id, entry);
        id
    }

    /// Arms a wait: sets its timers and opens its blocks.
    pub(crate) fn arm(&mut self, code: &Code, number: u32, timers: &[Timestamp]) {
        let Some(fiber) = self.fibers.get(&number) else { return };
        let (scope, pc) = (fiber.scope, fiber.pc);
        let program = code.program(self.scope(scope).code);
        let Op::Await(arms) = &program.code[pc as usize] else { return };
        let mut timers = timers.iter().copied();
        let mut armed = Vec::with_capacity(arms.len());
        for Arm { on, .. } in arms {
            armed.push(match on {
                Trigger::Enter(block) => {
                    Armed::Scope(self.open_block(scope, number, 0, program.blocks[usize::from(*block)]))
                }
                Trigger::EnterEach { step, block } => {
                    self.set_step(StepId { scope, step: *step }, StepState::Active);
                    Armed::Scopes { step: *step, entry: program.blocks[usize::from(*block)] }
                }
                Trigger::Error(code) => Armed::Error(code.clone()),
                Trigger::Timer(_) => Armed::Timer(timers.next().unwrap_or_default()),
                Trigger::Message(name) => Armed::Message(name.clone()),
            });
        }
        if let Some(fiber) = self.fibers.get_mut(&number) {
            fiber.wait = Wait::Armed(armed);
        }
    }

    /// Resumes a fiber with the arm that came first.
    pub(crate) fn win(&mut self, code: &Code, number: u32, arm: u8) {
        let Some(fiber) = self.fibers.get_mut(&number) else { return };
        let program = code.program(self.scopes[fiber.scope as usize].code);
        let Op::Await(arms) = &program.code[fiber.pc as usize] else { return };
        if let Some(arm) = arms.get(usize::from(arm)) {
            fiber.pc = arm.to;
            fiber.wait = Wait::Free;
            self.moving.push_back(number);
        }
    }

    /// Ends a block when its last fiber has ended, and resumes the fiber that waits for it.
    fn scope_done(&mut self, code: &Code, id: ScopeId) {
        let scope = self.scope(id);
        let Opener::Fiber { fiber, .. } = scope.opener else { return };
        if scope.fibers > 0 || scope.phase != Phase::Running {
            return;
        }
        let parent = scope.parent.unwrap_or(0);
        self.close(id, End::Completed);
        let Some(Wait::Armed(arms)) = self.fibers.get(&fiber).map(|fiber| &fiber.wait) else { return };
        let found = arms.iter().position(|arm| match arm {
            Armed::Scope(one) => *one == id,
            Armed::Scopes { .. } => true,
            _ => false,
        });
        let Some(arm) = found else { return };
        if let Armed::Scopes { step, .. } = arms[arm] {
            let at = StepId { scope: parent, step };
            if let Some(StepState::Each { count, finished, .. }) = self.scope_mut(parent).steps.get_mut(&step) {
                *finished += 1;
                if finished < count {
                    return self.open_items(code, at);
                }
            }
            self.set_step(at, StepState::Done);
        }
        self.win(code, fiber, arm as u8);
    }
}
