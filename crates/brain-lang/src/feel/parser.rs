//! Tokens to a tree: operators by precedence, and the forms that begin with a keyword.
//!
//! Calls of unknown functions are refused here, not at run time. Operands are in `primary.rs`.

use std::ops::Range;
use std::sync::Arc;

use super::ast::{ArithmeticOp, CompareOp, Expr, FunctionNode, Iteration, Node, NodeKind, Test};
use super::error::{FeelError, FeelErrorKind};
use super::lexer::{Token, TokenKind, lex};
use super::{MAX_NESTING, MAX_SOURCE_BYTES, paths};

pub(super) type Parsed<T> = Result<T, FeelError>;

/// Keywords that end an expression or join two; as variable names they need backticks.
const RESERVED: [&str; 10] = ["and", "between", "else", "in", "instance", "of", "or", "return", "satisfies", "then"];

/// How tightly an operator binds; higher binds tighter.
mod precedence {
    pub(super) const OR: u8 = 1;
    pub(super) const AND: u8 = 2;
    pub(super) const COMPARE: u8 = 3;
    pub(super) const ADD: u8 = 4;
    pub(super) const MULTIPLY: u8 = 5;
    pub(super) const POWER: u8 = 6;
}

pub(super) struct Parser {
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    /// Names bound by the expression itself, innermost last: they may be called and shadow built-ins.
    pub(super) locals: Vec<Arc<str>>,
    depth: usize,
}

/// Parses a whole source as one expression.
pub(super) fn expression(source: &str) -> Parsed<Expr> {
    let mut parser = Parser::new(source)?;
    let root = parser.expression()?;
    parser.finish(source, root)
}

/// Parses a whole source as the tests of a decision table's cell.
pub(super) fn unary_tests(source: &str) -> Parsed<Expr> {
    let mut parser = Parser::new(source)?;
    let tests = parser.cell()?;
    let depth = 1 + tests.iter().map(test_depth).max().unwrap_or(0);
    let root = Node { kind: NodeKind::UnaryTests(tests), span: 0..source.len(), depth };
    parser.finish(source, root)
}

impl Parser {
    fn new(source: &str) -> Parsed<Self> {
        if source.len() > MAX_SOURCE_BYTES {
            return Err(FeelError::new(
                FeelErrorKind::TooLarge,
                0..source.len(),
                format!("an expression has at most {MAX_SOURCE_BYTES} bytes"),
            ));
        }
        Ok(Self { tokens: lex(source)?, at: 0, locals: Vec::new(), depth: 0 })
    }

    fn finish(self, source: &str, root: Node) -> Parsed<Expr> {
        let token = self.peek();
        if token.kind != TokenKind::End {
            let error = self.unexpected("an operator or the end");
            let follows_word = self.at > 0 && matches!(self.tokens[self.at - 1].kind, TokenKind::Word(_));
            return Err(match (&token.kind, follows_word) {
                (TokenKind::Word(_), true) => error.help("put a name with spaces in backticks: `` `my name` ``"),
                (TokenKind::Punct("="), _) => error.help("equality is a single `=`"),
                _ => error,
            });
        }
        let paths = paths::free_paths(&root).into();
        Ok(Expr { source: source.into(), root: Arc::new(root), paths })
    }

