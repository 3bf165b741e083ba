//! Everything that was read from the packs, before checking.

use std::collections::{BTreeMap, BTreeSet};

use crate::ask::Says;
use crate::code::Code;
use crate::decode::{self, Context};
use crate::diagnostic::Diagnostic;
use crate::located::Located;
use crate::model::{CorpusRow, CorpusSet, PackDef, Playbook, RecordDef, Scenario, ToolDef};
use crate::native::{NATIVE_PACK, NativeDecl};
use crate::source::PackSource;
use crate::suggest::nearest;
use crate::times::Times;
use crate::yaml::{Key, Node, NodeValue, ProblemKind, Scalar, Span, Style, parse};

/// Everything that was read from the packs.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) sources: BTreeMap<String, String>,
    /// The declared Rust functions.
    pub(crate) natives: Vec<NativeDecl>,
    /// Limits on timeouts.
    pub(crate) times: Times,
    pub(crate) found: Vec<Diagnostic>,
    pub(crate) packs: Vec<Located<PackDef>>,
    pub(crate) records: Vec<Located<RecordDef>>,
    pub(crate) tools: Vec<Located<ToolDef>>,
    /// Tools that no file declares: one per record type, for questions.
    pub(crate) generated: Vec<ToolDef>,
    /// Generated phrases for declared tools.
    pub(crate) lent: BTreeMap<String, Says>,
    pub(crate) playbooks: Vec<Located<Playbook>>,
    pub(crate) corpus: Vec<Located<CorpusRow>>,
    pub(crate) scenarios: Vec<Located<Scenario>>,
    /// Tools, playbooks and record types that failed to decode: already reported, so references to them are not
    /// errors.
    pub(crate) broken: BTreeSet<String>,
    /// Whether a file was unreadable: its declarations are unknown.
    pub(crate) incomplete: bool,
}

/// The kind of a pack file, by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pack,
    Record,
    Tools,
    Playbook,
    Corpus(CorpusSet),
    Scenario,
    /// Planned, but not read by this version.
    Later,
    /// For people: README, licence.
    Prose,
    Unknown,
}

/// The folders of a pack.
const FOLDERS: [&str; 5] = ["records", "tools", "playbooks", "corpus", "scenarios"];
/// Folders of planned kinds.
const LATER: [&str; 5] = ["processes", "journeys", "entities", "schemas", "prompts"];

fn kind(path: &str) -> Kind {
    let yaml = path.ends_with(".yaml") || path.ends_with(".yml");
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["pack.yaml"] => Kind::Pack,
        // Files of editors and other tools.
        [hidden, ..] if hidden.starts_with('.') => Kind::Prose,
        [name] if name.ends_with(".md") || name.ends_with(".txt") || *name == "LICENSE" => Kind::Prose,
        ["records", _] if yaml => Kind::Record,
        ["tools", _] if yaml => Kind::Tools,
        ["playbooks", _] if yaml => Kind::Playbook,
        ["corpus", "tune", _] if yaml => Kind::Corpus(CorpusSet::Tune),
        ["corpus", "test", _] if yaml => Kind::Corpus(CorpusSet::Test),
        ["scenarios", _] if yaml => Kind::Scenario,
        [folder, ..] if parts.len() > 1 && LATER.contains(folder) => Kind::Later,
        _ => Kind::Unknown,
    }
}

