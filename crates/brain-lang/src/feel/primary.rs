//! Operands: literals, names, calls, lists, contexts, ranges, and their postfixes.

use std::sync::Arc;

use super::ast::{Argument, Node, NodeKind, RangeNode, TypeName};
use super::builtins;
use super::error::{FeelError, FeelErrorKind, nearest};
use super::lexer::TokenKind;
use super::parser::{Parsed, Parser};
use super::temporal;
use super::value::Value;

/// Properties whose names have spaces.
const SPACED_PROPERTIES: [[&str; 2]; 3] = [["start", "included"], ["end", "included"], ["time", "offset"]];

impl Parser {
    /// A primary with its paths, filters, calls and `instance of`.
    pub(super) fn postfix(&mut self, in_range: bool) -> Parsed<Node> {
        let start = self.peek().span.start;
        let node = self.primary()?;
        self.suffixes(node, start, in_range)
    }

    fn suffixes(&mut self, mut node: Node, start: usize, in_range: bool) -> Parsed<Node> {
        loop {
            let kind = if self.take_punct(".") {
                NodeKind::Path(Box::new(node), self.property()?)
            } else if self.is_punct("[") && !(in_range && self.bracket_closes_range()) {
                self.at += 1;
                let predicate = self.expression()?;
                self.expect_punct("]")?;
                NodeKind::Filter(Box::new(node), Box::new(predicate))
            } else if self.is_punct("(") {
                let arguments = self.arguments()?;
                NodeKind::Call(Box::new(node), arguments)
            } else if self.is_word("instance") {
                self.at += 1;
                if !self.take_word("of") {
                    return Err(self.unexpected("`of`"));
                }
                NodeKind::InstanceOf(Box::new(node), self.type_name()?)
            } else {
                return Ok(node);
            };
            node = self.node(kind, start)?;
        }
    }

    /// In `]1..5[` the last bracket ends the range; in `[1..xs[2]]` it opens a filter. The next token decides.
    fn bracket_closes_range(&self) -> bool {
        !matches!(
            self.peek_at(1).kind,
            TokenKind::Number(_)
                | TokenKind::String(_)
                | TokenKind::Quoted(_)
                | TokenKind::Punct("(" | "{" | "@" | "-")
        ) && !matches!(&self.peek_at(1).kind, TokenKind::Word(w) if !matches!(&**w, "and" | "or" | "then" | "else" | "return" | "satisfies" | "in" | "instance"))
    }

    /// The name after a dot; keywords are fine there.
    fn property(&mut self) -> Parsed<Arc<str>> {
        let (TokenKind::Word(first) | TokenKind::Quoted(first)) = &self.peek().kind else {
            return Err(self.unexpected("a property name"));
        };
        let first = first.clone();
        self.at += 1;
        for [head, tail] in SPACED_PROPERTIES {
            if &*first == head && self.take_word(tail) {
                return Ok(format!("{head} {tail}").into());
            }
        }
        Ok(first)
    }

    fn primary(&mut self) -> Parsed<Node> {
        match &self.peek().kind {
            TokenKind::Word(_) => self.word(),
            TokenKind::Punct("(") => self.parentheses(),
            TokenKind::Punct("[") => self.list_or_range(),
            TokenKind::Punct("]") => self.open_range(),
            TokenKind::Punct("{") => self.context(),
            TokenKind::Punct("@") => self.at_literal(),
            _ => self.simple(),
        }
    }

    /// A single token that is a value.
    fn simple(&mut self) -> Parsed<Node> {
        let token = self.peek().clone();
        let kind = match token.kind {
            TokenKind::Number(number) => NodeKind::Literal(Value::Number(number)),
            TokenKind::String(text) => NodeKind::Literal(Value::String(text)),
            TokenKind::Quoted(name) => NodeKind::Name(name),
            TokenKind::Punct("?") => NodeKind::Name("?".into()),
            _ => return Err(self.unexpected("a value")),
        };
        self.at += 1;
        self.node(kind, token.span.start)
    }

    fn parentheses(&mut self) -> Parsed<Node> {
        let start = self.expect_punct("(")?.start;
        let inner = self.expression()?;
        if self.is_punct("..") {
            return self.range_after(inner, false, start);
        }
        self.expect_punct(")")?;
        Ok(inner)
    }

    /// `]1..5]`
    fn open_range(&mut self) -> Parsed<Node> {
        let start = self.expect_punct("]")?.start;
        let bound = self.range_bound()?;
        self.range_after(bound, false, start)
    }

    /// A literal, a form with a keyword, a call or a name.
    fn word(&mut self) -> Parsed<Node> {
        let start = self.peek().span.start;
        let TokenKind::Word(word) = self.peek().kind.clone() else {
            return self.simple();
        };
        let calls = matches!(self.peek_at(1).kind, TokenKind::Punct("("));
        let kind = match &*word {
            "null" | "true" | "false" => {
                self.at += 1;
                NodeKind::Literal(if &*word == "null" { Value::Null } else { Value::Bool(&*word == "true") })
            }
            "if" => self.if_then_else()?,
            "for" | "some" | "every" => self.iteration(&word)?,
            "function" if calls => self.function()?,
            _ => self.call_or_name(&word, calls)?,
        };
        self.node(kind, start)
    }

