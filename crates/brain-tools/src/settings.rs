//! Settings: the current ones of the packs, and those that runs were planned with. A program pins its settings by
//! digest, so a change of `pack.yaml` affects neither runs under way nor the undo of an ended run.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use brain_core::{Digest, Failure, canonical_digest};
use brain_lang::feel::Value as FeelValue;
use brain_registry::Registry;
use brain_store::Store;
use serde_json::{Value, json};

/// Settings as expressions see them.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The value of the name `settings`.
    pub values: FeelValue,
    /// The time zone; UTC if `time_zone` is not set.
    pub zone: jiff::tz::TimeZone,
}

impl Settings {
    /// A setting that is a text.
    pub fn text(&self, name: &str) -> Option<String> {
        match &self.values {
            FeelValue::Context(entries) => match entries.get(name)? {
                FeelValue::String(text) => Some(text.to_string()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Parses a definition: `{values, schema}`.
    fn of(body: &Value) -> Self {
        let zone = body["values"]["time_zone"].as_str().and_then(|name| jiff::tz::TimeZone::get(name).ok());
        Self {
            values: FeelValue::from_typed_json(&body["values"], &body["schema"]),
            zone: zone.unwrap_or(jiff::tz::TimeZone::UTC),
        }
    }
}

/// The current settings of the packs, and earlier ones by digest.
pub struct PinnedSettings {
    body: Value,
    digest: Digest,
    current: Arc<Settings>,
    earlier: RwLock<HashMap<Digest, Arc<Settings>>>,
    store: OnceLock<Arc<dyn Store>>,
}

impl PinnedSettings {
    pub(crate) fn of(registry: &Registry) -> Self {
        let body = json!({"values": registry.settings(), "schema": registry.settings_schema()});
        let (digest, current) = (canonical_digest(&body), Arc::new(Settings::of(&body)));
        Self { body, digest, current, earlier: RwLock::default(), store: OnceLock::new() }
    }

    /// Sets the store that holds earlier settings. Only the first call has an effect.
    pub fn kept_in(&self, store: Arc<dyn Store>) {
        let _ = self.store.set(store);
    }

    /// Takes over the cached settings of the previous version.
    pub(crate) fn succeed(&self, before: &Self) {
        let mut earlier = before.earlier.read().unwrap_or_else(PoisonError::into_inner).clone();
        earlier.insert(before.digest, before.current.clone());
        *self.earlier.write().unwrap_or_else(PoisonError::into_inner) = earlier;
    }

    /// The digest of the current settings, which programs pin.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The definition of the current settings, to be stored under their digest.
    pub fn body(&self) -> &Value {
        &self.body
    }

    /// The current settings.
    pub fn current(&self) -> &Settings {
        &self.current
    }

    /// The settings that a program pins; the current ones if it pins none.
    pub fn pinned(&self, digest: Option<Digest>) -> Result<Arc<Settings>, Failure> {
        let Some(digest) = digest.filter(|digest| *digest != self.digest) else { return Ok(self.current.clone()) };
        if let Some(known) = self.earlier.read().unwrap_or_else(PoisonError::into_inner).get(&digest) {
            return Ok(known.clone());
        }
        let missing = || {
            Failure::contract("unknown_settings", "The settings that this run was planned with are no longer stored.")
        };
        let store = self.store.get().ok_or_else(missing)?;
        let body = store.definition(digest).map_err(|error| Failure::transient("store", error.to_string()))?;
        let settings = Arc::new(Settings::of(&body.ok_or_else(missing)?));
        self.earlier.write().unwrap_or_else(PoisonError::into_inner).insert(digest, settings.clone());
        Ok(settings)
    }
}
