//! Fills slots that the phrase did not assign. A range fills a pair of slots, a value next to a slot's name belongs to
//! it, and the only value of a type goes to the only slot of that type. Ambiguous values are not assigned; they are
//! asked for.

pub(crate) mod about;
pub(crate) mod codes;
pub(crate) mod spans;

use std::ops::Range;

use serde_json::Value;

use crate::concept::ConceptScore;
use crate::entity::{Shape, begins_name, mentions, naming};
use crate::phrase::vocabulary::{SlotSpec, Target};
use crate::read::Reader;
use crate::read::align::Alignment;
use crate::read::fill::codes::{is_code_slot, is_file};
use crate::read::matcher::{Capture, mention_value};
use crate::sequence::slot_name;
use crate::text::speller::is_word;
use crate::text::tokens::{Token, tokens};
use crate::text::words::words;
use crate::understanding::{Intent, SlotValue};
use brain_english::actions::is_action;
use brain_english::around_values::PERSON_SLOTS;
use brain_english::calendar::is_day_word;
use brain_english::function_words::is_function_word;
use brain_english::inflection::inflected;
use brain_english::modality::{COURTESIES, NEGATIONS, PRONOUNS};
use brain_slot::{Pair, SlotKind, UnclearKind, extract, pairs, ranges_in, relatives_in, unclear_in};

/// Minimum confidence of a value that only the sequence model found.
const SURE: f32 = 0.8;

/// Slots of a target: from its best phrase if that fits, else by type.
pub(crate) fn slots(
    reader: &Reader<'_>,
    clause: &Range<usize>,
    target: &Target,
    aligned: Option<&Alignment>,
) -> Vec<Capture> {
    let captures = aligned.map(|alignment| alignment.captures.clone()).unwrap_or_default();
    let chars = &reader.normal.chars[clause.clone()];
    let relatives = relatives_in(chars, &reader.context.around).into_iter();
    let relatives = relatives.map(|(range, relative)| (shifted(range, clause.start), relative)).collect();
    let mut filling = Filling { reader, clause, target, captures, relatives };
    filling.relative();
    filling.ranges();
    filling.unclear();
    filling.values();
    filling.quoted();
    filling.announced();
    filling.about();
    filling.learned(|slot| slot.kind.is_text());
    // Names come last: a typed value is not a name.
    filling.names();
    filling.learned(SlotSpec::is_named);
    filling.captures
}

fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// Values with their ranges.
type Values = Vec<(Range<usize>, Value)>;

/// Whether plain numbers are values of a type.
fn is_counting(kind: &SlotKind) -> bool {
    kind.is_number() || *kind == SlotKind::Money
}

/// Whether a text could be a value of both types.
fn is_alike(a: &SlotKind, b: &SlotKind) -> bool {
    a == b || (a.is_number() && b.is_number())
}

struct Filling<'a, 'r> {
    reader: &'a Reader<'r>,
    clause: &'a Range<usize>,
    target: &'a Target,
    captures: Vec<Capture>,
    /// Relative amounts: their numbers are not values.
    relatives: Vec<(Range<usize>, brain_slot::Relative)>,
}

impl Filling<'_, '_> {
    fn is_open(&self, slot: &str) -> bool {
        self.captures.iter().all(|capture| capture.slot != slot)
    }

    fn is_free(&self, range: &Range<usize>) -> bool {
        let apart = |other: &Range<usize>| other.end <= range.start || range.end <= other.start;
        self.captures.iter().all(|capture| apart(&capture.range))
            && self.relatives.iter().all(|(other, _)| apart(other))
    }

    fn put(&mut self, slot: &str, range: Range<usize>, value: Value, why: String) {
        let value = match self.target.slots.get(slot) {
            Some(spec) => spec.kind.original(self.reader.normal, self.reader.text, range.clone(), value),
            None => value,
        };
        self.captures.push(Capture { slot: slot.to_owned(), range, value: Some(value), guessed: Some(why) });
    }