    pub(super) fn peek(&self) -> &Token {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> &Token {
        self.tokens.get(self.at + ahead).unwrap_or_else(|| self.tokens.last().expect("a token list ends with End"))
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn is_punct(&self, punct: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Punct(p) if p == punct)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(&self.peek().kind, TokenKind::Word(w) if &**w == word)
    }

    pub(super) fn take_punct(&mut self, punct: &str) -> bool {
        let found = self.is_punct(punct);
        self.at += usize::from(found);
        found
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect_punct(&mut self, punct: &str) -> Parsed<Range<usize>> {
        let span = self.peek().span.clone();
        if self.take_punct(punct) { Ok(span) } else { Err(self.unexpected(&format!("`{punct}`"))) }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    pub(super) fn unexpected(&self, wanted: &str) -> FeelError {
        let token = self.peek();
        let message = format!("expected {wanted}, found {}", token.kind.describe());
        FeelError::new(FeelErrorKind::Syntax, token.span.clone(), message)
    }

    /// A name that a variable, parameter or iteration may have.
    pub(super) fn name(&mut self) -> Parsed<Arc<str>> {
        match &self.peek().kind {
            TokenKind::Word(word) if !RESERVED.contains(&&**word) => {
                let word = word.clone();
                self.at += 1;
                Ok(word)
            }
            TokenKind::Quoted(name) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    /// The span from a start to the end of the last consumed token.
    pub(super) fn span_from(&self, start: usize) -> Range<usize> {
        start..self.tokens[self.at.saturating_sub(1)].span.end.max(start)
    }

    /// Makes a node; rejects trees that are too deep to evaluate on a small stack.
    pub(super) fn node(&self, kind: NodeKind, start: usize) -> Parsed<Node> {
        let mut node = Node { kind, span: self.span_from(start), depth: 0 };
        let mut deepest = 0;
        node.children(&mut |child| deepest = deepest.max(child.depth));
        node.depth = deepest + 1;
        if node.depth > MAX_NESTING { Err(too_deep(node.span)) } else { Ok(node) }
    }

    /// Parses one level deeper, so that brackets without a node are limited too.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return Err(too_deep(self.peek().span.clone()));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub(super) fn expression(&mut self) -> Parsed<Node> {
        self.nested(|p| p.binary(precedence::OR, false))
    }

    /// An operand of a range: no logic or comparison, and `[` may close the range.
    pub(super) fn range_bound(&mut self) -> Parsed<Node> {
        self.nested(|p| p.binary(precedence::ADD, true))
    }

    /// Operators of at least the given precedence, as flat left-associative chains.
    ///
    /// This and the other functions on the way back to `expression` do little themselves, because their frames are what
    /// nesting multiplies.
    fn binary(&mut self, least: u8, in_range: bool) -> Parsed<Node> {
        let start = self.peek().span.start;
        let mut left = self.unary(in_range)?;
        while let Some((precedence, operator)) = self.operator() {
            if precedence < least {
                break;
            }
            let kind = self.operation(left, operator, precedence, in_range)?;
            left = self.node(kind, start)?;
        }
        Ok(left)
    }

    /// Parses the operator at this position and its right side.
    fn operation(&mut self, left: Node, operator: Operator, precedence: u8, in_range: bool) -> Parsed<NodeKind> {
        Ok(match operator {
            Operator::And => NodeKind::And(self.chain(left, "and", precedence, in_range)?),
            Operator::Or => NodeKind::Or(self.chain(left, "or", precedence, in_range)?),
            Operator::Compare(op) => {
                self.at += 1;
                let right = self.binary(precedence + 1, in_range)?;
                NodeKind::Compare(op, Box::new(left), Box::new(right))
            }
            Operator::Between => {
                self.at += 1;
                let low = self.binary(precedence::ADD, in_range)?;
                self.expect_word("and")?;
                let high = self.binary(precedence::ADD, in_range)?;
                NodeKind::Between(Box::new([left, low, high]))
            }
            Operator::In => {
                self.at += 1;
                NodeKind::In(Box::new(left), self.in_tests()?)
            }
            Operator::Arithmetic(_) => {
                let mut rest = Vec::new();
                while let Some((same, Operator::Arithmetic(op))) = self.operator() {
                    if same != precedence {
                        break;
                    }
                    self.at += 1;
                    rest.push((op, self.binary(precedence + 1, in_range)?));
                }
                NodeKind::Arithmetic(Box::new(left), rest)
            }
        })
    }

    fn chain(&mut self, first: Node, word: &str, precedence: u8, in_range: bool) -> Parsed<Vec<Node>> {
        let mut nodes = vec![first];
        while self.take_word(word) {
            nodes.push(self.binary(precedence + 1, in_range)?);
        }
        Ok(nodes)
    }

    fn operator(&self) -> Option<(u8, Operator)> {
        Some(match &self.peek().kind {
            TokenKind::Word(word) => match &**word {
                "and" => (precedence::AND, Operator::And),
                "or" => (precedence::OR, Operator::Or),
                "between" => (precedence::COMPARE, Operator::Between),
                "in" => (precedence::COMPARE, Operator::In),
                _ => return None,
            },
            TokenKind::Punct(punct) => match *punct {
                "+" => (precedence::ADD, Operator::Arithmetic(ArithmeticOp::Add)),
                "-" => (precedence::ADD, Operator::Arithmetic(ArithmeticOp::Subtract)),
                "*" => (precedence::MULTIPLY, Operator::Arithmetic(ArithmeticOp::Multiply)),
                "/" => (precedence::MULTIPLY, Operator::Arithmetic(ArithmeticOp::Divide)),
                "**" => (precedence::POWER, Operator::Arithmetic(ArithmeticOp::Power)),
                symbol => (precedence::COMPARE, Operator::Compare(CompareOp::from_symbol(symbol)?)),
            },
            _ => return None,
        })
    }

    /// Unary minus binds tighter than `**`, as DMN says: `-2 ** 2` is 4.
    fn unary(&mut self, in_range: bool) -> Parsed<Node> {
        if self.is_punct("-") { self.negation(in_range) } else { self.postfix(in_range) }
    }

    fn negation(&mut self, in_range: bool) -> Parsed<Node> {
        let start = self.expect_punct("-")?.start;
        let operand = self.nested(|p| p.unary(in_range))?;
        self.node(NodeKind::Negate(Box::new(operand)), start)
    }

    /// The right side of `in`: one test, or several in parentheses.
    fn in_tests(&mut self) -> Parsed<Vec<Test>> {
        let start = self.peek().span.start;
        if !self.take_punct("(") {
            return Ok(vec![self.nested(Self::positive_test)?]);
        }
        let first = self.nested(Self::positive_test)?;
        let mut tests = match first {
            Test::Expression { node, .. } if self.is_punct("..") => {
                let range = self.range_after(node, false, start)?;
                return Ok(vec![Test::Expression { node: range, mentions_input: false }]);
            }
            test => vec![test],
        };
        while self.take_punct(",") {
            tests.push(self.nested(Self::positive_test)?);
        }
        self.expect_punct(")")?;
        Ok(tests)
    }

    /// `< 10`, or an expression without logic.
    fn positive_test(&mut self) -> Parsed<Test> {
        if let Some((_, Operator::Compare(op))) = self.operator() {
            self.at += 1;
            return Ok(Test::Compare(op, self.binary(precedence::ADD, false)?));
        }
        let node = self.binary(precedence::ADD, false)?;
        Ok(Test::Expression { mentions_input: node.mentions("?"), node })
    }

    /// A whole cell: `-`, `not(…)`, or tests joined by commas.
    fn cell(&mut self) -> Parsed<Vec<Test>> {
        if self.is_punct("-") && self.peek_at(1).kind == TokenKind::End {
            self.at += 1;
            return Ok(vec![Test::Any]);
        }
        if self.is_word("not") && matches!(self.peek_at(1).kind, TokenKind::Punct("(")) {
            let before = self.at;
            self.at += 2;
            let tests = self.cell_tests()?;
            self.expect_punct(")")?;
            if self.peek().kind == TokenKind::End {
                return Ok(vec![Test::Not(tests)]);
            }
            // `not(a) and b` is an expression about `?`, not a negated list of tests.
            self.at = before;
        }
        self.cell_tests()
    }

    fn cell_tests(&mut self) -> Parsed<Vec<Test>> {
        let mut tests = Vec::new();
        loop {
            let test = if let Some((_, Operator::Compare(op))) = self.operator() {
                self.at += 1;
                Test::Compare(op, self.nested(|p| p.binary(precedence::ADD, false))?)
            } else {
                let node = self.expression()?;
                Test::Expression { mentions_input: node.mentions("?"), node }
            };
            tests.push(test);
            if !self.take_punct(",") {
                return Ok(tests);
            }
        }
    }

    /// `if … then … else …`, at the keyword.
    pub(super) fn if_then_else(&mut self) -> Parsed<NodeKind> {
        self.expect_word("if")?;
        let condition = self.expression()?;
        self.expect_word("then")?;
        let then = self.expression()?;
        if !self.is_word("else") {
            return Err(self.unexpected("`else`").help("every `if` needs an `else`; write `else null` for nothing"));
        }
        self.at += 1;
        let otherwise = self.expression()?;
        Ok(NodeKind::If(Box::new([condition, then, otherwise])))
    }

    /// `for … return …`, `some … satisfies …`, `every … satisfies …`, at the keyword.
    pub(super) fn iteration(&mut self, keyword: &str) -> Parsed<NodeKind> {
        self.expect_word(keyword)?;
        let outer = self.locals.len();
        let mut iterations = Vec::new();
        loop {
            let name = self.name()?;
            self.expect_word("in")?;
            let source = self.expression()?;
            let end = if self.take_punct("..") { Some(self.range_bound()?) } else { None };
            self.locals.push(name.clone());
            iterations.push(Iteration { name, source, end });
            if !self.take_punct(",") {
                break;
            }
        }
        self.expect_word(if keyword == "for" { "return" } else { "satisfies" })?;
        let body = Box::new(self.expression()?);
        self.locals.truncate(outer);
        Ok(match keyword {
            "for" => NodeKind::For(iterations, body),
            "some" => NodeKind::Some(iterations, body),
            _ => NodeKind::Every(iterations, body),
        })
    }

    /// `function(x, y) body`, at the keyword.
    pub(super) fn function(&mut self) -> Parsed<NodeKind> {
        self.expect_word("function")?;
        self.expect_punct("(")?;
        let mut params = Vec::new();
        while !self.is_punct(")") {
            params.push(self.name()?);
            if self.take_punct(":") {
                self.type_name()?;
            }
            if !self.take_punct(",") {
                break;
            }
        }
        self.expect_punct(")")?;
        let outer = self.locals.len();
        self.locals.extend(params.iter().cloned());
        let body = self.expression()?;
        self.locals.truncate(outer);
        let captures = paths::captures(&params, &body);
        Ok(NodeKind::Function(Box::new(FunctionNode { params, body: Arc::new(body), captures })))
    }
}

enum Operator {
    And,
    Or,
    Between,
    In,
    Compare(CompareOp),
    Arithmetic(ArithmeticOp),
}

fn too_deep(span: Range<usize>) -> FeelError {
    FeelError::new(FeelErrorKind::TooDeep, span, format!("an expression nests at most {MAX_NESTING} levels"))
}

fn test_depth(test: &Test) -> usize {
    let mut deepest = 0;
    test.children(&mut |child| deepest = deepest.max(child.depth));
    deepest
}
