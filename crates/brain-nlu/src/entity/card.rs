//! What is known of an entity, and how it is looked up.

use brain_core::Timestamp;
use serde::Serialize;

/// One entity, as far as names are concerned.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Card {
    /// Its kind.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What else they call it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Numbers and addresses that mean it and no other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub identifiers: Vec<String>,
    /// The group that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// What it is in its group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Where its role holds; everywhere if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jurisdiction: Option<String>,
    /// The ids of those that it belongs to: a quote belongs to its lead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub belongs_to: Vec<String>,
    /// When it last changed or was spoken of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used: Option<Timestamp>,
    /// What tells it from others of the same name: a place, a state. `Kim Park in Ryde`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
}

/// Where entities are looked up. Every method gives entities of that kind only, few of them, and touches few.
pub trait Lookup {
    /// Those with this name or alias in the form of [`super::normal_name`].
    fn exact(&self, kind: &str, normal: &str) -> Vec<Card>;
    /// Those with this identifier in the form of [`super::normal_identifier`].
    fn identifier(&self, kind: &str, value: &str) -> Vec<Card>;
    /// Those whose name or aliases have all of these words, as [`super::words`] gives them.
    fn words(&self, kind: &str, words: &[String], limit: usize) -> Vec<Card>;
    /// Those that have all of these words in any text by which they are searched: names that are too long for an index.
    fn searched(&self, kind: &str, words: &[String], limit: usize) -> Vec<Card>;
    /// Those that were kept under one of these keys ([`super::keys`]).
    fn alike(&self, kind: &str, keys: &[String], limit: usize) -> Vec<Card>;
}