    /// `twice as many`: applied to the slot's last value. If that is unknown, the value is asked for.
    fn relative(&mut self) {
        let reader = self.reader;
        let numbers =
            self.target.slots.iter().filter(|(_, slot)| slot.kind.is_number() || slot.kind == SlotKind::Money);
        let known = numbers.filter_map(|(name, slot)| {
            let last = reader.context.last.get(name).and_then(brain_core::decimal_text)?;
            self.is_open(name).then_some((name.clone(), slot.kind.clone(), last))
        });
        let known: Vec<_> = known.collect();
        let ([(range, relative)], [(name, kind, last)]) = (self.relatives.as_slice(), known.as_slice()) else { return };
        let Some(amount) = relative.apply(last) else { return };
        let value = match kind {
            SlotKind::Integer => amount.parse::<i64>().ok().map(Value::from),
            _ => Some(Value::from(amount)),
        };
        let (range, why) = (range.clone(), format!("{name} was {last} before"));
        if let Some(value) = value {
            self.captures.push(Capture { slot: name.clone(), range, value: Some(value), guessed: Some(why) });
        }
    }

    /// The only range of a type fills the only pair of slots of that type.
    fn ranges(&mut self) {
        let slots = &self.target.slots;
        let kind = |slot: &str| slots.get(slot).map(|slot| &slot.kind);
        let mut pairs = pairs(slots.keys().map(String::as_str));
        pairs.extend(period(self.target));
        for pair in &pairs {
            let Some(of) = kind(pair.low).filter(|of| kind(pair.high) == Some(of)) else { continue };
            let rivals = pairs.iter().filter(|other| kind(other.low) == Some(of)).count();
            if rivals != 1 || !self.is_open(pair.low) || !self.is_open(pair.high) {
                continue;
            }
            let chars = &self.reader.normal.chars[self.clause.clone()];
            let found = ranges_in(of, chars, &self.reader.context.around).into_iter();
            let found = found.map(|(range, bounds)| (shifted(range, self.clause.start), bounds));
            let found: Vec<_> = found.filter(|(range, _)| self.is_free(range)).collect();
            if let [(range, bounds)] = found.as_slice() {
                for (slot, value) in pair.fill(bounds) {
                    self.put(&slot, range.clone(), value, "the only range in it".to_owned());
                }
            }
        }
    }

    /// A slot whose only value is unclear becomes invalid, with the reason: half of an expression is never its value. A
    /// slot for limits takes the limit.
    fn unclear(&mut self) {
        let target = self.target;
        let (normal, around) = (self.reader.normal, &self.reader.context.around);
        let chars = &normal.chars[self.clause.clone()];
        for (name, slot) in target.slots.iter().filter(|(_, slot)| !slot.kind.is_text()) {
            let rivals = target.slots.iter().any(|(other, spec)| {
                other != name
                    && self.is_open(other)
                    && is_alike(&spec.kind, &slot.kind)
                    && (spec.required || !slot.required)
            });
            let found = unclear_in(&slot.kind, chars, around).into_iter();
            // Things that are counted in another way, and other digits, are meant only for a slot that has nothing else.
            let other = |kind: &UnclearKind| matches!(kind, UnclearKind::Unit(_) | UnclearKind::PhoneNumber);
            let lacking = slot.required && extract(&slot.kind, chars, around).is_empty();
            let meant = found.filter(|one| lacking || !other(&one.kind));
            let one = meant.map(|one| (one.clone().shifted(self.clause.start), one)).find(|(shifted, _)| {
                self.is_open(name) && self.is_free(&shifted.range) && (!rivals || self.is_called(name, &shifted.range))
            });
            let Some((one, in_clause)) = one else { continue };
            match in_clause.bound(&slot.kind, chars, around).filter(|_| one.suits(name)) {
                Some((range, value)) => {
                    self.put(name, shifted(range, self.clause.start), value, "the only such limit in it".to_owned());
                }
                None => self.captures.push(Capture::unclear(name, &one, normal, self.reader.text)),
            }
        }
    }

