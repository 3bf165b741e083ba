//! Values without the words around them: “Perdue for”, “Daniel Mbeki needs”, “saying they want a quiet corner”; and days
//! of the past.

use std::ops::Range;

use serde_json::Value;

use crate::entity::{is_name_like, naming};
use crate::phrase::vocabulary::{SlotSpec, Target};
use crate::read::Reader;
use crate::read::matcher::{Capture, mention_value};
use crate::text::speller::is_word;
use brain_english::actions::is_action;
use brain_english::around_values::{INTRODUCTIONS, PAST_SLOTS, PERSON_SLOTS, VERBS_BEHIND_NAMES};
use brain_english::calendar::WEEKDAYS;
use brain_english::function_words::is_function_word;
use brain_english::modality::PRONOUNS;
use brain_slot::{SlotKind, last_such};

/// Maximum number of words that are taken off a name.
const MAX_AROUND: usize = 4;

/// The captures without words that are not part of their values.
pub(crate) fn tidied(
    reader: &Reader<'_>,
    clause: &Range<usize>,
    target: &Target,
    captures: &[Capture],
) -> Vec<Capture> {
    captures.iter().map(|capture| tidy(reader, clause, target, capture).unwrap_or_else(|| capture.clone())).collect()
}

fn tidy(reader: &Reader<'_>, clause: &Range<usize>, target: &Target, capture: &Capture) -> Option<Capture> {
    let spec = target.slots.get(&capture.slot).filter(|spec| spec.kind.is_text() || spec.is_named())?;
    capture.value.as_ref().filter(|value| value.is_string() || capture.mention().is_some())?;
    let is_quoted = capture.range.start > 0 && matches!(reader.normal.chars[capture.range.start - 1], '"' | '“' | '\'');
    let span = reader.normal.span(capture.range.clone());
    let said = reader.text.get(span.clone()).filter(|_| !is_quoted)?;
    let inside = match spec
        .kind
        .is_text()
        .then(|| behind_introduction(said).or_else(|| behind_own_name(said, &capture.slot)))
        .flatten()
    {
        Some(inside) => inside,
        None => name_inside(said, capture.range.start == clause.start, &capture.slot, spec)?,
    };
    let bare = &said[inside.clone()];
    let value = if capture.mention().is_some() {
        mention_value(naming(bare, spec.entity.as_deref().unwrap_or_default(), &target.nouns)?)
    } else {
        Value::from(bare.trim().trim_end_matches(['.', '!', '?']))
    };
    let range = reader.normal.position(span.start + inside.start)..reader.normal.position(span.start + inside.end);
    Some(Capture { range, value: Some(value), ..capture.clone() })
}

/// A text behind the words that introduce it: “saying that …”.
fn behind_introduction(said: &str) -> Option<Range<usize>> {
    let lower = said.to_lowercase();
    let clause = || {
        let rest = lower.strip_prefix("that ")?;
        rest.split(' ').next().filter(|word| PRONOUNS.contains(word)).map(|_| rest)
    };
    let introduced = INTRODUCTIONS.iter().find_map(|words| lower.strip_prefix(words)?.strip_prefix([' ', ':']));
    let rest = introduced.or_else(clause)?;
    let rest = rest.trim_start();
    // Lower case has as many bytes as the text itself, or the text stays as it is.
    (lower.len() == said.len() && !rest.is_empty()).then(|| said.len() - rest.len()..said.len())
}

/// A text behind the name of its slot: “the diagnosis is a torn nail”.
fn behind_own_name(said: &str, slot: &str) -> Option<Range<usize>> {
    let lower = said.to_lowercase();
    let rest = ["the ", "his ", "her ", "its ", "their ", "my ", "our "]
        .iter()
        .find_map(|word| lower.strip_prefix(word))
        .unwrap_or(&lower);
    let rest = rest.strip_prefix(slot.replace('_', " ").as_str())?;
    let rest = [" is ", " was ", " being ", ": "].iter().find_map(|word| rest.strip_prefix(word))?;
    (lower.len() == said.len() && !rest.trim().is_empty()).then(|| said.len() - rest.len()..said.len())
}

