//! What expressions see, and how their mistakes become failures.

use std::collections::BTreeMap;
use std::sync::Arc;

use brain_core::{DigestBuilder, Failure, JobKey, Timestamp};
use brain_lang::binding::{Binding, BindingError, Tests};
use brain_lang::feel::{Env, FeelError, Value as FeelValue};
use serde_json::Value;

/// Names and values for expressions, and the world they are evaluated in. Nothing is read from outside: time and
/// randomness come from the job, so that deciding again gives the same.
pub struct Evaluation {
    names: BTreeMap<Arc<str>, FeelValue>,
    /// The names as one value; made when it is first needed after a change.
    context: Option<FeelValue>,
    now: Timestamp,
    zone: jiff::tz::TimeZone,
    seed: Vec<u8>,
    drawn: u64,
}

impl Evaluation {
    /// With these names. `seed` decides what `uuid()` gives.
    pub fn new(now: Timestamp, zone: jiff::tz::TimeZone, seed: &[u8]) -> Self {
        Self { names: BTreeMap::new(), context: None, now, zone, seed: seed.to_vec(), drawn: 0 }
    }

    /// For a job.
    pub fn of_job(now: Timestamp, zone: jiff::tz::TimeZone, key: JobKey) -> Self {
        Self::new(now, zone, key.as_uuid().as_bytes())
    }

    /// Adds a name.
    pub fn set(&mut self, name: &str, value: FeelValue) {
        self.names.insert(name.into(), value);
        self.context = None;
    }

    /// Evaluates to JSON.
    pub fn json(&mut self, binding: &Binding) -> Result<Value, BindingError> {
        self.run(|names, env| binding.eval(names, env))
    }

    /// Evaluates to a value with its type.
    pub fn value(&mut self, binding: &Binding) -> Result<FeelValue, BindingError> {
        self.run(|names, env| binding.eval_value(names, env))
    }

    /// Whether a cell of a decision table holds for a value.
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

/// An expression that went wrong is a bug of the pack: nobody gains from trying again.
pub fn to_failure(part: &str, error: &BindingError) -> Failure {
    Failure::contract("expression", format!("`{part}` cannot be computed: {error}"))
}