impl World {
    /// Reads the files of one pack.
    pub(crate) fn read(&mut self, pack: &PackSource) {
        for (path, problem) in &pack.unreadable {
            let message = format!("cannot read `{}`: {problem}", pack.shown(path));
            self.complain(&pack.shown(path), Code::Unreadable, message, None);
        }
        let Some((_, text)) = pack.files.iter().find(|(path, _)| path == "pack.yaml") else {
            if pack.unreadable.is_empty() {
                let help = "a pack is a folder with a `pack.yaml`; `brain pack new NAME` makes one that works";
                self.complain(&pack.shown(""), Code::NoPackFile, "there is no `pack.yaml` here", Some(help.into()));
            }
            return;
        };
        let shown = pack.shown("pack.yaml");
        self.sources.insert(shown.clone(), text.clone());
        let before = self.packs.len();
        self.file("", &shown, text, Kind::Pack);
        let name = self.packs.get(before).map(|pack| pack.value.name.clone()).unwrap_or_default();
        for (path, text) in pack.files.iter().filter(|(path, _)| path != "pack.yaml") {
            let shown = pack.shown(path);
            match kind(path) {
                Kind::Prose | Kind::Pack => {}
                Kind::Unknown => self.unknown_file(path, &shown),
                Kind::Later => {
                    let message = "this part of a pack is not read by this version";
                    self.complain(&shown, Code::UnknownFile, message, None);
                }
                known => {
                    self.sources.insert(shown.clone(), text.clone());
                    self.file(&name, &shown, text, known);
                }
            }
        }
    }

    /// Adds a tool for each native function that no pack overrides.
    pub(crate) fn add_natives(&mut self) {
        for (index, native) in self.natives.clone().into_iter().enumerate() {
            if self.natives[..index].iter().any(|other| other.name == native.name) {
                let message = format!("the native function `{}` is registered twice", native.name);
                let help = "give one of them another name: the program cannot know which one is meant";
                self.complain(NATIVE_PACK, Code::DuplicateTool, message, Some(help.into()));
                continue;
            }
            if let Some((message, help)) = native.problem() {
                self.complain(NATIVE_PACK, Code::BadSchema, message, Some(help.into()));
                continue;
            }
            let taken = self.tool(&native.name).is_some() || self.broken.contains(&native.name);
            if taken {
                continue;
            }
            let good = native.name.split('.').count() == 2 && native.name.split('.').all(decode::is_name);
            if !good {
                let message = format!("`{}` is not a valid name for a native function", native.name);
                let help = "a name is `domain.name`, of lower-case letters, digits and `_`";
                self.complain(NATIVE_PACK, Code::BadName, message, Some(help.into()));
                continue;
            }
            self.tools.push(Located {
                value: native.tool(),
                pack: NATIVE_PACK.to_owned(),
                file: NATIVE_PACK.to_owned(),
                name: Span::default(),
                node: phrases_node(&native.phrases),
            });
        }
    }

    fn unknown_file(&mut self, path: &str, shown: &str) {
        let folder = path.split_once('/').map_or("", |(folder, _)| folder);
        let help = match (folder, nearest(folder, FOLDERS)) {
            ("corpus", _) => "corpora are in `corpus/tune/*.yaml` or `corpus/test/*.yaml`".to_owned(),
            (folder, _) if FOLDERS.contains(&folder) => {
                format!("`{folder}` holds files that end in `.yaml`, without folders")
            }
            (_, Some(better)) => format!("did you mean `{better}/`?"),
            _ => "a pack has `pack.yaml` and the folders `records`, `tools`, `playbooks`, `corpus` and `scenarios`"
                .to_owned(),
        };
        self.complain(shown, Code::UnknownFile, "this file is not part of a pack and is ignored", Some(help));
    }

    /// Reports a problem of a whole file.
    pub(crate) fn complain(&mut self, file: &str, code: Code, message: impl Into<String>, help: Option<String>) {
        let span = Span { start: 0, end: 0, line: 1, column: 1 };
        self.found.push(Diagnostic::new(code, file, span, message.into(), help));
    }