    /// Assigns values next to a slot's name, and single values of a type to the only slot of that type.
    fn values(&mut self) {
        let target = self.target;
        let chars = &self.reader.normal.chars[self.clause.clone()];
        let mut found: Vec<(&String, &SlotSpec, Values)> = Vec::new();
        for (name, slot) in target.slots.iter().filter(|(name, slot)| !slot.kind.is_text() && self.is_open(name)) {
            let values = match found.iter().find(|(_, other, _)| other.kind == slot.kind) {
                Some((_, _, values)) => values.clone(),
                None => {
                    let values = extract(&slot.kind, chars, &self.reader.context.around).into_iter();
                    values.map(|(range, value)| (shifted(range, self.clause.start), value)).collect()
                }
            };
            found.push((name, slot, values));
        }
        // “9 open, 2 billing”: where the first value comes before its slot's name, the others do too.
        let first =
            found.iter().flat_map(|(_, _, values)| values).map(|(range, _)| range).min_by_key(|range| range.start);
        let is_counted = first.is_some_and(|first| {
            !found.iter().any(|(name, ..)| self.is_called(name, first))
                && found.iter().any(|(name, ..)| self.is_followed_by(name, first))
        });
        for (name, slot, values) in &found {
            let is_own = |range: &Range<usize>| match is_counted {
                true => self.is_followed_by(name, range),
                false => self.is_called(name, range),
            };
            let is_part = |range: &Range<usize>| is_counting(&slot.kind) && self.begins_name(range);
            let beside = values.iter().find(|(range, _)| self.is_free(range) && is_own(range) && !is_part(range));
            if let Some((range, value)) = beside {
                let why = format!("it is next to “{}”", name.replace('_', " "));
                self.put(name, range.clone(), value.clone(), why);
            }
        }
        // An amount with a currency is no plain number, and a plain number is rather a count than an amount.
        found.sort_by_key(|(_, slot, values)| match slot.kind == SlotKind::Money {
            true if values.iter().any(|(range, _)| self.has_currency(range)) => 0,
            true => 2,
            false => 1,
        });
        for (name, slot, values) in &found {
            let rivals = found.iter().filter(|(other, spec, _)| {
                other != name
                    && self.is_open(other)
                    && is_alike(&spec.kind, &slot.kind)
                    && (spec.required || !slot.required)
            });
            if !self.is_open(name) || rivals.count() > 0 {
                continue;
            }
            // “at” is rarely Austria.
            let is_word = |range: &Range<usize>| {
                let said = &self.reader.text[self.reader.normal.span(range.clone())];
                matches!(slot.kind, SlotKind::Enum(_)) && is_function_word(said)
            };
            let belongs = |range: &Range<usize>| {
                (slot.kind.is_number() && self.has_currency(range))
                    || (is_counting(&slot.kind) && self.begins_name(range))
            };
            let mut left: Vec<_> =
                values.iter().filter(|(range, _)| self.is_free(range) && !is_word(range) && !belongs(range)).collect();
            if slot.kind == SlotKind::Money && left.iter().any(|(range, _)| self.has_currency(range)) {
                left.retain(|(range, _)| self.has_currency(range));
            }
            if let [(range, value)] = left.as_slice() {
                self.put(name, range.clone(), value.clone(), "the only such value in it".to_owned());
            }
        }
    }

    /// Whether an amount has the sign of a currency.
    fn has_currency(&self, range: &Range<usize>) -> bool {
        let chars = &self.reader.normal.chars;
        let from = range.start.saturating_sub(1);
        chars[from..range.end].iter().any(|c| matches!(c, '$' | '€' | '£'))
    }

    /// Whether a number is the beginning of a name, and the target takes names or texts: “3 Dove Lane”.
    fn begins_name(&self, range: &Range<usize>) -> bool {
        let takes_names = || {
            self.target.slots.iter().any(|(name, slot)| (slot.is_named() || slot.kind.is_text()) && self.is_open(name))
        };
        let said = &self.reader.text[self.reader.normal.span(range.clone())];
        let rest = self.reader.text.get(self.reader.normal.span(range.end..self.clause.end)).unwrap_or_default();
        let mut next = rest.strip_prefix(' ').unwrap_or_default().split_whitespace();
        let word = next.next().unwrap_or_default().trim_end_matches([',', '.', ':', ';', '?', '!']);
        let lower = word.to_lowercase();
        let second = next.next().is_some_and(|word| word.starts_with(char::is_uppercase));
        said.bytes().all(|byte| byte.is_ascii_digit())
            && word.starts_with(char::is_uppercase)
            && word.chars().any(char::is_lowercase)
            && !is_day_word(&lower)
            && (second || !is_function_word(&lower))
            && takes_names()
    }

    /// Whether a slot's name comes right after a value: `9 open`.
    fn is_followed_by(&self, slot: &str, range: &Range<usize>) -> bool {
        let after: String = self.reader.normal.chars[range.end..self.clause.end].iter().collect();
        let name = slot.replace('_', " ");
        let rest = after.strip_prefix(' ').and_then(|after| after.strip_prefix(&name));
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    }

