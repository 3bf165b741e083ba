//! `scenarios/*.yaml` — end-to-end tests on a virtual clock.

use std::collections::BTreeMap;

use brain_core::{Failure, FailureClass, Timestamp};
use brain_lang::binding::Binding;
use serde_json::{Value, json};

use super::Context;
use crate::code::Code;
use crate::located::Located;
use crate::model::{Action, BatchPolicy, Expect, ExpectRecords, Person, Scenario, ScenarioStep, Stub};
use crate::yaml::{Key, Node, Span};

pub(super) const KEYS: [&str; 6] = ["scenario", "description", "start", "seed", "stubs", "steps"];
const ACTIONS: [&str; 12] =
    ["say", "call", "advance", "kill", "approve", "reject", "retry", "cancel", "work", "callback", "review", "undo"];
pub(super) const STUB_KEYS: [&str; 3] = ["result", "answer", "failure"];
pub(super) const ANSWER_KEYS: [&str; 6] = ["data", "summary", "artifacts", "new_steps", "review", "delegate"];
pub(super) const FAILURE_KEYS: [&str; 3] = ["class", "code", "message"];
pub(super) const CALL_KEYS: [&str; 2] = ["tool", "input"];
pub(super) const WORK_KEYS: [&str; 4] = ["topic", "result", "answer", "failure"];
pub(super) const PERSON_KEYS: [&str; 4] = ["name", "approver", "permissions", "tier"];
pub(super) const EXPECT_KEYS: [&str; 10] =
    ["ok", "confidence", "tool", "status", "errors", "message", "result", "batch", "waits_for", "events"];
pub(super) const EXPECT_RECORDS_KEYS: [&str; 4] = ["type", "where", "count", "fields"];
pub(super) const STEP_KEYS: [&str; 21] = [
    "say", "call", "advance", "kill", "approve", "reject", "retry", "cancel", "work", "callback", "review", "undo",
    "mode", "as", "context", "conversation", "max_tool_calls", "policy", "expect", "expect_records", "let",
];
/// The modes of a request, as the run contract names them.
const MODES: [(&str, &str); 4] =
    [("answer", "answer"), ("plan", "plan"), ("enqueue", "enqueue"), ("enqueue_and_wait", "enqueue_and_wait")];

/// The policies of a batch.
const POLICIES: [(&str, BatchPolicy); 3] =
    [("plain", BatchPolicy::Plain), ("atomic", BatchPolicy::Atomic), ("best_effort", BatchPolicy::BestEffort)];

/// Decodes one scenario.
pub(crate) fn scenario(cx: &mut Context<'_>, node: &Node) -> Option<Located<Scenario>> {
    let fields = cx.fields(node, "a scenario", &KEYS)?;
    let name_node = fields.need(cx, "scenario", "a scenario")?;
    let name = cx.text(name_node, "`scenario`")?;
    let items = fields.need(cx, "steps", "a scenario").and_then(|node| cx.seq(node, "`steps`")).unwrap_or(&[]);
    let def = Scenario {
        name,
        pack: cx.pack.to_owned(),
        file: cx.file.to_owned(),
        start: fields.get("start").and_then(|node| moment(cx, node)),
        seed: fields
            .get("seed")
            .and_then(|node| cx.whole(node, "`seed`", 0..=i64::MAX))
            .and_then(|number| u64::try_from(number).ok())
            .unwrap_or(1),
        stubs: fields.get("stubs").map(|node| stubs(cx, node)).unwrap_or_default(),
        steps: items.iter().filter_map(|item| step(cx, item)).collect(),
    };
    Some(Located::new(cx, def, name_node.span, node.clone()))
}

fn moment(cx: &mut Context<'_>, node: &Node) -> Option<Timestamp> {
    let text = cx.text(node, "`start`")?;
    let parsed = serde_json::from_value(Value::from(text.as_str())).ok();
    if parsed.is_none() {
        let help = "write one with its time zone, such as `2026-03-02T09:00:00Z`";
        cx.report(Code::WrongKind, node.span, format!("`{text}` is not a timestamp"), Some(help.into()));
    }
    parsed
}

fn stubs(cx: &mut Context<'_>, node: &Node) -> BTreeMap<String, Vec<Stub>> {
    let entries = cx.map(node, "`stubs`").unwrap_or(&[]);
    entries
        .iter()
        .map(|(key, value)| {
            let items: Vec<&Node> = value.as_seq().map_or_else(|| vec![value], |items| items.iter().collect());
            (key.text.clone(), items.into_iter().filter_map(|item| stub(cx, item)).collect())
        })
        .collect()
}

