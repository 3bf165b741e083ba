//! Entities: records that people refer to by name. A mention is looked up among records of the expected types and
//! scored with evidence. Ids come only from lookups.
//!
//! The caller provides the lookups ([`Lookup`]); [`keys`] and [`words`] define the index, so that a lookup reads few
//! records however many there are.

mod card;
mod group;
mod index;
mod link;
mod mention;
mod name;
mod reference;
mod score;
mod sound;

pub use card::{Card, Lookup};
pub use group::{Anchor, anchor};
pub use index::{alike_keys, keys, near_keys, words};
pub use link::{Asked, Kind, Linked, Resolution, conclude, link};
pub use mention::{Mention, Shape, mentions, said_name};
pub use name::{normal_identifier, normal_name};
pub use reference::{Count, Reference};
pub use score::{Candidate, How};

pub(crate) use mention::{begins_name, is_name_like, naming};
