//! Redacts fields by name, and their values wherever else they appear: in sentences, in slots, in the message.

use std::collections::BTreeSet;

use brain_core::{REDACTED, Redactor};
use serde_json::{Map, Value};

use super::numbers::{MIN_DIGITS, Number};
use super::parts::{Part, Walk, of_payload, of_request, of_sentences, slot_name};
use crate::evidence::{restored, said};

/// Minimum length of a value that is redacted anywhere in a text. Shorter ones would match within most words, so they are
/// redacted only where they are words of their own.
const MIN_INNER: usize = 3;
/// The texts of a reading that quote the message or a record; everything else in it is Brain's own.
const QUOTES: [&str; 6] = ["value", "text", "mention", "inferred", "taken_for", "doubt"];

/// What is personal in one run.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    redactor: Redactor,
    /// Personal values, longest first, so that a value that contains another is redacted as a whole.
    hidden: Vec<String>,
    everything: bool,
}

impl Redaction {
    /// Redacts every text: nothing is known about what is personal.
    pub(super) fn everything() -> Self {
        Self { everything: true, ..Self::default() }
    }

    /// Collects the personal values of a run from its log. `is_personal` tells whether names of records of a type are.
    pub(super) fn new<'v>(
        redactor: Redactor,
        request: &Value,
        payloads: impl Iterator<Item = &'v Value>,
        is_personal: &dyn Fn(&str) -> bool,
    ) -> Self {
        let message = request["message"].as_str().unwrap_or_default();
        let mut found = Collector { redactor: &redactor, message, is_personal, hidden: BTreeSet::new() };
        for payload in payloads {
            of_payload(&mut payload.clone(), &mut |part, value| found.part(part, value));
        }
        of_request(&mut request.clone(), &mut |part, value| found.part(part, value));
        let mut hidden: Vec<String> = found.hidden.into_iter().collect();
        hidden.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self { redactor, hidden, everything: false }
    }

    /// Hides these values too.
    pub(super) fn with(mut self, values: Vec<String>) -> Self {
        self.hidden.extend(values.into_iter().filter(|value| !value.is_empty()));
        self.hidden.sort_by_key(|value| std::cmp::Reverse(value.len()));
        self
    }

    /// Values of the domain.
    pub fn values(&self, value: &Value) -> Value {
        match value {
            _ if self.everything && !value.is_null() => REDACTED.into(),
            Value::Object(map) => map
                .iter()
                .map(|(name, inner)| {
                    let shown = if self.redactor.hides(name) { REDACTED.into() } else { self.values(inner) };
                    (name.clone(), shown)
                })
                .collect(),
            Value::Array(items) => items.iter().map(|item| self.values(item)).collect(),
            Value::String(text) => self.text(text).into(),
            Value::Number(number) if self.is_number(&number.to_string()) => REDACTED.into(),
            other => other.clone(),
        }
    }

    /// Whether this is a personal phone or account number.
    fn is_number(&self, text: &str) -> bool {
        let numbers = || self.hidden.iter().filter_map(|hidden| Number::of(hidden));
        Number::of(text).is_some() && numbers().any(|number| number.end_at(text, 0) == Some(text.len()))
    }

    /// A sentence.
    pub fn text(&self, text: &str) -> String {
        self.cut(text).0
    }

    /// A phrase in canonical form, in which values are folded too.
    pub fn phrase(&self, phrase: &str) -> String {
        let fold = |value: &String| brain_nlu::learn::plain(value);
        let hidden = self.hidden.iter().map(fold).filter(|value| !value.is_empty()).collect();
        Self { hidden, ..self.clone() }.text(phrase)
    }

    /// The payload of an event.
    pub fn payload(&self, payload: &Value) -> Value {
        self.visited(payload, of_payload)
    }

    /// Data of Brain's own, in which only sentences may quote values.
    pub fn sentences(&self, data: &Value) -> Value {
        self.visited(data, of_sentences)
    }

    /// A stored request.
    pub fn request(&self, request: &Value) -> Value {
        let mut shown = self.visited(request, of_request);
        if let Some(key) = shown.get_mut("idempotency_key").filter(|key| !key.is_null()) {
            *key = REDACTED.into();
        }
        shown
    }

    /// A message and its stored reading. The spans of the reading are those of the redacted message.
    pub fn reading(&self, message: &str, evidence: &Value) -> (String, Value) {
        let (text, cuts) = self.cut(message);
        let mut shown = self.in_reading("", &restored(evidence.clone(), message));
        move_spans(&mut shown, &cuts);
        (text, shown)
    }

    fn visited(&self, value: &Value, walk: Walk) -> Value {
        let mut shown = value.clone();
        walk(&mut shown, &mut |part, value| {
            *value = match part {
                Part::Values => self.values(value),
                Part::Reading => self.in_reading("", value),
                Part::Text => match &*value {
                    Value::String(text) => self.text(text).into(),
                    other => other.clone(),
                },
            }
        });
        shown
    }

    /// A part of a reading. `name` is that of the field that contains it.
    fn in_reading(&self, name: &str, value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let slot = slot_name(map);
                let is_hidden = slot.is_some_and(|slot| self.redactor.hides(slot));
                let field = |(key, inner): (&String, &Value)| {
                    let shown = match (key.as_str(), inner) {
                        ("value" | "text", _) if is_hidden => REDACTED.into(),
                        ("name", Value::String(name)) if slot.is_none() => self.text(name).into(),
                        (key, inner) => self.in_reading(key, inner),
                    };
                    (key.clone(), shown)
                };
                Value::Object(map.iter().map(field).collect())
            }
            Value::Array(items) => items.iter().map(|item| self.in_reading(name, item)).collect(),
            // The evidence of a candidate is a list of sentences.
            Value::String(text) if QUOTES.contains(&name) || name == "evidence" => self.text(text).into(),
            other => other.clone(),
        }
    }

    /// A text with hidden values replaced, and where: the range in the text, and the end of its replacement.
    fn cut(&self, text: &str) -> (String, Vec<Cut>) {
        if self.everything && !text.is_empty() {
            return (REDACTED.into(), vec![Cut { start: 0, end: text.len(), then: REDACTED.len() }]);
        }
        let found: Vec<&str> = self.hidden.iter().map(String::as_str).filter(|hidden| text.contains(hidden)).collect();
        let has_numbers = text.chars().filter(char::is_ascii_digit).count() >= MIN_DIGITS;
        let numbers: Vec<Number> = match has_numbers {
            true => self.hidden.iter().filter_map(|hidden| Number::of(hidden)).collect(),
            false => Vec::new(),
        };
        let (mut shown, mut cuts, mut at) = (String::with_capacity(text.len()), Vec::new(), 0);
        while let Some(next) = text[at..].chars().next() {
            let value = found.iter().find(|hidden| is_at(text, at, hidden)).map(|hidden| at + hidden.len());
            let number = numbers.iter().filter_map(|number| number.end_at(text, at)).max();
            match value.max(number) {
                Some(end) => {
                    shown.push_str(REDACTED);
                    cuts.push(Cut { start: at, end, then: shown.len() });
                    at = end;
                }
                None => {
                    shown.push(next);
                    at += next.len_utf8();
                }
            }
        }
        (shown, cuts)
    }
}

