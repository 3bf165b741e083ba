//! Phrases: known slots, at least one word, and one meaning.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::code::Code;
use crate::complete::properties;
use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::phrase::{Part, parts};
use crate::suggest::did_you_mean;
use crate::world::World;
use crate::yaml::{Node, locate};

/// The first occurrence of a phrase.
struct Owner<'w> {
    name: &'w str,
    file: &'w str,
    line: usize,
}

/// Checks all phrases of tools and playbooks.
pub(super) fn check(world: &World, found: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<String, Owner<'_>> = BTreeMap::new();
    for tool in &world.tools {
        let mut cx = tool.context(&world.sources, found);
        let schema = &tool.value.input;
        phrases(&mut cx, &tool.value.name, &tool.file, "input", schema, tool.node.get("phrases"), &mut seen);
    }
    for playbook in &world.playbooks {
        let mut cx = playbook.context(&world.sources, found);
        let schema = &playbook.value.slots;
        phrases(&mut cx, &playbook.value.name, &playbook.file, "slot", schema, playbook.node.get("phrases"), &mut seen);
    }
}

fn phrases<'w>(
    cx: &mut Context<'_>,
    name: &'w str,
    file: &'w str,
    kind: &str,
    schema: &Value,
    node: Option<&Node>,
    seen: &mut BTreeMap<String, Owner<'w>>,
) {
    for item in node.and_then(Node::as_seq).unwrap_or(&[]) {
        let Some(scalar) = item.as_scalar() else { continue };
        let parsed = match parts(&scalar.text) {
            Ok(parsed) => parsed,
            Err(problem) => {
                let place = locate(cx.source, scalar, item.span, problem.range);
                cx.report(
                    Code::BadPhrase,
                    place,
                    problem.message,
                    Some("write a slot as `{name}`; braces are not allowed anywhere else in a phrase".into()),
                );
                continue;
            }
        };
        let mut good = true;
        for (slot, range) in parsed.iter().filter_map(Part::slot) {
            if schema["properties"].get(slot).is_none() {
                good = false;
                let place = locate(cx.source, scalar, item.span, range);
                let names: Vec<&str> = properties(schema).map(String::as_str).collect();
                let help = did_you_mean(slot, names)
                    .unwrap_or_else(|| format!("declare it as an {kind}, or replace it with plain words"));
                cx.report(Code::UnknownSlot, place, format!("`{name}` has no {kind} `{slot}`"), Some(help));
            }
        }
        if !parsed.iter().any(Part::has_word) {
            let help = "add at least one word that people say";
            cx.report(Code::NoWords, item.span, "a phrase of slots alone would match everything", Some(help.into()));
            continue;
        }
        if good {
            unique(cx, name, file, schema, item, &parsed, seen);
        }
    }
}

/// Two phrases are equal if they have the same words, and slots of the same types, in the same order.
fn unique<'w>(
    cx: &mut Context<'_>,
    name: &'w str,
    file: &'w str,
    schema: &Value,
    item: &Node,
    parsed: &[Part<'_>],
    seen: &mut BTreeMap<String, Owner<'w>>,
) {
    let key = parsed.iter().map(|part| part.key(schema)).collect::<String>();
    let key = key.split_whitespace().collect::<Vec<_>>().join(" ");
    match seen.get(&key) {
        None => {
            seen.insert(key, Owner { name, file, line: item.span.line });
        }
        Some(owner) if owner.name == name => {
            let help = format!("the first one is on line {}", owner.line);
            cx.report(Code::AmbiguousPhrase, item.span, "this phrase is given twice", Some(help));
        }
        Some(owner) => {
            let help =
                format!("it is in {}, line {}; change one so that people can tell them apart", owner.file, owner.line);
            cx.report(Code::AmbiguousPhrase, item.span, format!("`{}` has the same phrase", owner.name), Some(help));
        }
    }
}
