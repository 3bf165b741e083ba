//! Lists in a request: “Tom and Aoife”, “Friday and Saturday”, “2 doors at $310 and 5 hinges at $8.50”. Where a slot takes
//! one value, each item makes a request of its own: the utterance is read once per item, without the others. That is
//! accepted only if every reading asks for the same thing and uses every word of its item.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::entity::is_name_like;
use crate::phrase::vocabulary::{Target, Vocabulary};
use crate::read::matcher::MENTION;
use crate::understanding::{Confidence, Intent, Role, SlotValue, Understanding};
use brain_english::clauses::SEPARATORS;
use brain_english::inflection::inflected;
use brain_english::numbers::is_number_word;
use brain_slot::SlotKind;

/// Maximum number of words of an item, on each side of a separator.
const MAX_WORDS: usize = 6;
/// Maximum number of items of a list.
const MAX_ITEMS: usize = 12;
/// Maximum number of readings for one utterance.
const MAX_READINGS: usize = 80;
/// Longer texts are prose.
const MAX_BYTES: usize = 400;

/// One way to take an utterance apart: the text before the items, the items, the text after them.
struct Cut {
    items: Vec<Range<usize>>,
}

/// The requests of an utterance whose plain reading leaves words over, or takes a list for one value.
pub(crate) fn expand(
    vocabulary: &Vocabulary,
    text: &str,
    first: Understanding,
    read: &dyn Fn(&str) -> Understanding,
) -> Understanding {
    if text.len() > MAX_BYTES {
        return first;
    }
    if let Understanding::Clear { intents } = &first
        && intents.len() > 1
        && intents.iter().any(|intent| has_list(vocabulary, text, intent))
    {
        return Understanding::Clear { intents: each_expanded(vocabulary, text, intents, read) };
    }
    if !needs_another_reading(vocabulary, text, &first) {
        return first;
    }
    let mut budget = MAX_READINGS;
    for cut in cuts(text) {
        if budget < cut.items.len() {
            break;
        }
        let whole = cut.items[0].start..cut.items[cut.items.len() - 1].end;
        let mut intents = Vec::new();
        for item in &cut.items {
            budget -= 1;
            let one = format!("{}{}{}", &text[..whole.start], &text[item.clone()], &text[whole.end..]);
            let Understanding::Clear { intents: mut found } = read(&one) else { break };
            let (Some(intent), true) = (found.pop(), found.is_empty()) else { break };
            if !uses_item(&intent, whole.start..whole.start + item.len()) || has_list(vocabulary, &one, &intent) {
                break;
            }
            intents.push(intent);
        }
        if intents.len() == cut.items.len() && is_parallel(vocabulary, text, &cut, &intents) {
            for (intent, item) in intents.iter_mut().zip(&cut.items) {
                move_spans(intent, &whole, item);
                intent.confidence = intent.confidence.min(Confidence::Medium);
            }
            return Understanding::Clear { intents };
        }
    }
    first
}

/// The requests of an utterance, each with its own lists taken apart.
fn each_expanded(
    vocabulary: &Vocabulary,
    text: &str,
    intents: &[Intent],
    read: &dyn Fn(&str) -> Understanding,
) -> Vec<Intent> {
    let mut found = Vec::new();
    for intent in intents {
        let from = intent.span.start;
        let Some(clause) = text.get(intent.span.clone()).filter(|_| has_list(vocabulary, text, intent)) else {
            found.push(intent.clone());
            continue;
        };
        let mut alone = intent.clone();
        shift(&mut alone, |at| at.saturating_sub(from));
        match expand(vocabulary, clause, Understanding::Clear { intents: vec![alone] }, read) {
            Understanding::Clear { intents: mut several } => {
                several.iter_mut().for_each(|one| shift(one, |at| at + from));
                found.extend(several);
            }
            _ => found.push(intent.clone()),
        }
    }
    found
}

/// Moves every span of a reading.
pub(super) fn shift(intent: &mut Intent, place: impl Fn(usize) -> usize) {
    let moved = |span: &Range<usize>| place(span.start)..place(span.end).max(place(span.start));
    for slot in &mut intent.slots {
        slot.span = moved(&slot.span);
    }
    for part in &mut intent.account {
        part.span = moved(&part.span);
    }
    intent.span = moved(&intent.span);
}

