//! Personal values of a run, as declared by the definitions it was planned with, whichever packs are loaded now.

use std::borrow::Cow;

use brain_core::{Redactor, RunId};
use brain_engine::RunState;
use brain_store::Scope;
use serde_json::Value;

use crate::kernel::Kernel;

impl Kernel {
    /// Redacts fields that the loaded packs or the run's own definitions declare as personal. If the run's definitions
    /// cannot be read, only the loaded packs count.
    pub fn redactor_of(&self, state: &RunState) -> Cow<'_, Redactor> {
        let mut names = Vec::new();
        let own = state.code.iter().flat_map(|code| (0..).zip(code.hashes()).map(|(number, _)| code.program(number)));
        for program in own.chain(state.earlier.iter().map(|(_, program)| program)) {
            for reference in program.steps.iter().flat_map(|step| step.tools()) {
                // The loaded packs already cover identical definitions.
                if self.registry().tool(&reference.name).is_some_and(|tool| tool.hash == reference.hash) {
                    continue;
                }
                if let Ok(tool) = self.tool_of(reference) {
                    personal(&tool.def.input, &mut names);
                    personal(tool.def.output.as_ref().unwrap_or(&Value::Null), &mut names);
                }
            }
        }
        let loaded = self.registry().redactor();
        if names.is_empty() { Cow::Borrowed(loaded) } else { Cow::Owned(loaded.with(names)) }
    }

    /// [`Kernel::redactor_of`] for a run that is not loaded yet.
    pub fn redactor_for(&self, scope: &Scope, run: RunId) -> Redactor {
        match self.engine().run_state(scope, run) {
            Ok(state) => self.redactor_of(&state).into_owned(),
            Err(_) => self.registry().redactor().clone(),
        }
    }
}

/// The fields that a schema declares as personal, at any depth.
fn personal(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            for (name, property) in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if property["x-personal"] == true {
                    names.push(name.clone());
                }
            }
            map.values().for_each(|inner| personal(inner, names));
        }
        Value::Array(items) => items.iter().for_each(|item| personal(item, names)),
        _ => {}
    }
}
