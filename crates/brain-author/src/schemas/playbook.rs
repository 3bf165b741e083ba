//! `playbooks/*.yaml`.

use serde_json::{Value, json};

use super::build::{Defs, choice, closed, defs, duration, full_name, list, name, part, text, texts, whole};
use super::{fields, steps};

pub(super) fn schema() -> (Value, Defs) {
    let root = closed(
        vec![
            ("playbook", "`domain.name`; shares its namespace with tools.", full_name()),
            ("tenant", "The tenant that it belongs to; if absent, all tenants have it.", text()),
            ("title", "For people.", text()),
            ("description", "For people.", text()),
            ("phrases", "How people ask for it, with `{slots}`.", list(text())),
            ("slots", "What it takes.", part("slots")),
            ("steps", "What it does, in order.", json!({"type": "array", "items": part("step"), "minItems": 1})),
            (
                "policy",
                "`atomic`: all of it is one commit, or none of it happens. `best_effort`: each step is tried. Default: `on_failure` of each step decides.",
                choice(&["atomic", "best_effort"]),
            ),
            ("timeout", "Time limit of the whole run.", duration()),
            ("max_steps", "Hard stop on the number of steps; default 50.", whole(1, 10_000)),
            ("priority", "1 (lowest) to 10; default 5.", whole(1, 10)),
            ("version", "Increase it with every significant change; default 1.", whole(1, i64::from(u32::MAX))),
            ("aliases", "Other names, unique across all tools and playbooks.", texts()),
            ("intent_tier", "The kind of action: `TIER` or `TIER.KIND`. Default: by its name.", text()),
            ("roles", "Who takes part; each role is a slot too.", list(part("role"))),
        ],
        &["playbook", "steps"],
    );
    let role = closed(
        vec![
            ("role", "Its name, and that of its slot.", name()),
            (
                "cardinality",
                "How many people or records can fill the role; default `one`.",
                choice(&["one", "zero_or_one", "zero_or_more", "one_or_more"]),
            ),
            ("kinds", "Record types that can fill it.", texts()),
            ("label", "What people call it.", text()),
        ],
        &["role"],
    );
    let mut defs = defs([("role", role)]);
    fields::slots(&mut defs);
    steps::add(&mut defs);
    (root, defs)
}
