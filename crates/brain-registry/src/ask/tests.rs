//! Generated tools: their names, inputs and phrases, and what packs turn off or do themselves.

use super::*;
use crate::{PackSource, Registry, load_sources};

const ARTIST: &str = "record: artist\nfields: {name: string, born: {type: date, optional: true}}\nlabel: name\n";
const PIECE: &str = "
record: piece
fields:
  title: string
  artist_id: {type: uuid, ref: artist}
  price: money
  height: {type: decimal, optional: true}
  medium: {type: enum, values: {oil: Oil, ink: Ink}}
  arrived_on: {type: date, optional: true}
states: {stored: [hung, sold], hung: [stored, sold], sold: []}
label: title
";

fn loaded(records: &[&str], tools: &str) -> Registry {
    let mut files = vec![("pack.yaml".to_owned(), "name: gallery\nversion: 1.0.0\n".to_owned())];
    let named = records.iter().enumerate();
    files.extend(named.map(|(number, text)| (format!("records/r{number}.yaml"), (*text).to_owned())));
    if !tools.is_empty() {
        files.push(("tools/t.yaml".to_owned(), tools.to_owned()));
    }
    match load_sources(vec![PackSource::new("gallery", files)]) {
        Ok(loaded) => loaded.registry,
        Err(report) => panic!("{}", report.render(false)),
    }
}

fn query<'a>(registry: &'a Registry, name: &str) -> (&'a ToolDef, &'a QueryBehavior) {
    let def = &registry.tool(name).unwrap_or_else(|| panic!("no {name}")).def;
    match &def.behavior {
        Behavior::Query(behavior) => (def, behavior),
        other => panic!("{other:?}"),
    }
}

fn says(def: &ToolDef, phrase: &str) -> bool {
    def.phrases.iter().any(|one| one == phrase)
}

