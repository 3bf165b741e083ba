//! The YAML parser, with limits.

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::{Key, Node, NodeValue, Scalar, Span, Style};

/// Maximum size of a file.
const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;
/// Maximum nesting.
const MAX_DEPTH: usize = 64;
/// Maximum number of values in a file.
const MAX_NODES: usize = 200_000;

/// Why a file does not parse.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// Its position.
    pub span: Span,
    /// The problem.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// Not YAML.
    Syntax,
    /// The same key twice in one map.
    DuplicateKey,
    /// A YAML feature that packs must not use.
    Unsupported,
    /// A limit is exceeded.
    TooLarge,
}

/// Parses one document. Duplicate keys are reported together; any other problem ends the parse.
pub fn parse(source: &str) -> Result<Node, Vec<Problem>> {
    let at_start = Span { start: 0, end: 0, line: 1, column: 1 };
    if source.len() > MAX_FILE_BYTES {
        return Err(vec![Problem {
            kind: ProblemKind::TooLarge,
            span: at_start,
            message: format!("this file has {} bytes, but the limit is {MAX_FILE_BYTES}", source.len()),
            help: Some("split it into several files".into()),
        }]);
    }
    let mut builder = Builder {
        parser: Parser::new_from_str(source),
        positions: Positions::new(source),
        source,
        nodes: 0,
        duplicates: Vec::new(),
    };
    match builder.document() {
        Ok(node) if builder.duplicates.is_empty() => Ok(node),
        Ok(_) => Err(builder.duplicates),
        Err(problem) => {
            builder.duplicates.push(*problem);
            Err(builder.duplicates)
        }
    }
}

/// Byte offsets of characters: the scanner counts characters, everything else counts bytes.
struct Positions {
    /// The byte offset of every character; `None` for ASCII.
    bytes: Option<Vec<usize>>,
    len: usize,
}

impl Positions {
    fn new(source: &str) -> Self {
        let bytes = (!source.is_ascii()).then(|| source.char_indices().map(|(byte, _)| byte).collect());
        Self { bytes, len: source.len() }
    }

    fn byte(&self, character: usize) -> usize {
        match &self.bytes {
            None => character.min(self.len),
            Some(bytes) => bytes.get(character).copied().unwrap_or(self.len),
        }
    }
}

struct Builder<'s> {
    parser: Parser<'s, saphyr_parser::StrInput<'s>>,
    positions: Positions,
    source: &'s str,
    nodes: usize,
    duplicates: Vec<Problem>,
}

type Step<T> = Result<T, Box<Problem>>;