    /// Whether a slot's name comes before a value, in the same part of the sentence: `width 3`, `the width is 3`.
    fn is_called(&self, slot: &str, range: &Range<usize>) -> bool {
        let before: String = self.reader.normal.chars[self.clause.start..range.start].iter().collect();
        let before = before.rsplit([',', ';']).next().unwrap_or_default();
        let mut said: Vec<&str> =
            before.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let name: Vec<&str> = slot.split('_').collect();
        while said.last().is_some_and(|word| is_function_word(word) && name.last() != Some(word)) {
            said.pop();
        }
        said.ends_with(&name)
    }

    /// The only quoted text goes to the only free-text slot; required slots first.
    fn quoted(&mut self) {
        let Some((range, value)) = quoted(self.reader, self.clause).filter(|(range, _)| self.is_free(range)) else {
            return;
        };
        let texts = self.target.slots.iter().filter(|(name, slot)| slot.kind.is_text() && self.is_open(name));
        let slot = texts.min_by_key(|(_, slot)| !slot.required).map(|(name, _)| name.clone());
        if let Some(slot) = slot {
            self.put(&slot, range, value, "what was quoted".to_owned());
        }
    }

    /// What stands behind a colon goes to the only free text that is required, unless other values are missing that may
    /// be in it: “memo: the Wongs are away”.
    fn announced(&mut self) {
        let chars = &self.reader.normal.chars[self.clause.clone()];
        let colon = (1..chars.len()).find(|at| chars[*at] == ' ' && chars[*at - 1] == ':');
        let Some(colon) = colon else { return };
        let end = chars
            .iter()
            .rposition(|c| c.is_alphanumeric() || matches!(c, '?' | '!' | ')' | '"' | '%'))
            .map_or(0, |at| at + 1);
        let missing = |filling: &Self| {
            let is_missing = |(name, slot): &(&String, &SlotSpec)| {
                slot.required && !slot.has_default && !slot.is_named() && filling.is_open(name)
            };
            filling
                .target
                .slots
                .iter()
                .filter(is_missing)
                .map(|(name, slot)| (name.clone(), slot.kind.is_text()))
                .collect::<Vec<_>>()
        };
        let missing = missing(self);
        let ([(name, true)], true) = (missing.as_slice(), colon + 1 < end) else { return };
        let range = self.clause.start + colon + 1..self.clause.start + end;
        if self.is_free(&range) {
            let value = Value::from(self.reader.text[self.reader.normal.span(range.clone())].trim());
            self.put(name, range, value, "it stands behind the colon".to_owned());
        }
    }

    /// Values that the sequence model is sure of, for open slots. It says nothing of typed values: their type does.
    fn learned(&mut self, takes: impl Fn(&SlotSpec) -> bool) {
        let target = self.target;
        let is_wanted = |filling: &Self| target.slots.iter().any(|(name, slot)| takes(slot) && filling.is_open(name));
        if !is_wanted(self) {
            return;
        }
        let mut targets = self.reader.vocabulary.targets.iter();
        let Some(number) = targets.position(|other| std::ptr::eq(other, target)) else { return };
        let sequence = &self.reader.vocabulary.search().sequence;
        let found = sequence.read_chars(&self.reader.normal.chars[self.clause.clone()], number as u32);
        for (label, range, confidence) in found {
            let (name, range) = (slot_name(label), shifted(range, self.clause.start));
            let Some(slot) = target.slots.get(name).filter(|slot| takes(slot)) else { continue };
            if confidence < SURE || !self.is_open(name) || !self.is_free(&range) {
                continue;
            }
            let Some(range) = self.whole_words(range, slot) else { continue };
            let said = self.reader.text[self.reader.normal.span(range.clone())].trim();
            let value = if slot.is_named() { mention_value(said) } else { Value::from(said) };
            let why = format!("“{}” is usually in this position", name.replace('_', " "));
            self.captures.push(Capture { slot: name.to_owned(), range, value: Some(value), guessed: Some(why) });
        }
    }

