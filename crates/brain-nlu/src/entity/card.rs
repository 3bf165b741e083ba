//! An entity's names and attributes, and how entities are looked up.

use brain_core::Timestamp;
use serde::Serialize;

/// The attributes of an entity that identify it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Card {
    /// Its type.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Alternative names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Numbers and addresses that identify it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub identifiers: Vec<String>,
    /// The group it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Its role in the group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The jurisdiction of the role; `None` for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jurisdiction: Option<String>,
    /// Ids of its parents: a quote belongs to its lead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub belongs_to: Vec<String>,
    /// When it last changed or was mentioned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used: Option<Timestamp>,
    /// Words that tell it from others of the same name, such as a place: `Kim Park in Ryde`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
}

/// Lookups of entities. Every method returns only the given type, few results, and reads few records.
pub trait Lookup {
    /// Entities with this name or alias, in the form of [`super::normal_name`].
    fn exact(&self, kind: &str, normal: &str) -> Vec<Card>;
    /// Entities with this identifier, in the form of [`super::normal_identifier`].
    fn identifier(&self, kind: &str, value: &str) -> Vec<Card>;
    /// Entities whose name or aliases contain all of these words, as returned by [`super::words`].
    fn words(&self, kind: &str, words: &[String], limit: usize) -> Vec<Card>;
    /// Entities with all of these words in any searchable text, for names that are too long to index.
    fn searched(&self, kind: &str, words: &[String], limit: usize) -> Vec<Card>;
    /// Entities indexed under one of these keys ([`super::keys`]).
    fn alike(&self, kind: &str, keys: &[String], limit: usize) -> Vec<Card>;
}
