//! Diagrams in Markdown, as Mermaid.

use std::fmt::Write as _;

use super::diagram::Diagram;

/// The text of a Mermaid block.
pub(super) fn mermaid(diagram: &Diagram) -> String {
    if diagram.states { states(diagram) } else { steps(diagram) }
}

fn states(diagram: &Diagram) -> String {
    let mut text = String::from("stateDiagram-v2\n    direction LR\n");
    for (index, one) in diagram.boxes.iter().enumerate() {
        let _infallible = writeln!(text, "    state \"{}\" as s{index}", quoted(&one.label));
    }
    for (index, _) in diagram.boxes.iter().enumerate().filter(|(_, one)| one.first) {
        let _infallible = writeln!(text, "    [*] --> s{index}");
    }
    for arrow in &diagram.arrows {
        let label = if arrow.label.is_empty() { String::new() } else { format!(" : {}", quoted(&arrow.label)) };
        let _infallible = writeln!(text, "    s{} --> s{}{label}", arrow.from, arrow.to);
    }
    for (index, _) in diagram.boxes.iter().enumerate().filter(|(_, one)| one.last) {
        let _infallible = writeln!(text, "    s{index} --> [*]");
    }
    text
}

fn steps(diagram: &Diagram) -> String {
    let mut text = String::from("flowchart LR\n");
    for (index, one) in diagram.boxes.iter().enumerate() {
        let _infallible = writeln!(text, "    s{index}[\"{}<br/>{}\"]", quoted(&one.label), quoted(&one.note));
    }
    for arrow in &diagram.arrows {
        let line = if diagram.boxes[arrow.to].dashed { "-.->" } else { "-->" };
        let _infallible = writeln!(text, "    s{} {line} s{}", arrow.from, arrow.to);
    }
    text
}

/// Escapes quotes, colons and line breaks for Mermaid.
fn quoted(text: &str) -> String {
    text.replace('"', "'").replace([':', ';', '#', '\n'], " ")
}