    /// A span without closing punctuation; `None` if it cuts a word, or begins like a sentence or a description.
    fn whole_words(&self, range: Range<usize>, slot: &SlotSpec) -> Option<Range<usize>> {
        let chars = &self.reader.normal.chars;
        let closing = |c: &char| c.is_whitespace() || matches!(c, '?' | '!' | '.' | ',' | ';' | ':');
        let kept = chars[range.clone()].iter().rposition(|c| !closing(c))? + 1;
        let range = range.start..range.start + kept;
        let joins = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '/' | '_' | '@' | '\'');
        let cut = (range.start > 0 && joins(&chars[range.start - 1])) || chars.get(range.end).is_some_and(joins);
        let text: String = chars[range.clone()].iter().collect();
        let first = text.split(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default().to_owned();
        let describes =
            PRONOUNS.contains(&first.as_str()) || matches!(first.as_str(), "called" | "named" | "as" | "on");
        let is_odd = slot.is_named() && text.split_whitespace().all(is_function_word);
        (!cut && !describes && !is_odd).then_some(range)
    }

    /// Names beside the kind of the record: “table 5”, “candidate Viktor Horvat”, “the Obi interview”.
    fn names_beside_kinds(&mut self) {
        let chars = &self.reader.normal.chars;
        let tokens = tokens(self.reader.normal, self.clause.clone());
        let said = |token: &Token| &self.reader.text[self.reader.normal.span(token.range.clone())];
        let is_name = |token: &Token| {
            !token.quoted
                && (said(token).starts_with(char::is_uppercase) || said(token).contains(|c: char| c.is_ascii_digit()))
                && !is_day_word(&token.word)
                && self.is_free(&token.range)
        };
        let is_spaced = |a: &Token, b: &Token| chars[a.range.end..b.range.start].iter().all(|c| *c == ' ');
        let mut found: Vec<(String, Range<usize>)> = Vec::new();
        for (name, slot) in self.target.slots.iter().filter(|(name, slot)| slot.is_named() && self.is_open(name)) {
            let Some(kind) = &slot.entity else { continue };
            let rivals = self.target.slots.values().filter(|other| other.entity.as_ref() == Some(kind)).count();
            let Some(at) =
                tokens.iter().position(|token| !token.quoted && (token.word == *kind || inflected(kind, &token.word)))
            else {
                continue;
            };
            if rivals != 1 || !self.is_free(&tokens[at].range) {
                continue;
            }
            let behind = (at + 1..tokens.len())
                .take_while(|i| is_name(&tokens[*i]) && is_spaced(&tokens[*i - 1], &tokens[*i]))
                .last();
            let before = (0..at)
                .rev()
                .take_while(|i| is_name(&tokens[*i]) && is_spaced(&tokens[*i], &tokens[*i + 1]))
                .filter(|i| *i > 0 || begins_name(said(&tokens[0]), at > 1))
                .last();
            let range = match (behind, before) {
                (Some(last), _) => tokens[at + 1].range.start..tokens[last].range.end,
                (None, Some(first)) => tokens[first].range.start..tokens[at - 1].range.end,
                (None, None) => continue,
            };
            if found.iter().all(|(_, other)| other.end <= range.start || range.end <= other.start) {
                found.push((name.clone(), range));
            }
        }
        for (slot, range) in found {
            let said = self.reader.text[self.reader.normal.span(range.clone())].trim();
            let said = said.strip_suffix("'s").or_else(|| said.strip_suffix("’s")).unwrap_or(said);
            self.captures.push(Capture { slot, range, value: Some(mention_value(said)), guessed: None });
        }
    }

    /// The number of runs of capitalised words that nothing has taken.
    fn mentions(&self) -> usize {
        let whole = self.reader.normal.span(self.clause.clone());
        let taken = |capture: &Capture| {
            let span = self.reader.normal.span(capture.range.clone());
            span.start.saturating_sub(whole.start)..span.end.saturating_sub(whole.start)
        };
        let taken: Vec<Range<usize>> = self.captures.iter().map(taken).collect();
        let found = mentions(&self.reader.text[whole], &self.target.nouns, &taken, &is_action);
        found.iter().filter(|one| one.shape != Shape::Placed).count()
    }

