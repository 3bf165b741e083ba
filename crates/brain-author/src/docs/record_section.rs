//! A record type: fields, keys, and states as a diagram.

use super::block::{Block, Line, anchor, code, codes, join, line, point, record_link, tool_link, words};
use super::diagram::{Arrow, Diagram, DiagramBox};
use super::input_table;
use super::page::{heading, plain};
use brain_registry::Registry;
use brain_registry::model::{Behavior, OnDelete, RecordDef, RecordOp, States, ToolDef};

/// Writes the section.
pub(super) fn write(blocks: &mut Vec<Block>, registry: &Registry, record: &RecordDef) {
    blocks.push(heading(3, record.title.clone(), anchor("record", &record.name)));
    blocks.push(Block::Text(vec![code(&record.name)]));
    let rows = record.fields.iter().map(|field| {
        let mut notes: Vec<Line> = Vec::new();
        if record.label.as_ref() == Some(&field.name) {
            notes.push(line("names the record"));
        }
        if record.aliases.as_ref() == Some(&field.name) {
            notes.push(line("other names of the record"));
        }
        if record.identifiers.contains(&field.name) {
            notes.push(line("identifies a record"));
        }
        if record.search.contains(&field.name) {
            notes.push(line("full-text search"));
        }
        if let Some(rule) = record.merge.get(&field.name) {
            notes.push(line(format!(
                "when merged: {}",
                serde_json::to_value(rule).map(|one| plain(&one)).unwrap_or_default()
            )));
        }
        if field.personal {
            notes.push(line("personal"));
        }
        match (field.points_to().is_some(), field.on_delete) {
            (true, OnDelete::Clear) => notes.push(line("emptied when that record is deleted")),
            (true, OnDelete::Cascade) => notes.push(line("deleted with that record")),
            _ => {}
        }
        if field.indexed {
            notes.push(line("indexed"));
        }
        let kind = match &field.reference {
            Some(reference) => vec![words("id of "), record_link(reference)],
            None => input_table::kind(&field.schema),
        };
        let default = field.schema.get("default").map(|value| vec![code(plain(value))]).unwrap_or_default();
        vec![vec![code(&field.name)], kind, line(if field.required { "yes" } else { "" }), default, join(notes)]
    });
    let head = ["field", "type", "required", "default", "notes"];
    blocks.push(Block::Table { head: head.map(str::to_owned).to_vec(), rows: rows.collect() });
    let mut points = Vec::new();
    for key in &record.key {
        points.push(point("Unique", codes(key.iter().map(String::as_str))));
    }
    if !record.dedupe.is_empty() {
        points.push(point("Duplicates are recognised by", codes(record.dedupe.iter().map(String::as_str))));
    }
    let used = registry.tools().values().filter(|tool| works_on(&tool.def, &record.name));
    let used: Vec<Line> = used.map(|tool| vec![tool_link(&tool.def.name)]).collect();
    if !used.is_empty() {
        points.push(point("Tools", join(used)));
    }
    if !points.is_empty() {
        blocks.push(Block::List(points));
    }
    if let Some(states) = &record.states {
        blocks.push(Block::Drawing(drawing(registry, record, states)));
    }
}

fn works_on(tool: &ToolDef, record: &str) -> bool {
    matches!(&tool.behavior, Behavior::Record(behavior) if behavior.record == record)
}

/// The state machine, with the tools of each transition.
fn drawing(registry: &Registry, record: &RecordDef, states: &States) -> Diagram {
    let names: Vec<&String> = states.transitions.keys().collect();
    let position = |name: &String| names.iter().position(|one| *one == name);
    let movers: Vec<&ToolDef> =
        registry.tools().values().map(|tool| &tool.def).filter(|tool| works_on(tool, &record.name)).collect();
    let mut arrows = Vec::new();
    for (from, targets) in states.transitions.iter().enumerate().map(|(index, (_, targets))| (index, targets)) {
        for (to, target) in targets.iter().filter_map(|target| Some((position(target)?, target))) {
            let by = movers.iter().filter(|tool| moves(tool, names[from], target)).map(|tool| short(&tool.name));
            arrows.push(Arrow { from, to, label: by.collect::<Vec<_>>().join(", ") });
        }
    }
    let boxes = states.transitions.iter().map(|(name, targets)| DiagramBox {
        label: name.replace('_', " "),
        first: *name == states.initial,
        last: targets.is_empty(),
        ..DiagramBox::default()
    });
    Diagram { states: true, boxes: boxes.collect(), arrows, alt: format!("The states of {}", record.title) }
}

fn short(name: &str) -> String {
    name.split_once('.').map_or(name, |(_, tail)| tail).to_owned()
}

/// Whether a tool certainly moves records from one state to the other.
fn moves(tool: &ToolDef, from: &str, to: &str) -> bool {
    let Behavior::Record(behavior) = &tool.behavior else { return false };
    if behavior.op != RecordOp::Transition || behavior.to.as_ref().is_none_or(|target| target.source() != to) {
        return false;
    }
    // A precondition on states of this record type restricts the source states.
    let about = |one: &&brain_registry::model::Precondition| {
        one.record_type.as_deref() == Some(&behavior.record) && !one.state.is_empty()
    };
    tool.requires.iter().filter(about).all(|one| one.state.iter().any(|state| state == from))
}
