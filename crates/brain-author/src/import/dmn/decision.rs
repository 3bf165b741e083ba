//! A decision becomes a tool.

use std::collections::BTreeSet;

use roxmltree::Node;

use super::feel::{Form, Instead, Read, rewrite};
use super::model::Model;
use super::types::Kind;
use super::xml::{attribute, child, comment, content, elements, text};
use super::{playbook, table};
use crate::import::Notes;
use crate::import::naming::phrases;
use crate::import::writer::{Map, Yaml, list, map};

/// A decision (its index in the file) and a result column; `None` for the whole result.
type Origin = (usize, Option<String>);

/// An input of a tool.
#[derive(Clone)]
pub(super) struct Input {
    pub(super) theirs: String,
    pub(super) ours: String,
    pub(super) kind: Kind,
    /// The decision that computes it, if any.
    pub(super) from: Option<Origin>,
}

/// A draft of a tool for a decision.
pub(super) struct Draft {
    pub(super) decision: usize,
    pub(super) inputs: Vec<Input>,
    pub(super) behavior: Yaml,
}

/// A tool, and the playbook that first runs the decisions it requires.
pub(super) struct Made {
    pub(super) tool: Map,
    pub(super) playbook: Option<(String, String)>,
}

/// The state while converting one decision.
pub(super) struct Work<'w, 'a, 'i> {
    pub(super) model: &'w mut Model<'a, 'i>,
    pub(super) notes: &'w mut Notes,
    pub(super) decision: usize,
    pub(super) inputs: Vec<Input>,
    /// Whether something could not be expressed. Then there is no tool, because it would decide differently.
    pub(super) failed: bool,
}

/// Drafts a tool for each decision that can be expressed.
pub(super) fn tools(model: &mut Model<'_, '_>, notes: &mut Notes) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for decision in 0..model.decisions.len() {
        notes.about(&model.decisions[decision].name);
        let node = model.decisions[decision].node;
        let mut work = Work { model, notes, decision, inputs: Vec::new(), failed: false };
        let behavior = work.behavior(node);
        let (inputs, failed) = (work.inputs, work.failed);
        match behavior.filter(|_| !failed) {
            Some(behavior) => drafts.push(Draft { decision, inputs, behavior }),
            None => notes.add(&model.place(node), "the decision was skipped: part of it cannot be imported"),
        }
    }
    drafts
}

/// The tools and their playbooks, complete with texts.
pub(super) fn finish(
    model: &Model<'_, '_>,
    drafts: Vec<Draft>,
    taken: &mut Vec<String>,
    names: &mut BTreeSet<String>,
    notes: &mut Notes,
) -> Vec<(String, Made)> {
    let mut finished = Vec::new();
    for draft in &drafts {
        let decision = &model.decisions[draft.decision];
        notes.about(&decision.name);
        let full = format!("{}.{}", model.domain, decision.tool);
        if !names.insert(full.clone()) {
            notes.add(&model.place(decision.node), format!("`{full}` already exists; the second one is skipped"));
            continue;
        }
        let together = playbook::playbook(model, draft, &drafts, taken, names, notes);
        let mut tool = Map::open();
        tool.set("title", decision.name.as_str());
        if let Some(text) = description(decision.node) {
            tool.set("description", text);
        }
        if together.is_none() {
            let said = phrases([decision.name.as_str()], &asked(&draft.inputs), taken);
            if !said.is_empty() {
                tool.set("phrases", list(said.iter().map(String::as_str)));
            }
        }
        let mut inputs = if draft.inputs.len() > 2 { Map::open() } else { Map::default() };
        for input in &draft.inputs {
            inputs.set(&input.ours, input.kind.yaml());
        }
        tool.set("input", inputs);
        tool.set("behavior", draft.behavior.clone());
        finished.push((decision.tool.clone(), Made { tool, playbook: together }));
    }
    finished
}

