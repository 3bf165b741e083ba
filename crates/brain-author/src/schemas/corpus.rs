//! `corpus/{tune,test}/*.yaml`.

use serde_json::{Value, json};

use super::build::{Defs, choice, closed, defs, either, flag, full_name, part, text, texts, value, values};

pub(super) fn schema() -> (Value, Defs) {
    let row = closed(
        vec![
            ("say", "What somebody says.", text()),
            (
                "expect",
                "The expected result: `none` (out of scope), `ask`, `{tool: NAME, slots: {…}}`, `{playbook: NAME, slots: {…}}`, or a list of those.",
                part("expected"),
            ),
        ],
        &["say", "expect"],
    );
    let expectations = json!({"type": "array", "items": part("expected"), "minItems": 1});
    let expectation = closed(
        vec![
            ("tool", "The tool that is meant.", full_name()),
            ("playbook", "The playbook that is meant.", full_name()),
            ("none", "No tool: the request is out of scope.", value()),
            ("ask", "Brain should ask, between these if they are named.", either([flag(), texts()])),
            ("slots", "What should be understood.", values()),
            ("question", "A question about records of these types; nothing may be written.", texts()),
            ("nothing", "No tool with an effect is meant; these are the tools that the sentence mentions.", texts()),
            ("either", "Any one of these is right.", expectations.clone()),
        ],
        &[],
    );
    let description = "Held out: requests are never matched against a corpus.";
    let root = json!({"type": "array", "items": part("row"), "description": description});
    let expected = either([choice(&["none", "ask"]), part("expectation"), expectations]);
    (root, defs([("row", row), ("expectation", expectation), ("expected", expected)]))
}