impl<'s> Builder<'s> {
    fn document(&mut self) -> Step<Node> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamStart | Event::DocumentEnd | Event::Nothing => {}
                Event::DocumentStart(_) if root.is_some() => {
                    return Err(unsupported(span, "a second document starts here", "put it into a file of its own"));
                }
                Event::DocumentStart(_) => {}
                Event::StreamEnd => break,
                other => root = Some(self.node(other, span, 0)?),
            }
        }
        Ok(root.unwrap_or(Node {
            value: NodeValue::Scalar(Scalar { text: String::new(), style: Style::Plain }),
            span: Span { start: 0, end: 0, line: 1, column: 1 },
        }))
    }

    fn next(&mut self) -> Step<(Event<'s>, Span)> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => {
                let span = self.span(span.start, span.end);
                Ok((event, span))
            }
            Some(Err(error)) => {
                let mark = *error.marker();
                let span = self.span(mark, mark);
                Err(Box::new(Problem {
                    kind: ProblemKind::Syntax,
                    span,
                    message: format!("this is not valid YAML: {}", error.info()),
                    help: syntax_help(self.source, span.start),
                }))
            }
            None => {
                Ok((Event::StreamEnd, Span { start: self.source.len(), end: self.source.len(), line: 1, column: 1 }))
            }
        }
    }

    fn span(&self, start: saphyr_parser::Marker, end: saphyr_parser::Marker) -> Span {
        let first = self.positions.byte(start.index());
        let last = self.positions.byte(end.index()).max(first);
        Span { start: first, end: last, line: start.line().max(1), column: start.col() + 1 }
    }

    fn node(&mut self, event: Event<'s>, span: Span, depth: usize) -> Step<Node> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(too_large(
                span,
                format!("this file has more than {MAX_NODES} values"),
                "split it into several files",
            ));
        }
        if depth > MAX_DEPTH {
            return Err(too_large(
                span,
                format!("lists and maps are nested more than {MAX_DEPTH} deep"),
                "flatten this part",
            ));
        }
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                refuse(anchor, tag.is_some(), span)?;
                Ok(self.scalar(&text, style, span))
            }
            Event::SequenceStart(anchor, tag) => {
                refuse(anchor, tag.is_some(), span)?;
                self.sequence(span, depth)
            }
            Event::MappingStart(anchor, tag) => {
                refuse(anchor, tag.is_some(), span)?;
                self.mapping(span, depth)
            }
            Event::Alias(_) => {
                Err(unsupported(span, "aliases (`*name`) are not supported in packs", "write the value out"))
            }
            _ => Err(Box::new(Problem {
                kind: ProblemKind::Syntax,
                span,
                message: "a value is missing here".into(),
                help: None,
            })),
        }
    }

    fn scalar(&self, text: &str, style: ScalarStyle, mut span: Span) -> Node {
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::Single,
            ScalarStyle::DoubleQuoted => Style::Double,
            ScalarStyle::Literal => Style::Literal,
            ScalarStyle::Folded => Style::Folded,
        };
        let written = &self.source[span.start..span.end];
        span.end = span.start + written.trim_end().len();
        Node { value: NodeValue::Scalar(Scalar { text: text.to_owned(), style }), span }
    }

    fn sequence(&mut self, mut span: Span, depth: usize) -> Step<Node> {
        let mut items = Vec::new();
        loop {
            let (event, at) = self.next()?;
            if event == Event::SequenceEnd {
                span.end = end_of(items.last().map(|node: &Node| node.span), at, span);
                return Ok(Node { value: NodeValue::Seq(items), span });
            }
            items.push(self.node(event, at, depth + 1)?);
        }
    }

    fn mapping(&mut self, mut span: Span, depth: usize) -> Step<Node> {
        let mut entries: Vec<(Key, Node)> = Vec::new();
        loop {
            let (event, at) = self.next()?;
            if event == Event::MappingEnd {
                span.end = end_of(entries.last().map(|(_, node)| node.span), at, span);
                if let Some((first, _)) = entries.first()
                    && span.start == span.end
                {
                    span.start = first.span.start;
                }
                return Ok(Node { value: NodeValue::Map(entries), span });
            }
            let key = self.key(event, at, depth + 1)?;
            if let Some((first, _)) = entries.iter().find(|(other, _)| other.text == key.text) {
                self.duplicates.push(Problem {
                    kind: ProblemKind::DuplicateKey,
                    span: key.span,
                    message: format!("the key `{}` is given twice in the same map", key.text),
                    help: Some(format!("the first one is on line {}; remove or rename one of them", first.span.line)),
                });
            }
            let (event, at) = self.next()?;
            let mut value = self.node(event, at, depth + 1)?;
            if value.span.start == value.span.end && value.as_scalar().is_some_and(|scalar| scalar.text.is_empty()) {
                // An empty value has no span of its own: report at the key.
                value.span = key.span;
            }
            entries.push((key, value));
        }
    }

    fn key(&mut self, event: Event<'s>, at: Span, depth: usize) -> Step<Key> {
        if matches!(&event, Event::Scalar(text, ..) if text == "<<") {
            return Err(unsupported(at, "merge keys (`<<`) are not supported in packs", "write the keys out"));
        }
        let node = self.node(event, at, depth)?;
        match node.value {
            NodeValue::Scalar(scalar) => Ok(Key { text: scalar.text, span: node.span }),
            _ => Err(unsupported(
                node.span,
                "a key must be text",
                "if this is a template, put it in quotes: \"{{ … }}\"",
            )),
        }
    }
}

/// A flow collection ends at its bracket; a block collection where its last entry ends.
fn end_of(last: Option<Span>, end: Span, whole: Span) -> usize {
    if end.end > end.start { end.end } else { last.map_or(whole.end, |span| span.end) }
}

