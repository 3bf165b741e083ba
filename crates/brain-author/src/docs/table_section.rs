//! A decision table as a table.

use super::block::{Block, Line, code, join, line, tool_link, words};
use super::page::plain;
use brain_registry::model::{DecideBehavior, DecideRule};

/// Writes the table.
pub(super) fn write(blocks: &mut Vec<Block>, table: &DecideBehavior) {
    let hit = serde_json::to_value(table.hit).map(|value| plain(&value).replace('_', " ")).unwrap_or_default();
    blocks.push(Block::Text(vec![words("Decision table, hit policy: "), code(hit)]));
    let results = columns(table);
    let steps = table.rules.iter().chain(&table.otherwise).any(|rule| !rule.steps.is_empty());
    let mut head = vec!["#".to_owned()];
    head.extend(table.inputs.iter().map(|(name, binding)| {
        let source = plain(binding.source());
        if source == format!("= input.{name}") { name.clone() } else { format!("{name} ({source})") }
    }));
    head.extend(results.iter().map(|name| format!("→ {name}")));
    if steps {
        head.push("→ steps".into());
    }
    let mut rows = Vec::new();
    for (number, rule) in table.rules.iter().enumerate() {
        let mut row = vec![line((number + 1).to_string())];
        row.extend(
            table.inputs.iter().map(|(name, _)| vec![code(rule.when.get(name).map_or("-", |cell| cell.source()))]),
        );
        row.extend(consequences(rule, &results, steps));
        rows.push(row);
    }
    if let Some(rule) = &table.otherwise {
        let mut row = vec![line("else")];
        row.extend(table.inputs.iter().map(|_| Line::new()));
        row.extend(consequences(rule, &results, steps));
        rows.push(row);
    }
    blocks.push(Block::Table { head, rows });
}

/// The result columns: as declared, else as used by the rules.
fn columns(table: &DecideBehavior) -> Vec<String> {
    if !table.outputs.is_empty() {
        return table.outputs.iter().map(|(name, _)| name.clone()).collect();
    }
    let mut names: Vec<String> =
        table.rules.iter().chain(&table.otherwise).flat_map(|rule| rule.then.keys().cloned()).collect();
    names.sort();
    names.dedup();
    names
}

fn consequences(rule: &DecideRule, results: &[String], steps: bool) -> Vec<Line> {
    let value = |name: &String| rule.then.get(name).map(|value| vec![code(plain(value.source()))]).unwrap_or_default();
    let mut cells: Vec<Line> = results.iter().map(value).collect();
    if steps {
        cells.push(join(rule.steps.iter().map(|step| vec![tool_link(&step.tool)])));
    }
    cells
}