/// The name in a text that also has words around it.
fn name_inside(said: &str, is_first: bool, slot: &str, spec: &SlotSpec) -> Option<Range<usize>> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let at = |word: &str| word.as_ptr() as usize - said.as_ptr() as usize;
    let is_capital = |i: usize| {
        let word = words[i].trim_start_matches(['(', '“', '"']);
        word.starts_with(char::is_uppercase)
            && (i > 0
                || !is_first
                || !is_word(&word.to_lowercase())
                || words.get(1).is_some_and(|next| next.starts_with(char::is_uppercase)))
    };
    let first = (0..words.len()).find(|i| is_capital(*i))?;
    let last = (0..words.len()).rfind(|i| is_capital(*i))?;
    let around = words.len() - (last + 1 - first);
    let (start, end) = (at(words[first]), at(words[last]) + words[last].len());
    let end = start + said[start..end].trim_end_matches([',', ';', ':']).len();
    if around == 0 || around > MAX_AROUND || !is_name_like(&said[start..end]) {
        return None;
    }
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_person = spec.is_named() || slot.split('_').any(|part| PERSON_SLOTS.contains(&part));
    let may_lead = |word: &str| {
        let word = bare(word);
        is_function_word(&word)
            || (is_person && (is_action(&word) || matches!(word.as_str(), "called" | "named" | "name")))
    };
    let may_follow = |word: &str| {
        let word = bare(word);
        is_function_word(&word) || VERBS_BEHIND_NAMES.contains(&word.as_str()) || (is_person && is_action(&word))
    };
    let fits =
        words[..first].iter().all(|word| may_lead(word)) && words[last + 1..].iter().all(|word| may_follow(word));
    fits.then_some(start..end)
}

/// A day without a year, or a weekday, that was completed to one ahead although the slot is about what has happened: “paid on
/// 27 February”, said in March.
pub(crate) fn in_the_past(
    reader: &Reader<'_>,
    slot: &str,
    spec: &SlotSpec,
    value: &Value,
    said: &str,
) -> Option<Value> {
    let is_past = matches!(spec.kind, SlotKind::Date | SlotKind::DateTime)
        && slot.split('_').any(|part| PAST_SLOTS.contains(&part));
    let has_year = said.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() == 4);
    let lower = said.to_lowercase();
    let is_ahead = ["next", "this", "in ", "tomorrow", "coming"].iter().any(|word| lower.starts_with(word));
    let is_weekday =
        lower.split(|c: char| !c.is_alphabetic()).any(|word| WEEKDAYS.iter().any(|names| names.contains(&word)))
            && !lower.contains(|c: char| c.is_ascii_digit());
    (is_past && !has_year && !is_ahead).then(|| last_such(value, is_weekday, &reader.context.around)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_out_of_the_words_around_it() {
        let text = SlotSpec { kind: SlotKind::Text, required: true, has_default: false, entity: None };
        let named = SlotSpec { kind: SlotKind::Uuid, entity: Some("person".into()), ..text.clone() };
        for (said, slot, spec, name) in [
            ("Perdue for", "supplier", &text, Some("Perdue")),
            ("Daniel Mbeki needs", "employee", &text, Some("Daniel Mbeki")),
            ("ask Chen Produce", "supplier", &text, Some("Chen Produce")),
            ("see Helen", "person_id", &named, Some("Helen")),
            ("under Andersson", "name", &text, Some("Andersson")),
            ("Ludwig van Beethoven", "name", &text, None),
            ("call Bob", "title", &text, None),
            ("the tap in Kim's kitchen drips", "problem", &text, None),
        ] {
            let found = name_inside(said, false, slot, spec).map(|range| &said[range]);
            assert_eq!(found, name, "{said}");
        }
    }

    #[test]
    fn an_introduction_is_no_part_of_a_text() {
        for (said, text) in [
            ("saying they want a quiet corner", Some("they want a quiet corner")),
            ("that says: back at nine", Some("back at nine")),
            ("that he is late", Some("he is late")),
            ("that big tree", None),
            ("saying", None),
        ] {
            assert_eq!(behind_introduction(said).map(|range| &said[range]), text, "{said}");
        }
    }
}
