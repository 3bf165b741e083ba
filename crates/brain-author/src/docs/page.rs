//! The whole document: overview, tools by domain, playbooks, record types.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::block::{
    Block, Line, Page, Piece, anchor, code, codes, join, line, playbook_link, point, record_link, tool_link, words,
};
use super::{playbook_section, record_section, tool_section};
use brain_registry::Registry;
use brain_registry::Tool;
use brain_registry::model::{PackDef, Playbook, RecordDef};

/// The document of one pack, if it exists.
pub(super) fn page(registry: &Registry, name: &str) -> Option<Page> {
    let pack = registry.packs().get(name)?;
    let tools: Vec<&Tool> = registry.tools().values().map(AsRef::as_ref).filter(|tool| tool.def.pack == name).collect();
    let (generated, tools): (Vec<&Tool>, Vec<&Tool>) = tools.into_iter().partition(|tool| tool.def.is_generated());
    let playbooks: Vec<&Playbook> = registry.playbooks().map(AsRef::as_ref).filter(|one| one.pack == name).collect();
    let records: Vec<&RecordDef> =
        registry.records().values().map(AsRef::as_ref).filter(|record| record.pack == name).collect();
    let mut domains: BTreeMap<&str, Vec<&Tool>> = BTreeMap::new();
    for tool in tools {
        domains.entry(tool.def.domain()).or_default().push(tool);
    }
    let mut blocks = overview(pack);
    blocks.push(contents(&domains, &playbooks, &records));
    for (domain, tools) in &domains {
        blocks.push(heading(2, format!("Tools: {domain}"), anchor("domain", domain)));
        if let Some(nouns) = pack.nouns.get(*domain) {
            let mut said: Vec<&str> = nouns.iter().map(String::as_str).collect();
            let mut seen = BTreeSet::new();
            said.retain(|noun| seen.insert(*noun));
            blocks.push(Block::Text(line(format!("People say: {}.", said.join(", ")))));
        }
        for tool in tools {
            tool_section::write(&mut blocks, &tool.def);
        }
    }
    if !generated.is_empty() {
        blocks.push(heading(2, "Questions".into(), "questions".into()));
        blocks.push(Block::Text(questions(&generated)));
    }
    if !playbooks.is_empty() {
        blocks.push(heading(2, "Playbooks".into(), "playbooks".into()));
        for playbook in &playbooks {
            playbook_section::write(&mut blocks, playbook);
        }
    }
    if !records.is_empty() {
        blocks.push(heading(2, "Record types".into(), "records".into()));
        for record in &records {
            record_section::write(&mut blocks, registry, record);
        }
    }
    unlink(&mut blocks);
    Some(Page { title: pack.title.clone(), blocks })
}

/// What generated tools answer, with an example of each.
fn questions(generated: &[&Tool]) -> Line {
    let text = "Records are also listed, counted, added up and compared on request, by tools that Brain generates: ";
    let examples = generated.iter().map(|tool| {
        let asks = |phrase: &&String| phrase.starts_with("how many") || phrase.starts_with("who has");
        let example = tool.def.phrases.iter().find(asks).or(tool.def.phrases.first()).map_or("", String::as_str);
        vec![code(&tool.def.name), words(format!(" (“{example}”)"))]
    });
    std::iter::once(words(text)).chain(join(examples)).chain([words(".")]).collect()
}

/// Turns links to other packs into plain names.
fn unlink(blocks: &mut [Block]) {
    let there: BTreeSet<String> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Heading { anchor, .. } => Some(anchor.clone()),
            _ => None,
        })
        .collect();
    for block in blocks {
        let lines: Vec<&mut Line> = match block {
            Block::Text(line) => vec![line],
            Block::List(points) => points.iter_mut().collect(),
            Block::Table { rows, .. } => rows.iter_mut().flatten().collect(),
            Block::Heading { .. } | Block::Drawing(_) => Vec::new(),
        };
        for piece in lines.into_iter().flatten() {
            if let Piece::Link { text, anchor } = piece
                && !there.contains(anchor)
            {
                *piece = code(text.as_str());
            }
        }
    }
}

pub(super) fn heading(level: u8, text: String, anchor: String) -> Block {
    Block::Heading { level, text, anchor }
}

fn overview(pack: &PackDef) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !pack.description.is_empty() {
        blocks.push(Block::Text(line(pack.description.as_str())));
    }
    let mut points = vec![point("Pack", [code(&pack.name), words(", version "), code(&pack.version)])];
    if !pack.requires.is_empty() {
        points.push(point("Needs", codes(pack.requires.iter().map(String::as_str))));
    }
    if !pack.hosts.is_empty() {
        points.push(point("May call", codes(pack.hosts.iter().map(String::as_str))));
    }
    blocks.push(Block::List(points));
    if !pack.help.text.is_empty() || !pack.help.examples.is_empty() {
        blocks.push(Block::Text(line(pack.help.text.as_str())));
        blocks.push(Block::List(pack.help.examples.iter().map(|text| vec![code(text)]).collect()));
    }
    if !pack.settings.is_empty() {
        let row = |(name, value): (&String, &Value)| vec![vec![code(name)], vec![code(plain(value))]];
        blocks.push(heading(2, "Settings".into(), "settings".into()));
        blocks.push(Block::Table {
            head: vec!["setting".into(), "value".into()],
            rows: pack.settings.iter().map(row).collect(),
        });
    }
    blocks
}

/// The table of contents.
fn contents(domains: &BTreeMap<&str, Vec<&Tool>>, playbooks: &[&Playbook], records: &[&RecordDef]) -> Block {
    let mut points: Vec<Line> = Vec::new();
    for (domain, tools) in domains {
        let there = vec![Piece::Link { text: (*domain).to_owned(), anchor: anchor("domain", domain) }, words(": ")];
        points.push(there.into_iter().chain(join(tools.iter().map(|tool| vec![tool_link(&tool.def.name)]))).collect());
    }
    if !playbooks.is_empty() {
        points.push(point("Playbooks", join(playbooks.iter().map(|one| vec![playbook_link(&one.name)]))));
    }
    if !records.is_empty() {
        points.push(point("Record types", join(records.iter().map(|one| vec![record_link(&one.name)]))));
    }
    Block::List(points)
}

/// A value for people: text without quotes, everything else as JSON.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
