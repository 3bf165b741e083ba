//! Programs: compiled plans with their pinned settings, and the definitions stored with them.

use std::sync::{Arc, PoisonError};

use brain_core::{Digest, Failure};
use brain_store::Write;
use brain_vm::{PlanError, Program, compile};
use serde_json::Value;

use crate::kernel::Kernel;
use crate::plan::{Planned, Shape};

/// Maximum number of cached shapes and definitions.
const MAX_CACHED: usize = 10_000;

/// The hashes of programs, by the shape of their plan and the settings that they pin. The programs themselves are in the
/// cache of the engine.
pub(crate) type Shapes = std::collections::BTreeMap<(Shape, Digest), Digest>;

impl Kernel {
    /// Checks records named from outside: their types must exist, their ids must be valid.
    pub fn check_artifacts(&self, artifacts: &[brain_registry::Artifact]) -> Result<(), Failure> {
        self.toolbox().check_artifacts(artifacts)
    }

    /// The program of a plan with its settings. Tools and playbooks do not change while a kernel runs, so the shape is
    /// a sufficient cache key.
    pub(crate) fn program(&self, planned: &Planned, settings: Digest) -> Result<(Digest, Arc<Program>), PlanError> {
        let key = (planned.shape.clone(), settings);
        let known = self.shapes.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        if let Some(hash) = known
            && let Ok(program) = self.engine().program(hash)
        {
            return Ok((hash, program));
        }
        let mut program = compile(&planned.plan(self.registry()))?;
        program.settings = Some(settings);
        let (hash, program) = (program.id().0, Arc::new(program));
        self.engine().cache_program(hash, &program);
        let mut shapes = self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        if shapes.len() >= MAX_CACHED {
            shapes.clear();
        }
        shapes.insert(key, hash);
        Ok((hash, program))
    }

    /// Definitions that a program uses and the store may lack.
    pub(crate) fn definitions(&self, hash: Digest, program: &Program) -> Vec<Write> {
        let mut defined = self.defined.lock().unwrap_or_else(PoisonError::into_inner);
        if defined.len() >= MAX_CACHED {
            defined.clear();
        }
        let mut writes = Vec::new();
        let mut define = |hash: Digest, kind: &'static str, body: &dyn Fn() -> Value| {
            if !defined.contains(&hash) && !self.store().definition(hash).is_ok_and(|found| found.is_some()) {
                writes.push(Write::Define { hash, kind, body: body() });
            } else {
                defined.insert(hash);
            }
        };
        define(hash, "program", &|| serde_json::to_value(program).unwrap_or(Value::Null));
        let settings = self.toolbox().settings();
        if program.settings == Some(settings.digest()) {
            define(settings.digest(), "settings", &|| settings.body().clone());
        }
        for step in &program.steps {
            for reference in step.tools() {
                if let Some(tool) = self.registry().tool(&reference.name).filter(|tool| tool.hash == reference.hash) {
                    define(reference.hash, "tool", &|| serde_json::to_value(&tool.def).unwrap_or(Value::Null));
                }
            }
        }
        writes
    }
}
