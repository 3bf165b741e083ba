//! Record types: known fields, reachable states.

use std::collections::BTreeSet;

use crate::code::Code;
use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::located::Located;
use crate::model::{FieldDef, OnDelete, RecordDef, States};
use crate::suggest::did_you_mean;
use crate::world::World;
use crate::yaml::{Node, Span};

/// Checks all record types.
pub(super) fn check(world: &World, found: &mut Vec<Diagnostic>) {
    for (index, record) in world.records.iter().enumerate() {
        let mut cx = record.context(&world.sources, found);
        if let Some(other) = world.records[..index].iter().find(|other| other.value.name == record.value.name) {
            let help = format!("the other one is in {}, line {}", other.file, other.name.line);
            cx.report(
                Code::DuplicateRecord,
                record.name,
                format!("the record type `{}` is declared twice", record.value.name),
                Some(help),
            );
        }
        fields(&mut cx, record);
        references(&mut cx, world, record);
        super::groups::group(&mut cx, world, record);
        if let Some(states) = &record.value.states {
            machine(&mut cx, record, states);
        }
    }
}

/// Every scalar under these keys must be a field.
fn fields(cx: &mut Context<'_>, record: &Located<RecordDef>) {
    let def = &record.value;
    for key in ["key", "dedupe", "search", "label", "aliases", "identifiers"] {
        let Some(node) = record.node.get(key) else { continue };
        for leaf in scalars(node) {
            field(cx, def, leaf.0, leaf.1);
        }
    }
    for (key, _) in record.node.get("merge").and_then(Node::as_map).unwrap_or(&[]) {
        field(cx, def, &key.text, key.span);
    }
}

fn scalars(node: &Node) -> Vec<(&str, Span)> {
    crate::decode::leaves(node).into_iter().map(|leaf| (leaf.scalar.text.as_str(), leaf.span)).collect()
}

/// Reports an unknown field.
pub(super) fn field(cx: &mut Context<'_>, record: &RecordDef, name: &str, span: Span) -> bool {
    let known = record.field(name).is_some();
    if !known {
        let names = record.fields.iter().map(|field| field.name.as_str());
        let help = did_you_mean(name, names);
        cx.report(Code::UnknownField, span, format!("`{}` has no field `{name}`", record.name), help);
    }
    known
}

fn references(cx: &mut Context<'_>, world: &World, record: &Located<RecordDef>) {
    for declared in &record.value.fields {
        cleared(cx, record, declared);
        let Some(target) = declared.points_to().filter(|target| world.record(target).is_none()) else {
            continue;
        };
        let at = record.at(&["fields", &declared.name]);
        let at = at.get("items").unwrap_or(at);
        let node = at.get("entity").or_else(|| at.get("ref")).unwrap_or(at);
        unknown_record(cx, world, target, node.span);
    }
}

/// A required field cannot be cleared.
fn cleared(cx: &mut Context<'_>, record: &Located<RecordDef>, declared: &FieldDef) {
    let list = declared.reference.is_none();
    let needed = if list { declared.schema["minItems"].as_u64() > Some(0) } else { declared.required };
    if declared.on_delete != OnDelete::Clear || !needed {
        return;
    }
    let (message, help) = if list {
        ("needs at least one reference, so the last one cannot be removed", "leave `min_items` out")
    } else {
        ("is required, so it cannot be cleared", "make it optional (`optional: true`)")
    };
    let span = record.at(&["fields", &declared.name, "on_delete"]).span;
    let help = format!("{help}, or write `on_delete: refuse` or `on_delete: cascade`");
    cx.report(Code::ClearRequired, span, format!("`{}` {message}", declared.name), Some(help));
}

/// Reports an unknown record type.
pub(super) fn unknown_record(cx: &mut Context<'_>, world: &World, name: &str, span: Span) {
    if !world.surely_unknown(name) {
        return;
    }
    let help = did_you_mean(name, world.record_names());
    cx.report(Code::UnknownRecord, span, format!("there is no record type `{name}`"), help);
}

fn machine(cx: &mut Context<'_>, record: &Located<RecordDef>, states: &States) {
    let node = record.at(&["states"]);
    let moves = node.get("transitions").unwrap_or(node);
    let names = || states.transitions.keys().map(String::as_str);
    if !states.transitions.contains_key(&states.initial) {
        let span = node.get("initial").map_or(node.span, |node| node.span);
        let help = did_you_mean(&states.initial, names());
        cx.report(
            Code::UnknownState,
            span,
            format!("`{}` is not a state of `{}`", states.initial, record.value.name),
            help,
        );
        return;
    }
    for (key, targets) in moves.as_map().unwrap_or(&[]) {
        for (target, span) in scalars(targets).into_iter().filter(|(target, _)| !target.is_empty() && *target != "~") {
            if !states.transitions.contains_key(target) {
                let help = did_you_mean(target, names()).unwrap_or_else(|| format!("declare it: `{target}: []`"));
                let message =
                    format!("`{}` goes to `{target}`, which is not a state of `{}`", key.text, record.value.name);
                cx.report(Code::UnknownState, span, message, Some(help));
            }
        }
    }
    let mut reached = BTreeSet::from([states.initial.as_str()]);
    let mut open = vec![states.initial.as_str()];
    while let Some(state) = open.pop() {
        for next in states.transitions.get(state).into_iter().flatten() {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    for state in names().filter(|state| !reached.contains(state)) {
        let span = moves.entry(state).map_or(moves.span, |(key, _)| key.span);
        let help =
            format!("records start as `{}`; add a transition that leads to `{state}`, or remove it", states.initial);
        cx.report(Code::UnreachableState, span, format!("no record can reach the state `{state}`"), Some(help));
    }
}
