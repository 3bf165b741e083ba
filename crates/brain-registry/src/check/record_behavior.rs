//! Tools on records: known record types, fields and states.

use crate::code::Code;
use crate::decode::Context;
use crate::located::Located;
use crate::model::{Lookup, RecordBehavior, RecordDef, RecordOp, ToolDef};
use crate::suggest::did_you_mean;
use crate::world::World;
use crate::yaml::{Node, Span};

use super::arguments::fits;
use super::expressions::{Scope, record_names};
use super::records::{field, unknown_record};

/// Checks the behavior.
pub(super) fn check(cx: &mut Context<'_>, world: &World, tool: &Located<ToolDef>, behavior: &RecordBehavior) {
    let node = tool.at(&["behavior", "record"]);
    let op = operation_word(behavior.op);
    let target = node.get(op).map_or(node.span, |target| target.span);
    let writes = !matches!(behavior.op, RecordOp::Get | RecordOp::List | RecordOp::Search);
    for (name, lookup) in &behavior.with {
        lookup_type(cx, world, lookup, node.nearest(["with", name]));
        if writes {
            relied(cx, world, name, lookup, node.nearest(["with", name]));
        }
    }
    scopes(cx, world, tool, behavior, node);
    let Some(record) = world.record(&behavior.record) else {
        return unknown_record(cx, world, &behavior.record, target);
    };
    values(cx, record, node.get("set"));
    filters(cx, record, node.get("where"));
    if let Some(to) = node.get("to").filter(|_| behavior.op == RecordOp::Transition) {
        target_state(cx, tool, record, to);
    }
    lacks(cx, record, behavior.op, target);
    if matches!(behavior.op, RecordOp::Insert | RecordOp::Upsert) {
        for missing in record.fields.iter().filter(|field| {
            field.required && field.schema.get("default").is_none() && !behavior.set.contains_key(&field.name)
        }) {
            let help = format!("add an input `{0}`, or `set: {{{0}: …}}`, or make the field optional", missing.name);
            let message = format!("a `{}` needs `{}`, which is never set", record.name, missing.name);
            cx.report(Code::FieldNotSet, target, message, Some(help));
        }
    }
}

/// The new state: literal, or the choices of the input it comes from.
fn target_state(cx: &mut Context<'_>, tool: &Located<ToolDef>, record: &RecordDef, node: &Node) {
    let Some(scalar) = node.as_scalar() else { return };
    if super::arguments::is_literal(node) {
        return state(cx, record, &scalar.text, node.span);
    }
    let input = scalar.text.trim_start_matches('=').trim().strip_prefix("input.");
    let choices = input.and_then(|name| tool.value.input["properties"][name]["enum"].as_array());
    for choice in choices.into_iter().flatten().filter_map(|choice| choice.as_str()) {
        state(cx, record, choice, node.span);
    }
}

fn operation_word(op: RecordOp) -> &'static str {
    match op {
        RecordOp::Insert => "insert",
        RecordOp::Upsert => "upsert",
        RecordOp::Update => "update",
        RecordOp::Transition => "transition",
        RecordOp::Get => "get",
        RecordOp::List => "list",
        RecordOp::Search => "search",
        RecordOp::Delete => "delete",
    }
}

/// Fields that are set exist, and literal values fit.
fn values(cx: &mut Context<'_>, record: &RecordDef, node: Option<&Node>) {
    for (key, value) in node.and_then(Node::as_map).unwrap_or(&[]) {
        if key.text == "state" {
            let help = "use `transition`, so that only declared transitions happen";
            cx.report(Code::UnknownField, key.span, "the state cannot be set like a field", Some(help.into()));
        } else if field(cx, record, &key.text, key.span)
            && let Some(declared) = record.field(&key.text)
            && (value.kind() != "nothing" || declared.required)
        {
            fits(cx, &declared.schema, value, &key.text);
        }
    }
}

