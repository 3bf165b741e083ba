//! The declarations of a DMN file.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::feel::is_odd;
use super::types::{Kind, Types};
use super::xml::{attribute, child, children, content, elements, text};
use crate::import::Notes;
use crate::import::naming::snake;

/// A DMN file.
pub(super) struct Model<'a, 'i> {
    pub(super) file: &'a str,
    pub(super) domain: String,
    pub(super) types: Types<'a, 'i>,
    pub(super) decisions: Vec<Decision<'a, 'i>>,
    /// Input data by name, with its type.
    pub(super) data: BTreeMap<String, Kind>,
    /// Names that are not plain words, the longest first.
    pub(super) odd: Vec<String>,
    /// The new names, the same in the whole file.
    ours: BTreeMap<String, String>,
}

/// A decision and the type of its result.
pub(super) struct Decision<'a, 'i> {
    pub(super) node: Node<'a, 'i>,
    /// Its name for people, and the name of its result in expressions.
    pub(super) name: String,
    pub(super) variable: String,
    /// The name of its tool.
    pub(super) tool: String,
    pub(super) outputs: Vec<Output>,
    /// Whether several rules may apply, each with its own result.
    pub(super) many: bool,
}

/// A result column.
pub(super) struct Output {
    pub(super) theirs: String,
    pub(super) ours: String,
    pub(super) kind: Kind,
}

impl<'a, 'i> Model<'a, 'i> {
    pub(super) fn of(file: &'a str, root: Node<'a, 'i>, notes: &mut Notes) -> Self {
        let stem = file.rsplit(['/', '\\']).next().and_then(|name| name.split('.').next()).unwrap_or("decisions");
        let domain = match snake(&attribute(root, "name").unwrap_or_default()).as_str() {
            "unnamed" => snake(stem),
            domain => domain.to_owned(),
        };
        let mut model = Self {
            file,
            domain,
            types: Types::of(root),
            decisions: Vec::new(),
            data: BTreeMap::new(),
            odd: Vec::new(),
            ours: BTreeMap::new(),
        };
        model.left_out(root, notes);
        for node in children(root, "inputData") {
            let name = variable(node);
            notes.about(&name);
            let kind = model.kind_of(child(node, "variable").unwrap_or(node), node, notes);
            model.data.insert(name, kind);
        }
        for node in children(root, "decision") {
            model.declare(node);
        }
        let named = model.data.keys().cloned().chain(model.decisions.iter().map(|one| one.variable.clone()));
        let columns = model.decisions.iter().flat_map(|one| one.outputs.iter().map(|output| output.theirs.clone()));
        let mut odd: Vec<String> = named
            .chain(columns)
            .chain(model.types.parts())
            .filter(|name| is_odd(name) && !name.contains('`'))
            .collect();
        odd.sort_by_key(|name| std::cmp::Reverse(name.len()));
        odd.dedup();
        model.odd = odd;
        model
    }

    /// The position of a node.
    pub(super) fn place(&self, node: Node<'_, '_>) -> String {
        let place = node.document().text_pos_at(node.range().start);
        format!("{}:{}:{}", self.file, place.row, place.col)
    }

    /// The type of a clause, with notes about what it cannot express.
    pub(super) fn kind_of(&self, typed: Node<'_, '_>, place: Node<'_, '_>, notes: &mut Notes) -> Kind {
        let mut said = Vec::new();
        let kind = self.types.kind(attribute(typed, "typeRef").as_deref(), &mut said);
        for note in said {
            notes.add(&self.place(place), note);
        }
        kind
    }

    /// The new name of a DMN name; unique.
    pub(super) fn rename(&mut self, theirs: &str) -> String {
        if let Some(ours) = self.ours.get(theirs) {
            return ours.clone();
        }
        let ours = free(&snake(theirs), |name| self.ours.values().any(|other| other == name));
        self.ours.insert(theirs.to_owned(), ours.clone());
        ours
    }

