//! Concepts: what the words of a request mean apart from a pack's phrases. A thesaurus maps expressions to groups of
//! actions, things and states; targets that are described with the same groups are candidates, although no phrase has a
//! word in common with the request.

mod lexicon;
mod profile;
mod score;
mod signature;

pub(crate) use self::profile::Profiles;
pub(crate) use self::score::{ConceptScore, Concepts};
