//! `scenarios/*.yaml` — end-to-end tests on a virtual clock.

use std::collections::BTreeMap;

use brain_core::{Failure, FailureClass, Timestamp};
use serde_json::{Value, json};

use super::Context;
use crate::code::Code;
use crate::located::Located;
use crate::model::{Action, Expect, ExpectRecords, Scenario, ScenarioStep, Stub};
use crate::yaml::{Node, Span};

pub(super) const KEYS: [&str; 6] = ["scenario", "description", "start", "seed", "stubs", "steps"];
const ACTIONS: [&str; 6] = ["say", "call", "advance", "kill", "approve", "reject"];
pub(super) const STUB_KEYS: [&str; 2] = ["result", "failure"];
pub(super) const FAILURE_KEYS: [&str; 3] = ["class", "code", "message"];
pub(super) const CALL_KEYS: [&str; 2] = ["tool", "input"];
pub(super) const EXPECT_KEYS: [&str; 7] = ["ok", "confidence", "tool", "status", "errors", "message", "result"];
pub(super) const EXPECT_RECORDS_KEYS: [&str; 4] = ["type", "where", "count", "fields"];
pub(super) const STEP_KEYS: [&str; 11] =
    ["say", "call", "advance", "kill", "approve", "reject", "mode", "as", "expect", "expect_records", "let"];
/// What a person's mode may be, as the run contract names them.
const MODES: [(&str, &str); 4] =
    [("answer", "answer"), ("plan", "plan"), ("enqueue", "enqueue"), ("enqueue_and_wait", "enqueue_and_wait")];

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
        let help = "write a moment with its zone, such as `2026-03-02T09:00:00Z`";
        cx.report(Code::WrongKind, node.span, format!("`{text}` is not a moment"), Some(help.into()));
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

/// `timeout`, `lost`, `{result: …}`, `{failure: {class, code, message}}`.
fn stub(cx: &mut Context<'_>, node: &Node) -> Option<Stub> {
    if node.as_scalar().is_some() {
        return match cx.choice(node, "canned answer", &[("timeout", 0), ("lost", 1)])? {
            0 => Some(Stub::Timeout),
            _ => Some(Stub::Lost),
        };
    }
    let fields = cx.fields(node, "a canned answer", &STUB_KEYS)?;
    if let Some(result) = fields.get("result") {
        return Some(Stub::Result(cx.value(result)));
    }
    let failure = fields.need(cx, "failure", "a canned answer")?;
    let fields = cx.fields(failure, "`failure`", &FAILURE_KEYS)?;
    let classes = [
        ("transient", FailureClass::Transient),
        ("contract", FailureClass::Contract),
        ("business", FailureClass::Business),
    ];
    let class = fields.need(cx, "class", "`failure`").and_then(|node| cx.choice(node, "class", &classes))?;
    let code = fields.get("code").and_then(|node| cx.text(node, "`code`")).unwrap_or_else(|| "stubbed".into());
    let message = fields.get("message").and_then(|node| cx.text(node, "`message`")).unwrap_or_else(|| code.clone());
    Some(Stub::Failure(Failure { class, code, message, retry_after: None }))
}

fn step(cx: &mut Context<'_>, node: &Node) -> Option<ScenarioStep> {
    let fields = cx.fields(node, "a scenario step", &STEP_KEYS)?;
    let mut actions = node.as_map()?.iter().filter(|(key, _)| ACTIONS.contains(&key.text.as_str()));
    let first = actions.next();
    if let (Some((one, _)), Some((two, _))) = (first, actions.next()) {
        let message = format!("a step does one thing: `{}` and `{}` are two", one.text, two.text);
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
        actor: fields.get("as").and_then(|node| cx.text(node, "`as`")),
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
            let fields = cx.fields(node, "`call`", &CALL_KEYS)?;
            let tool = fields.need(cx, "tool", "`call`").and_then(|node| cx.full_name(node, "tool name"));
            let input = match fields.get("input") {
                Some(node) => cx.map(node, "`input`").and_then(|_| cx.binding(node)),
                None => cx.parsed(&json!({}), span),
            };
            Some(Action::Call { tool: tool?, input: input? })
        }
        "advance" => cx.duration(node, "`advance`").map(Action::Advance),
        "kill" => cx.flag(node, "`kill`").map(|_| Action::Kill),
        "approve" => cx.flag(node, "`approve`").map(|_| Action::Approve),
        _ => cx.flag(node, "`reject`").map(|_| Action::Reject),
    }
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
    })
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
