//! DMN types as types of inputs.

use std::cell::Cell;
use std::collections::BTreeMap;

use roxmltree::Node;

use super::feel::texts;
use super::xml::{attribute, child, children, content, text};
use crate::import::writer::{Map, Yaml, list, raw};
use brain_registry::is_name;

/// A type with its constraints.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kind {
    pub(super) word: &'static str,
    pub(super) values: Vec<String>,
    pub(super) limits: [Option<String>; 2],
    pub(super) fields: Vec<(String, Kind)>,
    pub(super) items: Option<Box<Kind>>,
    pub(super) optional: bool,
    pub(super) title: String,
}

impl Kind {
    pub(super) fn of(word: &'static str) -> Self {
        let (values, fields) = (Vec::new(), Vec::new());
        Self { word, values, limits: [None, None], fields, items: None, optional: false, title: String::new() }
    }

    pub(super) fn any() -> Self {
        Self::of("any")
    }

    pub(super) fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// The type without constraints on its values: results are not constrained.
    pub(super) fn unlimited(mut self) -> Self {
        self.values.clear();
        self.limits = [None, None];
        self
    }

    /// Applies allowed values; returns `false` if the type cannot express them.
    #[must_use]
    pub(super) fn allow(&mut self, allowed: &str) -> bool {
        let distinct = |values: &[String]| {
            let mut lower: Vec<String> = values.iter().map(|value| value.trim().to_lowercase()).collect();
            lower.sort();
            lower.dedup();
            lower.len() == values.len() && lower.iter().all(|value| !value.is_empty())
        };
        if matches!(self.word, "string" | "any") {
            let Some(values) = texts(allowed).filter(|values| distinct(values)) else { return false };
            self.word = "string";
            self.values = values;
            return true;
        }
        let Some(limits) = limits(allowed).filter(|_| matches!(self.word, "decimal" | "integer")) else { return false };
        self.limits = limits;
        true
    }

    pub(super) fn yaml(&self) -> Yaml {
        let limited = !self.values.is_empty() || self.limits.iter().any(Option::is_some);
        if self.fields.is_empty() && self.items.is_none() && self.title.is_empty() && !(limited && self.optional) {
            if !self.values.is_empty() {
                return list(self.values.iter().map(String::as_str));
            }
            if !limited {
                return Yaml::from(format!("{}{}", self.word, if self.optional { "?" } else { "" }));
            }
        }
        if self.fields.iter().any(|(name, _)| !is_name(name)) {
            let mut map = self.schema();
            if !self.title.is_empty() {
                map.set("title", self.title.as_str());
            }
            if self.optional {
                map.set("optional", raw(true));
            }
            return map.into();
        }
        let mut map = Map::default();
        if self.values.is_empty() {
            map.set("type", self.word);
        } else {
            map.set("type", "enum");
            map.set("values", list(self.values.iter().map(String::as_str)));
        }
        for (key, limit) in ["minimum", "maximum"].iter().zip(&self.limits) {
            if let Some(limit) = limit {
                map.set(key, raw(limit));
            }
        }
        if let Some(items) = &self.items {
            map.set("items", items.yaml());
        }
        if !self.fields.is_empty() {
            let mut fields = Map::default();
            for (name, kind) in &self.fields {
                fields.set(name, kind.yaml());
            }
            map.set("fields", fields);
        }
        if !self.title.is_empty() {
            map.set("title", self.title.as_str());
        }
        if self.optional {
            map.set("optional", raw(true));
        }
        map.into()
    }
}

impl Kind {
    /// The type as JSON Schema, where properties may have any name.
    fn schema(&self) -> Map {
        let mut map = Map::default();
        let format = |map: &mut Map, format: &str| {
            map.set("type", "string");
            map.set("format", format);
        };
        match self.word {
            "any" => {}
            "decimal" => {
                map.set("type", list(["string", "number"]));
                map.set("format", "decimal");
            }
            "datetime" => format(&mut map, "date-time"),
            "date" | "time" | "duration" => format(&mut map, self.word),
            "list" => map.set("type", "array"),
            word => map.set("type", word),
        }
        if !self.values.is_empty() {
            map.set("enum", list(self.values.iter().map(String::as_str)));
        }
        if let Some(items) = &self.items {
            map.set("items", items.schema());
        }
        if !self.fields.is_empty() {
            let mut parts = Map::default();
            for (name, kind) in &self.fields {
                parts.set(name, kind.schema());
            }
            map.set("properties", parts);
        }
        map
    }
}

/// The bounds in `[0..100]`, `>= 0`, `<= 9.5`.
fn limits(text: &str) -> Option<[Option<String>; 2]> {
    let number = |text: &str| {
        Some(text.trim().to_owned()).filter(|text| super::feel::is_plain(text) && text != "true" && text != "false")
    };
    let text = text.trim();
    if let Some(rest) = text.strip_prefix(">=") {
        return Some([Some(number(rest)?), None]);
    }
    if let Some(rest) = text.strip_prefix("<=") {
        return Some([None, Some(number(rest)?)]);
    }
    let (least, greatest) = text.strip_prefix('[')?.strip_suffix(']')?.split_once("..")?;
    Some([Some(number(least)?), Some(number(greatest)?)])
}