    fn call_or_name(&mut self, word: &str, calls: bool) -> Parsed<NodeKind> {
        if calls && self.locals.iter().any(|local| &**local == word) {
            return Ok(NodeKind::Name(self.name()?));
        }
        if let Some((builtin, words)) = self.builtin_words() {
            let span = self.peek().span.start..self.peek_at(words - 1).span.end;
            self.at += words;
            let arguments = self.arguments()?;
            return Ok(NodeKind::CallBuiltin(builtin, builtin.bind(arguments, &span)?));
        }
        if word == "is" && self.is_defined_call() {
            self.at += 3;
            let inner = self.expression()?;
            self.expect_punct(")")?;
            return Ok(NodeKind::IsDefined(Box::new(inner)));
        }
        self.refuse_unknown_function()?;
        Ok(NodeKind::Name(self.name()?))
    }

    /// The longest built-in name at this position that is followed by `(`, and its number of words.
    fn builtin_words(&self) -> Option<(&'static builtins::Builtin, usize)> {
        let mut name = String::new();
        let mut found = None;
        for words in 1..=builtins::MAX_NAME_WORDS {
            let TokenKind::Word(word) = &self.peek_at(words - 1).kind else {
                break;
            };
            if words > 1 {
                name.push(' ');
            }
            name.push_str(word);
            if matches!(self.peek_at(words).kind, TokenKind::Punct("(")) {
                found = builtins::find(&name).map(|builtin| (builtin, words));
                break;
            }
        }
        found
    }

    fn is_defined_call(&self) -> bool {
        matches!(&self.peek_at(1).kind, TokenKind::Word(w) if &**w == "defined")
            && matches!(self.peek_at(2).kind, TokenKind::Punct("("))
    }

