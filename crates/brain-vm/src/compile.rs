//! Compiles a plan to a verified program. Every error in a plan is found here, before anything runs.

use std::collections::BTreeMap;

use brain_lang::plan::Plan;

use crate::{Op, Program};

/// Maximum number of steps in a plan.
pub const MAX_PLAN_STEPS: usize = 10_000;

/// Why a plan is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The plan has no steps.
    #[error("the plan has no steps")]
    Empty,
    /// More steps than [`MAX_PLAN_STEPS`].
    #[error("the plan has {0} steps; at most {MAX_PLAN_STEPS} are allowed")]
    TooLong(usize),
    /// Two steps share an id.
    #[error("two steps are called `{0}`; give each step its own id")]
    DuplicateStep(String),
    /// `after` names a step that the plan does not have.
    #[error("step `{step}` waits for `{after}`, which is not a step of this plan")]
    UnknownStep {
        /// The step with the `after`.
        step: String,
        /// The id that `after` names.
        after: String,
    },
    /// `needs` names a step that is not guaranteed to run before.
    #[error("step `{step}` uses the result of `{needs}`, which does not come before it")]
    NotBefore {
        /// The step with the `needs`.
        step: String,
        /// The id that `needs` names.
        needs: String,
    },
    /// Steps that wait for each other, directly or indirectly.
    #[error("these steps wait for each other: {}", .0.join(" → "))]
    Cycle(Vec<String>),
}

/// Verifies a plan and compiles it.
///
/// Each step becomes a block `[join] [when] job|each` followed by its exit: a jump to the one step that depends on
/// it, a fork to several, or the end.
pub fn compile(plan: &Plan) -> Result<Program, PlanError> {
    let order = verify(plan)?;
    let index: BTreeMap<&str, usize> = plan.steps.iter().enumerate().map(|(i, step)| (step.id.as_str(), i)).collect();
    let mut successors: Vec<Vec<usize>> = vec![Vec::new(); plan.steps.len()];
    for (i, step) in plan.steps.iter().enumerate() {
        for after in &step.after {
            successors[index[after.as_str()]].push(i);
        }
    }

    let mut program = Program {
        name: plan.name.clone(),
        code: vec![Op::End],
        joins: Vec::new(),
        steps: plan.steps.clone(),
        debug_map: vec![None],
        timeout: plan.timeout,
        max_steps: plan.max_steps,
        atomic: plan.atomic,
        settings: None,
        blocks: Vec::new(),
    };
    let mut entry = vec![0_u32; plan.steps.len()];
    let mut exit = vec![0_usize; plan.steps.len()];
    for &i in &order {
        let step = &plan.steps[i];
        let number = narrow(i);
        entry[i] = program.code.len() as u32;
        if step.after.len() > 1 {
            program.code.push(Op::Join(narrow(program.joins.len())));
            program.joins.push(narrow(step.after.len()));
        }
        if step.when.is_some() || !step.needs.is_empty() {
            // The body is one instruction, so the exit is two instructions further on.
            let otherwise = program.code.len() as u32 + 2;
            program.code.push(Op::When { step: number, otherwise });
        }
        program.code.push(if step.foreach.is_some() { Op::Each(number) } else { Op::Job(number) });
        exit[i] = program.code.len();
        program.code.push(Op::End);
        program.debug_map.resize(program.code.len(), Some(number));
    }
    let leave = |targets: Vec<u32>| match targets.as_slice() {
        [] => Op::End,
        [one] => Op::Jump(*one),
        _ => Op::Fork(targets),
    };
    for i in 0..plan.steps.len() {
        program.code[exit[i]] = leave(successors[i].iter().map(|&next| entry[next]).collect());
    }
    let roots = plan.steps.iter().enumerate().filter(|(_, step)| step.after.is_empty());
    program.code[0] = leave(roots.map(|(i, _)| entry[i]).collect());
    Ok(program)
}

fn narrow(n: usize) -> u16 {
    u16::try_from(n).expect("a verified plan has at most MAX_PLAN_STEPS steps")
}

/// Checks the dependency graph and returns the steps in topological order.
fn verify(plan: &Plan) -> Result<Vec<usize>, PlanError> {
    if plan.steps.is_empty() {
        return Err(PlanError::Empty);
    }
    if plan.steps.len() > MAX_PLAN_STEPS {
        return Err(PlanError::TooLong(plan.steps.len()));
    }
    let mut index = BTreeMap::new();
    for (i, step) in plan.steps.iter().enumerate() {
        if index.insert(step.id.as_str(), i).is_some() {
            return Err(PlanError::DuplicateStep(step.id.clone()));
        }
    }
    for step in &plan.steps {
        for (n, after) in step.after.iter().enumerate() {
            if !index.contains_key(after.as_str()) || step.after[..n].contains(after) {
                return Err(PlanError::UnknownStep { step: step.id.clone(), after: after.clone() });
            }
        }
    }
    for step in &plan.steps {
        if let Some(needs) = step.needs.iter().find(|needs| !index.contains_key(needs.as_str())) {
            return Err(PlanError::NotBefore { step: step.id.clone(), needs: needs.clone() });
        }
    }
    let mut order = Vec::with_capacity(plan.steps.len());
    let mut placed = vec![false; plan.steps.len()];
    while order.len() < plan.steps.len() {
        let before = order.len();
        for (i, step) in plan.steps.iter().enumerate() {
            if !placed[i] && step.after.iter().all(|after| placed[index[after.as_str()]]) {
                placed[i] = true;
                order.push(i);
            }
        }
        if order.len() == before {
            return Err(PlanError::Cycle(find_cycle(plan, &index, &placed)));
        }
    }
    Ok(order)
}

/// Walks dependencies backwards from an unplaced step until it meets a step again.
fn find_cycle(plan: &Plan, index: &BTreeMap<&str, usize>, placed: &[bool]) -> Vec<String> {
    let mut path: Vec<usize> = Vec::new();
    let mut at = placed.iter().position(|done| !done).expect("a step is left over when there is a cycle");
    while !path.contains(&at) {
        path.push(at);
        let waits_for = plan.steps[at].after.iter().map(|after| index[after.as_str()]);
        at = waits_for.into_iter().find(|&i| !placed[i]).expect("a left-over step waits for a left-over step");
    }
    let from = path.iter().position(|&i| i == at).expect("the loop ended because the step is on the path");
    let mut names: Vec<String> = path[from..].iter().map(|&i| plan.steps[i].id.clone()).collect();
    names.push(plan.steps[at].id.clone());
    names.reverse();
    names
}
