//! The inputs of a generated tool: what to find out, and a filter for every field that can be compared.

use std::collections::BTreeMap;

use brain_english::questions::{PERIODS, STATES, WORTH};
use serde_json::{Map, Value, json};

use super::said;
use crate::model::{FieldDef, QueryFilter, QueryTest, RecordDef};
use crate::world::World;

/// Maximum number of records in an answer.
const MAX_ROWS: u32 = 100;
/// Longer texts are prose, which nobody compares.
const MAX_COMPARED: u64 = 300;
/// Inputs that are no filters. A filter for a field of such a name is `NAME_is`.
const OWN: [&str; 6] = ["measure", "of", "field", "order", "limit", "id"];

/// How a field can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One of several values.
    Choice,
    /// A record of a type, or several.
    Reference,
    /// A number; `true` if it is money.
    Number(bool),
    /// A day, or a moment.
    Day,
    /// A short text or a flag.
    Plain,
}

/// A field with its filters.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The input that it is equal to.
    pub(super) is: String,
    pub(super) over: Option<String>,
    pub(super) under: Option<String>,
    pub(super) during: Option<String>,
}

/// The inputs of a generated tool.
pub(super) struct Inputs {
    pub(super) schema: Value,
    pub(super) filters: BTreeMap<String, QueryFilter>,
    /// The fields that have filters.
    pub(super) fields: Vec<Field>,
    /// Whether there is something to add up.
    pub(super) adds: bool,
    /// Whether there is something to compare.
    pub(super) compares: bool,
    /// The field that adds up if a question names none.
    pub(super) worth: Option<String>,
}

/// Collects properties and filters. A name that is taken is not used again.
#[derive(Default)]
struct Building {
    properties: Map<String, Value>,
    filters: BTreeMap<String, QueryFilter>,
    /// Names of fields, which no derived input takes.
    reserved: Vec<String>,
}

impl Building {
    fn add(&mut self, input: &str, field: &str, test: QueryTest, schema: Value) -> Option<String> {
        let is_derived = test != QueryTest::Is && self.reserved.iter().any(|name| name == input);
        if is_derived || self.properties.contains_key(input) {
            return None;
        }
        self.properties.insert(input.to_owned(), schema);
        self.filters.insert(input.to_owned(), QueryFilter { field: field.to_owned(), test });
        Some(input.to_owned())
    }

    /// The filters by time: in a period, since a day, until a day, before a day.
    fn days(&mut self, prefix: &str, field: &str) -> (Option<String>, Option<String>) {
        let day = || json!({"type": "string", "format": "date"});
        let during = self.add(&format!("{prefix}_in"), field, QueryTest::During, period());
        self.add(&format!("{prefix}_since"), field, QueryTest::Least, day());
        self.add(&format!("{prefix}_until"), field, QueryTest::Most, day());
        let before = self.add(&format!("{prefix}_before"), field, QueryTest::Under, day());
        (during, before)
    }
}

impl Inputs {
    pub(super) fn of(world: &World, def: &RecordDef) -> Self {
        let asked: Vec<(&FieldDef, Kind)> = def
            .fields
            .iter()
            .filter(|field| field.ask)
            .filter_map(|field| Some((field, kind(world, field)?)))
            .collect();
        let shown: Vec<&FieldDef> = def.fields.iter().filter(|field| field.ask).collect();
        let mut building =
            Building { reserved: shown.iter().map(|field| field.name.clone()).collect(), ..Building::default() };
        own(&mut building, def, &asked, &shown);
        if let Some(states) = &def.states {
            building.add("state", "state", QueryTest::Is, state(&states.names()));
        }
        let fields: Vec<Field> = asked.iter().map(|(field, kind)| filters(&mut building, field, *kind)).collect();
        building.days("created", "created_at");
        building.days("changed", "updated_at");
        let adds = asked.iter().any(|(_, kind)| matches!(kind, Kind::Number(_)));
        let compares = building.properties.contains_key("of");
        let Building { properties, filters, .. } = building;
        let schema = json!({"type": "object", "properties": properties, "required": [], "additionalProperties": false});
        Self { schema, filters, worth: worth(&fields), fields, adds, compares }
    }
}

/// What to find out, and about which field.
fn own(building: &mut Building, def: &RecordDef, asked: &[(&FieldDef, Kind)], shown: &[&FieldDef]) {
    let compared: Vec<&FieldDef> =
        asked.iter().filter(|(_, kind)| matches!(kind, Kind::Number(_) | Kind::Day)).map(|(field, _)| *field).collect();
    let adds = asked.iter().any(|(_, kind)| matches!(kind, Kind::Number(_)));
    let mut measures = vec!["list", "count", "show"];
    if adds {
        measures.extend(["sum", "average"]);
    }
    if !compared.is_empty() {
        measures.extend(["highest", "lowest"]);
        building.properties.insert("of".to_owned(), names(&compared, None));
    }
    building.properties.insert("measure".to_owned(), json!({"enum": measures}));
    let mut order = vec!["newest", "oldest"];
    if !compared.is_empty() {
        order.extend(["highest", "lowest"]);
    }
    building.properties.insert("order".to_owned(), json!({"enum": order}));
    building.properties.insert("limit".to_owned(), json!({"type": "integer", "minimum": 1, "maximum": MAX_ROWS}));
    let id = json!({"type": "string", "format": "uuid", "x-entity": def.name});
    building.properties.insert("id".to_owned(), id);
    building.properties.insert("field".to_owned(), names(shown, def.states.as_ref().map(|_| "state")));
}

