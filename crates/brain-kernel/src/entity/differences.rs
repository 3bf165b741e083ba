//! Tells candidates apart by what differs between them: a place, a state, an amount, else a short id.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use brain_nlu::entity::Card;
use brain_registry::model::{FieldDef, RecordDef};
use brain_store::RecordRow;
use serde_json::Value;

use super::lookup::StoreLookup;

/// Maximum number of facts that are shown about one candidate.
const MAX_FACTS: usize = 3;
/// Maximum number of references whose records are named.
const MAX_REFERENCES: usize = 4;
/// Maximum length of a value that tells records apart; longer ones are prose.
const MAX_VALUE: usize = 40;
/// Characters of an identifier or id that are enough to recognise it.
const TAIL: usize = 4;

/// A candidate and its record.
struct Known<'a> {
    card: &'a Card,
    record: Option<(&'a RecordDef, RecordRow)>,
    /// The names of the records that it refers to, by field.
    referred: BTreeMap<String, String>,
}

/// A label for each candidate that distinguishes it from the others. One candidate alone needs only its name.
pub(super) fn labels(cards: &[&Card], lookup: &StoreLookup<'_>) -> Vec<String> {
    if let [only] = cards {
        return vec![only.name.clone()];
    }
    let record = |card: &Card| {
        let def: &RecordDef = lookup.registry.record(&card.kind)?;
        Some((def, lookup.row(def, card.id.parse().ok()?)?))
    };
    let known = cards.iter().map(|card| {
        let record = record(card);
        let referred = record.as_ref().map(|(def, row)| referred(def, row, lookup)).unwrap_or_default();
        Known { card, record, referred }
    });
    let known: Vec<Known<'_>> = known.collect();
    known.iter().map(|one| label(one, &known)).collect()
}

/// The names of the records that a record refers to.
fn referred(def: &RecordDef, row: &RecordRow, lookup: &StoreLookup<'_>) -> BTreeMap<String, String> {
    let pointers = def.fields.iter().filter(|field| field.reference.is_some()).take(MAX_REFERENCES);
    let name = |field: &FieldDef| {
        let owner: &RecordDef = lookup.registry.record(field.reference.as_deref()?)?;
        let name = lookup.one(owner, row.body[&field.name].as_str()?.parse().ok()?)?.name;
        (!name.is_empty()).then(|| (field.name.clone(), name))
    };
    pointers.filter_map(name).collect()
}

fn label(one: &Known<'_>, all: &[Known<'_>]) -> String {
    let others = || all.iter().filter(|other| other.card.id != one.card.id);
    // Members of a group are asked for by what they do in it.
    let mut facts: Vec<String> = [role as fn(&Card) -> Option<String>, place]
        .iter()
        .filter(|part| others().any(|other| part(other.card) != part(one.card)))
        .filter_map(|part| part(one.card))
        .collect();
    let name = |card: &Card| card.name.to_lowercase();
    let is_same = |other: &&Known<'_>| name(other.card) == name(one.card) && facts.is_empty();
    let mut alike: Vec<&Known<'_>> = others().filter(is_same).collect();
    for fact in all_facts(one, &alike) {
        if alike.is_empty() || facts.len() == MAX_FACTS {
            break;
        }
        let before = alike.len();
        alike.retain(|other| fact.value_of(other) == fact.value_of(one));
        if alike.len() < before {
            facts.extend(fact.in_words(one));
        }
    }
    if !alike.is_empty() {
        facts.push(format!("id …{}", tail(&one.card.id)));
    }
    let mut text = one.card.name.clone();
    if !facts.is_empty() {
        let _ = write!(text, " ({})", facts.join(", "));
    }
    text
}

fn role(card: &Card) -> Option<String> {
    card.role.as_ref().map(|role| role.replace('_', " "))
}

fn place(card: &Card) -> Option<String> {
    card.jurisdiction.clone()
}