    fn file(&mut self, pack: &str, file: &str, source: &str, kind: Kind) {
        let Some(node) = self.tree(file, source) else { return };
        let mut cx = Context { pack, file, source, natives: &self.natives, times: self.times, found: &mut self.found };
        match kind {
            Kind::Pack => self.packs.extend(decode::pack(&mut cx, &node)),
            Kind::Record => {
                let record = decode::record(&mut cx, &node);
                self.broken.extend(declared(&node, "record").filter(|_| record.is_none()));
                self.records.extend(record);
            }
            Kind::Tools => {
                if let Some(file) = decode::tools(&mut cx, &node) {
                    let read = |name: &String| file.tools.iter().any(|tool| tool.value.name == *name);
                    let names = node.get("tools").and_then(Node::as_map).unwrap_or(&[]).iter();
                    let names = names.map(|(key, _)| format!("{}.{}", file.domain, key.text));
                    self.broken.extend(names.filter(|name| !read(name)));
                    self.tools.extend(file.tools);
                    if let Some(pack) = self.packs.last_mut().filter(|_| !file.nouns.is_empty()) {
                        pack.value.nouns.entry(file.domain).or_default().extend(file.nouns);
                    }
                }
            }
            Kind::Playbook => {
                let playbook = decode::playbook(&mut cx, &node);
                self.broken.extend(declared(&node, "playbook").filter(|_| playbook.is_none()));
                self.playbooks.extend(playbook);
            }
            Kind::Corpus(set) => self.corpus.extend(decode::corpus(&mut cx, &node, set)),
            Kind::Scenario => self.scenarios.extend(decode::scenario(&mut cx, &node)),
            Kind::Later | Kind::Prose | Kind::Unknown => {}
        }
    }

    fn tree(&mut self, file: &str, source: &str) -> Option<Node> {
        match parse(source) {
            Ok(node) => Some(node),
            Err(problems) => {
                self.incomplete = true;
                for problem in problems {
                    let code = match problem.kind {
                        ProblemKind::Syntax => Code::YamlSyntax,
                        ProblemKind::DuplicateKey => Code::DuplicateKey,
                        ProblemKind::Unsupported => Code::YamlUnsupported,
                        ProblemKind::TooLarge => Code::TooLarge,
                    };
                    self.found.push(Diagnostic::new(code, file, problem.span, problem.message, problem.help));
                }
                None
            }
        }
    }

    /// Whether an unknown name is certainly wrong.
    pub(crate) fn surely_unknown(&self, name: &str) -> bool {
        !self.incomplete && !self.broken.contains(name)
    }

    /// The record type of this name.
    pub(crate) fn record(&self, name: &str) -> Option<&RecordDef> {
        self.records.iter().find(|record| record.value.name == name).map(|record| &record.value)
    }

    /// The tool of this name.
    pub(crate) fn tool(&self, name: &str) -> Option<&ToolDef> {
        let declared = self.tools.iter().map(|tool| &tool.value);
        declared.chain(&self.generated).find(|tool| tool.name == name)
    }

    /// The playbook of this name.
    pub(crate) fn playbook(&self, name: &str) -> Option<&Playbook> {
        self.playbooks.iter().find(|playbook| playbook.value.name == name).map(|playbook| &playbook.value)
    }

    /// All names of record types.
    pub(crate) fn record_names(&self) -> Vec<&str> {
        self.records.iter().map(|record| record.value.name.as_str()).collect()
    }

    pub(crate) fn tool_names(&self) -> Vec<&str> {
        self.tools.iter().map(|tool| tool.value.name.as_str()).collect()
    }
}

/// The phrases of a native function as YAML, so that they are checked like a pack's.
fn phrases_node(phrases: &[String]) -> Node {
    let span = Span::default();
    let item =
        |text: &String| Node { value: NodeValue::Scalar(Scalar { text: text.clone(), style: Style::Folded }), span };
    let list = Node { value: NodeValue::Seq(phrases.iter().map(item).collect()), span };
    Node { value: NodeValue::Map(vec![(Key { text: "phrases".into(), span }, list)]), span }
}

/// The name that a file declares under a key.
fn declared(node: &Node, key: &str) -> impl Iterator<Item = String> {
    node.get(key).and_then(Node::as_scalar).map(|scalar| scalar.text.clone()).into_iter()
}
