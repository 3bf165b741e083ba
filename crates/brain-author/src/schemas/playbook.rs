//! `playbooks/*.yaml`.

use serde_json::{Value, json};

use super::build::{Defs, choice, closed, defs, duration, full_name, list, name, part, text, texts, whole};
use super::{fields, steps};

pub(super) fn schema() -> (Value, Defs) {
    let root = closed(
        vec![
            ("playbook", "`domain.name`; shares its name space with tools.", full_name()),
            ("tenant", "Whose own it is; absent: everyone's.", text()),
            ("title", "For people.", text()),
            ("description", "For people.", text()),
            ("phrases", "How people ask for it, with `{slots}`.", list(text())),
            ("slots", "What it takes.", part("slots")),
            ("steps", "What it does, in order.", json!({"type": "array", "items": part("step"), "minItems": 1})),
            (
                "policy",
                "`atomic`: all of it is one commit, or none of it happens. `best_effort`: each step is tried. Default: each step says itself what its failure means.",
                choice(&["atomic", "best_effort"]),
            ),
            ("timeout", "Of the whole run.", duration()),
            ("max_steps", "Hard stop on the number of steps; default 50.", whole(1, 10_000)),
            ("priority", "1 (lowest) to 10; default 5.", whole(1, 10)),
            ("version", "Rises with every change that matters; default 1.", whole(1, i64::from(u32::MAX))),
            ("aliases", "Other names; nobody else's.", texts()),
            ("roles", "Who takes part; each role is a slot too.", list(part("role"))),
        ],
        &["playbook", "steps"],
    );
    let role = closed(
        vec![
            ("role", "Its name, and that of its slot.", name()),
            (
                "cardinality",
                "How many may take it; default `one`.",
                choice(&["one", "zero_or_one", "zero_or_more", "one_or_more"]),
            ),
            ("kinds", "Record types that may take it.", texts()),
            ("label", "What people call it.", text()),
        ],
        &["role"],
    );
    let mut defs = defs([("role", role)]);
    fields::slots(&mut defs);
    steps::add(&mut defs);
    (root, defs)
}
