//! The phrases of a generated tool. Templates are English's; this file fills in nouns, fields and slots.

use std::collections::BTreeSet;

use brain_english::questions as english;
use serde_json::{Map, Value, json};

use super::input::{Field, Inputs, Kind};
use super::said;
use crate::model::{RecordDef, States};

/// Maximum number of fields of one kind that have phrases.
const MAX_FIELDS: usize = 2;

/// Maximum number of fields and of states of a single record that have phrases.
const MAX_SHOWN: usize = 4;

/// What phrases are made of.
pub(super) struct Asked<'a> {
    pub(super) nouns: &'a [String],
    pub(super) inputs: &'a Inputs,
    /// Whether a tool of the pack shows single records.
    pub(super) shown: bool,
    pub(super) def: &'a RecordDef,
}

/// Phrases, each with the values that it implies.
type Group = Vec<(String, Map<String, Value>)>;

/// All phrases, the plainest of every group first.
pub(super) fn phrases(asked: &Asked<'_>) -> Vec<(String, Map<String, Value>)> {
    let Some(noun) = asked.nouns.first() else { return Vec::new() };
    let mut groups: Vec<Group> = Vec::new();
    let mut making = Making { asked, noun: noun.clone(), groups: &mut groups };
    making.all();
    making.states();
    making.values();
    making.references();
    making.choices();
    making.texts();
    making.dates();
    making.amounts();
    making.created();
    making.single();
    for other in &asked.nouns[1..] {
        making.noun.clone_from(other);
        making.synonym();
    }
    let longest = groups.iter().map(Vec::len).max().unwrap_or(0);
    let mut seen = BTreeSet::new();
    let all = (0..longest).flat_map(|place| groups.iter().filter_map(move |group| group.get(place)));
    all.filter(|(phrase, _)| seen.insert(phrase)).cloned().collect()
}

struct Making<'a> {
    asked: &'a Asked<'a>,
    noun: String,
    groups: &'a mut Vec<Group>,
}

