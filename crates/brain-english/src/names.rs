//! Words around names of people, companies and things.

/// Words next to a name that are not part of it, besides function words.
pub const BESIDE_NAMES: [&str; 31] = [
    "called", "named", "number", "no", "record", "one", "ones", "again", "today", "tomorrow", "asap", "first", "last",
    "latest", "new", "same", "other", "another", "each", "every", "these", "those", "his", "her", "he", "she", "they",
    "something", "anything", "details", "list",
];
/// Determiners with a capital letter at the start of a sentence.
pub const CAPITALISED_DETERMINERS: [&str; 5] = ["The", "A", "An", "My", "Our"];
/// Words without a capital letter inside a name: `Ludwig van Beethoven`.
pub const NAME_PARTICLES: [&str; 8] = ["van", "von", "de", "der", "den", "of", "and", "&"];
/// Words that a name often follows.
pub const BEFORE_NAMES: [&str; 5] = ["for", "of", "to", "with", "the"];
/// Words that join a name and what tells it apart: `Kim in Ryde`.
pub const JOINING: [&str; 10] = ["in", "from", "of", "at", "the", "and", "for", "with", "on", "a"];
/// Titles before a person's name.
pub const TITLES: [&str; 16] =
    ["Mr", "Mrs", "Ms", "Miss", "Dr", "Prof", "Sir", "Madam", "Herr", "Frau", "mr", "mrs", "ms", "miss", "dr", "prof"];
