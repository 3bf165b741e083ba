//! A tool: description, phrases, inputs, result and behavior.

use super::block::{Block, Line, Piece, anchor, code, codes, line, playbook_link, point, record_link, words};
use super::page::heading;
use super::{input_table, table_section, tool_policy};
use brain_registry::model::{Behavior, RecordOp, ToolDef};

/// Writes the section.
pub(super) fn write(blocks: &mut Vec<Block>, tool: &ToolDef) {
    blocks.push(heading(3, tool.title.clone(), anchor("tool", &tool.name)));
    let mut first = vec![code(&tool.name)];
    if !tool.description.is_empty() && tool.description != tool.title {
        first.push(words(format!(" — {}", tool.description.trim())));
    }
    blocks.push(Block::Text(first));
    if !tool.phrases.is_empty() {
        blocks.push(Block::List(
            tool.phrases.iter().map(|phrase| vec![words("“"), Piece::Code(phrase.clone()), words("”")]).collect(),
        ));
    }
    blocks.extend(input_table::table(&tool.input, "input"));
    blocks.extend(tool.output.as_ref().and_then(|output| input_table::table(output, "answer")));
    let mut points = vec![point("How", how(&tool.behavior))];
    points.extend(tool_policy::points(tool));
    if !tool.synonyms.is_empty() {
        points.push(point("Also called", line(tool.synonyms.join(", "))));
    }
    if !tool.tags.is_empty() {
        points.push(point("Tags", codes(tool.tags.iter().map(String::as_str))));
    }
    blocks.push(Block::List(points));
    tool_policy::preconditions(blocks, tool);
    if let Behavior::Decide(table) = &tool.behavior {
        table_section::write(blocks, table);
    }
}

/// The behavior in a few words.
fn how(behavior: &Behavior) -> Line {
    match behavior {
        Behavior::Record(record) => {
            let mut parts = vec![words(format!("{} ", operation(record.op))), record_link(&record.record)];
            if record.op == RecordOp::Upsert {
                parts.push(words(", or merges into an existing one"));
            }
            parts
        }
        Behavior::Query(query) => vec![words("answers questions about "), record_link(&query.record)],
        Behavior::Expr(_) => line("computes from its input"),
        Behavior::Http(http) => {
            let method = serde_json::to_value(http.method).unwrap_or_default();
            let url = super::page::plain(http.url.source());
            vec![words("calls "), code(format!("{} {url}", super::page::plain(&method)))]
        }
        Behavior::Decide(_) => line("decides by the table below"),
        Behavior::Playbook(playbook) => vec![words("does the steps of "), playbook_link(&playbook.name)],
        Behavior::Worker(worker) => {
            vec![
                words("a job for workers of the topic "),
                code(&worker.topic),
                words(format!(", kept for {} at most", worker.lease)),
            ]
        }
        Behavior::Native(native) => vec![words("the Rust function "), code(&native.function)],
    }
}

fn operation(op: RecordOp) -> &'static str {
    match op {
        RecordOp::Insert | RecordOp::Upsert => "creates a new",
        RecordOp::Update => "changes a",
        RecordOp::Transition => "changes the state of a",
        RecordOp::Get => "reads a",
        RecordOp::List => "lists",
        RecordOp::Search => "searches",
        RecordOp::Delete => "removes a",
    }
}