impl Making<'_> {
    /// The phrases of templates; `words` replace what is in angle brackets.
    fn make(&self, templates: &[&str], words: &[(&str, &str)], implied: &Value) -> Group {
        let many = english::plural(&self.noun);
        let implied = implied.as_object().cloned().unwrap_or_default();
        let filled = |template: &&str| {
            let mut text = template.replace("<one>", &self.noun).replace("<many>", &many);
            for (name, word) in words {
                text = text.replace(&format!("<{name}>"), word);
            }
            (text, implied.clone())
        };
        templates.iter().map(filled).collect()
    }

    /// A list and a count of the same, alternating, so that a bound leaves some of each.
    fn both(&mut self, lists: &[&str], counts: &[&str], words: &[(&str, &str)], implied: &Value) {
        let with = |measure: &str| {
            let mut implied = implied.clone();
            implied["measure"] = Value::from(measure);
            implied
        };
        let (lists, counts) = (self.make(lists, words, &with("list")), self.make(counts, words, &with("count")));
        let longest = lists.len().max(counts.len());
        let group =
            (0..longest).flat_map(|n| lists.get(n).into_iter().chain(counts.get(n)).cloned().collect::<Vec<_>>());
        self.groups.push(group.collect());
    }

    fn fields(&self, is: impl Fn(&Field) -> bool) -> Vec<Field> {
        self.asked.inputs.fields.iter().filter(|field| is(field)).take(MAX_FIELDS).cloned().collect()
    }

    fn has(&self, input: &str) -> bool {
        self.asked.inputs.schema["properties"].get(input).is_some()
    }

    fn all(&mut self) {
        self.both(&english::LIST, &english::COUNT, &[], &json!({}));
    }

    /// Another noun: only the plainest phrases.
    fn synonym(&mut self) {
        self.both(&english::LIST[..1], &english::COUNT[..1], &[], &json!({}));
        if self.asked.def.states.is_some() {
            let (lists, counts) = (&english::LIST_THAT_ARE[..1], &english::COUNT_THAT_ARE[..1]);
            self.both(lists, counts, &[("slot", "state")], &json!({}));
        }
    }

    fn states(&mut self) {
        let Some(states) = &self.asked.def.states else { return };
        let slot = [("slot", "state")];
        self.both(&english::LIST_THAT_ARE, &english::COUNT_THAT_ARE, &slot, &json!({}));
        self.both(&english::LIST_THAT_BECAME, &english::COUNT_THAT_BECAME, &slot, &json!({}));
        for state in states.names() {
            if let Some(verb) = english::verb_of(&said(&state)) {
                let words = [("verb", verb.as_str())];
                self.both(&english::LIST_THAT_WE, &english::COUNT_THAT_WE, &words, &json!({"state": state}));
            }
        }
    }

    /// Highest, lowest, sum, average.
    fn values(&mut self) {
        let inputs = self.asked.inputs;
        if inputs.compares {
            let people = english::PEOPLE.iter().any(|person| self.asked.nouns.iter().any(|noun| noun == person));
            for (who, which, measure) in [
                (&english::WHO_HIGHEST, &english::HIGHEST, "highest"),
                (&english::WHO_LOWEST, &english::LOWEST, "lowest"),
            ] {
                let implied = json!({"measure": measure});
                let mut group = if people { self.make(who, &[], &implied) } else { Group::new() };
                group.extend(self.make(which, &[], &implied));
                self.groups.push(group);
            }
        }
        if inputs.adds {
            self.groups.push(self.make(&english::SUM, &[], &json!({"measure": "sum"})));
            self.groups.push(self.make(&english::AVERAGE, &[], &json!({"measure": "average"})));
        }
        if inputs.worth.is_some() && inputs.fields.iter().any(|field| field.kind == Kind::Number(true)) {
            self.groups.push(self.make(&english::SUM_ALL, &[], &json!({"measure": "sum"})));
        }
    }

    fn references(&mut self) {
        for field in self.fields(|field| field.kind == Kind::Reference) {
            self.both(&english::LIST_OF, &english::COUNT_OF, &[("slot", &field.is)], &json!({}));
        }
    }

    fn choices(&mut self) {
        for field in self.fields(|field| field.kind == Kind::Choice) {
            let (lists, counts) = (&english::LIST_THAT_ARE[..2], &english::COUNT_THAT_ARE[..2]);
            self.both(lists, counts, &[("slot", &field.is)], &json!({}));
        }
    }

    fn texts(&mut self) {
        let is_place = |field: &Field| english::PLACES.contains(&field.name.as_str());
        let plain = |field: &Field| {
            field.kind == Kind::Plain && self.asked.inputs.schema["properties"][&field.is]["type"] == "string"
        };
        let (places, others) = (
            self.fields(|field| plain(field) && is_place(field)),
            self.fields(|field| plain(field) && !is_place(field)),
        );
        for field in places {
            self.both(&english::LIST_IN, &english::COUNT_IN, &[("slot", &field.is)], &json!({}));
        }
        for field in others {
            let words = [("slot", field.is.as_str()), ("field", &said(&field.name))];
            self.both(&english::LIST_WITH, &[], &words, &json!({}));
        }
    }

    fn dates(&mut self) {
        for field in self.fields(|field| field.kind == Kind::Day) {
            let (Some(during), Some(before)) = (&field.during, &field.under) else { continue };
            let name = field.name.as_str();
            let when = ["_date", "_at", "_on", "_day", "_time"].iter().find_map(|ending| name.strip_suffix(ending));
            let words = [("when", said(when.unwrap_or(name))), ("during", during.clone()), ("before", before.clone())];
            let words: Vec<(&str, &str)> = words.iter().map(|(name, word)| (*name, word.as_str())).collect();
            self.both(&english::LIST_DATED, &english::COUNT_DATED, &words, &json!({}));
        }
    }

    fn amounts(&mut self) {
        let amounts = self.fields(|field| matches!(field.kind, Kind::Number(_)));
        let Some(field) = amounts.iter().find(|field| field.kind == Kind::Number(true)).or(amounts.first()) else {
            return;
        };
        let (Some(over), Some(under)) = (&field.over, &field.under) else { return };
        let words = [("over", over.as_str()), ("under", under), ("field", &said(&field.name))];
        self.both(&english::LIST_AMOUNTS, &english::COUNT_AMOUNTS, &words, &json!({}));
    }

    fn created(&mut self) {
        if self.has("created_in") && self.has("created_since") {
            self.both(&english::LIST_CREATED, &english::COUNT_CREATED, &[], &json!({}));
        }
    }

    /// One record, by its name or id.
    fn single(&mut self) {
        let implied = json!({"measure": "show"});
        self.groups.push(self.make(&english::SHOW, &[], &implied));
        let states = self.asked.def.states.as_ref().map(States::names).unwrap_or_default();
        if !self.asked.shown {
            self.groups.push(self.make(&english::FIELD_OF, &[], &implied));
            if !states.is_empty() {
                self.groups.push(self.make(&english::IS_IT, &[], &implied));
            }
            return;
        }
        // The pack's own tool shows the whole record, whichever field or state is asked about.
        let fields = self.asked.def.fields.iter().filter(|field| field.ask).map(|field| said(&field.name));
        let fields =
            fields.take(MAX_SHOWN).flat_map(|field| self.make(&english::THIS_FIELD_OF, &[("field", &field)], &implied));
        let fields: Group = fields.collect();
        let states = states
            .iter()
            .take(MAX_SHOWN)
            .flat_map(|state| self.make(&english::IS_IT_THAT, &[("state", &said(state))], &implied));
        let states: Group = states.collect();
        self.groups.extend([fields, states]);
    }
}
