//! Exact match of one phrase with one clause. Backtracks over the ends of free texts, within a bound.

use std::ops::Range;

use serde_json::Value;

use crate::entity::naming;
use crate::phrase::Phrase;
use crate::phrase::pattern::Piece;
use crate::phrase::vocabulary::Target;
use brain_english::actions::is_action;
use brain_english::calendar::is_day_word;
use brain_english::function_words::is_function_word;
use brain_english::modality::{COURTESIES, NEGATIONS, PRONOUNS};
use brain_slot::Normal;
use brain_slot::{Reach, SlotKind, Surroundings, Unclear, UnclearKind, ends_word};

/// Maximum number of steps for one phrase.
const FUEL: u32 = 20_000;

/// A slot and the range it matched, in folded characters.
#[derive(Clone, Debug)]
pub(crate) struct Capture {
    pub(crate) slot: String,
    pub(crate) range: Range<usize>,
    /// `None` if the text does not fit the slot's type.
    pub(crate) value: Option<Value>,
    /// Why the value was assigned to this slot, if the phrase did not assign it; why the text is no value, if there is
    /// none.
    pub(crate) guessed: Option<String>,
}

impl Capture {
    /// A slot whose text is unclear: it is asked for, with the reason.
    pub(crate) fn unclear(slot: &str, unclear: &Unclear, normal: &Normal, text: &str) -> Self {
        let said = text[normal.span(unclear.range.clone())].to_owned();
        let why = Unclear { text: said, ..unclear.clone() }.reason();
        Self { slot: slot.to_owned(), range: unclear.range.clone(), value: None, guessed: Some(why) }
    }

    /// The name of an entity, if a name stands in for the id.
    pub(crate) fn mention(&self) -> Option<&str> {
        self.value.as_ref()?.get(MENTION)?.as_str()
    }
}

/// The key that marks a value as a name to look up.
pub(crate) const MENTION: &str = "mention";

/// The value of a slot that refers to an entity by name.
pub(crate) fn mention_value(name: &str) -> Value {
    serde_json::json!({MENTION: name})
}

