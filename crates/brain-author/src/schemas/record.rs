//! `records/*.yaml`.

use serde_json::{Value, json};

use super::build::{Defs, choice, closed, defs, either, flag, list, map_of, name, part, text, texts};
use super::fields;

pub(super) fn schema() -> (Value, Defs) {
    let moves = || map_of(either([texts(), json!({"type": "null"})]));
    let rules = choice(&["keep", "replace", "append", "fill-empty"]);
    let long = json!({"anyOf": [{"required": ["initial"]}, {"required": ["transitions"]}]});
    let root = closed(
        vec![
            ("record", "The type's name, unique over all packs.", name()),
            ("title", "What people call one.", text()),
            ("description", "For people.", text()),
            ("fields", "Name → type.", map_of(part("record_field"))),
            (
                "key",
                "Fields whose values together are unique: `email`, `[a, b]`, or several keys `[[a, b], [c]]`.",
                either([texts(), list(texts())]),
            ),
            ("dedupe", "Fields that make two records the same, for `upsert`.", texts()),
            (
                "merge",
                "What `upsert` does with each field; default `replace`.",
                json!({"type": "object", "additionalProperties": rules}),
            ),
            (
                "states",
                "From each state, the states it may go to; the first is where a record begins. Or `{initial, transitions}`.",
                json!({"type": "object", "if": long, "then": part("states"), "else": moves()}),
            ),
            ("search", "Fields for full-text search.", texts()),
            (
                "label",
                "The field that people call a record by; one that points to another record borrows its name.",
                text(),
            ),
            ("aliases", "The field with other names: a comma-separated string, or a list.", text()),
            ("identifiers", "Fields that each identify one record: a number, an address.", texts()),
            ("ask", "`false`: no tool is generated that answers questions about its records.", flag()),
            ("group", "Makes the type a group: which records act for it, in which role and where.", part("group")),
        ],
        &["record", "fields"],
    );
    let states = closed(
        vec![
            ("initial", "Where a record begins.", text()),
            ("transitions", "From each state, the states it may go to.", moves()),
        ],
        &["initial", "transitions"],
    );
    let group = closed(
        vec![
            ("members", "The type of the records that say who acts for it.", text()),
            ("of", "The field that points to the group.", text()),
            (
                "entity",
                "The field that points to the record that acts; without it, the members themselves act.",
                text(),
            ),
            ("role", "The field with the role.", text()),
            (
                "jurisdiction",
                "The field with the place where the role applies; if empty, it applies everywhere.",
                text(),
            ),
        ],
        &["members", "of"],
    );
    let mut defs = defs([("states", states), ("group", group)]);
    fields::stored(&mut defs);
    (root, defs)
}