/// Something that may differ between two records.
enum Fact<'a> {
    /// The type of the record.
    Kind,
    /// The state of the record.
    State,
    /// A field.
    Field(&'a FieldDef),
    /// The name of the record that a field refers to.
    Reference(&'a FieldDef),
    /// A field that identifies the record; only its end is shown.
    Identifier(&'a FieldDef),
}

/// What may tell a candidate from others, the most telling first: its type, words, its state, other values, identifiers.
fn all_facts<'a>(one: &'a Known<'_>, others: &[&Known<'_>]) -> Vec<Fact<'a>> {
    let mut facts = vec![Fact::Kind];
    let Some((def, _)) = &one.record else { return facts };
    if others.iter().any(|other| other.card.kind != one.card.kind) {
        // Records of different types have different fields.
        return facts;
    }
    let named = def.name_field().map(|field| field.name.as_str());
    let identifiers = def.identifier_fields();
    let is_open = |field: &&FieldDef| {
        let is_identifier = identifiers.iter().any(|other| other.name == field.name);
        Some(field.name.as_str()) != named && field.reference.is_none() && !field.personal && !is_identifier
    };
    let (words, values): (Vec<&FieldDef>, Vec<&FieldDef>) =
        def.fields.iter().filter(is_open).partition(|field| is_word(field));
    let pointers = def.fields.iter().filter(|field| field.reference.is_some());
    let is_borrowed = |field: &&FieldDef| Some(field.name.as_str()) == named;
    facts.extend(words.into_iter().map(Fact::Field));
    facts.extend(pointers.filter(|field| !is_borrowed(field)).map(Fact::Reference));
    facts.push(Fact::State);
    facts.extend(values.into_iter().map(Fact::Field));
    let identifiers = identifiers.into_iter().filter(|field| Some(field.name.as_str()) != named);
    facts.extend(identifiers.map(Fact::Identifier));
    facts
}

/// Whether the field's values can be shown without the field's name.
fn is_word(field: &FieldDef) -> bool {
    let is_choice = field.schema["enum"].is_array();
    is_choice || (field.schema["type"] == "string" && field.schema["format"].is_null())
}

impl Fact<'_> {
    /// The value of a candidate as text; `None` if it has none.
    fn value_of(&self, one: &Known<'_>) -> Option<String> {
        let (def, row) = one.record.as_ref()?;
        match self {
            Self::Reference(field) => one.referred.get(&field.name).cloned(),
            Self::Kind => Some(def.title.to_lowercase()),
            Self::State => row.state.as_ref().map(|state| state.replace('_', " ")),
            Self::Field(field) => {
                in_words(field, row.body.get(&field.name)?).filter(|text| text.chars().count() <= MAX_VALUE)
            }
            Self::Identifier(field) => in_words(field, row.body.get(&field.name)?).map(|text| tail(&text)),
        }
    }

    fn in_words(&self, one: &Known<'_>) -> Option<String> {
        let value = self.value_of(one);
        match (self, value) {
            (Self::Kind | Self::State, value) => value,
            (Self::Field(field), Some(value)) if field.schema["type"] == "boolean" => {
                Some(format!("{}: {value}", words(field)))
            }
            (Self::Field(field), Some(value)) => {
                let speaks = is_word(field) && value.chars().any(char::is_alphabetic);
                Some(if speaks { value } else { format!("{} {value}", words(field)) })
            }
            (Self::Identifier(field), Some(value)) => Some(format!("{} …{value}", words(field))),
            (Self::Reference(_), Some(value)) => Some(value),
            (Self::Field(field) | Self::Reference(field) | Self::Identifier(field), None) => {
                Some(format!("no {}", words(field)))
            }
        }
    }
}

/// The name of a field in words.
fn words(field: &FieldDef) -> String {
    field.name.replace('_', " ")
}