/// `timeout`, `lost`, `{result: …}`, `{answer: {data, new_steps, review, delegate}}`, `{failure: {class, code,
/// message}}`.
fn stub(cx: &mut Context<'_>, node: &Node) -> Option<Stub> {
    if node.as_scalar().is_some() {
        return match cx.choice(node, "canned answer", &[("timeout", 0), ("lost", 1)])? {
            0 => Some(Stub::Timeout),
            _ => Some(Stub::Lost),
        };
    }
    let fields = cx.fields(node, "a canned answer", &STUB_KEYS)?;
    if let Some(answer) = fields.get("answer") {
        cx.fields(answer, "`answer`", &ANSWER_KEYS)?;
        return Some(Stub::Answer(cx.value(answer)));
    }
    if let Some(result) = fields.get("result") {
        return Some(Stub::Result(cx.value(result)));
    }
    let failure = fields.need(cx, "failure", "a canned answer")?;
    failed(cx, failure)
}

fn failed(cx: &mut Context<'_>, failure: &Node) -> Option<Stub> {
    let fields = cx.fields(failure, "`failure`", &FAILURE_KEYS)?;
    let classes = [
        ("transient", FailureClass::Transient),
        ("contract", FailureClass::Contract),
        ("business", FailureClass::Business),
    ];
    let class = fields.need(cx, "class", "`failure`").and_then(|node| cx.choice(node, "class", &classes))?;
    let code = fields.get("code").and_then(|node| cx.text(node, "`code`")).unwrap_or_else(|| "stubbed".into());
    let message = fields.get("message").and_then(|node| cx.text(node, "`message`")).unwrap_or_else(|| code.clone());
    Some(Stub::Failure(Failure { class, code, message, retry_after: None, asked: false, settles: false }))
}

fn step(cx: &mut Context<'_>, node: &Node) -> Option<ScenarioStep> {
    let fields = cx.fields(node, "a scenario step", &STEP_KEYS)?;
    let mut actions = node.as_map()?.iter().filter(|(key, _)| ACTIONS.contains(&key.text.as_str()));
    let first = actions.next();
    if let (Some((one, _)), Some((two, _))) = (first, actions.next()) {
        let message = format!("a step has one action, not both `{}` and `{}`", one.text, two.text);
        cx.report(Code::WrongKind, two.span, message, Some("make it a step of its own".into()));
    }
    let action = match first {
        Some((key, value)) => Some(action(cx, &key.text, key.span, value)?),
        None => None,
    };
    let records = fields
        .get("expect_records")
        .map(|node| node.as_seq().map_or_else(|| vec![node], |items| items.iter().collect::<Vec<_>>()));
    let names = fields.get("let").and_then(|node| cx.map(node, "`let`")).unwrap_or(&[]);
    Some(ScenarioStep {
        line: node.span.line,
        action,
        mode: fields.get("mode").and_then(|node| cx.choice(node, "mode", &MODES)).map(str::to_owned),
        actor: fields.get("as").and_then(|node| person(cx, node)),
        context: fields.get("context").and_then(|node| cx.binding(node)),
        conversation: fields.get("conversation").and_then(|node| cx.text(node, "`conversation`")),
        max_tool_calls: fields
            .get("max_tool_calls")
            .and_then(|node| cx.whole(node, "`max_tool_calls`", 1..=i64::from(u32::MAX)))
            .and_then(|number| u32::try_from(number).ok()),
        policy: fields.get("policy").and_then(|node| cx.choice(node, "policy", &POLICIES)).unwrap_or_default(),
        expect: fields.get("expect").and_then(|node| expect(cx, node)),
        expect_records: records.unwrap_or_default().into_iter().filter_map(|node| expect_records(cx, node)).collect(),
        names: names
            .iter()
            .filter_map(|(key, value)| {
                let name = cx.name(&key.text, key.span, "name")?;
                Some((name, cx.binding(value)?))
            })
            .collect(),
    })
}

fn action(cx: &mut Context<'_>, kind: &str, span: Span, node: &Node) -> Option<Action> {
    match kind {
        "say" => cx.text(node, "`say`").and_then(|_| cx.binding(node)).map(Action::Say),
        "call" => {
            let items: Vec<&Node> = node.as_seq().map_or_else(|| vec![node], |items| items.iter().collect());
            let calls: Vec<_> = items.into_iter().map(|item| call(cx, item, span)).collect();
            calls.into_iter().collect::<Option<Vec<_>>>().map(Action::Call)
        }
        "advance" => cx.duration(node, "`advance`").map(Action::Advance),
        "kill" => cx.flag(node, "`kill`").map(|_| Action::Kill),
        "approve" => cx.flag(node, "`approve`").map(|_| Action::Approve),
        "retry" => cx.flag(node, "`retry`").map(|_| Action::Retry),
        "cancel" => cx.flag(node, "`cancel`").map(|_| Action::Cancel),
        "callback" => stub(cx, node).map(Action::Callback),
        "work" => {
            let fields = cx.fields(node, "`work`", &WORK_KEYS)?;
            let topic = fields.need(cx, "topic", "`work`").and_then(|node| cx.text(node, "`topic`"))?;
            let answers = ["result", "answer", "failure"].iter().any(|key| fields.get(key).is_some());
            let answer = if answers { Some(worked(cx, node)?) } else { None };
            Some(Action::Work { topic, answer })
        }
        "review" => match node.as_scalar() {
            Some(scalar) if scalar.text == "reject" => Some(Action::Review(None)),
            Some(scalar) if scalar.text == "accept" => {
                cx.parsed(&json!({}), span).map(|none| Action::Review(Some(none)))
            }
            _ => cx.map(node, "`review`").and_then(|_| cx.binding(node)).map(|fields| Action::Review(Some(fields))),
        },
        "undo" => match node.as_scalar() {
            Some(scalar) if scalar.text != "true" => Some(Action::Undo { step: Some(scalar.text.clone()) }),
            _ => cx.flag(node, "`undo`").map(|_| Action::Undo { step: None }),
        },
        _ => cx.flag(node, "`reject`").map(|_| Action::Reject),
    }
}