    fn declare(&mut self, node: Node<'a, 'i>) {
        let name = attribute(node, "name").or_else(|| attribute(node, "id")).unwrap_or_else(|| "decision".into());
        let tool = free(&snake(&name), |name| self.decisions.iter().any(|one| one.tool == name));
        let table = child(node, "decisionTable");
        let own = child(node, "variable").and_then(|variable| attribute(variable, "typeRef"));
        let mut outputs: Vec<Output> = Vec::new();
        let clauses: Vec<Node<'a, 'i>> = table.map(|table| children(table, "output").collect()).unwrap_or_default();
        for clause in &clauses {
            let theirs = attribute(*clause, "name").unwrap_or_else(|| {
                if clauses.len() == 1 { name.clone() } else { attribute(*clause, "label").unwrap_or_default() }
            });
            let ours = free(&snake(&theirs), |name| outputs.iter().any(|one| one.ours == name));
            let reference = attribute(*clause, "typeRef").or_else(|| own.clone().filter(|_| clauses.len() == 1));
            let kind = self.types.kind(reference.as_deref(), &mut Vec::new());
            outputs.push(Output { theirs, ours, kind });
        }
        if clauses.is_empty() {
            let kind = self.types.kind(own.as_deref(), &mut Vec::new());
            outputs.push(Output { theirs: name.clone(), ours: tool.clone(), kind });
        }
        let hit = table.and_then(|table| attribute(table, "hitPolicy")).unwrap_or_default();
        let aggregated = table.is_some_and(|table| attribute(table, "aggregation").is_some());
        let many = matches!(hit.as_str(), "RULE ORDER" | "OUTPUT ORDER") || (hit == "COLLECT" && !aggregated);
        self.decisions.push(Decision { node, variable: variable(node), name, tool, outputs, many });
    }

    /// Notes elements that no decision covers.
    fn left_out(&self, root: Node<'a, 'i>, notes: &mut Notes) {
        notes.about(self.file);
        if let Some(text) = child(root, "description").map(content).filter(|text| !text.is_empty()) {
            notes.add(&self.place(root), format!("its description was dropped: {text}"));
        }
        for node in elements(root) {
            let what = match node.tag_name().name() {
                "businessKnowledgeModel" => {
                    "business knowledge models are not imported; write them out where they are used"
                }
                "decisionService" => "decision services are not imported; call the decisions directly",
                "import" => "imported files are not followed; name them on the command line too",
                "knowledgeSource" => "knowledge sources have no equivalent in a pack; dropped",
                "textAnnotation" => "notes on the diagram have no equivalent in a pack; dropped",
                "performanceIndicator" | "organizationUnit" | "elementCollection" | "group" => {
                    "this has no equivalent in a pack; dropped"
                }
                _ => continue,
            };
            let said = text(node);
            let name = attribute(node, "name").filter(|_| said.is_empty()).unwrap_or(said);
            let name = if name.is_empty() { String::new() } else { format!(" `{name}`") };
            notes.add(&self.place(node), format!("{}{name}: {what}", node.tag_name().name()));
        }
        if let Some(node) =
            root.descendants().find(|node| matches!(node.tag_name().name(), "extensionElements" | "DMNDI"))
        {
            notes.add(&self.place(node), "diagrams and tool-specific extensions were skipped");
        }
    }
}

/// The name of an element in expressions.
fn variable(node: Node<'_, '_>) -> String {
    let own = child(node, "variable").and_then(|variable| attribute(variable, "name"));
    own.or_else(|| attribute(node, "name")).or_else(|| attribute(node, "id")).unwrap_or_default()
}

/// The name, with a number if it is taken.
pub(super) fn free(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut candidate = name.to_owned();
    let mut number = 2;
    while taken(&candidate) {
        let mut short = name.to_owned();
        short.truncate(58);
        candidate = format!("{short}_{number}");
        number += 1;
    }
    candidate
}
