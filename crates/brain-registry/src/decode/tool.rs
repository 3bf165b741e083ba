//! `tools/*.yaml` — tools.

use serde_json::json;

use super::attributes::{ATTRIBUTES, attributes};
use super::context::Fields;
use super::schema::{Purpose, object};
use super::{Context, behavior, http_behavior, policy, preconditions, undo};
use crate::code::Code;
use crate::located::Located;
use crate::model::{Behavior, Effect, Idempotency, RecordOp, RetryPolicy, ToolDef};
use crate::native::NativeDecl;
use crate::yaml::{Key, Node};

/// Default attempts to delegate work: every 2 s, doubling, at most a minute apart.
const DELEGATE_ATTEMPTS: u32 = 50;
pub(super) const FILE_KEYS: [&str; 3] = ["domain", "noun", "tools"];
pub(super) const KEYS: [&str; 22] = [
    "title", "description", "input", "output", "phrases", "synonyms", "behavior", "effect", "consent", "undo",
    "requires", "retry", "timeout", "idempotency", "priority", "summary", "next", "tags", "success", "failure",
    "limits", "intent_tier",
];

/// A file of tools: the tools, and the nouns of their domain.
pub(crate) struct ToolFile {
    pub(crate) domain: String,
    pub(crate) nouns: Vec<String>,
    pub(crate) tools: Vec<Located<ToolDef>>,
}

/// Decodes a file of tools.
pub(crate) fn tools(cx: &mut Context<'_>, node: &Node) -> Option<ToolFile> {
    let fields = cx.fields(node, "a file of tools", &FILE_KEYS)?;
    let domain = fields.need(cx, "domain", "a file of tools");
    let domain = domain.and_then(|node| cx.text(node, "`domain`").and_then(|text| cx.name(&text, node.span, "domain")));
    let nouns = fields.get("noun").map(|node| cx.texts(node, "`noun`")).unwrap_or_default();
    let entries = fields.need(cx, "tools", "a file of tools").and_then(|node| cx.map(node, "`tools`")).unwrap_or(&[]);
    let domain_name = domain.clone().unwrap_or_default();
    let tools = entries.iter().filter_map(|(key, node)| tool(cx, &domain_name, key, node)).collect();
    Some(ToolFile { domain: domain?, nouns, tools })
}

fn tool(cx: &mut Context<'_>, domain: &str, key: &Key, node: &Node) -> Option<Located<ToolDef>> {
    let name = cx.name(&key.text, key.span, "tool name");
    let known: Vec<&str> = KEYS.into_iter().chain(ATTRIBUTES).collect();
    let fields = cx.fields(node, "a tool", &known)?.named_at(key.span);
    let (title, description) = words(cx, &fields, &key.text);
    let native = native(cx, &fields);
    let input = match (fields.get("input"), &native) {
        (None, Some(native)) => Some(native.input.clone()),
        // The unknown function was reported; its input is unknown.
        (None, None) if how_native(&fields).is_some() => Some(json!({"type": "object"})),
        _ => fields
            .need(cx, "input", &format!("the tool `{}`", key.text))
            .and_then(|node| object(cx, node, "`input`", Purpose::Input)),
    };
    let output = match (fields.get("output"), &native) {
        (None, Some(native)) => native.output.clone(),
        (node, _) => node.and_then(|node| object(cx, node, "`output`", Purpose::Output)),
    };
    let how = fields.need(cx, "behavior", &format!("the tool `{}`", key.text));
    // Without the input, follow-up errors about inputs would only confuse.
    let behavior = how.zip(input.as_ref()).and_then(|(node, input)| behavior::behavior(cx, node, input));
    let behavior = behavior.map(|behavior| criteria(cx, &fields, behavior));
    let phrases = fields.get("phrases").map(|node| phrases(cx, node)).unwrap_or_default();
    let synonyms = fields.get("synonyms").map(|node| cx.texts(node, "a synonym")).unwrap_or_default();
    let intent_tier = fields.get("intent_tier").and_then(|node| cx.text(node, "`intent_tier`"));
    let (undo, no_undo) = match (fields.get("undo"), &native) {
        (None, Some(native)) => (native.undo.clone(), native.no_undo()),
        (node, _) => node.map(|node| undo::undo(cx, node)).unwrap_or_default(),
    };
    let requires = fields.get("requires").zip(input.as_ref());
    let mut requires = requires.map(|(node, input)| preconditions::preconditions(cx, node, input)).unwrap_or_default();
    let attributes = attributes(cx, &fields, behavior.as_ref());
    requires.extend(attributes.dependencies);
    let retry = fields.get("retry").and_then(|node| policy::retry(cx, node));
    let timeout = fields.get("timeout").and_then(|node| policy::timeout(cx, node)).unwrap_or(cx.times.tool);
    let limits = fields.get("limits").and_then(|node| policy::limits(cx, node));
    let priority = policy::priority(cx, fields.get("priority"));
    let summary = fields.get("summary").and_then(|node| cx.narrative(node, "`summary`"));
    let next = fields.get("next").map(|node| narratives(cx, node)).unwrap_or_default();
    let tags = fields.get("tags").map(|node| cx.texts(node, "a tag")).unwrap_or_default();
    let effect = fields.get("effect").and_then(|node| policy::effect(cx, node));
    let consent = fields.get("consent").and_then(|node| policy::consent(cx, node));
    let idempotency = fields.get("idempotency").and_then(|node| policy::idempotency(cx, node));

    let behavior = behavior?;
    let effect = effect.unwrap_or_else(|| native.map_or_else(|| default_effect(&behavior), |native| native.effect));
    let def = ToolDef {
        name: format!("{domain}.{}", name?),
        pack: cx.pack.to_owned(),
        title: title?,
        description,
        input: input?,
        output,
        phrases,
        synonyms,
        intent_tier,
        effect,
        consent: consent
            .or(native.and_then(|native| native.consent))
            .unwrap_or_else(|| policy::default_consent(effect)),
        undo,
        requires,
        retry: retry.unwrap_or_else(|| default_retry(attributes.delegate.is_some())),
        timeout,
        limits,
        idempotency: idempotency.unwrap_or_else(|| match (&behavior, native) {
            (_, Some(native)) => native.idempotency(),
            (Behavior::Http(_), _) => Idempotency::None,
            _ => Idempotency::Key,
        }),
        behavior,
        priority,
        summary,
        next,
        tags,
        permission: attributes.permission,
        tiers: attributes.tiers,
        needs: attributes.needs,
        blockers: attributes.blockers,
        opposites: attributes.opposites,
        cost: attributes.cost,
        acknowledge: attributes.acknowledge,
        may_inject: attributes.may_inject || native.is_some_and(|native| native.may_inject),
        capability: attributes.capability,
        delegate: attributes.delegate,
        review: attributes.review,
        no_undo,
    };
    Some(Located::new(cx, def, key.span, node.clone()))
}

