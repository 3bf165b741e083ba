//! Inflected forms: plurals, past tenses, participles.

/// Whether one word is an inflected form of the other: plural, past tense or `-ing` form.
pub fn inflected(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    // No rule changes more of the shorter form than its last letter.
    let Some((at, last)) = short.char_indices().next_back().filter(|(at, _)| *at >= 2) else { return false };
    if long.len() - short.len() > 4 || !long.starts_with(&short[..at]) {
        return false;
    }
    if let Some(ending) = long.strip_prefix(short) {
        // task → tasks, close → closed, submit → submitted.
        return matches!(ending, "s" | "es" | "ed" | "d" | "ing")
            || ending.strip_prefix(last).is_some_and(|ending| matches!(ending, "ed" | "ing"));
    }
    // note → noting, inquiry → inquiries.
    let ending = &long[at..];
    (last == 'e' && ending == "ing") || (last == 'y' && matches!(ending, "ies" | "ied"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one_word() {
        let pairs = [
            ("task", "tasks"),
            ("inquiry", "inquiries"),
            ("note", "noting"),
            ("submit", "submitted"),
            ("close", "closed"),
        ];
        for (a, b) in pairs {
            assert!(inflected(a, b) && inflected(b, a), "{a} {b}");
        }
        assert!(!inflected("is", "iss") && !inflected("lead", "leader"));
    }
}
