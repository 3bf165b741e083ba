//! The account of a clause: what becomes of each of its words. A word that could change the outcome is never dropped.

use std::ops::Range;

use crate::phrase::vocabulary::Target;
use crate::read::Reader;
use crate::read::matcher::Capture;
use crate::read::modality::{Marker, Said, marker};
use crate::text::speller::is_word;
use crate::text::tokens::{Token, tokens};
use crate::text::words::words;
use crate::understanding::{Accounted, Role};
use brain_english::actions::actions_of;
use brain_english::function_words::is_function_word;
use brain_english::inflection::inflected;
use brain_english::modality::{COURTESIES, LIMITS};
use brain_english::numbers::is_number_word;

/// The account of one reading.
pub(crate) struct Account {
    /// Every word, in order; neighbours with the same role are one entry.
    pub(crate) parts: Vec<Accounted>,
    /// Words that could change what is done, and that the reading does not use; in folded characters.
    pub(crate) leftover: Vec<Range<usize>>,
    /// Whether they are numbers, all of them.
    pub(crate) only_numbers: bool,
    /// Whether one of them narrows or spreads what is asked for: “except”, “or”.
    pub(crate) limits: bool,
    /// Number of words of no consequence that neither phrase nor slot explains.
    pub(crate) minor: usize,
    /// What shows that the clause is no request.
    pub(crate) marker: Option<Marker>,
}

/// How a reading uses the tokens of its clause.
pub(crate) struct Usage<'a> {
    pub(crate) number: usize,
    pub(crate) captures: &'a [Capture],
    /// The matched phrase; empty for search.
    pub(crate) phrase: &'a str,
    /// Start positions of the tokens that match words of the phrase.
    pub(crate) matched: &'a [usize],
    /// Whether the phrase matches the clause whole.
    pub(crate) whole: bool,
}

/// Accounts for every word of a clause.
pub(crate) fn account(reader: &Reader<'_>, clause: &Range<usize>, usage: &Usage<'_>) -> Account {
    let target = &reader.vocabulary.targets[usage.number];
    let all = tokens(reader.normal, clause.clone());
    let in_value: Vec<bool> = all
        .iter()
        .map(|token| {
            let overlaps =
                |capture: &Capture| capture.range.start < token.range.end && token.range.start < capture.range.end;
            usage.captures.iter().any(overlaps)
        })
        .collect();
    let question_mark = question_mark(reader, clause, usage, target);
    let said = Said { tokens: &all, in_value: &in_value, question_mark };
    let polite = said.polite();
    let known = reader.vocabulary.known(usage.number);
    let mut found =
        Account { parts: Vec::new(), leftover: Vec::new(), only_numbers: true, limits: false, minor: 0, marker: None };
    // Which value the token before belongs to: two values side by side are two entries.
    let mut last = None;
    for (at, token) in all.iter().enumerate() {
        let next = all.get(at + 1);
        let role = if in_value[at] {
            Role::Slot
        } else if usage.whole || usage.matched.contains(&token.range.start) {
            Role::Phrase
        } else if polite[at] || COURTESIES.contains(&token.word.as_str()) {
            Role::Filler
        } else if is_limit(token, next) {
            found.limits |= !matches!(token.word.as_str(), "all" | "both" | "but" | "only");
            Role::Leftover
        } else if begins_another(reader, clause, token, &all[..at]) && !known.explains(token) {
            Role::Leftover
        } else if token.function_word {
            Role::Filler
        } else if known.explains(token) {
            Role::Phrase
        } else if is_weighty(reader, token, at == 0) {
            Role::Leftover
        } else {
            Role::Minor
        };
        found.minor += usize::from(role == Role::Minor);
        if role == Role::Leftover {
            found.only_numbers &= is_number(&token.word) && !token.quoted;
            found.leftover.push(token.range.clone());
        }
        let value = usage
            .captures
            .iter()
            .position(|capture| capture.range.start < token.range.end && token.range.start < capture.range.end);
        let joins = role != Role::Slot || value == last;
        last = value;
        found.add(reader.normal.span(token.range.clone()), role, joins);
    }
    found.marker = marker(&said, target, usage.phrase);
    for capture in usage.captures.iter().filter(|capture| capture.value.is_some()) {
        let is_text = target.slots.get(&capture.slot).is_some_and(|slot| slot.kind.is_text());
        if let Some(from) = is_text.then(|| second_object(reader, &all, &capture.range)).flatten() {
            found.only_numbers = false;
            found.leftover.push(from..capture.range.end);
        }
    }
    found
}

impl Account {
    fn add(&mut self, span: Range<usize>, role: Role, joins: bool) {
        match self.parts.last_mut() {
            Some(last) if joins && last.role == role => last.span.end = span.end,
            _ => self.parts.push(Accounted { span, role }),
        }
    }

    /// The leftover words, neighbours together, as they were said.
    pub(crate) fn words<'t>(&self, reader: &Reader<'t>) -> Vec<&'t str> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for range in &self.leftover {
            match ranges.last_mut() {
                Some(last) if range.start <= last.end + 1 => last.end = range.end,
                _ => ranges.push(range.clone()),
            }
        }
        ranges.into_iter().map(|range| reader.text[reader.normal.span(range)].trim()).collect()
    }
}