/// Filter fields exist; `id` and `state` always do.
pub(super) fn filters(cx: &mut Context<'_>, record: &RecordDef, node: Option<&Node>) {
    for (key, value) in node.and_then(Node::as_map).unwrap_or(&[]) {
        match key.text.as_str() {
            "id" => {}
            "state" => {
                if super::arguments::is_literal(value)
                    && let Some(scalar) = value.as_scalar()
                {
                    state(cx, record, &scalar.text, value.span);
                }
            }
            name => {
                field(cx, record, name, key.span);
            }
        }
    }
}

/// Reports an unknown state.
pub(super) fn state(cx: &mut Context<'_>, record: &RecordDef, name: &str, span: Span) {
    match &record.states {
        None => {
            let help = format!("declare them in the record type: `states: {{{name}: []}}`");
            cx.report(Code::RecordLacks, span, format!("`{}` has no states", record.name), Some(help));
        }
        Some(states) if !states.transitions.contains_key(name) => {
            let help = did_you_mean(name, states.transitions.keys().map(String::as_str));
            cx.report(Code::UnknownState, span, format!("`{name}` is not a state of `{}`", record.name), help);
        }
        Some(_) => {}
    }
}

fn lacks(cx: &mut Context<'_>, record: &RecordDef, op: RecordOp, span: Span) {
    let (message, help) = match op {
        RecordOp::Search if record.search.is_empty() => {
            ("has no fields to search in", "say which in the record type: `search: [field]`")
        }
        RecordOp::Upsert if record.dedupe.is_empty() => {
            ("has no `dedupe` fields", "add them to the record type: `dedupe: [field]`, or use `insert`")
        }
        _ => return,
    };
    cx.report(Code::RecordLacks, span, format!("`{}` {message}", record.name), Some(help.into()));
}

/// A writing tool relies on its lists until the commit, which only an index can guarantee.
fn relied(cx: &mut Context<'_>, world: &World, name: &str, lookup: &Lookup, node: &Node) {
    let Lookup::List { record, filter } = lookup else { return };
    let Some(record) = world.record(record) else { return };
    let indexed = |field: &str| record.field(field).is_some_and(|field| field.indexed || field.reference.is_some());
    if filter.keys().any(|field| indexed(field)) {
        return;
    }
    let message =
        format!("`{name}` lists `{}` without filtering by an indexed field, in a tool that writes", record.name);
    let help = "filter by a reference or by a field with `indexed: true`: the list must not change between the read and the write";
    cx.report(Code::UnindexedList, node.span, message, Some(help.into()));
}

fn lookup_type(cx: &mut Context<'_>, world: &World, lookup: &Lookup, node: &Node) {
    let (word, name) = match lookup {
        Lookup::Get { record, .. } => ("get", record),
        Lookup::List { record, .. } => ("list", record),
    };
    match world.record(name) {
        None => unknown_record(cx, world, name, node.nearest([word]).span),
        Some(record) => filters(cx, record, node.get("where")),
    }
}

/// Scopes: lookups see the input and earlier lookups, values see all lookups, the result also sees the outcome.
fn scopes(cx: &mut Context<'_>, world: &World, tool: &Located<ToolDef>, behavior: &RecordBehavior, node: &Node) {
    let mut scope = Scope::new(world).with_schema("input", &tool.value.input);
    for (name, lookup) in &behavior.with {
        scope.check(cx, node.nearest(["with", name]));
        scope = with_lookup(scope, world, name, lookup);
    }
    for key in ["id", "set", "to", "where", "query"] {
        if let Some(node) = node.get(key) {
            scope.check(cx, node);
        }
    }
    let many = matches!(behavior.op, RecordOp::List | RecordOp::Search);
    let scope = match world.record(&behavior.record) {
        Some(record) if !many => scope.with("record", Some(record_names(record))),
        _ => scope.with(if many { "records" } else { "record" }, None),
    };
    if let Some(node) = node.get("result") {
        scope.check(cx, node);
    }
}

/// A scope with a lookup added.
pub(super) fn with_lookup(scope: Scope, world: &World, name: &str, lookup: &Lookup) -> Scope {
    match lookup {
        Lookup::Get { record, .. } => scope.with(name, world.record(record).map(record_names)),
        // A path through a list gives the values of all items, filters and indexes may come between.
        Lookup::List { .. } => scope.with(name, None),
    }
}
