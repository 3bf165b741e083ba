//! Words that nothing else explains go to the slots that are still open: free texts, and names of records. What stands
//! before a slot in the phrases of the target, the form of the words and their order say which slot takes which words.

use std::ops::Range;

use serde_json::Value;

use crate::entity::{is_name_like, naming};
use crate::phrase::pattern::{Piece, parse};
use crate::phrase::vocabulary::{SlotSpec, Target};
use crate::read::Reader;
use crate::read::account::{Known, is_label, is_misspelt};
use crate::read::matcher::{Capture, mention_value};
use crate::text::speller::is_word;
use crate::text::tokens::Token;
use brain_english::inflection::inflected;
use brain_english::modality::{COURTESIES, LIMITS, NEGATIONS, PRONOUNS};
use brain_english::names::TITLES;
use brain_english::numbers::is_number_word;
use brain_english::questions::PLACES;

/// With more words that nothing explains, the sentence is about something else.
const MAX_SPANS: usize = 4;
/// Maximum number of open slots.
const MAX_SLOTS: usize = 3;
/// Maximum number of words of a value that is assigned in this way.
const MAX_WORDS: usize = 12;
/// Least lead of an assignment over the next best.
const LEAD: f32 = 0.5;

/// A run of words that nothing explains.
struct Span {
    range: Range<usize>,
    /// The word before it.
    before: String,
    /// The word after it.
    after: String,
    text: String,
    words: usize,
}

/// Assigns unexplained words to open slots, if one assignment is clearly the best. `explained` are the positions of words
/// that say what is asked for.
pub(crate) fn spans(
    reader: &Reader<'_>,
    number: usize,
    tokens: &[Token],
    explained: &[usize],
    captures: &mut Vec<Capture>,
) {
    let target = &reader.vocabulary.targets[number];
    let open: Vec<(&String, &SlotSpec)> = target
        .slots
        .iter()
        .filter(|(name, slot)| slot.required && !slot.has_default && captures.iter().all(|one| one.slot != **name))
        .filter(|(_, slot)| slot.kind.is_text() || slot.is_named())
        .collect();
    if open.is_empty() || open.len() > MAX_SLOTS {
        return;
    }
    let free = free(reader, target, reader.vocabulary.known(number), tokens, explained, captures);
    if free.is_empty() || free.len() > MAX_SPANS || free.len() < open.len() {
        return;
    }
    let phrases: Vec<Vec<Piece>> = target.phrases.iter().filter_map(|phrase| parse(phrase).ok()).collect();
    let scores: Vec<Vec<f32>> = open
        .iter()
        .map(|(name, slot)| free.iter().map(|span| score(name, slot, span, target, &phrases)).collect())
        .collect();
    let mut best: Option<(f32, Vec<usize>)> = None;
    let mut second = f32::MIN;
    assignments(open.len(), free.len(), &mut |chosen| {
        let in_order = chosen.windows(2).filter(|pair| precedes(&open, pair, chosen, &phrases)).count();
        let sum: f32 = chosen.iter().enumerate().map(|(slot, span)| scores[slot][*span]).sum();
        let sum = sum + 0.6 * in_order as f32;
        match &mut best {
            Some((known, _)) if *known >= sum => second = second.max(sum),
            _ => {
                second = best.as_ref().map_or(f32::MIN, |(known, _)| *known);
                best = Some((sum, chosen.to_vec()));
            }
        }
    });
    let Some((sum, chosen)) = best else { return };
    let sure = chosen.iter().enumerate().all(|(slot, span)| scores[slot][*span] > 0.0);
    if !sure || (second > f32::MIN && sum - second < LEAD) {
        return;
    }
    for ((name, slot), span) in open.iter().zip(chosen.iter().map(|at| &free[*at])) {
        let said = reader.text[reader.normal.span(span.range.clone())].trim();
        let value = if slot.is_named() {
            let kind = slot.entity.as_deref().unwrap_or_default();
            mention_value(naming(said, kind, &target.nouns).unwrap_or(said))
        } else {
            Value::from(said)
        };
        let why = format!("no other slot fits these words, and “{}” is required", name.replace('_', " "));
        let range = span.range.clone();
        captures.push(Capture { slot: (*name).clone(), range, value: Some(value), guessed: Some(why) });
    }
}

