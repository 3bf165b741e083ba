//! `pack.yaml` — name, settings and permitted hosts of a pack.

use std::collections::BTreeMap;

use serde_json::Map;

use super::Context;
use super::http_behavior::names_a_secret;
use crate::code::Code;
use crate::located::Located;
use crate::model::{Help, IntentTier, PackDef};
use crate::yaml::{Node, Resolved, resolve, to_json};

pub(super) const HELP_KEYS: [&str; 2] = ["text", "examples"];
pub(super) const KEYS: [&str; 10] =
    ["name", "version", "title", "description", "requires", "settings", "hosts", "help", "nouns", "intent_tiers"];
pub(super) const TIER_KEYS: [&str; 5] = ["id", "label", "description", "hint", "kinds"];
pub(super) const KIND_KEYS: [&str; 4] = ["id", "label", "description", "hint"];

/// The keys of the setting `understanding`: thresholds for acting and asking.
pub const UNDERSTANDING_KEYS: [&str; 9] =
    ["pattern", "pattern_margin", "clear", "margin", "scope", "ask", "read", "write", "account_lead"];

/// Decodes `pack.yaml`.
pub(crate) fn pack(cx: &mut Context<'_>, node: &Node) -> Option<Located<PackDef>> {
    let fields = cx.fields(node, "`pack.yaml`", &KEYS)?;
    let name_node = fields.need(cx, "name", "a pack")?;
    let name = cx.text(name_node, "`name`").and_then(|text| cx.name(&text, name_node.span, "pack name"))?;
    let version = fields.need(cx, "version", "a pack").and_then(|node| cx.text(node, "`version`"));
    let settings = fields.get("settings").and_then(|node| cx.map(node, "`settings`")).unwrap_or(&[]);
    for (key, value) in settings {
        cx.name(&key.text, key.span, "setting name");
        if names_a_secret(&key.text) {
            let help =
                "keep it in an environment variable and refer to it where it is used: `auth: {bearer: env:NAME}`";
            cx.report(
                Code::SecretValue,
                value.span,
                format!("the setting `{}` seems to hold a secret", key.text),
                Some(help.into()),
            );
        }
        if key.text == "understanding" {
            thresholds(cx, value);
        }
    }
    let decimals = settings
        .iter()
        .filter(|(_, node)| matches!(node.as_scalar().map(resolve), Some(Resolved::Decimal(_))))
        .map(|(key, _)| key.text.clone());
    let def = PackDef {
        title: fields.get("title").and_then(|node| cx.text(node, "`title`")).unwrap_or_else(|| name.clone()),
        name,
        version: version.unwrap_or_default(),
        description: fields.get("description").and_then(|node| cx.text(node, "`description`")).unwrap_or_default(),
        requires: fields.get("requires").map(|node| cx.texts(node, "a pack name")).unwrap_or_default(),
        settings: settings.iter().map(|(key, node)| (key.text.clone(), to_json(node))).collect::<Map<_, _>>(),
        decimal_settings: decimals.collect(),
        hosts: fields.get("hosts").map(|node| hosts(cx, node)).unwrap_or_default(),
        help: fields.get("help").map(|node| help(cx, node)).unwrap_or_default(),
        nouns: fields.get("nouns").map(|node| nouns(cx, node)).unwrap_or_default(),
        intent_tiers: fields.get("intent_tiers").map(|node| tiers(cx, node, &TIER_KEYS)).unwrap_or_default(),
    };
    Some(Located::new(cx, def, name_node.span, node.clone()))
}

/// Scores from 0 to 1; pattern costs are in hundredths.
fn thresholds(cx: &mut Context<'_>, node: &Node) {
    let Some(fields) = cx.fields(node, "`understanding`", &UNDERSTANDING_KEYS) else { return };
    for key in UNDERSTANDING_KEYS {
        let Some(node) = fields.get(key) else { continue };
        let hundredths = key.starts_with("pattern");
        let most = if hundredths { 100.0 } else { 1.0 };
        let number = node.as_scalar().map(resolve).and_then(|value| match value {
            Resolved::Integer(number) => Some(number as f64),
            Resolved::Decimal(text) if !hundredths => text.parse().ok(),
            _ => None,
        });
        if !number.is_some_and(|number| (0.0..=most).contains(&number)) {
            let wanted = if hundredths { "a whole number from 0 to 100" } else { "a number from 0 to 1" };
            let help = "`brain dev tune` finds good values and prints them in this form";
            cx.report(Code::WrongKind, node.span, format!("`{key}` must be {wanted}"), Some(help.into()));
        }
    }
}

/// Hosts: a name or address, with a port unless it is the default. No scheme, path or wildcard.
fn hosts(cx: &mut Context<'_>, node: &Node) -> Vec<String> {
    let items: Vec<&Node> = node.as_seq().map_or_else(|| vec![node], |items| items.iter().collect());
    let mut hosts = Vec::new();
    for item in items {
        let Some(text) = cx.text(item, "a host") else { continue };
        let (name, port) = text.rsplit_once(':').unwrap_or((&text, "1"));
        let good = !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._[]:".contains(&b))
            && port.parse::<u16>().is_ok_and(|port| port > 0);
        if good {
            hosts.push(text.to_ascii_lowercase());
        } else {
            let help = "write `api.example.com` or `localhost:8080`, without `https://` and without a path";
            cx.report(Code::BadName, item.span, format!("`{text}` is not a host"), Some(help.into()));
        }
    }
    hosts
}

fn help(cx: &mut Context<'_>, node: &Node) -> Help {
    if node.as_scalar().is_some() {
        return Help { text: cx.text(node, "`help`").unwrap_or_default(), examples: Vec::new() };
    }
    let Some(fields) = cx.fields(node, "`help`", &HELP_KEYS) else { return Help::default() };
    Help {
        text: fields.get("text").and_then(|node| cx.text(node, "`text`")).unwrap_or_default(),
        examples: fields.get("examples").map(|node| cx.texts(node, "an example")).unwrap_or_default(),
    }
}

/// Kinds of action; those of the second level have the keys `KIND_KEYS`.
fn tiers(cx: &mut Context<'_>, node: &Node, keys: &[&str]) -> Vec<IntentTier> {
    let items = cx.seq(node, "a list of kinds of action").unwrap_or(&[]);
    items.iter().filter_map(|item| tier(cx, item, keys)).collect()
}

fn tier(cx: &mut Context<'_>, node: &Node, keys: &[&str]) -> Option<IntentTier> {
    let fields = cx.fields(node, "a kind of action", keys)?;
    let id_node = fields.need(cx, "id", "a kind of action");
    let id = id_node.and_then(|node| cx.text(node, "`id`").and_then(|text| cx.name(&text, node.span, "id")));
    let label = fields.need(cx, "label", "a kind of action").and_then(|node| cx.text(node, "`label`"));
    let kinds = fields.get("kinds").map(|node| tiers(cx, node, &KIND_KEYS)).unwrap_or_default();
    let description = fields.get("description").and_then(|node| cx.text(node, "`description`")).unwrap_or_default();
    let hint = fields.get("hint").and_then(|node| cx.text(node, "`hint`")).unwrap_or_default();
    Some(IntentTier { id: id?, label: label?, description, hint, kinds })
}

fn nouns(cx: &mut Context<'_>, node: &Node) -> BTreeMap<String, Vec<String>> {
    let entries = cx.map(node, "`nouns`").unwrap_or(&[]);
    entries.iter().map(|(key, value)| (key.text.clone(), cx.texts(value, "a noun"))).collect()
}
