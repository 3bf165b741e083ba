//! The syntax tree. Chains (`a and b and c`, `1 + 2 - 3`) are flat, so that only real nesting counts as depth.

use std::ops::Range;
use std::sync::Arc;

use super::MAX_NESTING;
use super::builtins::Builtin;
use super::paths::{PathRef, free_paths};
use super::value::Value;

/// A parsed expression or list of unary tests; cheap to clone.
#[derive(Debug, Clone)]
pub struct Expr {
    pub(super) source: Arc<str>,
    pub(super) root: Arc<Node>,
    pub(super) paths: Arc<[PathRef]>,
}

/// One step of a path that is written outside FEEL.
#[derive(Debug, Clone)]
pub(crate) enum PathStep {
    Name(Arc<str>),
    /// A position from 1; negative from the end.
    Index(i64),
}

impl Expr {
    /// The expression of a path, with spans in its own text. `follow` and `eval` walk it iteratively.
    pub(crate) fn from_path(source: &str, steps: &[(PathStep, Range<usize>)]) -> Option<Self> {
        let mut node: Option<Node> = None;
        for (depth, (step, span)) in steps.iter().enumerate() {
            let start = node.as_ref().map_or(span.start, |node| node.span.start);
            let kind = match (node, step) {
                (None, PathStep::Name(name)) => NodeKind::Name(name.clone()),
                (None, PathStep::Index(_)) => return None,
                (Some(base), PathStep::Name(name)) => NodeKind::Path(Box::new(base), name.clone()),
                (Some(base), PathStep::Index(index)) => {
                    let literal = NodeKind::Literal(Value::from(*index));
                    let index = Node { kind: literal, span: span.clone(), depth: 1 };
                    NodeKind::Filter(Box::new(base), Box::new(index))
                }
            };
            node = Some(Node { kind, span: start..span.end, depth: depth + 1 });
        }
        let root = node.filter(|node| node.depth <= MAX_NESTING)?;
        let paths = free_paths(&root).into();
        Some(Self { source: source.into(), root: Arc::new(root), paths })
    }

    /// The source.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The free variable paths it reads, sorted, without duplicates: `steps.docs.result.name` is `["steps", "docs",
    /// "result", "name"]`. A path ends at a filter, index or call.
    pub fn paths(&self) -> Vec<Vec<String>> {
        let mut paths: Vec<Vec<String>> = self.paths.iter().map(|p| p.segments.clone()).collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// Every free variable path in source order, with its position.
    pub fn paths_with_spans(&self) -> &[PathRef] {
        &self.paths
    }
}

/// Expressions are equal if their sources are.
impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

/// A node and its span.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) span: Range<usize>,
    /// One more than its deepest child; the parser rejects trees deeper than `MAX_NESTING`.
    pub(super) depth: usize,
}