/// The runs of words that neither the target nor a value explains.
fn free(
    reader: &Reader<'_>,
    target: &Target,
    known: &Known,
    tokens: &[Token],
    explained: &[usize],
    captures: &[Capture],
) -> Vec<Span> {
    let chars = &reader.normal.chars;
    let in_value = |token: &Token| {
        captures.iter().any(|one| one.range.start < token.range.end && token.range.start < one.range.end)
    };
    let says = |token: &Token| {
        explained.contains(&token.range.start)
            || (!token.quoted && known.explains(token))
            || is_label(target, token)
            || is_misspelt(reader, known, token)
    };
    let is_limit = |token: &Token| LIMITS.contains(&token.word.as_str()) || NEGATIONS.contains(&token.word.as_str());
    // 0: free, 1: joins free words, 2: ends a run.
    let role = |token: &Token| {
        if in_value(token) || says(token) || is_limit(token) || COURTESIES.contains(&token.word.as_str()) {
            2
        } else if token.function_word {
            if PRONOUNS.contains(&token.word.as_str()) { 2 } else { 1 }
        } else {
            0
        }
    };
    let mut found: Vec<Span> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if role(&tokens[at]) != 0 {
            at += 1;
            continue;
        }
        let from = at;
        let mut last = at;
        let mut next = at + 1;
        while next < tokens.len() && next - from < MAX_WORDS {
            let gap = &chars[tokens[next - 1].range.end..tokens[next].range.start];
            let apart = gap.iter().any(|c| matches!(c, ',' | ';' | ':' | '.' | '(' | ')' | '!' | '?' | '"' | '\n'))
                || (gap.len() > 1 && gap.iter().any(|c| matches!(c, '-' | '–' | '—' | '/')));
            // A preposition may lead to another value: “Peter Hall from Manly”.
            let leads = role(&tokens[next]) == 1 && leads_to_a_slot(&tokens[next].word);
            if apart || role(&tokens[next]) == 2 || leads {
                break;
            }
            if role(&tokens[next]) == 0 {
                last = next;
            }
            next += 1;
        }
        // “Mrs Kowalski over in Lidcombe”: adverbs before a preposition belong to neither name nor place.
        while last > from && matches!(tokens[last].word.as_str(), "over" | "out" | "down" | "up" | "here" | "there") {
            last -= 1;
        }
        let range = tokens[from].range.start..tokens[last].range.end;
        let text = reader.text[reader.normal.span(range.clone())].trim().to_owned();
        let before = from.checked_sub(1).map_or(String::new(), |before| tokens[before].word.clone());
        let after = tokens.get(last + 1).map_or(String::new(), |after| after.word.clone());
        let words = last + 1 - from;
        let only_numbers =
            tokens[from..=last].iter().all(|token| is_number_word(&token.word) || token.word.parse::<f64>().is_ok());
        let is_pronoun = from == last && PRONOUNS.contains(&tokens[from].word.as_str());
        if !only_numbers && !is_pronoun {
            found.push(Span { range, before, after, text, words });
        }
        at = last + 1;
    }
    found
}

/// Whether a preposition often stands between two values.
fn leads_to_a_slot(word: &str) -> bool {
    matches!(word, "in" | "from" | "at" | "on" | "for" | "to" | "with" | "of" | "as")
}