    /// Words followed by `(` that name no function are an error, with the nearest name as help.
    fn refuse_unknown_function(&self) -> Parsed<()> {
        let mut name = String::new();
        for words in 1..=builtins::MAX_NAME_WORDS {
            let TokenKind::Word(word) = &self.peek_at(words - 1).kind else {
                return Ok(());
            };
            if words > 1 {
                // `a and f(x)`: the words before the call belong to something else.
                if matches!(&**word, "and" | "or" | "in" | "then" | "else" | "return" | "satisfies" | "between") {
                    return Ok(());
                }
                name.push(' ');
            }
            name.push_str(word);
            if matches!(self.peek_at(words).kind, TokenKind::Punct("(")) {
                let span = self.peek().span.start..self.peek_at(words - 1).span.end;
                let error =
                    FeelError::new(FeelErrorKind::UnknownFunction, span, format!("there is no function `{name}`"));
                let names = builtins::names().chain(["is defined"]);
                return Err(match nearest(&name, names) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error,
                });
            }
        }
        Ok(())
    }

    /// `(a, b)` or `(name: a, other name: b)`.
    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.expect_punct("(")?;
        let mut arguments = Vec::new();
        while !self.is_punct(")") {
            let name = self.argument_name();
            let value = self.expression()?;
            arguments.push(Argument { name, value });
            if !self.take_punct(",") {
                break;
            }
        }
        self.expect_punct(")")?;
        Ok(arguments)
    }

    fn argument_name(&mut self) -> Option<Arc<str>> {
        let words = self.words_before_colon()?;
        let name = self.joined_words(words);
        self.at += words + 1;
        Some(name.into())
    }

    /// The number of words before a colon, if a colon follows words here.
    fn words_before_colon(&self) -> Option<usize> {
        let mut words = 0;
        while matches!(self.peek_at(words).kind, TokenKind::Word(_)) {
            words += 1;
        }
        (words > 0 && matches!(self.peek_at(words).kind, TokenKind::Punct(":"))).then_some(words)
    }

    fn joined_words(&self, count: usize) -> String {
        let words = (0..count).filter_map(|i| match &self.peek_at(i).kind {
            TokenKind::Word(word) => Some(&**word),
            _ => None,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    fn at_literal(&mut self) -> Parsed<Node> {
        let start = self.expect_punct("@")?.start;
        let TokenKind::String(text) = self.peek().kind.clone() else {
            return Err(self.unexpected("a date, time or duration in quotes"));
        };
        let span = self.advance().span;
        let Some(value) = temporal::parse_any(&text) else {
            return Err(FeelError::new(
                FeelErrorKind::Syntax,
                span,
                format!("\"{text}\" is not a date, time or duration"),
            )
            .help(
                "write `@\"2024-01-31\"`, `@\"10:30:00\"`, `@\"2024-01-31T10:30:00Z\"`, `@\"P3D\"` or `@\"P1Y2M\"`",
            ));
        };
        self.node(NodeKind::Literal(value), start)
    }

    fn list_or_range(&mut self) -> Parsed<Node> {
        let start = self.expect_punct("[")?.start;
        let mut items = Vec::new();
        while !self.is_punct("]") {
            let item = self.expression()?;
            if items.is_empty() && self.is_punct("..") {
                return self.range_after(item, true, start);
            }
            items.push(item);
            if !self.take_punct(",") {
                break;
            }
        }
        self.expect_punct("]")?;
        self.node(NodeKind::List(items), start)
    }

    /// The rest of a range, at its `..`.
    pub(super) fn range_after(&mut self, first: Node, start_included: bool, start: usize) -> Parsed<Node> {
        self.expect_punct("..")?;
        let end = self.range_bound()?;
        let end_included = if self.take_punct("]") {
            true
        } else if self.take_punct(")") || self.take_punct("[") {
            false
        } else {
            return Err(self.unexpected("`]` or `)` to close the range"));
        };
        let range = RangeNode { start: first, start_included, end, end_included };
        self.node(NodeKind::Range(Box::new(range)), start)
    }

    fn context(&mut self) -> Parsed<Node> {
        let start = self.expect_punct("{")?.start;
        let outer = self.locals.len();
        let mut entries: Vec<(Arc<str>, Node)> = Vec::new();
        while !self.is_punct("}") {
            let key_span = self.peek().span.clone();
            let key: Arc<str> = if let Some(words) = self.words_before_colon() {
                let name = self.joined_words(words);
                self.at += words;
                name.into()
            } else {
                match self.advance().kind {
                    TokenKind::String(key) | TokenKind::Quoted(key) => key,
                    _ => {
                        self.at = self.at.saturating_sub(1);
                        return Err(self.unexpected("a key and `:`"));
                    }
                }
            };
            self.expect_punct(":")?;
            if entries.iter().any(|(existing, _)| *existing == key) {
                let message = format!("the key `{key}` appears twice");
                return Err(FeelError::new(FeelErrorKind::Syntax, key_span, message));
            }
            let value = self.expression()?;
            self.locals.push(key.clone());
            entries.push((key, value));
            if !self.take_punct(",") {
                break;
            }
        }
        self.expect_punct("}")?;
        self.locals.truncate(outer);
        self.node(NodeKind::Context(entries), start)
    }

    /// A type, as after `instance of`.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        self.nested(|p| p.type_name_inner())
    }

    fn type_name_inner(&mut self) -> Parsed<TypeName> {
        const NAMES: [(&str, TypeName); 13] = [
            ("days and time duration", TypeName::DaysDuration),
            ("day time duration", TypeName::DaysDuration),
            ("years and months duration", TypeName::MonthsDuration),
            ("year month duration", TypeName::MonthsDuration),
            ("date and time", TypeName::DateTime),
            ("Any", TypeName::Any),
            ("Null", TypeName::Null),
            ("boolean", TypeName::Boolean),
            ("number", TypeName::Number),
            ("string", TypeName::String),
            ("date", TypeName::Date),
            ("time", TypeName::Time),
            ("function", TypeName::Function),
        ];
        for (name, found) in NAMES {
            let words = name.split(' ').count();
            if self.joined_words(words) == name {
                self.at += words;
                if found == TypeName::Function {
                    self.skip_function_type()?;
                }
                return Ok(found);
            }
        }
        if self.take_word("list") {
            return Ok(TypeName::List(Box::new(self.type_argument()?)));
        }
        if self.take_word("range") {
            return Ok(TypeName::Range(Box::new(self.type_argument()?)));
        }
        if self.take_word("context") {
            let mut entries = Vec::new();
            if self.take_punct("<") {
                while !self.is_punct(">") {
                    let name = self.name()?;
                    self.expect_punct(":")?;
                    entries.push((name, self.type_name()?));
                    if !self.take_punct(",") {
                        break;
                    }
                }
                self.expect_punct(">")?;
            }
            return Ok(TypeName::Context(entries));
        }
        Err(self.unexpected("a type").help(
            "types are Any, Null, boolean, number, string, date, time, date and time, days and time duration, years and months duration, list, context, range and function",
        ))
    }

    fn type_argument(&mut self) -> Parsed<TypeName> {
        if !self.take_punct("<") {
            return Ok(TypeName::Any);
        }
        let inner = self.type_name()?;
        self.expect_punct(">")?;
        Ok(inner)
    }

    fn skip_function_type(&mut self) -> Parsed<()> {
        if self.take_punct("<") {
            while !self.is_punct(">") {
                self.type_name()?;
                if !self.take_punct(",") {
                    break;
                }
            }
            self.expect_punct(">")?;
            if self.take_punct("->") {
                self.type_name()?;
            }
        }
        Ok(())
    }
}
