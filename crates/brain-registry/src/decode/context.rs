//! The context of a decoder: the file it reads, and the problems found so far.

use std::ops::RangeInclusive;

use brain_core::Millis;
use serde_json::Value;

use super::{attributes, playbook, policy, record, tool};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::native::NativeDecl;
use crate::suggest::{choices, did_you_mean, nearest};
use crate::times::Times;
use crate::yaml::{Key, Node, Resolved, Span, resolve, to_json};

/// The file being decoded, and the problems found so far.
pub(crate) struct Context<'a> {
    pub(crate) pack: &'a str,
    /// The file's path in messages.
    pub(crate) file: &'a str,
    /// Its text.
    pub(crate) source: &'a str,
    /// The declared Rust functions.
    pub(crate) natives: &'a [NativeDecl],
    /// Limits on timeouts.
    pub(crate) times: Times,
    /// Problems found so far.
    pub(crate) found: &'a mut Vec<Diagnostic>,
}

/// The nested part of `what` in which `key` belongs, if any, for the hint “`key` belongs to …”.
fn below(what: &str, key: &str) -> Option<&'static str> {
    let parts: &[(&[&str], &str)] = match what {
        "a playbook" => &[(&playbook::STEP_KEYS, "a step")],
        "a file of tools" => &[(&tool::KEYS, "a tool"), (&attributes::ATTRIBUTES, "a tool")],
        "a tool" => &[(&policy::RETRY_KEYS, "`retry`"), (&attributes::COST_KEYS, "`cost`")],
        "a step" => &[(&policy::RETRY_KEYS, "`retry`")],
        "a record type" => &[(&record::STATES_KEYS, "`states`"), (&record::GROUP_KEYS, "`group`")],
        _ => &[],
    };
    parts.iter().find(|(keys, _)| keys.contains(&key)).map(|(_, part)| *part)
}

