//! How fibers move. Only instructions that need nothing from outside are executed here, so that a replay, which
//! folds the same events, moves them the same way.

use crate::state::{Fiber, Job, JobId, State, StepState, Wait};
use crate::{Op, Phase, Program};

impl State {
    pub(crate) fn spawn(&mut self, pc: u32) {
        self.fibers.insert(self.next_fiber, Fiber { pc, wait: Wait::Free });
        self.next_fiber += 1;
    }

    /// Lets every fiber that waits for this go on, `by` instructions further.
    pub(crate) fn release(&mut self, wait: Wait, by: u32) {
        for fiber in self.fibers.values_mut().filter(|fiber| fiber.wait == wait) {
            fiber.pc += by;
            fiber.wait = Wait::Free;
        }
    }

    /// Sends the fibers that wait for the condition of a step round it.
    pub(crate) fn skip(&mut self, program: &Program, step: u16) {
        for fiber in self.fibers.values_mut().filter(|fiber| fiber.wait == Wait::Condition(step)) {
            if let Op::When { otherwise, .. } = &program.code[fiber.pc as usize] {
                fiber.pc = *otherwise;
            }
            fiber.wait = Wait::Free;
        }
    }

    /// Moves every free fiber to its next yield point.
    pub(crate) fn settle(&mut self, program: &Program) {
        if self.phase != Phase::Running {
            return;
        }
        // A fiber's number is taken before it moves; forks get higher numbers and are reached in turn.
        let mut number = 0;
        while number < self.next_fiber {
            while self.fibers.get(&number).is_some_and(|fiber| fiber.wait == Wait::Free) {
                self.move_once(program, number);
            }
            number += 1;
        }
        self.open_items(program);
    }

    fn move_once(&mut self, program: &Program, number: u32) {
        let Some(fiber) = self.fibers.get_mut(&number) else { return };
        match &program.code[fiber.pc as usize] {
            Op::Jump(to) => fiber.pc = *to,
            Op::Fork(targets) => {
                fiber.pc = targets[0];
                for &target in &targets[1..] {
                    self.spawn(target);
                }
            }
            Op::Join(join) => {
                let arrived = &mut self.joins[usize::from(*join)];
                *arrived += 1;
                if *arrived == program.joins[usize::from(*join)] {
                    fiber.pc += 1;
                } else {
                    self.fibers.remove(&number);
                }
            }
            Op::When { step, .. } => fiber.wait = Wait::Condition(*step),
            Op::Each(step) => {
                fiber.wait = Wait::Items(*step);
                self.set_step(*step, StepState::Active);
            }
            Op::Job(step) => {
                fiber.wait = Wait::Job(*step);
                let id = JobId { step: *step, item: 0, undo: false };
                self.jobs.insert(id, Job::new());
                self.set_step(*step, StepState::Active);
            }
            Op::End => {
                self.fibers.remove(&number);
            }
            Op::Return(fragment) => fiber.wait = Wait::Return(*fragment),
        }
    }

    /// Makes jobs for the items of open lists, as many at a time as the step allows.
    fn open_items(&mut self, program: &Program) {
        for (index, step) in self.steps.iter_mut().enumerate() {
            let StepState::Each { count, next, .. } = step else { continue };
            let number = index as u16;
            let at_a_time = program.steps[index].foreach.as_ref().map_or(1, |each| each.at_a_time.max(1));
            let mut open = self.jobs.keys().filter(|job| job.step == number && !job.undo).count();
            while *next < *count && open < usize::from(at_a_time) {
                let id = JobId { step: number, item: *next, undo: false };
                self.jobs.insert(id, Job::new());
                *next += 1;
                open += 1;
            }
        }
    }
}
