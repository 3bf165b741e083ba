//! Aligns a phrase with a clause approximately (dynamic programming): it tolerates typos, synonyms, inflection, extra
//! and missing words. The cost is the distance between clause and phrase; slots take the tokens between the words.

mod marks;

use std::cell::{Cell, RefCell};
use std::ops::Range;

use serde_json::Value;

use crate::entity::naming;
use crate::phrase::Phrase;
use crate::phrase::pattern::Piece;
use crate::phrase::vocabulary::{SlotSpec, Target};
use crate::read::matcher::{Capture, goes_on, is_joint, mention_value};
use crate::text::tokens::{Token, quick_hash};
use brain_english::actions::{actions_of, is_destructive};
use brain_english::calendar::is_day_word;
use brain_english::function_words::is_function_word;
use brain_english::inflection::{inflected, is_regular};
use brain_english::spelling::{american, is_slip};
use brain_slot::Normal;
use brain_slot::{SlotKind, Surroundings, Unclear, UnclearKind, extract};

/// Longer clauses are prose and are not aligned.
const MAX_TOKENS: usize = 48;
/// Infinite cost.
const NEVER: u32 = u32::MAX / 2;

// Cost of each difference from the phrase, in hundredths.
const INFLECTED: u32 = 4;
const MISSPELT: u32 = 10;
const OTHER_WORD: u32 = 14;
const FUNCTION_WORD_MISSING: u32 = 6;
const WORD_MISSING: u32 = 70;
pub(crate) const FUNCTION_WORD_EXTRA: u32 = 3;
const WORD_EXTRA: u32 = 40;
const SLOT_MISSING: u32 = 22;
const OPTIONAL_MISSING: u32 = 3;
const TEXT_WORD: u32 = 1;
/// A word of a name: capitalised, or unknown, or an ordinary word.
const NAME_WORD: u32 = 2;
const ODD_NAME_WORD: u32 = 6;
const PLAIN_NAME_WORD: u32 = 20;
/// A value that begins or ends within a run of capitalised words.
const NAME_CUT: u32 = 12;
/// A text that ends with a function word, before other words.
const TEXT_HANGS: u32 = 4;
/// Maximum number of words in a name.
const MAX_NAME: usize = 6;

/// A piece of a phrase, prepared for alignment once.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A word.
    Word {
        /// In American spelling, without apostrophes.
        word: String,
        /// Hash of `word`, for quick comparison.
        hash: u32,
        /// Cost if it is missing.
        missing: u32,
        /// Whether it is a function word.
        function_word: bool,
        /// The actions it may name, one bit each.
        actions: u64,
        /// Whether it names a destructive action.
        destructive: bool,
        /// Whether it is a noun of its domain.
        noun: bool,
    },
    /// A slot.
    Slot {
        /// Its name.
        name: String,
        /// Cost if it is missing.
        missing: u32,
    },
}

/// The parts of a phrase; punctuation is left out.
pub(crate) fn parts(pieces: &[Piece], target: &Target) -> Vec<Part> {
    let part = |piece: &Piece| match piece {
        Piece::Word(word) => {
            let word = american(word.replace('\'', ""));
            let function_word = is_function_word(&word);
            Some(Part::Word {
                hash: quick_hash(&word),
                missing: if function_word { FUNCTION_WORD_MISSING } else { WORD_MISSING },
                function_word,
                actions: actions_of(&word),
                destructive: is_destructive(&word),
                noun: is_noun(&word, target),
                word,
            })
        }
        Piece::Slot(name) => {
            let optional = target.slots.get(name).is_some_and(|slot| !slot.required || slot.has_default);
            Some(Part::Slot { name: name.clone(), missing: if optional { OPTIONAL_MISSING } else { SLOT_MISSING } })
        }
        Piece::Mark(_) => None,
    };
    pieces.iter().filter_map(part).collect()
}

fn is_noun(word: &str, target: &Target) -> bool {
    target.nouns.iter().any(|noun| noun == word || inflected(noun, word))
}