/// The native function that a tool calls, if known.
fn native<'a>(cx: &Context<'a>, fields: &Fields<'_>) -> Option<&'a NativeDecl> {
    let name = how_native(fields)?;
    cx.natives.iter().find(|native| native.name == *name)
}

/// The function that `behavior: {native: NAME}` names.
fn how_native<'n>(fields: &Fields<'n>) -> Option<&'n String> {
    Some(&fields.get("behavior")?.get("native")?.as_scalar()?.text)
}

/// The title and the description; one is enough.
fn words(cx: &mut Context<'_>, fields: &Fields<'_>, name: &str) -> (Option<String>, String) {
    let title = fields.get("title").and_then(|node| cx.text(node, "`title`"));
    let description = fields.get("description").and_then(|node| cx.text(node, "`description`")).unwrap_or_default();
    match (title, description.as_str()) {
        (None, "") => {
            if fields.get("title").is_none() && fields.get("description").is_none() {
                let help = "say in a few words what it does; people see this";
                cx.report(
                    Code::MissingKey,
                    fields.first(),
                    format!("the tool `{name}` needs `title` or `description`"),
                    Some(help.into()),
                );
            }
            (None, description)
        }
        (None, text) => (Some(text.lines().next().unwrap_or(text).trim().to_owned()), description),
        (title, _) => (title, description),
    }
}

/// Phrases: at least one, if declared.
pub(super) fn phrases(cx: &mut Context<'_>, node: &Node) -> Vec<String> {
    match cx.seq(node, "`phrases`") {
        Some(items) => items.iter().filter_map(|item| cx.text(item, "a phrase")).collect(),
        None => Vec::new(),
    }
}

fn narratives(cx: &mut Context<'_>, node: &Node) -> Vec<String> {
    match node.as_seq() {
        Some(items) => items.iter().filter_map(|item| cx.narrative(item, "`next`")).collect(),
        None => cx.narrative(node, "`next`").into_iter().collect(),
    }
}

/// `success` and `failure` may also be siblings of `behavior`.
fn criteria(cx: &mut Context<'_>, fields: &Fields<'_>, mut behavior: Behavior) -> Behavior {
    for key in ["success", "failure"] {
        let Some(node) = fields.get(key) else { continue };
        let Behavior::Http(http) = &mut behavior else {
            let message = format!("`{key}` is for tools that call an external API");
            cx.report(Code::BadAttribute, node.span, message, Some("use `requires` for what must hold before".into()));
            continue;
        };
        let place = if key == "success" { &mut http.success } else { &mut http.failure };
        match place {
            Some(_) => {
                cx.report(Code::DuplicateKey, node.span, format!("`{key}` is given here and inside `http`"), None)
            }
            None => *place = http_behavior::criteria(cx, node),
        }
    }
    behavior
}

/// Another engine may be unavailable for a while, so delegation is retried longer.
fn default_retry(delegates: bool) -> RetryPolicy {
    let usual = RetryPolicy::default();
    if delegates { RetryPolicy { attempts: DELEGATE_ATTEMPTS, ..usual } } else { usual }
}

fn default_effect(behavior: &Behavior) -> Effect {
    match behavior {
        Behavior::Expr(_) | Behavior::Query(_) => Effect::Read,
        Behavior::Record(record) if matches!(record.op, RecordOp::Get | RecordOp::List | RecordOp::Search) => {
            Effect::Read
        }
        Behavior::Record(_) => Effect::Write,
        Behavior::Http(_) | Behavior::Worker(_) => Effect::External,
        Behavior::Decide(_) | Behavior::Playbook(_) => Effect::Read,
        Behavior::Native(native) if native.inline => Effect::Read,
        Behavior::Native(_) => Effect::External,
    }
}