fn needs_another_reading(vocabulary: &Vocabulary, text: &str, first: &Understanding) -> bool {
    match first {
        Understanding::Ask(question) => !question.leftover.is_empty(),
        Understanding::Clear { intents } => match intents.as_slice() {
            [intent] => has_list(vocabulary, text, intent),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a single value of a reading looks like a list.
fn has_list(vocabulary: &Vocabulary, text: &str, intent: &Intent) -> bool {
    let Some(target) = vocabulary.targets().iter().find(|target| target.name == intent.target) else { return false };
    intent.slots.iter().any(|slot| {
        let kind = target.slots.get(&slot.name).map(|spec| &spec.kind);
        let said = text.get(slot.span.clone()).unwrap_or_default();
        kind.is_some_and(|kind| matches!(kind, SlotKind::Text | SlotKind::Uuid)) && separators(said).next().is_some()
    })
}

/// The ways to take a text apart: most items first, then the shortest.
fn cuts(text: &str) -> Vec<Cut> {
    let found: Vec<Range<usize>> = separators(text).collect();
    let mut cuts: Vec<(usize, usize, Cut)> = Vec::new();
    for i in 0..found.len() {
        for j in i..found.len().min(i + MAX_ITEMS - 1) {
            // Without a conjunction before its last item, it is an apposition.
            if text[found[j].clone()].trim() == "," {
                continue;
            }
            let before = if i == 0 { 0 } else { found[i - 1].end };
            let after = found.get(j + 1).map_or(text.len(), |next| next.start);
            let inner: Vec<Range<usize>> = (i..j).map(|k| found[k].end..found[k + 1].start).collect();
            if inner.iter().any(|item| text[item.clone()].split_whitespace().count() > MAX_WORDS) {
                continue;
            }
            let starts = word_starts(text, before..found[i].start);
            let ends = word_ends(text, found[j].end..after);
            for (words_before, start) in starts.iter().rev().take(MAX_WORDS).enumerate() {
                for (words_after, end) in ends.iter().take(MAX_WORDS).enumerate() {
                    let (first, last) = (*start..found[i].start, found[j].end..*end);
                    let items: Vec<Range<usize>> =
                        std::iter::once(first).chain(inner.iter().cloned()).chain(std::iter::once(last)).collect();
                    // “2 doors … and 5 hinges …”: a number before the list is not that of every item.
                    let before = text[..items[0].start].split_whitespace().next_back().unwrap_or_default();
                    let counts = |text: &str| {
                        let word = text.split_whitespace().next().unwrap_or_default();
                        word.starts_with(|c: char| c.is_ascii_digit()) || is_number_word(&word.to_lowercase())
                    };
                    let recounts = counts(before) && items[1..].iter().any(|item| counts(&text[item.clone()]));
                    if !recounts && items.iter().all(|item| item.start < item.end) {
                        cuts.push((j - i, words_before + words_after, Cut { items }));
                    }
                }
            }
        }
    }
    cuts.sort_by_key(|(many, words, _)| (std::cmp::Reverse(*many), *words));
    cuts.into_iter().map(|(_, _, cut)| cut).collect()
}

/// The separators of a text, outside quotation marks.
fn separators(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let rest = &text[at..];
            let quoted = text[..at].chars().filter(|c| matches!(c, '"' | '“' | '”')).count() % 2 == 1;
            if !quoted
                && !is_within_number(text, at)
                && let Some(word) =
                    SEPARATORS.iter().find(|word| rest.get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word)))
            {
                let found = at..at + word.len();
                at = found.end;
                return Some(found);
            }
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
        None
    })
}

/// Whether a conjunction joins the parts of a number: “one hundred and twelve”.
fn is_within_number(text: &str, at: usize) -> bool {
    let before = text[..at].split_whitespace().next_back().unwrap_or_default().to_lowercase();
    matches!(before.as_str(), "hundred" | "thousand" | "million")
        || (text[at..].trim_start().to_lowercase().starts_with("and a half")
            || text[at..].to_lowercase().starts_with(" and a quarter"))
}

fn words(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    text[range].split_whitespace().map(move |word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        start..start + word.len()
    })
}

fn word_starts(text: &str, range: Range<usize>) -> Vec<usize> {
    words(text, range).map(|word| word.start).collect()
}

/// Where words end, without closing punctuation.
fn word_ends(text: &str, range: Range<usize>) -> Vec<usize> {
    let trimmed = |word: Range<usize>| {
        let bare = text[word.clone()].trim_end_matches(['.', ',', ';', '!', '?', ':']);
        word.start + bare.len()
    };
    words(text, range).map(trimmed).collect()
}

/// Whether every word of an item is part of a value or of the phrase.
fn uses_item(intent: &Intent, item: Range<usize>) -> bool {
    let inside = |span: &Range<usize>| span.start < item.end && item.start < span.end;
    let used = intent.account.iter().filter(|part| inside(&part.span));
    let all_used = used.clone().all(|part| !matches!(part.role, Role::Minor | Role::Leftover));
    all_used && intent.invalid.is_empty() && intent.slots.iter().any(|slot| within(&slot.span, &item))
}

fn within(span: &Range<usize>, item: &Range<usize>) -> bool {
    item.start <= span.start && span.end <= item.end && span.start < span.end
}