/// The best alignment of a clause with a phrase.
#[derive(Clone, Debug)]
pub(crate) struct Alignment {
    /// 0 is identical.
    pub(crate) cost: u32,
    pub(crate) captures: Vec<Capture>,
    /// Corrected words: what was written, what the phrase has.
    pub(crate) taken_for: Vec<(String, String)>,
    /// Number of content words of the phrase that are present.
    pub(crate) matched: usize,
    /// Where the tokens that match words of the phrase begin, in folded characters.
    pub(crate) said: Vec<usize>,
    /// Whether the destructive word was written as the phrase has it.
    pub(crate) said_destructive: bool,
}

/// Aligns one clause with many phrases; caches what it learns about the tokens.
pub(crate) struct Aligner<'a> {
    pub(crate) normal: &'a Normal,
    pub(crate) text: &'a str,
    pub(crate) tokens: &'a [Token],
    pub(crate) end: usize,
    pub(crate) around: &'a Surroundings,
    /// Whether a word occurs in phrases or is an ordinary word: then it is not a misspelling.
    is_known: &'a dyn Fn(&str) -> bool,
    known: Vec<Cell<Option<bool>>>,
    /// Cost of each token as part of a name.
    name_costs: Vec<Cell<Option<u32>>>,
    /// For each type looked for.
    ends: RefCell<Vec<(SlotKind, Ends)>>,
    /// Cost matrix, reused between phrases.
    costs: RefCell<Vec<Cost>>,
}

/// The tokens after the values, or unclear expressions, that begin at each token; `None` if not computed yet.
type Ends = Vec<Option<Vec<usize>>>;

/// A typed value in tokens, or an unclear expression.
struct Typed {
    range: Range<usize>,
    /// `None` if there is only an unclear expression.
    value: Option<Value>,
    /// The tokens after it where the next part may begin: after the value, or after an unclear expression and before its
    /// last word.
    ends: Vec<usize>,
    unclear: Option<Unclear>,
}

#[derive(Clone, Copy)]
enum Move {
    End,
    /// Word and token match.
    Match,
    /// The part is missing.
    SkipPart,
    /// The token is extra.
    SkipToken,
    /// A slot takes the tokens up to this one.
    Fill(usize),
}

/// The cost from here to the end, and the first move.
type Cost = (u32, Move);

/// The cheapest move so far; ties keep the first.
struct Best(u32, Move);

impl Best {
    #[inline]
    fn offer(&mut self, cost: u32, step: Move) {
        if cost < self.0 {
            *self = Self(cost, step);
        }
    }
}

impl<'a> Aligner<'a> {
    /// Prepares the tokens of a clause that ends at `end`.
    pub(crate) fn new(
        normal: &'a Normal,
        text: &'a str,
        tokens: &'a [Token],
        end: usize,
        around: &'a Surroundings,
        is_known: &'a dyn Fn(&str) -> bool,
    ) -> Self {
        let (known, name_costs) = (vec![Cell::new(None); tokens.len()], vec![Cell::new(None); tokens.len()]);
        Self {
            normal,
            text,
            tokens,
            end,
            around,
            is_known,
            known,
            name_costs,
            ends: RefCell::default(),
            costs: RefCell::default(),
        }
    }

    /// Whether the clause is neither empty nor prose.
    pub(crate) fn is_short(&self) -> bool {
        (1..=MAX_TOKENS).contains(&self.tokens.len())
    }

    fn is_known(&self, i: usize) -> bool {
        self.known[i].get().unwrap_or_else(|| {
            let known = (self.is_known)(&self.tokens[i].word);
            self.known[i].set(Some(known));
            known
        })
    }

    /// The index in `ends` for a type; adds it if needed.
    fn ends_of(&self, kind: &SlotKind) -> usize {
        let mut ends = self.ends.borrow_mut();
        ends.iter().position(|(known, _)| known == kind).unwrap_or_else(|| {
            ends.push((kind.clone(), vec![None; self.tokens.len()]));
            ends.len() - 1
        })
    }

    /// The tokens after the value that begins at token `i`, for the type at `place`.
    fn typed_ends(&self, i: usize, place: usize) -> Vec<usize> {
        let (kind, ends) = &mut self.ends.borrow_mut()[place];
        ends[i].get_or_insert_with(|| self.typed(i, kind).map_or_else(Vec::new, |typed| typed.ends)).clone()
    }