/// A value as people write it; `None` if it says nothing.
fn in_words(field: &FieldDef, value: &Value) -> Option<String> {
    let text = match value {
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::String(text) if field.schema["x-labels"][text].is_string() => {
            field.schema["x-labels"][text].as_str().unwrap_or_default().to_owned()
        }
        Value::String(text) if field.schema["format"] == "money" => money(text),
        Value::String(text) if field.schema["enum"].is_array() => text.replace('_', " "),
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

/// An amount with at least two digits after the point.
fn money(text: &str) -> String {
    match text.split_once('.') {
        Some((whole, fraction)) => format!("{whole}.{fraction:0<2}"),
        None => format!("{text}.00"),
    }
}

/// The end of an identifier.
fn tail(text: &str) -> String {
    let signs: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
    signs[signs.len().saturating_sub(TAIL)..].iter().collect()
}

#[cfg(test)]
mod tests {
    use brain_core::{RecordId, SeededRandom, Timestamp};
    use serde_json::json;

    use super::*;

    fn def() -> RecordDef {
        let field = |name: &str, schema: Value| json!({"name": name, "schema": schema});
        let text = json!({"type": "string"});
        let mut phone = field("phone", text.clone());
        phone["personal"] = json!(true);
        serde_json::from_value(json!({
            "name": "member", "pack": "p", "title": "Member", "identifiers": ["phone"],
            "fields": [
                field("name", text.clone()), phone, field("barred", json!({"type": "boolean"})),
                field("owes", json!({"type": "string", "format": "money"})), field("suburb", text),
            ],
        }))
        .unwrap()
    }

    fn shown(records: &[(Value, &str)]) -> Vec<String> {
        let (def, mut random) = (def(), SeededRandom::new(1));
        let at = Timestamp::from_millis(5);
        let row = |(body, state): &(Value, &str)| RecordRow {
            kind: "member".into(),
            id: RecordId::generate(at, &mut random),
            revision: 1,
            state: Some(*state).filter(|state| !state.is_empty()).map(str::to_owned),
            created_at: at,
            updated_at: at,
            body: body.clone(),
        };
        let rows: Vec<RecordRow> = records.iter().map(row).collect();
        let cards: Vec<Card> = rows.iter().map(|row| brain_tools::names::card(&def, row)).collect();
        let known = cards.iter().zip(&rows).map(|(card, row)| {
            let record = Some((&def, row.clone()));
            Known { card, record, referred: BTreeMap::new() }
        });
        let known: Vec<Known<'_>> = known.collect();
        known.iter().map(|one| label(one, &known)).collect()
    }

    #[test]
    fn candidates_are_told_apart_by_what_differs_between_them() {
        let tom = |more: Value| {
            let mut body = json!({"name": "Tom Walsh", "barred": false, "owes": "0", "phone": "087 999 0 321"});
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            body
        };
        let pair = |a: Value, b: Value| shown(&[(tom(a), "active"), (tom(b), "active")]);
        assert_eq!(pair(json!({"owes": "7.5"}), json!({})), ["Tom Walsh (owes 7.50)", "Tom Walsh (owes 0.00)"]);
        assert_eq!(pair(json!({"barred": true}), json!({})), ["Tom Walsh (barred: yes)", "Tom Walsh (barred: no)"]);
        assert_eq!(
            pair(json!({"suburb": "Ryde", "owes": "7.5"}), json!({"owes": "3"})),
            ["Tom Walsh (Ryde)", "Tom Walsh (no suburb)"]
        );
        assert_eq!(
            pair(json!({}), json!({"phone": "087 999 0 777"})),
            ["Tom Walsh (phone …0321)", "Tom Walsh (phone …0777)"]
        );
        assert_eq!(
            shown(&[(tom(json!({})), "active"), (tom(json!({})), "on_leave")]),
            ["Tom Walsh (active)", "Tom Walsh (on leave)"]
        );
        let same = pair(json!({}), json!({}));
        assert!(same[0].starts_with("Tom Walsh (id …") && same[0] != same[1], "{same:?}");
    }

    #[test]
    fn a_candidate_with_a_name_of_its_own_needs_no_tail() {
        let body = |name: &str| json!({"name": name, "owes": "7.50", "barred": false});
        assert_eq!(shown(&[(body("Tom Walsh"), "active"), (body("Tom Welsh"), "")]), ["Tom Walsh", "Tom Welsh"]);
        assert_eq!(shown(&[(body("Tom Walsh"), "active")]), ["Tom Walsh"]);
    }
}
