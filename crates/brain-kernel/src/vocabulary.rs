//! Understand: compiles the registry's phrases into a vocabulary.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use brain_embed::{Encoder, StaticTable};
use brain_nlu::{
    IntentTier, PatternError, SlotKind, SlotSpec, Surroundings, Target, TargetKind, Thresholds, TierId, Tuning,
    Vocabulary,
};
use brain_registry::model::{Behavior, CorpusSet, Effect, Expectation, Playbook, PlaybookStep, RecordOp};
use brain_registry::{Registry, Tool};
use serde_json::Value;

/// Language configuration.
#[derive(Clone)]
pub struct LanguageConfig {
    /// Computes embeddings.
    pub encoder: Arc<dyn Encoder>,
    /// Folder for compiled snapshots.
    pub snapshots: Option<PathBuf>,
}

impl Default for LanguageConfig {
    /// The built-in embedding table, without snapshots.
    fn default() -> Self {
        Self { encoder: Arc::new(StaticTable::built_in()), snapshots: None }
    }
}

impl std::fmt::Debug for LanguageConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LanguageConfig")
            .field("encoder", &self.encoder.id())
            .field("snapshots", &self.snapshots)
            .finish()
    }
}

/// Compiles every phrase of every tool and playbook.
pub(crate) fn vocabulary(registry: &Registry, encoder: Arc<dyn Encoder>) -> Result<Vocabulary, PatternError> {
    let mut targets: Vec<Target> = registry.tools().values().map(|tool| tool_target(registry, tool)).collect();
    for playbook in registry.playbooks() {
        // Variants of a playbook are one target; the variant is chosen when it is planned.
        if let Some(known) = targets.iter_mut().find(|target| target.name == playbook.name) {
            known.phrases.extend(playbook.phrases.iter().cloned());
            known.synonyms.extend(playbook.aliases.iter().cloned());
            continue;
        }
        targets.push(Target {
            name: playbook.name.clone(),
            kind: TargetKind::Playbook,
            title: playbook.title.clone(),
            nouns: Vec::new(),
            synonyms: playbook.aliases.clone(),
            intent_tier: playbook.intent_tier.clone().map(TierId::new),
            destructive: false,
            reads_only: reads_only(registry, playbook),
            slots: slots(&playbook.slots),
            phrases: playbook.phrases.clone(),
            generated: Vec::new(),
        });
    }
    let outside = registry.corpus().iter().filter(|row| row.set == CorpusSet::Tune);
    let outside = outside.filter(|row| row.expect == Expectation::None).map(|row| row.say.clone());
    let compiled = Vocabulary::compile(targets, encoder, Tuning { outside: outside.collect() })?;
    Ok(compiled.with_tiers(tiers(registry)))
}

/// The kinds of action that packs declare. Packs may share one: the first to declare it words it.
fn tiers(registry: &Registry) -> Vec<IntentTier> {
    let mut all: Vec<IntentTier> = Vec::new();
    for tier in registry.packs().values().flat_map(|pack| &pack.intent_tiers) {
        let tier = of_model(tier);
        match all.iter_mut().find(|known| known.id == tier.id) {
            Some(known) => {
                let new = tier.kinds.into_iter().filter(|kind| known.kinds.iter().all(|one| one.id != kind.id));
                let new: Vec<IntentTier> = new.collect();
                known.kinds.extend(new);
            }
            None => all.push(tier),
        }
    }
    all
}

fn of_model(tier: &brain_registry::model::IntentTier) -> IntentTier {
    IntentTier {
        id: tier.id.clone(),
        label: tier.label.clone(),
        description: tier.description.clone(),
        hint: tier.hint.clone(),
        kinds: tier.kinds.iter().map(of_model).collect(),
    }
}

/// The vocabulary of a registry, with its search index if there is a snapshot.
pub(crate) fn load_vocabulary(registry: &Registry, language: &LanguageConfig) -> Result<Vocabulary, PatternError> {
    let vocabulary = vocabulary(registry, language.encoder.clone())?;
    if let Some(folder) = &language.snapshots
        && let Ok(bytes) = std::fs::read(file_of(folder, &vocabulary))
        && let Err(error) = vocabulary.load(&bytes)
    {
        tracing::warn!(%error, "a vocabulary snapshot could not be read; compiling again");
    }
    Ok(vocabulary)
}

/// Saves the search index for the next start.
pub(crate) fn save_snapshot(vocabulary: &Vocabulary, language: &LanguageConfig) {
    let Some(folder) = &language.snapshots else { return };
    let file = file_of(folder, vocabulary);
    // Written to a temporary file and renamed, so that no process reads half of it.
    let beside = file.with_extension(format!("{}.part", std::process::id()));
    let saved = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&beside, vocabulary.snapshot()))
        .and_then(|()| std::fs::rename(&beside, &file));
    if let Err(error) = saved {
        tracing::warn!(%error, folder = %folder.display(), "the vocabulary snapshot could not be saved");
    }
}

fn file_of(folder: &std::path::Path, vocabulary: &Vocabulary) -> PathBuf {
    folder.join(format!("{}.vocabulary", vocabulary.key().short()))
}

