//! `{decide: {hit, inputs, outputs, rules, otherwise}}`: a decision table.

use std::collections::BTreeMap;

use brain_lang::binding::{Binding, Tests};
use brain_lang::plan::OnFailure;
use serde_json::Value;

use super::{Context, playbook};
use crate::code::Code;
use crate::complete::properties;
use crate::model::{DecideBehavior, DecideRule, HitPolicy, PlaybookStep};
use crate::yaml::{Node, Resolved, locate, resolve};

/// The hit policies by name and by their letter in DMN.
pub(super) const HITS: [(&str, HitPolicy); 22] = [
    ("first", HitPolicy::First),
    ("unique", HitPolicy::Unique),
    ("priority", HitPolicy::Priority),
    ("any", HitPolicy::Any),
    ("collect", HitPolicy::Collect),
    ("collect_sum", HitPolicy::CollectSum),
    ("collect_min", HitPolicy::CollectMin),
    ("collect_max", HitPolicy::CollectMax),
    ("collect_count", HitPolicy::CollectCount),
    ("rule_order", HitPolicy::RuleOrder),
    ("output_order", HitPolicy::OutputOrder),
    ("F", HitPolicy::First),
    ("U", HitPolicy::Unique),
    ("P", HitPolicy::Priority),
    ("A", HitPolicy::Any),
    ("C", HitPolicy::Collect),
    ("C+", HitPolicy::CollectSum),
    ("C<", HitPolicy::CollectMin),
    ("C>", HitPolicy::CollectMax),
    ("C#", HitPolicy::CollectCount),
    ("R", HitPolicy::RuleOrder),
    ("O", HitPolicy::OutputOrder),
];
pub(super) const KEYS: [&str; 5] = ["hit", "inputs", "outputs", "rules", "otherwise"];
pub(super) const RULE_KEYS: [&str; 3] = ["when", "then", "steps"];
pub(super) const OTHERWISE_KEYS: [&str; 2] = ["then", "steps"];
/// Maximum number of rules.
const MAX_RULES: usize = 1000;

/// Decodes the table of a tool with this input.
pub(super) fn decode(cx: &mut Context<'_>, node: &Node, input: &Value) -> Option<DecideBehavior> {
    let fields = cx.fields(node, "`decide`", &KEYS)?;
    let found = cx.found.len();
    let hit = fields.get("hit").and_then(|node| hit(cx, node)).unwrap_or(HitPolicy::First);
    let inputs = match fields.get("inputs") {
        Some(node) => columns(cx, node),
        None => properties(input).filter_map(own_column).collect(),
    };
    let outputs = fields.get("outputs").map(|node| outputs(cx, node)).unwrap_or_default();
    let items = fields.need(cx, "rules", "`decide`").and_then(|node| cx.seq(node, "`rules`")).unwrap_or(&[]);
    if let (Some(node), []) = (fields.get("rules").filter(|node| node.as_seq().is_some()), items) {
        cx.report(Code::MissingKey, node.span, "a decision table needs at least one rule", None);
    }
    if items.len() > MAX_RULES {
        cx.report(Code::TooLarge, node.span, format!("a decision table has at most {MAX_RULES} rules"), None);
    }
    let rules = items.iter().filter_map(|item| rule(cx, item, &RULE_KEYS)).collect();
    let otherwise = fields.get("otherwise").and_then(|node| rule(cx, node, &OTHERWISE_KEYS));
    // An incomplete table would decide differently from what was written.
    (cx.found.len() == found).then_some(DecideBehavior { hit, inputs, outputs, rules, otherwise })
}

fn hit(cx: &mut Context<'_>, node: &Node) -> Option<HitPolicy> {
    let text = cx.text(node, "`hit`")?;
    let known = HITS.iter().find(|(word, _)| *word == text).map(|(_, hit)| *hit);
    if known.is_none() {
        // Letters are accepted but not suggested: words are clearer.
        let words: Vec<&str> = HITS.iter().map(|(word, _)| *word).filter(|word| word.len() > 2).collect();
        let help = crate::suggest::did_you_mean(&text, words);
        cx.report(Code::UnknownChoice, node.span, format!("`{text}` is not a known hit policy"), help);
    }
    known
}

