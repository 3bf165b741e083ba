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
            ("seed", "Seed of the random number generator.", whole(0, i64::MAX)),
            ("stubs", "What external tools answer, call after call; the last answer repeats.", stubs),
            ("steps", "Each an action and what must be true afterwards.", list(part("step"))),
        ],
        &["scenario", "steps"],
    );
    let verdicts = ["accept", "reject"];
    let modes = ["answer", "plan", "enqueue", "enqueue_and_wait"];
    let step = closed(
        vec![
            ("say", "Somebody says this.", text()),
            ("call", "Calls tools directly, without a message.", either([part("call"), list(part("call"))])),
            ("advance", "Time passes.", duration()),
            ("kill", "The process dies and starts again.", flag()),
            ("approve", "The open approval is granted.", flag()),
            ("reject", "The open approval is refused.", flag()),
            ("retry", "The open dead letter is retried.", flag()),
            ("cancel", "The run is cancelled.", flag()),
            ("work", "A worker leases a job and answers; without an answer, it only leases the job.", part("work")),
            ("callback", "The other side of a delegated step answers.", part("stub")),
            ("review", "`accept`, `reject`, or the fields that are corrected.", either([choice(&verdicts), values()])),
            ("undo", "Undoes the last run (`true`) or one of its steps.", either([flag(), text()])),
            ("mode", "As in a request; default `enqueue_and_wait`.", choice(&modes)),
            ("as", "Who does it.", either([text(), part("person")])),
            ("context", "Values that come with the request.", values()),
            ("conversation", "The conversation that the request belongs to.", text()),
            (
                "max_tool_calls",
                "Maximum number of tool calls for the request; default 10.",
                whole(1, i64::from(u32::MAX)),
            ),
            (
                "policy",
                "How several calls in one request depend on each other.",
                choice(&["plain", "atomic", "best_effort"]),
            ),
            ("expect", "What must be true of the answer.", part("expect")),
            ("expect_records", "What must be stored.", either([part("expect_records"), list(part("expect_records"))])),
            ("let", "Names for later steps.", map_of(value())),
        ],
        &[],
    );
    let call = closed(vec![("tool", "Which tool.", full_name()), ("input", "Its arguments.", values())], &["tool"]);
    let counts = json!({"type": "object", "additionalProperties": whole(0, i64::from(u32::MAX))});
    let expect = closed(
        vec![
            ("ok", "Whether it went well.", flag()),
            ("confidence", "How sure Brain was.", choice(&["high", "medium", "low", "none"])),
            ("tool", "Which tool was meant.", full_name()),
            ("status", "Status of the run.", text()),
            ("errors", "Text that the errors must contain.", texts()),
            ("message", "Text that the message must contain.", texts()),
            ("result", "What the tool answered.", value()),
            ("batch", "Fields that the batch result must have.", values()),
            ("waits_for", "Text that `waits_for` must contain.", texts()),
            ("events", "How many events of a name its log has.", counts),
        ],
        &[],
    );
    let person = closed(
        vec![
            ("name", "Their name.", text()),
            ("approver", "Whether they may approve; default `true`.", flag()),
            ("permissions", "What they may do; default: everything.", texts()),
            ("tier", "Their tier; default: any.", text()),
        ],
        &["name"],
    );
    let work = closed(
        vec![
            ("topic", "The topic.", text()),
            ("result", "It succeeds with this.", value()),
            ("answer", "It succeeds with a whole result.", part("answer")),
            ("failure", "It fails like this.", part("failure")),
        ],
        &["topic"],
    );
    let answer = closed(
        vec![
            ("data", "What the tool answers.", value()),
            ("summary", "One sentence.", text()),
            ("artifacts", "Records that it is about.", list(value())),
            ("new_steps", "Steps that it injects.", list(value())),
            ("review", "A person should look at it: `{ask}`.", values()),
            ("delegate", "The step is delegated to another engine: `{reference, within_ms}`.", values()),
        ],
        &[],
    );
    let records = closed(
        vec![
            ("type", "The record type.", text()),
            ("where", "Which records.", values()),
            ("count", "How many there are.", whole(0, i64::from(u32::MAX))),
            ("fields", "Field values that each of them must have.", values()),
        ],
        &["type"],
    );
    let canned = closed(
        vec![
            ("result", "It succeeds with this.", value()),
            ("answer", "It succeeds with a whole result.", part("answer")),
            ("failure", "It fails like this.", part("failure")),
        ],
        &[],
    );
    let failure = closed(
        vec![
            ("class", "`transient` is retried.", choice(&["transient", "contract", "business"])),
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
        ("answer", answer),
        ("work", work),
        ("person", person),
        ("failure", failure),
    ];
    (root, defs(parts))
}
