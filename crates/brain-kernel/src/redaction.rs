//! Personal values of a run, as declared by the definitions it was planned with, whichever packs are loaded now.

mod numbers;
mod parts;
mod redacted;
mod unread;

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use brain_core::{Digest, Redactor, RunId};
use brain_engine::RunState;
use brain_registry::model::Behavior;
use brain_store::{RunRow, Scope};
use serde_json::Value;

pub use self::redacted::Redaction;
use crate::kernel::Kernel;
use crate::vocabulary::surroundings;

/// Redactors by program, for runs of calls.
pub(crate) type Redactors = HashMap<Digest, Arc<Redactor>>;

/// Maximum number of cached redactors.
const MAX_REDACTORS: usize = 10_000;

impl Kernel {
    /// Redacts fields that the run's own definitions declare as personal. The loaded packs decide about fields that no
    /// definition of the run declares.
    pub(crate) fn redactor_of(&self, state: &RunState) -> Arc<Redactor> {
        let programs: Vec<Digest> = state.code.iter().flat_map(|code| code.hashes()).collect();
        // The slots of a playbook are part of the run's input, not of its program.
        let cacheable = match programs.as_slice() {
            [one] if state.earlier.is_empty() && state.data.input.playbook().is_none() => Some(*one),
            _ => None,
        };
        let cache = || self.redactors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = cacheable.and_then(|program| cache().get(&program).cloned()) {
            return known;
        }
        let made = Arc::new(self.make_redactor(state));
        if let Some(program) = cacheable {
            let mut cache = cache();
            if cache.len() >= MAX_REDACTORS {
                cache.clear();
            }
            cache.insert(program, made.clone());
        }
        made
    }

    fn make_redactor(&self, state: &RunState) -> Redactor {
        let mut declared = Declared::default();
        let own = state.code.iter().flat_map(|code| (0..).zip(code.hashes()).map(|(number, _)| code.program(number)));
        for program in own.chain(state.earlier.iter().map(|(_, program)| program)) {
            for reference in program.steps.iter().flat_map(|step| step.tools()) {
                let Ok(tool) = self.tool_of(reference) else { continue };
                declared.schema(&tool.def.input);
                declared.schema(tool.def.output.as_ref().unwrap_or(&Value::Null));
                let record = match &tool.def.behavior {
                    Behavior::Record(behavior) => self.registry().record(&behavior.record),
                    Behavior::Query(query) => self.registry().record(&query.record),
                    _ => None,
                };
                for field in record.into_iter().flat_map(|record| &record.fields) {
                    declared.field(&field.name, field.personal);
                    // A question names the records that are referred to.
                    let other = field.points_to().and_then(|other| self.registry().record(other));
                    if let Some(other) = other.filter(|_| matches!(tool.def.behavior, Behavior::Query(_))) {
                        other.fields.iter().for_each(|field| declared.field(&field.name, field.personal));
                    }
                }
            }
        }
        if let Some(playbook) = state.data.input.playbook() {
            declared.schema(&playbook.schema);
        }
        let Declared { personal, other } = declared;
        self.registry().redactor().without(&other).with(personal)
    }

    /// What to redact wherever this run is shown: fields by name, and their values in every text.
    pub fn redaction_of(&self, state: &RunState) -> Redaction {
        let payloads = state.log.iter().flat_map(|row| &row.payloads);
        let redactor = (*self.redactor_of(state)).clone();
        self.redaction(redactor, &state.row.request, payloads)
    }

    /// [`Kernel::redaction_of`] for a run that is not loaded yet. Everything is redacted if its log cannot be read.
    pub fn redaction_for(&self, scope: &Scope, run: RunId) -> Redaction {
        if let Ok(state) = self.engine().run_state(scope, run) {
            return self.redaction_of(&state);
        }
        match (self.store().run(scope, run), self.store().log(scope, run)) {
            (Ok(Some(RunRow { request, .. })), Ok(log)) => {
                let payloads = log.iter().flat_map(|row| &row.payloads);
                self.redaction(self.registry().redactor().clone(), &request, payloads)
            }
            _ => Redaction::everything(),
        }
    }

    fn redaction<'v>(
        &self,
        redactor: Redactor,
        request: &Value,
        payloads: impl Iterator<Item = &'v Value> + Clone,
    ) -> Redaction {
        let message = request["message"].as_str().unwrap_or_default();
        let unread = if payloads.clone().any(is_read) { Vec::new() } else { self.personal_in(message) };
        Redaction::new(redactor, request, payloads, &|kind| self.is_personal(kind)).with(unread)
    }

    /// The possibly personal parts of a message that was not understood.
    fn personal_in(&self, message: &str) -> Vec<String> {
        let around = surroundings(self.registry(), &jiff::tz::TimeZone::UTC, self.clock().now());
        let words = OnceCell::new();
        unread::personal(message, &around, &|word| words.get_or_init(|| self.words_of_packs()).contains(word))
    }

    /// The words of phrases, titles and nouns.
    fn words_of_packs(&self) -> HashSet<String> {
        let registry = self.registry();
        let tools = registry.tools().values().flat_map(|tool| tool.def.phrases.iter().chain([&tool.def.title]));
        let playbooks = registry.playbooks().flat_map(|playbook| playbook.phrases.iter().chain([&playbook.title]));
        let records = registry.records().values().map(|record| &record.title);
        let nouns = registry.packs().values().flat_map(|pack| pack.nouns.values().flatten());
        let texts = tools.chain(playbooks).chain(records).chain(nouns);
        let words = texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’'));
        words.map(str::to_lowercase).collect()
    }

    /// Whether records of a type are found by personal values: a record that no loaded pack declares may be.
    pub(crate) fn is_personal(&self, kind: &str) -> bool {
        self.registry().record(kind).is_none_or(|record| record.fields.iter().any(|field| field.personal))
    }
}

/// Whether a payload holds an understood request, or direct calls.
fn is_read(payload: &Value) -> bool {
    payload["evidence"]["kind"] == "clear" || !payload["input"].is_null() || !payload["calls"].is_null()
}

/// The fields that definitions declare. A name that one of them declares as personal is personal.
#[derive(Default)]
struct Declared {
    personal: BTreeSet<String>,
    other: BTreeSet<String>,
}

impl Declared {
    fn field(&mut self, name: &str, personal: bool) {
        let fields = if personal { &mut self.personal } else { &mut self.other };
        fields.insert(name.to_owned());
    }

    /// The fields of a JSON Schema, at any depth.
    fn schema(&mut self, schema: &Value) {
        match schema {
            Value::Object(map) => {
                for (name, property) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
                    self.field(name, property["x-personal"] == true);
                }
                map.values().for_each(|inner| self.schema(inner));
            }
            Value::Array(items) => items.iter().for_each(|item| self.schema(item)),
            _ => {}
        }
    }
}
