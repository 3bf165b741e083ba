//! Writes YAML as a person would: short values on one line, everything else indented, with comments.

use brain_registry::yaml::{Node, NodeValue, Resolved, Scalar, Style, resolve};

/// Maximum width of a flow collection.
const WIDTH: usize = 110;

/// A value to write.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Yaml {
    /// Verbatim: a number, `true`, or quoted text.
    Scalar(String),
    /// A list.
    List(Vec<Yaml>),
    /// A map.
    Map(Map),
}

/// A map, in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Map {
    entries: Vec<(Vec<String>, String, Yaml)>,
    /// Comments for the next key.
    comments: Vec<String>,
    open: bool,
}

impl Map {
    /// A map that is always written on several lines.
    pub(super) fn open() -> Self {
        Self { open: true, ..Self::default() }
    }

    pub(super) fn set(&mut self, key: &str, value: impl Into<Yaml>) {
        self.entries.push((std::mem::take(&mut self.comments), key.to_owned(), value.into()));
    }

    /// A comment above the next key.
    pub(super) fn comment(&mut self, text: impl Into<String>) {
        self.comments.push(text.into());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl From<Map> for Yaml {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}

impl From<Vec<Yaml>> for Yaml {
    fn from(items: Vec<Yaml>) -> Self {
        Self::List(items)
    }
}

impl From<&str> for Yaml {
    fn from(text: &str) -> Self {
        Self::Scalar(quoted(text))
    }
}

impl From<String> for Yaml {
    fn from(text: String) -> Self {
        Self::Scalar(quoted(&text))
    }
}

/// A verbatim scalar: a number, `true`, `false`.
pub(super) fn raw(text: impl ToString) -> Yaml {
    Yaml::Scalar(text.to_string())
}

/// Texts as a list.
pub(super) fn list<'t>(texts: impl IntoIterator<Item = &'t str>) -> Yaml {
    Yaml::List(texts.into_iter().map(Yaml::from).collect())
}

/// A map of a few entries.
pub(super) fn map<const N: usize>(entries: [(&str, Yaml); N]) -> Yaml {
    let mut map = Map::default();
    for (key, value) in entries {
        map.set(key, value);
    }
    map.into()
}

/// A copy of a parsed node.
pub(super) fn copy(node: &Node) -> Yaml {
    match &node.value {
        NodeValue::Scalar(scalar) => match resolve(scalar) {
            Resolved::Null => raw("null"),
            Resolved::Bool(_) | Resolved::Integer(_) | Resolved::Decimal(_) => raw(&scalar.text),
            Resolved::Text(text) => Yaml::from(text),
        },
        NodeValue::Seq(items) => Yaml::List(items.iter().map(copy).collect()),
        NodeValue::Map(entries) => {
            let mut map = Map::default();
            for (key, value) in entries {
                map.set(&key.text, copy(value));
            }
            map.into()
        }
    }
}

/// A whole file.
pub(super) fn document(comment: &str, root: Map) -> String {
    let mut text: String = comment.lines().map(|line| format!("# {line}\n")).collect();
    block_map(&mut text, &root, 0);
    text
}

/// A scalar with this text: plain if that is safe, else quoted.
fn quoted(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_alphanumeric() || " _-./()'?:".contains(c))
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && resolve(&Scalar { text: text.to_owned(), style: Style::Plain }) == Resolved::Text(text.to_owned());
    if plain { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

fn key(text: &str) -> String {
    quoted(text)
}

/// A value on one line, if that is possible.
fn flow(value: &Yaml) -> Option<String> {
    match value {
        Yaml::Scalar(text) => Some(text.clone()),
        Yaml::List(items) => {
            let items: Option<Vec<String>> = items.iter().map(flow).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
        Yaml::Map(map) if map.open || map.entries.iter().any(|(comments, ..)| !comments.is_empty()) => None,
        Yaml::Map(map) => {
            let entries: Option<Vec<String>> =
                map.entries.iter().map(|(_, name, value)| Some(format!("{}: {}", key(name), flow(value)?))).collect();
            Some(format!("{{{}}}", entries?.join(", ")))
        }
    }
}

fn fits(value: &Yaml, indent: usize) -> Option<String> {
    flow(value).filter(|text| text.chars().count() + indent <= WIDTH || matches!(value, Yaml::Scalar(_)))
}

fn block_map(text: &mut String, map: &Map, indent: usize) {
    let margin = " ".repeat(indent);
    for (index, (comments, name, value)) in map.entries.iter().enumerate() {
        if indent == 0 && index > 0 && matches!(value, Yaml::Map(map) if map.open) {
            text.push('\n');
        }
        for comment in comments.iter().flat_map(|comment| comment.lines()) {
            text.push_str(&format!("{margin}# {comment}\n"));
        }
        text.push_str(&format!("{margin}{}:", key(name)));
        nested(text, value, indent, name.len() + 2);
    }
    for comment in map.comments.iter().flat_map(|comment| comment.lines()) {
        text.push_str(&format!("{margin}# {comment}\n"));
    }
}

/// The text after a colon.
fn nested(text: &mut String, value: &Yaml, indent: usize, used: usize) {
    if let Some(line) = fits(value, indent + used) {
        text.push_str(&format!(" {line}\n"));
        return;
    }
    text.push('\n');
    match value {
        Yaml::Map(map) => block_map(text, map, indent + 2),
        Yaml::List(items) => block_list(text, items, indent + 2),
        Yaml::Scalar(_) => {}
    }
}

fn block_list(text: &mut String, items: &[Yaml], indent: usize) {
    let margin = " ".repeat(indent);
    for item in items {
        match (fits(item, indent + 2), item) {
            (Some(line), _) => text.push_str(&format!("{margin}- {line}\n")),
            (None, Yaml::Map(map)) => {
                let mut inner = String::new();
                block_map(&mut inner, map, indent + 2);
                // Comments of the first key are above the dash.
                let body = inner.lines().position(|line| !line.trim_start().starts_with('#')).unwrap_or(0);
                for (index, line) in inner.lines().enumerate() {
                    let line = if index == body { format!("{margin}- {}", line.trim_start()) } else { line.to_owned() };
                    text.push_str(&format!("{line}\n"));
                }
            }
            (None, Yaml::List(items)) => {
                text.push_str(&format!("{margin}-\n"));
                block_list(text, items, indent + 2);
            }
            (None, Yaml::Scalar(_)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brain_registry::yaml::parse;

    #[test]
    fn what_is_written_means_the_same_when_it_is_read() {
        let source = r#"{"a": "yes: no", "b": [1, 2.50, true, null, "1"], "c": {"d": "x # y", "e f": "{{ z }}"}, "g": "- x", "h": "null", "i": ""}"#;
        let node = parse(source).unwrap();
        let Yaml::Map(root) = copy(&node) else { panic!() };
        let again = document("a comment", root);
        assert_eq!(
            brain_registry::yaml::to_json(&parse(&again).unwrap()),
            brain_registry::yaml::to_json(&node),
            "{again}"
        );
    }

    #[test]
    fn long_things_are_indented_and_comments_stand_above() {
        let mut step = Map::default();
        step.comment("why");
        step.set("id", "a");
        step.set("note", "x".repeat(120));
        let mut root = Map::open();
        root.set("steps", vec![Yaml::from(step)]);
        let text = document("", root);
        assert!(text.starts_with("steps:\n    # why\n  - id: a\n    note: xxx"), "{text}");
        assert!(parse(&text).is_ok());
    }
}
