//! A pack: what its `pack.yaml` says.

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
    /// What people call it.
    pub title: String,
    /// A longer explanation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Packs that must be there too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// What expressions see as `settings`. Numbers that are not whole are exact decimal text.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
    /// Settings written as plain numbers that are not whole: expressions see them as numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decimal_settings: Vec<String>,
    /// Hosts that its tools may call, `name` or `name:port`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// What to say to somebody who does not know what to ask.
    #[serde(default)]
    pub help: Help,
    /// What people call things: by domain or record type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nouns: BTreeMap<String, Vec<String>>,
}

/// What to say to somebody who does not know what to ask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Help {
    /// A sentence or two.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Things to try.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}
