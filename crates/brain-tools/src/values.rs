//! Evaluation of expressions, and how their errors become failures.

use std::collections::BTreeMap;
use std::sync::Arc;

use brain_core::{DigestBuilder, Failure, JobKey, Timestamp};
use brain_lang::binding::{Binding, BindingError, Tests};
use brain_lang::feel::{Env, FeelError, Value as FeelValue};
use serde_json::Value;

/// The names and values of expressions, and their environment. Time and randomness come from the job, so that deciding
/// again gives the same values.
pub struct Evaluation {
    names: BTreeMap<Arc<str>, FeelValue>,
    /// The names as one value; built lazily after a change.
    context: Option<FeelValue>,
    now: Timestamp,
    zone: jiff::tz::TimeZone,
    seed: Vec<u8>,
    drawn: u64,
}

impl Evaluation {
    /// Without names. `seed` determines the values of `uuid()`.
    pub fn new(now: Timestamp, zone: jiff::tz::TimeZone, seed: &[u8]) -> Self {
        Self { names: BTreeMap::new(), context: None, now, zone, seed: seed.to_vec(), drawn: 0 }
    }

    /// Seeds `uuid()` with the key of a job.
    pub fn of_job(now: Timestamp, zone: jiff::tz::TimeZone, key: JobKey) -> Self {
        Self::new(now, zone, key.as_uuid().as_bytes())
    }

    /// Sets a name.
    pub fn set(&mut self, name: &str, value: FeelValue) {
        self.names.insert(name.into(), value);
        self.context = None;
    }

    /// Evaluates to JSON.
    pub fn json(&mut self, binding: &Binding) -> Result<Value, BindingError> {
        self.run(|names, env| binding.eval(names, env))
    }

    /// Evaluates to a typed value.
    pub fn value(&mut self, binding: &Binding) -> Result<FeelValue, BindingError> {
        self.run(|names, env| binding.eval_value(names, env))
    }

    /// Whether a cell of a decision table matches a value.
    pub fn holds(&mut self, tests: &Tests, value: &FeelValue) -> Result<bool, FeelError> {
        self.run(|names, env| tests.hold(value, names, env))
    }

    /// Renders text over the same names.
    pub fn text(&mut self, text: &brain_lang::Text) -> Result<String, brain_lang::TextError> {
        text.render_value(self.context())
    }

    fn context(&mut self) -> &FeelValue {
        let names = &self.names;
        self.context.get_or_insert_with(|| FeelValue::Context(names.clone().into()))
    }

    fn run<T>(&mut self, work: impl FnOnce(&FeelValue, &mut Env<'_>) -> T) -> T {
        self.context();
        let (seed, drawn) = (&self.seed, &mut self.drawn);
        let mut random = || {
            *drawn += 1;
            let digest = DigestBuilder::new("random").part(seed).part(&drawn.to_be_bytes()).finish();
            let mut bytes = [0; 16];
            bytes.copy_from_slice(&digest.as_bytes()[..16]);
            u128::from_be_bytes(bytes)
        };
        let mut env = Env::new(self.now.to_jiff(), self.zone.clone(), &mut random);
        work(self.context.as_ref().unwrap_or(&FeelValue::Null), &mut env)
    }
}

/// Turns an expression error into a contract failure: it is a bug of the pack, so a retry would not help.
pub fn to_failure(part: &str, error: &BindingError) -> Failure {
    Failure::contract("expression", format!("`{part}` cannot be computed: {error}"))
}
