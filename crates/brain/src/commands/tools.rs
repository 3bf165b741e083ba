//! `brain tools`: lists tools and playbooks.

use anyhow::Result;
use brain_server::wire::{MatchType, Page, PlaybookDetail, ToolDetail, ToolLookup, ToolSummary};
use serde_json::{Value, json};

use crate::cli::Global;
use crate::remote::{Client, Need, Refused};
use crate::show::{BOLD, DIM};
use crate::{show, table};

pub(crate) fn run(global: &Global, name: Option<&str>) -> Result<bool> {
    super::talk(global, Need::Optional, async |client| match name {
        Some(name) => one(global, client, name).await,
        None => list(global, client).await,
    })
}

/// `brain tools lookup`: a tool by candidate names.
pub(crate) fn look_up(global: &Global, names: &[String]) -> Result<bool> {
    super::talk(global, Need::Optional, async |client| {
        let query: Vec<(&str, Option<String>)> = names.iter().map(|name| ("name", Some(name.clone()))).collect();
        let found: ToolLookup = client.ask("/v1/tools/lookup", &query).await?;
        if global.json {
            show::json(&found);
            return Ok(found.tool.is_some());
        }
        let (Some(tool), Some(name)) = (&found.tool, &found.name) else {
            let tried: Vec<String> = names.iter().map(|name| format!("“{name}”")).collect();
            outln!("No tool or playbook is called {}.", tried.join(", "));
            return Ok(false);
        };
        let kind = if found.playbook { "playbook" } else { "tool" };
        let how = match found.match_type {
            MatchType::Exact => format!("“{name}” is its name"),
            MatchType::Fuzzy => format!("“{name}” is {} % similar to its name", found.similarity),
            MatchType::Synonym => format!("“{name}” is another name of it"),
            MatchType::NotFound => "not found".to_owned(),
        };
        let title = found.title.as_deref().unwrap_or_default();
        outln!("{BOLD}{tool}{BOLD:#}  {title} {DIM}({kind}; {how}){DIM:#}");
        Ok(true)
    })
}

/// A tool or playbook, reduced to what is printed.
struct Entry {
    name: String,
    title: String,
    effect: &'static str,
    generated: bool,
    consent: &'static str,
    phrases: Vec<String>,
    input: Value,
}

impl Entry {
    fn to_json(&self) -> Value {
        json!({
            "name": self.name, "title": self.title, "effect": self.effect, "consent": self.consent,
            "phrases": self.phrases, "input": self.input, "generated": self.generated,
        })
    }
}

fn effect(word: &str) -> &'static str {
    match word {
        "read" => "reads",
        "irreversible" => "cannot be undone",
        _ => "changes",
    }
}

fn consent(word: &str) -> &'static str {
    if word == "approver" { "approver" } else { "" }
}

impl From<ToolSummary> for Entry {
    fn from(tool: ToolSummary) -> Self {
        Self {
            effect: effect(&tool.effect),
            consent: consent(&tool.consent),
            generated: tool.generated,
            name: tool.name,
            title: tool.title,
            phrases: tool.phrases,
            input: Value::Null,
        }
    }
}

impl From<ToolDetail> for Entry {
    fn from(tool: ToolDetail) -> Self {
        Self {
            effect: effect(&tool.effect),
            consent: consent(&tool.consent),
            generated: tool.behavior == "query",
            name: tool.name,
            title: tool.title,
            phrases: tool.phrases,
            input: tool.input_schema,
        }
    }
}

impl From<PlaybookDetail> for Entry {
    fn from(playbook: PlaybookDetail) -> Self {
        Self {
            name: playbook.name,
            title: playbook.title,
            effect: "playbook",
            generated: false,
            consent: "",
            phrases: playbook.phrases,
            input: playbook.input_schema,
        }
    }
}

/// All tools and playbooks, by name.
async fn entries(client: &Client) -> Result<Vec<Entry>> {
    let playbooks: Page<PlaybookDetail> = client.get("/v1/playbooks").await?;
    let mut all: Vec<Entry> = playbooks.items.into_iter().map(Entry::from).collect();
    let mut cursor = None;
    loop {
        let query = [("limit", Some("200".to_owned())), ("cursor", cursor)];
        let page: Page<ToolSummary> = client.ask("/v1/tools", &query).await?;
        all.extend(page.items.into_iter().map(Entry::from));
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

async fn list(global: &Global, client: &Client) -> Result<bool> {
    let entries = entries(client).await?;
    if global.json {
        show::json(&json!({"items": entries.iter().map(Entry::to_json).collect::<Vec<_>>()}));
        return Ok(true);
    }
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0).min(32);
    for entry in &entries {
        let effect = format!(" ({}{})", entry.effect, if entry.generated { ", generated" } else { "" });
        let fits = width.max(entry.name.len()) + 2 + table::wide(&entry.title) + effect.len() <= table::width();
        let effect = if fits { effect.as_str() } else { "" };
        outln!("{BOLD}{:width$}{BOLD:#}  {}{DIM}{effect}{DIM:#}", entry.name, entry.title);
    }
    Ok(true)
}

async fn one(global: &Global, client: &Client, name: &str) -> Result<bool> {
    let path = name.replace('/', "%2F");
    let entry = match client.get::<ToolDetail>(&format!("/v1/tools/{path}")).await {
        Ok(tool) => Entry::from(tool),
        Err(error) => match client.get::<PlaybookDetail>(&format!("/v1/playbooks/{path}")).await {
            Ok(playbook) => Entry::from(playbook),
            Err(_) => return Err(unknown(error, name)),
        },
    };
    if global.json {
        show::json(&entry.to_json());
        return Ok(true);
    }
    outln!("{BOLD}{}{BOLD:#}  {}", entry.name, entry.title);
    let asks = if entry.consent.is_empty() { "" } else { ", needs an approver" };
    let made = if entry.generated { ", generated from the record type" } else { "" };
    outln!("{DIM}effect{DIM:#}   {}{asks}{made}", entry.effect);
    for (number, phrase) in entry.phrases.iter().enumerate() {
        outln!("{DIM}{}{DIM:#}  {phrase}", if number == 0 { "phrases" } else { "       " });
    }
    let required = entry.input["required"].as_array().cloned().unwrap_or_default();
    for (number, (name, schema)) in entry.input["properties"].as_object().into_iter().flatten().enumerate() {
        let kind =
            schema["x-entity"].as_str().or(schema["format"].as_str()).or(schema["type"].as_str()).unwrap_or("any");
        let needed = if required.iter().any(|one| one == name) { "" } else { ", optional" };
        outln!("{DIM}{}{DIM:#}  {name} {DIM}({kind}{needed}){DIM:#}", if number == 0 { "input  " } else { "       " });
    }
    Ok(true)
}

/// The problem of the tool, worded for both kinds.
fn unknown(error: anyhow::Error, name: &str) -> anyhow::Error {
    match error.downcast::<Refused>() {
        Ok(Refused(mut document)) if document.status == 404 => {
            let from = format!("There is no tool `{name}`.");
            document.detail = document.detail.replace(&from, &format!("there is no tool or playbook `{name}`."));
            document.detail.push_str(" `brain tools` lists them");
            Refused(document).into()
        }
        Ok(refused) => refused.into(),
        Err(error) => error,
    }
}
