//! The languages: FEEL, templates, phrases, and utterances.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use brain_core::Timestamp;
use brain_embed::StaticTable;
use brain_kernel::scenario::{Reader, corpus_vocabulary};
use brain_lang::feel::{self, Env, Scope, Value};
use brain_lang::{Binding, Text};
use brain_registry::PackSource;
use brain_slot::{SlotKind, Surroundings};
use jiff::tz::TimeZone;
use serde_json::json;

const NOW: Timestamp = Timestamp::from_millis(1_772_442_000_000);

/// Fuel for one evaluation: enough for every seed, and low enough for many inputs per second.
const FUEL: u64 = 20_000;

fn context() -> serde_json::Value {
    json!({"a": 1, "b": "text", "c": [1, 2, 3], "d": {"e": true}, "day": "2026-03-02", "none": null})
}

/// An expression and a decision table cell: parsed, and evaluated if they parse.
pub(crate) fn feel(data: &[u8]) {
    let Some(source) = crate::text(data) else { return };
    let values = Value::from_json(&context());
    let scope = Scope::new(&values);
    let mut random = || 7;
    let mut env = Env::new(NOW.to_jiff(), TimeZone::UTC, &mut random);
    env.fuel = FUEL;
    if let Ok(expression) = feel::parse(source) {
        drop(expression.paths());
        if let Ok(value) = feel::eval(&expression, &scope, &mut env) {
            drop(value.to_json());
        }
    }
    if let Ok(tests) = feel::parse_unary_tests(source) {
        drop(feel::eval_unary_tests(&tests, &Value::from_json(&json!(5)), &scope, &mut env));
    }
}

/// A template: parsed, and rendered if it parses.
pub(crate) fn template(data: &[u8]) {
    let Some(source) = crate::text(data) else { return };
    if let Ok(text) = Text::parse(source) {
        drop(text.paths());
        drop(text.render(&context()));
    }
}

/// JSON whose texts may be expressions or templates.
pub(crate) fn binding(data: &[u8]) {
    if let Ok(json) = serde_json::from_slice(data) {
        drop(Binding::parse(&json));
    }
}

/// A phrase, as in a pack.
pub(crate) fn phrase(data: &[u8]) {
    if let Some(phrase) = crate::text(data) {
        drop(brain_nlu::phrase_slots(phrase));
    }
}

static READER: LazyLock<Reader> = LazyLock::new(|| {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/trades"));
    let loaded = brain_registry::load_sources(vec![PackSource::read(folder)]);
    let registry = loaded.expect("the trades pack passes its check").registry;
    corpus_vocabulary(&registry, Arc::new(StaticTable::built_in()))
});

/// An utterance, read with the trades pack. The spans of the answer lie within the text.
pub(crate) fn utterance(data: &[u8]) {
    if let Some(text) = crate::text(data) {
        drop(READER.read(text));
    }
}

/// Typed values of every kind in a text.
pub(crate) fn slot(data: &[u8]) {
    let Some(text) = crate::text(data) else { return };
    let around = Surroundings::new(NOW.to_jiff().to_zoned(TimeZone::UTC), "AU", "AUD");
    let choice = SlotKind::Enum(vec![("high".into(), vec!["urgent".into()]), ("low".into(), Vec::new())]);
    let kinds = [
        SlotKind::Uuid,
        SlotKind::Integer,
        SlotKind::Decimal,
        SlotKind::Quantity("m".into()),
        SlotKind::Money,
        SlotKind::Phone,
        SlotKind::Email,
        SlotKind::Url,
        SlotKind::Date,
        SlotKind::Time,
        SlotKind::DateTime,
        SlotKind::Duration,
        SlotKind::Boolean,
        choice,
        SlotKind::List(Box::new(SlotKind::Date)),
    ];
    for kind in &kinds {
        drop(brain_slot::values(kind, text, &around));
        drop(brain_slot::ranges(kind, text, &around));
    }
    assert!(brain_slot::relatives(text, &around).len() <= text.len());
    drop(brain_slot::amounts(text, &around));
    drop(brain_slot::quantities(text, &around));
    drop(brain_slot::e164(text, "AU"));
}