    fn names(&mut self) {
        self.names_beside_kinds();
        // Which of two names is which, their places in the sentence say.
        let open =
            self.target.slots.iter().filter(|(name, slot)| slot.is_named() && slot.required && self.is_open(name));
        if open.count() > 1 {
            return;
        }
        let texts = self.target.slots.iter().filter(|(name, slot)| {
            slot.kind.is_text()
                && slot.required
                && self.is_open(name)
                && name.split('_').any(|part| PERSON_SLOTS.contains(&part))
        });
        if texts.count() > 0 && self.mentions() > 1 {
            return;
        }
        // A slot that is called by its own name comes first: “technician Leyla Demir”.
        let chars: String = self.reader.normal.chars[self.clause.clone()].iter().collect();
        let is_called = |name: &str| chars.contains(&name.trim_end_matches("_id").replace('_', " "));
        let mut named: Vec<(&String, &SlotSpec)> =
            self.target.slots.iter().filter(|(_, slot)| slot.is_named()).collect();
        named.sort_by_key(|(name, slot)| (!is_called(name), !slot.required));
        for (name, slot) in named {
            if self.is_open(name)
                && let Some(kind) = &slot.entity
                && let Some((range, said)) = self
                    .record_about(kind)
                    .or_else(|| called(self.reader, self.clause, self.target, kind, &self.captures))
            {
                self.captures.push(Capture {
                    slot: name.clone(),
                    range,
                    value: Some(mention_value(&said)),
                    guessed: None,
                });
            }
        }
    }
}

/// The only two slots for days, or times, in the order in which a phrase has them: `{employee} off {first_day} to {last_day}`.
fn period(target: &Target) -> Option<Pair<'_>> {
    [SlotKind::Date, SlotKind::DateTime, SlotKind::Time].iter().find_map(|kind| {
        let mut of_kind = target.slots.iter().filter(|(_, slot)| slot.kind == *kind).map(|(name, _)| name);
        let (Some(one), Some(other), None) = (of_kind.next(), of_kind.next(), of_kind.next()) else { return None };
        let place = |name: &String, phrase: &String| phrase.find(&format!("{{{name}}}"));
        let first = target.phrases.iter().find_map(|phrase| Some(place(one, phrase)? < place(other, phrase)?))?;
        let (low, high) = if first { (one, other) } else { (other, one) };
        Pair::of(low, high)
    })
}

/// Fills the choice that a concept names: “we lost …” says which stage.
pub(crate) fn chosen(
    concept: &ConceptScore,
    meant: &[(u16, Vec<Range<usize>>)],
    target: &Target,
    captures: &mut Vec<Capture>,
) {
    let Some(choice) = &concept.choice else { return };
    let is_open = captures.iter().all(|capture| capture.slot != choice.slot) && target.slots.contains_key(&choice.slot);
    let words = meant.iter().find(|(group, _)| *group == choice.group).map(|(_, ranges)| ranges);
    if let (true, Some([first, ..])) = (is_open, words.map(Vec::as_slice)) {
        let why = "a synonym of it was used".to_owned();
        let value = Some(Value::from(choice.token.as_str()));
        captures.push(Capture { slot: choice.slot.clone(), range: first.clone(), value, guessed: Some(why) });
    }
}

/// The rest of a clause, behind the words that say what is asked for, goes to the only required free text.
pub(crate) fn rest(
    reader: &Reader<'_>,
    clause: &Range<usize>,
    target: &Target,
    tokens: &[Token],
    meant: &[(u16, Vec<Range<usize>>)],
    captures: &mut Vec<Capture>,
) {
    let mut open = target.slots.iter().filter(|(name, slot)| {
        slot.kind.is_text() && slot.required && captures.iter().all(|capture| capture.slot != **name)
    });
    let (Some((name, _)), None) = (open.next(), open.next()) else { return };
    // The last word that says what is asked for, at the beginning of the clause: one without a long gap before it.
    let said = |token: &Token| meant.iter().any(|(_, ranges)| ranges.contains(&token.range));
    let mut from = 0;
    for (at, token) in tokens.iter().enumerate() {
        if said(token) {
            from = at + 1;
        } else if !token.function_word || token.quoted {
            break;
        }
    }
    if from == 0 {
        return;
    }
    while tokens.get(from).is_some_and(|token| is_joint(&token.word) || COURTESIES.contains(&token.word.as_str())) {
        from += 1;
    }
    let mut end = tokens.len();
    while end > from && COURTESIES.contains(&tokens[end - 1].word.as_str()) {
        end -= 1;
    }
    if tokens[from.min(end)..end].iter().all(|token| token.function_word)
        || tokens[from.min(end)..end].iter().any(|token| NEGATIONS.contains(&token.word.as_str()))
    {
        return;
    }
    let range = tokens[from].range.start..tokens[end - 1].range.end;
    let apart = |other: &Range<usize>| other.end <= range.start || range.end <= other.start;
    if captures.iter().all(|capture| apart(&capture.range)) && range.end <= clause.end {
        let value = Value::from(reader.text[reader.normal.span(range.clone())].trim());
        let why = "the rest of the sentence".to_owned();
        captures.push(Capture { slot: name.clone(), range, value: Some(value), guessed: Some(why) });
    }
}

