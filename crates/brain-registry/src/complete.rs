//! Fills in what packs leave implicit, so that nothing downstream has to guess.

use std::collections::BTreeMap;

use brain_lang::binding::Binding;
use serde_json::{Map, Value};

use crate::model::{Behavior, Consent, Effect, PlaybookStep, RecordDef, RecordOp, ToolDef};
use crate::world::World;
use crate::yaml::Node;

/// Fills in field values of inserts, arguments of steps, messages of dependencies, and the effects that tools inherit
/// from their steps.
pub(crate) fn complete(world: &mut World) {
    fields(world);
    arguments(world);
    dependencies(world);
    effects(world);
    definitions(world);
}

/// An input with the name of a field is the field's value.
fn fields(world: &mut World) {
    let records: BTreeMap<String, RecordDef> =
        world.records.iter().map(|record| (record.value.name.clone(), record.value.clone())).collect();
    for tool in &mut world.tools {
        if let Behavior::Record(behavior) = &mut tool.value.behavior
            && matches!(behavior.op, RecordOp::Insert | RecordOp::Upsert)
            && let Some(record) = records.get(&behavior.record)
        {
            for name in properties(&tool.value.input).filter(|name| record.field(name).is_some()) {
                if let Some(value) = reference("input", name) {
                    behavior.set.entry(name.clone()).or_insert(value);
                }
            }
        }
    }
}

/// A step without `args` takes the slots with the names of its tool's inputs.
fn arguments(world: &mut World) {
    let inputs: BTreeMap<String, Value> =
        world.tools.iter().map(|tool| (tool.value.name.clone(), tool.value.input.clone())).collect();
    for playbook in &mut world.playbooks {
        let slots = playbook.value.slots.clone();
        let written = playbook.node.get("steps");
        take_slots(&mut playbook.value.steps, written, &slots, &inputs);
    }
    for tool in &mut world.tools {
        let slots = tool.value.input.clone();
        let written = tool.node.nearest(["behavior", "decide"]);
        let Behavior::Decide(table) = &mut tool.value.behavior else { continue };
        for (index, rule) in table.rules.iter_mut().enumerate() {
            let row = written.get("rules").and_then(|rules| rules.as_seq()?.get(index));
            take_slots(&mut rule.steps, row.and_then(|row| row.get("steps")), &slots, &inputs);
        }
        if let Some(rule) = &mut table.otherwise {
            let row = written.get("otherwise");
            take_slots(&mut rule.steps, row.and_then(|row| row.get("steps")), &slots, &inputs);
        }
    }
}

fn take_slots(steps: &mut [PlaybookStep], written: Option<&Node>, slots: &Value, inputs: &BTreeMap<String, Value>) {
    for (index, step) in steps.iter_mut().enumerate() {
        let given = written.and_then(|steps| steps.as_seq()?.get(index)?.get("args"));
        let Some(input) = inputs.get(&step.tool).filter(|_| given.is_none()) else { continue };
        let args: Map<String, Value> = properties(input)
            .filter(|name| slots["properties"].get(name.as_str()).is_some())
            .map(|name| (name.clone(), Value::from(format!("= slots.{name}"))))
            .collect();
        if let Ok(args) = Binding::parse(&Value::Object(args)) {
            step.args = args;
        }
    }
}

/// A dependency's message names the required tool by its title.
fn dependencies(world: &mut World) {
    let titles: BTreeMap<String, String> =
        world.tools.iter().map(|tool| (tool.value.name.clone(), tool.value.title.clone())).collect();
    for tool in &mut world.tools {
        for precondition in tool.value.requires.iter_mut().filter(|one| one.otherwise.is_empty()) {
            if let Some(name) = &precondition.prior {
                let title = titles.get(name).unwrap_or(name);
                precondition.otherwise = format!("Do `{title}` (`{name}`) first.");
            }
        }
    }
}

/// Effects in order of strength.
fn strength(effect: Effect) -> u8 {
    match effect {
        Effect::Read => 0,
        Effect::Write => 1,
        Effect::External => 2,
        Effect::Irreversible => 3,
    }
}

/// The tools that a tool's steps call: those of its playbook or decision table.
fn called<'w>(world: &'w World, tool: &'w ToolDef) -> Vec<&'w str> {
    match &tool.behavior {
        Behavior::Playbook(behavior) => {
            let variants = world.playbooks.iter().filter(|one| one.value.name == behavior.name);
            variants.flat_map(|one| &one.value.steps).map(|step| step.tool.as_str()).collect()
        }
        Behavior::Decide(table) => {
            let rules = table.rules.iter().chain(&table.otherwise);
            rules.flat_map(|rule| &rule.steps).map(|step| step.tool.as_str()).collect()
        }
        _ => Vec::new(),
    }
}

/// A tool that consists of steps inherits their strongest effect and consent. A declaration of its own counts only if
/// it is stronger. For decision tables it always counts, because injected steps are approved one by one.
fn effects(world: &mut World) {
    // Effects only grow and have four strengths, so the loop terminates. Recursive playbooks are reported later.
    loop {
        let mut changed = false;
        for index in 0..world.tools.len() {
            let tool = &world.tools[index];
            let declared = |key: &str| tool.node.get(key).is_some();
            let table = matches!(tool.value.behavior, Behavior::Decide(_));
            let inner: Vec<&ToolDef> =
                called(world, &tool.value).into_iter().filter_map(|name| world.tool(name)).collect();
            let mut effect = tool.value.effect;
            let mut consent = tool.value.consent;
            if !(table && declared("effect")) {
                let strongest = inner.iter().map(|one| one.effect).max_by_key(|one| strength(*one));
                effect = strongest.filter(|one| strength(*one) > strength(effect)).unwrap_or(effect);
            }
            if !(table && declared("consent")) {
                let strongest = inner.iter().map(|one| one.consent).max().unwrap_or(Consent::None);
                // An injected step that needs an approver asks for one itself, with its actual values.
                let strongest = if table { strongest.min(Consent::User) } else { strongest };
                consent = strongest.max(consent);
            }
            let tool = &mut world.tools[index].value;
            changed |= (tool.effect, tool.consent) != (effect, consent);
            (tool.effect, tool.consent) = (effect, consent);
        }
        if !changed {
            return;
        }
    }
}

/// A tool that expands to a playbook embeds it, so that its hash covers the playbook. Of several variants, the shared
/// one with the highest priority and version is embedded; a tenant's own variant is chosen at planning time.
fn definitions(world: &mut World) {
    let playbooks = &world.playbooks;
    for tool in &mut world.tools {
        let Behavior::Playbook(behavior) = &mut tool.value.behavior else { continue };
        let variants = playbooks.iter().map(|one| &one.value).filter(|one| one.name == behavior.name);
        let best = variants.max_by_key(|one| (one.tenant.is_none(), one.priority, one.version));
        behavior.definition = best.map(|playbook| Box::new(playbook.clone()));
    }
}

fn reference(root: &str, name: &str) -> Option<Binding> {
    Binding::parse(&Value::from(format!("= {root}.{name}"))).ok()
}

/// The names of an object schema's properties.
pub(crate) fn properties(schema: &Value) -> impl Iterator<Item = &String> {
    schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys)
}