/// Whether the readings ask for the same thing, and differ in the values of their items only.
fn is_parallel(vocabulary: &Vocabulary, text: &str, cut: &Cut, intents: &[Intent]) -> bool {
    let start = cut.items[0].start;
    let target = &intents[0].target;
    let Some(target) = vocabulary.targets().iter().find(|one| one.name == *target) else { return false };
    let values = |intent: &Intent| -> BTreeMap<String, SlotValue> {
        intent.slots.iter().map(|slot| (slot.name.clone(), slot.clone())).collect()
    };
    let first = values(&intents[0]);
    let of_item = |intent: &Intent, k: usize| -> Vec<String> {
        let item = start..start + cut.items[k].len();
        let mut names: Vec<String> =
            intent.slots.iter().filter(|slot| within(&slot.span, &item)).map(|slot| slot.name.clone()).collect();
        names.sort();
        names
    };
    let in_first = of_item(&intents[0], 0);
    let alike = intents.iter().enumerate().all(|(k, intent)| {
        let own = values(intent);
        intent.target == target.name
            && own.len() == first.len()
            && of_item(intent, k) == in_first
            && own.iter().all(|(name, slot)| {
                in_first.contains(name) || first.get(name).is_some_and(|other| other.value == slot.value)
            })
    });
    let differ = |name: &String| {
        let all: Vec<_> =
            intents.iter().filter_map(|intent| values(intent).get(name).map(|slot| slot.value.clone())).collect();
        all.windows(2).any(|pair| pair[0] != pair[1])
    };
    let is_text = |name: &String| target.slots.get(name).is_some_and(|slot| slot.kind.is_text());
    let differing: Vec<&String> = in_first.iter().filter(|name| differ(name)).collect();
    if !alike || differing.is_empty() {
        return false;
    }
    // A free text takes any words: a list of texts must show in its form, or beside another value that differs.
    let names_are_names = intents.iter().flat_map(|intent| &intent.slots).all(|slot| {
        let name = slot.value.get(MENTION).and_then(serde_json::Value::as_str);
        !differing.contains(&&slot.name) || name.is_none_or(is_name_like)
    });
    // “Ann Bell 3 and Bea Cole 4”: a number in an item is its own value, not part of a name that shares the last one.
    let shares_number = first.keys().any(|name| {
        !in_first.contains(name)
            && target.slots.get(name).is_some_and(|slot| slot.kind.is_number() || slot.kind == SlotKind::Money)
    });
    let numbered = |slot: &SlotValue| {
        let name = slot.value.get(MENTION).and_then(serde_json::Value::as_str).unwrap_or_default();
        name.split_whitespace().any(|word| word.starts_with(|c: char| c.is_ascii_digit()) || is_number_word(word))
    };
    if shares_number && intents.iter().flat_map(|intent| &intent.slots).any(numbered) {
        return false;
    }
    let is_typed = |name: &&String| !is_text(name) && !target.slots.get(*name).is_some_and(|slot| slot.is_named());
    names_are_names
        && (differing.iter().any(|name| !is_text(name)) || has_parallel_form(text, target, cut, intents, &in_first))
        && (differing.iter().all(|name| !is_text(name))
            || differing.iter().any(is_typed)
            || has_parallel_form(text, target, cut, intents, &in_first))
}

/// Whether all items begin alike, with an article, a number or the same word, and end where their value does.
fn has_parallel_form(text: &str, target: &Target, cut: &Cut, intents: &[Intent], slots: &[String]) -> bool {
    let start = cut.items[0].start;
    // “agents Lena Vogt and Tariq Aziz”: several, not “Smith and Sons”.
    let before = text[..start].split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let plural = target.nouns.iter().any(|noun| *noun != before && inflected(noun, &before));
    let form = |item: &Range<usize>| -> Option<String> {
        let word = text[item.clone()].split_whitespace().next()?.to_lowercase();
        Some(match word.as_str() {
            "a" | "an" | "the" | "another" | "some" | "one" => "article".to_owned(),
            word if word.starts_with(|c: char| c.is_ascii_digit()) || is_number_word(word) => "number".to_owned(),
            "to" | "that" => word,
            _ if plural && is_name_like(text[item.clone()].trim()) => "name".to_owned(),
            word if word.contains('.') && !word.ends_with('.') => "file".to_owned(),
            _ => return None,
        })
    };
    let forms: Vec<Option<String>> = cut.items.iter().map(form).collect();
    let ends_with_value = intents.iter().zip(&cut.items).all(|(intent, item)| {
        let end = start + item.len();
        intent.slots.iter().any(|slot| slots.contains(&slot.name) && slot.span.end == end)
    });
    forms[0].is_some() && forms.iter().all(|form| *form == forms[0]) && ends_with_value
}

/// Moves the spans of a reading of one item to their places in the whole text.
fn move_spans(intent: &mut Intent, whole: &Range<usize>, item: &Range<usize>) {
    let place = |at: usize| {
        if at < whole.start {
            at
        } else if at <= whole.start + item.len() {
            at - whole.start + item.start
        } else {
            at - whole.start - item.len() + whole.end
        }
    };
    shift(intent, place);
}