/// A choice of fields, by what people call them: their name or title, or the last word of it if no other has the same.
fn names(fields: &[&FieldDef], also: Option<&str>) -> Value {
    let mut tokens: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let called = |field: &FieldDef| {
        let without_id = field.name.strip_suffix("_id").filter(|_| field.points_to().is_some());
        field.schema["title"].as_str().map_or_else(|| said(without_id.unwrap_or(&field.name)), str::to_lowercase)
    };
    let last = |text: &str| text.rsplit(' ').next().unwrap_or_default().to_owned();
    let labels: Map<String, Value> =
        fields.iter().map(|field| (field.name.clone(), Value::from(called(field)))).collect();
    let mut aliases = Map::new();
    for field in fields {
        let name = called(field);
        let word = last(&name);
        let is_only = fields.iter().filter(|other| last(&called(other)) == word).count() == 1;
        if word != name && is_only && !tokens.contains(&word.as_str()) {
            aliases.insert(word, Value::from(field.name.as_str()));
        }
    }
    if let Some(also) = also.filter(|also| !tokens.contains(also)) {
        tokens.push(also);
        if also == "state" && !tokens.contains(&"status") && !aliases.contains_key("status") {
            aliases.insert("status".to_owned(), Value::from(also));
        }
    }
    json!({"enum": tokens, "x-labels": labels, "x-aliases": aliases})
}

/// The only number, else the one whose name says what a record is worth.
fn worth(fields: &[Field]) -> Option<String> {
    let numbers: Vec<&Field> = fields.iter().filter(|field| matches!(field.kind, Kind::Number(_))).collect();
    let found = match numbers.as_slice() {
        [only] => Some(only),
        several => WORTH.iter().find_map(|name| {
            let is = |field: &&&Field| field.name == *name || field.name.ends_with(&format!("_{name}"));
            several.iter().find(is)
        }),
    };
    found.map(|field| field.name.clone())
}

fn state(names: &[String]) -> Value {
    let labels: Map<String, Value> = names.iter().map(|name| (name.clone(), Value::from(said(name)))).collect();
    let mut aliases = Map::new();
    for (state, words) in STATES.iter().filter(|(state, _)| names.iter().any(|name| name == state)) {
        for word in words.iter().filter(|word| !names.iter().any(|name| said(name) == **word)) {
            aliases.entry((*word).to_owned()).or_insert_with(|| Value::from(*state));
        }
    }
    json!({"enum": names, "x-labels": labels, "x-aliases": aliases})
}

fn period() -> Value {
    let tokens: Vec<&str> = PERIODS.iter().map(|(token, _)| *token).collect();
    let labels: Map<String, Value> =
        PERIODS.iter().map(|(token, words)| ((*token).to_owned(), Value::from(words[0]))).collect();
    let aliases: Map<String, Value> = PERIODS
        .iter()
        .flat_map(|(token, words)| words[1..].iter().map(|word| ((*word).to_owned(), Value::from(*token))))
        .collect();
    json!({"enum": tokens, "x-labels": labels, "x-aliases": aliases})
}

fn filters(building: &mut Building, field: &FieldDef, kind: Kind) -> Field {
    let name = field.name.as_str();
    let input = if OWN.contains(&name) { format!("{name}_is") } else { name.to_owned() };
    let mut found = Field { name: name.to_owned(), kind, is: input.clone(), over: None, under: None, during: None };
    let mut schema = equal(field, kind);
    if field.personal {
        schema["x-personal"] = Value::Bool(true);
    }
    building.add(&input, name, QueryTest::Is, schema.clone());
    match kind {
        Kind::Number(_) => {
            building.add(&format!("{name}_min"), name, QueryTest::Least, schema.clone());
            building.add(&format!("{name}_max"), name, QueryTest::Most, schema.clone());
            found.over = building.add(&format!("{name}_over"), name, QueryTest::Over, schema.clone());
            found.under = building.add(&format!("{name}_under"), name, QueryTest::Under, schema);
        }
        Kind::Day => (found.during, found.under) = building.days(name, name),
        Kind::Choice | Kind::Reference | Kind::Plain => {}
    }
    found
}

/// The schema of the value that a field is equal to.
fn equal(field: &FieldDef, kind: Kind) -> Value {
    let schema = &field.schema;
    match kind {
        Kind::Choice => {
            let copied = ["enum", "x-labels", "x-aliases"].into_iter();
            copied.filter_map(|key| Some((key.to_owned(), schema.get(key)?.clone()))).collect()
        }
        Kind::Reference => json!({"type": "string", "format": "uuid", "x-entity": field.points_to()}),
        Kind::Number(money) => {
            json!({"type": ["string", "number"], "format": if money { "money" } else { "decimal" }})
        }
        Kind::Day => json!({"type": "string", "format": "date"}),
        Kind::Plain if schema["type"] == "boolean" => json!({"type": "boolean"}),
        Kind::Plain => json!({"type": "string", "minLength": 1, "maxLength": MAX_COMPARED}),
    }
}

/// How a field can be compared; `None` if it cannot.
fn kind(world: &World, field: &FieldDef) -> Option<Kind> {
    let schema = &field.schema;
    if let Some(entity) = field.points_to() {
        return world.record(entity).map(|_| Kind::Reference);
    }
    if schema["enum"].is_array() {
        return Some(Kind::Choice);
    }
    match (schema["format"].as_str(), schema["type"].as_str()) {
        (Some("money"), _) => Some(Kind::Number(true)),
        (Some("decimal"), _) | (None, Some("integer" | "number")) => Some(Kind::Number(false)),
        (Some("date" | "date-time"), _) => Some(Kind::Day),
        (Some("email" | "phone" | "uri"), _) | (None, Some("boolean")) => Some(Kind::Plain),
        (None, Some("string")) if schema["x-multiline"] != true => Some(Kind::Plain),
        _ => None,
    }
}
