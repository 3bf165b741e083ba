//! Entities: records that people call by name. A mention is looked up among records of the kinds that the tool expects
//! and scored with evidence. Ids come out of lookups only: nothing here makes one up.
//!
//! The caller brings the records ([`Lookup`]); [`keys`] and [`words`] say by what they are to be found, so that a lookup
//! touches few of them however many there are.

mod card;
mod group;
mod index;
mod link;
mod mention;
mod name;
mod score;
mod sound;

pub use card::{Card, Lookup};
pub use group::{Anchor, anchor};
pub use index::{alike_keys, keys, near_keys, words};
pub use link::{Asked, Kind, Linked, Verdict, link};
pub use mention::{Mention, Shape, mentions, said_name};
pub use name::{normal_identifier, normal_name};
pub use score::{Candidate, How};

pub(crate) use mention::{is_name_like, naming};