    /// The cheapest alignment, unless it costs more than `limit`.
    pub(crate) fn align(&self, phrase: &Phrase, target: &Target, limit: u32) -> Option<Alignment> {
        let parts = phrase.parts(target);
        let rows = self.tokens.len() + 1;
        let extra: Vec<u32> = (0..self.tokens.len()).map(|i| self.extra_cost(i, target)).collect();
        let mut costs = self.costs.borrow_mut();
        costs.clear();
        costs.resize(rows * (parts.len() + 1), (NEVER, Move::End));
        // After the last part, every remaining token is extra.
        let end = &mut costs[parts.len() * rows..];
        end[rows - 1].0 = 0;
        for i in (0..self.tokens.len()).rev() {
            end[i] = (extra[i] + end[i + 1].0, Move::SkipToken);
        }
        for (j, part) in parts.iter().enumerate().rev() {
            let (own, after) = costs[j * rows..(j + 2) * rows].split_at_mut(rows);
            match part {
                Part::Word { .. } => self.word_column(part, target, &extra, own, after),
                Part::Slot { name, missing } => {
                    self.slot_column(target.slots.get(name), *missing, target, &extra, own, after);
                }
            }
            // Every alignment passes through this column and costs only increase: none can stay within the limit.
            if own.iter().all(|(cost, _)| *cost > limit) {
                return None;
            }
        }
        let cost = costs[0].0;
        (cost < NEVER && cost <= limit).then(|| {
            let mut found = self.walk(cost, parts, target, &costs);
            marks::split_at_marks(self, phrase.pieces(), target, &mut found.captures);
            found
        })
    }

    /// Cost of an extra token.
    fn extra_cost(&self, i: usize, target: &Target) -> u32 {
        let token = &self.tokens[i];
        if !token.quoted && token.function_word {
            FUNCTION_WORD_EXTRA
        } else if self.names_what_follows(i, target) {
            NAME_WORD
        } else {
            WORD_EXTRA
        }
    }

    /// Costs for a word of the phrase, for every token it could match.
    fn word_column(&self, part: &Part, target: &Target, extra: &[u32], own: &mut [Cost], after: &[Cost]) {
        let Part::Word { missing, .. } = part else { return };
        for i in (0..own.len()).rev() {
            let mut best = Best(NEVER, Move::End);
            if let Some(cost) = self.tokens.get(i).and_then(|token| self.word_cost(i, token, part, target)) {
                best.offer(cost + after[i + 1].0, Move::Match);
            }
            best.offer(missing + after[i].0, Move::SkipPart);
            if i < extra.len() {
                best.offer(extra[i] + own[i + 1].0, Move::SkipToken);
            }
            own[i] = (best.0, best.1);
        }
    }

    /// Costs for a slot, for every token it could begin at.
    fn slot_column(
        &self,
        slot: Option<&SlotSpec>,
        missing: u32,
        target: &Target,
        extra: &[u32],
        own: &mut [Cost],
        after: &[Cost],
    ) {
        let typed = slot.filter(|slot| !matches!(slot.kind, SlotKind::Text)).map(|slot| self.ends_of(&slot.kind));
        for i in (0..own.len()).rev() {
            let mut best = Best(NEVER, Move::End);
            best.offer(missing + after[i].0, Move::SkipPart);
            if let (true, Some(slot)) = (i < extra.len(), slot) {
                match typed.map(|place| self.typed_ends(i, place)) {
                    None if self.tokens[i].glued => {}
                    None => {
                        for (end, (cost, _)) in after.iter().enumerate().skip(i + 1) {
                            if self.may_be_text(i, end) {
                                let hangs = end < self.tokens.len() && self.tokens[end - 1].function_word;
                                let odd = self.cut(i) + self.cut(end) + if hangs { TEXT_HANGS } else { 0 };
                                best.offer((end - i) as u32 * TEXT_WORD + odd + cost, Move::Fill(end));
                            }
                        }
                    }
                    Some(ends) if ends.is_empty() && slot.is_named() => {
                        self.names(i, slot, target, |end, cost| {
                            best.offer(cost + self.cut(i) + self.cut(end) + after[end].0, Move::Fill(end));
                        });
                    }
                    Some(ends) => ends.into_iter().for_each(|end| best.offer(after[end].0, Move::Fill(end))),
                }
            }
            if i < extra.len() {
                best.offer(extra[i] + own[i + 1].0, Move::SkipToken);
            }
            own[i] = (best.0, best.1);
        }
    }

