//! `brain tools`: lists tools and playbooks.

use anyhow::{Result, bail};
use brain_registry::Registry;
use brain_registry::model::{Consent, Effect};
use serde_json::{Value, json};

use crate::cli::Global;
use crate::show::{BOLD, DIM};
use crate::{open, show};

/// Maximum line width.
const WIDTH: usize = 80;

pub(crate) fn run(global: &Global, name: Option<&str>) -> Result<bool> {
    let registry = open::registry(global)?;
    match name {
        Some(name) => one(global, &registry, name),
        None => list(global, &registry),
    }
}

/// A tool or playbook, reduced to what is printed.
struct Entry<'a> {
    name: &'a str,
    title: &'a str,
    effect: &'static str,
    consent: &'static str,
    phrases: Vec<&'a str>,
    input: &'a Value,
}

impl Entry<'_> {
    fn to_json(&self) -> Value {
        json!({
            "name": self.name, "title": self.title, "effect": self.effect, "consent": self.consent,
            "phrases": self.phrases, "input": self.input,
        })
    }
}

fn entries(registry: &Registry) -> Vec<Entry<'_>> {
    let tools = registry.tools().values().map(|tool| Entry {
        name: &tool.def.name,
        title: &tool.def.title,
        effect: match tool.def.effect {
            Effect::Read => "reads",
            Effect::Irreversible => "cannot be undone",
            _ => "changes",
        },
        consent: match tool.def.consent {
            Consent::Approver => "approver",
            _ => "",
        },
        phrases: tool.def.phrases.iter().map(|phrase| phrase.as_str()).collect(),
        input: &tool.def.input,
    });
    let playbooks = registry.playbooks().map(|playbook| Entry {
        name: &playbook.name,
        title: &playbook.title,
        effect: "playbook",
        consent: "",
        phrases: playbook.phrases.iter().map(|phrase| phrase.as_str()).collect(),
        input: &playbook.slots,
    });
    let mut all: Vec<Entry<'_>> = tools.chain(playbooks).collect();
    all.sort_by_key(|entry| entry.name);
    all
}

fn list(global: &Global, registry: &Registry) -> Result<bool> {
    let entries = entries(registry);
    if global.json {
        show::json(&json!({"items": entries.iter().map(Entry::to_json).collect::<Vec<_>>()}));
        return Ok(true);
    }
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0).min(32);
    for entry in &entries {
        let effect = format!(" ({})", entry.effect);
        let fits = width.max(entry.name.len()) + 2 + entry.title.chars().count() + effect.len() <= WIDTH;
        let effect = if fits { effect.as_str() } else { "" };
        anstream::println!("{BOLD}{:width$}{BOLD:#}  {}{DIM}{effect}{DIM:#}", entry.name, entry.title);
    }
    Ok(true)
}

fn one(global: &Global, registry: &Registry, name: &str) -> Result<bool> {
    let entries = entries(registry);
    let Some(entry) = entries.iter().find(|entry| entry.name == name) else {
        let near = registry.nearest_tool(name).map_or_else(String::new, |near| format!(" Did you mean `{near}`?"));
        bail!("there is no tool or playbook `{name}`.{near} `brain tools` lists them");
    };
    if global.json {
        show::json(&entry.to_json());
        return Ok(true);
    }
    anstream::println!("{BOLD}{}{BOLD:#}  {}", entry.name, entry.title);
    let asks = if entry.consent.is_empty() { "" } else { ", needs an approver" };
    anstream::println!("{DIM}effect{DIM:#}   {}{asks}", entry.effect);
    for (number, phrase) in entry.phrases.iter().enumerate() {
        anstream::println!("{DIM}{}{DIM:#}  {phrase}", if number == 0 { "phrases" } else { "       " });
    }
    let required = entry.input["required"].as_array().cloned().unwrap_or_default();
    for (number, (name, schema)) in entry.input["properties"].as_object().into_iter().flatten().enumerate() {
        let kind =
            schema["x-entity"].as_str().or(schema["format"].as_str()).or(schema["type"].as_str()).unwrap_or("any");
        let needed = if required.iter().any(|one| one == name) { "" } else { ", optional" };
        anstream::println!(
            "{DIM}{}{DIM:#}  {name} {DIM}({kind}{needed}){DIM:#}",
            if number == 0 { "input  " } else { "       " }
        );
    }
    Ok(true)
}
