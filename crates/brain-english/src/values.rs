//! Words that tell a value from something that only looks like one.

/// Words for yes and no.
pub const BOOLEANS: [(&str, bool); 6] =
    [("yes", true), ("true", true), ("on", true), ("no", false), ("false", false), ("off", false)];
/// Verbs before which `on` and `off` are values.
pub const SWITCHING: [&str; 7] = ["turn", "turned", "switch", "switched", "to", "is", "be"];
/// Words before which `one` is a pronoun and counts nothing: `this one`.
pub const BEFORE_PRONOUN_ONE: [&str; 22] = [
    "this", "that", "the", "which", "another", "first", "second", "third", "last", "next", "other", "every", "any",
    "no", "each", "new", "right", "wrong", "same", "some", "old", "only",
];
