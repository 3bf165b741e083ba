//! `tools/*.yaml`.

use serde_json::{Value, json};

use super::build::{
    Defs, amount, choice, closed, defs, duration, either, expression, flag, full_name, list, name, part, secret, text,
    texts, value, values, whole,
};
use super::{behaviors, fields, steps};

pub(super) fn schema() -> (Value, Defs) {
    let root = closed(
        vec![
            ("domain", "The first part of the tools' names.", name()),
            ("noun", "What people call the things of the domain.", texts()),
            ("tools", "Name → tool.", super::build::map_of(part("tool"))),
        ],
        &["domain", "tools"],
    );
    let mut defs = defs([
        ("tool", tool()),
        ("undo", undo()),
        ("precondition", precondition()),
        ("idempotency", closed(vec![("check", "The tool that knows the outcome.", full_name())], &["check"])),
        (
            "limits",
            closed(
                vec![
                    ("running", "Maximum number of concurrent calls.", whole(1, 1_000_000)),
                    ("rate", "Maximum calls per period: `10/s`.", text()),
                ],
                &[],
            ),
        ),
        ("blocker", blocker()),
        ("cost", cost()),
        ("acknowledge", acknowledge()),
        ("review", review()),
        ("delegate", delegate()),
    ]);
    fields::inputs(&mut defs);
    steps::add(&mut defs);
    behaviors::add(&mut defs);
    (root, defs)
}

fn tool() -> Value {
    let none = || json!({"const": "none"});
    let mut tool = closed(
        vec![
            ("title", "What people read in lists and plans.", text()),
            ("description", "A longer explanation.", text()),
            ("input", "What it takes; `{}` for nothing.", part("input")),
            ("output", "What it answers; enforced.", part("input")),
            ("phrases", "How people ask for it, with `{slots}` that are inputs.", list(text())),
            ("synonyms", "Other names of it; said whole, each asks for it.", texts()),
            ("intent_tier", "The kind of action: `TIER` or `TIER.KIND`. Default: by its name.", text()),
            ("behavior", "How it is done.", part("behavior")),
            (
                "effect",
                "What it does to the world. Default: by behavior.",
                choice(&["read", "write", "external", "irreversible"]),
            ),
            (
                "consent",
                "`none`: runs at once; `user`: the requester must confirm; `approver`: an approver must approve. Default: by effect.",
                choice(&["none", "user", "approver"]),
            ),
            (
                "undo",
                "How it is undone: `{tool, args, until}`; `none` or `{cannot: REASON}` if it cannot be.",
                either([none(), part("undo")]),
            ),
            ("requires", "What must hold before, each with its `else`.", list(part("precondition"))),
            (
                "retry",
                "`none`, a number of attempts, or a map. Default: 4 attempts, 2 s doubling, at most a minute.",
                either([none(), whole(1, 100), part("retry")]),
            ),
            ("timeout", "Time limit of one attempt; default 30 s.", duration()),
            (
                "limits",
                "Maximum concurrency and rate, across all tenants and servers: `{running: 4, rate: 10/s}`.",
                part("limits"),
            ),
            (
                "idempotency",
                "When an outcome is unknown: `key` (repeat the call with the same key), `{check: TOOL}`, `none` (a person decides).",
                either([choice(&["key", "none"]), part("idempotency")]),
            ),
            ("priority", "1 (lowest) to 10; default 5.", whole(1, 10)),
            ("summary", "A sentence about a success.", text()),
            ("next", "What to suggest afterwards.", texts()),
            ("tags", "Free labels.", texts()),
            ("success", "What makes an `http` response a success.", part("criteria")),
            ("failure", "What makes an `http` response a failure.", part("criteria")),
            ("permission", "The requester must have it.", text()),
            ("tiers", "The requester must have one of them.", texts()),
            ("needs", "Keys of user data; stored and shown.", texts()),
            (
                "blockers",
                "What keeps it from running: names, or `{code, when, else}`.",
                list(either([text(), part("blocker")])),
            ),
            ("opposites", "Tools that contradict it: a request for both is refused.", texts()),
            ("dependencies", "Tools that must have been done before.", texts()),
            ("cost", "What one call costs: a decimal, or a map.", either([amount(), part("cost")])),
            ("acknowledge", "Text that the requester must acknowledge.", either([text(), part("acknowledge")])),
            ("may_inject", "Whether its rules may add steps.", flag()),
            ("capability", "Stored and shown.", text()),
            (
                "delegate",
                "Another engine accepts the call and does the work later; only with `http`.",
                part("delegate"),
            ),
            ("review", "A person looks at the result before the run goes on.", either([text(), part("review")])),
        ],
        &["behavior"],
    );
    tool["anyOf"] = json!([{"required": ["title"]}, {"required": ["description"]}]);
    tool
}

fn undo() -> Value {
    let mut undo = closed(
        vec![
            ("tool", "The tool that undoes it.", full_name()),
            ("args", "Its arguments, from `input`, `result` and `receipt`.", values()),
            ("until", "How long after the fact.", duration()),
            ("cannot", "Why it cannot be undone.", text()),
        ],
        &[],
    );
    undo["anyOf"] = json!([{"required": ["tool"]}, {"required": ["cannot"], "maxProperties": 1}]);
    undo
}

fn precondition() -> Value {
    closed(
        vec![
            ("record", "The input that names the record.", text()),
            ("state", "The states it may be in.", texts()),
            ("expr", "FEEL that must be true.", expression()),
            ("prior", "A tool that must have succeeded before.", text()),
            ("never", "A tool that must not have succeeded before.", text()),
            ("any", "One of these must hold.", list(part("precondition"))),
            ("recheck", "Blocks the step instead of failing it: rechecked after this long.", duration()),
            ("else", "Message if the precondition does not hold.", text()),
        ],
        &[],
    )
}

fn blocker() -> Value {
    closed(
        vec![
            ("code", "The code of the refusal.", name()),
            ("when", "FEEL that is true while it blocks.", expression()),
            ("else", "Message shown to people.", text()),
        ],
        &["code"],
    )
}

fn cost() -> Value {
    closed(
        vec![
            ("fixed", "For the call itself.", amount()),
            ("per_unit", "For each unit.", amount()),
            ("units", "How many units: FEEL.", expression()),
            ("unit", "What a unit is called.", text()),
            ("currency", "Default: that of the settings.", text()),
        ],
        &[],
    )
}

fn acknowledge() -> Value {
    let entries = vec![
        ("text", "The text that must be acknowledged.", text()),
        ("within", "How long they have; then the request lapses.", duration()),
    ];
    closed(entries, &["text"])
}

fn review() -> Value {
    let entries = vec![("when", "FEEL; absent: always.", expression()), ("ask", "What to ask.", text())];
    closed(entries, &["ask"])
}

fn delegate() -> Value {
    closed(
        vec![
            ("secret", "What callbacks are signed with: `env:NAME` or `file:PATH`.", secret()),
            ("within", "How long the other side has.", duration()),
            ("reference", "What the other side calls its work.", value()),
        ],
        &["secret"],
    )
}