/// How well a run of words suits a slot.
fn score(name: &str, slot: &SlotSpec, span: &Span, target: &Target, phrases: &[Vec<Piece>]) -> f32 {
    let introduces = |pieces: &Vec<Piece>| {
        pieces.windows(2).any(|pair| match pair {
            [Piece::Word(word), Piece::Slot(slot)] => slot == name && *word == span.before,
            _ => false,
        })
    };
    let mut score = 0.4;
    if !span.before.is_empty() && phrases.iter().any(introduces) {
        score += 2.0;
    }
    let has_digit = span.text.chars().any(|c| c.is_ascii_digit());
    let is_file = span.text.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty() && (2..=4).contains(&end.len()) && end.chars().all(char::is_alphanumeric)
    });
    let is_name = is_name_like(&span.text) && !is_file;
    let parts: Vec<&str> = name.split('_').collect();
    let is_place = parts.iter().any(|part| PLACES.contains(part));
    let names_somebody = parts.contains(&"name") || slot.is_named();
    // “the closed captions ticket”: the kind of the record is said beside its name.
    let kind = slot.entity.as_deref().unwrap_or_default();
    if !kind.is_empty() && [&span.before, &span.after].iter().any(|word| *word == kind || inflected(kind, word)) {
        score += 2.0;
    }
    // “technician Leyla Demir”: the slot itself is named.
    if parts.last().is_some_and(|part| *part == span.before) {
        score += 2.0;
    }
    let takes_codes = !slot.is_named()
        && parts.iter().any(|part| matches!(*part, "number" | "code" | "ref" | "file" | "slug" | "id"));
    if takes_codes {
        score += if has_digit || is_file { 1.2 } else { -0.8 };
    } else if is_file {
        score -= 1.0;
    }
    if is_place {
        score += if is_name && span.words <= 3 { 0.6 } else { -0.5 };
        if matches!(span.before.as_str(), "in" | "from" | "of" | "at") {
            score += 0.8;
        }
    } else if names_somebody {
        // “40 Princes Road” is nobody.
        if has_digit && !slot.is_named() {
            score -= 1.5;
        }
        let titled =
            span.text.split_whitespace().next().is_some_and(|first| TITLES.contains(&first.trim_end_matches('.')));
        let strange = span.text.split_whitespace().any(|word| !is_word(&word.to_lowercase()));
        score += match (is_name, span.words) {
            (true, 2..) => 1.0,
            (true, _) => 0.5,
            (false, _) if strange => 0.2,
            _ => -0.6,
        };
        score += if titled { 0.8 } else { 0.0 };
    } else if target.slots.values().filter(|other| other.kind.is_text() && other.required).count() == 1 {
        // The only free text takes anything.
        score += 0.5;
    }
    score
}

/// Whether two slots that take neighbouring words are in the order in which phrases have them.
fn precedes(open: &[(&String, &SlotSpec)], pair: &[usize], chosen: &[usize], phrases: &[Vec<Piece>]) -> bool {
    let slot_of = |span: usize| chosen.iter().position(|one| *one == span).map(|at| open[at].0);
    let (Some(first), Some(second)) = (slot_of(pair[0].min(pair[1])), slot_of(pair[0].max(pair[1]))) else {
        return false;
    };
    let position = |pieces: &Vec<Piece>, name: &String| {
        pieces.iter().position(|piece| matches!(piece, Piece::Slot(slot) if slot == name))
    };
    let ordered = phrases.iter().filter_map(|pieces| Some(position(pieces, first)? < position(pieces, second)?));
    let (mut yes, mut all) = (0, 0);
    for before in ordered {
        all += 1;
        yes += usize::from(before);
    }
    all > 0 && 2 * yes > all
}

/// Calls `each` with every way to give each of `slots` another one of `spans`.
fn assignments(slots: usize, spans: usize, each: &mut dyn FnMut(&[usize])) {
    fn step(slots: usize, spans: usize, chosen: &mut Vec<usize>, each: &mut dyn FnMut(&[usize])) {
        if chosen.len() == slots {
            each(chosen);
            return;
        }
        for span in 0..spans {
            if !chosen.contains(&span) {
                chosen.push(span);
                step(slots, spans, chosen, each);
                chosen.pop();
            }
        }
    }
    step(slots, spans, &mut Vec::new(), each);
}