#[derive(Debug, Clone)]
pub(super) enum NodeKind {
    Literal(Value),
    Name(Arc<str>),
    /// `a.b`; on a list it maps.
    Path(Box<Node>, Arc<str>),
    List(Vec<Node>),
    Context(Vec<(Arc<str>, Node)>),
    Range(Box<RangeNode>),
    Negate(Box<Node>),
    /// A left-associative chain of `+ -`, of `* /` or of `**`.
    Arithmetic(Box<Node>, Vec<(ArithmeticOp, Node)>),
    And(Vec<Node>),
    Or(Vec<Node>),
    Compare(CompareOp, Box<Node>, Box<Node>),
    Between(Box<[Node; 3]>),
    /// `x in test, test`: true if any test holds.
    In(Box<Node>, Vec<Test>),
    If(Box<[Node; 3]>),
    For(Vec<Iteration>, Box<Node>),
    Some(Vec<Iteration>, Box<Node>),
    Every(Vec<Iteration>, Box<Node>),
    Filter(Box<Node>, Box<Node>),
    InstanceOf(Box<Node>, TypeName),
    Function(Box<FunctionNode>),
    /// A call of a built-in function, resolved while parsing.
    CallBuiltin(&'static Builtin, Vec<Node>),
    /// A call of a function value.
    Call(Box<Node>, Vec<Argument>),
    /// `is defined(a.b)`: whether the name exists at all, even if it is null.
    IsDefined(Box<Node>),
    /// A cell of a decision table.
    UnaryTests(Vec<Test>),
}

#[derive(Debug, Clone)]
pub(super) struct Argument {
    pub(super) name: Option<Arc<str>>,
    pub(super) value: Node,
}

#[derive(Debug, Clone)]
pub(super) struct RangeNode {
    pub(super) start: Node,
    pub(super) start_included: bool,
    pub(super) end: Node,
    pub(super) end_included: bool,
}

#[derive(Debug, Clone)]
pub(super) struct FunctionNode {
    pub(super) params: Vec<Arc<str>>,
    pub(super) body: Arc<Node>,
    /// Names that the body reads from outside; captured when the function value is made.
    pub(super) captures: Vec<Arc<str>>,
}

/// `name in source` or `name in start..end`.
#[derive(Debug, Clone)]
pub(super) struct Iteration {
    pub(super) name: Arc<str>,
    pub(super) source: Node,
    pub(super) end: Option<Node>,
}

/// One positive unary test of the left side of `in`, or of `?`.
#[derive(Debug, Clone)]
pub(super) enum Test {
    /// `-`
    Any,
    /// `< 10`, `>= x`, `= x`, `!= x`
    Compare(CompareOp, Node),
    /// A value, list, range or a boolean that mentions `?`.
    Expression { node: Node, mentions_input: bool },
    /// `not(test, test)`
    Not(Vec<Test>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArithmeticOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl ArithmeticOp {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Power => "**",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl CompareOp {
    pub(super) fn from_symbol(symbol: &str) -> Option<Self> {
        Some(match symbol {
            "=" => Self::Equal,
            "!=" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessOrEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterOrEqual,
            _ => return None,
        })
    }

    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

/// The type in `instance of`.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TypeName {
    Any,
    Null,
    Boolean,
    Number,
    String,
    Date,
    Time,
    DateTime,
    DaysDuration,
    MonthsDuration,
    List(Box<TypeName>),
    Context(Vec<(Arc<str>, TypeName)>),
    Range(Box<TypeName>),
    Function,
}

impl Node {
    /// Whether a name occurs anywhere in the node.
    pub(super) fn mentions(&self, name: &str) -> bool {
        if matches!(&self.kind, NodeKind::Name(own) if &**own == name) {
            return true;
        }
        let mut found = false;
        self.children(&mut |child| found = found || child.mentions(name));
        found
    }

    /// Calls `visit` with every direct child expression.
    pub(super) fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Node)) {
        match &self.kind {
            NodeKind::Literal(_) | NodeKind::Name(_) => {}
            NodeKind::Path(node, _)
            | NodeKind::Negate(node)
            | NodeKind::InstanceOf(node, _)
            | NodeKind::IsDefined(node) => {
                visit(node);
            }
            NodeKind::List(nodes) | NodeKind::And(nodes) | NodeKind::Or(nodes) => nodes.iter().for_each(visit),
            NodeKind::Context(entries) => entries.iter().for_each(|(_, node)| visit(node)),
            NodeKind::Range(range) => {
                visit(&range.start);
                visit(&range.end);
            }
            NodeKind::Arithmetic(first, rest) => {
                visit(first);
                rest.iter().for_each(|(_, node)| visit(node));
            }
            NodeKind::Compare(_, a, b) | NodeKind::Filter(a, b) => {
                visit(a);
                visit(b);
            }
            NodeKind::Between(parts) | NodeKind::If(parts) => parts.iter().for_each(visit),
            NodeKind::In(node, tests) => {
                visit(node);
                tests.iter().for_each(|test| test.children(visit));
            }
            NodeKind::For(iterators, body) | NodeKind::Some(iterators, body) | NodeKind::Every(iterators, body) => {
                for iterator in iterators {
                    visit(&iterator.source);
                    iterator.end.iter().for_each(&mut *visit);
                }
                visit(body);
            }
            NodeKind::Function(function) => visit(&function.body),
            NodeKind::CallBuiltin(_, arguments) => arguments.iter().for_each(visit),
            NodeKind::Call(callee, arguments) => {
                visit(callee);
                arguments.iter().for_each(|a| visit(&a.value));
            }
            NodeKind::UnaryTests(tests) => tests.iter().for_each(|test| test.children(visit)),
        }
    }
}

impl Test {
    pub(super) fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Node)) {
        match self {
            Self::Any => {}
            Self::Compare(_, node) | Self::Expression { node, .. } => visit(node),
            Self::Not(tests) => tests.iter().for_each(|test| test.children(visit)),
        }
    }
}