    /// Cost of matching a token with a word of the phrase.
    fn word_cost(&self, i: usize, token: &Token, part: &Part, target: &Target) -> Option<u32> {
        let Part::Word { word, hash, actions, destructive, noun, .. } = part else { return None };
        if token.quoted {
            return None;
        }
        let said = token.word.as_str();
        if token.hash == *hash && said == word {
            return Some(0);
        }
        if said.as_bytes().first() == word.as_bytes().first() && is_regular(said, word) {
            return Some(INFLECTED);
        }
        if *noun && is_noun(said, target) {
            return Some(OTHER_WORD);
        }
        if is_slip(said, word) {
            return Some(INFLECTED);
        }
        let misspelt = || (!self.is_known(i)).then(|| misspelt(said, word)).flatten().map(|_| MISSPELT);
        // A destructive word never matches by similarity.
        if *destructive != token.destructive {
            return if token.destructive { None } else { misspelt() };
        }
        if token.actions & actions != 0 { Some(OTHER_WORD) } else { misspelt() }
    }

    /// Whether these tokens can fill a free-text slot: they do not split a hyphenated word and are not just one or two
    /// function words.
    fn may_be_text(&self, from: usize, end: usize) -> bool {
        let is_cut = self.tokens.get(end).is_some_and(|next| next.glued)
            || (end < self.tokens.len() && is_joint(&self.tokens[end - 1].word));
        let only_introduces =
            matches!(&self.tokens[from..end], [only] if matches!(only.word.as_str(), "called" | "named"));
        !is_cut
            && !only_introduces
            && (end - from > 2 || self.tokens[from..end].iter().any(|token| token.quoted || !token.function_word))
    }

    /// What it costs that a value begins or ends before this token: more within “Viktor Horvat”.
    fn cut(&self, at: usize) -> u32 {
        let (Some(before), Some(next)) = (at.checked_sub(1).map(|at| &self.tokens[at]), self.tokens.get(at)) else {
            return 0;
        };
        let is_spaced = next.range.start == before.range.end + 1 && self.normal.chars[before.range.end] == ' ';
        let is_name = |token: &Token| {
            let said = &self.text[self.normal.span(token.range.clone())];
            said.starts_with(char::is_uppercase) && !token.function_word && !is_day_word(&token.word)
        };
        // The first word of a sentence has a capital letter anyway.
        let is_first = at == 1 && (self.is_known(0) || before.actions != 0);
        if is_spaced && is_name(before) && is_name(next) && !is_first { NAME_CUT } else { 0 }
    }

    /// Names that may begin at a token: the token after each, and the cost.
    fn names(&self, i: usize, slot: &SlotSpec, target: &Target, mut found: impl FnMut(usize, u32)) {
        if self.tokens[i].glued {
            return;
        }
        let is_identifier = |token: &Token| {
            token.word.contains(|c: char| c.is_ascii_digit()) && token.word.contains(|c: char| c.is_alphabetic())
        };
        let mut cost = 0;
        for end in i + 1..=self.tokens.len().min(i + MAX_NAME) {
            let token = &self.tokens[end - 1];
            let one = self.name_cost(end - 1);
            // A name neither begins nor ends with a function word.
            let function_word = token.function_word && one != NAME_WORD;
            if end == i + 1 && function_word {
                return;
            }
            cost += one;
            if self.tokens.get(end).is_some_and(|next| next.glued) {
                continue;
            }
            if !function_word && self.name(i, end, slot, target).is_some() {
                found(end, cost);
            }
            // An identifier is a whole name.
            if end == i + 1 && is_identifier(token) {
                return;
            }
        }
    }

    /// Whether a token is part of a name before a noun of the domain: `the Smith quote`. The name is extracted from
    /// there later if the slot stays empty.
    fn names_what_follows(&self, i: usize, target: &Target) -> bool {
        let is_name = |i: usize| self.name_cost(i) == NAME_WORD;
        if i == 0 || !is_name(i) {
            return false;
        }
        let Some(thing) = (i + 1..self.tokens.len()).find(|i| !is_name(*i)) else { return false };
        let thing = &self.tokens[thing];
        let is_thing = |kind: &str| thing.word == kind || is_noun(&thing.word, target);
        target.slots.values().any(|slot| slot.is_named() && slot.entity.as_deref().is_some_and(is_thing))
    }

