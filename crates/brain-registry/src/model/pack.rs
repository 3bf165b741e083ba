//! The contents of `pack.yaml`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A pack as its `pack.yaml` declares it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PackDef {
    /// Its name, unique over all packs.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its title for people.
    pub title: String,
    /// A longer explanation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Packs it depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// The `settings` of expressions. Decimals are exact text.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
    /// Settings written as decimal numbers, which expressions read as numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decimal_settings: Vec<String>,
    /// Hosts that its tools may call: `name` or `name:port`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// The answer to "what can you do?".
    #[serde(default)]
    pub help: Help,
    /// Nouns for records, by domain or record type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nouns: BTreeMap<String, Vec<String>>,
    /// The kinds of action to ask about first if too many tools are likely.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intent_tiers: Vec<IntentTier>,
}

/// A kind of action, and its second level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentTier {
    /// Its id, unique on its level.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// What belongs to it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// An example, or a hint for choosing it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// The second level; its tiers have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<IntentTier>,
}

/// The answer to "what can you do?".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Help {
    /// A sentence or two.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Example requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}
