//! Schemas of `behavior:`.

use serde_json::{Value, json};

use super::build::duration;
use super::build::{
    Defs, Entry, choice, closed, either, expression, full_name, list, map_of, part, secret, text, texts, value, values,
    whole,
};
use brain_registry::keys;

/// Adds `behavior` and everything below it.
pub(super) fn add(defs: &mut Defs) {
    let operations = keys::operations();
    let forms: Vec<Value> = operations.iter().map(|(word, _)| part(word)).collect();
    let mut behavior = closed(
        vec![
            (
                "record",
                "Works on records, in one commit with the checkpoint.",
                json!({"type": "object", "anyOf": forms}),
            ),
            ("expr", "Computes from its input.", either([expression(), part("expr")])),
            ("http", "Calls an external API.", part("http")),
            ("decide", "A decision table.", part("decide")),
            ("playbook", "Expands to the steps of a playbook.", either([full_name(), part("playbook_behavior")])),
            ("worker", "A job that external workers do.", either([text(), part("worker")])),
            ("native", "The name of a registered Rust function.", text()),
        ],
        &[],
    );
    behavior["minProperties"] = json!(1);
    behavior["maxProperties"] = json!(1);
    defs.insert("behavior".into(), behavior);
    for (word, takes) in operations {
        defs.insert(word.into(), operation(word, takes));
    }
    defs.insert(
        "lookup_get".into(),
        closed(vec![("get", "The record type.", text()), ("id", "Which one.", value())], &["get", "id"]),
    );
    defs.insert(
        "lookup_list".into(),
        closed(vec![("list", "The record type.", text()), ("where", "Which ones.", values())], &["list"]),
    );
    defs.insert("expr".into(), closed(vec![("result", "What it answers.", value())], &["result"]));
    let playbook = vec![("name", "The playbook.", full_name()), ("result", "What the tool answers.", value())];
    defs.insert("playbook_behavior".into(), closed(playbook, &["name"]));
    let worker = vec![
        ("topic", "What workers ask for.", text()),
        ("lease", "How long a worker keeps a job; default 5 min.", duration()),
    ];
    defs.insert("worker".into(), closed(worker, &["topic"]));
    http(defs);
    decide(defs);
}

/// The schema of one operation on records.
fn operation(word: &'static str, takes: &[&str]) -> Value {
    let lookups = either([part("lookup_get"), part("lookup_list")]);
    let all: Vec<Entry> = vec![
        ("with", "Records read first, each under its name.", map_of(lookups)),
        ("result", "What the tool answers.", value()),
        ("set", "Field values.", values()),
        ("id", "Which record; default: the input that names one of this type.", value()),
        ("to", "The new state.", text()),
        ("where", "Equality filters; one whose value is null is left out.", values()),
        ("query", "What to look for; default: the input `query`.", value()),
        ("limit", "How many at most; default 100.", whole(1, 10_000)),
    ];
    let taken = all.into_iter().filter(|(key, ..)| ["with", "result"].contains(key) || takes.contains(key));
    let entries = [(word, "The record type.", text())].into_iter().chain(taken).collect();
    closed(entries, &[word])
}

fn http(defs: &mut Defs) {
    let http = closed(
        vec![
            ("method", "Default `GET`.", choice(&["GET", "POST", "PUT", "PATCH", "DELETE"])),
            ("url", "Its host is written out and declared in `hosts`.", text()),
            ("query", "Query parameters; null ones are left out.", values()),
            ("headers", "Headers; null ones are left out.", values()),
            ("body", "JSON; default: the whole input, except for `GET` and `DELETE`.", value()),
            ("auth", "How to authenticate.", part("auth")),
            ("success", "All conditions must be met; default: 2xx.", part("criteria")),
            ("failure", "Any condition is enough; takes precedence over `success`.", part("criteria")),
            (
                "not_done",
                "Any condition is enough: nothing happened, whatever the status usually means.",
                part("criteria"),
            ),
            ("unknown", "Any condition is enough: it is unknown whether it happened.", part("criteria")),
            ("result", "Maps `response.{status, headers, body}`; default: the body.", value()),
            ("also", "What else to take from the response, besides its data.", part("also")),
            ("idempotency_header", "Default `Idempotency-Key`.", text()),
        ],
        &["url"],
    );
    defs.insert("http".into(), http);
    let also = vec![
        ("summary", "One sentence for people.", value()),
        ("artifacts", "Records that the result is about: `[{type, id, role}]`.", value()),
        ("new_steps", "Steps to add to the run; the tool must say `may_inject: true`.", value()),
        ("review", "A question for a person who should look at the result first.", value()),
        ("token_usage", "What a language model used: `{input, output, model}`.", value()),
    ];
    defs.insert("also".into(), closed(also, &[]));
    let mut auth = closed(
        vec![
            ("bearer", "`Authorization: Bearer …`", secret()),
            ("header", "A header with a name of its own.", part("auth_header")),
            ("basic", "User name and password.", part("auth_basic")),
        ],
        &[],
    );
    auth["minProperties"] = json!(1);
    defs.insert("auth".into(), auth);
    let header = vec![("name", "The header.", text()), ("value", "The secret's reference.", secret())];
    defs.insert("auth_header".into(), closed(header, &["name", "value"]));
    let basic = vec![("user", "The user name.", text()), ("password", "The password's reference.", secret())];
    defs.insert("auth_basic".into(), closed(basic, &["user", "password"]));
    let status = || whole(100, 599);
    let criteria = closed(
        vec![
            ("status", "One of these status codes.", either([status(), list(status())])),
            ("contains", "Text that the body contains.", texts()),
            ("expr", "FEEL over `response`.", expression()),
            ("note", "Free-form note; stored, not evaluated.", value()),
        ],
        &[],
    );
    defs.insert("criteria".into(), criteria);
}

fn decide(defs: &mut Defs) {
    let cells = json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}});
    let outputs = either([list(text()), map_of(json!({"type": ["array", "null"]}))]);
    let table = closed(
        vec![
            ("hit", "Hit policy; default `first`.", choice(&keys::hits())),
            (
                "inputs",
                "What is tested: `{column: \"= FEEL\"}`. Default: each input under its own name.",
                map_of(expression()),
            ),
            ("outputs", "Result columns, or `{column: [values, the most important first]}`.", outputs),
            (
                "rules",
                "The rows, in order.",
                json!({"type": "array", "items": part("rule"), "minItems": 1, "maxItems": 1000}),
            ),
            ("otherwise", "When no rule matches.", part("otherwise")),
        ],
        &["rules"],
    );
    defs.insert("decide".into(), table);
    let then = || ("then", "Values by result column.", values());
    let steps = || ("steps", "Steps that it adds to the run.", list(part("step")));
    let when = ("when", "FEEL unary tests by column.", cells);
    defs.insert("rule".into(), closed(vec![when, then(), steps()], &[]));
    defs.insert("otherwise".into(), closed(vec![then(), steps()], &[]));
}
