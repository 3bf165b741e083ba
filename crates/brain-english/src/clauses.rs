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

/// Asks which kind of thing is meant within a kind.
pub fn which_kind_of(title: &str) -> String {
    format!("What kind of “{title}”?")
}

/// Asks which of several readings is meant.
pub fn which(titles: &[String]) -> String {
    if titles.is_empty() { String::new() } else { format!("Do you mean {}?", or_else(titles)) }
}

/// Several things, the last after “or”.
pub fn or_else(titles: &[String]) -> String {
    match titles {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        other => other.concat(),
    }
}

/// Asks whether something is wanted although the utterance was no request.
pub fn not_requested(kind: &str, word: &str, title: &str) -> String {
    format!("“{word}” sounds like {kind}, so nothing was done. Do you want me to do this: {title}?")
}

/// Asks about words that no reading uses.
pub fn left_over(words: &[&str], title: &str) -> String {
    format!("{} Without that, I would do this: {title}.", what_about(words))
}

/// Asks about words.
pub fn what_about(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("“{word}”")).collect();
    let list = match quoted.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        other => other.concat(),
    };
    format!("What about {list}?")
}

/// Asks whether a reading with guessed values is meant.
pub fn guessed(title: &str, values: &[(String, &str)]) -> String {
    let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} “{value}”")).collect();
    format!("Do you want this: {title}, with {}?", values.join(", "))
}