/// Whether a hidden value occurs at this place of a text.
fn is_at(text: &str, at: usize, hidden: &str) -> bool {
    let Some(rest) = text[at..].strip_prefix(hidden) else { return false };
    let before = text[..at].chars().next_back();
    let is_word = || ![before, rest.chars().next()].into_iter().flatten().any(char::is_alphanumeric);
    hidden.len() >= MIN_INNER || is_word()
}

/// A replaced range of a text.
#[derive(Clone, Copy, Debug)]
struct Cut {
    start: usize,
    end: usize,
    /// The end of the replacement in the new text.
    then: usize,
}

/// Moves every `span` of a reading to where its text is after the cuts. A span that ends within a replaced range ends
/// after the replacement.
fn move_spans(value: &mut Value, cuts: &[Cut]) {
    let moved = |at: usize, is_end: bool| match cuts.iter().rev().find(|cut| cut.start <= at) {
        None => at,
        Some(cut) if at == cut.start || (at < cut.end && !is_end) => cut.then - REDACTED.len(),
        Some(cut) if at < cut.end => cut.then,
        Some(cut) => cut.then + (at - cut.end),
    };
    match value {
        Value::Object(map) => {
            for (name, inner) in map {
                if name != "span" {
                    move_spans(inner, cuts);
                    continue;
                }
                for (end, is_end) in [("start", false), ("end", true)] {
                    if let Some(at) = inner[end].as_u64().and_then(|at| usize::try_from(at).ok()) {
                        inner[end] = moved(at, is_end).into();
                    }
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| move_spans(item, cuts)),
        _ => {}
    }
}

/// Collects personal values.
struct Collector<'a> {
    redactor: &'a Redactor,
    message: &'a str,
    is_personal: &'a dyn Fn(&str) -> bool,
    hidden: BTreeSet<String>,
}

impl Collector<'_> {
    fn part(&mut self, part: Part, value: &Value) {
        match part {
            Part::Values => self.values(value),
            Part::Reading => self.reading(value),
            Part::Text => {}
        }
    }

    fn values(&mut self, value: &Value) {
        match value {
            Value::Object(map) => {
                for (name, inner) in map {
                    if self.redactor.hides(name) { self.all(inner) } else { self.values(inner) }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.values(item)),
            _ => {}
        }
    }

    fn reading(&mut self, value: &Value) {
        match value {
            Value::Object(map) => {
                self.slot(map);
                self.link(map);
                map.values().for_each(|inner| self.reading(inner));
            }
            Value::Array(items) => items.iter().for_each(|item| self.reading(item)),
            _ => {}
        }
    }

    /// The value of a personal slot, and the words that gave it.
    fn slot(&mut self, map: &Map<String, Value>) {
        if !slot_name(map).is_some_and(|name| self.redactor.hides(name)) {
            return;
        }
        [map.get("value"), map.get("text")].into_iter().flatten().for_each(|value| self.all(value));
        if let Some(text) = said(map, self.message) {
            self.hide(text);
        }
    }

    /// The name that a record was looked up by, and the names of the candidates, if records of their type are personal.
    /// A name that was not found may be one.
    fn link(&mut self, map: &Map<String, Value>) {
        let (Some(mention), Some(candidates)) = (map.get("mention"), map.get("candidates").and_then(Value::as_array))
        else {
            return;
        };
        let is_open = |candidate: &Value| candidate["kind"].as_str().is_some_and(|kind| !(self.is_personal)(kind));
        if !candidates.is_empty() && candidates.iter().all(is_open) {
            return;
        }
        self.all(mention);
        candidates.iter().for_each(|candidate| self.all(&candidate["name"]));
    }

    fn all(&mut self, value: &Value) {
        match value {
            Value::Object(map) => map.values().for_each(|inner| self.all(inner)),
            Value::Array(items) => items.iter().for_each(|item| self.all(item)),
            Value::String(text) => self.hide(text),
            Value::Number(number) => self.hide(&number.to_string()),
            _ => {}
        }
    }

    fn hide(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.hidden.insert(text.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn redaction(request: &Value, payloads: &[Value]) -> Redaction {
        let redactor = Redactor::new(["name", "phone", "kind"].map(str::to_owned));
        Redaction::new(redactor, request, payloads.iter(), &|kind| kind == "lead")
    }

    #[test]
    fn a_personal_value_is_redacted_in_arguments_slots_and_sentences() {
        let message = "lead Bob 0412 000 in Ryde";
        let payload = json!({
            "evidence": {"kind": "clear", "intents": [{
                "target": "leads.create",
                "slots": [
                    {"name": "name", "span": {"start": 5, "end": 8}},
                    {"name": "phone", "value": "+61412", "span": {"start": 9, "end": 17}},
                    {"name": "suburb", "span": {"start": 21, "end": 25}},
                ],
                "invalid": [{"name": "phone", "text": "zero"}],
            }]},
            "input": {"work": {"calls": [{"name": "Bob", "phone": "+61412", "suburb": "Ryde"}]}},
            "message": "Take down a lead: Bob, +61412 (0412 000), Ryde",
        });
        let request = json!({"message": message, "mode": "plan"});
        let redaction = redaction(&request, std::slice::from_ref(&payload));
        assert_eq!(redaction.text(message), "lead [REDACTED] [REDACTED] in Ryde", "as it was typed, too");
        let shown = redaction.payload(&payload);
        assert_eq!(shown["evidence"]["kind"], "clear", "a word of Brain's, although a field of that name is personal");
        assert_eq!(shown["evidence"]["intents"][0]["slots"][1]["value"], REDACTED);
        assert_eq!(shown["evidence"]["intents"][0]["invalid"][0], json!({"name": "phone", "text": REDACTED}));
        assert_eq!(shown["input"]["work"]["calls"], json!([{"name": REDACTED, "phone": REDACTED, "suburb": "Ryde"}]));
        assert_eq!(shown["message"], "Take down a lead: [REDACTED], [REDACTED] ([REDACTED]), Ryde");
    }

    #[test]
    fn a_short_value_is_redacted_where_it_is_a_word() {
        let payload = json!({"args": {"name": "Al", "phone": 7}});
        let redaction = redaction(&json!({}), std::slice::from_ref(&payload));
        assert_eq!(redaction.text("text Al: ok, also at 7, not 17"), "text [REDACTED]: ok, also at [REDACTED], not 17");
    }

    #[test]
    fn a_number_is_redacted_in_every_spelling() {
        let payload = json!({"args": {"phone": "+34 612 345 678"}});
        let redaction = redaction(&json!({"message": "text +34 612 345 678"}), std::slice::from_ref(&payload));
        assert_eq!(redaction.text("cannot deliver to +34612345678: blocked"), "cannot deliver to [REDACTED]: blocked");
        let answer = json!({"to": 34_612_345_678_u64, "order": 612_345, "text": "612-345-678 is off"});
        let shown = json!({"to": REDACTED, "order": 612_345, "text": "[REDACTED] is off"});
        assert_eq!(redaction.values(&answer), shown);
    }

    #[test]
    fn spans_of_a_redacted_reading_are_those_of_the_redacted_message() {
        let message = "lead Bob Smith 0412 in Ryde";
        let evidence = json!({"kind": "clear", "intents": [{"span": {"start": 0, "end": 27}, "slots": [
            {"name": "name", "span": {"start": 5, "end": 14}},
            {"name": "suburb", "span": {"start": 23, "end": 27}},
        ]}]});
        let request = json!({"message": message});
        let redaction = redaction(&request, &[json!({"evidence": evidence})]);
        let (text, shown) = redaction.reading(message, &evidence);
        assert_eq!(text, "lead [REDACTED] 0412 in Ryde");
        let at = |span: &Value| &text[span["start"].as_u64().unwrap() as usize..span["end"].as_u64().unwrap() as usize];
        let intent = &shown["intents"][0];
        assert_eq!(at(&intent["span"]), text);
        assert_eq!(at(&intent["slots"][0]["span"]), REDACTED);
        assert_eq!(at(&intent["slots"][1]["span"]), "Ryde");
        assert_eq!(intent["slots"][1]["value"], "Ryde");
    }

    #[test]
    fn the_schema_of_slots_is_no_value() {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string", "x-personal": true}}});
        let playbook = json!({"slots": {"name": "Bob", "kind": "new", "how": "string"}, "schema": schema});
        let payload =
            json!({"input": {"work": {"playbook": playbook}}, "calls": [{"tool": "leads.create", "step": "s1"}]});
        let shown = redaction(&json!({}), std::slice::from_ref(&payload)).payload(&payload);
        assert_eq!(shown["input"]["work"]["playbook"]["schema"], schema);
        assert_eq!(
            shown["input"]["work"]["playbook"]["slots"],
            json!({"name": REDACTED, "kind": REDACTED, "how": "string"})
        );
        assert_eq!(shown["calls"], payload["calls"]);
    }

    #[test]
    fn the_name_of_a_record_is_personal_if_its_type_has_personal_fields() {
        let message = "mark Bob Smith as won and finish Order tiles";
        let link = |mention: &str, kind: &str| json!({"mention": mention, "candidates": [{"kind": kind, "id": "1", "name": mention}]});
        let evidence = json!({"kind": "clear", "links": [link("Bob Smith", "lead"), link("Order tiles", "task")]});
        let redaction = redaction(&json!({"message": message}), &[json!({"evidence": evidence})]);
        assert_eq!(redaction.text(message), "mark [REDACTED] as won and finish Order tiles");
        let (_, shown) = redaction.reading(message, &evidence);
        assert_eq!(shown["links"][0]["candidates"][0], json!({"kind": "lead", "id": "1", "name": REDACTED}));
    }

    #[test]
    fn values_that_are_words_of_brain_do_not_hide_those() {
        let payload =
            json!({"args": {"name": "failed"}, "result": {"success": true, "artifacts": [{"role": "failed"}]}});
        let redaction = redaction(&json!({}), std::slice::from_ref(&payload));
        let data = json!({"outcome": "failed", "failure": {"code": "failed", "message": "failed failed"}});
        let shown = redaction.sentences(&data);
        assert_eq!(
            shown,
            json!({"outcome": "failed", "failure": {"code": "failed", "message": "[REDACTED] [REDACTED]"}})
        );
        assert_eq!(redaction.payload(&payload)["result"], payload["result"]);
    }

    #[test]
    fn a_run_that_cannot_be_read_shows_no_text() {
        let redaction = Redaction::everything();
        assert_eq!(redaction.text("new lead: Bob"), REDACTED);
        assert_eq!(redaction.text(""), "");
        assert_eq!(redaction.values(&json!({"suburb": "Ryde"})), json!(REDACTED));
    }
}