fn call(cx: &mut Context<'_>, node: &Node, span: Span) -> Option<(String, Binding)> {
    let fields = cx.fields(node, "`call`", &CALL_KEYS)?;
    let tool = fields.need(cx, "tool", "`call`").and_then(|node| cx.full_name(node, "tool name"));
    let input = match fields.get("input") {
        Some(node) => cx.map(node, "`input`").and_then(|_| cx.binding(node)),
        None => cx.parsed(&json!({}), span),
    };
    Some((tool?, input?))
}

/// A worker's answer: a stub with its topic.
fn worked(cx: &mut Context<'_>, node: &Node) -> Option<Stub> {
    if let Some(result) = node.get("result") {
        return Some(Stub::Result(cx.value(result)));
    }
    if let Some(answer) = node.get("answer") {
        return Some(Stub::Answer(cx.value(answer)));
    }
    failed(cx, node.get("failure")?)
}

/// `NAME`, or `{name, approver, permissions, tier}`.
fn person(cx: &mut Context<'_>, node: &Node) -> Option<Person> {
    if node.as_scalar().is_some() {
        return cx.text(node, "`as`").map(|name| Person { name, ..Person::default() });
    }
    let fields = cx.fields(node, "`as`", &PERSON_KEYS)?;
    Some(Person {
        name: fields.need(cx, "name", "`as`").and_then(|node| cx.text(node, "`name`"))?,
        no_approver: fields.get("approver").and_then(|node| cx.flag(node, "`approver`")) == Some(false),
        permissions: fields.get("permissions").map(|node| cx.texts(node, "a permission")),
        tier: fields.get("tier").and_then(|node| cx.text(node, "`tier`")),
    })
}

fn expect(cx: &mut Context<'_>, node: &Node) -> Option<Expect> {
    let fields = cx.fields(node, "`expect`", &EXPECT_KEYS)?;
    let bands = [("high", "high"), ("medium", "medium"), ("low", "low"), ("none", "none")];
    Some(Expect {
        ok: fields.get("ok").and_then(|node| cx.flag(node, "`ok`")),
        confidence: fields.get("confidence").and_then(|node| cx.choice(node, "confidence", &bands)).map(str::to_owned),
        tool: fields.get("tool").and_then(|node| cx.full_name(node, "tool name")),
        status: fields.get("status").and_then(|node| cx.text(node, "`status`")),
        errors: fields.get("errors").map(|node| cx.texts(node, "`errors`")).unwrap_or_default(),
        message: fields.get("message").map(|node| cx.texts(node, "`message`")).unwrap_or_default(),
        result: fields.get("result").and_then(|node| cx.binding(node)),
        batch: fields.get("batch").and_then(|node| cx.binding(node)),
        waits_for: fields.get("waits_for").map(|node| cx.texts(node, "`waits_for`")).unwrap_or_default(),
        events: events(cx, fields.get("events")),
    })
}

fn events(cx: &mut Context<'_>, node: Option<&Node>) -> BTreeMap<String, u32> {
    let entries = node.and_then(|node| cx.map(node, "`events`")).unwrap_or(&[]);
    let count = |(key, node): &(Key, Node)| {
        let count = cx.whole(node, "a count", 0..=i64::from(u32::MAX))?;
        Some((key.text.clone(), u32::try_from(count).ok()?))
    };
    entries.iter().filter_map(count).collect()
}

fn expect_records(cx: &mut Context<'_>, node: &Node) -> Option<ExpectRecords> {
    let fields = cx.fields(node, "`expect_records`", &EXPECT_RECORDS_KEYS)?;
    Some(ExpectRecords {
        record_type: fields.need(cx, "type", "`expect_records`").and_then(|node| cx.text(node, "a record type"))?,
        filter: fields.get("where").map(|node| cx.bindings(node, "`where`")).unwrap_or_default(),
        count: fields
            .get("count")
            .and_then(|node| cx.whole(node, "`count`", 0..=i64::from(u32::MAX)))
            .and_then(|number| u32::try_from(number).ok()),
        fields: fields.get("fields").map(|node| cx.bindings(node, "`fields`")).unwrap_or_default(),
    })
}
