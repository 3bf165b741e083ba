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
    let review = either([choice(&["accept", "reject"]), values()]);
    let counts = json!({"type": "object", "additionalProperties": whole(0, i64::from(u32::MAX))});
    let modes = ["answer", "plan", "enqueue", "enqueue_and_wait"];
    let step = closed(
        vec![
            ("say", "Somebody says this.", text()),
            ("call", "Tools are called without words: one, or a list.", either([part("call"), list(part("call"))])),
            ("advance", "Time passes.", duration()),
            ("kill", "The process dies and starts again.", flag()),
            ("approve", "The open approval is granted.", flag()),
            ("reject", "The open approval is refused.", flag()),
            ("retry", "The dead letter is tried again.", flag()),
            ("cancel", "The run is asked to stop.", flag()),
            ("work", "A worker takes a job and answers it.", part("work")),
            ("callback", "Another engine calls back.", stub()),
            ("review", "The open review is decided: `accept`, `reject`, or corrected fields.", review),
            ("undo", "The run is taken back, or one step of it.", either([flag(), text()])),
            ("mode", "As in a request; default `enqueue_and_wait`.", choice(&modes)),
            ("as", "Who does it: a name, or more about them.", either([text(), part("person")])),
            ("context", "Values that fill slots of the same name.", value()),
            ("conversation", "The conversation it belongs to.", text()),
            ("policy", "What several calls are to each other.", choice(&["plain", "atomic", "best_effort"])),
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
            ("batch", "What became of each of several calls.", value()),
            ("waits_for", "What the run waits for.", texts()),
            ("events", "How many events of each kind there are.", counts),
        ],
        &[],
    );
    let answer = closed(
        vec![
            ("data", "What it answers.", value()),
            ("summary", "A sentence.", value()),
            ("artifacts", "What it made, changed or found.", value()),
            ("new_steps", "Steps that it adds to the run.", value()),
            ("review", "What a person should look at.", value()),
            ("delegate", "Who does the work from here.", value()),
        ],
        &[],
    );
    let work = closed(
        vec![
            ("topic", "What the worker asks for.", text()),
            ("result", "It succeeds with this.", value()),
            ("answer", "It answers all of this.", value()),
            ("failure", "It fails like this.", part("failure")),
        ],
        &["topic"],
    );
    let person = closed(
        vec![
            ("name", "Who.", text()),
            ("approver", "Whether they may approve.", flag()),
            ("permissions", "What they may do.", texts()),
            ("tier", "Their tier.", text()),
        ],
        &["name"],
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
        vec![
            ("result", "It succeeds with this.", value()),
            ("answer", "It answers all of this.", part("answer")),
            ("failure", "It fails like this.", part("failure")),
        ],
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
        ("answer", answer),
        ("work", work),
        ("person", person),
    ];
    (root, defs(parts))
}
