//! `playbooks/*.yaml` — several steps under one name.

use brain_lang::plan::OnFailure;
use serde_json::json;

use super::schema::{Purpose, object};
use super::{Context, policy, roles, slots, tool};
use crate::code::Code;
use crate::located::Located;
use crate::model::{BatchPolicy, Playbook, PlaybookStep};
use crate::yaml::Node;

/// Default of `max_steps`.
const DEFAULT_MAX_STEPS: u32 = 50;
/// Upper limit of `max_steps`.
const MAX_STEPS: i64 = 10_000;
/// Default parallelism of `foreach`.
const DEFAULT_AT_A_TIME: u16 = 8;
pub(super) const KEYS: [&str; 15] = [
    "playbook", "tenant", "title", "description", "phrases", "slots", "steps", "policy", "timeout", "max_steps",
    "priority", "version", "aliases", "roles", "intent_tier",
];
pub(super) const STEP_KEYS: [&str; 11] =
    ["id", "tool", "args", "after", "when", "foreach", "at_a_time", "on_failure", "retry", "timeout", "compensate"];

/// Decodes one playbook.
pub(crate) fn playbook(cx: &mut Context<'_>, node: &Node) -> Option<Located<Playbook>> {
    let fields = cx.fields(node, "a playbook", &KEYS)?;
    let name_node = fields.need(cx, "playbook", "a playbook")?;
    let name = cx.full_name(name_node, "playbook name")?;
    let policies = [("atomic", BatchPolicy::Atomic), ("best_effort", BatchPolicy::BestEffort)];
    let batch = fields.get("policy").and_then(|node| cx.choice(node, "policy", &policies)).unwrap_or_default();
    let otherwise = match batch {
        BatchPolicy::Plain => OnFailure::Stop,
        // If a step is in another commit after all, the completed steps are undone.
        BatchPolicy::Atomic => OnFailure::Undo,
        BatchPolicy::BestEffort => OnFailure::Continue,
    };
    let mut slots = match fields.get("slots") {
        Some(node) => object(cx, node, "`slots`", Purpose::Slots)?,
        None => json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false}),
    };
    let rules = fields.get("slots").map(|node| slots::rules(cx, node)).unwrap_or_default();
    let roles = fields.get("roles").map(|node| roles::roles(cx, node)).unwrap_or_default();
    roles::add_slots(cx, &roles, fields.get("roles"), &mut slots);
    let items = fields.need(cx, "steps", "a playbook").and_then(|node| cx.seq(node, "`steps`")).unwrap_or(&[]);
    if let (Some(node), []) = (fields.get("steps").filter(|node| node.as_seq().is_some()), items) {
        cx.report(Code::MissingKey, node.span, "a playbook needs at least one step", None);
    }
    let mut steps: Vec<PlaybookStep> = Vec::new();
    for item in items {
        let before = steps.last().map(|step| step.id.clone());
        steps.extend(step(cx, item, before, otherwise));
    }
    let description = fields.get("description").and_then(|node| cx.text(node, "`description`")).unwrap_or_default();
    let def = Playbook {
        title: fields
            .get("title")
            .and_then(|node| cx.text(node, "`title`"))
            .unwrap_or_else(|| name.split_once('.').map_or(name.as_str(), |(_, tail)| tail).replace('_', " ")),
        name,
        pack: cx.pack.to_owned(),
        tenant: fields.get("tenant").and_then(|node| cx.text(node, "`tenant`")),
        description,
        phrases: fields.get("phrases").map(|node| tool::phrases(cx, node)).unwrap_or_default(),
        intent_tier: fields.get("intent_tier").and_then(|node| cx.text(node, "`intent_tier`")),
        slots,
        steps,
        policy: batch,
        aliases: fields.get("aliases").map(|node| cx.texts(node, "an alias")).unwrap_or_default(),
        roles,
        rules,
        timeout: fields.get("timeout").and_then(|node| policy::timeout(cx, node)),
        max_steps: fields
            .get("max_steps")
            .and_then(|node| cx.whole(node, "`max_steps`", 1..=MAX_STEPS))
            .and_then(|number| u32::try_from(number).ok())
            .unwrap_or(DEFAULT_MAX_STEPS),
        priority: policy::priority(cx, fields.get("priority")),
        version: fields
            .get("version")
            .and_then(|node| cx.whole(node, "`version`", 1..=i64::from(u32::MAX)))
            .and_then(|number| u32::try_from(number).ok())
            .unwrap_or(1),
    };
    Some(Located::new(cx, def, name_node.span, node.clone()))
}

/// One step; `before` is the preceding step, `otherwise` the default of `on_failure`.
pub(super) fn step(
    cx: &mut Context<'_>,
    node: &Node,
    before: Option<String>,
    otherwise: OnFailure,
) -> Option<PlaybookStep> {
    let fields = cx.fields(node, "a step", &STEP_KEYS)?;
    let id_node = fields.need(cx, "id", "a step");
    let id = id_node.and_then(|node| cx.text(node, "`id`").and_then(|text| cx.name(&text, node.span, "step id")));
    let tool = fields.need(cx, "tool", "a step").and_then(|node| cx.full_name(node, "tool name"));
    let args = match fields.get("args") {
        Some(node) => cx.map(node, "`args`").and_then(|_| cx.binding(node)),
        // Filled in when all tools are known.
        None => cx.parsed(&json!({}), node.span),
    };
    let after = match fields.get("after") {
        Some(node) => cx.texts(node, "a step id"),
        None => before.into_iter().collect(),
    };
    let at_a_time = fields.get("at_a_time").and_then(|node| cx.whole(node, "`at_a_time`", 1..=1000));
    // Fallible fields come last, so that everything is checked before the step is dropped.
    Some(PlaybookStep {
        when: fields.get("when").and_then(|node| cx.condition(node, "`when`")),
        foreach: fields.get("foreach").and_then(|node| cx.condition(node, "`foreach`")),
        at_a_time: at_a_time.and_then(|number| u16::try_from(number).ok()).unwrap_or(DEFAULT_AT_A_TIME),
        on_failure: fields.get("on_failure").and_then(|node| policy::on_failure(cx, node)).unwrap_or(otherwise),
        retry: fields.get("retry").and_then(|node| policy::retry(cx, node)),
        timeout: fields.get("timeout").and_then(|node| policy::timeout(cx, node)),
        compensate: fields.get("compensate").and_then(|node| cx.flag(node, "`compensate`")).unwrap_or(true),
        id: id?,
        tool: tool?,
        args: args?,
        after,
    })
}