fn refuse(anchor: usize, tagged: bool, span: Span) -> Step<()> {
    if anchor != 0 {
        return Err(unsupported(
            span,
            "anchors (`&name`) are not supported in packs",
            "write the value out where it is used",
        ));
    }
    if tagged {
        return Err(unsupported(span, "tags (`!name`) are not supported in packs", "remove the tag"));
    }
    Ok(())
}

fn unsupported(span: Span, message: &str, help: &str) -> Box<Problem> {
    Box::new(Problem { kind: ProblemKind::Unsupported, span, message: message.into(), help: Some(help.into()) })
}

fn too_large(span: Span, message: String, help: &str) -> Box<Problem> {
    Box::new(Problem { kind: ProblemKind::TooLarge, span, message, help: Some(help.into()) })
}

/// Guesses the mistake from the line.
fn syntax_help(source: &str, at: usize) -> Option<String> {
    let start = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = source[start..].lines().next().unwrap_or("");
    if line.starts_with(' ') && line.contains('\t') || line.starts_with('\t') {
        return Some("indent with spaces: YAML does not allow tabs".into());
    }
    if line.matches(": ").count() > 1 || line.contains(": {{") || line.contains(": =") {
        return Some("put text that contains `: `, `{{` or `#` in quotes".into());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(source: &str) -> Problem {
        parse(source).unwrap_err().remove(0)
    }

    #[test]
    fn every_node_knows_its_place() {
        let source = "a: één\nb:\n  - x\n  - {c: \"d\"}\n";
        let node = parse(source).unwrap();
        let text = |node: &Node| &source[node.span.start..node.span.end];
        assert_eq!(text(node.get("a").unwrap()), "één");
        let list = node.get("b").unwrap();
        assert_eq!(text(list), "- x\n  - {c: \"d\"}");
        let inner = &list.as_seq().unwrap()[1];
        assert_eq!(text(inner), "{c: \"d\"}");
        assert_eq!((inner.span.line, inner.span.column), (4, 5));
        let (key, value) = inner.entry("c").unwrap();
        assert_eq!((key.span.line, key.span.column, text(value)), (4, 6, "\"d\""));
    }

    #[test]
    fn duplicate_keys_are_refused_and_all_of_them_are_told() {
        let problems = parse("a: 1\nb: 2\na: 3\nb: 4\n").unwrap_err();
        assert_eq!(problems.len(), 2);
        assert_eq!(problems[0].kind, ProblemKind::DuplicateKey);
        assert_eq!((problems[0].span.line, problems[0].span.column), (3, 1));
        assert!(problems[0].help.as_deref().unwrap().contains("line 1"));
    }

    #[test]
    fn anchors_aliases_tags_merges_and_second_documents_are_refused() {
        for source in ["a: &x 1\n", "a: &x 1\nb: *x\n", "a: !t 1\n", "a:\n  <<: {b: 1}\n", "a: 1\n---\nb: 2\n"] {
            assert_eq!(problem(source).kind, ProblemKind::Unsupported, "{source}");
        }
    }

    #[test]
    fn bounds_hold() {
        let deep = "[".repeat(MAX_DEPTH + 2) + &"]".repeat(MAX_DEPTH + 2);
        assert_eq!(problem(&deep).kind, ProblemKind::TooLarge);
        assert_eq!(problem(&"x".repeat(MAX_FILE_BYTES + 1)).kind, ProblemKind::TooLarge);
    }

    #[test]
    fn an_unquoted_template_gets_a_hint() {
        let problem = problem("a: {{ b }}\n");
        assert!(problem.help.unwrap().contains("quotes"));
    }

    #[test]
    fn an_empty_document_is_null() {
        for source in ["", "# nothing\n", "---\n"] {
            assert_eq!(parse(source).unwrap().kind(), "nothing", "{source:?}");
        }
    }

    #[test]
    fn a_missing_value_is_where_its_key_is() {
        let node = parse("a:\nb: 1\n").unwrap();
        assert_eq!((node.get("a").unwrap().span.line, node.get("a").unwrap().kind()), (1, "nothing"));
    }
}
