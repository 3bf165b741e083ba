//! `corpus/{tune,test}/*.yaml`.

use serde_json::{Value, json};

use super::build::{Defs, choice, closed, defs, either, flag, full_name, part, text, texts, value, values};

pub(super) fn schema() -> (Value, Defs) {
    let row = closed(
        vec![
            ("say", "What somebody says.", text()),
            (
                "expect",
                "What should come of it: `none` (out of scope), `ask`, `{tool: NAME, slots: {…}}` or `{playbook: NAME, slots: {…}}`.",
                either([choice(&["none", "ask"]), part("expectation")]),
            ),
        ],
        &["say", "expect"],
    );
    let expectation = closed(
        vec![
            ("tool", "The tool that is meant.", full_name()),
            ("playbook", "The playbook that is meant.", full_name()),
            ("none", "Nothing is meant: out of scope.", value()),
            ("ask", "Brain should ask, between these if they are named.", either([flag(), texts()])),
            ("slots", "What should be understood.", values()),
        ],
        &[],
    );
    let root =
        json!({"type": "array", "items": part("row"), "description": "Nothing is ever matched against a corpus."});
    (root, defs([("row", row), ("expectation", expectation)]))
}