#[test]
fn each_record_type_has_a_tool_that_only_reads() {
    let registry = loaded(&[ARTIST, PIECE], "");
    let names: Vec<&str> = registry.tools().keys().map(String::as_str).collect();
    assert_eq!(names, ["ask.artist", "ask.piece"]);
    let (def, behavior) = query(&registry, "ask.piece");
    assert!(def.is_generated() && def.is_inline());
    assert_eq!((def.effect, def.consent), (Effect::Read, Consent::None));
    assert_eq!((behavior.one.as_str(), behavior.many.as_str()), ("piece", "pieces"));
    assert_eq!(behavior.worth.as_deref(), Some("price"));
    let inputs: Vec<&str> = def.input["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    for wanted in
        ["measure", "of", "id", "state", "artist_id", "price_over", "medium", "arrived_on_in", "created_since"]
    {
        assert!(inputs.contains(&wanted), "{wanted} is not in {inputs:?}");
    }
    assert_eq!(def.input["properties"]["of"]["enum"], serde_json::json!(["price", "height", "arrived_on"]));
}

#[test]
fn phrases_are_few_fit_their_slots_and_say_what_they_imply() {
    let registry = loaded(&[ARTIST, PIECE], "");
    for tool in registry.tools().values() {
        let (def, behavior) = query(&registry, tool.name());
        assert!(!def.phrases.is_empty() && def.phrases.len() <= 60, "{}", def.phrases.len());
        for phrase in &def.phrases {
            let slots = crate::phrase::parts(phrase).unwrap();
            for (slot, _) in slots.iter().filter_map(crate::phrase::Part::slot) {
                assert!(def.input["properties"].get(slot).is_some(), "{phrase}");
            }
            assert!(!phrase.contains('<'), "{phrase}");
            let implied = &behavior.says[phrase];
            assert!(tool.validate(serde_json::Value::Object(implied.clone())).is_ok(), "{phrase}: {implied:?}");
        }
    }
    let (def, behavior) = query(&registry, "ask.piece");
    for phrase in [
        "how many pieces are there",
        "list {state} pieces",
        "which pieces did we sell {changed_in}",
        "list pieces of {artist_id}",
        "which piece has the highest {of}",
        "how many {medium} pieces are there",
        "list pieces over {price_over}",
        "what is the {field} of piece {id}",
    ] {
        assert!(says(def, phrase), "{phrase} is not in {:#?}", def.phrases);
    }
    let sold = &behavior.says["which pieces did we sell {changed_in}"];
    assert_eq!(serde_json::json!(sold), serde_json::json!({"measure": "list", "state": "sold"}));
    assert!(says(query(&registry, "ask.artist").0, "who has the highest {of}"), "an artist is a person");
    assert!(!says(def, "who has the highest {of}"));
}

#[test]
fn a_pack_turns_it_off_for_a_type_or_a_field() {
    let off = ARTIST.to_owned() + "ask: false\n";
    let piece = PIECE.replace("price: money", "price: {type: money, ask: false}");
    let registry = loaded(&[&off, &piece], "");
    assert!(registry.tool("ask.artist").is_none());
    let (def, _) = query(&registry, "ask.piece");
    let properties = def.input["properties"].as_object().unwrap();
    assert!(properties.keys().all(|name| !name.starts_with("price")), "{properties:?}");
    assert_eq!(properties["of"]["enum"], serde_json::json!(["height", "arrived_on"]));
}

#[test]
fn the_definitions_of_other_records_do_not_change() {
    let registry = loaded(&[ARTIST], "");
    let json = serde_json::to_value(registry.record("artist").unwrap().as_ref()).unwrap();
    assert!(json.get("ask").is_none() && json["fields"][0].get("ask").is_none());
}

const OWN: &str = "
domain: gallery
tools:
  show:
    title: Show a piece
    input: {piece_id: {type: uuid, entity: piece}}
    phrases: [\"show piece {piece_id}\"]
    behavior: {record: {get: piece}}
  list:
    title: List pieces
    input: {state: {type: enum, values: [stored, hung, sold], optional: true}}
    phrases: [\"list pieces\"]
    behavior: {record: {list: piece, where: {state: \"= input.state\"}}}
";

#[test]
fn no_twin_competes_with_a_tool_of_the_pack() {
    let registry = loaded(&[ARTIST, PIECE], OWN);
    let (def, _) = query(&registry, "ask.piece");
    assert!(!says(def, "list pieces") && !says(def, "show piece {id}"), "{:#?}", def.phrases);
    assert!(says(def, "how many pieces are there") && !says(def, "what is the {field} of piece {id}"));
    assert!(says(def, "list pieces of {artist_id}"), "the pack's own list does not select by artist");
    let lent: Vec<&str> = registry.generated_phrases("gallery.list").collect();
    assert!(lent.contains(&"which pieces are {state}") && lent.contains(&"show pieces"), "{lent:?}");
    let sold = registry.implied("gallery.list", "which pieces did we sell").unwrap();
    assert_eq!(serde_json::json!(sold), serde_json::json!({"state": "sold"}));
    let lent: Vec<&str> = registry.generated_phrases("gallery.show").collect();
    for phrase in ["show piece {piece_id}", "what is the price of piece {piece_id}", "is piece {piece_id} sold"] {
        assert!(lent.contains(&phrase), "{lent:?}");
    }
}

#[test]
fn a_tool_of_the_pack_takes_the_place_of_a_generated_one() {
    let own = "domain: ask\ntools:\n  piece:\n    title: Own\n    input: {}\n    behavior: {expr: {result: \"= 1\"}}\n";
    let registry = loaded(&[ARTIST, PIECE], own);
    assert_eq!(registry.tool("ask.piece").unwrap().def.title, "Own");
    assert!(registry.tool("ask.artist").is_some());
}

#[test]
fn it_needs_what_the_tools_of_the_pack_need() {
    let guarded = OWN.replace("    behavior:", "    permission: gallery.read\n    behavior:");
    let registry = loaded(&[ARTIST, PIECE], &guarded);
    assert_eq!(query(&registry, "ask.piece").0.permission.as_deref(), Some("gallery.read"));
    assert_eq!(query(&registry, "ask.artist").0.permission, None);
    let unequal = OWN.replacen("    behavior:", "    permission: gallery.read\n    behavior:", 1);
    assert!(loaded(&[ARTIST, PIECE], &unequal).tool("ask.piece").is_none(), "nothing says who may ask");
}

#[test]
fn a_field_with_the_name_of_an_input_keeps_its_filter() {
    let odd = "record: crate\nfields: {order: string, of: integer, limit: {type: integer, optional: true}, of_min: integer}\n";
    let registry = loaded(&[odd], "");
    let (_, behavior) = query(&registry, "ask.crate");
    assert_eq!(behavior.filters["order_is"].field, "order");
    assert_eq!(behavior.filters["of_is"].field, "of");
    assert_eq!(behavior.filters["of_min"].field, "of_min", "the field, not the range of another");
}

#[test]
fn nouns_of_other_types_are_not_synonyms() {
    let tools = "domain: gallery\nnoun: [artist, piece, work]\ntools: {}\n";
    let registry = loaded(&[ARTIST, PIECE], tools);
    let (def, _) = query(&registry, "ask.piece");
    assert!(says(def, "how many works are there") && !says(def, "how many artists are there"));
}