/// Words between what is asked for and a free text: `a note that …`.
fn is_joint(word: &str) -> bool {
    matches!(
        word,
        "that" | "to" | "about" | "on" | "for" | "this" | "saying" | "of" | "a" | "an" | "me" | "anything" | "whatever"
    )
}

/// The part of a clause that names an entity, if exactly one stands out.
fn called(
    reader: &Reader<'_>,
    clause: &Range<usize>,
    target: &Target,
    kind: &str,
    captures: &[Capture],
) -> Option<(Range<usize>, String)> {
    let normal = reader.normal;
    let whole = normal.span(clause.clone());
    let text = &reader.text[whole.clone()];
    let taken: Vec<Range<usize>> = captures
        .iter()
        .map(|capture| normal.span(capture.range.clone()))
        .map(|span| span.start - whole.start..span.end - whole.start)
        .collect();
    let mut nouns = target.nouns.clone();
    nouns.push(kind.replace('_', " "));
    let asking: Vec<String> =
        target.phrases.iter().chain([&target.name, &target.title]).flat_map(|text| words(text)).collect();
    let is_ours = |word: &str| asking.iter().any(|one| one == word || inflected(one, word)) || is_action(word);
    let found = mentions(text, &nouns, &taken, &is_ours).into_iter().find_map(|mention| {
        let said = naming(&text[mention.span.clone()], kind, &target.nouns)?;
        // A file or a code belongs to the slot for it.
        let takes_code = |(name, slot): (&String, &SlotSpec)| {
            slot.kind.is_text() && slot.required && is_code_slot(name) && captures.iter().all(|one| one.slot != *name)
        };
        if is_file(said) && target.slots.iter().any(takes_code) {
            return None;
        }
        // A number is a name only behind what it names: `quote 20`.
        let before = text[..mention.span.start].split_whitespace().next_back().unwrap_or_default().to_lowercase();
        if is_amount(said) && !nouns.iter().any(|noun| noun.split(' ').next_back() == Some(before.as_str())) {
            return None;
        }
        // Ordinary words alone are rarely a name.
        let odd = mention.shape != Shape::Placed || words(said).iter().any(|word| !is_word(word));
        odd.then(|| (mention.span.clone(), said.to_owned()))
    });
    let (span, said) = found?;
    let from = normal.position(whole.start + span.start);
    let to = normal.position(whole.start + span.end);
    Some((from..to, said))
}

/// Whether a text is a number, with or without a unit: `20`, `1,950`, `14x`.
fn is_amount(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    text.starts_with(|c: char| c.is_ascii_digit()) && unit.chars().count() <= 3 && unit.chars().all(char::is_alphabetic)
}

/// The only quoted text of a clause.
fn quoted(reader: &Reader<'_>, clause: &Range<usize>) -> Option<(Range<usize>, Value)> {
    let chars = &reader.normal.chars[clause.clone()];
    let from = chars.iter().position(|c| *c == '"')? + 1;
    let length = chars[from..].iter().position(|c| *c == '"')?;
    let range = clause.start + from..clause.start + from + length;
    let value = Value::from(reader.text[reader.normal.span(range.clone())].trim());
    (length > 0).then_some((range, value))
}

/// Fills entity slots from the conversation: "it", "that quote". Returns whether it filled one.
pub(crate) fn from_focus(reader: &Reader<'_>, target: &Target, intent: &mut Intent, clause: &Range<usize>) -> bool {
    let mut filled = false;
    for (name, slot) in &target.slots {
        let Some(kind) = &slot.entity else { continue };
        let is_said =
            intent.slots.iter().any(|one| one.name == *name) || intent.invalid.iter().any(|one| one.name == *name);
        if is_said || !slot.required {
            continue;
        }
        let Some(focus) = reader.context.focus.iter().find(|focus| focus.kind == *kind) else { continue };
        intent.slots.push(SlotValue {
            name: name.clone(),
            value: focus.value.clone(),
            span: reader.normal.span(clause.end..clause.end),
            inferred: Some(format!("{}, which was mentioned last", focus.name)),
        });
        filled = true;
    }
    filled
}

#[cfg(test)]
mod tests;
