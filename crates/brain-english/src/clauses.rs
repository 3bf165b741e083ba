//! Conjunctions and questions.

/// Conjunctions between two requests, longest first.
pub const CONJUNCTIONS: [&str; 24] = [
    " and after that ", ", after that ", ". after that ", ", and please ", " and please ", ", and also ",
    ", and then ", " and then ", " and also ", ". and then ", ". please ", ". also ", ". then ", ", also ", ", then ",
    ", and ", " also ", " then ", ". and ", " plus ", " and ", "? ", ", ", ". ",
];
/// Separators of a list, longest first.
pub const SEPARATORS: [&str; 6] = [", and also ", " and also ", ", and ", " and ", " plus ", ", "];

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

/// Asks whether something is wanted although the utterance was no request.
pub fn not_requested(kind: &str, word: &str, title: &str) -> String {
    format!("“{word}” makes this {kind}, not a request. Do you want this: {title}?")
}

/// Asks about words that no reading uses.
pub fn left_over(words: &[&str], title: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("“{word}”")).collect();
    let list = match quoted.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        other => other.concat(),
    };
    format!("What about {list}? Without that, I would do this: {title}.")
}
