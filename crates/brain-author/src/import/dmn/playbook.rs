//! A playbook for a decision that requires others: it runs those first.

use std::collections::BTreeSet;

use super::decision::{Draft, description};
use super::model::{Model, free};
use super::types::Kind;
use crate::import::Notes;
use crate::import::naming::phrases;
use crate::import::writer::{Map, Yaml, document, list};

/// Maximum number of steps.
const MAX_STEPS: usize = 50;

/// The playbook of a decision (path and text), if it requires decisions that are tools.
pub(super) fn playbook(
    model: &Model<'_, '_>,
    draft: &Draft,
    all: &[Draft],
    taken: &mut Vec<String>,
    names: &mut BTreeSet<String>,
    notes: &mut Notes,
) -> Option<(String, String)> {
    let decision = &model.decisions[draft.decision];
    for input in &draft.inputs {
        let Some((needed, _)) = input.from else { continue };
        if !all.iter().any(|other| other.decision == needed) {
            let name = &model.decisions[needed].name;
            let note = format!("`{name}`, which it needs, is not a tool; its result is the input `{}`", input.ours);
            notes.add(&model.place(decision.node), note);
        }
    }
    let mut order = Vec::new();
    if let Err(why) = visit(draft, all, &mut Vec::new(), &mut order) {
        let note = format!("{why}; no playbook was generated to evaluate the decisions it depends on");
        notes.add(&model.place(decision.node), note);
        return None;
    }
    if order.len() < 2 {
        return None;
    }
    let mut slots: Vec<(String, Kind)> = Vec::new();
    let mut steps: Vec<Yaml> = Vec::new();
    for part in &order {
        let needed = &model.decisions[part.decision];
        let mut args = Map::default();
        for input in &part.inputs {
            let made = input.from.as_ref().filter(|(from, _)| order.iter().any(|other| other.decision == *from));
            if let Some((from, column)) = made {
                let column = column.as_ref().map(|column| format!(".{column}")).unwrap_or_default();
                args.set(&input.ours, format!("= steps.{}.result{column}", model.decisions[*from].tool));
                continue;
            }
            args.set(&input.ours, format!("= slots.{}", input.ours));
            match slots.iter_mut().find(|(name, _)| *name == input.ours) {
                None => slots.push((input.ours.clone(), input.kind.clone())),
                Some((_, kind)) if kind.word == input.kind.word => {
                    kind.optional = kind.optional && input.kind.optional;
                    if kind.values != input.kind.values || kind.limits != input.kind.limits {
                        *kind = kind.clone().unlimited();
                    }
                }
                Some((_, kind)) => *kind = Kind::any(),
            }
        }
        let mut step = Map::default();
        step.set("id", needed.tool.as_str());
        step.set("tool", format!("{}.{}", model.domain, needed.tool));
        step.set("args", args);
        steps.push(step.into());
    }
    let mut base = format!("work_out_{}", decision.tool);
    base.truncate(60);
    let tools: Vec<&str> = model.decisions.iter().map(|one| one.tool.as_str()).collect();
    let short = free(base.trim_end_matches('_'), |name| {
        tools.contains(&name) || names.contains(&format!("{}.{name}", model.domain))
    });
    names.insert(format!("{}.{short}", model.domain));
    let mut root = Map::open();
    root.set("playbook", format!("{}.{short}", model.domain));
    root.set("title", format!("Work out: {}", decision.name));
    if let Some(text) = description(decision.node) {
        root.set("description", text);
    }
    let said = phrases([decision.name.as_str()], &[], taken);
    if !said.is_empty() {
        root.set("phrases", list(said.iter().map(String::as_str)));
    }
    if !slots.is_empty() {
        let mut map = Map::open();
        for (name, kind) in &slots {
            map.set(name, kind.yaml());
        }
        root.set("slots", map);
    }
    root.set("steps", steps);
    let path = format!("playbooks/{}_{short}.yaml", model.domain);
    Some((path, document(&format!("The decision `{}`, after the decisions that it needs.", decision.tool), root)))
}

/// Orders decisions after those they require; or says why there is no such order.
fn visit<'d>(
    draft: &'d Draft,
    all: &'d [Draft],
    open: &mut Vec<usize>,
    order: &mut Vec<&'d Draft>,
) -> Result<(), &'static str> {
    if order.iter().any(|done| done.decision == draft.decision) {
        return Ok(());
    }
    if open.contains(&draft.decision) {
        return Err("it needs itself");
    }
    if open.len() + order.len() >= MAX_STEPS {
        return Err("it needs more decisions than a playbook has steps");
    }
    open.push(draft.decision);
    for input in &draft.inputs {
        let Some((needed, _)) = input.from else { continue };
        if let Some(other) = all.iter().find(|other| other.decision == needed) {
            visit(other, all, open, order)?;
        }
    }
    open.pop();
    order.push(draft);
    Ok(())
}