    /// Cost of a token as part of a name.
    fn name_cost(&self, i: usize) -> u32 {
        self.name_costs[i].get().unwrap_or_else(|| {
            let cost = self.cost_as_name(i);
            self.name_costs[i].set(Some(cost));
            cost
        })
    }

    fn cost_as_name(&self, i: usize) -> u32 {
        let token = &self.tokens[i];
        let said = &self.text[self.normal.span(token.range.clone())];
        if token.quoted || said.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()) {
            NAME_WORD
        } else if self.is_known(i) {
            PLAIN_NAME_WORD
        } else {
            ODD_NAME_WORD
        }
    }

    /// Range and name of an entity in these tokens, if all of them belong to it.
    fn name(&self, from: usize, to: usize, slot: &SlotSpec, target: &Target) -> Option<(Range<usize>, Value)> {
        let range = self.tokens[from].range.start..self.tokens[to - 1].range.end;
        let text = &self.text[self.normal.span(range.clone())];
        if self.tokens[from..to].iter().all(|token| token.quoted) {
            let is_whole =
                !self.tokens.get(to).is_some_and(|next| next.quoted) && (from == 0 || !self.tokens[from - 1].quoted);
            return is_whole.then(|| (range, mention_value(text)));
        }
        let name = naming(text, slot.entity.as_deref().unwrap_or_default(), &target.nouns)?;
        if goes_on(name) {
            return None;
        }
        // Words around the name are not part of it, except for a possessive ending.
        (text.starts_with(name) && text.len() <= name.len() + 4).then(|| (range, mention_value(name)))
    }

    /// The typed value that begins at a token, or the unclear expression.
    fn typed(&self, i: usize, kind: &SlotKind) -> Option<Typed> {
        let chars = &self.normal.chars[..self.end];
        let mut at = self.tokens[i].range.start;
        // A sign before the first word may belong to the value.
        while at > 0
            && matches!(chars[at - 1], '$' | '€' | '£' | '+' | '-' | '(')
            && (i == 0 || at > self.tokens[i - 1].range.end)
        {
            at -= 1;
        }
        let token_after = |end: usize| {
            let next = self.tokens.partition_point(|token| token.range.start < end);
            (next > i && self.tokens[next - 1].range.end <= end).then_some(next)
        };
        for from in [at, self.tokens[i].range.start] {
            let reading = kind.readings(chars, from, self.around).into_iter().next();
            let unclear = match &reading {
                Some((end, _)) => kind.unclear_around(chars, from..*end, self.around),
                None => kind.unclear(chars, from, self.around),
            };
            let value_end = reading.as_ref().and_then(|(end, _)| token_after(*end));
            let whole = unclear.as_ref().and_then(|unclear| token_after(unclear.range.end));
            let mut ends: Vec<usize> = match whole {
                Some(end) => {
                    [Some(end), Some(end - 1).filter(|end| *end > i), value_end].into_iter().flatten().collect()
                }
                None if unclear.is_some() => continue,
                None => value_end.into_iter().collect(),
            };
            ends.dedup();
            let end = reading.as_ref().map(|(end, _)| *end).or(unclear.as_ref().map(|unclear| unclear.range.end));
            if let Some(end) = end.filter(|_| !ends.is_empty()) {
                return Some(Typed { range: from..end, value: reading.map(|(_, value)| value), ends, unclear });
            }
        }
        None
    }

    fn walk(&self, cost: u32, parts: &[Part], target: &Target, costs: &[Cost]) -> Alignment {
        let rows = self.tokens.len() + 1;
        let mut found = Alignment {
            cost,
            captures: Vec::new(),
            taken_for: Vec::new(),
            matched: 0,
            said: Vec::new(),
            said_destructive: false,
        };
        let (mut i, mut j) = (0, 0);
        loop {
            match costs[j * rows + i].1 {
                Move::End => return found,
                Move::SkipPart => j += 1,
                Move::SkipToken => i += 1,
                Move::Match => {
                    if let Part::Word { word, function_word, destructive, .. } = &parts[j] {
                        let said = &self.tokens[i].word;
                        found.said.push(self.tokens[i].range.start);
                        found.matched += usize::from(!function_word);
                        found.said_destructive |= said == word && *destructive;
                        if said != word {
                            found.taken_for.push((said.clone(), word.clone()));
                        }
                    }
                    (i, j) = (i + 1, j + 1);
                }
                Move::Fill(end) => {
                    if let Part::Slot { name, .. } = &parts[j]
                        && let Some(capture) = self.capture(name, i, end, target, (&parts[..j], &parts[j + 1..]))
                    {
                        found.captures.push(capture);
                    }
                    (i, j) = (end, j + 1);
                }
            }
        }
    }

    /// Whether the phrase itself says the words beside a value that make it unclear.
    fn says_the_rest(&self, unclear: &Unclear, value: &Range<usize>, (before, behind): (&[Part], &[Part])) -> bool {
        let is = |part: Option<&Part>, token: Option<&Token>| matches!((part, token), (Some(Part::Word { word, .. }), Some(token)) if *word == token.word);
        let last = self.tokens.iter().rfind(|token| token.range.end <= value.start);
        let next = self.tokens.iter().find(|token| token.range.start >= value.end);
        let front = unclear.range.start < value.start;
        let back = unclear.range.end > value.end;
        (front || back) && (!front || is(before.last(), last)) && (!back || is(behind.first(), next))
    }

    fn capture(
        &self,
        name: &str,
        from: usize,
        to: usize,
        target: &Target,
        beside: (&[Part], &[Part]),
    ) -> Option<Capture> {
        let slot = target.slots.get(name)?;
        let (range, value) = if matches!(slot.kind, SlotKind::Text) {
            let mut range = self.tokens[from].range.start..self.tokens[to - 1].range.end;
            let chars = &self.normal.chars[..self.end];
            // Closing punctuation belongs to the last word; quotation marks around the whole text do not.
            while range.end < chars.len()
                && matches!(chars[range.end], '.' | ')' | '%' | '!' | '?')
                && to == self.tokens.len()
            {
                range.end += 1;
            }
            let value = self.text[self.normal.span(range.clone())].trim().trim_end_matches(['.', '!', '?']);
            (range, Value::from(value))
        } else if let Some(Typed { range, value, unclear, .. }) = self.typed(from, &slot.kind) {
            let fits = |unclear: &Unclear| unclear.suits(name) || self.says_the_rest(unclear, &range, beside);
            match (value, unclear) {
                (value, Some(unclear)) if value.is_none() || !fits(&unclear) => {
                    // `for 3 bowls` is no amount if there is one.
                    let clause = &self.normal.chars[self.tokens[0].range.start..self.end];
                    let counted = matches!(unclear.kind, UnclearKind::Unit(_));
                    if counted && (!slot.required || !extract(&slot.kind, clause, self.around).is_empty()) {
                        return None;
                    }
                    return Some(Capture::unclear(name, &unclear, self.normal, self.text));
                }
                (value, _) => {
                    let value = slot.kind.original(self.normal, self.text, range.clone(), value?);
                    (range, value)
                }
            }
        } else {
            self.name(from, to, slot, target)?
        };
        Some(Capture { slot: name.to_owned(), range, value: Some(value), guessed: None })
    }
}

/// Edit distance, if it is small enough for the length of the words.
pub(crate) fn misspelt(said: &str, meant: &str) -> Option<usize> {
    let (a, b) = (said.chars().count(), meant.chars().count());
    let allowed = match a.min(b) {
        0..=3 => return None,
        4..=7 => 1,
        _ => 2,
    };
    if a.abs_diff(b) > allowed {
        return None;
    }
    let distance = strsim::osa_distance(said, meant);
    (distance <= allowed).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_tolerate_no_typo() {
        assert_eq!(misspelt("taks", "task"), Some(1));
        assert_eq!(misspelt("inspecton", "inspection"), Some(1));
        assert_eq!(misspelt("ad", "add"), None);
        assert_eq!(misspelt("lost", "mist"), None);
    }
}