/// The inputs to mention in a phrase, if they are few.
pub(super) fn asked(inputs: &[Input]) -> Vec<String> {
    let simple = |input: &&Input| !input.kind.optional && !matches!(input.kind.word, "any" | "object" | "list");
    if inputs.len() > 3 || !inputs.iter().all(|input| simple(&input)) {
        return Vec::new();
    }
    inputs.iter().map(|input| input.ours.clone()).collect()
}

/// The description of a decision.
pub(super) fn description(node: Node<'_, '_>) -> Option<String> {
    let parts = ["description", "question", "allowedAnswers"];
    let said: Vec<String> = parts
        .iter()
        .filter_map(|part| child(node, part).map(content))
        .filter(|text| !text.is_empty())
        .map(|text| comment(&text).split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    // Braces would make it a template.
    (!said.is_empty()).then(|| said.join(" ").replace("{{", "{ {").replace("{%", "{ %"))
}

impl<'a, 'i> Work<'_, 'a, 'i> {
    fn behavior(&mut self, node: Node<'a, 'i>) -> Option<Yaml> {
        for attribute in node.attributes().filter(|one| one.namespace().is_some()) {
            let place = self.model.place(node);
            self.notes.add(
                &place,
                format!("`{}: {}` has no equivalent in a pack; dropped", attribute.name(), attribute.value()),
            );
        }
        let known = [
            "description",
            "question",
            "allowedAnswers",
            "variable",
            "informationRequirement",
            "knowledgeRequirement",
            "authorityRequirement",
            "decisionTable",
            "literalExpression",
            "extensionElements",
            "supportedObjective",
            "impactedPerformanceIndicator",
            "decisionMaker",
            "decisionOwner",
            "usingProcess",
            "usingTask",
        ];
        for part in elements(node).filter(|part| !known.contains(&part.tag_name().name())) {
            self.fail(
                part,
                format!("a boxed `{}` cannot be imported; a table or an expression can", part.tag_name().name()),
            );
        }
        if let Some(table) = child(node, "decisionTable") {
            return table::behavior(self, table);
        }
        let Some(expression) = child(node, "literalExpression") else {
            if !self.failed {
                self.fail(node, "the decision has neither a table nor an expression");
            }
            return None;
        };
        let said = text(expression);
        if said.is_empty() {
            self.fail(expression, "the expression is empty");
        }
        let ours = self.feel(expression, &said, Form::Expression, "the expression")?;
        let name = self.model.decisions[self.decision].tool.clone();
        Some(map([("expr", map([("result", map([(name.as_str(), formula(&ours))]))]))]))
    }

    /// Notes that something cannot be expressed.
    pub(super) fn fail(&mut self, node: Node<'_, '_>, note: impl Into<String>) {
        self.failed = true;
        self.note(node, note);
    }

    pub(super) fn note(&mut self, node: Node<'_, '_>, note: impl Into<String>) {
        let place = self.model.place(node);
        self.notes.add(&place, note);
    }

    /// Converts a FEEL expression.
    pub(super) fn feel(&mut self, node: Node<'a, 'i>, said: &str, form: Form, what: &str) -> Option<String> {
        let language = node.ancestors().find_map(|one| attribute(one, "expressionLanguage"));
        if let Some(language) = language.filter(|language| !language.to_lowercase().contains("feel")) {
            self.fail(node, format!("{what} is written in `{language}`; only FEEL can be imported"));
            return None;
        }
        let odd = self.model.odd.clone();
        let lone = form == Form::Tests && said.chars().all(|c| c.is_alphanumeric() || c == '_');
        let mut unknown = None;
        let result = rewrite(said, form, &odd, |read| {
            if (lone || read.maybe_item) && self.find(read.name).is_none() {
                unknown = Some(read.name.to_owned()).filter(|_| lone);
                return Instead::default();
            }
            self.replace(node, read)
        });
        match (result, unknown) {
            (Ok(_), Some(name)) => {
                self.fail(node, format!("{what}: nothing is called `{name}`; if it is a string, write `\"{name}\"`"));
                None
            }
            (Ok(ours), None) => Some(ours),
            (Err(error), _) => {
                let help = error.help.map(|help| format!(" ({help})")).unwrap_or_default();
                self.fail(node, format!("{what} `{said}` cannot be read: {}{help}", error.message));
                None
            }
        }
    }

    fn replace(&mut self, node: Node<'a, 'i>, read: &Read<'_>) -> Instead {
        let ours = self.input(node, read.name);
        let columns = self.inputs.iter().find(|one| one.ours == ours).and_then(|one| one.from.as_ref());
        let next = columns.filter(|(_, column)| column.is_none()).and_then(|(decision, _)| {
            let outputs = &self.model.decisions[*decision].outputs;
            outputs.iter().find(|output| Some(output.theirs.as_str()) == read.next).map(|output| output.ours.clone())
        });
        Instead { name: Some(format!("input.{ours}")), next }
    }

    /// The type of a name and the origin of its value, if declared.
    pub(super) fn find(&self, theirs: &str) -> Option<(Kind, Option<Origin>)> {
        if let Some(input) = self.inputs.iter().find(|one| one.theirs == theirs) {
            return Some((input.kind.clone(), input.from.clone()));
        }
        if let Some(kind) = self.model.data.get(theirs) {
            return Some((kind.clone(), None));
        }
        let others = || self.model.decisions.iter().enumerate().filter(|(index, _)| *index != self.decision);
        if let Some((index, decision)) = others().find(|(_, one)| one.variable == theirs) {
            return Some(match decision.outputs.as_slice() {
                [only] => (result(&only.kind, decision.many), Some((index, Some(only.ours.clone())))),
                all => {
                    let mut kind = Kind::of("object");
                    let fields = all.iter().map(|one| (one.ours.clone(), result(&one.kind, false)));
                    kind.fields = if decision.many { Vec::new() } else { fields.collect() };
                    if decision.many { (Kind::any().optional(), None) } else { (kind.optional(), Some((index, None))) }
                }
            });
        }
        // Some modellers name a column of another decision instead.
        let column = |decision: &'_ super::model::Decision<'a, 'i>| {
            let output = decision.outputs.iter().find(|one| one.theirs == theirs)?;
            Some((result(&output.kind, decision.many), output.ours.clone()))
        };
        others().find_map(|(index, one)| column(one).map(|(kind, ours)| (kind, Some((index, Some(ours))))))
    }

    /// The input of this name; declares it if new.
    pub(super) fn input(&mut self, node: Node<'a, 'i>, theirs: &str) -> String {
        let found = self.find(theirs);
        if found.is_none() {
            self.note(node, format!("nothing declares `{theirs}`; it became an input that accepts any value"));
        }
        let (kind, from) = found.unwrap_or_else(|| (Kind::any(), None));
        self.declare(theirs, kind, from)
    }

    pub(super) fn declare(&mut self, theirs: &str, kind: Kind, from: Option<Origin>) -> String {
        let ours = self.model.rename(theirs);
        if !self.inputs.iter().any(|one| one.ours == ours) {
            self.inputs.push(Input { theirs: theirs.to_owned(), ours: ours.clone(), kind, from });
        }
        ours
    }
}

/// The type of a result, which may be null.
fn result(kind: &Kind, many: bool) -> Kind {
    if many {
        let mut list = Kind::of("list");
        list.items = Some(Box::new(kind.clone().unlimited())).filter(|_| kind.word != "any");
        return list.optional();
    }
    kind.clone().unlimited().optional()
}

/// `= FEEL`.
pub(super) fn formula(feel: &str) -> Yaml {
    quoted(&format!("= {feel}"))
}

/// A text in the quotes that need the least escaping.
pub(super) fn quoted(text: &str) -> Yaml {
    let single = text.contains(['"', '\\']) && !text.contains(|c: char| c.is_control());
    if single { Yaml::Scalar(format!("'{}'", text.replace('\'', "''"))) } else { Yaml::from(text) }
}
