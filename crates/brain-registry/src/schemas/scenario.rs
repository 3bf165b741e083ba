//! `scenarios/*.yaml`.

use serde_json::{Value, json};

use super::build::{
    Defs, choice, closed, defs, duration, either, flag, full_name, list, map_of, part, text, texts, value, values,
    whole,
};

pub(super) fn schema() -> (Value, Defs) {
    let stub = || either([choice(&["timeout", "lost"]), part("stub")]);
    let stubs = json!({"type": "object", "additionalProperties": either([stub(), list(stub())])});
    let root = closed(
        vec![
            ("scenario", "What it shows.", text()),
            ("description", "For people.", value()),
            ("start", "What the clock shows, such as `2026-03-02T09:00:00Z`.", text()),
            ("seed", "Where randomness begins.", whole(0, i64::MAX)),
            ("stubs", "What outside tools answer, call after call; the last repeats.", stubs),
            ("steps", "Each an action and what must be true afterwards.", list(part("step"))),
        ],
        &["scenario", "steps"],
    );
    let modes = ["answer", "plan", "enqueue", "enqueue_and_wait"];
    let step = closed(
        vec![
            ("say", "Somebody says this.", text()),
            ("call", "A tool is called without words.", part("call")),
            ("advance", "Time passes.", duration()),
            ("kill", "The process dies and starts again.", flag()),
            ("approve", "The open approval is granted.", flag()),
            ("reject", "The open approval is refused.", flag()),
            ("mode", "As in a request; default `enqueue_and_wait`.", choice(&modes)),
            ("as", "Who does it.", text()),
            ("expect", "What must be true of the answer.", part("expect")),
            ("expect_records", "What must be stored.", either([part("expect_records"), list(part("expect_records"))])),
            ("let", "Names for later steps.", map_of(value())),
        ],
        &[],
    );
    let call = closed(vec![("tool", "Which tool.", full_name()), ("input", "Its arguments.", values())], &["tool"]);
    let expect = closed(
        vec![
            ("ok", "Whether it went well.", flag()),
            ("confidence", "How sure Brain was.", choice(&["high", "medium", "low", "none"])),
            ("tool", "Which tool was meant.", full_name()),
            ("status", "Of the run.", text()),
            ("errors", "Texts that stand in the errors.", texts()),
            ("message", "Texts that stand in the message.", texts()),
            ("result", "What the tool answered.", value()),
        ],
        &[],
    );
    let records = closed(
        vec![
            ("type", "The record type.", text()),
            ("where", "Which records.", values()),
            ("count", "How many there are.", whole(0, i64::from(u32::MAX))),
            ("fields", "What each of them holds.", values()),
        ],
        &["type"],
    );
    let canned = closed(
        vec![("result", "It succeeds with this.", value()), ("failure", "It fails like this.", part("failure"))],
        &[],
    );
    let failure = closed(
        vec![
            ("class", "`transient` is tried again.", choice(&["transient", "contract", "business"])),
            ("code", "Stable, for programs.", text()),
            ("message", "For people.", text()),
        ],
        &["class"],
    );
    let parts = [
        ("step", step),
        ("call", call),
        ("expect", expect),
        ("expect_records", records),
        ("stub", canned),
        ("failure", failure),
    ];
    (root, defs(parts))
}
