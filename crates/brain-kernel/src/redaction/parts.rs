//! Which parts of a stored payload are values of the domain, and which are Brain's own words.

use serde_json::{Map, Value};

/// A part that may hold personal values. Ids, names of tools and words of Brain's formats belong to none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Values of the domain: arguments, results, slots.
    Values,
    /// The reading of a message: slots and links, with names and scores.
    Reading,
    /// A sentence for people.
    Text,
}

/// Goes through the parts of a value.
pub(super) type Walk = fn(&mut Value, &mut dyn FnMut(Part, &mut Value));

/// Visits the parts of the payload of an event.
pub(super) fn of_payload(payload: &mut Value, visit: &mut dyn FnMut(Part, &mut Value)) {
    let Value::Object(map) = payload else { return visit(Part::Values, payload) };
    for (name, value) in map {
        match name.as_str() {
            "evidence" => visit(Part::Reading, value),
            "input" => of_input(value, visit),
            // The data of a checkpoint.
            "data" => fields(value, visit, &mut |name, value, visit| match name {
                "input" => of_input(value, visit),
                "fragments" | "charged" | "started" => {}
                _ => visit(Part::Values, value),
            }),
            "calls" => items(value, &mut |call| {
                if let Some(input) = call.get_mut("input") {
                    visit(Part::Values, input);
                }
            }),
            "result" => fields(value, visit, &mut |name, value, visit| match name {
                "summary" => visit(Part::Text, value),
                "error" => of_sentences(value, visit),
                "artifacts" | "token_usage" | "success" | "api_status" => {}
                _ => visit(Part::Values, value),
            }),
            "message" | "note" => visit(Part::Text, value),
            "errors" | "next_actions" => of_sentences(value, visit),
            _ => visit(Part::Values, value),
        }
    }
}

/// Visits the parts of a stored request.
pub(super) fn of_request(request: &mut Value, visit: &mut dyn FnMut(Part, &mut Value)) {
    fields(request, visit, &mut |name, value, visit| match name {
        "message" => visit(Part::Text, value),
        "context" | "attachments" => visit(Part::Values, value),
        "calls" => items(value, &mut |call| {
            if let Some(input) = call.get_mut("input") {
                visit(Part::Values, input);
            }
        }),
        _ => {}
    });
}

/// Visits the sentences in data of Brain's own: errors, next actions, reasons.
pub(super) fn of_sentences(value: &mut Value, visit: &mut dyn FnMut(Part, &mut Value)) {
    match value {
        Value::Object(map) => {
            for (name, inner) in map {
                match name.as_str() {
                    "message" | "text" | "reason" | "why" | "note" => visit(Part::Text, inner),
                    _ => of_sentences(inner, visit),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| of_sentences(item, visit)),
        _ => {}
    }
}

/// Visits the parts of a run's input. The schema of a playbook's slots is a definition, and holds no values.
fn of_input(input: &mut Value, visit: &mut dyn FnMut(Part, &mut Value)) {
    fields(input, visit, &mut |name, value, visit| match name {
        "work" => {
            if let Some(calls) = value.get_mut("calls") {
                visit(Part::Values, calls);
            }
            if let Some(playbook) = value.get_mut("playbook") {
                fields(playbook, visit, &mut |name, value, visit| {
                    if matches!(name, "slots" | "roles") {
                        visit(Part::Values, value);
                    }
                });
            }
        }
        "context" => visit(Part::Values, value),
        _ => {}
    });
}

/// What is done with a field: its name, its value, and the visitor of its parts.
type OfField<'a> = &'a mut dyn FnMut(&str, &mut Value, &mut dyn FnMut(Part, &mut Value));

fn fields(value: &mut Value, visit: &mut dyn FnMut(Part, &mut Value), work: OfField<'_>) {
    for (name, value) in value.as_object_mut().into_iter().flatten() {
        work(name, value, visit);
    }
}

fn items(value: &mut Value, work: &mut dyn FnMut(&mut Value)) {
    value.as_array_mut().into_iter().flatten().for_each(work);
}

/// The name of a slot, if this object is one: `{name, span}`, with or without its value, or `{name, text}`.
pub(super) fn slot_name(map: &Map<String, Value>) -> Option<&str> {
    let is_slot = map.contains_key("span") || (map.len() == 2 && map.contains_key("text"));
    map.get("name").filter(|_| is_slot).and_then(Value::as_str)
}