impl Context<'_> {
    /// Reports a problem.
    pub(crate) fn report(&mut self, code: Code, span: Span, message: impl Into<String>, help: Option<String>) {
        self.found.push(Diagnostic::new(code, self.file, span, message.into(), help));
    }

    /// The entries of a map with known keys; unknown keys are reported and skipped.
    pub(crate) fn fields<'n>(&mut self, node: &'n Node, what: &str, known: &[&str]) -> Option<Fields<'n>> {
        let entries = self.map(node, what)?;
        let mut meant = Vec::new();
        for (key, _) in entries.iter().filter(|(key, _)| !known.contains(&key.text.as_str())) {
            meant.extend(nearest(&key.text, known.iter().copied()).map(str::to_owned));
            self.unknown_key(key, what, known);
        }
        Some(Fields { anchor: None, node, entries, meant })
    }

    /// Reports an unknown key.
    pub(crate) fn unknown_key(&mut self, key: &Key, what: &str, known: &[&str]) {
        let help = below(what, &key.text)
            .map(|part| format!("`{}` belongs to {part}", key.text))
            .or_else(|| did_you_mean(&key.text, known.iter().copied()))
            .or_else(|| Some(format!("{what} accepts {}", crate::suggest::quoted(known))));
        self.report(Code::UnknownKey, key.span, format!("unknown key `{}` in {what}", key.text), help);
    }

    /// The entries of a map.
    pub(crate) fn map<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [(Key, Node)]> {
        if node.as_map().is_none() {
            self.wrong_kind(node, what, "a map");
        }
        node.as_map()
    }

    /// The items of a list.
    pub(crate) fn seq<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        if node.as_seq().is_none() {
            self.wrong_kind(node, what, "a list");
        }
        node.as_seq()
    }

    /// Reports a value of the wrong type.
    pub(crate) fn wrong_kind(&mut self, node: &Node, what: &str, expected: &str) {
        self.report(Code::WrongKind, node.span, format!("{what} must be {expected}, not {}", node.kind()), None);
    }

    /// Text. Numbers and booleans are accepted as written.
    pub(crate) fn text(&mut self, node: &Node, what: &str) -> Option<String> {
        match node.as_scalar().map(|scalar| (scalar, resolve(scalar))) {
            Some((_, Resolved::Null)) | None => {
                self.wrong_kind(node, what, "text");
                None
            }
            Some((scalar, _)) => Some(scalar.text.clone()),
        }
    }

    /// Text, or a list of texts.
    pub(crate) fn texts(&mut self, node: &Node, what: &str) -> Vec<String> {
        match node.as_seq() {
            Some(items) => items.iter().filter_map(|item| self.text(item, what)).collect(),
            None => self.text(node, what).into_iter().collect(),
        }
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self, node: &Node, what: &str) -> Option<bool> {
        match node.as_scalar().map(resolve) {
            Some(Resolved::Bool(flag)) => Some(flag),
            _ => {
                self.wrong_kind(node, what, "`true` or `false`");
                None
            }
        }
    }

    /// A whole number within a range.
    pub(crate) fn whole(&mut self, node: &Node, what: &str, range: RangeInclusive<i64>) -> Option<i64> {
        match node.as_scalar().map(resolve) {
            Some(Resolved::Integer(number)) if range.contains(&number) => Some(number),
            Some(Resolved::Integer(number)) => {
                let message = format!("{what} must be between {} and {}, not {number}", range.start(), range.end());
                self.report(Code::OutOfRange, node.span, message, None);
                None
            }
            _ => {
                self.wrong_kind(node, what, "a whole number");
                None
            }
        }
    }

    pub(crate) fn duration(&mut self, node: &Node, what: &str) -> Option<Millis> {
        let text = self.text(node, what)?;
        match text.parse() {
            Ok(length) => Some(length),
            Err(_) => {
                let help = "write `500ms`, `30s`, `5m`, `2h`, `7d`, or ISO 8601 such as `PT30S` or `P7D`";
                self.report(Code::BadDuration, node.span, format!("`{text}` is not a duration"), Some(help.into()));
                None
            }
        }
    }

    /// One of several words.
    pub(crate) fn choice<T: Copy>(&mut self, node: &Node, what: &str, known: &[(&str, T)]) -> Option<T> {
        let text = self.text(node, what)?;
        let found = known.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
            let help = did_you_mean(&text, words.iter().copied()).or_else(|| choices(&words));
            self.report(Code::UnknownChoice, node.span, format!("`{text}` is not a known {what}"), help);
        }
        found
    }

    /// A name of lower-case letters, digits and `_`.
    pub(crate) fn name(&mut self, text: &str, span: Span, what: &str) -> Option<String> {
        if is_name(text) {
            return Some(text.to_owned());
        }
        let better: String = text
            .to_lowercase()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect::<String>()
            .trim_matches('_')
            .to_owned();
        let help = if is_name(&better) {
            format!("did you mean `{better}`?")
        } else {
            "use lower-case letters, digits and `_`, starting with a letter".into()
        };
        self.report(Code::BadName, span, format!("`{text}` is not a valid {what}"), Some(help));
        None
    }

    /// `domain.name`.
    pub(crate) fn full_name(&mut self, node: &Node, what: &str) -> Option<String> {
        let text = self.text(node, what)?;
        let parts: Vec<&str> = text.split('.').collect();
        if parts.len() == 2 && parts.iter().all(|part| is_name(part)) {
            return Some(text);
        }
        let help = "a name is `domain.name`, of lower-case letters, digits and `_`";
        self.report(Code::BadName, node.span, format!("`{text}` is not a valid {what}"), Some(help.into()));
        None
    }

    /// Any value, as JSON.
    pub(crate) fn value(&mut self, node: &Node) -> Value {
        to_json(node)
    }
}

/// Whether a text is a valid name of a record type, field, input or tool.
pub fn is_name(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// The entries of a map with known keys.
#[derive(Clone)]
pub(crate) struct Fields<'n> {
    anchor: Option<Span>,
    node: &'n Node,
    entries: &'n [(Key, Node)],
    /// Keys that were misspelt: already reported, so not also missing.
    meant: Vec<String>,
}

impl<'n> Fields<'n> {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries.iter().find(|(k, _)| k.text == key).map(|(_, node)| node)
    }

    /// The value of a required key.
    pub(crate) fn need(&self, cx: &mut Context<'_>, key: &str, what: &str) -> Option<&'n Node> {
        let found = self.get(key);
        if found.is_none() && !self.meant.iter().any(|meant| meant == key) {
            cx.report(Code::MissingKey, self.first(), format!("{what} needs `{key}`"), None);
        }
        found
    }

    /// Reports missing keys at `anchor`, the name of the thing.
    pub(crate) fn named_at(self, anchor: Span) -> Self {
        Self { anchor: Some(anchor), ..self }
    }

    /// Where to report a missing key: at the name, or at the first key.
    pub(crate) fn first(&self) -> Span {
        self.anchor.unwrap_or_else(|| self.entries.first().map_or(self.node.span, |(key, _)| key.span))
    }
}
