//! Conjunctions and questions.

/// Conjunctions between two requests, longest first.
pub const CONJUNCTIONS: [&str; 6] = [" and then ", " and also ", " then ", " and ", ", ", ". "];

/// Asks which kind of thing is meant.
pub const WHICH_KIND: &str = "What are you trying to do?";

/// Asks which of several readings is meant.
pub fn which(titles: &[String]) -> String {
    match titles {
        [one] => format!("Do you mean {one}?"),
        [first @ .., last] => format!("Do you mean {} or {last}?", first.join(", ")),
        [] => String::new(),
    }
}
