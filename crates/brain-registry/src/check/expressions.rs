//! Names in expressions and templates: each must be in scope.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::code::Code;
use crate::complete::properties;
use crate::decode::{Context, Leaf, leaves};
use crate::model::{Behavior, RecordDef, RecordOp, ToolDef};
use crate::suggest::{did_you_mean, quoted};
use crate::world::World;
use crate::yaml::{Node, Span, locate};

/// Settings of every tenant, regardless of packs.
const USUAL_SETTINGS: [&str; 4] = ["currency", "region", "time_zone", "locale"];

/// The names in scope, and for some of them the names that may follow.
#[derive(Clone, Default)]
pub(super) struct Scope {
    roots: BTreeMap<String, Root>,
}

#[derive(Clone)]
enum Root {
    /// Any name may follow.
    Any,
    /// One of these names must follow.
    Names(BTreeSet<String>),
    /// The steps of a playbook.
    Steps(Steps),
}

/// The steps of a playbook as one of them sees them.
#[derive(Clone, Default)]
pub(super) struct Steps {
    /// The id of the step that contains the expression.
    pub(super) own: String,
    /// The ids of all steps.
    pub(super) all: BTreeSet<String>,
    /// Steps that are certain to have finished before it.
    pub(super) before: BTreeSet<String>,
    /// The result fields of each step, if known.
    pub(super) results: BTreeMap<String, BTreeSet<String>>,
}

impl Scope {
    /// A scope with `settings`.
    pub(super) fn new(world: &World) -> Self {
        let declared = world.packs.iter().flat_map(|pack| pack.value.settings.keys().cloned());
        let names = declared.chain(USUAL_SETTINGS.into_iter().map(str::to_owned));
        Self::default().with("settings", Some(names.collect()))
    }

    /// Adds a root; `None`: any name may follow it.
    pub(super) fn with(mut self, root: &str, names: Option<BTreeSet<String>>) -> Self {
        self.roots.insert(root.to_owned(), names.map_or(Root::Any, Root::Names));
        self
    }

    /// Adds a root with the properties of a schema.
    pub(super) fn with_schema(self, root: &str, schema: &serde_json::Value) -> Self {
        let open = schema.get("properties").is_none() || schema.get("$ref").is_some();
        self.with(root, (!open).then(|| properties(schema).cloned().collect()))
    }

    /// Adds `steps`.
    pub(super) fn with_steps(mut self, steps: Steps) -> Self {
        self.roots.insert("steps".into(), Root::Steps(steps));
        self
    }

    /// Checks every expression and template below a node.
    pub(super) fn check(&self, cx: &mut Context<'_>, node: &Node) {
        for leaf in leaves(node) {
            self.leaf(cx, &leaf, false);
        }
    }

    /// Checks an expression whose `=` is optional.
    pub(super) fn check_condition(&self, cx: &mut Context<'_>, node: &Node) {
        for leaf in leaves(node) {
            self.leaf(cx, &leaf, true);
        }
    }

    fn leaf(&self, cx: &mut Context<'_>, leaf: &Leaf<'_>, bare: bool) {
        let text = &leaf.scalar.text;
        if let Some((feel, offset)) = leaf.feel() {
            self.feel(cx, leaf, feel, offset);
        } else if leaf.is_template() {
            let Ok(template) = brain_lang::text::Text::parse(text) else { return };
            for path in template.paths() {
                let range = find_path(text, &path);
                self.path(cx, leaf, &path, range);
            }
        } else if bare {
            self.feel(cx, leaf, text, 0);
        }
    }

    fn feel(&self, cx: &mut Context<'_>, leaf: &Leaf<'_>, feel: &str, offset: usize) {
        let Ok(expression) = brain_lang::feel::parse(feel) else { return };
        for path in expression.paths_with_spans() {
            let known = path.segments.first().is_some_and(|root| self.roots.contains_key(root));
            if known || !path.maybe_item {
                let range = path.span.start + offset..path.span.end + offset;
                self.path(cx, leaf, &path.segments, Some(range));
            }
        }
    }

    fn path(&self, cx: &mut Context<'_>, leaf: &Leaf<'_>, path: &[String], range: Option<Range<usize>>) {
        let place = range.map_or(leaf.span, |range| locate(cx.source, leaf.scalar, leaf.span, range));
        if let Some((message, help)) = self.problem(path) {
            cx.report(Code::UnknownName, place, message, help);
        } else if let Some(Root::Steps(steps)) = path.first().and_then(|root| self.roots.get(root)) {
            steps.check(cx, path, place, &path.join("."));
        }
    }