fn tool_target(registry: &Registry, tool: &Tool) -> Target {
    let def = &tool.def;
    let (domain, action) = def.name.split_once('.').unwrap_or(("", &def.name));
    let nouns = registry.packs().get(&def.pack).and_then(|pack| pack.nouns.get(domain)).cloned().unwrap_or_default();
    let deletes = matches!(&def.behavior, Behavior::Record(record) if record.op == RecordOp::Delete);
    let says_so = brain_nlu::is_destructive(action.split(['_', '-']).next().unwrap_or_default());
    Target {
        name: def.name.clone(),
        kind: TargetKind::Tool,
        title: def.title.clone(),
        nouns,
        synonyms: def.synonyms.clone(),
        intent_tier: def.intent_tier.clone().map(TierId::new),
        destructive: def.effect == Effect::Irreversible || deletes || says_so,
        reads_only: def.effect == Effect::Read,
        slots: slots(&def.input),
        phrases: if def.is_generated() { Vec::new() } else { def.phrases.clone() },
        generated: registry.generated_phrases(&def.name).map(str::to_owned).collect(),
    }
}

/// Whether every step of a playbook only reads.
fn reads_only(registry: &Registry, playbook: &Playbook) -> bool {
    let reads = |step: &PlaybookStep| registry.tool(&step.tool).is_some_and(|tool| tool.def.effect == Effect::Read);
    playbook.steps.iter().all(reads)
}

/// The thresholds of the packs (`settings: {understanding: …}`), else the defaults.
pub(crate) fn thresholds(registry: &Registry) -> Thresholds {
    let Some(Value::Object(given)) = registry.settings().get("understanding") else { return Thresholds::default() };
    // Decimals are stored as text.
    let number = |value: &Value| match value.as_str().and_then(|text| text.parse::<f64>().ok()) {
        Some(number) => Value::from(number),
        None => value.clone(),
    };
    let given: Value = given.iter().map(|(name, value)| (name.clone(), number(value))).collect();
    serde_json::from_value(given).unwrap_or_else(|error| {
        tracing::warn!(%error, "`settings.understanding` is not valid; using the default thresholds");
        Thresholds::default()
    })
}

/// The time zone of the packs; UTC if `time_zone` is not set.
pub(crate) fn zone(registry: &Registry) -> jiff::tz::TimeZone {
    let name = registry.settings().get("time_zone").and_then(Value::as_str);
    name.and_then(|name| jiff::tz::TimeZone::get(name).ok()).unwrap_or(jiff::tz::TimeZone::UTC)
}

/// The pack's local time, formats and currency.
pub(crate) fn surroundings(registry: &Registry, zone: &jiff::tz::TimeZone, now: brain_core::Timestamp) -> Surroundings {
    let setting = |name: &str| registry.settings().get(name).and_then(Value::as_str).unwrap_or_default();
    Surroundings::new(now.to_jiff().to_zoned(zone.clone()), setting("region"), setting("currency"))
}

fn slots(schema: &Value) -> BTreeMap<String, SlotSpec> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, property)| {
            let spec = SlotSpec {
                kind: kind(property),
                required: required.contains(&name.as_str()),
                has_default: property.get("default").is_some(),
                entity: property["x-entity"].as_str().map(str::to_owned),
            };
            (name.clone(), spec)
        })
        .collect()
}

/// The kind of a slot, from its JSON Schema.
fn kind(schema: &Value) -> SlotKind {
    if let Some(values) = schema["enum"].as_array() {
        let labels = &schema["x-labels"];
        let named = values.iter().filter_map(Value::as_str).map(|token| {
            let label = labels[token].as_str().map(str::to_owned);
            let aliases = schema["x-aliases"].as_object().into_iter().flatten();
            let aliases = aliases.filter(|(_, of)| of.as_str() == Some(token)).map(|(alias, _)| alias.clone());
            (token.to_owned(), label.into_iter().chain(aliases).collect())
        });
        return SlotKind::Enum(named.collect());
    }
    let number = || schema["x-unit"].as_str().map_or(SlotKind::Decimal, SlotKind::quantity);
    match schema["format"].as_str() {
        Some("uuid") => return SlotKind::Uuid,
        Some("decimal") => return number(),
        Some("money") => return SlotKind::Money,
        Some("phone") => return SlotKind::Phone,
        Some("email") => return SlotKind::Email,
        Some("uri") => return SlotKind::Url,
        Some("date") => return SlotKind::Date,
        Some("time") => return SlotKind::Time,
        Some("date-time") => return SlotKind::DateTime,
        Some("duration") => return SlotKind::Duration,
        _ => {}
    }
    match schema["type"].as_str() {
        Some("integer") => SlotKind::Integer,
        Some("number") => number(),
        Some("boolean") => SlotKind::Boolean,
        Some("array") => SlotKind::List(Box::new(kind(&schema["items"]))),
        _ => SlotKind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_may_say_every_threshold_and_nothing_else() {
        let known = serde_json::to_value(Thresholds::default()).expect("numbers can be written");
        let known: Vec<&str> = known.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        let mut allowed = brain_registry::UNDERSTANDING_KEYS;
        allowed.sort_unstable();
        assert_eq!(known, allowed);
    }
}