/// The types declared in a file, by name.
pub(super) struct Types<'a, 'i> {
    declared: BTreeMap<String, Node<'a, 'i>>,
    /// Remaining lookups of declared types, which may be recursive.
    left: Cell<usize>,
}

/// Maximum number of lookups for one type.
const MAX_TYPES: usize = 1000;
const MAX_DEPTH: usize = 8;

impl<'a, 'i> Types<'a, 'i> {
    pub(super) fn of(root: Node<'a, 'i>) -> Self {
        let named = children(root, "itemDefinition").filter_map(|node| Some((attribute(node, "name")?, node)));
        Self { declared: named.collect(), left: Cell::new(MAX_TYPES) }
    }

    /// The names of all components.
    pub(super) fn parts(&self) -> Vec<String> {
        let all = self.declared.values().flat_map(Node::descendants);
        all.filter(|node| node.tag_name().name() == "itemComponent")
            .filter_map(|node| attribute(node, "name"))
            .collect()
    }

    /// The type of a `typeRef`, with notes about what cannot be expressed. No `typeRef`: anything.
    pub(super) fn kind(&self, reference: Option<&str>, notes: &mut Vec<String>) -> Kind {
        self.left.set(MAX_TYPES);
        reference.map_or_else(Kind::any, |reference| self.resolve(reference, notes, 0))
    }

    fn resolve(&self, reference: &str, notes: &mut Vec<String>, depth: usize) -> Kind {
        if let Some(node) = self.declared.get(reference) {
            if depth >= MAX_DEPTH || self.left.get() == 0 {
                return Kind::any();
            }
            return self.declared_kind(*node, notes, depth + 1);
        }
        // Versions and modellers differ in the FEEL prefix.
        let word = reference.rsplit([':', '}']).next().unwrap_or(reference).trim();
        match word.to_lowercase().replace([' ', '-', '_'], "").as_str() {
            "string" => Kind::of("string"),
            "number" | "double" | "decimal" | "float" => Kind::of("decimal"),
            "integer" | "long" | "int" | "short" => Kind::of("integer"),
            "boolean" => Kind::of("boolean"),
            "date" => Kind::of("date"),
            "time" => Kind::of("time"),
            "datetime" | "dateandtime" => Kind::of("datetime"),
            "daytimeduration" | "daysandtimeduration" | "duration" => Kind::of("duration"),
            // Durations of inputs have no months.
            "yearmonthduration" | "yearsandmonthsduration" => {
                notes.push(format!("`{reference}` is treated as text; write `duration(…)` where it is used"));
                Kind::of("string")
            }
            "list" => Kind::of("list"),
            "context" => Kind::of("object"),
            "any" => Kind::any(),
            _ => {
                notes.push(format!("the type `{reference}` is not known; any value is accepted"));
                Kind::any()
            }
        }
    }

    fn declared_kind(&self, node: Node<'a, 'i>, notes: &mut Vec<String>, depth: usize) -> Kind {
        self.left.set(self.left.get().saturating_sub(1));
        let components: Vec<Node<'a, 'i>> = children(node, "itemComponent").collect();
        let mut kind = if components.is_empty() {
            let reference = attribute(node, "typeRef").or_else(|| child(node, "typeRef").map(content));
            reference.map_or_else(Kind::any, |reference| self.resolve(&reference, notes, depth))
        } else {
            self.structure(node, &components, notes, depth)
        };
        if let Some(allowed) = child(node, "allowedValues").map(text).filter(|text| !text.is_empty())
            && !kind.allow(&allowed)
        {
            notes.push(format!("Brain does not check that the value is one of `{allowed}`"));
        }
        if attribute(node, "isCollection").as_deref() == Some("true") {
            let mut many = Kind::of("list");
            many.items = Some(Box::new(kind));
            return many;
        }
        kind
    }

    fn structure(&self, node: Node<'a, 'i>, parts: &[Node<'a, 'i>], notes: &mut Vec<String>, depth: usize) -> Kind {
        let mut kind = Kind::of("object");
        let names: Vec<String> = parts.iter().filter_map(|part| attribute(*part, "name")).collect();
        if depth >= MAX_DEPTH || names.len() != parts.len() {
            let name = attribute(node, "name").unwrap_or_default();
            notes.push(format!("the parts of `{name}` are not checked"));
            return kind;
        }
        for (name, part) in names.into_iter().zip(parts) {
            kind.fields.push((name, self.declared_kind(*part, notes, depth + 1).optional()));
        }
        kind
    }
}