    /// Whether a root name is in scope.
    pub(super) fn knows(&self, root: &str) -> bool {
        self.roots.contains_key(root)
    }

    /// The problem with a path and its help, judged by its first two names; steps are not checked here.
    pub(super) fn problem(&self, path: &[String]) -> Option<(String, Option<String>)> {
        let root = path.first()?;
        match self.roots.get(root) {
            None => {
                let names: Vec<&str> = self.roots.keys().map(String::as_str).collect();
                let help = crate::suggest::nearest(root, names.iter().copied())
                    .map(|best| format!("did you mean `{best}`?"))
                    .unwrap_or_else(|| format!("names available here: {}", quoted(&names)));
                Some((format!("nothing here is called `{root}`"), Some(help)))
            }
            Some(Root::Names(names)) => {
                let name = path.get(1).filter(|name| !names.contains(*name))?;
                let help = did_you_mean(name, names.iter().map(String::as_str));
                Some((format!("`{root}` has no `{name}`"), help))
            }
            Some(Root::Any | Root::Steps(_)) => None,
        }
    }
}

impl Steps {
    fn check(&self, cx: &mut Context<'_>, path: &[String], place: Span, shown: &str) {
        let Some(id) = path.get(1) else { return };
        if !self.all.contains(id) {
            let help = did_you_mean(id, self.all.iter().map(String::as_str));
            return cx.report(Code::UnknownStep, place, format!("no step is called `{id}`"), help);
        }
        if !self.before.contains(id) {
            let message = format!("step `{}` uses the result of `{id}`, which may not have finished yet", self.own);
            let help = format!("add `after: [{id}]` to `{}`, or use a step that has finished by then", self.own);
            return cx.report(Code::StepNotBefore, place, message, Some(help));
        }
        match (path.get(2).map(String::as_str), path.get(3)) {
            (Some("result"), Some(name)) => {
                if let Some(names) = self.results.get(id).filter(|names| !names.contains(name)) {
                    let help = did_you_mean(name, names.iter().map(String::as_str));
                    cx.report(Code::UnknownName, place, format!("the result of `{id}` has no `{name}`"), help);
                }
            }
            (Some("result") | None, _) => {}
            (Some(other), _) => {
                let help =
                    format!("write `{}`", shown.replacen(&format!("{id}.{other}"), &format!("{id}.result.{other}"), 1));
                cx.report(Code::UnknownName, place, format!("a step has no `{other}`"), Some(help));
            }
        }
    }
}

/// The range of a path in a template's text.
fn find_path(text: &str, path: &[String]) -> Option<Range<usize>> {
    let wanted = path.join(".");
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    text.match_indices(&wanted)
        .find(|(at, _)| {
            let before = text[..*at].chars().next_back().is_some_and(part_of_name);
            let after = text[at + wanted.len()..].chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_');
            !before && !after
        })
        .map(|(at, _)| at..at + wanted.len())
}

/// The names in a tool's result, if known.
pub(super) fn result_names(tool: &ToolDef, record: Option<&RecordDef>) -> Option<BTreeSet<String>> {
    if let Some(output) = &tool.output {
        output.get("properties")?;
        return Some(properties(output).cloned().collect());
    }
    if let Behavior::Decide(table) = &tool.behavior {
        let columns = table.rules.iter().chain(&table.otherwise).flat_map(|rule| rule.then.keys());
        return Some(columns.chain(table.outputs.iter().map(|(name, _)| name)).cloned().collect());
    }
    let Behavior::Record(behavior) = &tool.behavior else { return None };
    if let Some(result) = &behavior.result {
        let source = serde_json::to_value(result).ok()?;
        return source.as_object().map(|map| map.keys().cloned().collect());
    }
    let name = &behavior.record;
    Some(match behavior.op {
        RecordOp::Get => record_names(record?),
        RecordOp::List | RecordOp::Search => BTreeSet::from([format!("{name}s"), "count".to_owned()]),
        _ => BTreeSet::from([format!("{name}_id")]),
    })
}

/// The names of a record in expressions.
pub(super) fn record_names(record: &RecordDef) -> BTreeSet<String> {
    let built_in = crate::decode::BUILT_IN.into_iter().map(str::to_owned);
    record.fields.iter().map(|field| field.name.clone()).chain(built_in).collect()
}