/// Whether a verb begins another request: “…, then make a quote”.
fn begins_another(reader: &Reader<'_>, clause: &Range<usize>, token: &Token, before: &[Token]) -> bool {
    let Some(last) = before.last().filter(|_| token.actions != 0) else { return false };
    let between = &reader.normal.chars[last.range.end.max(clause.start)..token.range.start];
    matches!(last.word.as_str(), "and" | "then" | "also") || between.contains(&',') || between.contains(&'.')
}

/// Where a free text goes on with another object or request: “…, and one for Huber: …”, “… and tell me …”.
fn second_object(reader: &Reader<'_>, tokens: &[Token], text: &Range<usize>) -> Option<usize> {
    let inside = |at: usize| tokens.get(at).is_some_and(|token| text.contains(&token.range.start) && !token.quoted);
    let word = |at: usize| if inside(at) { tokens[at].word.as_str() } else { "" };
    let is_preposition = |word: &str| matches!(word, "for" | "on" | "to" | "in" | "at" | "with" | "from");
    (1..tokens.len()).filter(|at| inside(*at) && inside(*at - 1)).find_map(|at| {
        let before = &tokens[at - 1];
        let gap = &reader.normal.chars[before.range.end..tokens[at].range.start];
        let is_seam = matches!(before.word.as_str(), "and" | "then" | "also" | "plus") || gap.contains(&'.');
        let another = word(at) == "another" && word(at + 1) == "one"
            || (word(at) == "one" && is_preposition(word(at + 1)))
            || (matches!(word(at), "a" | "the") && matches!(word(at + 2), "one" | "ones"));
        let order =
            matches!(word(at), "tell" | "show" | "let" | "give" | "remind") && matches!(word(at + 1), "me" | "us");
        let then = gap.contains(&'.') && matches!(word(at), "then" | "also");
        (is_seam && (another || order || then)).then(|| tokens[at].range.start)
    })
}

/// Whether a word limits or spreads what is asked for. Some do only before a number: “about 5”, but “a task about Bob”.
fn is_limit(token: &Token, next: Option<&Token>) -> bool {
    let word = token.word.as_str();
    if token.quoted || !LIMITS.contains(&word) {
        return false;
    }
    let approximates =
        matches!(word, "about" | "around" | "nearly" | "almost" | "roughly" | "approximately" | "between");
    !approximates || next.is_some_and(|next| is_number(&next.word))
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || is_number_word(word)
}

/// Whether a word that a reading does not use could change what is done: a number, a name, a quotation.
fn is_weighty(reader: &Reader<'_>, token: &Token, first: bool) -> bool {
    let text = &reader.text[reader.normal.span(token.range.clone())];
    let capital = text.starts_with(char::is_uppercase) && !first;
    token.quoted || is_number(&token.word) || capital || (token.word.len() > 2 && !is_word(&token.word))
}

/// The question mark at the end of a clause. It belongs to a free text that a phrase introduces: `create task: ask Bob?`.
fn question_mark(
    reader: &Reader<'_>,
    clause: &Range<usize>,
    usage: &Usage<'_>,
    target: &Target,
) -> Option<Range<usize>> {
    let chars = &reader.normal.chars[clause.clone()];
    let at = chars.iter().rposition(|c| !c.is_whitespace())?;
    // The mark may stand right behind the clause, if it was split there.
    if chars[at] != '?' {
        return None;
    }
    let at = clause.start + at;
    let belongs = usage.captures.iter().any(|capture| {
        let is_text = target.slots.get(&capture.slot).is_some_and(|spec| spec.kind.is_text());
        let text = &reader.normal.chars[capture.range.clone()];
        let is_long = text.split(|c| c.is_whitespace()).filter(|word| !word.is_empty()).count() > 2;
        is_text && capture.range.end + 1 >= at && (is_long || usage.phrase.contains(&format!(": {{{}}}", capture.slot)))
    });
    (!belongs).then(|| at..at + 1)
}

/// The words that a target is asked for with.
#[derive(Debug)]
pub(crate) struct Known {
    words: Vec<String>,
    actions: u64,
}

impl Known {
    pub(crate) fn new(target: &Target) -> Self {
        let texts =
            target.phrases.iter().chain(&target.nouns).chain(&target.synonyms).chain([&target.name, &target.title]);
        let texts = texts.map(|text| crate::phrase::vocabulary::plain_text(text));
        let mut words: Vec<String> = texts.flat_map(|text| words(&text.replace('_', " "))).collect();
        words.retain(|word| !is_function_word(word));
        let kinds = target.slots.values().filter_map(|slot| slot.entity.as_deref());
        words.extend(kinds.flat_map(|kind| kind.split('_').map(str::to_owned).collect::<Vec<_>>()));
        let actions = words.iter().map(|word| actions_of(word)).fold(0, |all, one| all | one);
        Self { words, actions }
    }

    fn explains(&self, token: &Token) -> bool {
        let said = token.word.as_str();
        !token.quoted
            && (token.actions & self.actions != 0
                || self.words.iter().any(|word| word == said || inflected(word, said)))
    }
}