pub(crate) struct Matcher<'a> {
    pub(crate) normal: &'a Normal,
    pub(crate) text: &'a str,
    pub(crate) around: &'a Surroundings,
    /// Whether typed slots may match text that does not fit.
    pub(crate) lenient: bool,
    pub(crate) fuel: u32,
    /// Whether a phrase failed, or may have failed, only because of a value's type.
    pub(crate) refused_value: bool,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(normal: &'a Normal, text: &'a str, around: &'a Surroundings, lenient: bool) -> Self {
        Self { normal, text, around, lenient, fuel: FUEL, refused_value: false }
    }

    /// The captures, if the phrase matches the whole range.
    pub(crate) fn match_whole(
        &mut self,
        phrase: &Phrase,
        target: &Target,
        range: Range<usize>,
    ) -> Option<Vec<Capture>> {
        self.fuel = FUEL;
        let mut captures = Vec::new();
        let chars = &self.normal.chars[..range.end];
        self.pieces(chars, phrase.pieces(), target, range.start, &mut captures).then_some(captures)
    }

    fn pieces(
        &mut self,
        chars: &[char],
        pieces: &[Piece],
        target: &Target,
        at: usize,
        captures: &mut Vec<Capture>,
    ) -> bool {
        if self.fuel == 0 {
            return false;
        }
        self.fuel -= 1;
        let Some((piece, rest)) = pieces.split_first() else { return only_courtesies(&chars[at..]) };
        match piece {
            Piece::Mark(mark) => {
                let here = skip_space(chars, at);
                if chars.get(here) == Some(mark) && self.pieces(chars, rest, target, here + 1, captures) {
                    return true;
                }
                // Between two values, the mark says where one ends: “comment on blue door: needs paint”.
                let parts = matches!(rest.first(), Some(Piece::Slot(_)))
                    && captures.last().is_some_and(|last| last.range.end >= at);
                if parts && chars[at..].windows(2).any(|pair| pair[0] == *mark && pair[1].is_whitespace()) {
                    return false;
                }
                self.pieces(chars, rest, target, at, captures)
            }
            Piece::Word(word) => {
                let here = skip_marks(chars, at);
                let mut end = here;
                let there = word.chars().all(|c| {
                    end += 1;
                    chars.get(end - 1) == Some(&c)
                });
                // A word may follow a number directly (`2x`), but not another letter.
                let apart = here == 0 || !chars[here - 1].is_alphabetic();
                there && apart && ends_word(chars, end) && self.pieces(chars, rest, target, end, captures)
            }
            Piece::Slot(name) => match target.slots.get(name).map(|slot| &slot.kind) {
                Some(SlotKind::Text) => self.free_text(chars, name, rest, target, at, captures),
                Some(kind) => {
                    let is_entity = target.slots[name].is_named();
                    self.refused_value = true;
                    self.typed(chars, name, kind, rest, target, at, captures)
                        || (is_entity && self.called(chars, name, rest, target, at, captures))
                        || (self.lenient && self.broken(chars, name, kind, rest, target, at, captures))
                }
                None => false,
            },
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the state of a backtracking match")]
    fn typed(
        &mut self,
        chars: &[char],
        name: &str,
        kind: &SlotKind,
        rest: &[Piece],
        target: &Target,
        at: usize,
        captures: &mut Vec<Capture>,
    ) -> bool {
        let mut here = skip_marks(chars, at);
        // The value is the quoted text.
        let quote = chars.get(here).copied().filter(|c| matches!(c, '"' | '\''));
        here += usize::from(quote.is_some());
        if here >= chars.len() {
            return false;
        }
        let readings = kind.readings(chars, here, self.around);
        let longest = readings.first().map(|(_, value)| value.clone());
        for (end, value) in readings {
            let shortened = longest.as_ref() != Some(&value);
            let unclear = kind.unclear_around(chars, here..end, self.around);
            if (shortened && !kind.may_shorten())
                || unclear.is_some_and(|unclear| !says_the_rest(name, &unclear, &(here..end), rest, target, captures))
            {
                continue;
            }
            let value = kind.original(self.normal, self.text, here..end, value);
            captures.push(Capture { slot: name.to_owned(), range: here..end, value: Some(value), guessed: None });
            let next = end + usize::from(quote.is_some() && chars.get(end).copied() == quote);
            if self.pieces(chars, rest, target, next, captures) {
                return true;
            }
            captures.pop();
        }
        false
    }

    /// Text that does not fit the slot's type.
    #[expect(clippy::too_many_arguments, reason = "the state of a backtracking match")]
    fn broken(
        &mut self,
        chars: &[char],
        name: &str,
        kind: &SlotKind,
        rest: &[Piece],
        target: &Target,
        at: usize,
        captures: &mut Vec<Capture>,
    ) -> bool {
        let mut here = skip_marks(chars, at);
        here += usize::from(chars.get(here).is_some_and(|c| matches!(c, '"' | '\'')));
        if let Some(unclear) = kind.unclear(chars, here, self.around).filter(|unclear| unclear.range.end > here) {
            // What was captured before is no part of the value.
            if captures.iter().any(|capture| capture.range.end > unclear.range.start) {
                return false;
            }
            let end = unclear.range.end;
            // The phrase may say the last word itself: `{amount} euro`.
            let shorter = (here..end).rev().find(|at| chars[*at].is_whitespace()).filter(|at| *at > here);
            captures.push(Capture::unclear(name, &unclear, self.normal, self.text));
            if [Some(end), shorter].into_iter().flatten().any(|end| self.pieces(chars, rest, target, end, captures)) {
                return true;
            }
            captures.pop();
            return false;
        }
        let Some(end) = (here < chars.len()).then(|| kind.read_broken(chars, here)).flatten() else { return false };
        captures.push(Capture { slot: name.to_owned(), range: here..end, value: None, guessed: None });
        if self.pieces(chars, rest, target, end, captures) {
            return true;
        }
        captures.pop();
        false
    }

    /// An entity given by name instead of by id.
    fn called(
        &mut self,
        chars: &[char],
        name: &str,
        rest: &[Piece],
        target: &Target,
        at: usize,
        captures: &mut Vec<Capture>,
    ) -> bool {
        let here = skip_marks(chars, at);
        if let Some(close) = closing_quote(chars, here) {
            // A quoted name is taken as it is.
            let range = here + 1..close;
            let value = mention_value(self.text[self.normal.span(range.clone())].trim());
            captures.push(Capture { slot: name.to_owned(), range, value: Some(value), guessed: None });
            if self.pieces(chars, rest, target, close + 1, captures) {
                return true;
            }
            captures.pop();
        }
        if rest.iter().all(|piece| matches!(piece, Piece::Mark(_))) {
            let end = trim_end(chars, here, chars.len());
            return self.capture_name(chars, name, here..end, chars.len(), rest, target, captures);
        }
        // The end of a name must be marked by what follows: a word, a punctuation mark or a value.
        let told = |end: usize| match &rest[0] {
            Piece::Mark(mark) => chars.get(skip_space(chars, end)) == Some(mark),
            Piece::Slot(next) => target.slots.get(next).is_some_and(|slot| !slot.kind.is_text() && !slot.is_named()),
            Piece::Word(_) => true,
        };
        let ends: Vec<usize> = (here + 1..chars.len()).filter(|&end| is_break(chars, end) && told(end)).collect();
        ends.into_iter().any(|end| {
            let range = here..trim_end(chars, here, end);
            self.capture_name(chars, name, range, end, rest, target, captures)
        })
    }

    #[expect(clippy::too_many_arguments, reason = "the state of a backtracking match")]
    fn capture_name(
        &mut self,
        chars: &[char],
        slot: &str,
        range: Range<usize>,
        next: usize,
        rest: &[Piece],
        target: &Target,
        captures: &mut Vec<Capture>,
    ) -> bool {
        if range.is_empty() {
            return false;
        }
        let kind = target.slots[slot].entity.as_deref().unwrap_or_default();
        let Some(said) = naming(&self.text[self.normal.span(range.clone())], kind, &target.nouns) else { return false };
        if goes_on(said) {
            return false;
        }
        captures.push(Capture { slot: slot.to_owned(), range, value: Some(mention_value(said)), guessed: None });
        if self.pieces(chars, rest, target, next, captures) {
            return true;
        }
        captures.pop();
        false
    }

    fn free_text(
        &mut self,
        chars: &[char],
        name: &str,
        rest: &[Piece],
        target: &Target,
        at: usize,
        captures: &mut Vec<Capture>,
    ) -> bool {
        let here = skip_marks(chars, at);
        if here >= chars.len() {
            return false;
        }
        if let Some(close) = closing_quote(chars, here) {
            let range = here + 1..close;
            if self.capture_text(chars, name, range, close + 1, rest, target, captures) {
                return true;
            }
        }
        if rest.iter().all(|piece| matches!(piece, Piece::Mark(_))) {
            let end = trim_end(chars, here, chars.len());
            return self.capture_text(chars, name, here..end, chars.len(), rest, target, captures);
        }
        let ends: Vec<usize> = (here + 1..chars.len()).filter(|&end| is_break(chars, end)).collect();
        let last_counts = matches!(
            rest.iter().find(|piece| !matches!(piece, Piece::Mark(_))),
            Some(Piece::Slot(next)) if target.slots.get(next).is_some_and(|slot| slot.kind.reach() == Reach::Last)
        );
        let mut try_end = |end: usize, captures: &mut Vec<Capture>| {
            let trimmed = trim_end(chars, here, end);
            trimmed > here && self.capture_text(chars, name, here..trimmed, end, rest, target, captures)
        };
        if last_counts {
            ends.into_iter().rev().any(|end| try_end(end, captures))
        } else {
            ends.into_iter().any(|end| try_end(end, captures))
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the state of a backtracking match")]
    fn capture_text(
        &mut self,
        chars: &[char],
        name: &str,
        range: Range<usize>,
        next: usize,
        rest: &[Piece],
        target: &Target,
        captures: &mut Vec<Capture>,
    ) -> bool {
        // Behind a colon, or behind another value, a courtesy is a value: “rename the blue door to Hi”.
        let is_told = (range.start >= 2 && chars[range.start - 2] == ':')
            || (rest.is_empty() && !captures.is_empty() && only_courtesies(&chars[range.clone()]));
        if range.is_empty()
            || (says_nothing(&chars[range.clone()]) && !is_told)
            || (!rest.is_empty() && is_cut_off(&chars[range.clone()]))
        {
            return false;
        }
        let value = Value::from(self.text[self.normal.span(range.clone())].trim());
        captures.push(Capture { slot: name.to_owned(), range, value: Some(value), guessed: None });
        if self.pieces(chars, rest, target, next, captures) {
            return true;
        }
        captures.pop();
        false
    }
}

/// Whether a sentence goes on behind a name: `Ann please, she asked us to`, `T-211, don't close it`.
pub(crate) fn goes_on(name: &str) -> bool {
    let words: Vec<String> = name
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).replace('\'', ""))
        .collect();
    let plain = |word: &String| word.starts_with(char::is_lowercase);
    let after_comma = name.split_once(", ").map_or("", |(_, after)| after);
    let mut rest = after_comma.split_whitespace().peekable();
    let goes_on = rest.peek().is_some()
        && rest.clone().all(|word| word.starts_with(char::is_lowercase))
        && rest.any(is_function_word);
    if let [only] = words.as_slice()
        && (PRONOUNS.contains(&only.as_str()) || matches!(only.as_str(), "her" | "him" | "them"))
    {
        return true;
    }
    // “Thursday” is a day, and “the jobs we've shut” is a sentence.
    let is_day = !words.is_empty() && words.iter().all(|word| is_day_word(&word.to_lowercase()));
    let tells = |word: &String| {
        ["ve", "d", "re", "m", "ll"].iter().any(|end| {
            word.strip_suffix(end).is_some_and(|subject| matches!(subject, "i" | "you" | "we" | "they" | "he" | "she"))
        })
    };
    if is_day || words.iter().any(|word| plain(word) && tells(word)) {
        return true;
    }
    let is_identifier =
        |word: &String| word.contains(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_alphabetic());
    let rest_is_plain = || words.iter().skip(1).any(plain);
    let another = words.windows(2).any(|pair| matches!(pair[0].as_str(), "and" | "then") && is_action(&pair[1]));
    goes_on
        || another
        || words.iter().filter(|word| plain(word)).any(|word| {
            COURTESIES[..5].contains(&word.as_str()) || NEGATIONS[..8].contains(&word.as_str()) || word == "then"
        })
        || (words.first().is_some_and(is_identifier) && rest_is_plain())
}

/// Whether a text ends with a word that joins it to what follows: `0431 887 220 or`.
fn is_cut_off(chars: &[char]) -> bool {
    let last = chars.rsplit(|c| c.is_whitespace()).find(|word| !word.is_empty());
    last.is_some_and(|word| is_joint(&word.iter().collect::<String>()))
}

/// Words that join two values.
pub(crate) fn is_joint(word: &str) -> bool {
    matches!(word, "or" | "and" | "by" | "between" | "than")
}

/// Whether a text is one function word: `me`, `it`.
fn says_nothing(chars: &[char]) -> bool {
    let mut words = chars.split(|c| !c.is_alphanumeric() && *c != '\'').filter(|word| !word.is_empty());
    let (first, second) = (words.next(), words.next());
    second.is_none() && first.is_some_and(|word| word.len() > 1 && is_function_word(&word.iter().collect::<String>()))
}

/// Whether the phrase itself says what makes a value unclear, as in `between {least} and {most}`, or the slot is for such
/// values.
fn says_the_rest(
    slot: &str,
    unclear: &Unclear,
    value: &Range<usize>,
    rest: &[Piece],
    target: &Target,
    captures: &[Capture],
) -> bool {
    // Text before the value is a phrase's word, unless a slot took it: another typed value, or text that is not its own.
    let is_value = |capture: &Capture| {
        let typed = target.slots.get(&capture.slot).is_some_and(|slot| !slot.kind.is_text());
        typed && capture.value.is_some() && capture.mention().is_none()
    };
    let before = captures.iter().all(|capture| capture.range.end <= unclear.range.start || is_value(capture));
    let behind = unclear.range.end <= value.end || matches!(rest.first(), Some(Piece::Word(_) | Piece::Mark(_)));
    let wider = unclear.range.start < value.start || unclear.range.end > value.end;
    // Nothing around `1.250` says which of its two meanings it has.
    let has_two_meanings = matches!(unclear.kind, UnclearKind::Notation(..));
    !has_two_meanings && (unclear.suits(slot) || (wider && before && behind))
}

fn skip_space(chars: &[char], mut at: usize) -> usize {
    while chars.get(at).is_some_and(|c| c.is_whitespace()) {
        at += 1;
    }
    at
}

/// Skips space and punctuation without meaning.
pub(crate) fn skip_marks(chars: &[char], mut at: usize) -> usize {
    while chars.get(at).is_some_and(|c| c.is_whitespace() || matches!(c, ':' | ',' | '!' | '?' | '#')) {
        at += 1;
    }
    at
}

/// Whether only punctuation and courtesies follow: `… please!`
fn only_courtesies(chars: &[char]) -> bool {
    let mut words = chars
        .split(|c| c.is_whitespace() || matches!(c, '.' | ',' | ':' | ';' | '!' | '?'))
        .filter(|word| !word.is_empty());
    words.all(|word| COURTESIES.contains(&word.iter().collect::<String>().as_str()))
}

/// Whether a free text may end here: before a space or before punctuation that a phrase may contain.
fn is_break(chars: &[char], at: usize) -> bool {
    chars[at].is_whitespace() || matches!(chars[at], ':' | ',' | '$' | '€' | '£' | '(' | '"')
}

fn trim_end(chars: &[char], from: usize, mut end: usize) -> usize {
    while end > from && (chars[end - 1].is_whitespace() || matches!(chars[end - 1], ':' | ',')) {
        end -= 1;
    }
    end
}

/// The closing quotation mark of a quotation that begins here.
fn closing_quote(chars: &[char], at: usize) -> Option<usize> {
    let quote = chars.get(at).copied().filter(|c| matches!(c, '"' | '\''))?;
    let mut i = at + 1;
    while i < chars.len() {
        // An apostrophe inside a word is not a closing quote.
        let inside_word = quote == '\'' && chars.get(i + 1).is_some_and(|c| c.is_alphanumeric());
        if chars[i] == quote && !inside_word {
            return Some(i);
        }
        i += 1;
    }
    None
}