/// `inputs: {column: "= FEEL"}`.
fn columns(cx: &mut Context<'_>, node: &Node) -> Vec<(String, Binding)> {
    let entries = cx.map(node, "`inputs`").unwrap_or(&[]);
    entries
        .iter()
        .filter_map(|(key, value)| {
            let name = cx.name(&key.text, key.span, "column")?;
            Some((name, cx.condition(value, &format!("the column `{}`", key.text))?))
        })
        .collect()
}

fn own_column(name: &String) -> Option<(String, Binding)> {
    Some((name.clone(), Binding::parse(&Value::from(format!("= input.{name}"))).ok()?))
}

/// `outputs: [column, …]`, or `{column: [values, the most important first]}`.
fn outputs(cx: &mut Context<'_>, node: &Node) -> Vec<(String, Vec<Value>)> {
    if let Some(items) = node.as_seq() {
        let mut names = Vec::new();
        for item in items {
            let name = cx.text(item, "a result column").and_then(|text| cx.name(&text, item.span, "result column"));
            names.extend(name.map(|name| (name, Vec::new())));
        }
        return names;
    }
    let entries = cx.map(node, "`outputs`").unwrap_or(&[]);
    entries
        .iter()
        .filter_map(|(key, values)| {
            let name = cx.name(&key.text, key.span, "result column")?;
            let values =
                if values.kind() == "nothing" { &[] } else { cx.seq(values, "the values of a result column")? };
            Some((name, values.iter().map(|value| cx.value(value)).collect()))
        })
        .collect()
}

fn rule(cx: &mut Context<'_>, node: &Node, known: &[&str]) -> Option<DecideRule> {
    let what = if known.contains(&"when") { "a rule" } else { "`otherwise`" };
    let fields = cx.fields(node, what, known)?;
    let mut when = BTreeMap::new();
    for (key, value) in fields.get("when").and_then(|node| cx.map(node, "`when`")).unwrap_or(&[]) {
        if let Some(tests) = cell(cx, value) {
            when.insert(key.text.clone(), tests);
        }
    }
    let then = fields.get("then").map(|node| cx.bindings(node, "`then`")).unwrap_or_default();
    let mut steps: Vec<PlaybookStep> = Vec::new();
    for item in fields.get("steps").and_then(|node| cx.seq(node, "`steps`")).unwrap_or(&[]) {
        let before = steps.last().map(|step| step.id.clone());
        steps.extend(playbook::step(cx, item, before, OnFailure::Stop));
    }
    if fields.get("then").is_none() && fields.get("steps").is_none() {
        let help = "say what follows: `then: {column: value}`, or `steps: […]`";
        cx.report(Code::MissingKey, fields.first(), format!("{what} has no result"), Some(help.into()));
    }
    Some(DecideRule { when, then, steps })
}

/// A cell: FEEL unary tests. Numbers and booleans are literals.
fn cell(cx: &mut Context<'_>, node: &Node) -> Option<Tests> {
    let Some(scalar) = node.as_scalar() else {
        let help = "write alternatives as one text: `'\"low\", \"high\"'`, `'< 10, > 20'`, `'[1..5]'`";
        let message = format!("a cell must be text with tests, not {}", node.kind());
        cx.report(Code::BadCell, node.span, message, Some(help.into()));
        return None;
    };
    let text = match resolve(scalar) {
        Resolved::Null => "null".to_owned(),
        Resolved::Bool(flag) => flag.to_string(),
        Resolved::Integer(number) => number.to_string(),
        Resolved::Decimal(text) | Resolved::Text(text) => text,
    };
    match Tests::parse(&text) {
        Ok(tests) => Some(tests),
        Err(error) => {
            let words = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || " _-".contains(c));
            let help = if words { Some(as_text(&text)) } else { error.help };
            let place = locate(cx.source, scalar, node.span, error.span);
            cx.report(Code::BadCell, place, format!("this cell is not a valid test: {}", error.message), help);
            None
        }
    }
}

/// How to test for a text, for a help message.
pub(crate) fn as_text(word: &str) -> String {
    format!("to test for the text, write `'\"{word}\"'`")
}
