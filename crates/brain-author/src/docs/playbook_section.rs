//! A playbook: slots, roles, and steps as a table and a diagram.

use super::block::{Block, Line, Piece, anchor, code, codes, join, line, point, record_link, tool_link, words};
use super::diagram::{Arrow, Diagram, DiagramBox};
use super::input_table;
use super::page::{heading, plain};
use brain_registry::model::{BatchPolicy, Cardinality, OnFailure, Playbook, PlaybookStep, SlotRule};

/// Writes the section.
pub(super) fn write(blocks: &mut Vec<Block>, playbook: &Playbook) {
    blocks.push(heading(3, playbook.title.clone(), anchor("playbook", &playbook.name)));
    let mut first = vec![code(&playbook.name)];
    if !playbook.description.is_empty() {
        first.push(words(format!(" — {}", playbook.description.trim())));
    }
    blocks.push(Block::Text(first));
    if !playbook.phrases.is_empty() {
        let phrase = |text: &String| vec![words("“"), Piece::Code(text.clone()), words("”")];
        blocks.push(Block::List(playbook.phrases.iter().map(phrase).collect()));
    }
    blocks.extend(input_table::table(&playbook.slots, "slot"));
    rules(blocks, &playbook.rules);
    roles(blocks, playbook);
    let mut points = Vec::new();
    match playbook.policy {
        BatchPolicy::Plain => {}
        BatchPolicy::Atomic => points.push(point("Policy", line("all of it is one commit, or none of it happens"))),
        BatchPolicy::BestEffort => {
            points.push(point("Policy", line("each step is tried, whatever becomes of the others")))
        }
    }
    if !playbook.aliases.is_empty() {
        points.push(point("Also called", codes(playbook.aliases.iter().map(String::as_str))));
    }
    points.extend(playbook.tenant.as_ref().map(|tenant| point("Only for the tenant", [code(tenant)])));
    points.extend(playbook.timeout.map(|timeout| point("Timeout", line(timeout.to_string()))));
    if playbook.version != 1 {
        points.push(point("Version", line(playbook.version.to_string())));
    }
    if !points.is_empty() {
        blocks.push(Block::List(points));
    }
    blocks.push(Block::Drawing(drawing(playbook)));
    let head = ["step", "tool", "with", "after", "notes"];
    blocks
        .push(Block::Table { head: head.map(str::to_owned).to_vec(), rows: playbook.steps.iter().map(row).collect() });
}

fn row(step: &PlaybookStep) -> Vec<Line> {
    let args = step.args.source().as_object().into_iter().flatten();
    let args = join(args.map(|(name, value)| vec![code(format!("{name}: {}", plain(value)))]));
    let mut notes: Vec<Line> = Vec::new();
    notes.extend(step.when.as_ref().map(|when| vec![words("when "), code(plain(when.source()))]));
    if let Some(list) = &step.foreach {
        notes.push(vec![
            words("for each of "),
            code(plain(list.source())),
            words(format!(", {} at a time", step.at_a_time)),
        ]);
    }
    match step.on_failure {
        OnFailure::Stop => {}
        OnFailure::Continue => notes.push(line("a failure does not stop the run")),
        OnFailure::Undo => notes.push(line("a failure undoes the run")),
        OnFailure::Letter => notes.push(line("a failure waits for a person while the run goes on")),
    }
    notes.extend(step.timeout.map(|timeout| line(format!("timeout {timeout}"))));
    if !step.compensate {
        notes.push(line("keeps its effect when the run is undone"));
    }
    vec![
        vec![code(&step.id)],
        vec![tool_link(&step.tool)],
        args,
        codes(step.after.iter().map(String::as_str)),
        join(notes),
    ]
}

fn drawing(playbook: &Playbook) -> Diagram {
    let position = |id: &String| playbook.steps.iter().position(|step| step.id == *id);
    let mut arrows = Vec::new();
    for (to, step) in playbook.steps.iter().enumerate() {
        arrows.extend(step.after.iter().filter_map(position).map(|from| Arrow { from, to, label: String::new() }));
    }
    let boxes = playbook.steps.iter().map(|step| DiagramBox {
        label: if step.foreach.is_some() { format!("{} (each)", step.id) } else { step.id.clone() },
        note: step.tool.clone(),
        dashed: step.when.is_some(),
        ..DiagramBox::default()
    });
    Diagram { states: false, boxes: boxes.collect(), arrows, alt: format!("The steps of {}", playbook.title) }
}

fn roles(blocks: &mut Vec<Block>, playbook: &Playbook) {
    if playbook.roles.is_empty() {
        return;
    }
    let rows = playbook.roles.iter().map(|role| {
        let many = match role.cardinality {
            Cardinality::One => "one",
            Cardinality::ZeroOrOne => "at most one",
            Cardinality::ZeroOrMore => "any number",
            Cardinality::OneOrMore => "at least one",
        };
        let kinds = join(role.kinds.iter().map(|kind| vec![record_link(kind)]));
        vec![vec![code(&role.role)], line(role.label.as_str()), line(many), kinds]
    });
    let head = ["role", "called", "how many", "taken by"];
    blocks.push(Block::Table { head: head.map(str::to_owned).to_vec(), rows: rows.collect() });
}

/// How slots depend on each other.
fn rules(blocks: &mut Vec<Block>, rules: &[SlotRule]) {
    let mut points = Vec::new();
    for rule in rules {
        if let Some(when) = &rule.required_if {
            points.push(vec![code(&rule.slot), words(" is required if "), code(plain(when.source()))]);
        }
        for (token, when) in &rule.valid_for {
            points.push(vec![
                code(&rule.slot),
                words(" may be "),
                code(token),
                words(" if "),
                code(plain(when.source())),
            ]);
        }
        if let Some(placeholder) = &rule.placeholder {
            points.push(vec![
                code(&rule.slot),
                words(", if it is missing, is created by "),
                tool_link(&placeholder.tool),
            ]);
        }
    }
    if !points.is_empty() {
        blocks.push(Block::List(points));
    }
}
